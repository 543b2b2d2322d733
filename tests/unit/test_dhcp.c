// SPDX-License-Identifier: MIT
// DHCP: getting an address, message by message at stated times.
#include "dhcp_host.h"

static const uint8_t other_mac[6] = {0x02, 0, 0, 0, 0, 0x77};

TEST(scenario_20_a_static_address_sends_no_dhcp) {
    static struct host h;

    start_net(&h);
    set_link(&h, true);
    CHECK(pull(&h));
    check_arp(&h, OUR_ADDRESS, OUR_ADDRESS);
    for (uint32_t i = 0; i < 100; i++) {
        after(&h, SECOND);
        expect_nothing(&h);
    }
    // Rejoining changes nothing.
    set_link(&h, false);
    after(&h, SECOND);
    set_link(&h, true);
    CHECK(pull(&h));
    check_arp(&h, OUR_ADDRESS, OUR_ADDRESS);
    after(&h, 100 * SECOND);
    expect_nothing(&h);
    CHECK_EQ(h.net.config.address, OUR_ADDRESS);
}

TEST(four_messages_give_an_address) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);

    expect_discover(h, 0);
    CHECK_EQ(d_.secs, 0);
    uint32_t xid = d_.xid;
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_SELECTING);
    h->now_us += 30 * MS;
    ANSWER(h, .type = OFFER);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_REQUESTING);
    expect_request(h, 0);
    CHECK_EQ(d_.xid, xid);
    CHECK_EQ(d_.secs, 0);
    CHECK_EQ(h->net.config.address, 0);
    h->now_us += 30 * MS;
    ANSWER(h, .type = ACKNOWLEDGE);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
    CHECK_EQ(h->net.config.address, LEASED);
    CHECK_EQ(h->net.config.netmask, 0xFFFFFF00);
    CHECK_EQ(h->net.config.gateway, GATEWAY);
    CHECK_EQ(d_.changes, 1);
    CHECK_EQ(d_.lease.dns_count, 1);
    CHECK_EQ(d_.lease.dns[0], COR_IP4(10, 0, 0, 53));
    CHECK_TEXT(d_.lease.domain, "lab");
    CHECK(cor_dhcp_lease(&d_.dhcp) != NULL);
    // Announced at once and 2 s later.
    uint64_t bound_us = h->now_us;
    CHECK(next_frame_within(h, poll_dhcp, 0));
    check_arp(h, LEASED, LEASED);
    CHECK(next_frame_within(h, poll_dhcp, 10 * SECOND));
    check_arp(h, LEASED, LEASED);
    CHECK_EQ(h->now_us, bound_us + 2 * SECOND);
    CHECK(!next_frame_within(h, poll_dhcp, 1000 * SECOND));
}

// Scenario 20 and RFC 2131 4.1: 4 s and 8 s, each 1 s more or less.
TEST(scenario_20_two_requests_lost_cost_12_seconds) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);
    uint64_t start_us = h->now_us;

    expect_discover(h, 0);
    uint32_t xid = d_.xid;
    CHECK(!next_frame(h, poll_dhcp, start_us + 3 * SECOND - 1));
    expect_discover(h, 2 * SECOND + 1);
    CHECK_BETWEEN(h->now_us - start_us, 3 * SECOND, 5 * SECOND);
    CHECK_EQ(d_.xid, xid);
    CHECK_EQ(d_.secs, (h->now_us - start_us) / SECOND);
    uint64_t second_us = h->now_us;
    expect_discover(h, 9 * SECOND);
    CHECK_BETWEEN(h->now_us - second_us, 7 * SECOND, 9 * SECOND);
    uint32_t secs = d_.secs;
    ANSWER(h, .type = OFFER);
    expect_request(h, 0);
    CHECK_EQ(d_.secs, secs);  // the same number (RFC 2131 4.4.1)
    // The requests are lost as well.
    uint64_t request_us = h->now_us;
    expect_request(h, 5 * SECOND);
    CHECK_BETWEEN(h->now_us - request_us, 3 * SECOND, 5 * SECOND);
    ANSWER(h, .type = ACKNOWLEDGE);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
    // The lease counts from the first request (RFC 2131 4.4.1).
    CHECK_EQ(d_.lease.end_us, request_us + LEASE_S * SECOND);
}

TEST(waits_double_up_to_64_seconds_and_go_on_for_ever) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);
    static const uint64_t waits_s[] = {4, 8, 16, 32, 64, 64, 64};
    uint64_t differences = 0;

    expect_discover(h, 0);
    for (uint32_t i = 0; i < sizeof(waits_s) / sizeof(waits_s[0]); i++) {
        uint64_t from_us = h->now_us;

        expect_discover(h, 70 * SECOND);
        CHECK_BETWEEN(h->now_us - from_us, (waits_s[i] - 1) * SECOND, (waits_s[i] + 1) * SECOND);
        differences |= h->now_us - from_us - (waits_s[i] - 1) * SECOND;
    }
    CHECK(differences != 0);
    for (uint32_t i = 0; i < 300; i++) {
        expect_discover(h, 65 * SECOND);
    }
}

// Scenario 20: the answer comes in any legal addressing form.
TEST(scenario_20_answers_come_to_the_address_or_to_all) {
    static const struct answer forms[] = {
        {.to_all = true},
        {.to_all = false},
        {.mac_to_all = true},
        {.to = ALL_ADDRESS},
    };

    for (uint32_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);
        struct answer answer = forms[i];

        expect_discover(h, 0);
        answer.type = OFFER;
        send_answer(h, &answer);
        expect_request(h, 0);
        answer.type = ACKNOWLEDGE;
        send_answer(h, &answer);
        CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
        CHECK_EQ(h->net.config.address, LEASED);
    }
}

TEST(without_an_address_only_the_client_hears_datagrams_to_any_address) {
    static uint8_t memory[64];
    static struct cor_udp_slot slot;
    static struct cor_udp udp;
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);
    struct dgram d = {.from = SERVER, .to = LEASED, .from_port = 9, .to_port = 4000};

    cor_udp_init(
        &udp,
        &h->net,
        &(struct cor_udp_config){
            .memory = memory,
            .slot_bytes = 64,
            .slot_count = 1,
            .slots = &slot,
            .local_port = 4000});
    give_udp(h, &d);
    CHECK_EQ(udp.counters.datagrams_received, 0);
    d.to = ALL_ADDRESS;
    give_udp(h, &d);
    CHECK_EQ(udp.counters.datagrams_received, 1);
    // Nor do TCP and ICMP.
    uint8_t *frame = new_frame(42);
    put_ip(frame, 1, 8);
    memcpy(frame + 34, "\x08\0\xF7\xFF\0\0\0\0", 8);
    (void)give(h, frame, 42);
    expect_discover(h, 0);
    expect_nothing(h);
    CHECK_EQ(h->net.counters.echo_replies, 0);
}

TEST(messages_for_others_or_from_nowhere_change_nothing) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);
    static const uint8_t their_id[] = {61, 4, 1, 2, 3, 4};
    static const uint8_t our_id[] = {61, 15, 255, 1, 2, 3, 4, 0, 3, 0, 1, 2, 0, 0, 0, 0, 2};

    expect_discover(h, 0);
    ANSWER(h, .type = OFFER, .xid = d_.xid + 1);
    ANSWER(h, .type = OFFER, .chaddr = other_mac);
    ANSWER(h, .type = OFFER, .more = their_id, .more_bytes = sizeof(their_id));
    CHECK_EQ(d_.dhcp.counters.drop_other, 3);
    ANSWER(h, .type = OFFER, .from_port = 68);
    ANSWER(h, .type = DISCOVER);
    CHECK_EQ(d_.dhcp.counters.drop_message, 2);
    ANSWER(h, .type = ACKNOWLEDGE);
    ANSWER(h, .type = REFUSE, .to_all = true);
    CHECK_EQ(d_.dhcp.counters.drop_late, 2);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_SELECTING);
    ANSWER(h, .type = OFFER, .more = our_id, .more_bytes = sizeof(our_id));
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_REQUESTING);
}

TEST(addresses_and_leases_that_cannot_be_are_not_taken) {
    static const struct answer bad[] = {
        {.address = 0x7F000001},
        {.address = COR_IP4(224, 0, 0, 5)},
        {.address = COR_IP4(0, 1, 2, 3)},
        {.address = COR_IP4(10, 0, 0, 255), .to = ALL_ADDRESS},
        {.address = COR_IP4(10, 0, 0, 0)},
        {.server = NONE},
        {.server = COR_IP4(255, 255, 255, 255)},
        {.lease_s = NONE},
    };
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);

    expect_discover(h, 0);
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct answer answer = bad[i];

        answer.type = OFFER;
        answer.to_all = true;
        send_answer(h, &answer);
        CHECK_EQ(d_.dhcp.counters.drop_address, i + 1);
        CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_SELECTING);
    }
}

TEST(the_netmask_may_be_missing_or_wrong) {
    struct host *h = start_bound((struct answer){.netmask = NONE});

    CHECK_EQ(h->net.config.netmask, 0xFF000000);
    h = start_bound((struct answer){.netmask = 0xFF00FF00});
    CHECK_EQ(h->net.config.netmask, 0xFF000000);
}

TEST(an_acknowledgement_must_be_of_the_server_and_for_the_address) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);

    expect_discover(h, 0);
    ANSWER(h, .type = OFFER);
    // Before we have asked.
    ANSWER(h, .type = ACKNOWLEDGE);
    CHECK_EQ(d_.dhcp.counters.drop_late, 1);
    expect_request(h, 0);
    ANSWER(h, .type = ACKNOWLEDGE, .server = COR_IP4(10, 0, 0, 9));
    ANSWER(h, .type = ACKNOWLEDGE, .address = LEASED + 1);
    ANSWER(h, .type = REFUSE, .server = COR_IP4(10, 0, 0, 9), .to_all = true);
    CHECK_EQ(d_.dhcp.counters.drop_address, 3);
    // A second server's offer comes too late.
    ANSWER(h, .type = OFFER, .server = COR_IP4(10, 0, 0, 9));
    CHECK_EQ(d_.dhcp.counters.drop_late, 2);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_REQUESTING);
    ANSWER(h, .type = ACKNOWLEDGE);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
}

// RFC 2131 3.1 (5): 4 requests, 60 s, then from the start.
TEST(a_server_that_falls_silent_is_given_up_after_a_minute) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);

    expect_discover(h, 0);
    uint32_t xid = d_.xid;
    ANSWER(h, .type = OFFER);
    uint64_t from_us = h->now_us;
    expect_request(h, 0);
    expect_request(h, 5 * SECOND);
    expect_request(h, 9 * SECOND);
    expect_request(h, 17 * SECOND);
    expect_discover(h, 33 * SECOND);
    CHECK_BETWEEN(h->now_us - from_us, 56 * SECOND, 64 * SECOND);
    CHECK(d_.xid != xid);
    CHECK_EQ(d_.secs, 0);
}

// 0, 1, 2 .. 64 s between a refusal and the next attempt.
TEST(a_refusal_begins_again_and_a_row_of_them_makes_no_storm) {
    static const uint64_t waits_s[] = {0, 1, 2, 4, 8, 16, 32, 64, 64};
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);

    expect_discover(h, 0);
    for (uint32_t i = 0; i < sizeof(waits_s) / sizeof(waits_s[0]); i++) {
        ANSWER(h, .type = OFFER);
        expect_request(h, 0);
        ANSWER(h, .type = REFUSE, .to_all = true);
        CHECK_EQ(d_.dhcp.counters.naks_taken, i + 1);
        uint64_t from_us = h->now_us;
        expect_discover(h, 65 * SECOND);
        CHECK_EQ(h->now_us - from_us, waits_s[i] * SECOND);
    }
    ANSWER(h, .type = OFFER);
    expect_request(h, 0);
    ANSWER(h, .type = ACKNOWLEDGE);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
}

// RFC 5227 1.1: a first wait of up to 1 s, 3 probes 1 to 2 s apart, then 2 s.
TEST(an_address_is_probed_for_before_its_use) {
    struct host *h = start_leased(COR_DHCP_CHECK_FULL, (struct answer){0});
    uint64_t at_us = h->now_us;

    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_PROBING);
    CHECK(cor_dhcp_lease(&d_.dhcp) == NULL);
    CHECK(next_frame_within(h, poll_dhcp, SECOND));
    check_arp(h, 0, LEASED);
    for (uint32_t i = 0; i < 2; i++) {
        at_us = h->now_us;
        CHECK(next_frame_within(h, poll_dhcp, 2 * SECOND));
        check_arp(h, 0, LEASED);
        CHECK(h->now_us - at_us >= SECOND);
    }
    CHECK_EQ(h->net.config.address, 0);
    at_us = h->now_us;
    CHECK(next_frame_within(h, poll_dhcp, 3 * SECOND));
    check_arp(h, LEASED, LEASED);
    CHECK_EQ(h->now_us - at_us, 2 * SECOND);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
    CHECK_EQ(h->net.counters.arp_probes_sent, 3);
}

TEST(quick_probing_takes_600_ms) {
    struct host *h = start_leased(COR_DHCP_CHECK_QUICK, (struct answer){0});
    uint64_t from_us = h->now_us;

    for (uint32_t i = 0; i < 3; i++) {
        CHECK(next_frame_within(h, poll_dhcp, 200 * MS));
        check_arp(h, 0, LEASED);
        CHECK_EQ(h->now_us - from_us, i * 200 * MS);
    }
    CHECK(next_frame_within(h, poll_dhcp, 200 * MS));
    check_arp(h, LEASED, LEASED);
    CHECK_EQ(h->now_us - from_us, 600 * MS);
}

static void expect_decline(struct host *h) {
    struct dgram d = expect_message(h, DECLINE, 0);

    check_broadcast(&d, 0);
    CHECK_EQ(get32(d.data + 12), 0);
    CHECK_EQ(option32(&d, 50), LEASED);
    CHECK_EQ(option32(&d, 54), SERVER);
    CHECK(option(&d, 55, 9) == NULL);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_DECLINED);
}

// RFC 2131 3.1 (5): DECLINE, and at least 10 s until the next attempt.
TEST(an_address_that_somebody_has_is_declined) {
    struct host *h = start_leased(COR_DHCP_CHECK_FULL, (struct answer){0});

    CHECK(next_frame_within(h, poll_dhcp, SECOND));
    check_arp(h, 0, LEASED);
    uint64_t from_us = h->now_us;
    give_arp(h, 2, other_mac, LEASED, 0);
    expect_decline(h);
    CHECK_EQ(d_.changes, 0);
    // What the conflict is about is of no interest any more.
    give_arp(h, 2, other_mac, LEASED, 0);
    CHECK_EQ(d_.dhcp.counters.conflicts, 1);
    struct dgram d = expect_message(h, DISCOVER, 20 * SECOND);
    CHECK(option(&d, 50, 4) == NULL);
    CHECK_EQ(h->now_us - from_us, 10 * SECOND);
}

TEST(two_hosts_that_probe_for_one_address_both_give_way) {
    struct host *h = start_leased(COR_DHCP_CHECK_FULL, (struct answer){0});

    // Our own probe, sent back by the access point, is none of another host.
    CHECK(next_frame_within(h, poll_dhcp, SECOND));
    give_arp(h, 1, our_mac, 0, LEASED);
    CHECK_EQ(d_.dhcp.counters.conflicts, 0);
    // Nor is a request for it by somebody who has an address.
    give_arp(h, 1, other_mac, SERVER, LEASED);
    CHECK_EQ(d_.dhcp.counters.conflicts, 0);
    give_arp(h, 1, other_mac, 0, LEASED);
    expect_decline(h);
}

// RFC 5227 2.1.1: after ten conflicts, a minute between attempts.
TEST(after_ten_conflicts_attempts_come_once_a_minute) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_QUICK);
    uint64_t from_us = h->now_us;

    for (uint32_t i = 0; i < 12; i++) {
        expect_discover(h, 61 * SECOND);
        CHECK_BETWEEN(h->now_us - from_us, i == 0 ? 0 : 10 * SECOND, 60 * SECOND);
        CHECK(i < 11 || h->now_us - from_us == 60 * SECOND);
        ANSWER(h, .type = OFFER);
        expect_request(h, 0);
        ANSWER(h, .type = ACKNOWLEDGE);
        CHECK(next_frame_within(h, poll_dhcp, 0));
        check_arp(h, 0, LEASED);
        from_us = h->now_us;
        give_arp(h, 2, other_mac, LEASED, 0);
        expect_decline(h);
    }
}

TEST(a_lease_that_ends_while_probing_is_not_used) {
    struct host *h = start_leased(COR_DHCP_CHECK_FULL, (struct answer){.lease_s = 2});

    for (uint32_t i = 0; i < 3 && cor_dhcp_state(&d_.dhcp) == COR_DHCP_PROBING; i++) {
        CHECK(next_frame_within(h, poll_dhcp, 3 * SECOND));
    }
    (void)check_message(h, DISCOVER);
    CHECK_EQ(h->net.config.address, 0);
    CHECK_EQ(d_.changes, 0);
}

TEST_MAIN(
    CASE(scenario_20_a_static_address_sends_no_dhcp),
    CASE(four_messages_give_an_address),
    CASE(scenario_20_two_requests_lost_cost_12_seconds),
    CASE(waits_double_up_to_64_seconds_and_go_on_for_ever),
    CASE(scenario_20_answers_come_to_the_address_or_to_all),
    CASE(without_an_address_only_the_client_hears_datagrams_to_any_address),
    CASE(messages_for_others_or_from_nowhere_change_nothing),
    CASE(addresses_and_leases_that_cannot_be_are_not_taken),
    CASE(the_netmask_may_be_missing_or_wrong),
    CASE(an_acknowledgement_must_be_of_the_server_and_for_the_address),
    CASE(a_server_that_falls_silent_is_given_up_after_a_minute),
    CASE(a_refusal_begins_again_and_a_row_of_them_makes_no_storm),
    CASE(an_address_is_probed_for_before_its_use),
    CASE(quick_probing_takes_600_ms),
    CASE(an_address_that_somebody_has_is_declined),
    CASE(two_hosts_that_probe_for_one_address_both_give_way),
    CASE(after_ten_conflicts_attempts_come_once_a_minute),
    CASE(a_lease_that_ends_while_probing_is_not_used))
