// SPDX-License-Identifier: MIT
// Both ways, segment by segment: closing for good, crossed SYNs, keep-alive, and what an
// application is told.
#include "tcp_server.h"

// --- Closing both ways (RFC 9293 SHLD-3) ---

TEST(finish_with_unread_data_resets) {
    struct server *s = LISTENING();
    struct cor_tcp *tcp = accepted(s, 4000);

    quiet(s);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 1, .len = 10);
    CHECK_EQ(cor_tcp_finish(tcp, s->h.now_us), COR_OK);
    EXPECT_TO(s, 4000, .flags = RST | ACK, .seq = 1, .ack = 11);
    CHECK_EQ(cor_tcp_error(tcp), COR_E_ABORTED);
}

TEST(data_after_finish_is_reset) {
    struct server *s = LISTENING();
    struct cor_tcp *tcp = accepted(s, 4000);

    quiet(s);
    CHECK_EQ(cor_tcp_finish(tcp, s->h.now_us), COR_OK);
    EXPECT_TO(s, 4000, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 2, .len = 10);
    EXPECT_TO(s, 4000, .flags = RST | ACK, .seq = 2, .ack = 1);
    CHECK_EQ(cor_tcp_state(tcp), COR_TCP_CLOSED);
}

TEST(data_after_close_is_read) {
    struct server *s = LISTENING();
    struct cor_tcp *tcp = accepted(s, 4000);

    quiet(s);
    CHECK_EQ(cor_tcp_close(tcp, s->h.now_us), COR_OK);
    EXPECT_TO(s, 4000, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 2, .len = 10);
    CHECK_EQ(cor_tcp_readable_bytes(tcp), 10);
    SEND_FROM(s, 4000, .flags = ACK | FIN, .seq = 11, .ack = 2, .len = 10);
    EXPECT_TO(s, 4000, .flags = ACK, .seq = 2, .ack = 22);
    // It is still there when the waiting is over.
    after(&s->h, 61 * SECOND);
    CHECK_EQ(cor_tcp_state(tcp), COR_TCP_CLOSED);
    uint8_t into[64];
    CHECK_EQ(cor_tcp_read(tcp, into, sizeof(into), s->h.now_us), 20);
    CHECK_EQ(cor_tcp_read(tcp, into, sizeof(into), s->h.now_us), COR_E_CLOSED);
}

// --- Simultaneous open (RFC 9293 MUST-10, MUST-11) ---

TEST(both_sides_open_at_once) {
    struct host *h = &s_.h;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_connect(h, &config);
    SEND(h, .flags = SYN, .seq = 0);
    EXPECT(h, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND(h, .flags = SYN | ACK, .seq = 0, .ack = 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
}

TEST(a_reset_of_a_crossed_open_is_told) {
    struct host *h = &s_.h;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_connect(h, &config);
    SEND(h, .flags = SYN, .seq = 0);
    EXPECT(h, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND(h, .flags = RST, .seq = 1);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_REFUSED);
}

// --- Keep-alive (RFC 9293 MUST-24 to 29, SHLD-12) ---

static struct host *alive(bool on) {
    struct host *h = &s_.h;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.keepalive = on;
    config.keepalive_count = 3;
    config.keepalive_gap_us = 10 * SECOND;
    config.keepalive_idle_us = 100 * SECOND;
    start_open(h, &config, SYN_ACK());
    return h;
}

// In so long a time the peer's hardware address is asked for again.
static void expect_no_segment(struct host *h) {
    while (pull(h)) {
        CHECK_EQ(get16(h->frame + 12), 0x0806);
        answer_arp(h);
    }
}

TEST(keep_alive_is_off_by_default) {
    struct host *h = alive(false);

    after(h, 100000 * SECOND);
    expect_no_segment(h);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
}

TEST(by_default_it_waits_two_hours) {
    struct host *h = &s_.h;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.keepalive = true;
    start_open(h, &config, SYN_ACK());
    after(h, 7199 * SECOND);
    expect_no_segment(h);
    after(h, 1 * SECOND);
    EXPECT(h, .flags = ACK, .seq = 0, .ack = 1);
}

TEST(a_silent_peer_is_probed_and_then_given_up) {
    struct host *h = alive(true);

    for (uint32_t i = 0; i < 3; i++) {
        after(h, (i == 0 ? 99 : 9) * SECOND);
        expect_nothing(h);
        after(h, 1 * SECOND);
        EXPECT(h, .flags = ACK, .seq = 0, .ack = 1);
    }
    after(h, 10 * SECOND);
    EXPECT(h, .flags = RST | ACK, .seq = 1, .ack = 1);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_TIMEOUT);
}

TEST(an_answer_starts_the_silence_again) {
    struct host *h = alive(true);

    after(h, 100 * SECOND);
    EXPECT(h, .flags = ACK, .seq = 0, .ack = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1);
    after(h, 99 * SECOND);
    expect_nothing(h);
    after(h, 1 * SECOND);
    EXPECT(h, .flags = ACK, .seq = 0, .ack = 1);
    CHECK_EQ(h->tcp.counters.keepalives, 2);
}

// MUST-26: not while data is under way, which has a time-out of its own.
TEST(data_in_flight_is_not_kept_alive) {
    struct host *h = alive(true);

    after(h, 99 * SECOND);
    (void)fill(h, 100);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    after(h, 60 * SECOND);
    CHECK_EQ(h->tcp.counters.keepalives, 0);
}

// --- Events ---

static void tell(void *context, struct cor_tcp *tcp, uint32_t events) {
    struct server *s = context;

    s->told = tcp;
    s->told_events |= events;
    s->told_count++;
}

static void accept_one(void *context, struct cor_tcp *tcp) {
    struct server *s = context;

    s->told = tcp;
    CHECK_EQ(cor_tcp_state(tcp), COR_TCP_ESTABLISHED);
}

TEST(the_accept_callback_gets_the_connection) {
    struct server *s = LISTENING(.accept = accept_one, .context = &s_);

    shake_hands(s, 4000);
    CHECK(s->told == NULL);  // never from within a frame
    (void)cor_net_poll(&s->h.net, s->h.now_us);
    CHECK(s->told != NULL);
    CHECK_EQ(s->told->slot, COR_TCP_SLOT_TAKEN);
    CHECK_EQ(s->listener.counters.accepted, 1);
}

TEST(events_say_what_happened) {
    struct server *s = &s_;
    struct host *h = &s->h;

    memset(s, 0, sizeof(*s));
    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.receive_ring = s->receive_rings[0];
    config.receive_ring_bytes = RING;
    config.event = tell;
    config.context = s;
    start_connect(h, &config);
    (void)send_segment(h, SYN_ACK());
    (void)cor_net_poll(&h->net, h->now_us);
    CHECK_EQ(s->told_events, COR_TCP_EVENT_OPENED);
    quiet(s);
    s->told_events = 0;
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 10);
    SEND(h, .flags = ACK, .seq = 11, .ack = 1, .len = 10);
    CHECK_EQ(s->told_events, 0);
    (void)cor_net_poll(&h->net, h->now_us);
    CHECK_EQ(s->told_events, COR_TCP_EVENT_READABLE);
    CHECK_EQ(s->told_count, 2);
    (void)fill(h, 100);
    quiet(s);
    SEND(h, .flags = ACK, .seq = 21, .ack = 101);
    SEND(h, .flags = ACK | FIN, .seq = 21, .ack = 101);
    (void)cor_net_poll(&h->net, h->now_us);
    CHECK_EQ(s->told_events & COR_TCP_EVENT_WRITABLE, COR_TCP_EVENT_WRITABLE);
    CHECK_EQ(s->told_events & COR_TCP_EVENT_PEER_CLOSED, COR_TCP_EVENT_PEER_CLOSED);
    SEND(h, .flags = RST, .seq = 22);
    (void)cor_net_poll(&h->net, h->now_us);
    CHECK_EQ(s->told_events & COR_TCP_EVENT_CLOSED, COR_TCP_EVENT_CLOSED);
}

TEST(events_can_be_polled) {
    struct server *s = LISTENING();
    struct cor_tcp *tcp = accepted(s, 4000);

    CHECK_EQ(cor_tcp_take_events(tcp), COR_TCP_EVENT_OPENED);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 1, .len = 10);
    CHECK_EQ(cor_tcp_take_events(tcp), COR_TCP_EVENT_READABLE);
    CHECK_EQ(cor_tcp_take_events(tcp), 0);
}

static void release_now(void *context, struct cor_tcp *tcp, uint32_t events) {
    struct server *s = context;

    s->told_events |= events;
    if ((events & COR_TCP_EVENT_PEER_CLOSED) != 0) {
        CHECK_EQ(cor_tcp_release(tcp, s->h.now_us), COR_OK);
    }
}

TEST(a_block_may_be_released_from_its_callback) {
    struct server *s = &s_;
    struct host *h = &s->h;

    memset(s, 0, sizeof(*s));
    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.event = release_now;
    config.context = s;
    start_connect(h, &config);
    (void)send_segment(h, SYN_ACK());
    quiet(s);
    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    (void)cor_net_poll(&h->net, h->now_us);
    CHECK_EQ(h->net.socket_count, 0);
    EXPECT(h, .flags = RST | ACK, .seq = 1, .ack = 2);
}

TEST_MAIN(
    CASE(finish_with_unread_data_resets),
    CASE(data_after_finish_is_reset),
    CASE(data_after_close_is_read),
    CASE(both_sides_open_at_once),
    CASE(a_reset_of_a_crossed_open_is_told),
    CASE(keep_alive_is_off_by_default),
    CASE(by_default_it_waits_two_hours),
    CASE(a_silent_peer_is_probed_and_then_given_up),
    CASE(an_answer_starts_the_silence_again),
    CASE(data_in_flight_is_not_kept_alive),
    CASE(the_accept_callback_gets_the_connection),
    CASE(events_say_what_happened),
    CASE(events_can_be_polled),
    CASE(a_block_may_be_released_from_its_callback))
