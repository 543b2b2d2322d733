// SPDX-License-Identifier: MIT
// mDNS: probing, announcing and conflicts, message by message at stated times.
#include "mdns_host.h"

static const uint8_t other_address[4] = {10, 0, 0, 77};
static const uint8_t lower_address[4] = {10, 0, 0, 1};
static const uint8_t our_address[4] = {10, 0, 0, 2};

TEST(names_are_probed_for_three_times_and_announced_twice) {
    struct host *h = start_mdns();
    uint64_t at_us = h->now_us;

    CHECK_EQ(cor_mdns_state(&m.mdns), COR_MDNS_PROBING);
    expect_group(h, 250 * MS, probe_text);
    CHECK_EQ(get16(h->frame + 42 + 2), 0);
    for (uint32_t i = 0; i < 2; i++) {
        at_us = h->now_us;
        expect_group(h, 250 * MS, probe_text);
        CHECK_EQ(h->now_us - at_us, 250 * MS);
    }
    at_us = h->now_us;
    expect_group(h, 250 * MS, announcement_text);
    CHECK_EQ(h->now_us - at_us, 250 * MS);
    CHECK_EQ(get16(h->frame + 42 + 2), 0x8400);
    at_us = h->now_us;
    expect_group(h, SECOND, announcement_text);
    CHECK_EQ(h->now_us - at_us, SECOND);
    CHECK_EQ(cor_mdns_state(&m.mdns), COR_MDNS_RUNNING);
    expect_silence(h, 10000 * SECOND);
}

TEST(a_host_without_a_service_has_only_its_name) {
    struct host *h = start_mdns_with((struct cor_mdns_config){.host = "pico"});

    for (uint32_t i = 0; i < 3; i++) {
        expect_group(h, 250 * MS, "? pico.local 255 unicast\n^ pico.local A 10.0.0.2 120\n");
    }
    expect_group(h, 250 * MS, "= pico.local A 10.0.0.2 120 flush\n");
    expect_group(h, SECOND, "= pico.local A 10.0.0.2 120 flush\n");
    give_question(h, "_services._dns-sd._udp.local", TYPE_PTR);
    expect_silence(h, SECOND);
}

static void give_address(struct host *h, uint32_t section, const uint8_t *address) {
    out_start(0x8400);
    out_record(section, "PICO.local", TYPE_A, 1 | FLUSH, 120, address, 4);
    out_send(h);
}

static const char renamed_probe[] = "? pico-2.local 255 unicast\n"
                                    "? Bench._coradio._tcp.local 255 unicast\n"
                                    "^ pico-2.local A 10.0.0.2 120\n"
                                    "^ Bench._coradio._tcp.local SRV 5001 pico-2.local 120\n"
                                    "^ Bench._coradio._tcp.local TXT 7 4500\n";

TEST(a_name_that_somebody_has_gets_a_number) {
    char text[64];
    struct host *h = start_mdns();

    expect_group(h, 250 * MS, probe_text);
    give_address(h, 1, other_address);
    expect_group(h, 0, renamed_probe);
    CHECK_TEXT(cor_mdns_host_text(&m.mdns, text), "pico-2");
    CHECK_TEXT(cor_mdns_instance_text(&m.mdns, text), "Bench");
    expect_group(h, 250 * MS, renamed_probe);
    expect_group(h, 250 * MS, renamed_probe);
    CHECK_EQ(m.mdns.counters.conflicts, 1);
    // The old name is nobody of ours.
    give_address(h, 3, other_address);
    CHECK_EQ(m.mdns.counters.conflicts, 1);
}

TEST(a_service_that_somebody_has_gets_a_number_of_its_own) {
    char text[64];
    struct host *h = start_mdns();
    static const uint8_t srv[] = "\0\0\0\0\x13\x89\5other\5local";

    expect_group(h, 250 * MS, probe_text);
    out_start(0x8400);
    out_record(1, "Bench._coradio._tcp.local", TYPE_SRV, 1 | FLUSH, 120, srv, sizeof(srv));
    out_send(h);
    (void)next_message(h, 0);
    CHECK_TEXT(cor_mdns_instance_text(&m.mdns, text), "Bench (2)");
    CHECK_TEXT(cor_mdns_host_text(&m.mdns, text), "pico");
    CHECK(strstr(m.said, "? Bench (2)._coradio._tcp.local 255 unicast\n") != NULL);
    out_start(0x8400);
    out_record(3, "Bench (2)._coradio._tcp.local", TYPE_TXT, 1 | FLUSH, 120, "\1x", 2);
    out_send(h);
    (void)next_message(h, 0);
    CHECK_TEXT(cor_mdns_instance_text(&m.mdns, text), "Bench (3)");
}

TEST(our_own_records_and_goodbyes_are_no_conflict) {
    struct host *h = start_mdns();
    static const uint8_t srv[] = "\0\0\0\0\x13\x89\4PICO\5Local";

    expect_group(h, 250 * MS, probe_text);
    give_address(h, 1, our_address);
    out_start(0x8400);
    out_record(1, "Bench._coradio._tcp.local", TYPE_SRV, 1 | FLUSH, 120, srv, sizeof(srv));
    out_record(1, "Bench._coradio._tcp.local", TYPE_TXT, 1 | FLUSH, 4500, "\6path=/", 7);
    out_record(1, "pico.local", TYPE_A, 1 | FLUSH, 0, other_address, 4);
    out_record(1, "other.local", TYPE_A, 1 | FLUSH, 120, other_address, 4);
    out_record(1, "pico.local", TYPE_A, 3, 120, other_address, 4);
    out_send(h);
    CHECK_EQ(m.mdns.counters.conflicts, 0);
    expect_group(h, 250 * MS, probe_text);
}

// RFC 6762 8.1: any record of the name is one too many while we probe for it.
TEST(a_record_of_another_type_is_a_conflict_while_probing_only) {
    struct host *h = start_mdns();

    expect_group(h, 250 * MS, probe_text);
    out_start(0x8400);
    out_record(1, "pico.local", TYPE_AAAA, 1 | FLUSH, 120, "0123456789abcdef", 16);
    out_send(h);
    expect_group(h, 0, renamed_probe);
    h = start_running();
    out_start(0x8400);
    out_record(1, "pico.local", TYPE_AAAA, 1 | FLUSH, 120, "0123456789abcdef", 16);
    out_send(h);
    CHECK_EQ(m.mdns.counters.conflicts, 0);
}

// RFC 6762 9: probed for again, and only then given up.
TEST(a_conflict_over_a_name_in_use_is_probed_out) {
    struct host *h = start_running();

    give_address(h, 1, other_address);
    CHECK_EQ(cor_mdns_state(&m.mdns), COR_MDNS_PROBING);
    expect_group(h, 0, probe_text);
    // Silent while in doubt.
    give_question(h, "pico.local", TYPE_A);
    expect_group(h, 250 * MS, probe_text);
    give_address(h, 1, other_address);
    expect_group(h, 0, renamed_probe);
    // And if nobody says a word, the name stays.
    h = start_running();
    give_address(h, 1, other_address);
    pass_probes(h);
    expect_group(h, 250 * MS, announcement_text);
}

static void give_probe(struct host *h, const uint8_t *address) {
    out_start(0);
    out_question("pico.local", TYPE_ANY, 1 | UNICAST);
    out_record(2, "pico.local", TYPE_A, 1, 120, address, 4);
    out_send(h);
}

// RFC 6762 8.2: the greater data go first; the other waits a second and begins again.
TEST(of_two_that_probe_at_once_the_greater_goes_first) {
    struct host *h = start_mdns();

    expect_group(h, 250 * MS, probe_text);
    give_probe(h, lower_address);
    give_probe(h, our_address);
    uint64_t from_us = h->now_us;
    expect_group(h, 250 * MS, probe_text);
    CHECK_EQ(h->now_us - from_us, 250 * MS);
    give_probe(h, other_address);
    from_us = h->now_us;
    expect_group(h, SECOND, probe_text);
    CHECK_EQ(h->now_us - from_us, SECOND);
    // The other has the name by now.
    give_address(h, 1, other_address);
    expect_group(h, 0, renamed_probe);
}

static void give_service_probe(
    struct host *h, uint32_t txt_bytes, const char *txt, uint32_t srv_bytes, const char *srv) {
    out_start(0);
    out_question("Bench._coradio._tcp.local", TYPE_ANY, 1 | UNICAST);
    // In the wrong order: it is the order of types that counts.
    out_record(2, "Bench._coradio._tcp.local", TYPE_SRV, 1, 120, srv, srv_bytes);
    if (txt_bytes != 0) {
        out_record(2, "Bench._coradio._tcp.local", TYPE_TXT, 1, 120, txt, txt_bytes);
    }
    out_send(h);
}

static bool gives_way(uint32_t txt_bytes, const char *txt, uint32_t srv_bytes, const char *srv) {
    struct host *h = start_mdns();

    expect_group(h, 250 * MS, probe_text);
    give_service_probe(h, txt_bytes, txt, srv_bytes, srv);
    uint64_t from_us = h->now_us;
    expect_group(h, SECOND, probe_text);
    CHECK(h->now_us - from_us == SECOND || h->now_us - from_us == 250 * MS);
    return h->now_us - from_us == SECOND;
}

TEST(proposals_for_a_service_compare_by_type_then_data_then_length) {
    static const char equal[] = "\0\0\0\0\x13\x89\4pico\5local";
    static const char greater[] = "\0\0\0\0\x13\x8A\4pico\5local";
    static const char lower[] = "\0\0\0\0\x13\x88\4pico\5local";

    CHECK(!gives_way(7, "\6path=/", sizeof(equal), equal));
    CHECK(gives_way(7, "\6path=/", sizeof(greater), greater));
    CHECK(!gives_way(7, "\6path=/", sizeof(lower), lower));
    CHECK(gives_way(7, "\6path=0", sizeof(lower), lower));
    CHECK(!gives_way(7, "\6path=.", sizeof(greater), greater));
    CHECK(gives_way(9, "\6path=/\1x", sizeof(equal), equal));
    CHECK(!gives_way(2, "\6p", sizeof(greater), greater));
    // Without TXT their first record is SRV, whose type is greater than that of our TXT.
    CHECK(gives_way(0, NULL, sizeof(lower), lower));
    // Broken data lose.
    CHECK(!gives_way(7, "\6path=/", 6, "\0\0\0\0\xFF\xFF"));
}

TEST(fifteen_conflicts_in_ten_seconds_slow_the_probing_down) {
    struct host *h = start_mdns();

    for (uint32_t i = 0; i < 20; i++) {
        char name[32];
        uint64_t from_us = h->now_us;

        (void)next_message(h, 5 * SECOND);
        CHECK_EQ(h->now_us - from_us > SECOND, i >= 15);
        (void)snprintf(name, sizeof(name), i == 0 ? "pico.local" : "pico-%u.local", i + 1);
        CHECK(strstr(m.said, name) != NULL);
        out_start(0x8400);
        out_record(1, name, TYPE_A, 1 | FLUSH, 120, other_address, 4);
        out_send(h);
        CHECK_EQ(m.mdns.counters.conflicts, i + 1);
    }
}

TEST(long_names_keep_room_for_their_number) {
    char host[64];
    char text[64];
    struct cor_mdns_config config = mdns_config();
    struct host *h;

    memset(host, 'h', 63);
    host[63] = '\0';
    config.host = host;
    config.instance = host;
    config.type = "_abcdefghijklmno._tcp";
    h = start_mdns_with(config);
    (void)next_message(h, 250 * MS);
    out_start(0x8400);
    (void)snprintf(m.said, sizeof(m.said), "%s.local", host);
    out_record(1, m.said, TYPE_A, 1 | FLUSH, 120, other_address, 4);
    (void)snprintf(m.said, sizeof(m.said), "%s._abcdefghijklmno._tcp.local", host);
    out_record(1, m.said, TYPE_TXT, 1 | FLUSH, 120, "\1x", 2);
    out_send(h);
    for (uint32_t i = 0; i < 5; i++) {
        (void)next_message(h, SECOND);
    }
    CHECK_EQ(strlen(cor_mdns_host_text(&m.mdns, text)), 57);
    CHECK_TEXT(text + 55, "-2");
    CHECK_EQ(strlen(cor_mdns_instance_text(&m.mdns, text)), 59);
    CHECK_TEXT(text + 54, "h (2)");
}

TEST(a_new_address_and_a_new_link_are_probed_and_announced) {
    struct host *h = start_running();

    cor_net_set_address(&h->net, COR_IP4(10, 0, 0, 78), 0xFFFFFF00, 0, h->now_us);
    (void)next_message(h, 250 * MS);
    CHECK(strstr(m.said, "^ pico.local A 10.0.0.78 120\n") != NULL);
    (void)next_message(h, 250 * MS);
    (void)next_message(h, 250 * MS);
    (void)next_message(h, 250 * MS);
    CHECK(strstr(m.said, "= pico.local A 10.0.0.78 120 flush\n") != NULL);
    (void)next_message(h, SECOND);
    // Without an address nothing is said.
    cor_net_set_address(&h->net, 0, 0, 0, h->now_us);
    give_question(h, "pico.local", TYPE_A);
    expect_silence(h, 10 * SECOND);
    CHECK_EQ(cor_mdns_state(&m.mdns), COR_MDNS_WAITING);
    cor_net_set_address(&h->net, OUR_ADDRESS, 0xFFFFFF00, 0, h->now_us);
    pass_probes(h);
    set_link(h, false);
    expect_silence(h, 10 * SECOND);
    set_link(h, true);
    pass_probes(h);
    expect_group(h, 250 * MS, announcement_text);
}

TEST(a_goodbye_takes_everything_back) {
    struct host *h = start_running();

    cor_mdns_stop(&m.mdns, h->now_us);
    expect_group(
        h,
        0,
        "= pico.local A 10.0.0.2 0 flush\n"
        "= _coradio._tcp.local PTR Bench._coradio._tcp.local 0\n"
        "= Bench._coradio._tcp.local SRV 5001 pico.local 0 flush\n"
        "= Bench._coradio._tcp.local TXT 7 0 flush\n"
        "= _services._dns-sd._udp.local PTR _coradio._tcp.local 0\n");
    give_question(h, "pico.local", TYPE_A);
    expect_silence(h, 10 * SECOND);
    CHECK_EQ(cor_mdns_state(&m.mdns), COR_MDNS_OFF);
    CHECK(m.groups[0].users == 0 && m.groups[1].users == 0);
    CHECK_EQ(cor_mdns_start(&m.mdns, h->now_us), COR_OK);
    CHECK_EQ(cor_mdns_start(&m.mdns, h->now_us), COR_E_STATE);
    pass_probes(h);
    // What was never announced needs no goodbye.
    cor_mdns_stop(&m.mdns, h->now_us);
    expect_silence(h, SECOND);
}

TEST(names_that_are_none_are_refused) {
    static const struct cor_mdns_config bad[] = {
        {.host = ""},
        {.host = "0123456789012345678901234567890123456789012345678901234567890123"},
        {.host = "pico", .instance = "", .type = "_x._tcp"},
        {.host = "pico", .instance = "i", .type = ""},
        {.host = "pico", .instance = "i", .type = "_x._tcp."},
        {.host = "pico", .instance = "i", .type = "_x.._tcp"},
        {.host = "pico", .instance = "i", .type = "_0123456789012345._tcp"},
        {.host = "pico", .instance = "i", .type = "_x._tcp", .txt_bytes = 300},
        {.host = "pico",
         .instance = "i",
         .type = "_x._tcp",
         .txt_bytes = 3,
         .txt = (const uint8_t *)"\3ab"},
    };

    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(&m, 0, sizeof(m));
        start_net(&m.h);
        bool longest = i == 6;  // 22 letters, which are just allowed
        CHECK_EQ(cor_mdns_init(&m.mdns, &m.h.net, &m.igmp, &bad[i]), longest ? COR_OK : COR_E_ARG);
    }
}

TEST_MAIN(
    CASE(names_are_probed_for_three_times_and_announced_twice),
    CASE(a_host_without_a_service_has_only_its_name),
    CASE(a_name_that_somebody_has_gets_a_number),
    CASE(a_service_that_somebody_has_gets_a_number_of_its_own),
    CASE(our_own_records_and_goodbyes_are_no_conflict),
    CASE(a_record_of_another_type_is_a_conflict_while_probing_only),
    CASE(a_conflict_over_a_name_in_use_is_probed_out),
    CASE(of_two_that_probe_at_once_the_greater_goes_first),
    CASE(proposals_for_a_service_compare_by_type_then_data_then_length),
    CASE(fifteen_conflicts_in_ten_seconds_slow_the_probing_down),
    CASE(long_names_keep_room_for_their_number),
    CASE(a_new_address_and_a_new_link_are_probed_and_announced),
    CASE(a_goodbye_takes_everything_back),
    CASE(names_that_are_none_are_refused))
