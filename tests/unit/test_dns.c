// SPDX-License-Identifier: MIT
// DNS: names to addresses, message by message at stated times.
#include "dns_world.h"

TEST(a_name_is_asked_for_and_answered) {
    struct host *h = begin();

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    CHECK(asked_for(NAME("\5board\7example\0")));
    CHECK_EQ(w.done_count, 0);
    send_address(h, 120, BOARD);
    CHECK_EQ(w.done_count, 0);  // never from within the radio's input
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 120);
    // The port is closed and the server no neighbour to be kept.
    send_address(h, 120, BOARD);
    CHECK_EQ(h->net.counters.drop_udp_port, 1);
    CHECK(cor_dns_poll(&w.dns, h->now_us) == COR_NET_NEVER);
}

TEST(several_addresses_come_in_order_up_to_the_limit) {
    struct host *h = begin();
    struct answer a = {0};

    CHECK(ask("many.example") >= 0);
    expect_question(h, SERVER_A, 0);
    for (uint32_t i = 0; i < 6; i++) {
        add_a(&a, 300 - i, BOARD + i);
    }
    send_answer(h, &a);
    expect_result(h, COR_OK);
    CHECK_EQ(w.result.count, COR_DNS_ADDRESSES);
    for (uint32_t i = 0; i < COR_DNS_ADDRESSES; i++) {
        CHECK_EQ(w.result.addresses[i], BOARD + i);
    }
    CHECK_EQ(w.result.ttl_s, 295);
}

// Waits of 1, 2, 4 and 4 s over the servers in turn.
TEST(silent_servers_are_asked_in_turn_and_given_up_after_11_seconds) {
    struct host *h = begin();
    uint64_t from_us = h->now_us;

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    uint16_t id = w.id;
    uint16_t port = w.port;
    expect_question(h, SERVER_B, SECOND);
    CHECK_EQ(h->now_us - from_us, SECOND);
    CHECK(w.id != id && w.port != port);
    expect_question(h, SERVER_A, 2 * SECOND);
    CHECK_EQ(h->now_us - from_us, 3 * SECOND);
    expect_question(h, SERVER_B, 4 * SECOND);
    CHECK_EQ(h->now_us - from_us, 7 * SECOND);
    CHECK(!next_frame(h, poll_dns, from_us + 11 * SECOND - 1));
    CHECK_EQ(w.done_count, 0);
    h->now_us++;
    expect_result(h, COR_E_TIMEOUT);
    CHECK_EQ(w.dns.counters.queries_sent, 4);
    CHECK_EQ(w.dns.counters.failed, 1);
}

TEST(the_server_that_answered_is_asked_first_next_time) {
    struct host *h = begin();

    CHECK(ask("one.example") >= 0);
    expect_question(h, SERVER_A, 0);
    expect_question(h, SERVER_B, SECOND);
    send_address(h, 10, BOARD);
    expect_address(h, BOARD);
    CHECK(ask("two.example") >= 0);
    expect_question(h, SERVER_B, 0);
    // An answer to the first message comes too late: its port is closed.
    expect_question(h, SERVER_A, SECOND);
}

TEST(numbers_and_ports_differ_and_hardly_repeat) {
    struct host *h = begin();
    uint16_t ids[64];
    uint16_t ports[64];
    uint32_t same = 0;

    for (uint32_t i = 0; i < 64; i++) {
        int32_t number = ask("board.example");

        expect_question(h, SERVER_A, 0);
        ids[i] = w.id;
        ports[i] = w.port;
        for (uint32_t k = 0; k < i; k++) {
            same += ids[k] == ids[i];
            same += ports[k] == ports[i];
            CHECK(k + 1 != i || (uint16_t)(ids[i] - ids[k]) > 1);
        }
        cor_dns_cancel(&w.dns, number);
    }
    CHECK(same < 4);
}

TEST(only_the_answer_to_the_question_counts) {
    static const uint8_t other[] = "\5board\7exampl3\0\0\1\0\1";
    static const uint8_t other_type[] = "\5board\7example\0\0\x1C\0\1";
    static const uint8_t other_class[] = "\5board\7example\0\0\1\0\3";
    struct answer wrong[] = {
        {.id_change = 1},
        {.from = SERVER_B},
        {.from = COR_IP4(10, 0, 0, 66)},
        {.from_port = 5353},
        {.flags = 0x0100},
        {.flags = 0xA180},
        {.no_question = true},
        {.question = other, .question_bytes = sizeof(other) - 1},
        {.question = other_type, .question_bytes = sizeof(other_type) - 1},
        {.question = other_class, .question_bytes = sizeof(other_class) - 1},
    };
    struct host *h = begin();

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        add_a(&wrong[i], 300, COR_IP4(6, 6, 6, 6));
        send_answer(h, &wrong[i]);
        (void)poll_dns(h);
        CHECK_EQ(w.done_count, 0);
        CHECK_EQ(w.dns.counters.drop_other, i + 1);
    }
    struct answer wrong_port = {.port = (uint16_t)(w.port ^ 1)};
    add_a(&wrong_port, 300, COR_IP4(6, 6, 6, 6));
    send_answer(h, &wrong_port);
    CHECK_EQ(h->net.counters.drop_udp_port, 1);
    // A question sent back in capitals is the same question.
    struct answer good = {
        .question = (const uint8_t *)"\5BOARD\7exAMPle\0\0\1\0\1", .question_bytes = 19};
    add_a(&good, 300, BOARD);
    send_answer(h, &good);
    expect_address(h, BOARD);
}

TEST(records_of_other_names_types_and_classes_are_not_the_answer) {
    struct host *h = begin();
    struct answer a = {0};

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    add(&a, NAME("\4evil\7example\0"), TYPE_A, 300, "\6\6\6\6", 4);
    add(&a, ASKED, 28, 300, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
    add(&a, ASKED, TYPE_A, 300, "\6\6\6", 3);
    a.count = 3;
    add_a(&a, 300, BOARD);
    send_answer(h, &a);
    expect_address(h, BOARD);
}

// --- Aliases ---

TEST(a_chain_of_eight_aliases_is_followed_in_any_order) {
    struct host *h = begin();
    struct answer a = {0};

    CHECK(ask("a0.example") >= 0);
    expect_question(h, SERVER_A, 0);
    add_end(&a, 8);
    for (uint32_t i = 8; i > 0; i--) {
        add_alias(&a, i - 1, i, 100 + i);
    }
    send_answer(h, &a);
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 101);
}

TEST(nine_aliases_and_rings_are_refused) {
    struct host *h = begin();
    struct answer nine = {0};
    struct answer ring = {0};
    struct answer self = {0};

    CHECK(ask("a0.example") >= 0);
    expect_question(h, SERVER_A, 0);
    for (uint32_t i = 0; i < 9; i++) {
        add_alias(&nine, i, i + 1, 300);
    }
    add_end(&nine, 9);
    send_answer(h, &nine);
    expect_question(h, SERVER_B, 0);
    add_alias(&ring, 0, 1, 300);
    add_alias(&ring, 1, 0, 300);
    send_answer(h, &ring);
    expect_question(h, SERVER_A, 0);
    add_alias(&self, 0, 0, 300);
    send_answer(h, &self);
    expect_question(h, SERVER_B, 0);
    send_answer(h, &ring);
    expect_result(h, COR_E_PROTO);
    CHECK_EQ(w.dns.counters.drop_message, 4);
}

TEST(an_alias_without_an_address_is_asked_for) {
    struct host *h = begin();
    struct answer first = {0};
    struct answer second = {0};

    CHECK(ask("a0.example") >= 0);
    expect_question(h, SERVER_A, 0);
    add_alias(&first, 0, 1, 50);
    add_alias(&first, 1, 2, 60);
    send_answer(h, &first);
    expect_question(h, SERVER_A, 0);
    CHECK(asked_for(NAME("\2a2\7example\0")));
    add_end(&second, 2);
    send_answer(h, &second);
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 50);
    // Kept under the name that was asked for.
    CHECK(ask("A0.example") >= 0);
    expect_address(h, BOARD);
    CHECK_EQ(w.dns.counters.cache_hits, 1);
}

// A server that gives one alias at a time is followed eight times, not for ever.
TEST(aliases_over_several_answers_count_together) {
    struct host *h = begin();

    CHECK(ask("a0.example") >= 0);
    for (uint32_t i = 0; i < 8; i++) {
        struct answer a = {0};

        expect_question(h, SERVER_A, 0);
        add_alias(&a, i, i + 1, 300);
        send_answer(h, &a);
    }
    expect_question(h, SERVER_A, 0);
    struct answer last = {0};
    add_alias(&last, 8, 9, 300);
    send_answer(h, &last);
    expect_question(h, SERVER_B, 0);  // that one was refused
    CHECK(asked_for(NAME("\2a8\7example\0")));
}

TEST_MAIN(
    CASE(a_name_is_asked_for_and_answered),
    CASE(several_addresses_come_in_order_up_to_the_limit),
    CASE(silent_servers_are_asked_in_turn_and_given_up_after_11_seconds),
    CASE(the_server_that_answered_is_asked_first_next_time),
    CASE(numbers_and_ports_differ_and_hardly_repeat),
    CASE(only_the_answer_to_the_question_counts),
    CASE(records_of_other_names_types_and_classes_are_not_the_answer),
    CASE(a_chain_of_eight_aliases_is_followed_in_any_order),
    CASE(nine_aliases_and_rings_are_refused),
    CASE(an_alias_without_an_address_is_asked_for),
    CASE(aliases_over_several_answers_count_together))
