// SPDX-License-Identifier: MIT
// Scenario 18: the groups joined and left in the stack are those the chip's filter lets through;
// what does not fit makes it let all through, and groups that share a hardware address share its
// entry.
#include "driver_world.h"

#include "coradio/igmp.h"
#include "coradio/ip4.h"
#include "coradio/net.h"

#define GROUPS (COR_CYW43_GROUPS_MAX + 6)

static struct {
    struct world *world;
    struct cor_net net;
    struct cor_igmp igmp;
    struct cor_igmp_group groups[GROUPS];
    uint8_t macs[COR_CYW43_GROUPS_MAX][6];
} m;

// What a port puts between the two.
static void program(void *context, const struct cor_igmp_filter *filter) {
    (void)context;
    cor_cyw43_set_multicast(&m.world->driver, filter->macs, filter->count, filter->all);
}

static void open_all(void) {
    struct options options = options_default();
    struct cor_net_config net = {
        .address = COR_IP4(192, 168, 1, 2), .netmask = 0xFFFFFF00, .secret = {1, 2}};
    struct cor_igmp_config igmp = {
        .groups = m.groups,
        .group_count = GROUPS,
        .macs = m.macs,
        .filter_count = COR_CYW43_GROUPS_MAX,
        .filter = program,
    };

    memset(&m, 0, sizeof(m));
    m.world = world_joined(&options);
    memcpy(net.mac, world_board, 6);
    cor_net_init(&m.net, &net, world_now_us(m.world));
    cor_igmp_init(&m.igmp, &m.net, &igmp);
}

// The chip takes a setting through a control request, which takes a few milliseconds.
static void settle(void) {
    twin_board_interrupt(m.world->board);
    world_run_ns(m.world, 200000000);
}

static void join(uint32_t group) {
    CHECK_EQ(cor_igmp_join(&m.igmp, group, world_now_us(m.world)), COR_OK);
    settle();
}

static void leave(uint32_t group) {
    CHECK_EQ(cor_igmp_leave(&m.igmp, group, world_now_us(m.world)), COR_OK);
    settle();
}

// Does a frame to the group's hardware address (RFC 1112 6.4) come through the chip?
static bool comes(uint32_t group) {
    const uint8_t to[6] = {
        0x01, 0x00, 0x5E, (group >> 16) & 0x7F, (group >> 8) & 0xFF, group & 0xFF};
    struct twin_frame *frame = twin_frame_get(m.world->frames);
    struct twin_port port = twin_ap_port(m.world->ap);
    uint32_t before = m.world->answers;

    memset(frame->data, 0, ANSWER_BYTES);
    memcpy(frame->data, to, 6);
    memcpy(frame->data + 6, world_peer, 6);
    frame->data[12] = ETHER_TYPE_TEST >> 8;
    frame->data[13] = ETHER_TYPE_TEST & 0xFF;
    frame->size_bytes = ANSWER_BYTES;
    port.input(port.context, frame);
    world_run_ns(m.world, 300000000);
    CHECK(m.world->answers - before <= 1);
    return m.world->answers != before;
}

static uint32_t group(uint32_t i) {
    return COR_IP4(239, 1, 2, 3) + i;
}

TEST(scenario_18_the_chip_lets_through_what_is_joined_and_nothing_else) {
    open_all();
    CHECK(!comes(group(0)));
    join(group(0));
    join(group(1));
    CHECK(comes(group(0)));
    CHECK(comes(group(1)));
    CHECK(!comes(group(2)));
    leave(group(0));
    CHECK(!comes(group(0)));
    CHECK(comes(group(1)));
    CHECK(comes(COR_IP4(224, 0, 0, 1)));  // all hosts, always
    world_close(m.world);
}

TEST(scenario_18_a_group_joined_twice_stays_until_it_is_left_twice) {
    open_all();
    join(group(0));
    join(group(0));
    // Another group with the same hardware address.
    join(COR_IP4(224, 129, 2, 3));
    leave(group(0));
    CHECK(comes(group(0)));
    leave(group(0));
    CHECK(comes(group(0)));
    leave(COR_IP4(224, 129, 2, 3));
    CHECK(!comes(group(0)));
    world_close(m.world);
}

TEST(scenario_18_more_groups_than_the_filter_has_let_all_through) {
    open_all();
    for (uint32_t i = 0; i < COR_CYW43_GROUPS_MAX + 2; i++) {
        join(group(i));
    }
    for (uint32_t i = 0; i < COR_CYW43_GROUPS_MAX + 2; i++) {
        CHECK(comes(group(i)));
    }
    CHECK(comes(group(100)));
    CHECK(cor_igmp_get_counters(&m.igmp)->filter_overflows > 0);
    // Fewer again: exact again.
    for (uint32_t i = 4; i < COR_CYW43_GROUPS_MAX + 2; i++) {
        leave(group(i));
    }
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(comes(group(i)));
    }
    CHECK(!comes(group(5)));
    CHECK(!comes(group(100)));
    world_close(m.world);
}

// A radio that was off and on again has forgotten its filter; the driver has not.
TEST(scenario_18_the_filter_is_there_again_after_a_restart) {
    open_all();
    join(group(0));
    cor_cyw43_stop(&m.world->driver, world_now_us(m.world));
    world_run_ns(m.world, 500000000);
    CHECK_EQ(world_start(m.world), COR_RADIO_READY);
    CHECK_EQ(world_join(m.world), COR_RADIO_JOINED);
    cor_igmp_refresh(&m.igmp);
    settle();
    CHECK(comes(group(0)));
    CHECK(!comes(group(1)));
    world_close(m.world);
}

TEST_MAIN(
    CASE(scenario_18_the_chip_lets_through_what_is_joined_and_nothing_else),
    CASE(scenario_18_a_group_joined_twice_stays_until_it_is_left_twice),
    CASE(scenario_18_more_groups_than_the_filter_has_let_all_through),
    CASE(scenario_18_the_filter_is_there_again_after_a_restart))
