// SPDX-License-Identifier: MIT
// The sink over loopback: UDP streams, their loss, order and ends.
#include "sink_world.h"

TEST(udp_loss_repetition_and_order_are_counted) {
    // 3 is lost, 5 comes twice, 8 before 7, 11 and 12 are lost at the end.
    static const uint32_t numbers[] = {0, 1, 2, 4, 5, 5, 6, 8, 7, 9, 10};
    static const size_t count = sizeof(numbers) / sizeof(numbers[0]);

    fresh_config()->count = 1;
    start();
    int socket_of_client = client(SOCK_DGRAM);
    for (size_t i = 0; i < count; i++) {
        send_numbered(socket_of_client, 77, numbers[i], false);
    }
    for (int i = 0; i < COR_DATAGRAM_LAST_COUNT; i++) {
        send_numbered(socket_of_client, 77, 13, true);
    }
    join();
    const struct sink_stream *stream = sink.ended;
    CHECK_EQ(stream->end, SINK_END_last);
    CHECK_EQ(stream->reads, 10);
    CHECK_EQ(stream->bytes, 1000);
    CHECK_EQ(sink_sequence_expected(&stream->sequence), 13);
    CHECK_EQ(sink_sequence_lost(&stream->sequence), 3);
    CHECK_EQ(stream->sequence.duplicates, 1);
    CHECK_EQ(stream->sequence.reordered, 1);
    CHECK_EQ(sink_exit_code(&sink), 0);
    close(socket_of_client);
    finish();
}

TEST(a_second_run_on_the_same_udp_port_is_a_stream_of_its_own) {
    fresh_config()->count = 2;
    start();
    int socket_of_client = client(SOCK_DGRAM);
    for (uint32_t stream = 1; stream <= 2; stream++) {
        for (uint32_t i = 0; i < 5 * stream; i++) {
            send_numbered(socket_of_client, stream, i, false);
        }
        send_numbered(socket_of_client, stream, 5 * stream, true);
        sleep_ms(400);
        send_numbered(socket_of_client, stream, 5 * stream, true);  // a straggler after the end
    }
    join();
    CHECK_EQ(sink.stream_count, 2);
    CHECK_EQ(sink.ended->reads, 5);
    CHECK_EQ(sink.ended->next->reads, 10);
    CHECK_EQ(sink_sequence_lost(&sink.ended->next->sequence), 0);
    CHECK(sink.udp_after_end >= 1);
    close(socket_of_client);
    finish();
}

TEST(udp_streams_of_two_senders_stay_apart_and_end_by_silence) {
    fresh_config()->count = 2;
    start();
    int numbered = client(SOCK_DGRAM);
    int plain = client(SOCK_DGRAM);
    for (uint32_t i = 0; i < 20; i++) {
        send_numbered(numbered, 5, i, false);
        CHECK_EQ(send(plain, "twenty bytes of this", 20, 0), 20);
    }
    join();
    const struct sink_stream *a = stream_of_port(port_of(numbered));
    const struct sink_stream *b = stream_of_port(port_of(plain));
    CHECK(a->numbered && !b->numbered);
    CHECK_EQ(a->end, SINK_END_silence);
    CHECK_EQ(b->end, SINK_END_silence);
    CHECK_EQ(a->bytes, 2000);
    CHECK_EQ(b->bytes, 400);
    CHECK(!a->sequence.last_seen);
    CHECK_BETWEEN(a->end_ns - a->last_ns, 400 * MS, 1000 * MS);
    close(numbered);
    close(plain);
    finish();
}

TEST(a_udp_stream_that_goes_on_after_silence_is_held_to_its_numbers) {
    fresh_config()->count = 2;
    start();
    int socket_of_client = client(SOCK_DGRAM);
    for (uint32_t i = 0; i < 10; i++) {
        send_numbered(socket_of_client, 9, i, false);
    }
    sleep_ms(700);
    for (uint32_t i = 12; i < 20; i++) {
        send_numbered(socket_of_client, 9, i, false);
    }
    send_numbered(socket_of_client, 9, 21, true);
    join();
    const struct sink_stream *second = sink.ended->next;
    CHECK_EQ(second->continues, 1);
    CHECK_EQ(second->sequence.first, 10);
    CHECK_EQ(sink_sequence_lost(&second->sequence), 3);
    close(socket_of_client);
    finish();
}

TEST(a_run_of_which_only_the_last_marker_arrives_is_all_lost) {
    fresh_config()->count = 1;
    start();
    int socket_of_client = client(SOCK_DGRAM);
    send_numbered(socket_of_client, 3, 1000, true);
    join();
    CHECK_EQ(sink_sequence_lost(&sink.ended->sequence), 1000);
    CHECK_EQ(sink.ended->bytes, 0);
    CHECK_EQ(sink.bytes, 0);
    close(socket_of_client);
    finish();
}

TEST_MAIN(
    CASE(udp_loss_repetition_and_order_are_counted),
    CASE(a_second_run_on_the_same_udp_port_is_a_stream_of_its_own),
    CASE(udp_streams_of_two_senders_stay_apart_and_end_by_silence),
    CASE(a_udp_stream_that_goes_on_after_silence_is_held_to_its_numbers),
    CASE(a_run_of_which_only_the_last_marker_arrives_is_all_lost))
