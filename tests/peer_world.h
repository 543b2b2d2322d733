// SPDX-License-Identifier: MIT
// A world with a wire and the peer host on its far end, and a host played by hand on the near end.
#ifndef CORADIO_TESTS_PEER_WORLD_H
#define CORADIO_TESTS_PEER_WORLD_H

#include "coradio_twin/peer.h"
#include "hand_host.h"
#include "test.h"

#define PORT     5001u
#define OUR_PORT 40000u
#define HOST_IP  0xC0A80102u  // 192.168.1.2
#define PEER_IP  0xC0A80101u
#define DELAY_NS 100000u
#define MSS      1460u
#define ISS      1000u
#define WINDOW   65535u

static const uint8_t host_mac[6] = {2, 0, 0, 0, 0, 1};
static const uint8_t peer_mac[6] = {2, 0, 0, 0, 0, 2};

static struct {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_wire *wire;
    struct twin_peer *peer;
    struct hand_host host;
    // What the peer's application saw.
    uint64_t received_bytes;
    uint64_t received_hash;
    uint64_t stop_after_bytes;  // not 0: it stops reading with the piece that comes after so many
    uint32_t closed_orderly;
    uint32_t closed_by_reset;
    // The connection, from our side.
    uint32_t seq;
    uint32_t ack;
} world;

static uint8_t stream[1 << 20];

static inline void received(void *context, const uint8_t *data, uint32_t size_bytes) {
    (void)context;
    if (world.stop_after_bytes != 0 && world.received_bytes >= world.stop_after_bytes) {
        twin_peer_set_reading(world.peer, false);
    }
    for (uint32_t i = 0; i < size_bytes; i++) {
        world.received_hash = (world.received_hash ^ data[i]) * 0x100000001B3u;
    }
    world.received_bytes += size_bytes;
}

static inline void closed(void *context, bool orderly) {
    (void)context;
    world.closed_orderly += orderly;
    world.closed_by_reset += !orderly;
}

static inline struct twin_peer_config peer_config(void) {
    return (struct twin_peer_config){
        .address = {2, 0, 0, 0, 0, 2},
        .ip = PEER_IP,
        .netmask = 0xFFFFFF00u,
        .port = PORT,
        .received = received,
        .closed = closed,
    };
}

static inline void world_open_at(uint64_t start_ns, struct twin_peer_config config) {
    memset(&world, 0, sizeof(world));
    for (size_t i = 0; i < sizeof(stream); i++) {
        stream[i] = (uint8_t)(i * 2654435761u >> 13);
    }
    world.sim = twin_sim_new(11, start_ns);
    world.frames = twin_frames_new();
    world.wire = twin_wire_new(
        &(struct twin_wire_config){.sim = world.sim, .frames = world.frames, .delay_ns = DELAY_NS});
    config.sim = world.sim;
    config.frames = world.frames;
    config.wire = twin_wire_far(world.wire);
    world.peer = twin_peer_new(&config);
    CHECK(world.peer != NULL);
    twin_wire_connect_far(world.wire, twin_peer_port(world.peer));
    world.host.sim = world.sim;
    world.host.frames = world.frames;
    world.host.out = twin_wire_near(world.wire);
    memcpy(world.host.mac, host_mac, 6);
    memcpy(world.host.peer_mac, peer_mac, 6);
    world.host.ip = HOST_IP;
    world.host.peer_ip = PEER_IP;
    twin_wire_connect_near(world.wire, hand_port(&world.host));
}

static inline void world_open_with(struct twin_peer_config config) {
    world_open_at(0, config);
}

static inline void world_open(void) {
    world_open_with(peer_config());
}

static inline void world_close(void) {
    CHECK_EQ(world.host.bad_checksums, 0);
    hand_drop_all(&world.host);
    twin_peer_free(world.peer);
    twin_wire_free(world.wire);
    CHECK_EQ(twin_frames_out(world.frames), 0);
    twin_frames_free(world.frames);
    twin_sim_free(world.sim);
}

static inline void run_ms(uint64_t ms) {
    twin_run_until(world.sim, twin_now_ns(world.sim) + ms * 1000000u);
}

static inline struct twin_peer_counters counters(void) {
    struct twin_peer_counters now;

    twin_peer_get_counters(world.peer, &now);
    return now;
}

static inline struct hand_segment segment(uint8_t flags) {
    return (struct hand_segment){
        .source_port = OUR_PORT,
        .target_port = PORT,
        .seq = world.seq,
        .ack = world.ack,
        .flags = flags,
        .window = WINDOW,
    };
}

// So that the peer knows our address and answers at once.
static inline void meet(void) {
    hand_send_arp(&world.host, PEER_IP);
    run_ms(1);
    hand_drop_all(&world.host);
}

// The SYN-ACK that answers our SYN.
static inline struct hand_segment send_syn(struct hand_segment syn) {
    struct hand_segment answer;

    meet();
    world.seq = syn.seq = ISS;
    syn.flags = HAND_SYN;
    hand_send_tcp(&world.host, &syn);
    run_ms(1);
    CHECK(hand_receive_tcp(&world.host, &answer));
    return answer;
}

static inline void connect_with(struct hand_segment syn) {
    struct hand_segment answer = send_syn(syn);

    CHECK_EQ(answer.flags, HAND_SYN | HAND_ACK);
    CHECK_EQ(answer.ack, ISS + 1);
    world.seq = ISS + 1;
    world.ack = answer.seq + 1;
    hand_send_tcp(
        &world.host,
        &(struct hand_segment){
            .source_port = OUR_PORT,
            .target_port = PORT,
            .seq = world.seq,
            .ack = world.ack,
            .flags = HAND_ACK,
            .window = WINDOW,
        });
    run_ms(1);
    CHECK_EQ(counters().connections, 1);
    CHECK_EQ(hand_waiting(&world.host), 0);
}

static inline struct hand_segment syn_with_sack(void) {
    struct hand_segment syn = segment(HAND_SYN);

    syn.mss = MSS;
    syn.sack_ok = true;
    return syn;
}

static inline void connect_plain(void) {
    connect_with(syn_with_sack());
}

// Bytes offset..offset+size of the stream, whatever world.seq is.
static inline void send_data(uint32_t offset, uint32_t size_bytes) {
    struct hand_segment data = segment(HAND_ACK | HAND_PSH);

    data.seq = ISS + 1 + offset;
    data.payload = stream + offset;
    data.payload_bytes = size_bytes;
    hand_send_tcp(&world.host, &data);
}

static inline struct hand_segment expect_tcp(void) {
    struct hand_segment answer;

    CHECK(hand_receive_tcp(&world.host, &answer));
    return answer;
}

static inline uint64_t stream_hash(uint32_t size_bytes) {
    uint64_t hash = 0;

    for (uint32_t i = 0; i < size_bytes; i++) {
        hash = (hash ^ stream[i]) * 0x100000001B3u;
    }
    return hash;
}

#endif
