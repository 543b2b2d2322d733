// SPDX-License-Identifier: MIT
// mDNS: what is answered to whom and when, and what is not.
#include "mdns_host.h"

static const char ptr_text[] = "= _coradio._tcp.local PTR Bench._coradio._tcp.local 4500\n"
                               "+ pico.local A 10.0.0.2 120 flush\n"
                               "+ Bench._coradio._tcp.local SRV 5001 pico.local 120 flush\n"
                               "+ Bench._coradio._tcp.local TXT 7 4500 flush\n";

TEST(a_unique_record_is_answered_at_once_to_all) {
    struct host *h = start_running();

    give_question(h, "pico.local", TYPE_A);
    expect_group(h, 0, "= pico.local A 10.0.0.2 120 flush\n");
    give_question(h, "bench._CORADIO._tcp.local", TYPE_SRV);
    expect_group(
        h,
        0,
        "= Bench._coradio._tcp.local SRV 5001 pico.local 120 flush\n"
        "+ pico.local A 10.0.0.2 120 flush\n");
    give_question(h, "Bench._coradio._tcp.local", TYPE_TXT);
    expect_group(h, 0, "= Bench._coradio._tcp.local TXT 7 4500 flush\n");
    expect_silence(h, 10 * SECOND);
    give_question(h, "Bench._coradio._tcp.local", TYPE_ANY);
    expect_group(
        h,
        0,
        "= Bench._coradio._tcp.local SRV 5001 pico.local 120 flush\n"
        "= Bench._coradio._tcp.local TXT 7 4500 flush\n"
        "+ pico.local A 10.0.0.2 120 flush\n");
}

// RFC 6762 6: 20 to 120 ms, by chance.
TEST(a_shared_record_is_answered_after_a_short_wait_with_what_is_asked_next) {
    struct host *h = start_running();
    uint64_t least_us = SECOND;
    uint64_t most_us = 0;

    for (uint32_t i = 0; i < 20; i++) {
        uint64_t from_us = h->now_us;

        give_question(h, "_coradio._tcp.local", TYPE_PTR);
        expect_group(h, 120 * MS, ptr_text);
        uint64_t waited_us = h->now_us - from_us;
        CHECK_BETWEEN(waited_us, 20 * MS, 120 * MS);
        least_us = waited_us < least_us ? waited_us : least_us;
        most_us = waited_us > most_us ? waited_us : most_us;
        expect_silence(h, 2 * SECOND);
    }
    CHECK(most_us - least_us > 30 * MS);
    give_question(h, "_services._dns-sd._udp.local", TYPE_PTR);
    expect_group(h, 120 * MS, "= _services._dns-sd._udp.local PTR _coradio._tcp.local 4500\n");
}

TEST(questions_that_are_not_for_us_are_not_answered) {
    struct host *h = start_running();

    give_question(h, "other.local", TYPE_A);
    give_question(h, "pico", TYPE_A);
    give_question(h, "pico.local.example", TYPE_A);
    give_question(h, "_other._tcp.local", TYPE_PTR);
    give_question(h, "_coradio._tcp.local", TYPE_A);
    out_start(0);
    out_question("pico.local", TYPE_A, 3);
    out_send(h);
    expect_silence(h, 10 * SECOND);
    // Class "any" is ours too.
    out_start(0);
    out_question("pico.local", TYPE_A, 255);
    out_send(h);
    expect_group(h, 0, "= pico.local A 10.0.0.2 120 flush\n");
}

// RFC 6762 6.1: who asks for AAAA need not wait in vain.
TEST(a_type_that_a_name_does_not_have_is_said_not_to_be_there) {
    struct host *h = start_running();

    give_question(h, "pico.local", TYPE_AAAA);
    expect_group(h, 0, "= pico.local 47 pico.local 00 01 40 120 flush\n");
    give_question(h, "Bench._coradio._tcp.local", TYPE_A);
    expect_group(
        h,
        0,
        "= Bench._coradio._tcp.local 47 Bench._coradio._tcp.local 00 05 00 00 80 00 40 "
        "4500 flush\n");
}

TEST(known_answers_are_not_given_again) {
    struct host *h = start_running();

    out_start(0);
    out_question("_coradio._tcp.local", TYPE_PTR, 1);
    out_known_ptr(2250);
    out_send(h);
    expect_silence(h, SECOND);
    CHECK_EQ(m.mdns.counters.answers_known, 1);
    // Known for less than half of the time is not known (RFC 6762 7.1).
    out_start(0);
    out_question("_coradio._tcp.local", TYPE_PTR, 1);
    out_known_ptr(2249);
    out_send(h);
    expect_group(h, 120 * MS, ptr_text);
    // Known with other data is not known.
    expect_silence(h, 10 * SECOND);
    out_start(0);
    out_question("pico.local", TYPE_A, 1);
    out_record(1, "pico.local", TYPE_A, 1, 120, "\x0A\0\0\1", 4);
    out_send(h);
    (void)next_message(h, 0);
}

// RFC 6762 7.2: the list of known answers may need several messages.
TEST(more_known_answers_may_follow_within_half_a_second) {
    struct host *h = start_running();
    uint64_t from_us = h->now_us;

    out_start(0x0200);
    out_question("_coradio._tcp.local", TYPE_PTR, 1);
    out_send(h);
    expect_silence(h, 300 * MS);
    out_start(0);
    out_known_ptr(4500);
    out_send(h);
    expect_silence(h, 10 * SECOND);
    from_us = h->now_us;
    out_start(0x0200);
    out_question("_coradio._tcp.local", TYPE_PTR, 1);
    out_send(h);
    // Another host's known answers are its own.
    out_start(0);
    out_known_ptr(4500);
    out_send_from(h, ASKER + 1, 5353, MDNS_GROUP);
    expect_group(h, 500 * MS, ptr_text);
    CHECK_BETWEEN(h->now_us - from_us, 400 * MS, 500 * MS);
}

TEST(no_record_goes_to_all_twice_in_a_second) {
    struct host *h = start_running();

    give_question(h, "pico.local", TYPE_A);
    expect_group(h, 0, "= pico.local A 10.0.0.2 120 flush\n");
    h->now_us += 999 * MS;
    give_question(h, "pico.local", TYPE_A);
    expect_silence(h, 0);
    CHECK_EQ(m.mdns.counters.answers_limited, 1);
    h->now_us += MS;
    give_question(h, "pico.local", TYPE_A);
    expect_group(h, 0, "= pico.local A 10.0.0.2 120 flush\n");
    // Against a host that probes for the name, four times a second.
    h->now_us += 250 * MS;
    out_start(0);
    out_question("pico.local", TYPE_ANY, 1);
    out_record(2, "pico.local", TYPE_A, 1, 120, "\x0A\0\0\x4D", 4);
    out_send(h);
    expect_group(h, 0, "= pico.local A 10.0.0.2 120 flush\n");
}

TEST(questions_of_several_hosts_are_answered_together) {
    struct host *h = start_running();

    give_question(h, "_services._dns-sd._udp.local", TYPE_PTR);
    out_start(0);
    out_question("_coradio._tcp.local", TYPE_PTR, 1);
    out_send_from(h, ASKER + 1, 5353, MDNS_GROUP);
    expect_group(
        h,
        120 * MS,
        "= _coradio._tcp.local PTR Bench._coradio._tcp.local 4500\n"
        "= _services._dns-sd._udp.local PTR _coradio._tcp.local 4500\n"
        "+ pico.local A 10.0.0.2 120 flush\n"
        "+ Bench._coradio._tcp.local SRV 5001 pico.local 120 flush\n"
        "+ Bench._coradio._tcp.local TXT 7 4500 flush\n");
    expect_silence(h, SECOND);
}

// RFC 6762 5.4: to the asker alone if all have heard it within a quarter of its time.
TEST(a_question_for_one_is_answered_to_one_if_all_heard_it_lately) {
    struct host *h = start_running();

    give_question(h, "pico.local", TYPE_A);
    expect_group(h, 0, "= pico.local A 10.0.0.2 120 flush\n");
    h->now_us += 29 * SECOND;
    out_start(0);
    out_question("pico.local", TYPE_A, 1 | UNICAST);
    out_send(h);
    struct dgram d = next_message(h, SECOND);
    CHECK_BYTES(d.mac, asker_mac, 6);
    CHECK_EQ(d.to, ASKER);
    CHECK_EQ(d.to_port, 5353);
    CHECK_TEXT(m.said, "= pico.local A 10.0.0.2 120 flush\n");
    CHECK_EQ(m.mdns.counters.direct_sent, 1);
    h->now_us += 2 * SECOND;
    out_start(0);
    out_question("pico.local", TYPE_A, 1 | UNICAST);
    out_send(h);
    expect_group(h, 0, "= pico.local A 10.0.0.2 120 flush\n");
}

// RFC 6762 6.7: number and question come back, times are short, and no flag.
TEST(a_resolver_of_old_gets_an_answer_it_understands) {
    struct host *h = start_running();

    out_start(0x0100);
    put16(m.out, 0x4711);
    out_question("Pico.local", TYPE_A, 1);
    out_send_from(h, ASKER, 40000, MDNS_GROUP);
    struct dgram d = next_message(h, SECOND);
    CHECK_EQ(d.to, ASKER);
    CHECK_EQ(d.to_port, 40000);
    CHECK_EQ(get16(d.data), 0x4711);
    CHECK_EQ(get16(d.data + 2), 0x8400);
    // The name comes back as it was written, and the answer points at it.
    CHECK_TEXT(m.said, "? Pico.local 1\n= Pico.local A 10.0.0.2 10\n");
    // By unicast from the link, and from elsewhere.
    out_start(0x0100);
    out_question("_coradio._tcp.local", TYPE_PTR, 1);
    out_send_from(h, ASKER, 40000, OUR_ADDRESS);
    d = next_message(h, SECOND);
    CHECK_TEXT(
        m.said,
        "? _coradio._tcp.local 12\n"
        "= _coradio._tcp.local PTR Bench._coradio._tcp.local 10\n"
        "+ pico.local A 10.0.0.2 10\n"
        "+ Bench._coradio._tcp.local SRV 5001 pico.local 10\n"
        "+ Bench._coradio._tcp.local TXT 7 10\n");
    out_send_from(h, COR_IP4(8, 8, 8, 8), 40000, OUR_ADDRESS);
    expect_silence(h, SECOND);
    CHECK_EQ(m.mdns.counters.drop_message, 1);
}

TEST(answers_to_one_host_are_dropped_while_one_waits) {
    struct host *h = start_running();

    out_start(0x0100);
    out_question("pico.local", TYPE_A, 1);
    out_send_from(h, ASKER, 40000, MDNS_GROUP);
    out_send_from(h, ASKER, 40001, MDNS_GROUP);
    CHECK_EQ(m.mdns.counters.drop_busy, 1);
    struct dgram d = next_message(h, SECOND);
    CHECK_EQ(d.to_port, 40000);
}

// RFC 6762 6.6 and 10.1: somebody says that our records go, but they do not.
TEST(a_record_of_ours_that_is_said_to_go_is_said_again) {
    struct host *h = start_running();

    out_start(0x8400);
    out_record(1, "pico.local", TYPE_A, 1 | FLUSH, 0, "\x0A\0\0\2", 4);
    out_send(h);
    expect_group(h, 0, "= pico.local A 10.0.0.2 120 flush\n");
    out_start(0x8400);
    out_known_ptr(4000);
    out_send(h);
    expect_silence(h, SECOND);
}

TEST(messages_that_are_not_of_mdns_are_dropped) {
    struct host *h = start_running();

    // A response from another port.
    out_start(0x8400);
    out_record(1, "pico.local", TYPE_A, 1 | FLUSH, 120, "\x0A\0\0\x4D", 4);
    out_send_from(h, ASKER, 40000, MDNS_GROUP);
    // Another operation, and an error.
    out_start(0x2800);
    out_question("pico.local", TYPE_A, 1);
    out_send(h);
    out_start(0x8403);
    out_record(1, "pico.local", TYPE_A, 1 | FLUSH, 120, "\x0A\0\0\x4D", 4);
    out_send(h);
    CHECK_EQ(m.mdns.counters.drop_message, 3);
    CHECK_EQ(m.mdns.counters.conflicts, 0);
    // Counts that lie.
    out_start(0);
    out_question("pico.local", TYPE_A, 1);
    put16(m.out + 4, 2);
    out_send(h);
    out_start(0);
    out_question("pico.local", TYPE_A, 1);
    put16(m.out + 6, 1);
    out_send(h);
    CHECK_EQ(m.mdns.counters.drop_message, 5);
    expect_silence(h, SECOND);
}

// Every prefix of what a real responder says, in every state, and every one of its bytes changed.
TEST(damaged_messages_of_a_real_responder_do_no_harm) {
    static const char *const names[] = {
        "mdns_probe_host", "mdns_probe_service", "mdns_announce", "mdns_goodbye"};
    struct host *h = start_mdns();

    for (uint32_t i = 0; i < 2 * sizeof(names) / sizeof(names[0]); i++) {
        uint8_t bytes[GOLDEN_BYTES_MAX];
        uint32_t size = golden_read("mdns.vec", names[i / 2], bytes);

        for (uint32_t n = 0; n < 2 * size; n++) {
            m.out_bytes = n < size ? n : size;
            memcpy(m.out, bytes, size);
            if (n >= size) {
                m.out[n - size] ^= 0xFF;
            }
            out_send(h);
            (void)next_frame_within(h, poll_mdns, MS);
        }
        if (i % 2 == 0) {
            h = start_running();
        }
    }
}

// avahi as the host that has the names: its announcement is a conflict, its goodbye is none.
TEST(a_real_responder_with_our_names_makes_us_take_others) {
    char text[64];
    struct host *h = start_mdns();

    expect_group(h, 250 * MS, probe_text);
    m.out_bytes = golden_read("mdns.vec", "mdns_announce", m.out);
    // Its address is ours, as it happens, so that only a port of our own makes it differ.
    out_send(h);
    CHECK_EQ(m.mdns.counters.conflicts, 0);
    m.mdns.config.port = 80;
    out_send(h);
    CHECK_EQ(m.mdns.counters.conflicts, 1);
    CHECK_TEXT(cor_mdns_instance_text(&m.mdns, text), "Bench (2)");
    CHECK_TEXT(cor_mdns_host_text(&m.mdns, text), "pico");
    m.out_bytes = golden_read("mdns.vec", "mdns_goodbye", m.out);
    out_send(h);
    CHECK_EQ(m.mdns.counters.conflicts, 1);
    // And its question is answered.
    h = start_running();
    m.out_bytes = golden_read("mdns.vec", "mdns_query_ptr", m.out);
    out_send(h);
    expect_group(h, 120 * MS, ptr_text);
}

// The bus holds a message to all: the next one waits.
TEST(a_message_in_the_queue_of_the_bus_is_not_written_over) {
    struct host *h = start_running();

    h->hold = true;
    give_question(h, "pico.local", TYPE_A);
    expect_group(h, 0, "= pico.local A 10.0.0.2 120 flush\n");
    give_question(h, "Bench._coradio._tcp.local", TYPE_TXT);
    expect_silence(h, 100 * MS);
    sent_all(h);
    h->hold = false;
    expect_group(h, 10 * MS, "= Bench._coradio._tcp.local TXT 7 4500 flush\n");
}

TEST_MAIN(
    CASE(a_unique_record_is_answered_at_once_to_all),
    CASE(a_shared_record_is_answered_after_a_short_wait_with_what_is_asked_next),
    CASE(questions_that_are_not_for_us_are_not_answered),
    CASE(a_type_that_a_name_does_not_have_is_said_not_to_be_there),
    CASE(known_answers_are_not_given_again),
    CASE(more_known_answers_may_follow_within_half_a_second),
    CASE(no_record_goes_to_all_twice_in_a_second),
    CASE(questions_of_several_hosts_are_answered_together),
    CASE(a_question_for_one_is_answered_to_one_if_all_heard_it_lately),
    CASE(a_resolver_of_old_gets_an_answer_it_understands),
    CASE(answers_to_one_host_are_dropped_while_one_waits),
    CASE(a_record_of_ours_that_is_said_to_go_is_said_again),
    CASE(messages_that_are_not_of_mdns_are_dropped),
    CASE(damaged_messages_of_a_real_responder_do_no_harm),
    CASE(a_real_responder_with_our_names_makes_us_take_others),
    CASE(a_message_in_the_queue_of_the_bus_is_not_written_over))
