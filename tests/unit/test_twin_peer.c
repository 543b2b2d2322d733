// SPDX-License-Identifier: MIT
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

static void received(void *context, const uint8_t *data, uint32_t size_bytes) {
    (void)context;
    if (world.stop_after_bytes != 0 && world.received_bytes >= world.stop_after_bytes) {
        twin_peer_set_reading(world.peer, false);
    }
    for (uint32_t i = 0; i < size_bytes; i++) {
        world.received_hash = (world.received_hash ^ data[i]) * 0x100000001B3u;
    }
    world.received_bytes += size_bytes;
}

static void closed(void *context, bool orderly) {
    (void)context;
    world.closed_orderly += orderly;
    world.closed_by_reset += !orderly;
}

static struct twin_peer_config peer_config(void) {
    return (struct twin_peer_config){
        .address = {2, 0, 0, 0, 0, 2},
        .ip = PEER_IP,
        .netmask = 0xFFFFFF00u,
        .port = PORT,
        .received = received,
        .closed = closed,
    };
}

static void world_open_at(uint64_t start_ns, struct twin_peer_config config) {
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

static void world_open_with(struct twin_peer_config config) {
    world_open_at(0, config);
}

static void world_open(void) {
    world_open_with(peer_config());
}

static void world_close(void) {
    CHECK_EQ(world.host.bad_checksums, 0);
    hand_drop_all(&world.host);
    twin_peer_free(world.peer);
    twin_wire_free(world.wire);
    CHECK_EQ(twin_frames_out(world.frames), 0);
    twin_frames_free(world.frames);
    twin_sim_free(world.sim);
}

static void run_ms(uint64_t ms) {
    twin_run_until(world.sim, twin_now_ns(world.sim) + ms * 1000000u);
}

static struct twin_peer_counters counters(void) {
    struct twin_peer_counters now;

    twin_peer_get_counters(world.peer, &now);
    return now;
}

static struct hand_segment segment(uint8_t flags) {
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
static void meet(void) {
    hand_send_arp(&world.host, PEER_IP);
    run_ms(1);
    hand_drop_all(&world.host);
}

// The SYN-ACK that answers our SYN.
static struct hand_segment send_syn(struct hand_segment syn) {
    struct hand_segment answer;

    meet();
    world.seq = syn.seq = ISS;
    syn.flags = HAND_SYN;
    hand_send_tcp(&world.host, &syn);
    run_ms(1);
    CHECK(hand_receive_tcp(&world.host, &answer));
    return answer;
}

static void connect_with(struct hand_segment syn) {
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

static struct hand_segment syn_with_sack(void) {
    struct hand_segment syn = segment(HAND_SYN);

    syn.mss = MSS;
    syn.sack_ok = true;
    return syn;
}

static void connect_plain(void) {
    connect_with(syn_with_sack());
}

// Bytes offset..offset+size of the stream, whatever world.seq is.
static void send_data(uint32_t offset, uint32_t size_bytes) {
    struct hand_segment data = segment(HAND_ACK | HAND_PSH);

    data.seq = ISS + 1 + offset;
    data.payload = stream + offset;
    data.payload_bytes = size_bytes;
    hand_send_tcp(&world.host, &data);
}

static struct hand_segment expect_tcp(void) {
    struct hand_segment answer;

    CHECK(hand_receive_tcp(&world.host, &answer));
    return answer;
}

static uint64_t stream_hash(uint32_t size_bytes) {
    uint64_t hash = 0;

    for (uint32_t i = 0; i < size_bytes; i++) {
        hash = (hash ^ stream[i]) * 0x100000001B3u;
    }
    return hash;
}

// ---- ARP, ping, UDP

TEST(answers_arp_for_its_address_only) {
    struct twin_frame *frame;
    uint64_t at_ns;

    world_open();
    hand_send_arp(&world.host, PEER_IP + 5);
    run_ms(1);
    CHECK_EQ(hand_waiting(&world.host), 0);
    hand_send_arp(&world.host, PEER_IP);
    run_ms(1);
    frame = hand_next(&world.host, &at_ns);
    CHECK(frame != NULL);
    CHECK_EQ(at_ns, 1000000 + 2 * DELAY_NS);
    CHECK_BYTES(frame->data, host_mac, 6);
    CHECK_EQ(hand_get16(frame->data + 12), 0x0806);
    CHECK_EQ(hand_get16(frame->data + 20), 2);
    CHECK_BYTES(frame->data + 22, peer_mac, 6);
    CHECK_EQ(hand_get32(frame->data + 28), PEER_IP);
    hand_done(&world.host, frame);
    world_close();
}

TEST(says_nothing_before_it_is_asked) {
    world_open();
    run_ms(10000);
    CHECK_EQ(hand_waiting(&world.host), 0);
    world_close();
}

TEST(answers_ping_with_the_same_bytes) {
    struct twin_frame *frame;

    world_open();
    meet();
    hand_send_ping(&world.host, 3, 1000);
    run_ms(1);
    frame = hand_next(&world.host, NULL);
    CHECK(frame != NULL);
    CHECK(hand_is_ipv4(&world.host, frame, 1));
    CHECK_EQ(frame->size_bytes, 14 + 20 + 8 + 1000);
    CHECK_EQ(frame->data[34], 0);
    CHECK_EQ(hand_get16(frame->data + 40), 3);
    CHECK_EQ(hand_fold(hand_sum(frame->data + 34, 1008, 0)), 0);
    for (uint32_t i = 0; i < 1000; i++) {
        CHECK_EQ(frame->data[42 + i], (uint8_t)(i * 7 + 3));
    }
    hand_done(&world.host, frame);
    world_close();
}

TEST(asks_for_our_address_when_it_does_not_know_it) {
    struct twin_frame *frame;

    world_open();
    hand_send_ping(&world.host, 1, 8);
    run_ms(1);
    frame = hand_next(&world.host, NULL);
    CHECK(frame != NULL);
    CHECK_EQ(hand_get16(frame->data + 12), 0x0806);
    CHECK_EQ(hand_get16(frame->data + 20), 1);
    CHECK_EQ(hand_get32(frame->data + 38), HOST_IP);
    hand_done(&world.host, frame);
    world_close();
}

TEST(counts_datagrams_and_hands_them_over) {
    world_open();
    meet();
    hand_send_udp(&world.host, OUR_PORT, PORT, stream, 1472);
    hand_send_udp(&world.host, OUR_PORT, PORT, stream + 1472, 3);
    run_ms(1);
    CHECK_EQ(counters().udp_datagrams, 2);
    CHECK_EQ(counters().udp_bytes, 1475);
    CHECK_EQ(world.received_bytes, 1475);
    CHECK(world.received_hash == stream_hash(1475));
    CHECK_EQ(hand_waiting(&world.host), 0);
    world_close();
}

TEST(a_datagram_to_a_closed_port_gets_port_unreachable) {
    struct twin_frame *frame;

    world_open();
    meet();
    hand_send_udp(&world.host, OUR_PORT, PORT + 1, stream, 10);
    run_ms(1);
    frame = hand_next(&world.host, NULL);
    CHECK(frame != NULL);
    CHECK(hand_is_ipv4(&world.host, frame, 1));
    CHECK_EQ(frame->data[34], 3);
    CHECK_EQ(frame->data[35], 3);
    hand_done(&world.host, frame);
    CHECK_EQ(counters().udp_datagrams, 0);
    world_close();
}

TEST(frames_it_cannot_take_are_dropped_and_counted) {
    struct twin_frame *frame;

    world_open();
    meet();
    memcpy(world.host.peer_mac, host_mac, 6);
    hand_send_udp(&world.host, OUR_PORT, PORT, stream, 10);
    memcpy(world.host.peer_mac, peer_mac, 6);
    frame = hand_ipv4(&world.host, 17, 1481);
    hand_send(&world.host, frame);
    frame = hand_ipv4(&world.host, 17, 100);
    frame->size_bytes = 13;
    hand_send(&world.host, frame);
    run_ms(1);
    CHECK_EQ(counters().not_for_us, 1);
    CHECK_EQ(counters().bad_frames, 2);
    CHECK_EQ(counters().udp_datagrams, 0);
    world_close();
}

TEST(wrong_checksums_are_dropped_and_counted) {
    struct twin_frame *frame;
    struct hand_segment data;

    world_open();
    connect_plain();
    data = segment(HAND_ACK);
    data.payload = stream;
    data.payload_bytes = 1001;
    frame = hand_tcp(&world.host, &data);
    frame->data[14 + 20 + 20 + 1000] ^= 0x10;
    hand_send(&world.host, frame);
    run_ms(1);
    CHECK_EQ(counters().bad_checksums, 1);
    CHECK_EQ(world.received_bytes, 0);
    frame = hand_ipv4(&world.host, 17, 20);
    frame->data[14 + 8]--;
    hand_send(&world.host, frame);
    run_ms(1);
    CHECK_EQ(counters().bad_checksums, 2);
    world_close();
}

// ---- TCP

TEST(the_handshake_offers_mss_sack_and_the_default_window) {
    struct hand_segment answer;

    world_open();
    answer = send_syn(syn_with_sack());
    CHECK_EQ(answer.flags, HAND_SYN | HAND_ACK);
    CHECK_EQ(answer.mss, MSS);
    CHECK(answer.sack_ok);
    CHECK(!answer.scale);
    CHECK_EQ(answer.window, 65535);
    world_close();
}

TEST(the_window_of_the_config_is_in_the_syn_ack) {
    struct twin_peer_config config = peer_config();

    config.receive_window = 8760;
    world_open_with(config);
    CHECK_EQ(send_syn(syn_with_sack()).window, 8760);
    world_close();
}

TEST(a_large_window_is_scaled_when_we_offer_it) {
    struct twin_peer_config config = peer_config();
    struct hand_segment syn = syn_with_sack();
    struct hand_segment answer;

    config.receive_window = 1 << 20;
    syn.scale = true;
    world_open_with(config);
    answer = send_syn(syn);
    CHECK(answer.scale);
    CHECK_EQ(answer.shift, 5);
    CHECK_EQ(answer.window, 65535);
    world.seq = ISS + 1;
    world.ack = answer.seq + 1;
    send_data(0, MSS);
    send_data(MSS, MSS);
    run_ms(1);
    CHECK_EQ(expect_tcp().window, (1 << 20) >> 5);
    world_close();
}

TEST(a_large_window_is_cut_when_we_do_not_offer_scaling) {
    struct twin_peer_config config = peer_config();

    config.receive_window = 1 << 20;
    world_open_with(config);
    connect_plain();
    send_data(0, MSS);
    send_data(MSS, MSS);
    run_ms(1);
    CHECK_EQ(expect_tcp().window, 65535);
    world_close();
}

TEST(every_second_segment_is_acknowledged_at_once) {
    world_open();
    connect_plain();
    for (uint32_t i = 0; i < 100; i++) {
        send_data(i * MSS, MSS);
        run_ms(1);
        CHECK_EQ(hand_waiting(&world.host), i % 2);
        if (i % 2 == 1) {
            struct hand_segment ack = expect_tcp();
            CHECK_EQ(ack.flags, HAND_ACK);
            CHECK_EQ(ack.ack, ISS + 1 + (i + 1) * MSS);
            CHECK_EQ(ack.window, 65535);
            CHECK_EQ(ack.sack_count, 0);
        }
    }
    CHECK_EQ(world.received_bytes, 100 * MSS);
    CHECK(world.received_hash == stream_hash(100 * MSS));
    CHECK_EQ(counters().tcp_bytes, 100 * MSS);
    world_close();
}

TEST(a_single_segment_is_acknowledged_after_the_delay) {
    uint64_t sent_ns;
    struct hand_segment ack;

    world_open();
    connect_plain();
    sent_ns = twin_now_ns(world.sim);
    send_data(0, 100);
    run_ms(300);
    ack = expect_tcp();
    CHECK_EQ(ack.ack, ISS + 1 + 100);
    // lwIP's fast timer ticks every 250 ms.
    CHECK_BETWEEN(ack.at_ns - sent_ns, 2 * DELAY_NS, 250000000 + 2 * DELAY_NS);
    world_close();
}

TEST(data_out_of_order_is_kept_and_reported_by_sack) {
    struct hand_segment ack;

    world_open();
    connect_plain();
    send_data(0, MSS);
    send_data(2 * MSS, MSS);
    run_ms(1);
    ack = expect_tcp();
    CHECK_EQ(ack.ack, ISS + 1 + MSS);
    CHECK_EQ(ack.sack_count, 1);
    CHECK_EQ(ack.sack[0][0], ISS + 1 + 2 * MSS);
    CHECK_EQ(ack.sack[0][1], ISS + 1 + 3 * MSS);
    send_data(4 * MSS, MSS);
    run_ms(1);
    ack = expect_tcp();
    CHECK_EQ(ack.ack, ISS + 1 + MSS);
    CHECK_EQ(ack.sack_count, 2);
    CHECK_EQ(world.received_bytes, MSS);
    send_data(3 * MSS, MSS);
    send_data(MSS, MSS);
    run_ms(1);
    hand_drop_all(&world.host);
    CHECK_EQ(world.received_bytes, 5 * MSS);
    CHECK(world.received_hash == stream_hash(5 * MSS));
    world_close();
}

TEST(a_duplicate_is_acknowledged_and_not_counted_twice) {
    world_open();
    connect_plain();
    send_data(0, MSS);
    send_data(0, MSS);
    run_ms(1);
    CHECK_EQ(expect_tcp().ack, ISS + 1 + MSS);
    CHECK_EQ(world.received_bytes, MSS);
    world_close();
}

TEST(our_fin_is_answered_and_followed_by_its_own) {
    struct hand_segment fin;
    struct hand_segment answer;

    world_open();
    connect_plain();
    send_data(0, 100);
    world.seq = ISS + 1 + 100;
    fin = segment(HAND_FIN | HAND_ACK);
    hand_send_tcp(&world.host, &fin);
    run_ms(1);
    CHECK_EQ(world.closed_orderly, 1);
    CHECK_EQ(world.received_bytes, 100);
    do {
        answer = expect_tcp();
        CHECK_EQ(answer.ack, ISS + 1 + 100 + 1);
    } while ((answer.flags & HAND_FIN) == 0);
    CHECK_EQ(answer.seq, world.ack);
    world.seq++;
    world.ack++;
    fin = segment(HAND_ACK);
    hand_send_tcp(&world.host, &fin);
    run_ms(5000);
    CHECK_EQ(hand_waiting(&world.host), 0);  // it does not repeat its FIN: it has our ACK
    CHECK_EQ(world.closed_by_reset, 0);
    world_close();
}

TEST(our_reset_ends_the_connection) {
    struct hand_segment reset;

    world_open();
    connect_plain();
    send_data(0, 100);
    world.seq = ISS + 1 + 100;
    reset = segment(HAND_RST | HAND_ACK);
    hand_send_tcp(&world.host, &reset);
    run_ms(1);
    CHECK_EQ(world.closed_by_reset, 1);
    CHECK_EQ(world.closed_orderly, 0);
    world_close();
}

TEST(a_connection_can_follow_another) {
    struct hand_segment reset;

    world_open();
    connect_plain();
    reset = segment(HAND_RST | HAND_ACK);
    hand_send_tcp(&world.host, &reset);
    run_ms(1);
    CHECK_EQ(send_syn(syn_with_sack()).flags, HAND_SYN | HAND_ACK);
    world_close();
}

TEST(a_closed_port_answers_with_a_reset) {
    struct hand_segment syn = syn_with_sack();
    struct hand_segment answer;

    world_open();
    syn.target_port = PORT + 1;
    answer = send_syn(syn);
    CHECK((answer.flags & HAND_RST) != 0);
    CHECK_EQ(answer.ack, ISS + 1);
    world_close();
}

TEST(a_peer_that_refuses_answers_with_a_reset) {
    struct twin_peer_config config = peer_config();

    config.refuse = true;
    world_open_with(config);
    CHECK((send_syn(syn_with_sack()).flags & HAND_RST) != 0);
    CHECK_EQ(counters().connections, 0);
    world_close();
}

TEST(a_silent_peer_answers_arp_and_nothing_else) {
    struct twin_peer_config config = peer_config();
    struct hand_segment syn = syn_with_sack();

    config.silent = true;
    world_open_with(config);
    hand_send_arp(&world.host, PEER_IP);
    run_ms(1);
    CHECK_EQ(hand_waiting(&world.host), 1);
    hand_drop_all(&world.host);
    hand_send_tcp(&world.host, &syn);
    hand_send_ping(&world.host, 1, 8);
    run_ms(2000);
    CHECK_EQ(hand_waiting(&world.host), 0);
    world_close();
}

// Fills the window of a peer that does not read, two segments at a time; returns how many bytes.
static uint32_t fill_window(uint32_t window) {
    uint32_t sent = 0;

    while (sent < window) {
        uint32_t size_bytes = window - sent < MSS ? window - sent : MSS;
        send_data(sent, size_bytes);
        sent += size_bytes;
        run_ms(1);
    }
    run_ms(300);
    return sent;
}

TEST(the_window_closes_when_the_peer_does_not_read_and_opens_again) {
    struct hand_segment ack = {0};
    uint32_t sent;

    world_open();
    connect_plain();
    twin_peer_set_reading(world.peer, false);
    sent = fill_window(65535);
    while (hand_waiting(&world.host) != 0) {
        ack = expect_tcp();
        CHECK_EQ(ack.ack + ack.window, ISS + 1 + 65535);  // the right edge never moves
    }
    CHECK_EQ(ack.window, 0);
    CHECK_EQ(world.received_bytes, 0);
    // A probe of one byte beyond the window is answered, not taken.
    send_data(sent, 1);
    run_ms(1);
    ack = expect_tcp();
    CHECK_EQ(ack.ack, ISS + 1 + sent);
    CHECK_EQ(ack.window, 0);
    twin_peer_set_reading(world.peer, true);
    run_ms(1);
    ack = expect_tcp();
    CHECK_EQ(ack.window, 65535);
    CHECK_EQ(hand_waiting(&world.host), 0);
    CHECK_EQ(world.received_bytes, 65535);
    CHECK(world.received_hash == stream_hash(65535));
    send_data(sent, 1);
    run_ms(300);
    CHECK_EQ(world.received_bytes, 65536);
    world_close();
}

TEST(a_fin_behind_unread_data_waits_for_the_reader) {
    struct hand_segment fin;

    world_open();
    connect_plain();
    twin_peer_set_reading(world.peer, false);
    send_data(0, 1000);
    world.seq = ISS + 1 + 1000;
    fin = segment(HAND_FIN | HAND_ACK);
    hand_send_tcp(&world.host, &fin);
    run_ms(300);
    CHECK_EQ(world.closed_orderly, 0);
    CHECK_EQ(world.received_bytes, 0);
    hand_drop_all(&world.host);
    twin_peer_set_reading(world.peer, true);
    run_ms(1);
    CHECK_EQ(world.received_bytes, 1000);
    CHECK_EQ(world.closed_orderly, 1);
    CHECK((expect_tcp().flags & HAND_FIN) != 0);
    world_close();
}

TEST(what_is_unread_at_the_end_leaks_nothing) {
    world_open();
    connect_plain();
    twin_peer_set_reading(world.peer, false);
    for (uint32_t i = 0; i < 10; i++) {
        send_data(i * MSS, MSS);
        send_data((20 + 2 * i) * MSS, MSS);  // and some out of order
    }
    run_ms(1);
    CHECK(twin_frames_out(world.frames) >= 20);
    world_close();  // checks that every frame came back
}

TEST(the_reader_may_stop_in_the_middle) {
    world_open();
    connect_plain();
    twin_peer_set_reading(world.peer, false);
    fill_window(10 * MSS);
    hand_drop_all(&world.host);
    world.stop_after_bytes = 3 * MSS;
    twin_peer_set_reading(world.peer, true);
    CHECK_EQ(world.received_bytes, 4 * MSS);
    send_data(10 * MSS, MSS);
    run_ms(300);
    CHECK_EQ(world.received_bytes, 4 * MSS);
    world.stop_after_bytes = 0;
    twin_peer_set_reading(world.peer, true);
    run_ms(300);
    CHECK_EQ(world.received_bytes, 11 * MSS);
    CHECK(world.received_hash == stream_hash(11 * MSS));
    CHECK_EQ(counters().tcp_bytes, 11 * MSS);
    world_close();
}

TEST(connections_at_the_same_time_are_told_apart) {
    struct hand_segment other = syn_with_sack();
    struct hand_segment answer;

    world_open();
    connect_plain();
    other.source_port = OUR_PORT + 1;
    other.flags = HAND_SYN;
    other.seq = 77;
    hand_send_tcp(&world.host, &other);
    run_ms(1);
    answer = expect_tcp();
    CHECK_EQ(answer.target_port, OUR_PORT + 1);
    other = segment(HAND_ACK);
    other.source_port = OUR_PORT + 1;
    other.seq = 78;
    other.ack = answer.seq + 1;
    other.payload = stream;
    other.payload_bytes = 10;
    hand_send_tcp(&world.host, &other);
    send_data(0, 5);
    other.seq = 88;
    other.flags = HAND_FIN | HAND_ACK;
    other.payload_bytes = 0;
    hand_send_tcp(&world.host, &other);
    run_ms(1);
    CHECK_EQ(counters().connections, 2);
    CHECK_EQ(world.received_bytes, 15);
    CHECK_EQ(world.closed_orderly, 1);
    send_data(5, 5);
    run_ms(1);
    CHECK_EQ(world.received_bytes, 20);
    world_close();
}

TEST(a_connection_with_a_scaled_window_closes_orderly) {
    struct twin_peer_config config = peer_config();
    struct hand_segment syn = syn_with_sack();
    struct hand_segment fin;
    struct hand_segment answer;

    config.receive_window = 200000;
    syn.scale = true;
    world_open_with(config);
    connect_with(syn);
    send_data(0, 1000);
    world.seq = ISS + 1 + 1000;
    fin = segment(HAND_FIN | HAND_ACK);
    hand_send_tcp(&world.host, &fin);
    run_ms(1);
    do {
        answer = expect_tcp();
        CHECK((answer.flags & HAND_RST) == 0);
    } while ((answer.flags & HAND_FIN) == 0);
    CHECK_EQ(world.closed_orderly, 1);
    world_close();
}

TEST(a_datagram_in_fragments_is_put_together) {
    uint8_t datagram[8 + 2000];

    world_open();
    meet();
    hand_put16(datagram, OUR_PORT);
    hand_put16(datagram + 2, PORT);
    hand_put16(datagram + 4, sizeof(datagram));
    hand_put16(datagram + 6, 0);  // none: allowed in IPv4
    memcpy(datagram + 8, stream, 2000);
    for (uint32_t offset = 0; offset < sizeof(datagram); offset += 1000) {
        uint32_t left = (uint32_t)sizeof(datagram) - offset;
        uint32_t size_bytes = left < 1000 ? left : 1000;
        struct twin_frame *frame = hand_ipv4(&world.host, 17, size_bytes);
        uint8_t *ip = frame->data + 14;
        hand_put16(ip + 6, (left > 1000 ? 0x2000u : 0u) | offset / 8);
        hand_put16(ip + 10, 0);
        hand_put16(ip + 10, hand_fold(hand_sum(ip, 20, 0)));
        memcpy(ip + 20, datagram + offset, size_bytes);
        hand_send(&world.host, frame);
    }
    run_ms(1);
    CHECK_EQ(counters().udp_datagrams, 1);
    CHECK_EQ(world.received_bytes, 2000);
    CHECK(world.received_hash == stream_hash(2000));
    world_close();
}

TEST(its_timers_survive_the_wrap_of_lwips_clock) {
    uint64_t wrap_ns = ((uint64_t)1 << 32) * 1000000u;

    world_open_at(wrap_ns - 50000000u, peer_config());
    connect_plain();
    run_ms(40);
    CHECK(twin_now_ns(world.sim) < wrap_ns);
    send_data(0, 100);
    run_ms(260);
    CHECK(twin_now_ns(world.sim) > wrap_ns);
    CHECK_EQ(expect_tcp().ack, ISS + 1 + 100);
    // And it does not spin: a few timers a second, no more.
    CHECK(twin_events_run(world.sim) < 100);
    run_ms(10000);
    CHECK(twin_events_run(world.sim) < 300);
    world_close();
}

// ---- one world after another

// Everything the peer sends in a busy little world, with the times.
static uint64_t life_hash(void) {
    uint64_t hash = 0;
    uint64_t at_ns;
    struct twin_frame *frame;

    world_open();
    hand_send_ping(&world.host, 1, 100);
    run_ms(1500);
    world.seq = ISS;
    hand_send_tcp(
        &world.host,
        &(struct hand_segment){
            .source_port = OUR_PORT,
            .target_port = PORT,
            .seq = ISS,
            .flags = HAND_SYN,
            .window = WINDOW,
            .sack_ok = true,
        });
    run_ms(1);
    while ((frame = hand_next(&world.host, &at_ns)) != NULL) {
        if (hand_is_ipv4(&world.host, frame, 6)) {
            world.ack = hand_get32(frame->data + 38) + 1;
        }
        for (uint32_t i = 0; i < frame->size_bytes; i++) {
            hash = (hash ^ frame->data[i]) * 0x100000001B3u;
        }
        hash = (hash ^ at_ns) * 0x100000001B3u;
        hand_done(&world.host, frame);
    }
    // Our ARP answer never comes: what was queued for us stays queued until the world ends.
    hand_send_arp(&world.host, PEER_IP);
    run_ms(7);
    send_data(0, 700);
    send_data(5000, 700);
    run_ms(5000);
    while ((frame = hand_next(&world.host, &at_ns)) != NULL) {
        for (uint32_t i = 0; i < frame->size_bytes; i++) {
            hash = (hash ^ frame->data[i]) * 0x100000001B3u;
        }
        hash = (hash ^ at_ns) * 0x100000001B3u;
        hand_done(&world.host, frame);
    }
    world_close();
    return hash;
}

TEST(a_world_does_not_depend_on_the_one_before) {
    struct twin_peer_config config = peer_config();
    uint64_t alone = life_hash();

    CHECK(life_hash() == alone);
    // A world with another window that ends in the middle of everything.
    config.receive_window = 300000;
    world_open_with(config);
    connect_plain();
    twin_peer_set_reading(world.peer, false);
    send_data(3 * MSS, MSS);
    send_data(0, MSS);
    run_ms(3333);
    world_close();
    CHECK(life_hash() == alone);
}

TEST(there_is_one_peer_at_a_time) {
    struct twin_peer_config config = peer_config();

    world_open();
    config.sim = world.sim;
    config.frames = world.frames;
    config.wire = twin_wire_far(world.wire);
    CHECK(twin_peer_new(&config) == NULL);
    world_close();
}

TEST_MAIN(
    CASE(answers_arp_for_its_address_only),
    CASE(says_nothing_before_it_is_asked),
    CASE(answers_ping_with_the_same_bytes),
    CASE(asks_for_our_address_when_it_does_not_know_it),
    CASE(counts_datagrams_and_hands_them_over),
    CASE(a_datagram_to_a_closed_port_gets_port_unreachable),
    CASE(frames_it_cannot_take_are_dropped_and_counted),
    CASE(wrong_checksums_are_dropped_and_counted),
    CASE(the_handshake_offers_mss_sack_and_the_default_window),
    CASE(the_window_of_the_config_is_in_the_syn_ack),
    CASE(a_large_window_is_scaled_when_we_offer_it),
    CASE(a_large_window_is_cut_when_we_do_not_offer_scaling),
    CASE(every_second_segment_is_acknowledged_at_once),
    CASE(a_single_segment_is_acknowledged_after_the_delay),
    CASE(data_out_of_order_is_kept_and_reported_by_sack),
    CASE(a_duplicate_is_acknowledged_and_not_counted_twice),
    CASE(our_fin_is_answered_and_followed_by_its_own),
    CASE(our_reset_ends_the_connection),
    CASE(a_connection_can_follow_another),
    CASE(a_closed_port_answers_with_a_reset),
    CASE(a_peer_that_refuses_answers_with_a_reset),
    CASE(a_silent_peer_answers_arp_and_nothing_else),
    CASE(the_window_closes_when_the_peer_does_not_read_and_opens_again),
    CASE(a_fin_behind_unread_data_waits_for_the_reader),
    CASE(what_is_unread_at_the_end_leaks_nothing),
    CASE(the_reader_may_stop_in_the_middle),
    CASE(connections_at_the_same_time_are_told_apart),
    CASE(a_connection_with_a_scaled_window_closes_orderly),
    CASE(a_datagram_in_fragments_is_put_together),
    CASE(its_timers_survive_the_wrap_of_lwips_clock),
    CASE(a_world_does_not_depend_on_the_one_before),
    CASE(there_is_one_peer_at_a_time))
