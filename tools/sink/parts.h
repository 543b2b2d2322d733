// SPDX-License-Identifier: MIT
// The parts of the sink as they see each other; users of the sink need only sink.h.
#ifndef TOOLS_SINK_PARTS_H
#define TOOLS_SINK_PARTS_H

#include "sink.h"

// One read takes at most this much, so that no stream can keep the others waiting.
#define SINK_READ_BYTES (1 << 20)

// A line for people on the log, with the time since the start before it; an error also when quiet.
void sink_say_error(const struct sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sink_say(const struct sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// --- listen.c
int sink_listen(struct sink *sink);

// --- advice.c
// Addresses a board should use, and what may keep it from arriving.
void sink_print_advice(const struct sink *sink);

// --- stream.c
struct sink_stream *sink_stream_new(
    struct sink *sink, enum sink_kind kind, const struct sockaddr_storage *peer, uint64_t now_ns);
// Counts payload and hands it to hash and store. data may be NULL when neither is on.
// header_bytes of the datagram stood before it: they are counted, but neither hashed nor stored.
void sink_stream_take(
    struct sink *sink,
    struct sink_stream *stream,
    const void *data,
    size_t size_bytes,
    size_t header_bytes,
    uint64_t now_ns);
// Closes it, says so, and moves it to the ended ones, which may free it.
void sink_stream_end(
    struct sink *sink, struct sink_stream *stream, enum sink_end end, uint64_t now_ns);
// Says when the stream has been silent for long, and whose silence it is.
void sink_stream_watch_silence(struct sink *sink, struct sink_stream *stream, uint64_t now_ns);
// The gap that is open now, judged as if it ended now.
struct sink_gap sink_stream_open_gap(
    const struct sink *sink, const struct sink_stream *stream, uint64_t now_ns);
void sink_stream_free(struct sink_stream *stream);

// --- tcp.c
void sink_tcp_accept(struct sink *sink, uint64_t now_ns);
void sink_tcp_read(struct sink *sink, struct sink_stream *stream);
void sink_tcp_tick(struct sink *sink, struct sink_stream *stream, uint64_t now_ns);
void sink_tcp_look(struct sink_stream *stream);
void sink_tcp_resume_accept(struct sink *sink);

// --- udp.c
int sink_udp_open(struct sink *sink);
void sink_udp_close(struct sink *sink);
void sink_udp_read(struct sink *sink);
void sink_udp_tick(struct sink *sink, struct sink_stream *stream, uint64_t now_ns);
void sink_udp_forget(struct sink *sink, struct sink_stream *stream);

// --- interval.c
void sink_interval_tick(struct sink *sink, uint64_t now_ns);
void sink_interval_finish(struct sink *sink, uint64_t now_ns);

#endif
