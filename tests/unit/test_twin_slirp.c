// SPDX-License-Identifier: MIT
// Uses sockets on the loopback of this machine, with ports that the kernel chooses.
#include "coradio_twin/peer.h"
#include "hand_host.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NETWORK  0x0A000200u  // 10.0.2.0
#define NETMASK  0xFFFFFF00u
#define GATEWAY  0x0A000202u
#define BOARD_IP 0x0A000207u
#define OUR_PORT 40000u
#define ISS      5000u
#define WAIT_MS  5000u

static struct {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_slirp *slirp;
    struct hand_host host;
    uint64_t start_ns;  // wall clock
    int listener;
    int socket;
} world;

static uint64_t wall_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// One round of what the run tool does: time follows the wall clock, sockets are served.
static void turn(void) {
    twin_run_until(world.sim, wall_ns() - world.start_ns);
    twin_slirp_poll(world.slirp, 5);
}

static bool wait_for_frame(void) {
    uint64_t until_ns = wall_ns() + WAIT_MS * 1000000u;

    while (hand_waiting(&world.host) == 0 && wall_ns() < until_ns) {
        turn();
    }
    return hand_waiting(&world.host) != 0;
}

static ssize_t wait_for_bytes(int socket, void *buffer, size_t size_bytes) {
    uint64_t until_ns = wall_ns() + WAIT_MS * 1000000u;
    ssize_t got;

    do {
        turn();
        got = recv(socket, buffer, size_bytes, MSG_DONTWAIT);
    } while (got < 0 && errno == EAGAIN && wall_ns() < until_ns);
    return got;
}

static void world_open(void) {
    struct twin_frame *frame;

    memset(&world, 0, sizeof(world));
    world.listener = world.socket = -1;
    world.start_ns = wall_ns();
    world.sim = twin_sim_new(1, 0);
    world.frames = twin_frames_new();
    world.host.sim = world.sim;
    world.host.frames = world.frames;
    world.host.ip = BOARD_IP;
    world.host.peer_ip = GATEWAY;
    memcpy(world.host.mac, (const uint8_t[]){2, 0, 0, 0, 0, 9}, 6);
    world.slirp = twin_slirp_new(&(struct twin_slirp_config){
        .sim = world.sim,
        .frames = world.frames,
        .wire = hand_port(&world.host),
        .network = NETWORK,
        .netmask = NETMASK,
        .gateway = GATEWAY,
    });
    CHECK(world.slirp != NULL);
    world.host.out = twin_slirp_port(world.slirp);
    hand_send_arp(&world.host, GATEWAY);
    CHECK(wait_for_frame());
    frame = hand_next(&world.host, NULL);
    CHECK_EQ(hand_get16(frame->data + 12), 0x0806);
    CHECK_EQ(hand_get32(frame->data + 28), GATEWAY);
    memcpy(world.host.peer_mac, frame->data + 22, 6);
    hand_done(&world.host, frame);
}

static void world_close(void) {
    CHECK_EQ(world.host.bad_checksums, 0);
    hand_drop_all(&world.host);
    twin_slirp_free(world.slirp);
    CHECK_EQ(twin_frames_out(world.frames), 0);
    twin_frames_free(world.frames);
    twin_sim_free(world.sim);
    if (world.listener >= 0) {
        close(world.listener);
    }
    if (world.socket >= 0) {
        close(world.socket);
    }
}

// A socket on the loopback; returns its port.
static uint16_t bind_loopback(int type, int *out) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size_bytes = sizeof(address);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *out = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    CHECK(*out >= 0);
    CHECK_EQ(bind(*out, (const struct sockaddr *)&address, sizeof(address)), 0);
    CHECK_EQ(getsockname(*out, (struct sockaddr *)&address, &size_bytes), 0);
    return ntohs(address.sin_port);
}

TEST(datagrams_reach_a_socket_on_the_loopback_and_answers_come_back) {
    struct sockaddr_in from;
    socklen_t from_bytes = sizeof(from);
    struct twin_frame *frame;
    uint8_t buffer[64];
    uint64_t until_ns;
    ssize_t got;
    uint16_t port;

    world_open();
    port = bind_loopback(SOCK_DGRAM, &world.socket);
    hand_send_udp(&world.host, OUR_PORT, port, "a datagram", 10);
    until_ns = wall_ns() + WAIT_MS * 1000000u;
    do {
        turn();
        got = recvfrom(
            world.socket, buffer, sizeof(buffer), 0, (struct sockaddr *)&from, &from_bytes);
    } while (got < 0 && wall_ns() < until_ns);
    CHECK_EQ(got, 10);
    CHECK_BYTES(buffer, "a datagram", 10);
    CHECK_EQ(sendto(world.socket, "back", 4, 0, (const struct sockaddr *)&from, from_bytes), 4);
    CHECK(wait_for_frame());
    frame = hand_next(&world.host, NULL);
    CHECK(hand_is_ipv4(&world.host, frame, 17));
    CHECK_EQ(hand_get32(frame->data + 26), GATEWAY);
    CHECK_EQ(hand_get32(frame->data + 30), BOARD_IP);
    CHECK_EQ(hand_get16(frame->data + 34), port);
    CHECK_EQ(hand_get16(frame->data + 36), OUR_PORT);
    CHECK_BYTES(frame->data + 42, "back", 4);
    hand_done(&world.host, frame);
    world_close();
}

static struct hand_segment segment(uint16_t port, uint8_t flags, uint32_t seq, uint32_t ack) {
    return (struct hand_segment){
        .source_port = OUR_PORT,
        .target_port = port,
        .seq = seq,
        .ack = ack,
        .flags = flags,
        .window = 65535,
        .mss = (flags & HAND_SYN) != 0 ? 1460 : 0,
    };
}

static void send_segment(
    uint16_t port, uint8_t flags, uint32_t seq, uint32_t ack, const char *text) {
    struct hand_segment out = segment(port, flags, seq, ack);

    out.payload = (const uint8_t *)text;
    out.payload_bytes = (uint32_t)strlen(text);
    hand_send_tcp(&world.host, &out);
}

static struct hand_segment expect_tcp(void) {
    struct hand_segment answer;

    CHECK(wait_for_frame());
    CHECK(hand_receive_tcp(&world.host, &answer));
    return answer;
}

TEST(a_connection_reaches_the_kernel_both_ways_and_closes) {
    struct hand_segment answer;
    uint8_t buffer[64];
    uint16_t port;

    world_open();
    port = bind_loopback(SOCK_STREAM, &world.listener);
    CHECK_EQ(listen(world.listener, 1), 0);
    send_segment(port, HAND_SYN, ISS, 0, "");
    answer = expect_tcp();
    CHECK_EQ(answer.flags, HAND_SYN | HAND_ACK);
    CHECK_EQ(answer.ack, ISS + 1);
    send_segment(port, HAND_ACK, ISS + 1, answer.seq + 1, "");
    send_segment(port, HAND_ACK | HAND_PSH, ISS + 1, answer.seq + 1, "hello kernel");
    world.socket = accept(world.listener, NULL, NULL);
    CHECK(world.socket >= 0);
    CHECK_EQ(wait_for_bytes(world.socket, buffer, sizeof(buffer)), 12);
    CHECK_BYTES(buffer, "hello kernel", 12);
    CHECK_EQ(send(world.socket, "hello board", 11, 0), 11);
    do {
        answer = expect_tcp();
        CHECK_EQ(answer.ack, ISS + 1 + 12);
    } while (answer.payload_bytes == 0);
    CHECK_EQ(answer.payload_bytes, 11);
    send_segment(port, HAND_FIN | HAND_ACK, ISS + 1 + 12, answer.seq + 11, "");
    CHECK_EQ(wait_for_bytes(world.socket, buffer, sizeof(buffer)), 0);
    do {
        answer = expect_tcp();
    } while (answer.ack != ISS + 1 + 12 + 1);
    world_close();
}

TEST(a_port_where_nobody_listens_answers_with_a_reset) {
    struct hand_segment answer;
    uint16_t port;

    world_open();
    port = bind_loopback(SOCK_STREAM, &world.socket);
    close(world.socket);
    world.socket = -1;
    send_segment(port, HAND_SYN, ISS, 0, "");
    answer = expect_tcp();
    CHECK((answer.flags & HAND_RST) != 0);
    CHECK_EQ(answer.ack, ISS + 1);
    world_close();
}

TEST(the_gateway_answers_ping) {
    struct twin_frame *frame;

    world_open();
    hand_send_ping(&world.host, 9, 56);
    CHECK(wait_for_frame());
    frame = hand_next(&world.host, NULL);
    CHECK(hand_is_ipv4(&world.host, frame, 1));
    CHECK_EQ(frame->data[34], 0);
    CHECK_EQ(hand_get16(frame->data + 40), 9);
    hand_done(&world.host, frame);
    world_close();
}

TEST(frames_are_counted_both_ways) {
    struct twin_slirp_counters counters;

    world_open();
    twin_slirp_get_counters(world.slirp, &counters);
    CHECK_EQ(counters.frames_in, 1);
    CHECK_EQ(counters.frames_out, 1);
    CHECK_EQ(counters.oversize, 0);
    world_close();
}

TEST(a_broken_frame_harms_nobody) {
    struct twin_frame *frame;

    world_open();
    for (uint32_t size_bytes = 0; size_bytes < 60; size_bytes++) {
        frame = hand_ipv4(&world.host, 6, 40);
        frame->size_bytes = size_bytes;
        hand_send(&world.host, frame);
    }
    turn();
    hand_drop_all(&world.host);
    hand_send_ping(&world.host, 9, 56);
    CHECK(wait_for_frame());
    world_close();
}

TEST_MAIN(
    CASE(datagrams_reach_a_socket_on_the_loopback_and_answers_come_back),
    CASE(a_connection_reaches_the_kernel_both_ways_and_closes),
    CASE(a_port_where_nobody_listens_answers_with_a_reset),
    CASE(the_gateway_answers_ping),
    CASE(frames_are_counted_both_ways),
    CASE(a_broken_frame_harms_nobody))
