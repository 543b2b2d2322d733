// SPDX-License-Identifier: MIT
// Listening, segment by segment: the handshake, slots, floods, and TIME_WAIT used again.
#include "tcp_server.h"

// --- The handshake ---

TEST(a_syn_is_answered_and_the_ack_opens) {
    struct server *s = LISTENING();

    SEND_FROM(s, 4000, .flags = SYN, .seq = 0, .sack_ok = true, .shift = 3);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    CHECK_EQ(get16(s->h.frame + 48), RING);
    CHECK_BYTES(s->h.frame + 54, "\2\4\x05\xB4\1\1\4\2\1\3\3\0", 12);
    CHECK(cor_tcp_accept(&s->listener) == NULL);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 1, .win = 1000);
    struct cor_tcp *tcp = cor_tcp_accept(&s->listener);
    CHECK(tcp != NULL);
    CHECK_EQ(cor_tcp_state(tcp), COR_TCP_ESTABLISHED);
    CHECK_EQ(cor_tcp_peer_window_bytes(tcp), 4000);
    CHECK(cor_tcp_accept(&s->listener) == NULL);
    quiet(s);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 1, .len = 100);
    CHECK_EQ(cor_tcp_readable_bytes(tcp), 100);
}

TEST(options_the_peer_did_not_offer_are_not_in_the_answer) {
    struct server *s = LISTENING();

    SEND_FROM(s, 4000, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    CHECK_EQ(s->h.frame_bytes, 54 + 4);
}

TEST(a_lost_answer_is_sent_again_by_timer_and_by_the_syn) {
    struct server *s = LISTENING();

    SEND_FROM(s, 4000, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    after(&s->h, 1 * SECOND);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND_FROM(s, 4000, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    expect_nothing(&s->h);
    CHECK_EQ(s->listener.counters.syns, 1);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 1);
    CHECK(cor_tcp_accept(&s->listener) != NULL);
}

TEST(data_with_the_last_ack_is_there_when_accepted) {
    struct server *s = LISTENING();

    SEND_FROM(s, 4000, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND_FROM(s, 4000, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 50);
    struct cor_tcp *tcp = cor_tcp_accept(&s->listener);
    CHECK(tcp != NULL);
    CHECK_EQ(cor_tcp_readable_bytes(tcp), 50);
}

// RFC 9293 3.10.7.2, and MUST-11: back to LISTEN without a word to the application.
TEST(what_is_no_syn_does_not_open) {
    struct server *s = LISTENING();

    SEND_FROM(s, 4000, .flags = RST, .seq = 0);
    SEND_FROM(s, 4000, .flags = FIN, .seq = 0);
    SEND_FROM(s, 4000, .flags = SYN | FIN, .seq = 0);
    expect_nothing(&s->h);
    s->h.iss = 0;
    SEND_FROM(s, 4000, .flags = ACK, .seq = 5, .ack = 77);
    EXPECT_TO(s, 4000, .flags = RST, .seq = 77);
    SEND_FROM(s, 4000, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND_FROM(s, 4000, .flags = RST, .seq = 1);
    expect_nothing(&s->h);
    CHECK(cor_tcp_accept(&s->listener) == NULL);
    CHECK_EQ(s->tcp[0].slot, COR_TCP_SLOT_FREE);
    CHECK_EQ(s->tcp[1].slot, COR_TCP_SLOT_FREE);
    CHECK_EQ(s->tcp[2].slot, COR_TCP_SLOT_FREE);
}

// RFC 9293 3.10.7.4, fifth: an acknowledgement of something else is refused, the handshake stays.
TEST(a_wrong_ack_in_the_handshake_is_refused) {
    struct server *s = LISTENING();

    SEND_FROM(s, 4000, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 2);
    EXPECT_TO(s, 4000, .flags = RST, .seq = 2);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 1);
    CHECK(cor_tcp_accept(&s->listener) != NULL);
}

TEST(a_reset_before_accept_frees_the_slot) {
    struct server *s = LISTENING();

    shake_hands(s, 4000);
    SEND_FROM(s, 4000, .flags = RST, .seq = 1);
    CHECK(cor_tcp_accept(&s->listener) == NULL);
}

// --- Slots ---

TEST(connections_of_one_port_are_kept_apart) {
    struct server *s = LISTENING();
    struct cor_tcp *first = accepted(s, 4000);
    uint32_t first_iss = s->h.iss;
    struct cor_tcp *second = accepted(s, 4001);

    CHECK(first != second);
    quiet(s);
    SEND_FROM(s, 4001, .flags = ACK, .seq = 1, .ack = 1, .len = 20);
    s->h.iss = first_iss;
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 1, .len = 10);
    CHECK_EQ(cor_tcp_readable_bytes(first), 10);
    CHECK_EQ(cor_tcp_readable_bytes(second), 20);
}

TEST(scenario_24_more_connections_than_slots_are_reset) {
    struct server *s = LISTENING();

    (void)accepted(s, 4000);
    (void)accepted(s, 4001);
    (void)accepted(s, 4002);
    quiet(s);
    s->h.iss = 0;
    SEND_FROM(s, 4003, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4003, .flags = RST | ACK, .seq = 0, .ack = 1);
    expect_nothing(&s->h);
    CHECK_EQ(s->listener.counters.full, 1);
}

TEST(with_silence_as_an_option) {
    struct server *s = LISTENING(.silent = true);

    (void)accepted(s, 4000);
    (void)accepted(s, 4001);
    (void)accepted(s, 4002);
    quiet(s);
    SEND_FROM(s, 4003, .flags = SYN, .seq = 0);
    expect_nothing(&s->h);
    // The peer tries again, when one has gone.
    cor_tcp_abort(s->blocks[0], s->h.now_us);
    cor_tcp_give(s->blocks[0], s->h.now_us);
    quiet(s);
    SEND_FROM(s, 4003, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4003, .flags = SYN | ACK, .seq = 0, .ack = 1);
}

TEST(a_flood_recycles_the_oldest_handshake) {
    struct server *s = LISTENING();
    uint32_t iss = 0;

    (void)accepted(s, 3999);
    quiet(s);
    for (uint32_t i = 0; i < 1000; i++) {
        SEND_FROM(s, 5000 + i, .flags = SYN, .seq = 0);
        EXPECT_TO(s, 5000 + i, .flags = SYN | ACK, .seq = 0, .ack = 1);
        if (i == 500) {
            // An honest one in the midst of it, answered before two others come.
            iss = s->h.iss;
            SEND_FROM(s, 9999, .flags = SYN, .seq = 0);
            EXPECT_TO(s, 9999, .flags = SYN | ACK, .seq = 0, .ack = 1);
            SEND_FROM(s, 7777, .flags = SYN, .seq = 0);
            uint32_t honest = s->h.iss;
            EXPECT_TO(s, 7777, .flags = SYN | ACK, .seq = 0, .ack = 1);
            s->h.iss = honest;
            SEND_FROM(s, 9999, .flags = ACK, .seq = 1, .ack = 1);
            quiet(s);
        }
    }
    (void)iss;
    struct cor_tcp *tcp = cor_tcp_accept(&s->listener);
    CHECK(tcp != NULL);
    CHECK_EQ(tcp->socket.remote_port, 9999);
    CHECK(s->listener.counters.recycled >= 998);
    CHECK_EQ(s->listener.counters.full, 0);
    // When it is over, what is left of it ends by itself.
    after(&s->h, 31 * SECOND);
    quiet(s);
    uint32_t free_count = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        free_count += s->tcp[i].slot == COR_TCP_SLOT_FREE;
    }
    CHECK_EQ(free_count, 1);
}

TEST(handshakes_can_be_held_below_the_number_of_slots) {
    struct server *s = LISTENING(.half_open_max = 1);

    SEND_FROM(s, 4000, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND_FROM(s, 4001, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4001, .flags = SYN | ACK, .seq = 0, .ack = 1);
    CHECK_EQ(s->listener.counters.recycled, 1);
}

TEST(a_block_given_back_closes_in_order_and_serves_again) {
    struct server *s = LISTENING();
    struct cor_tcp *tcp = accepted(s, 4000);

    quiet(s);
    cor_tcp_give(tcp, s->h.now_us);
    EXPECT_TO(s, 4000, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND_FROM(s, 4000, .flags = ACK | FIN, .seq = 1, .ack = 2);
    EXPECT_TO(s, 4000, .flags = ACK, .seq = 2, .ack = 2);
    CHECK_EQ(cor_tcp_state(tcp), COR_TCP_TIME_WAIT);
    // All three slots serve, TIME_WAIT or not.
    (void)accepted(s, 4001);
    (void)accepted(s, 4002);
    (void)accepted(s, 4003);
    CHECK_EQ(s->listener.counters.full, 0);
}

TEST(connections_that_never_end_give_way) {
    struct server *s = LISTENING();

    for (uint32_t i = 0; i < BLOCKS; i++) {
        cor_tcp_give(accepted(s, 4000 + i), s->h.now_us);
        quiet(s);
    }
    SEND_FROM(s, 5000, .flags = SYN, .seq = 0);
    CHECK(pull(&s->h));
    CHECK_EQ(s->h.frame[47], RST | ACK);
    CHECK_EQ(get16(s->h.frame + 36), 4000);
    EXPECT_TO(s, 5000, .flags = SYN | ACK, .seq = 0, .ack = 1);
    CHECK_EQ(s->listener.counters.closing_ended, 1);
}

TEST(one_port_has_one_listener) {
    struct server *s = LISTENING();
    struct cor_tcp_listener other;
    struct cor_tcp_listen_config config = {.port = PORT};

    CHECK_EQ(cor_tcp_listen(&other, &s->h.net, &config), COR_E_STATE);
    config.port = 0;
    CHECK_EQ(cor_tcp_listen(&other, &s->h.net, &config), COR_E_ARG);
    config.port = 81;
    CHECK_EQ(cor_tcp_listen(&other, &s->h.net, &config), COR_OK);
    cor_tcp_unlisten(&other, s->h.now_us);
}

TEST(unlisten_resets_what_was_not_accepted) {
    struct server *s = LISTENING();
    struct cor_tcp *tcp = accepted(s, 4000);
    uint32_t iss = s->h.iss;

    shake_hands(s, 4001);
    quiet(s);
    cor_tcp_unlisten(&s->listener, s->h.now_us);
    EXPECT_TO(s, 4001, .flags = RST | ACK, .seq = 1, .ack = 1);
    s->h.iss = iss;
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1, .ack = 1, .len = 10);
    CHECK_EQ(cor_tcp_readable_bytes(tcp), 10);
    s->h.iss = 0;
    SEND_FROM(s, 4002, .flags = SYN, .seq = 0);
    EXPECT_TO(s, 4002, .flags = RST | ACK, .seq = 0, .ack = 1);
}

// --- TIME_WAIT (RFC 9293 MAY-2, RFC 1122 4.2.2.13, RFC 1337) ---

static struct cor_tcp *waiting(struct server *s, uint32_t from) {
    struct cor_tcp *tcp = accepted(s, from);

    quiet(s);
    cor_tcp_give(tcp, s->h.now_us);
    EXPECT_TO(s, from, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND_FROM(s, from, .flags = ACK | FIN, .seq = 1, .ack = 2);
    EXPECT_TO(s, from, .flags = ACK, .seq = 2, .ack = 2);
    CHECK_EQ(cor_tcp_state(tcp), COR_TCP_TIME_WAIT);
    return tcp;
}

TEST(a_syn_with_a_higher_number_ends_time_wait) {
    struct server *s = LISTENING();

    (void)waiting(s, 4000);
    uint32_t last = s->h.iss + 2;
    SEND_FROM(s, 4000, .flags = SYN, .seq = 1000);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1001);
    CHECK((int32_t)(s->h.iss - last) > 0);
    CHECK_EQ(s->listener.counters.time_wait_left, 1);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 1001, .ack = 1);
    CHECK(cor_tcp_accept(&s->listener) != NULL);
}

TEST(a_syn_with_an_old_number_does_not) {
    struct server *s = LISTENING();
    struct cor_tcp *tcp = waiting(s, 4000);

    SEND_FROM(s, 4000, .flags = SYN, .seq = 1);
    EXPECT_TO(s, 4000, .flags = ACK, .seq = 2, .ack = 2);
    CHECK_EQ(cor_tcp_state(tcp), COR_TCP_TIME_WAIT);
}

TEST(time_wait_goes_on_when_its_block_is_used_again) {
    struct server *s = listening(&(struct cor_tcp_listen_config){0}, 1);

    (void)waiting(s, 4000);
    uint32_t iss = s->h.iss;
    struct cor_tcp *tcp = accepted(s, 4001);
    quiet(s);
    // The old peer has not heard our last acknowledgement.
    s->h.iss = iss;
    SEND_FROM(s, 4000, .flags = ACK | FIN, .seq = 1, .ack = 2);
    EXPECT_TO(s, 4000, .flags = ACK, .seq = 2, .ack = 2);
    // No reset ends the waiting (RFC 1337), and a late segment is not refused.
    SEND_FROM(s, 4000, .flags = RST, .seq = 2);
    SEND_FROM(s, 4000, .flags = ACK, .seq = 2, .ack = 2);
    expect_nothing(&s->h);
    CHECK_EQ(cor_tcp_state(tcp), COR_TCP_ESTABLISHED);
    // After two lifetimes nobody knows of it.
    after(&s->h, 61 * SECOND);
    SEND_FROM(s, 4000, .flags = ACK | FIN, .seq = 1, .ack = 2);
    EXPECT_TO(s, 4000, .flags = RST, .seq = 2);
}

TEST(a_connection_kept_in_few_bytes_gives_way_to_a_new_syn) {
    struct server *s = listening(&(struct cor_tcp_listen_config){0}, 1);

    (void)waiting(s, 4000);
    uint32_t last = s->h.iss + 2;
    struct cor_tcp *tcp = accepted(s, 4001);
    quiet(s);
    cor_tcp_abort(tcp, s->h.now_us);
    cor_tcp_give(tcp, s->h.now_us);
    quiet(s);
    SEND_FROM(s, 4000, .flags = SYN, .seq = 1000);
    EXPECT_TO(s, 4000, .flags = SYN | ACK, .seq = 0, .ack = 1001);
    CHECK((int32_t)(s->h.iss - last) > 0);
}

TEST_MAIN(
    CASE(a_syn_is_answered_and_the_ack_opens),
    CASE(options_the_peer_did_not_offer_are_not_in_the_answer),
    CASE(a_lost_answer_is_sent_again_by_timer_and_by_the_syn),
    CASE(data_with_the_last_ack_is_there_when_accepted),
    CASE(what_is_no_syn_does_not_open),
    CASE(a_wrong_ack_in_the_handshake_is_refused),
    CASE(a_reset_before_accept_frees_the_slot),
    CASE(connections_of_one_port_are_kept_apart),
    CASE(scenario_24_more_connections_than_slots_are_reset),
    CASE(with_silence_as_an_option),
    CASE(a_flood_recycles_the_oldest_handshake),
    CASE(handshakes_can_be_held_below_the_number_of_slots),
    CASE(a_block_given_back_closes_in_order_and_serves_again),
    CASE(connections_that_never_end_give_way),
    CASE(one_port_has_one_listener),
    CASE(unlisten_resets_what_was_not_accepted),
    CASE(a_syn_with_a_higher_number_ends_time_wait),
    CASE(a_syn_with_an_old_number_does_not),
    CASE(time_wait_goes_on_when_its_block_is_used_again),
    CASE(a_connection_kept_in_few_bytes_gives_way_to_a_new_syn))
