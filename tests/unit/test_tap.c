// SPDX-License-Identifier: MIT
// ports/linux: frames over descriptors of datagrams, and the loop that waits for them. The TAP
// device itself needs a network namespace: tests/interop.
#include "loop.h"
#include "tap.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ADDRESS     0x0A000002u
#define NETMASK     0xFFFFFF00u
#define FRAMES      4096u
#define PIECE_BYTES 400u

// A source that sends numbered frames of a head and two pieces, and notes what it is told.
struct numbered {
    struct cor_frame_source source;
    uint32_t pulled;
    uint32_t limit;
    uint32_t sent;
    uint32_t last_token;
    uint32_t received;
    uint32_t last_size;
    uintptr_t misaligned;
    int link;  // +1 up, -1 down, the last one told
    uint8_t pieces[2][PIECE_BYTES];
};

static struct cor_tap tap;
static struct numbered numbered;
static int far_end;

static enum cor_status numbered_pull(
    struct cor_frame_source *source, uint64_t now_us, struct cor_frame_tx *tx) {
    struct numbered *self = (struct numbered *)source;

    (void)now_us;
    CHECK_EQ((uintptr_t)tx->head % 4, 2);
    CHECK(tx->head_room_bytes >= COR_FRAME_HEAD_BYTES_MAX);
    if (self->pulled == self->limit) {
        return COR_AGAIN;
    }
    memset(tx->head, 0x11, 60);
    memcpy(tx->head, &self->pulled, sizeof(self->pulled));
    tx->head_bytes = 60;
    tx->piece_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        tx->pieces[i] = (struct cor_span){self->pieces[i], PIECE_BYTES};
    }
    tx->token = ++self->pulled;
    return COR_OK;
}

static void numbered_sent(struct cor_frame_source *source, uint64_t now_us, uint32_t token) {
    struct numbered *self = (struct numbered *)source;

    (void)now_us;
    self->sent++;
    self->last_token = token;
}

static uint32_t numbered_input(
    struct cor_frame_source *source, uint64_t now_us, uint8_t *frame, uint32_t size_bytes) {
    struct numbered *self = (struct numbered *)source;

    (void)now_us;
    self->received++;
    self->last_size = size_bytes;
    self->misaligned |= ((uintptr_t)frame % 4) ^ 2;
    return size_bytes / 2;
}

static void numbered_link(struct cor_frame_source *source, uint64_t now_us, bool up) {
    struct numbered *self = (struct numbered *)source;

    (void)now_us;
    self->link = up ? 1 : -1;
}

static const struct cor_frame_source_ops numbered_ops = {
    .pull = numbered_pull,
    .sent = numbered_sent,
    .input = numbered_input,
    .link = numbered_link,
};

static void begin(int type, uint32_t limit) {
    int ends[2];

    if (far_end > 0) {
        close(far_end);
    }
    cor_tap_close(&tap, 0);
    memset(&numbered, 0, sizeof(numbered));
    numbered.source.ops = &numbered_ops;
    numbered.limit = limit;
    memset(numbered.pieces[0], 0xA0, PIECE_BYTES);
    memset(numbered.pieces[1], 0xB1, PIECE_BYTES);
    CHECK_EQ(socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, ends), 0);
    far_end = ends[1];
    CHECK_EQ(cor_tap_attach(&tap, ends[0], &numbered.source), 0);
    CHECK_EQ(numbered.link, 0);
    cor_tap_start(&tap, 1);
    CHECK_EQ(numbered.link, 1);
}

// Reads one frame at the far end; returns its number, -1 when there is none.
static int64_t read_number(void) {
    uint8_t frame[2000];
    uint32_t number;
    ssize_t size = read(far_end, frame, sizeof(frame));

    if (size < 0) {
        return -1;
    }
    CHECK_EQ(size, 60 + 2 * PIECE_BYTES);
    memcpy(&number, frame, sizeof(number));
    CHECK_EQ(frame[59], 0x11);
    CHECK_EQ(frame[60], 0xA0);
    CHECK_EQ(frame[60 + PIECE_BYTES - 1], 0xA0);
    CHECK_EQ(frame[60 + PIECE_BYTES], 0xB1);
    return number;
}

TEST(a_frame_is_its_head_and_its_pieces_in_one_datagram) {
    begin(SOCK_SEQPACKET, 1);
    CHECK_EQ(cor_tap_send(&tap, 5), 1);
    CHECK_EQ(read_number(), 0);
    CHECK_EQ(read_number(), -1);
    CHECK_EQ(numbered.sent, 1);
    CHECK_EQ(numbered.last_token, 1);
    CHECK_EQ(tap.counters.bytes_sent, 60 + 2 * PIECE_BYTES);
}

TEST(one_call_sends_a_bounded_number_of_frames) {
    begin(SOCK_SEQPACKET, FRAMES);
    uint32_t count = cor_tap_send(&tap, 5);
    CHECK(count > 0 && count <= COR_TAP_FRAMES_MAX);
}

// The queue of the socket fills; nothing is lost, doubled or reordered, and no frame beyond the one
// kept is pulled meanwhile.
static void fill_and_drain(int type) {
    uint32_t expected = 0;

    begin(type, FRAMES);
    while (expected < FRAMES) {
        while (cor_tap_send(&tap, 5) > 0) {
        }
        CHECK_EQ(numbered.pulled, numbered.sent + tap.frame_kept);
        for (int64_t number = read_number(); number >= 0; number = read_number()) {
            CHECK_EQ(number, expected);
            expected++;
        }
    }
    CHECK(tap.counters.send_waits > 0);
    CHECK_EQ(tap.frame_kept, false);
    CHECK_EQ(tap.counters.frames_sent, FRAMES);
    CHECK_EQ(tap.counters.drop_send_error, 0);
}

TEST(a_full_socket_loses_no_frame) {
    fill_and_drain(SOCK_SEQPACKET);
}

TEST(a_full_datagram_socket_loses_no_frame) {
    fill_and_drain(SOCK_DGRAM);
}

TEST(received_frames_lie_at_2_modulo_4) {
    static const uint8_t frame[COR_FRAME_BYTES_MAX];

    begin(SOCK_SEQPACKET, 0);
    CHECK_EQ(write(far_end, frame, 60), 60);
    CHECK_EQ(write(far_end, frame, sizeof(frame)), sizeof(frame));
    CHECK_EQ(cor_tap_receive(&tap, 5), 2);
    CHECK_EQ(numbered.received, 2);
    CHECK_EQ(numbered.last_size, COR_FRAME_BYTES_MAX);
    CHECK_EQ(numbered.misaligned, 0);
    CHECK_EQ(tap.counters.bytes_received, 60 + COR_FRAME_BYTES_MAX);
    CHECK_EQ(tap.counters.payload_received, 30 + COR_FRAME_BYTES_MAX / 2);
}

TEST(a_frame_longer_than_ethernet_is_dropped_and_counted) {
    static const uint8_t frame[9000];

    begin(SOCK_SEQPACKET, 0);
    CHECK_EQ(write(far_end, frame, COR_FRAME_BYTES_MAX + 1), COR_FRAME_BYTES_MAX + 1);
    CHECK_EQ(write(far_end, frame, sizeof(frame)), sizeof(frame));
    (void)cor_tap_receive(&tap, 5);
    CHECK_EQ(numbered.received, 0);
    CHECK_EQ(tap.counters.drop_receive_long, 2);
}

TEST(one_call_receives_a_bounded_number_of_frames) {
    static const uint8_t frame[60];
    uint32_t written = 0;

    begin(SOCK_SEQPACKET, 0);
    while (write(far_end, frame, sizeof(frame)) > 0) {
        written++;
    }
    CHECK(written > COR_TAP_FRAMES_MAX);
    CHECK_EQ(cor_tap_receive(&tap, 5), COR_TAP_FRAMES_MAX);
    CHECK_EQ(numbered.received, COR_TAP_FRAMES_MAX);
}

TEST(an_empty_datagram_is_a_frame_and_no_end) {
    begin(SOCK_DGRAM, 0);
    CHECK_EQ(write(far_end, "", 0), 0);
    CHECK_EQ(cor_tap_receive(&tap, 5), 1);
    CHECK_EQ(numbered.last_size, 0);
    CHECK_EQ(tap.gone, false);
}

TEST(a_far_end_that_closes_takes_the_link_down) {
    begin(SOCK_SEQPACKET, 0);
    close(far_end);
    far_end = 0;
    CHECK_EQ(cor_tap_receive(&tap, 5), 0);
    CHECK_EQ(tap.gone, true);
    CHECK_EQ(numbered.link, -1);
    CHECK_EQ(tap.counters.link_changes, 2);
}

TEST(a_frame_kept_when_the_far_end_closes_is_given_back_once) {
    begin(SOCK_SEQPACKET, FRAMES);
    while (cor_tap_send(&tap, 5) > 0) {
    }
    CHECK_EQ(tap.frame_kept, true);
    close(far_end);
    far_end = 0;
    CHECK_EQ(cor_tap_send(&tap, 6), 0);
    CHECK_EQ(tap.frame_kept, false);
    CHECK_EQ(numbered.sent, numbered.pulled);
    CHECK_EQ(numbered.last_token, numbered.pulled);
    CHECK_EQ(numbered.link, -1);
    CHECK_EQ(tap.counters.drop_send_link, 1);
}

TEST(closing_gives_the_kept_frame_back) {
    begin(SOCK_SEQPACKET, FRAMES);
    while (cor_tap_send(&tap, 5) > 0) {
    }
    cor_tap_close(&tap, 6);
    CHECK_EQ(numbered.sent, numbered.pulled);
}

TEST(a_stream_is_refused) {
    int ends[2];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    cor_tap_close(&tap, 0);
    CHECK_EQ(cor_tap_attach(&tap, ends[0], &numbered.source), EPROTOTYPE);
    close(ends[0]);
    close(ends[1]);
}

TEST(a_name_that_no_interface_can_have_is_refused) {
    int fd = -1;

    CHECK_EQ(cor_tap_device("a_name_of_sixteen", &fd), ENAMETOOLONG);
}

// --- The loop, with the stack ---

static struct cor_net net;

static void begin_net(void) {
    struct cor_net_config config = {
        .mac = {2, 0, 0, 0, 0, 2}, .address = ADDRESS, .netmask = NETMASK};
    int ends[2];

    if (far_end > 0) {
        close(far_end);
    }
    cor_tap_close(&tap, 0);
    CHECK_EQ(cor_linux_secret(config.secret), 0);
    cor_net_init(&net, &config, cor_linux_now_us());
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
    far_end = ends[1];
    CHECK_EQ(cor_tap_attach(&tap, ends[0], cor_net_frames(&net)), 0);
    cor_tap_start(&tap, cor_linux_now_us());
}

// An ARP request for our address, as 10.0.0.1 sends it.
static const uint8_t arp_request[42] = {
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0,  0, 0, 0, 1, 8, 6, 0, 1, 8, 0,  6, 4, 0,
    1,    2,    0,    0,    0,    0,    1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2};

TEST(an_arp_request_is_answered_through_the_loop) {
    uint8_t frame[2000];

    begin_net();
    CHECK_EQ(write(far_end, arp_request, sizeof(arp_request)), sizeof(arp_request));
    CHECK_EQ(cor_linux_poll(&tap, &net, COR_NET_NEVER, NULL, 0), COR_OK);
    CHECK_EQ(read(far_end, frame, sizeof(frame)), 42);  // the announcement
    CHECK_EQ(frame[21], 1);
    CHECK_EQ(read(far_end, frame, sizeof(frame)), 42);
    CHECK_EQ(frame[21], 2);
    CHECK_EQ(frame[31], 2);
}

TEST(the_wait_ends_at_the_deadline_and_not_before) {
    begin_net();
    uint64_t begin_us = cor_linux_now_us();
    CHECK_EQ(cor_linux_poll(&tap, &net, begin_us + 3000, NULL, 0), COR_OK);
    CHECK_BETWEEN(cor_linux_now_us() - begin_us, 3000, 1000000);
}

TEST(the_wait_ends_with_a_descriptor_of_the_caller) {
    int ends[2];

    begin_net();
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(write(ends[1], "x", 1), 1);
    struct pollfd more = {.fd = ends[0], .events = POLLIN};
    CHECK_EQ(cor_linux_poll(&tap, &net, COR_NET_NEVER, &more, 1), COR_OK);
    CHECK_EQ(more.revents, POLLIN);
    close(ends[0]);
    close(ends[1]);
}

TEST(the_loop_says_when_the_far_end_is_gone) {
    begin_net();
    close(far_end);
    far_end = 0;
    CHECK_EQ(cor_linux_poll(&tap, &net, COR_NET_NEVER, NULL, 0), COR_E_LINK_DOWN);
    CHECK_EQ(cor_linux_poll(&tap, &net, COR_NET_NEVER, NULL, 0), COR_E_LINK_DOWN);
}

TEST(a_hardware_address_is_unicast_and_local) {
    uint8_t mac[6];

    for (uint32_t i = 0; i < 64; i++) {
        CHECK_EQ(cor_linux_mac(mac), 0);
        CHECK_EQ(mac[0] & 3, 2);
    }
}

// The link of the first case begins from a closed device.
int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(a_frame_is_its_head_and_its_pieces_in_one_datagram),
        CASE(one_call_sends_a_bounded_number_of_frames),
        CASE(a_full_socket_loses_no_frame),
        CASE(a_full_datagram_socket_loses_no_frame),
        CASE(received_frames_lie_at_2_modulo_4),
        CASE(a_frame_longer_than_ethernet_is_dropped_and_counted),
        CASE(one_call_receives_a_bounded_number_of_frames),
        CASE(an_empty_datagram_is_a_frame_and_no_end),
        CASE(a_far_end_that_closes_takes_the_link_down),
        CASE(a_frame_kept_when_the_far_end_closes_is_given_back_once),
        CASE(closing_gives_the_kept_frame_back),
        CASE(a_stream_is_refused),
        CASE(a_name_that_no_interface_can_have_is_refused),
        CASE(an_arp_request_is_answered_through_the_loop),
        CASE(the_wait_ends_at_the_deadline_and_not_before),
        CASE(the_wait_ends_with_a_descriptor_of_the_caller),
        CASE(the_loop_says_when_the_far_end_is_gone),
        CASE(a_hardware_address_is_unicast_and_local),
    };

    tap.fd = -1;
    tap.link_fd = -1;
    return test_run(argv[0], argc > 1 ? argv[1] : NULL, cases, sizeof(cases) / sizeof(cases[0]));
}
