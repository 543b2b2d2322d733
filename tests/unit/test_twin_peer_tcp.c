// SPDX-License-Identifier: MIT
#include "peer_world.h"

TEST(the_handshake_offers_mss_sack_and_the_default_window) {
    struct hand_segment answer;

    world_open();
    answer = send_syn(syn_with_sack());
    CHECK_EQ(answer.flags, HAND_SYN | HAND_ACK);
    CHECK_EQ(answer.mss, MSS);
    CHECK(answer.sack_ok);
    CHECK(!answer.scale);
    CHECK_EQ(answer.window, 65535);
    world_close();
}

TEST(the_window_of_the_config_is_in_the_syn_ack) {
    struct twin_peer_config config = peer_config();

    config.receive_window = 8760;
    world_open_with(config);
    CHECK_EQ(send_syn(syn_with_sack()).window, 8760);
    world_close();
}

TEST(a_large_window_is_scaled_when_we_offer_it) {
    struct twin_peer_config config = peer_config();
    struct hand_segment syn = syn_with_sack();
    struct hand_segment answer;

    config.receive_window = 1 << 20;
    syn.scale = true;
    world_open_with(config);
    answer = send_syn(syn);
    CHECK(answer.scale);
    CHECK_EQ(answer.shift, 5);
    CHECK_EQ(answer.window, 65535);
    world.seq = ISS + 1;
    world.ack = answer.seq + 1;
    send_data(0, MSS);
    send_data(MSS, MSS);
    run_ms(1);
    CHECK_EQ(expect_tcp().window, (1 << 20) >> 5);
    world_close();
}

TEST(a_large_window_is_cut_when_we_do_not_offer_scaling) {
    struct twin_peer_config config = peer_config();

    config.receive_window = 1 << 20;
    world_open_with(config);
    connect_plain();
    send_data(0, MSS);
    send_data(MSS, MSS);
    run_ms(1);
    CHECK_EQ(expect_tcp().window, 65535);
    world_close();
}

TEST(every_second_segment_is_acknowledged_at_once) {
    world_open();
    connect_plain();
    for (uint32_t i = 0; i < 100; i++) {
        send_data(i * MSS, MSS);
        run_ms(1);
        CHECK_EQ(hand_waiting(&world.host), i % 2);
        if (i % 2 == 1) {
            struct hand_segment ack = expect_tcp();
            CHECK_EQ(ack.flags, HAND_ACK);
            CHECK_EQ(ack.ack, ISS + 1 + (i + 1) * MSS);
            CHECK_EQ(ack.window, 65535);
            CHECK_EQ(ack.sack_count, 0);
        }
    }
    CHECK_EQ(world.received_bytes, 100 * MSS);
    CHECK(world.received_hash == stream_hash(100 * MSS));
    CHECK_EQ(counters().tcp_bytes, 100 * MSS);
    world_close();
}

TEST(a_single_segment_is_acknowledged_after_the_delay) {
    uint64_t sent_ns;
    struct hand_segment ack;

    world_open();
    connect_plain();
    sent_ns = twin_now_ns(world.sim);
    send_data(0, 100);
    run_ms(300);
    ack = expect_tcp();
    CHECK_EQ(ack.ack, ISS + 1 + 100);
    // lwIP's fast timer ticks every 250 ms.
    CHECK_BETWEEN(ack.at_ns - sent_ns, 2 * DELAY_NS, 250000000 + 2 * DELAY_NS);
    world_close();
}

TEST(data_out_of_order_is_kept_and_reported_by_sack) {
    struct hand_segment ack;

    world_open();
    connect_plain();
    send_data(0, MSS);
    send_data(2 * MSS, MSS);
    run_ms(1);
    ack = expect_tcp();
    CHECK_EQ(ack.ack, ISS + 1 + MSS);
    CHECK_EQ(ack.sack_count, 1);
    CHECK_EQ(ack.sack[0][0], ISS + 1 + 2 * MSS);
    CHECK_EQ(ack.sack[0][1], ISS + 1 + 3 * MSS);
    send_data(4 * MSS, MSS);
    run_ms(1);
    ack = expect_tcp();
    CHECK_EQ(ack.ack, ISS + 1 + MSS);
    CHECK_EQ(ack.sack_count, 2);
    CHECK_EQ(world.received_bytes, MSS);
    send_data(3 * MSS, MSS);
    send_data(MSS, MSS);
    run_ms(1);
    hand_drop_all(&world.host);
    CHECK_EQ(world.received_bytes, 5 * MSS);
    CHECK(world.received_hash == stream_hash(5 * MSS));
    world_close();
}

TEST(a_duplicate_is_acknowledged_and_not_counted_twice) {
    world_open();
    connect_plain();
    send_data(0, MSS);
    send_data(0, MSS);
    run_ms(1);
    CHECK_EQ(expect_tcp().ack, ISS + 1 + MSS);
    CHECK_EQ(world.received_bytes, MSS);
    world_close();
}

TEST(our_fin_is_answered_and_followed_by_its_own) {
    struct hand_segment fin;
    struct hand_segment answer;

    world_open();
    connect_plain();
    send_data(0, 100);
    world.seq = ISS + 1 + 100;
    fin = segment(HAND_FIN | HAND_ACK);
    hand_send_tcp(&world.host, &fin);
    run_ms(1);
    CHECK_EQ(world.closed_orderly, 1);
    CHECK_EQ(world.received_bytes, 100);
    do {
        answer = expect_tcp();
        CHECK_EQ(answer.ack, ISS + 1 + 100 + 1);
    } while ((answer.flags & HAND_FIN) == 0);
    CHECK_EQ(answer.seq, world.ack);
    world.seq++;
    world.ack++;
    fin = segment(HAND_ACK);
    hand_send_tcp(&world.host, &fin);
    run_ms(5000);
    CHECK_EQ(hand_waiting(&world.host), 0);  // it does not repeat its FIN: it has our ACK
    CHECK_EQ(world.closed_by_reset, 0);
    world_close();
}

TEST(our_reset_ends_the_connection) {
    struct hand_segment reset;

    world_open();
    connect_plain();
    send_data(0, 100);
    world.seq = ISS + 1 + 100;
    reset = segment(HAND_RST | HAND_ACK);
    hand_send_tcp(&world.host, &reset);
    run_ms(1);
    CHECK_EQ(world.closed_by_reset, 1);
    CHECK_EQ(world.closed_orderly, 0);
    world_close();
}

TEST(a_connection_can_follow_another) {
    struct hand_segment reset;

    world_open();
    connect_plain();
    reset = segment(HAND_RST | HAND_ACK);
    hand_send_tcp(&world.host, &reset);
    run_ms(1);
    CHECK_EQ(send_syn(syn_with_sack()).flags, HAND_SYN | HAND_ACK);
    world_close();
}

TEST(a_closed_port_answers_with_a_reset) {
    struct hand_segment syn = syn_with_sack();
    struct hand_segment answer;

    world_open();
    syn.target_port = PORT + 1;
    answer = send_syn(syn);
    CHECK((answer.flags & HAND_RST) != 0);
    CHECK_EQ(answer.ack, ISS + 1);
    world_close();
}

TEST(a_peer_that_refuses_answers_with_a_reset) {
    struct twin_peer_config config = peer_config();

    config.refuse = true;
    world_open_with(config);
    CHECK((send_syn(syn_with_sack()).flags & HAND_RST) != 0);
    CHECK_EQ(counters().connections, 0);
    world_close();
}

TEST(a_silent_peer_answers_arp_and_nothing_else) {
    struct twin_peer_config config = peer_config();
    struct hand_segment syn = syn_with_sack();

    config.silent = true;
    world_open_with(config);
    hand_send_arp(&world.host, PEER_IP);
    run_ms(1);
    CHECK_EQ(hand_waiting(&world.host), 1);
    hand_drop_all(&world.host);
    hand_send_tcp(&world.host, &syn);
    hand_send_ping(&world.host, 1, 8);
    run_ms(2000);
    CHECK_EQ(hand_waiting(&world.host), 0);
    world_close();
}

// Fills the window of a peer that does not read, two segments at a time; returns how many bytes.
static uint32_t fill_window(uint32_t window) {
    uint32_t sent = 0;

    while (sent < window) {
        uint32_t size_bytes = window - sent < MSS ? window - sent : MSS;
        send_data(sent, size_bytes);
        sent += size_bytes;
        run_ms(1);
    }
    run_ms(300);
    return sent;
}

TEST(the_window_closes_when_the_peer_does_not_read_and_opens_again) {
    struct hand_segment ack = {0};
    uint32_t sent;

    world_open();
    connect_plain();
    twin_peer_set_reading(world.peer, false);
    sent = fill_window(65535);
    while (hand_waiting(&world.host) != 0) {
        ack = expect_tcp();
        CHECK_EQ(ack.ack + ack.window, ISS + 1 + 65535);  // the right edge never moves
    }
    CHECK_EQ(ack.window, 0);
    CHECK_EQ(world.received_bytes, 0);
    // A probe of one byte beyond the window is answered, not taken.
    send_data(sent, 1);
    run_ms(1);
    ack = expect_tcp();
    CHECK_EQ(ack.ack, ISS + 1 + sent);
    CHECK_EQ(ack.window, 0);
    twin_peer_set_reading(world.peer, true);
    run_ms(1);
    ack = expect_tcp();
    CHECK_EQ(ack.window, 65535);
    CHECK_EQ(hand_waiting(&world.host), 0);
    CHECK_EQ(world.received_bytes, 65535);
    CHECK(world.received_hash == stream_hash(65535));
    send_data(sent, 1);
    run_ms(300);
    CHECK_EQ(world.received_bytes, 65536);
    world_close();
}

TEST(a_fin_behind_unread_data_waits_for_the_reader) {
    struct hand_segment fin;

    world_open();
    connect_plain();
    twin_peer_set_reading(world.peer, false);
    send_data(0, 1000);
    world.seq = ISS + 1 + 1000;
    fin = segment(HAND_FIN | HAND_ACK);
    hand_send_tcp(&world.host, &fin);
    run_ms(300);
    CHECK_EQ(world.closed_orderly, 0);
    CHECK_EQ(world.received_bytes, 0);
    hand_drop_all(&world.host);
    twin_peer_set_reading(world.peer, true);
    run_ms(1);
    CHECK_EQ(world.received_bytes, 1000);
    CHECK_EQ(world.closed_orderly, 1);
    CHECK((expect_tcp().flags & HAND_FIN) != 0);
    world_close();
}

TEST(what_is_unread_at_the_end_leaks_nothing) {
    world_open();
    connect_plain();
    twin_peer_set_reading(world.peer, false);
    for (uint32_t i = 0; i < 10; i++) {
        send_data(i * MSS, MSS);
        send_data((20 + 2 * i) * MSS, MSS);  // and some out of order
    }
    run_ms(1);
    CHECK(twin_frames_out(world.frames) >= 20);
    world_close();  // checks that every frame came back
}

TEST(the_reader_may_stop_in_the_middle) {
    world_open();
    connect_plain();
    twin_peer_set_reading(world.peer, false);
    fill_window(10 * MSS);
    hand_drop_all(&world.host);
    world.stop_after_bytes = 3 * MSS;
    twin_peer_set_reading(world.peer, true);
    CHECK_EQ(world.received_bytes, 4 * MSS);
    send_data(10 * MSS, MSS);
    run_ms(300);
    CHECK_EQ(world.received_bytes, 4 * MSS);
    world.stop_after_bytes = 0;
    twin_peer_set_reading(world.peer, true);
    run_ms(300);
    CHECK_EQ(world.received_bytes, 11 * MSS);
    CHECK(world.received_hash == stream_hash(11 * MSS));
    CHECK_EQ(counters().tcp_bytes, 11 * MSS);
    world_close();
}

TEST(connections_at_the_same_time_are_told_apart) {
    struct hand_segment other = syn_with_sack();
    struct hand_segment answer;

    world_open();
    connect_plain();
    other.source_port = OUR_PORT + 1;
    other.flags = HAND_SYN;
    other.seq = 77;
    hand_send_tcp(&world.host, &other);
    run_ms(1);
    answer = expect_tcp();
    CHECK_EQ(answer.target_port, OUR_PORT + 1);
    other = segment(HAND_ACK);
    other.source_port = OUR_PORT + 1;
    other.seq = 78;
    other.ack = answer.seq + 1;
    other.payload = stream;
    other.payload_bytes = 10;
    hand_send_tcp(&world.host, &other);
    send_data(0, 5);
    other.seq = 88;
    other.flags = HAND_FIN | HAND_ACK;
    other.payload_bytes = 0;
    hand_send_tcp(&world.host, &other);
    run_ms(1);
    CHECK_EQ(counters().connections, 2);
    CHECK_EQ(world.received_bytes, 15);
    CHECK_EQ(world.closed_orderly, 1);
    send_data(5, 5);
    run_ms(1);
    CHECK_EQ(world.received_bytes, 20);
    world_close();
}

TEST(a_connection_with_a_scaled_window_closes_orderly) {
    struct twin_peer_config config = peer_config();
    struct hand_segment syn = syn_with_sack();
    struct hand_segment fin;
    struct hand_segment answer;

    config.receive_window = 200000;
    syn.scale = true;
    world_open_with(config);
    connect_with(syn);
    send_data(0, 1000);
    world.seq = ISS + 1 + 1000;
    fin = segment(HAND_FIN | HAND_ACK);
    hand_send_tcp(&world.host, &fin);
    run_ms(1);
    do {
        answer = expect_tcp();
        CHECK((answer.flags & HAND_RST) == 0);
    } while ((answer.flags & HAND_FIN) == 0);
    CHECK_EQ(world.closed_orderly, 1);
    world_close();
}

TEST(a_datagram_in_fragments_is_put_together) {
    uint8_t datagram[8 + 2000];

    world_open();
    meet();
    hand_put16(datagram, OUR_PORT);
    hand_put16(datagram + 2, PORT);
    hand_put16(datagram + 4, sizeof(datagram));
    hand_put16(datagram + 6, 0);  // none: allowed in IPv4
    memcpy(datagram + 8, stream, 2000);
    for (uint32_t offset = 0; offset < sizeof(datagram); offset += 1000) {
        uint32_t left = (uint32_t)sizeof(datagram) - offset;
        uint32_t size_bytes = left < 1000 ? left : 1000;
        struct twin_frame *frame = hand_ipv4(&world.host, 17, size_bytes);
        uint8_t *ip = frame->data + 14;
        hand_put16(ip + 6, (left > 1000 ? 0x2000u : 0u) | offset / 8);
        hand_put16(ip + 10, 0);
        hand_put16(ip + 10, hand_fold(hand_sum(ip, 20, 0)));
        memcpy(ip + 20, datagram + offset, size_bytes);
        hand_send(&world.host, frame);
    }
    run_ms(1);
    CHECK_EQ(counters().udp_datagrams, 1);
    CHECK_EQ(world.received_bytes, 2000);
    CHECK(world.received_hash == stream_hash(2000));
    world_close();
}

TEST(its_timers_survive_the_wrap_of_lwips_clock) {
    uint64_t wrap_ns = ((uint64_t)1 << 32) * 1000000u;

    world_open_at(wrap_ns - 50000000u, peer_config());
    connect_plain();
    run_ms(40);
    CHECK(twin_now_ns(world.sim) < wrap_ns);
    send_data(0, 100);
    run_ms(260);
    CHECK(twin_now_ns(world.sim) > wrap_ns);
    CHECK_EQ(expect_tcp().ack, ISS + 1 + 100);
    // And it does not spin: a few timers a second, no more.
    CHECK(twin_events_run(world.sim) < 100);
    run_ms(10000);
    CHECK(twin_events_run(world.sim) < 300);
    world_close();
}

TEST_MAIN(
    CASE(the_handshake_offers_mss_sack_and_the_default_window),
    CASE(the_window_of_the_config_is_in_the_syn_ack),
    CASE(a_large_window_is_scaled_when_we_offer_it),
    CASE(a_large_window_is_cut_when_we_do_not_offer_scaling),
    CASE(every_second_segment_is_acknowledged_at_once),
    CASE(a_single_segment_is_acknowledged_after_the_delay),
    CASE(data_out_of_order_is_kept_and_reported_by_sack),
    CASE(a_duplicate_is_acknowledged_and_not_counted_twice),
    CASE(our_fin_is_answered_and_followed_by_its_own),
    CASE(our_reset_ends_the_connection),
    CASE(a_connection_can_follow_another),
    CASE(a_closed_port_answers_with_a_reset),
    CASE(a_peer_that_refuses_answers_with_a_reset),
    CASE(a_silent_peer_answers_arp_and_nothing_else),
    CASE(the_window_closes_when_the_peer_does_not_read_and_opens_again),
    CASE(a_fin_behind_unread_data_waits_for_the_reader),
    CASE(what_is_unread_at_the_end_leaks_nothing),
    CASE(the_reader_may_stop_in_the_middle),
    CASE(connections_at_the_same_time_are_told_apart),
    CASE(a_connection_with_a_scaled_window_closes_orderly),
    CASE(a_datagram_in_fragments_is_put_together),
    CASE(its_timers_survive_the_wrap_of_lwips_clock))
