// SPDX-License-Identifier: MIT
// Loss probes (RFC 8985 7).
#include "net_host.h"

#define S 1460U  // a full segment

static struct host h_;

static uint32_t drain(struct host *h) {
    uint32_t count = 0;

    while (pull(h)) {
        count++;
    }
    return count;
}

// Open, a round trip of 10 ms, `count` segments in flight and `more` that wait for the window.
static struct host *flying(uint32_t count, uint32_t more, bool sack) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.sack_ok = sack));
    h->tcp.congestion.window_bytes = count * S;
    (void)fill(h, (count + more) * S);
    CHECK_EQ(drain(h), count);
    return h;
}

static void ack(struct host *h, uint32_t segments) {
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + segments * S);
}

static void sack(struct host *h, uint32_t segments, uint32_t first, uint32_t last) {
    SEND(
        h,
        .flags = ACK,
        .seq = 1,
        .ack = 1 + segments * S,
        .sacks = {1 + first * S, 1 + (last + 1) * S});
}

static void expect_data(struct host *h, uint32_t segment) {
    CHECK(pull(h));
    CHECK_EQ(get32(h->frame + 38) - h->iss, 1 + segment * S);
    CHECK_EQ(h->payload_bytes, S);
    expect_nothing(h);
}

TEST(after_two_round_trips_of_silence_the_last_goes_again) {
    struct host *h = flying(4, 0, true);

    after(h, 20 * MS - 1);
    expect_nothing(h);
    after(h, 1);
    expect_data(h, 3);
    CHECK_EQ(h->tcp.counters.loss_probes, 1);
    CHECK_EQ(h->tcp.counters.retransmit_probe, 1);
    CHECK_EQ(h->tcp.pipe_bytes, 4 * S);
    // Behind it stands the time-out, from now on.
    after(h, 200 * MS - 1);
    expect_nothing(h);
    after(h, 1);
    expect_data(h, 0);
    CHECK_EQ(h->tcp.counters.timeouts, 1);
}

TEST(new_data_goes_in_place_of_old_beyond_the_congestion_window) {
    struct host *h = flying(4, 3, true);

    after(h, 20 * MS);
    expect_data(h, 4);
    CHECK_EQ(h->tcp.counters.loss_probes, 1);
    CHECK_EQ(h->tcp.counters.bytes_retransmitted, 0);
}

TEST(the_peers_window_holds_for_a_probe) {
    struct host *h = flying(4, 3, true);

    h->tcp.snd_wnd = 4 * S;
    after(h, 20 * MS);
    expect_data(h, 3);
}

TEST(the_tail_is_repaired_without_a_timeout) {
    struct host *h = flying(6, 0, true);

    after(h, 10 * MS);
    ack(h, 2);
    // 3 and 4, the last two but two, were lost; 5 and 6 as well, and the probe tells.
    after(h, 20 * MS);
    expect_data(h, 5);
    after(h, 10 * MS);
    sack(h, 2, 5, 5);
    uint32_t again = 0;
    for (uint32_t i = 0; i < 30; i++) {
        again += drain(h);
        after(h, MS);
    }
    CHECK(again >= 1);
    CHECK_EQ(h->tcp.counters.timeouts, 0);
    CHECK_EQ(h->tcp.counters.recoveries, 1);
    CHECK(h->tcp.doubt.lost_count + again == 3);
}

TEST(a_lone_segment_waits_for_a_delayed_acknowledgement) {
    struct host *h = flying(1, 0, true);

    // 20 ms and 200 ms for the peer's delay would be later than the time-out, which is the bound.
    after(h, 200 * MS - 1);
    expect_nothing(h);
    after(h, 1);
    expect_data(h, 0);
    CHECK_EQ(h->tcp.counters.loss_probes, 1);
    CHECK_EQ(h->tcp.counters.timeouts, 0);
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), S);
    after(h, 200 * MS);
    expect_data(h, 0);
    CHECK_EQ(h->tcp.counters.timeouts, 1);
}

TEST(what_is_sent_or_acknowledged_puts_the_probe_off) {
    struct host *h = flying(4, 2, true);

    after(h, 15 * MS);
    ack(h, 1);
    CHECK(drain(h) != 0);
    after(h, 20 * MS);
    CHECK_EQ(h->tcp.counters.loss_probes, 0);
    after(h, 10 * MS);
    CHECK_EQ(drain(h), 1);
    CHECK_EQ(h->tcp.counters.loss_probes, 1);
}

TEST(one_probe_for_a_round_trip_measured) {
    struct host *h = flying(3, 0, true);

    after(h, 20 * MS);
    expect_data(h, 2);
    after(h, 10 * MS);
    // The answer to the probe, of a peer that acknowledges what was sent twice: nothing measured.
    ack(h, 3);
    h->tcp.congestion.window_bytes = 3 * S;
    (void)fill(h, 3 * S);
    CHECK_EQ(drain(h), 3);
    uint64_t samples = h->tcp.counters.rtt_samples;
    CHECK(h->tcp.tlp.samples != (uint32_t)samples);  // the first two were sent once
    after(h, 60 * MS);
    CHECK(drain(h) <= 1);
    CHECK(h->tcp.counters.loss_probes <= 2);
}

// 7.4.2: the window is halved for the loss that the probe repaired; an acknowledgement beyond what
// was in flight with it tells that there was one.
TEST(a_loss_that_a_probe_repaired_halves_the_window) {
    struct host *h = flying(4, 0, true);

    after(h, 20 * MS);
    expect_data(h, 3);
    after(h, 10 * MS);
    ack(h, 4);
    CHECK_EQ(h->tcp.counters.probes_repaired, 0);
    (void)fill(h, 2 * S);
    CHECK_EQ(drain(h), 2);
    after(h, 10 * MS);
    ack(h, 6);
    CHECK_EQ(h->tcp.counters.probes_repaired, 1);
    CHECK(cor_tcp_ssthresh_bytes(&h->tcp) <= 3 * S);
}

TEST(a_dsack_tells_that_the_probe_was_in_vain) {
    struct host *h = flying(4, 0, true);

    after(h, 20 * MS);
    expect_data(h, 3);
    ack(h, 4);
    sack(h, 4, 3, 3);
    CHECK_EQ(h->tcp.counters.dsacks, 1);
    CHECK_EQ(h->tcp.rack.multiplier, 0);  // no sign of reordering
    (void)fill(h, S);
    CHECK_EQ(drain(h), 1);
    ack(h, 5);
    CHECK_EQ(h->tcp.counters.probes_repaired, 0);
}

TEST(a_bare_duplicate_tells_it_as_well) {
    struct host *h = flying(4, 0, true);

    after(h, 20 * MS);
    expect_data(h, 3);
    ack(h, 4);
    ack(h, 4);
    CHECK(!h->tcp.doubt.probe_outstanding);
    (void)fill(h, S);
    CHECK_EQ(drain(h), 1);
    ack(h, 5);
    CHECK_EQ(h->tcp.counters.probes_repaired, 0);
}

TEST(without_sack_there_is_no_probe) {
    struct host *h = flying(4, 0, false);

    after(h, 200 * MS - 1);
    expect_nothing(h);
    CHECK_EQ(h->tcp.counters.loss_probes, 0);
}

TEST(there_is_no_probe_while_losses_are_repaired) {
    struct host *h = flying(6, 0, true);

    after(h, 10 * MS);
    sack(h, 0, 1, 3);
    CHECK_EQ(drain(h), 1);
    after(h, 150 * MS);
    CHECK_EQ(h->tcp.counters.loss_probes, 0);
}

TEST(a_frame_that_waits_for_the_bus_is_not_probed) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.sack_ok = true));
    (void)fill(h, 2 * S);
    h->hold = true;
    CHECK_EQ(drain(h), 2);
    after(h, 20 * MS);
    expect_nothing(h);
    CHECK_EQ(h->tcp.counters.loss_probes, 0);
    CHECK_EQ(h->tcp.counters.retransmit_held, 1);
    sent_all(h);
}

TEST(a_lost_fin_is_probed_too) {
    struct host *h = flying(2, 0, true);

    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = FIN | ACK, .seq = 1 + 2 * S, .ack = 1);
    after(h, 10 * MS);
    ack(h, 2);
    after(h, 200 * MS);
    EXPECT(h, .flags = FIN | ACK, .seq = 1 + 2 * S, .ack = 1);
    CHECK_EQ(h->tcp.counters.loss_probes, 1);
    CHECK_EQ(h->tcp.counters.timeouts, 0);
}

TEST_MAIN(
    CASE(after_two_round_trips_of_silence_the_last_goes_again),
    CASE(new_data_goes_in_place_of_old_beyond_the_congestion_window),
    CASE(the_peers_window_holds_for_a_probe),
    CASE(the_tail_is_repaired_without_a_timeout),
    CASE(a_lone_segment_waits_for_a_delayed_acknowledgement),
    CASE(what_is_sent_or_acknowledged_puts_the_probe_off),
    CASE(one_probe_for_a_round_trip_measured),
    CASE(a_loss_that_a_probe_repaired_halves_the_window),
    CASE(a_dsack_tells_that_the_probe_was_in_vain),
    CASE(a_bare_duplicate_tells_it_as_well),
    CASE(without_sack_there_is_no_probe),
    CASE(there_is_no_probe_while_losses_are_repaired),
    CASE(a_frame_that_waits_for_the_bus_is_not_probed),
    CASE(a_lost_fin_is_probed_too))
