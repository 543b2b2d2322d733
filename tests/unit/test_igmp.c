// SPDX-License-Identifier: MIT
// IGMP: joining and leaving groups, message by message, and the radio's filter.
#include "service_host.h"

#include "coradio/igmp.h"
#include "coradio/udp.h"

#define GROUP   COR_IP4(239, 1, 2, 3)
#define GROUPS  6
#define FILTERS 4

static struct {
    struct host h;
    struct cor_igmp igmp;
    struct cor_igmp_group groups[GROUPS];
    uint8_t macs[FILTERS][6];
    // The radio.
    uint8_t list[FILTERS][6];
    uint32_t count;
    bool all;
    uint32_t calls;
    // A socket.
    struct cor_udp udp;
    struct cor_udp_slot slot;
    uint32_t memory[16];
    uint32_t received;
    uint32_t received_to;
} w;

static uint64_t poll_nothing(struct host *h) {
    (void)h;
    return COR_NET_NEVER;
}

static void filter(void *context, const struct cor_igmp_filter *f) {
    CHECK(context == &w);
    CHECK(f->count <= FILTERS);
    memcpy(w.list, f->macs, f->count * 6);
    w.count = f->count;
    w.all = f->all;
    w.calls++;
}

static void receive(void *context, const struct cor_udp_datagram *d) {
    (void)context;
    w.received++;
    w.received_to = d->to;
}

static void add_igmp(struct host *h) {
    cor_igmp_init(
        &w.igmp,
        &h->net,
        &(struct cor_igmp_config){
            .groups = w.groups,
            .group_count = GROUPS,
            .macs = w.macs,
            .filter_count = FILTERS,
            .filter = filter,
            .context = &w,
        });
}

static struct host *begin(void) {
    memset(&w, 0, sizeof(w));
    start_net(&w.h);
    add_igmp(&w.h);
    return &w.h;
}

// The frame pulled last is this IGMP message.
static void check_igmp(const struct host *h, uint8_t type, uint32_t to, uint32_t group) {
    const uint8_t *ip = h->frame + 14;
    uint8_t mac[6] = {0x01, 0x00, 0x5E};

    mac[3] = (uint8_t)((to >> 16) & 0x7F);
    mac[4] = (uint8_t)(to >> 8);
    mac[5] = (uint8_t)to;
    CHECK_EQ(h->frame_bytes, 14 + 24 + 8);
    CHECK_BYTES(h->frame, mac, 6);
    CHECK_EQ(ip[0], 0x46);
    CHECK_EQ(get16(ip + 2), 32);
    CHECK_EQ(ip[8], 1);
    CHECK_EQ(ip[9], 2);
    CHECK_EQ(plain_sum(ip, 24, 0), 0xFFFF);
    CHECK_BYTES(ip + 20, "\x94\4\0\0", 4);
    CHECK_EQ(get32(ip + 12), OUR_ADDRESS);
    CHECK_EQ(get32(ip + 16), to);
    CHECK_EQ(ip[24], type);
    CHECK_EQ(ip[25], 0);
    CHECK_EQ(plain_sum(ip + 24, 8, 0), 0xFFFF);
    CHECK_EQ(get32(ip + 28), group);
}

static void expect_report(struct host *h, uint32_t group, uint64_t within_us) {
    CHECK(next_frame_within(h, poll_nothing, within_us));
    check_igmp(h, 0x16, group, group);
}

// A router's or another host's message.
static void give_igmp(
    struct host *h, uint8_t type, uint8_t response_100ms, uint32_t to, uint32_t group) {
    uint8_t *frame = new_frame(42);
    uint8_t *ip = frame + 14;

    put_ip(frame, 2, 8);
    memcpy(frame, "\x01\0\x5E\0\0\1", 6);
    put32(ip + 16, to);
    put16(ip + 10, 0);
    put16(ip + 10, ~plain_sum(ip, 20, 0));
    memset(ip + 20, 0, 8);
    ip[20] = type;
    ip[21] = response_100ms;
    put32(ip + 24, group);
    put16(ip + 22, ~plain_sum(ip + 20, 8, 0));
    (void)give(h, frame, 42);
}

static void give_query(struct host *h, uint8_t response_100ms, uint32_t group) {
    give_igmp(h, 0x11, response_100ms, group == 0 ? COR_IP4(224, 0, 0, 1) : group, group);
}

static struct host *begin_joined(void) {
    struct host *h = begin();

    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    expect_report(h, GROUP, 0);
    expect_report(h, GROUP, 10 * SECOND);
    CHECK(!next_frame_within(h, poll_nothing, 1000 * SECOND));
    return h;
}

TEST(a_join_reports_at_once_and_once_more_within_ten_seconds) {
    struct host *h = begin();

    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    expect_report(h, GROUP, 0);
    expect_nothing(h);
    uint64_t from_us = h->now_us;
    expect_report(h, GROUP, 10 * SECOND);
    CHECK(h->now_us > from_us);
    CHECK(!next_frame_within(h, poll_nothing, 1000 * SECOND));
    CHECK_EQ(w.igmp.counters.reports_sent, 2);
}

TEST(groups_are_counted_and_the_last_leave_is_told) {
    struct host *h = begin_joined();

    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK_EQ(cor_igmp_leave(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK(!next_frame_within(h, poll_nothing, SECOND));
    CHECK_EQ(cor_igmp_leave(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK(next_frame_within(h, poll_nothing, 0));
    check_igmp(h, 0x17, COR_IP4(224, 0, 0, 2), GROUP);
    CHECK(!next_frame_within(h, poll_nothing, 1000 * SECOND));
    CHECK_EQ(cor_igmp_leave(&w.igmp, GROUP, h->now_us), COR_E_ARG);
    CHECK_EQ(cor_igmp_leave(&w.igmp, 0, h->now_us), COR_E_ARG);
    CHECK_EQ(cor_igmp_join(&w.igmp, COR_IP4(10, 0, 0, 1), h->now_us), COR_E_ARG);
}

TEST(a_group_left_and_joined_again_is_reported_not_left) {
    struct host *h = begin_joined();

    CHECK_EQ(cor_igmp_leave(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    expect_report(h, GROUP, 0);
    expect_report(h, GROUP, 10 * SECOND);
    CHECK_EQ(w.igmp.counters.leaves_sent, 0);
}

TEST(a_query_is_answered_by_chance_within_its_time) {
    struct host *h = begin_joined();
    uint64_t differences = 0;

    for (uint32_t i = 0; i < 20; i++) {
        uint64_t from_us = h->now_us;

        give_query(h, 30, 0);
        expect_report(h, GROUP, 3 * SECOND);
        differences |= h->now_us - from_us;
        CHECK(!next_frame_within(h, poll_nothing, 10 * SECOND));
    }
    CHECK(differences > SECOND);
    // A query about our group, and one about another one.
    give_query(h, 10, GROUP);
    expect_report(h, GROUP, SECOND);
    give_query(h, 10, GROUP + 1);
    CHECK(!next_frame_within(h, poll_nothing, 10 * SECOND));
}

TEST(a_shorter_query_hurries_a_report_and_a_longer_one_does_not_delay_it) {
    struct host *h = begin_joined();
    uint64_t from_us = h->now_us;

    give_query(h, 100, 0);
    give_query(h, 1, 0);
    give_query(h, 100, 0);
    expect_report(h, GROUP, SECOND);
    CHECK(h->now_us - from_us <= 100 * MS);
    CHECK(!next_frame_within(h, poll_nothing, 20 * SECOND));
}

TEST(another_hosts_report_is_enough_and_then_we_leave_silently) {
    struct host *h = begin_joined();

    give_query(h, 100, 0);
    give_igmp(h, 0x16, 0, GROUP, GROUP);
    CHECK(!next_frame_within(h, poll_nothing, 20 * SECOND));
    CHECK_EQ(w.igmp.counters.reports_suppressed, 1);
    CHECK_EQ(cor_igmp_leave(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK(!next_frame_within(h, poll_nothing, 20 * SECOND));
}

TEST(a_router_of_version_1_gets_reports_of_version_1_and_no_leave) {
    struct host *h = begin_joined();

    give_query(h, 0, 0);
    CHECK(next_frame_within(h, poll_nothing, 10 * SECOND));
    check_igmp(h, 0x12, GROUP, GROUP);
    CHECK_EQ(cor_igmp_leave(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK(!next_frame_within(h, poll_nothing, 500 * SECOND));
    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    expect_report(h, GROUP, 0);  // 400 s have passed
}

TEST(damaged_and_senseless_messages_change_nothing) {
    struct host *h = begin_joined();

    give_igmp(h, 0x11, 10, COR_IP4(224, 0, 0, 1), COR_IP4(10, 0, 0, 1));
    give_igmp(h, 0x16, 0, GROUP, GROUP + 1);
    give_igmp(h, 0x17, 0, COR_IP4(224, 0, 0, 1), GROUP);
    give_igmp(h, 0x22, 0, COR_IP4(224, 0, 0, 1), GROUP);
    CHECK_EQ(w.igmp.counters.drop_message, 4);
    uint8_t *frame = new_frame(42);
    put_ip(frame, 2, 8);
    memset(frame + 34, 0x11, 8);
    (void)give(h, frame, 42);
    CHECK_EQ(h->net.counters.drop_igmp, 1);
    CHECK(!next_frame_within(h, poll_nothing, 100 * SECOND));
}

TEST(nothing_is_said_before_there_is_an_address) {
    struct host *h = &w.h;

    memset(&w, 0, sizeof(w));
    start_bare_net(h);
    add_igmp(h);
    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK(!next_frame_within(h, poll_nothing, 100 * SECOND));
    cor_net_set_address(&h->net, OUR_ADDRESS, 0xFFFFFF00, 0, h->now_us);
    CHECK(next_frame_within(h, poll_nothing, 0));
    check_arp(h, OUR_ADDRESS, OUR_ADDRESS);
    expect_report(h, GROUP, 0);
    expect_report(h, GROUP, 10 * SECOND);
}

TEST(a_link_that_comes_back_hears_of_the_groups) {
    struct host *h = begin_joined();

    set_link(h, false);
    CHECK(!next_frame_within(h, poll_nothing, SECOND));
    set_link(h, true);
    CHECK(next_frame_within(h, poll_nothing, 0));
    check_arp(h, OUR_ADDRESS, OUR_ADDRESS);
    expect_report(h, GROUP, 0);
}

TEST(datagrams_to_a_group_are_received_only_while_it_is_joined) {
    struct host *h = begin();
    struct dgram d = {
        .mac = (const uint8_t *)"\x01\0\x5E\1\2\3",
        .from = PEER_ADDRESS,
        .to = GROUP,
        .from_port = 9,
        .to_port = 4000,
    };

    cor_udp_init(
        &w.udp,
        &h->net,
        &(struct cor_udp_config){
            .memory = (uint8_t *)w.memory,
            .slot_bytes = 64,
            .slot_count = 1,
            .slots = &w.slot,
            .local_port = 4000,
            .receive = receive});
    give_udp(h, &d);
    CHECK_EQ(w.received, 0);
    CHECK_EQ(h->net.counters.drop_ip_address, 1);
    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    give_udp(h, &d);
    CHECK_EQ(w.received, 1);
    CHECK_EQ(w.received_to, GROUP);
    // Another group with the same hardware address.
    d.to = COR_IP4(239, 129, 2, 3);
    give_udp(h, &d);
    CHECK_EQ(w.received, 1);
    // All hosts are always a group of ours.
    d.to = COR_IP4(224, 0, 0, 1);
    give_udp(h, &d);
    CHECK_EQ(w.received, 2);
    // No echo, no reset for a group.
    uint8_t *frame = new_frame(42);
    put_ip(frame, 1, 8);
    put32(frame + 30, GROUP);
    put16(frame + 24, 0);
    put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
    memcpy(frame + 34, "\x08\0\xF7\xFF\0\0\0\0", 8);
    (void)give(h, frame, 42);
    CHECK_EQ(h->net.counters.echo_limited, 1);
    CHECK_EQ(cor_igmp_leave(&w.igmp, GROUP, h->now_us), COR_OK);
    d.to = GROUP;
    give_udp(h, &d);
    CHECK_EQ(w.received, 2);
}

// Scenario 18: exactly the groups joined, or everything.
TEST(scenario_18_the_filter_holds_exactly_the_groups_or_lets_all_through) {
    struct host *h = begin();

    CHECK_EQ(w.calls, 1);
    CHECK_EQ(w.count, 1);
    CHECK_BYTES(w.list[0], "\x01\0\x5E\0\0\1", 6);
    CHECK_EQ(cor_igmp_join(&w.igmp, COR_IP4(224, 0, 0, 251), h->now_us), COR_OK);
    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK_EQ(w.count, 3);
    CHECK_BYTES(w.list[1], "\x01\0\x5E\0\0\xFB", 6);
    CHECK_BYTES(w.list[2], "\x01\0\x5E\1\2\3", 6);
    // Groups that share a hardware address share an entry.
    CHECK_EQ(cor_igmp_join(&w.igmp, COR_IP4(239, 129, 2, 3), h->now_us), COR_OK);
    CHECK_EQ(w.count, 3);
    CHECK_EQ(cor_igmp_join(&w.igmp, COR_IP4(239, 0, 0, 9), h->now_us), COR_OK);
    CHECK_EQ(w.count, 4);
    CHECK(!w.all);
    CHECK_EQ(cor_igmp_join(&w.igmp, COR_IP4(239, 0, 0, 10), h->now_us), COR_OK);
    CHECK(w.all);
    CHECK_EQ(w.count, 0);
    CHECK_EQ(w.igmp.counters.filter_overflows, 1);
    CHECK_EQ(cor_igmp_leave(&w.igmp, COR_IP4(224, 0, 0, 251), h->now_us), COR_OK);
    CHECK(!w.all);
    CHECK_EQ(w.count, 4);
    uint32_t calls = w.calls;
    // A second user and a second leave change no filter.
    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK_EQ(cor_igmp_leave(&w.igmp, GROUP, h->now_us), COR_OK);
    CHECK_EQ(w.calls, calls);
    cor_igmp_refresh(&w.igmp);
    CHECK_EQ(w.calls, calls + 1);
    CHECK_EQ(w.count, 4);
}

TEST(more_groups_than_entries_are_refused) {
    struct host *h = begin();

    for (uint32_t i = 0; i < GROUPS; i++) {
        CHECK_EQ(cor_igmp_join(&w.igmp, GROUP + i, h->now_us), COR_OK);
    }
    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP + GROUPS, h->now_us), COR_E_NOMEM);
    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP, h->now_us), COR_OK);
    for (uint32_t i = 0; i < GROUPS; i++) {
        CHECK(next_frame_within(h, poll_nothing, 0));
    }
    CHECK_EQ(cor_igmp_leave(&w.igmp, GROUP + 3, h->now_us), COR_OK);
    CHECK(next_frame_within(h, poll_nothing, 0));
    CHECK_EQ(cor_igmp_join(&w.igmp, GROUP + GROUPS, h->now_us), COR_OK);
}

TEST_MAIN(
    CASE(a_join_reports_at_once_and_once_more_within_ten_seconds),
    CASE(groups_are_counted_and_the_last_leave_is_told),
    CASE(a_group_left_and_joined_again_is_reported_not_left),
    CASE(a_query_is_answered_by_chance_within_its_time),
    CASE(a_shorter_query_hurries_a_report_and_a_longer_one_does_not_delay_it),
    CASE(another_hosts_report_is_enough_and_then_we_leave_silently),
    CASE(a_router_of_version_1_gets_reports_of_version_1_and_no_leave),
    CASE(damaged_and_senseless_messages_change_nothing),
    CASE(nothing_is_said_before_there_is_an_address),
    CASE(a_link_that_comes_back_hears_of_the_groups),
    CASE(datagrams_to_a_group_are_received_only_while_it_is_joined),
    CASE(scenario_18_the_filter_holds_exactly_the_groups_or_lets_all_through),
    CASE(more_groups_than_entries_are_refused))
