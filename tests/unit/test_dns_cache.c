// SPDX-License-Identifier: MIT
// DNS: what is lacking, failures, the cache and its bounds.
#include "dns_world.h"

// --- Lack, failure, cuts ---

TEST(a_name_that_does_not_exist_is_said_so_and_kept_as_the_soa_says) {
    struct host *h = begin();
    struct answer a = {.flags = 0x8183, .authority_count = 1};
    uint8_t soa[24] = {0};

    CHECK(ask("gone.example") >= 0);
    expect_question(h, SERVER_A, 0);
    put32(soa + 18, 45);
    add(&a, ASKED, TYPE_SOA, 900, soa, 22);
    send_answer(h, &a);
    expect_result(h, COR_E_NO_NAME);
    CHECK_EQ(w.result.count, 0);
    CHECK_EQ(w.result.ttl_s, 45);
    h->now_us += 44 * SECOND;
    CHECK(ask("gone.example") >= 0);
    expect_result(h, COR_E_NO_NAME);
    h->now_us += SECOND;
    CHECK(ask("gone.example") >= 0);
    expect_question(h, SERVER_A, 0);
    // At most a minute.
    put32(soa + 18, 86400);
    a.size = 0;
    add(&a, ASKED, TYPE_SOA, 900, soa, 22);
    send_answer(h, &a);
    expect_result(h, COR_E_NO_NAME);
    CHECK_EQ(w.result.ttl_s, 60);
}

TEST(a_lack_without_an_soa_is_not_kept) {
    struct host *h = begin();
    struct answer none = {0};

    CHECK(ask("empty.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_answer(h, &none);
    expect_result(h, COR_E_NO_NAME);
    CHECK_EQ(w.result.ttl_s, 0);
    CHECK(ask("empty.example") >= 0);
    expect_question(h, SERVER_A, 0);
}

TEST(a_server_that_fails_is_left_for_the_next_at_once) {
    struct host *h = begin();
    struct answer fail = {.flags = 0x8182};
    struct answer refuse = {.flags = 0x8185};
    uint64_t from_us = h->now_us;

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_answer(h, &fail);
    expect_question(h, SERVER_B, 0);
    send_answer(h, &refuse);
    expect_question(h, SERVER_A, 0);
    send_answer(h, &fail);
    expect_question(h, SERVER_B, 0);
    send_answer(h, &refuse);
    expect_result(h, COR_E_REFUSED);
    CHECK_EQ(h->now_us, from_us);
}

TEST(a_cut_answer_serves_if_it_holds_an_address) {
    struct host *h = begin();
    struct answer with = {.flags = 0x8380};
    struct answer without = {.flags = 0x8380};

    CHECK(ask("long.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_answer(h, &without);
    expect_question(h, SERVER_B, 0);
    add_a(&with, 300, BOARD);
    send_answer(h, &with);
    expect_address(h, BOARD);
}

TEST(an_unreachable_port_and_a_server_without_hardware_address_are_left_soon) {
    struct host *h = begin();
    uint64_t from_us = h->now_us;

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    // ICMP: port unreachable, with our header and the first bytes behind it.
    uint8_t *frame = new_frame(34 + 8 + 28);
    put_ip(frame, 1, 36);
    memset(frame + 34, 0, 8);
    frame[34] = 3;
    frame[35] = 3;
    memcpy(frame + 42, h->frame + 14, 28);
    put16(frame + 36, ~plain_sum(frame + 34, 36, 0));
    (void)give(h, frame, 34 + 36);
    // The second server has no hardware address; nobody answers for 4 s of ARP, and the third try
    // comes before that.
    CHECK(next_frame_within(h, poll_dns, 0));
    CHECK(is_arp(h));
    CHECK_EQ(get32(h->frame + 38), SERVER_B);
    do {
        CHECK(next_frame(h, poll_dns, from_us + 2 * SECOND));
    } while (is_arp(h) && get32(h->frame + 38) == SERVER_B);
    CHECK_EQ(h->now_us - from_us, 2 * SECOND);
    struct dgram d = read_udp(h);
    CHECK_EQ(d.to, SERVER_A);
    w.id = (uint16_t)get16(d.data);
    w.port = d.from_port;
    w.server = d.to;
    send_address(h, 10, BOARD);
    expect_address(h, BOARD);
}

TEST(without_a_way_to_the_servers_the_result_is_unreachable) {
    static const uint32_t far_away[] = {COR_IP4(8, 8, 8, 8)};
    struct host *h = begin();

    h->net.config.gateway = 0;
    cor_dns_set_servers(&w.dns, far_away, 1);
    CHECK(ask("board.example") >= 0);
    CHECK(!next_frame_within(h, poll_dns, 11 * SECOND));
    CHECK_EQ(w.done_count, 1);
    CHECK_EQ(w.result.status, COR_E_UNREACHABLE);
}

TEST(damaged_answers_lead_to_the_next_server) {
    struct host *h = begin();
    struct answer lies = {.count = 9};
    struct answer half = {0};

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    add(&lies, ASKED, TYPE_A, 300, "\6\6\6\6", 4);
    send_answer(h, &lies);
    expect_question(h, SERVER_B, 0);
    add_a(&half, 300, COR_IP4(6, 6, 6, 6));
    half.size -= 2;
    send_answer(h, &half);
    expect_question(h, SERVER_A, 0);
    struct answer loop = {.count = 1};
    add(&loop, ASKED, TYPE_CNAME, 300, "\xC0\x2B", 2);  // the alias's target points at itself
    send_answer(h, &loop);
    expect_question(h, SERVER_B, 0);
    send_address(h, 300, BOARD);
    expect_address(h, BOARD);
}

// --- Cache and bounds ---

TEST(the_cache_answers_as_long_as_it_may) {
    struct host *h = begin();

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_address(h, 100, BOARD);
    expect_address(h, BOARD);
    for (uint32_t i = 0; i < 1000; i++) {
        h->now_us += 99 * MS;
        CHECK(ask("Board.Example.") >= 0);
        expect_address(h, BOARD);
    }
    CHECK_EQ(w.result.ttl_s, 1);
    h->now_us += SECOND;
    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_address(h, 0, BOARD + 1);
    expect_address(h, BOARD + 1);
    // A time of zero, or with the top bit set, is for this once.
    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_address(h, 0x80000000, BOARD);
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 0);
    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    // A day at most.
    send_address(h, 0x7FFFFFFF, BOARD);
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 86400);
}

static void learn(struct host *h, const char *name, uint32_t ttl_s) {
    CHECK(ask(name) >= 0);
    expect_question(h, SERVER_A, 0);
    send_address(h, ttl_s, BOARD);
    expect_address(h, BOARD);
}

TEST(what_ends_soonest_makes_room_and_new_servers_empty_the_cache) {
    static const uint32_t servers[] = {SERVER_B};
    struct host *h = begin();

    learn(h, "a.example", 300);
    learn(h, "b.example", 100);
    learn(h, "c.example", 200);
    learn(h, "d.example", 50);
    CHECK(ask("a.example") >= 0);
    expect_address(h, BOARD);
    CHECK(ask("c.example") >= 0);
    expect_address(h, BOARD);
    CHECK(ask("d.example") >= 0);
    expect_address(h, BOARD);
    int32_t number = ask("b.example");
    expect_question(h, SERVER_A, 0);
    cor_dns_cancel(&w.dns, number);
    cor_dns_set_servers(&w.dns, servers, 1);
    CHECK(ask("a.example") >= 0);
    expect_question(h, SERVER_B, 0);
}

TEST(as_many_names_at_once_as_there_are_queries) {
    struct host *h = begin();

    int32_t first = ask("one.example");
    int32_t second = ask("two.example");
    CHECK(first >= 0 && second >= 0 && first != second);
    CHECK_EQ(ask("three.example"), COR_E_NOMEM);
    // Both are on their way; the second is answered first.
    expect_question(h, SERVER_A, 0);
    expect_question(h, SERVER_A, 0);
    CHECK(asked_for(NAME("\3two\7example\0")) || asked_for(NAME("\3one\7example\0")));
    send_address(h, 100, BOARD);
    expect_address(h, BOARD);
    CHECK(ask("three.example") >= 0);
    // A number that has gone round is nobody's.
    cor_dns_cancel(&w.dns, first + 1000);
    cor_dns_cancel(&w.dns, -1);
    cor_dns_cancel(&w.dns, 0x7FFFFFFF);
    cor_dns_cancel(&w.dns, first);
    cor_dns_cancel(&w.dns, second);
    uint32_t count = w.done_count;
    CHECK(!next_frame_within(h, poll_dns, 0) || !is_arp(h));
    CHECK_EQ(w.done_count, count);
}

TEST(a_result_may_ask_again) {
    struct host *h = begin();

    learn(h, "a.example", 300);
    CHECK(ask("a.example") >= 0);
    w.ask_again = "a.example";
    uint32_t count = w.done_count;
    (void)poll_dns(h);
    CHECK_EQ(w.done_count, count + 2);
    CHECK(cor_dns_poll(&w.dns, h->now_us) == COR_NET_NEVER);
}

TEST(texts_that_are_no_names_are_refused_and_numbers_answer_themselves) {
    struct host *h = begin();

    CHECK_EQ(ask(""), COR_E_ARG);
    CHECK_EQ(ask("a..b"), COR_E_ARG);
    CHECK_EQ(ask("pico.local"), COR_E_UNSUPPORTED);
    CHECK_EQ(ask("pico.LOCAL."), COR_E_UNSUPPORTED);
    CHECK(ask("10.0.0.9") >= 0);
    expect_address(h, COR_IP4(10, 0, 0, 9));
    cor_dns_set_servers(&w.dns, NULL, 0);
    CHECK_EQ(ask("board.example"), COR_E_STATE);
    CHECK(ask("10.0.0.9") >= 0);
    expect_address(h, COR_IP4(10, 0, 0, 9));
}

TEST(servers_taken_away_in_mid_question_end_it) {
    struct host *h = begin();

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    cor_dns_set_servers(&w.dns, NULL, 0);
    CHECK(!next_frame_within(h, poll_dns, SECOND));
    CHECK_EQ(w.done_count, 1);
    CHECK_EQ(w.result.status, COR_E_TIMEOUT);
}

// The bus holds the question: the message is not written over by the next one.
TEST(a_question_in_the_queue_of_the_bus_stays_as_it_is) {
    struct host *h = begin();

    learn(h, "a.example", 0);
    h->hold = true;
    int32_t number = ask("one.example");
    expect_question(h, SERVER_A, 0);
    cor_dns_cancel(&w.dns, number);
    CHECK(ask("two.example") >= 0);
    CHECK_EQ(ask("three.example"), COR_E_NOMEM);
    sent_all(h);
    CHECK(ask("three.example") >= 0);
}

TEST_MAIN(
    CASE(a_name_that_does_not_exist_is_said_so_and_kept_as_the_soa_says),
    CASE(a_lack_without_an_soa_is_not_kept),
    CASE(a_server_that_fails_is_left_for_the_next_at_once),
    CASE(a_cut_answer_serves_if_it_holds_an_address),
    CASE(an_unreachable_port_and_a_server_without_hardware_address_are_left_soon),
    CASE(without_a_way_to_the_servers_the_result_is_unreachable),
    CASE(damaged_answers_lead_to_the_next_server),
    CASE(the_cache_answers_as_long_as_it_may),
    CASE(what_ends_soonest_makes_room_and_new_servers_empty_the_cache),
    CASE(as_many_names_at_once_as_there_are_queries),
    CASE(a_result_may_ask_again),
    CASE(texts_that_are_no_names_are_refused_and_numbers_answer_themselves),
    CASE(servers_taken_away_in_mid_question_end_it),
    CASE(a_question_in_the_queue_of_the_bus_stays_as_it_is))
