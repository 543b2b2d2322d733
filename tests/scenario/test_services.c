// SPDX-License-Identifier: MIT
// Our DHCP client and resolver against the twin's servers, over a virtual wire, in virtual time.
#include "services_world.h"

static bool is_bound(void) {
    return cor_dhcp_state(&w.dhcp) == COR_DHCP_BOUND;
}

// ---- DHCP

// Probing takes 4 to 7 s (RFC 5227), so that a usual start takes less than 8.
TEST(scenario_20_an_address_comes_with_all_that_belongs_to_it) {
    struct twin_dhcp_script script = dhcp_script();

    world_open(&script, NULL);
    run_s(8);
    CHECK(is_bound());
    CHECK_EQ(w.net.config.address, FIRST_IP);
    CHECK_EQ(w.net.config.netmask, 0xFFFFFF00u);
    CHECK_EQ(w.net.config.gateway, PEER_IP);
    CHECK_EQ(w.dns.servers[0], PEER_IP);
    CHECK_TEXT(cor_dhcp_lease(&w.dhcp)->domain, "example");
    CHECK_EQ(counters().discovers, 1);
    CHECK_EQ(counters().requests, 1);
    CHECK_EQ(counters().dhcp_bad, 0);
    world_close();
}

TEST(scenario_20_the_first_two_requests_are_lost) {
    struct twin_dhcp_script script = dhcp_script();
    uint64_t from_ns;

    script.lose_first = 2;
    world_open(&script, NULL);
    from_ns = twin_now_ns(w.sim);
    run_s(30);
    CHECK(is_bound());
    CHECK_EQ(counters().dhcp_lost, 2);
    CHECK_EQ(counters().discovers, 3);
    // 4 s and 8 s, each 1 s more or less, and the probing.
    CHECK_BETWEEN((w.leased_ns - from_ns) / SECOND_NS, 10 + 4, 14 + 7);
    world_close();
}

TEST(scenario_20_any_form_of_answer_and_any_order_of_options) {
    for (uint32_t form = 0; form < 4; form++) {
        for (uint32_t order = 0; order < 3; order++) {
            struct twin_dhcp_script script = dhcp_script();

            script.form = (enum twin_dhcp_form)form;
            script.order = (enum twin_dhcp_order)order;
            script.no_client_id = form == 0;
            script.wrong_transaction = order == 1;
            world_open(&script, NULL);
            run_s(8);
            CHECK(is_bound());
            CHECK_EQ(w.net.config.address, FIRST_IP);
            CHECK_EQ(w.net.config.gateway, PEER_IP);
            CHECK_EQ(w.dns.server_count, 1);
            CHECK_TEXT(cor_dhcp_lease(&w.dhcp)->domain, "example");
            world_close();
        }
    }
}

TEST(scenario_20_a_static_address_asks_no_server) {
    world_open(NULL, NULL);
    run_s(3600);
    CHECK_EQ(w.frames_sent, 0);
    world_close();
}

TEST(a_server_that_refuses_three_times_is_asked_again) {
    struct twin_dhcp_script script = dhcp_script();

    script.refuse_first = 3;
    world_open(&script, NULL);
    run_s(15);
    CHECK(is_bound());
    CHECK_EQ(counters().naks, 3);
    CHECK_EQ(counters().discovers, 4);
    world_close();
}

// The first address is the peer's own, and its ARP says so.
TEST(an_address_that_the_peer_has_is_declined_for_another) {
    struct twin_dhcp_script script = dhcp_script();

    script.first = PEER_IP;
    world_open(&script, NULL);
    run_s(25);
    CHECK(is_bound());
    CHECK_EQ(w.net.config.address, PEER_IP + 1);
    CHECK_EQ(counters().declines, 1);
    CHECK_EQ(cor_dhcp_get_counters(&w.dhcp)->conflicts, 1);
    world_close();
}

TEST(a_short_lease_is_renewed_for_a_day) {
    struct twin_dhcp_script script = dhcp_script();

    script.lease_s = 120;
    world_open(&script, NULL);
    run_s(86400);
    CHECK(is_bound());
    CHECK_EQ(cor_dhcp_get_counters(&w.dhcp)->leases_lost, 0);
    // Every minute or so.
    CHECK_BETWEEN(counters().requests, 1400, 1600);
    CHECK_EQ(counters().requests, counters().acks);
    CHECK_EQ(counters().discovers, 1);
    world_close();
}

TEST(a_lost_renewal_does_not_cost_the_lease) {
    struct twin_dhcp_script script = dhcp_script();

    script.renew_s = 600;
    script.rebind_s = 5000;
    world_open(&script, NULL);
    run_s(300);
    script.lose_first = 2;
    twin_services_set_dhcp(w.services, &script);
    run_s(7000);
    CHECK(is_bound());
    CHECK_EQ(counters().dhcp_lost, 2);
    CHECK_EQ(cor_dhcp_get_counters(&w.dhcp)->leases_lost, 0);
    world_close();
}

TEST(a_server_that_refuses_a_renewal_moves_the_host) {
    struct twin_dhcp_script script = dhcp_script();

    world_open(&script, NULL);
    run_s(8);
    script.refuse_first = 1;
    twin_services_set_dhcp(w.services, &script);
    run_s(3700);
    CHECK(is_bound());
    CHECK_EQ(counters().naks, 1);
    CHECK_EQ(cor_dhcp_get_counters(&w.dhcp)->leases_lost, 1);
    CHECK_EQ(w.net.config.address, FIRST_IP);
    world_close();
}

TEST(an_infinite_lease_makes_no_traffic) {
    struct twin_dhcp_script script = dhcp_script();
    uint32_t sent;

    script.lease_s = UINT32_MAX;
    world_open(&script, NULL);
    run_s(20);
    CHECK(is_bound());
    sent = w.frames_sent;
    run_s(100 * 86400);
    CHECK_EQ(w.frames_sent, sent);
    world_close();
}

TEST(rejoining_asks_for_the_same_address_and_keeps_connections) {
    struct twin_dhcp_script script = dhcp_script();
    struct cor_frame_source *source = cor_net_frames(&w.net);

    world_open(&script, NULL);
    run_s(8);
    CHECK_EQ(cor_tcp_connect(&w.tcp, PEER_IP, PEER_PORT, now_us()), COR_OK);
    go_on();
    run_s(1);
    CHECK_EQ(cor_tcp_state(&w.tcp), COR_TCP_ESTABLISHED);
    source->ops->link(source, now_us(), false);
    go_on();
    run_s(10);
    source->ops->link(source, now_us(), true);
    go_on();
    run_s(1);
    CHECK(is_bound());
    CHECK_EQ(counters().requests, 2);
    CHECK_EQ(counters().discovers, 1);
    CHECK_EQ(cor_tcp_write(&w.tcp, (const uint8_t *)"still here", 10, now_us()), 10);
    go_on();
    run_s(1);
    CHECK_EQ(w.received_bytes, 10);
    world_close();
}

TEST(a_release_reaches_the_server) {
    struct twin_dhcp_script script = dhcp_script();

    world_open(&script, NULL);
    run_s(8);
    cor_dhcp_release(&w.dhcp, now_us());
    go_on();
    run_s(2);
    CHECK_EQ(counters().releases, 1);
    CHECK_EQ(cor_dhcp_state(&w.dhcp), COR_DHCP_OFF);
    CHECK_EQ(w.net.config.address, 0);
    world_close();
}

// ---- DNS

static const struct twin_dns_host hosts[] = {
    {.name = "board.example",
     .addresses = {COR_IP4(192, 168, 1, 42)},
     .address_count = 1,
     .ttl_s = 300},
    {.name = "many.example", .addresses = {1, 2, 3, 4, 5, 6}, .address_count = 6, .ttl_s = 60},
    {.name = "sink.example", .addresses = {PEER_IP}, .address_count = 1, .ttl_s = 300},
    {.name = "a.example", .alias = "b.example", .ttl_s = 100},
    {.name = "b.example", .alias = "c.example", .ttl_s = 90},
    {.name = "c.example", .alias = "board.example", .ttl_s = 80},
    {.name = "ring.example", .alias = "ring2.example", .ttl_s = 80},
    {.name = "ring2.example", .alias = "ring.example", .ttl_s = 80},
    {.name = "empty.example", .ttl_s = 300},
};

static struct twin_dns_script dns_script(void) {
    return (struct twin_dns_script){.hosts = hosts, .host_count = sizeof(hosts) / sizeof(hosts[0])};
}

static void resolved(void *context, const struct cor_dns_result *result) {
    (void)context;
    w.results++;
    w.result = *result;
}

// Asks, and runs until there is an answer or 20 s have passed.
static void ask(const char *name) {
    uint32_t results = w.results;
    uint64_t until_ns = twin_now_ns(w.sim) + 20 * SECOND_NS;

    CHECK(cor_dns_ask(&w.dns, name, resolved, NULL, now_us()) >= 0);
    go_on();
    while (w.results == results && twin_now_ns(w.sim) < until_ns) {
        twin_run_until(w.sim, twin_now_ns(w.sim) + 1000000);
    }
    CHECK_EQ(w.results, results + 1);
}

static void ask_for(const char *name, uint32_t address) {
    ask(name);
    CHECK_EQ(w.result.status, COR_OK);
    CHECK_EQ(w.result.addresses[0], address);
}

TEST(names_aliases_and_lists_are_resolved) {
    struct twin_dns_script script = dns_script();

    world_open(NULL, &script);
    ask_for("board.example", COR_IP4(192, 168, 1, 42));
    CHECK_EQ(w.result.ttl_s, 300);
    ask_for("a.example", COR_IP4(192, 168, 1, 42));
    CHECK_EQ(w.result.ttl_s, 80);
    ask_for("many.example", 1);
    CHECK_EQ(w.result.count, COR_DNS_ADDRESSES);
    ask("gone.example");
    CHECK_EQ(w.result.status, COR_E_NO_NAME);
    ask("empty.example");
    CHECK_EQ(w.result.status, COR_E_NO_NAME);
    ask("ring.example");
    CHECK_EQ(w.result.status, COR_E_PROTO);
    CHECK_EQ(counters().dns_bad, 0);
    world_close();
}

TEST(a_server_that_gives_one_alias_at_a_time_is_followed) {
    struct twin_dns_script script = dns_script();

    script.one_link = true;
    world_open(NULL, &script);
    ask_for("a.example", COR_IP4(192, 168, 1, 42));
    CHECK_EQ(counters().questions, 4);
    ask_for("a.example", COR_IP4(192, 168, 1, 42));
    CHECK_EQ(counters().questions, 4);
    world_close();
}

TEST(lost_questions_are_asked_again_after_1_2_and_4_seconds) {
    struct twin_dns_script script = dns_script();
    uint64_t from_ns;

    script.lose_first = 3;
    world_open(NULL, &script);
    from_ns = twin_now_ns(w.sim);
    ask_for("board.example", COR_IP4(192, 168, 1, 42));
    CHECK_BETWEEN((twin_now_ns(w.sim) - from_ns) / 1000000, 7000, 7010);
    CHECK_EQ(counters().dns_lost, 3);
    script.lose_first = 4;
    twin_services_set_dns(w.services, &script);
    ask("many.example");
    CHECK_EQ(w.result.status, COR_E_TIMEOUT);
    world_close();
}

TEST(failing_lying_and_cutting_servers_are_survived) {
    struct twin_dns_script script = dns_script();

    script.fail_first = 2;
    script.wrong_number = true;
    world_open(NULL, &script);
    ask_for("board.example", COR_IP4(192, 168, 1, 42));
    CHECK_EQ(w.dns.counters.servers_failed, 2);
    CHECK(w.dns.counters.drop_other >= 1);
    script = dns_script();
    script.truncate = true;
    twin_services_set_dns(w.services, &script);
    ask("many.example");
    CHECK_EQ(w.result.status, COR_E_PROTO);
    world_close();
}

TEST(the_lack_of_a_name_is_kept_as_long_as_the_server_says) {
    struct twin_dns_script script = dns_script();

    script.negative_ttl_s = 40;
    world_open(NULL, &script);
    ask("gone.example");
    CHECK_EQ(w.result.status, COR_E_NO_NAME);
    run_s(39);
    ask("gone.example");
    CHECK_EQ(counters().questions, 1);
    run_s(2);
    ask("gone.example");
    CHECK_EQ(counters().questions, 2);
    world_close();
}

TEST(a_late_answer_is_none) {
    struct twin_dns_script script = dns_script();

    script.delay_ns = 1500000000;  // after the first message has been given up
    world_open(NULL, &script);
    ask_for("board.example", COR_IP4(192, 168, 1, 42));
    CHECK_EQ(counters().questions, 2);
    CHECK_EQ(w.net.counters.drop_udp_port, 1);
    world_close();
}

// ---- all of it

static uint64_t whole_way(void) {
    struct twin_dhcp_script dhcp = dhcp_script();
    struct twin_dns_script dns = dns_script();
    uint64_t hash;

    dhcp.lose_first = 1;
    dns.lose_first = 1;
    world_open(&dhcp, &dns);
    run_s(15);
    CHECK(is_bound());
    ask_for("sink.example", PEER_IP);
    CHECK_EQ(cor_tcp_connect(&w.tcp, w.result.addresses[0], PEER_PORT, now_us()), COR_OK);
    go_on();
    run_s(1);
    CHECK_EQ(cor_tcp_write(&w.tcp, (const uint8_t *)"by name", 7, now_us()), 7);
    CHECK_EQ(cor_tcp_close(&w.tcp, now_us()), COR_OK);
    go_on();
    run_s(2);
    CHECK_EQ(w.received_bytes, 7);
    hash = w.hash;
    world_close();
    return hash;
}

TEST(from_no_address_to_a_connection_by_name_twice_the_same) {
    uint64_t hash = whole_way();

    CHECK(hash == whole_way());
}

TEST_MAIN(
    CASE(scenario_20_an_address_comes_with_all_that_belongs_to_it),
    CASE(scenario_20_the_first_two_requests_are_lost),
    CASE(scenario_20_any_form_of_answer_and_any_order_of_options),
    CASE(scenario_20_a_static_address_asks_no_server),
    CASE(a_server_that_refuses_three_times_is_asked_again),
    CASE(an_address_that_the_peer_has_is_declined_for_another),
    CASE(a_short_lease_is_renewed_for_a_day),
    CASE(a_lost_renewal_does_not_cost_the_lease),
    CASE(a_server_that_refuses_a_renewal_moves_the_host),
    CASE(an_infinite_lease_makes_no_traffic),
    CASE(rejoining_asks_for_the_same_address_and_keeps_connections),
    CASE(a_release_reaches_the_server),
    CASE(names_aliases_and_lists_are_resolved),
    CASE(a_server_that_gives_one_alias_at_a_time_is_followed),
    CASE(lost_questions_are_asked_again_after_1_2_and_4_seconds),
    CASE(failing_lying_and_cutting_servers_are_survived),
    CASE(the_lack_of_a_name_is_kept_as_long_as_the_server_says),
    CASE(a_late_answer_is_none),
    CASE(from_no_address_to_a_connection_by_name_twice_the_same))
