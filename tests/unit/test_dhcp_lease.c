// SPDX-License-Identifier: MIT
// DHCP: keeping an address, losing it, giving it back, and coming back to it.
#include "dhcp_host.h"

static const uint8_t other_mac[6] = {0x02, 0, 0, 0, 0, 0x77};
static const uint8_t server_mac[6] = {0x02, 0, 0, 0, 0, 0x01};

// The client asks for the server's hardware address, and gets it.
static void expect_arp_for_server(struct host *h, uint64_t within_us) {
    CHECK(next_frame_within(h, poll_dhcp, within_us));
    CHECK(is_arp(h));
    CHECK_EQ(get32(h->frame + 28), LEASED);
    CHECK_EQ(get32(h->frame + 38), SERVER);
    give_arp(h, 2, server_mac, SERVER, LEASED);
}

static void check_renewal(const struct host *h) {
    struct dgram d = check_message(h, REQUEST);

    CHECK_BYTES(d.mac, server_mac, 6);
    CHECK_EQ(d.from, LEASED);
    CHECK_EQ(d.to, SERVER);
    CHECK_EQ(get32(d.data + 12), LEASED);
    CHECK(option(&d, 50, 4) == NULL);
    CHECK(option(&d, 54, 4) == NULL);
}

// The server's hardware address is asked for now and then, as for any host that is talked to.
static void next_but_arp(struct host *h, uint64_t until_us) {
    do {
        CHECK(next_frame(h, poll_dhcp, until_us));
        if (is_arp(h)) {
            give_arp(h, 2, server_mac, SERVER, LEASED);
        }
    } while (is_arp(h));
}

static void expect_renewal_at(struct host *h, uint64_t at_us) {
    next_but_arp(h, at_us);
    check_renewal(h);
    CHECK_EQ(h->now_us, at_us);
}

static void expect_rebind(struct host *h, uint64_t within_us) {
    next_but_arp(h, h->now_us + within_us);
    struct dgram d = check_message(h, REQUEST);

    check_broadcast(&d, LEASED);
    CHECK_EQ(get32(d.data + 12), LEASED);
    CHECK(option(&d, 50, 4) == NULL);
    CHECK(option(&d, 54, 4) == NULL);
}

// Bound with T1 3600 and T2 6300 of 7200; returns when the lease began.
static uint64_t start_timed(struct answer ack) {
    struct host *h;
    uint64_t from_us = 1000 * SECOND;  // of start_bare_net()

    ack.renew_s = ack.renew_s != 0 ? ack.renew_s : 3600;
    ack.rebind_s = ack.rebind_s != 0 ? ack.rebind_s : 6300;
    h = start_bound(ack);
    CHECK_EQ(h->now_us, from_us);
    pass_announcement(h);
    return from_us;
}

TEST(a_lease_is_renewed_at_t1_by_unicast) {
    uint64_t from_us = start_timed((struct answer){0});
    struct host *h = &d_.h;

    CHECK(!next_frame(h, poll_dhcp, from_us + 3600 * SECOND - 1));
    expect_arp_for_server(h, 1);
    CHECK(next_frame_within(h, poll_dhcp, 0));
    check_renewal(h);
    CHECK_EQ(h->now_us, from_us + 3600 * SECOND);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_RENEWING);
    CHECK_EQ(d_.secs, 0);
    h->now_us += 10 * MS;
    ANSWER(h, .type = ACKNOWLEDGE, .lease_s = 1000);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
    // The new lease counts from the request, and the address stayed in use.
    CHECK_EQ(d_.lease.end_us, from_us + 4600 * SECOND);
    CHECK_EQ(d_.changes, 2);
    CHECK_EQ(d_.dhcp.counters.leases_lost, 0);
    expect_nothing(h);
}

// RFC 2131 4.4.5: half of the time left, not below 60 s; then any server; then nothing is left.
TEST(a_silent_server_costs_the_lease_after_t1_t2_and_its_end) {
    uint64_t from_us = start_timed((struct answer){0});
    struct host *h = &d_.h;
    uint64_t left_us = 2700 * SECOND;

    expect_arp_for_server(h, 3600 * SECOND);
    CHECK(next_frame_within(h, poll_dhcp, 0));
    check_renewal(h);
    while (left_us > 120 * SECOND) {
        expect_renewal_at(h, h->now_us + left_us / 2);
        left_us -= left_us / 2;
    }
    // 84.375 s are left: one more after 60 s.
    expect_renewal_at(h, h->now_us + 60 * SECOND);
    expect_rebind(h, 60 * SECOND);
    CHECK_EQ(h->now_us, from_us + 6300 * SECOND);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_REBINDING);
    expect_rebind(h, 450 * SECOND);
    CHECK_EQ(h->now_us, from_us + 6750 * SECOND);
    expect_rebind(h, 225 * SECOND);
    expect_rebind(h, 113 * SECOND);
    expect_rebind(h, 60 * SECOND);
    // The end.
    struct dgram d = expect_message(h, DISCOVER, 60 * SECOND);
    check_broadcast(&d, 0);
    CHECK_EQ(h->now_us, from_us + 7200 * SECOND);
    CHECK_EQ(h->net.config.address, 0);
    CHECK(!d_.has_lease);
    CHECK_EQ(d_.dhcp.counters.leases_lost, 1);
}

TEST(another_server_takes_the_lease_over_when_rebinding) {
    uint64_t from_us = start_timed((struct answer){0});
    struct host *h = &d_.h;

    while (cor_dhcp_state(&d_.dhcp) != COR_DHCP_REBINDING) {
        CHECK(next_frame_within(h, poll_dhcp, 3600 * SECOND));
    }
    struct dgram d = check_message(h, REQUEST);
    check_broadcast(&d, LEASED);
    CHECK_EQ(h->now_us, from_us + 6300 * SECOND);
    ANSWER(h, .type = ACKNOWLEDGE, .server = COR_IP4(10, 0, 0, 9), .to_all = true);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
    CHECK_EQ(d_.lease.server, COR_IP4(10, 0, 0, 9));
    CHECK_EQ(d_.lease.end_us, from_us + 13500 * SECOND);
}

TEST(a_refusal_of_a_renewal_takes_the_address_at_once) {
    (void)start_timed((struct answer){0});
    struct host *h = &d_.h;

    expect_arp_for_server(h, 3600 * SECOND);
    CHECK(next_frame_within(h, poll_dhcp, 0));
    check_renewal(h);
    // One server was asked, and only its refusal counts.
    ANSWER(h, .type = REFUSE, .server = COR_IP4(10, 0, 0, 9), .to_all = true);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_RENEWING);
    ANSWER(h, .type = REFUSE, .to_all = true);
    CHECK_EQ(h->net.config.address, 0);
    CHECK(!d_.has_lease);
    struct dgram d = expect_message(h, DISCOVER, 0);
    CHECK(option(&d, 50, 4) == NULL);
}

TEST(an_infinite_lease_is_never_renewed) {
    struct host *h = start_bound((struct answer){.lease_s = UINT32_MAX, .renew_s = 10});

    CHECK_EQ(d_.lease.lease_s, UINT32_MAX);
    pass_announcement(h);
    CHECK(cor_dhcp_poll(&d_.dhcp, h->now_us) == COR_NET_NEVER);
    CHECK(!next_frame_within(h, poll_dhcp, 10ULL * 365 * 86400 * SECOND));
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
}

TEST(t1_and_t2_are_computed_where_the_server_gives_none_or_nonsense) {
    static const struct answer cases[] = {
        {.lease_s = 6400},
        {.lease_s = 6400, .renew_s = 6400, .rebind_s = 6400},
        {.lease_s = 6400, .renew_s = UINT32_MAX, .rebind_s = UINT32_MAX},
        {.lease_s = 6400, .renew_s = 6000},
    };

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct host *h = start_bound(cases[i]);
        uint64_t renew_s = (d_.lease.renew_us - h->now_us) / SECOND;
        uint64_t rebind_s = (d_.lease.rebind_us - h->now_us) / SECOND;

        CHECK_BETWEEN(renew_s, 3100, 3200);
        CHECK_BETWEEN(rebind_s, 5500, 5600);
        CHECK_EQ(d_.lease.end_us - h->now_us, 6400 * SECOND);
    }
}

// A lease of a minute: T1 at 30 s, T2 at 52 s, no room for a second try between.
TEST(a_short_lease_is_renewed_and_rebound_once) {
    struct host *h = start_bound((struct answer){.lease_s = 60});
    uint64_t from_us = h->now_us;

    pass_announcement(h);
    expect_arp_for_server(h, 31 * SECOND);
    CHECK(next_frame_within(h, poll_dhcp, 0));
    check_renewal(h);
    CHECK_BETWEEN(h->now_us - from_us, 29 * SECOND, 30 * SECOND);
    expect_rebind(h, 25 * SECOND);
    CHECK_BETWEEN(h->now_us - from_us, 51 * SECOND, 53 * SECOND);
    ANSWER(h, .type = ACKNOWLEDGE, .lease_s = 60);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
    // Even one second keeps no loop busy.
    h = start_leased(COR_DHCP_CHECK_NONE, (struct answer){.lease_s = 1});
    for (uint32_t i = 0; i < 20; i++) {
        CHECK(next_frame_within(h, poll_dhcp, 65 * SECOND));
    }
}

// --- The link comes and goes ---

static void expect_reboot(struct host *h, uint64_t within_us) {
    struct dgram d = expect_message(h, REQUEST, within_us);

    check_broadcast(&d, 0);
    CHECK_EQ(get32(d.data + 12), 0);
    CHECK_EQ(option32(&d, 50), LEASED);
    CHECK(option(&d, 54, 4) == NULL);
}

static struct host *start_rejoined(void) {
    struct host *h = start_bound((struct answer){0});

    pass_announcement(h);
    set_link(h, false);
    CHECK(!next_frame_within(h, poll_dhcp, 10 * SECOND));
    set_link(h, true);
    // In the meantime the address stays, and is announced as on every rejoining.
    CHECK(next_frame_within(h, poll_dhcp, 0));
    check_arp(h, LEASED, LEASED);
    expect_reboot(h, 0);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_REBOOTING);
    CHECK_EQ(h->net.config.address, LEASED);
    return h;
}

TEST(rejoining_confirms_the_lease_and_keeps_the_address) {
    struct host *h = start_rejoined();
    uint32_t changes = d_.changes;
    uint64_t asked_us = h->now_us;

    ANSWER(h, .type = ACKNOWLEDGE);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
    CHECK_EQ(d_.changes, changes + 1);
    CHECK(d_.has_lease);
    CHECK_EQ(d_.lease.end_us, asked_us + LEASE_S * SECOND);
    CHECK_EQ(d_.dhcp.counters.leases_lost, 0);
}

TEST(a_connection_outlives_rejoining_with_the_same_lease) {
    struct host *h = start_bound((struct answer){0});
    struct cor_tcp_config config = default_tcp(h);

    pass_announcement(h);
    cor_tcp_init(&h->tcp, &h->net, &config);
    CHECK_EQ(cor_tcp_connect(&h->tcp, SERVER, PEER_PORT, h->now_us), COR_OK);
    set_link(h, false);
    h->now_us += SECOND;
    set_link(h, true);
    while (!next_frame_within(h, poll_dhcp, SECOND) || is_arp(h)) {
    }
    (void)check_message(h, REQUEST);
    ANSWER(h, .type = ACKNOWLEDGE);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_SYN_SENT);
}

TEST(a_refusal_on_rejoining_takes_the_address) {
    struct host *h = start_rejoined();

    ANSWER(h, .type = REFUSE, .server = COR_IP4(192, 168, 7, 1), .to_all = true);
    CHECK_EQ(h->net.config.address, 0);
    CHECK(!d_.has_lease);
    struct dgram d = expect_message(h, DISCOVER, 0);
    CHECK(option(&d, 50, 4) == NULL);
}

// RFC 2131 3.2 (4): without an answer the address may be used until its lease is over.
TEST(silence_on_rejoining_keeps_the_address_until_the_lease_is_over) {
    struct host *h = start_rejoined();
    uint64_t end_us = d_.lease.end_us;

    expect_reboot(h, 5 * SECOND);
    expect_reboot(h, 9 * SECOND);
    while (cor_dhcp_state(&d_.dhcp) != COR_DHCP_BOUND) {
        CHECK(!next_frame_within(h, poll_dhcp, 1 * SECOND));
        CHECK(cor_dhcp_state(&d_.dhcp) == COR_DHCP_BOUND || h->now_us < 1100 * SECOND);
    }
    CHECK_EQ(h->net.config.address, LEASED);
    CHECK_EQ(d_.lease.end_us, end_us);
}

TEST(a_lease_that_ends_without_a_link_is_over) {
    struct host *h = start_bound((struct answer){.lease_s = 100});

    pass_announcement(h);
    set_link(h, false);
    CHECK(!next_frame_within(h, poll_dhcp, 97 * SECOND));
    CHECK_EQ(h->net.config.address, LEASED);
    CHECK(!next_frame_within(h, poll_dhcp, 2 * SECOND));
    CHECK_EQ(h->net.config.address, 0);
    CHECK(!d_.has_lease);
    CHECK(cor_dhcp_poll(&d_.dhcp, h->now_us) == COR_NET_NEVER);
    set_link(h, true);
    (void)expect_message(h, DISCOVER, 0);
}

TEST(a_link_that_comes_up_asks_again_at_once) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);

    expect_discover(h, 0);
    set_link(h, false);
    CHECK(!next_frame_within(h, poll_dhcp, 100 * SECOND));
    set_link(h, true);
    expect_discover(h, 0);
    CHECK_EQ(d_.secs, 0);
}

// --- Starting and stopping ---

TEST(stop_and_start_ask_for_the_same_address_and_probe_for_it) {
    struct host *h = start_bound((struct answer){0});

    pass_announcement(h);
    d_.dhcp.config.check = COR_DHCP_CHECK_FULL;
    cor_dhcp_stop(&d_.dhcp, h->now_us);
    CHECK_EQ(h->net.config.address, 0);
    CHECK(!d_.has_lease);
    CHECK(!next_frame_within(h, poll_dhcp, 100 * SECOND));
    cor_dhcp_start(&d_.dhcp, h->now_us);
    cor_dhcp_start(&d_.dhcp, h->now_us);  // a second time does nothing
    expect_reboot(h, 0);
    ANSWER(h, .type = ACKNOWLEDGE);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_PROBING);
    // When it is over by the time of the start, it is not asked for.
    cor_dhcp_stop(&d_.dhcp, h->now_us);
    h->now_us += 7200 * SECOND;
    cor_dhcp_start(&d_.dhcp, h->now_us);
    struct dgram d = expect_message(h, DISCOVER, 0);
    CHECK(option(&d, 50, 4) == NULL);
}

TEST(a_remembered_address_is_asked_for_first_and_then_wished_for) {
    struct host *h = start_dhcp_with(
        (struct cor_dhcp_config){.identity = 0x01020304, .check = COR_DHCP_CHECK_NONE});

    cor_dhcp_remember(&d_.dhcp, LEASED);
    cor_dhcp_start(&d_.dhcp, h->now_us);
    expect_reboot(h, 0);
    expect_reboot(h, 5 * SECOND);
    expect_reboot(h, 9 * SECOND);
    struct dgram d = expect_message(h, DISCOVER, 17 * SECOND);
    CHECK_EQ(option32(&d, 50), LEASED);
    CHECK(option(&d, 12, 4) == NULL);
    // The server may have another one.
    ANSWER(h, .type = OFFER, .address = LEASED + 1);
    d = expect_message(h, REQUEST, 0);
    CHECK_EQ(option32(&d, 50), LEASED + 1);
}

TEST(a_release_tells_the_server_and_then_the_address_is_gone) {
    struct host *h = start_bound((struct answer){0});

    pass_announcement(h);
    cor_dhcp_release(&d_.dhcp, h->now_us);
    expect_arp_for_server(h, 0);
    CHECK_EQ(h->net.config.address, LEASED);
    CHECK(next_frame_within(h, poll_dhcp, SECOND));
    struct dgram d = check_message(h, RELEASE);
    CHECK_EQ(d.from, LEASED);
    CHECK_EQ(d.to, SERVER);
    CHECK_EQ(get32(d.data + 12), LEASED);
    CHECK_EQ(option32(&d, 54), SERVER);
    CHECK(option(&d, 50, 4) == NULL);
    CHECK(!next_frame_within(h, poll_dhcp, 20 * MS));
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_OFF);
    CHECK_EQ(h->net.config.address, 0);
    CHECK(!d_.has_lease);
    CHECK_EQ(cor_dhcp_close(&d_.dhcp), COR_OK);
    CHECK_EQ(h->net.socket_count, 0);
}

TEST(a_release_to_a_silent_server_ends_after_a_second) {
    struct host *h = start_bound((struct answer){0});
    uint64_t from_us;

    pass_announcement(h);
    from_us = h->now_us;
    cor_dhcp_release(&d_.dhcp, h->now_us);
    while (cor_dhcp_state(&d_.dhcp) == COR_DHCP_RELEASING) {
        (void)next_frame_within(h, poll_dhcp, 100 * MS);
        CHECK(h->now_us <= from_us + 2 * SECOND);
    }
    CHECK_EQ(h->net.config.address, 0);
    // Start finds nothing to confirm.
    cor_dhcp_start(&d_.dhcp, h->now_us);
    struct dgram d = expect_message(h, DISCOVER, SECOND);
    CHECK(option(&d, 50, 4) == NULL);
}

TEST(a_release_without_a_link_ends_too) {
    struct host *h = start_bound((struct answer){0});

    pass_announcement(h);
    set_link(h, false);
    cor_dhcp_release(&d_.dhcp, h->now_us);
    (void)next_frame_within(h, poll_dhcp, 2 * SECOND);
    (void)next_frame_within(h, poll_dhcp, 2 * SECOND);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_OFF);
    CHECK_EQ(h->net.config.address, 0);
}

// RFC 5227 2.4 (b): defended once; the second conflict within 10 s ends it.
TEST(a_second_conflict_within_ten_seconds_gives_the_address_up) {
    struct host *h = start_bound((struct answer){0});

    pass_announcement(h);
    give_arp(h, 2, other_mac, LEASED, 0);
    CHECK(next_frame_within(h, poll_dhcp, 0));
    check_arp(h, LEASED, LEASED);
    h->now_us += 10 * SECOND;
    give_arp(h, 2, other_mac, LEASED, 0);
    CHECK(next_frame_within(h, poll_dhcp, 0));
    check_arp(h, LEASED, LEASED);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
    h->now_us += 9 * SECOND;
    give_arp(h, 2, other_mac, LEASED, 0);
    CHECK_EQ(h->net.config.address, 0);
    CHECK(!d_.has_lease);
    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_DECLINED);
    struct dgram d = expect_message(h, DECLINE, 0);
    check_broadcast(&d, 0);
    CHECK_EQ(option32(&d, 50), LEASED);
    CHECK_EQ(option32(&d, 54), SERVER);
    (void)expect_message(h, DISCOVER, 10 * SECOND);
}

// The bus holds the first message for long: the second waits for it, and none is written over.
TEST(a_message_in_the_queue_of_the_bus_is_not_written_over) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);

    h->hold = true;
    expect_discover(h, 0);
    CHECK(!next_frame_within(h, poll_dhcp, 60 * SECOND));
    CHECK_EQ(d_.dhcp.counters.discovers_sent, 1);
    sent_all(h);
    h->hold = false;
    expect_discover(h, 20 * MS);
    CHECK_EQ(d_.dhcp.counters.discovers_sent, 2);
}

TEST(a_chip_that_pulls_nothing_gets_one_message_when_it_does) {
    struct host *h = start_dhcp(COR_DHCP_CHECK_NONE);

    for (uint32_t i = 0; i < 100; i++) {
        (void)cor_dhcp_poll(&d_.dhcp, h->now_us);
        h->now_us += SECOND;
    }
    CHECK(d_.dhcp.counters.discovers_sent > 2);
    (void)expect_message(h, DISCOVER, 0);
    expect_nothing(h);
}

TEST_MAIN(
    CASE(a_lease_is_renewed_at_t1_by_unicast),
    CASE(a_silent_server_costs_the_lease_after_t1_t2_and_its_end),
    CASE(another_server_takes_the_lease_over_when_rebinding),
    CASE(a_refusal_of_a_renewal_takes_the_address_at_once),
    CASE(an_infinite_lease_is_never_renewed),
    CASE(t1_and_t2_are_computed_where_the_server_gives_none_or_nonsense),
    CASE(a_short_lease_is_renewed_and_rebound_once),
    CASE(rejoining_confirms_the_lease_and_keeps_the_address),
    CASE(a_connection_outlives_rejoining_with_the_same_lease),
    CASE(a_refusal_on_rejoining_takes_the_address),
    CASE(silence_on_rejoining_keeps_the_address_until_the_lease_is_over),
    CASE(a_lease_that_ends_without_a_link_is_over),
    CASE(a_link_that_comes_up_asks_again_at_once),
    CASE(stop_and_start_ask_for_the_same_address_and_probe_for_it),
    CASE(a_remembered_address_is_asked_for_first_and_then_wished_for),
    CASE(a_release_tells_the_server_and_then_the_address_is_gone),
    CASE(a_release_to_a_silent_server_ends_after_a_second),
    CASE(a_release_without_a_link_ends_too),
    CASE(a_second_conflict_within_ten_seconds_gives_the_address_up),
    CASE(a_message_in_the_queue_of_the_bus_is_not_written_over),
    CASE(a_chip_that_pulls_nothing_gets_one_message_when_it_does))
