// SPDX-License-Identifier: MIT
// What connections and UDP streams have in common: counting, gaps and their causes, the end.
#include "common/clock.h"
#include "common/units.h"
#include "parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const end_names[SINK_END_COUNT] = {
#define X(name, good, text) [SINK_END_##name] = #name,
    SINK_ENDS(X)
#undef X
};

static const char *const end_texts[SINK_END_COUNT] = {
#define X(name, good, text) [SINK_END_##name] = (text),
    SINK_ENDS(X)
#undef X
};

static const bool end_goods[SINK_END_COUNT] = {
#define X(name, good, text) [SINK_END_##name] = (good),
    SINK_ENDS(X)
#undef X
};

const char *sink_end_name(enum sink_end end) {
    return end < SINK_END_COUNT ? end_names[end] : "unknown";
}

const char *sink_end_text(enum sink_end end) {
    return end < SINK_END_COUNT ? end_texts[end] : "unknown";
}

bool sink_end_is_good(enum sink_end end) {
    return end < SINK_END_COUNT && end_goods[end];
}

static bool claims_all(const uint8_t *first, size_t size_bytes) {
    (void)first;
    (void)size_bytes;
    return true;
}

// Asked in order; the last one takes everything.
static const struct sink_protocol sink_protocols[] = {
    {"raw", claims_all},
};

const struct sink_protocol *sink_protocol_of(const uint8_t *first, size_t size_bytes) {
    const struct sink_protocol *protocol = sink_protocols;

    while (!protocol->claims(first, size_bytes)) {
        protocol++;
    }
    return protocol;
}

static void say(const struct sink *sink, const char *format, va_list arguments) {
    uint64_t since_ns = clock_now_ns() - sink->start_ns;

    fprintf(sink->config.log, "%8.1f s  ", (double)since_ns / 1e9);
    vfprintf(sink->config.log, format, arguments);
    fputc('\n', sink->config.log);
    fflush(sink->config.log);
}

void sink_say(const struct sink *sink, const char *format, ...) {
    va_list arguments;

    if (sink->config.quiet) {
        return;
    }
    va_start(arguments, format);
    say(sink, format, arguments);
    va_end(arguments);
}

void sink_say_error(const struct sink *sink, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    say(sink, format, arguments);
    va_end(arguments);
}

static void list_live(struct sink *sink, struct sink_stream *stream) {
    stream->next = sink->live;
    if (sink->live != NULL) {
        sink->live->previous = stream;
    }
    sink->live = stream;
    sink->live_count++;
    sink->udp_live_count += stream->kind == SINK_UDP ? 1 : 0;
}

static void unlist_live(struct sink *sink, struct sink_stream *stream) {
    if (stream->previous != NULL) {
        stream->previous->next = stream->next;
    } else {
        sink->live = stream->next;
    }
    if (stream->next != NULL) {
        stream->next->previous = stream->previous;
    }
    stream->next = NULL;
    stream->previous = NULL;
    sink->live_count--;
    sink->udp_live_count -= stream->kind == SINK_UDP ? 1 : 0;
}

static void list_ended(struct sink *sink, struct sink_stream *stream) {
    if (sink->ended_tail != NULL) {
        sink->ended_tail->next = stream;
    } else {
        sink->ended = stream;
    }
    sink->ended_tail = stream;
    sink->record_count++;
    if (sink->record_count > SINK_RECORDS_MAX) {
        struct sink_stream *oldest = sink->ended;

        sink->ended = oldest->next;
        sink_udp_forget(sink, oldest);
        sink_stream_free(oldest);
        sink->record_count--;
        sink->record_dropped++;
    }
}

void sink_stream_free(struct sink_stream *stream) {
    sha256_free(stream->sha256);
    free(stream);
}

static void warn_of_subnet(struct sink *sink, const struct sockaddr_storage *peer) {
    for (uint32_t i = 0; i < sink->warned_count; i++) {
        if (sink_address_same_host(&sink->warned[i], peer)) {
            return;
        }
    }
    if (sink->warned_count == sizeof(sink->warned) / sizeof(sink->warned[0])) {
        return;
    }
    sink->warned[sink->warned_count++] = *peer;
    if (!sink_address_is_on_link(peer)) {
        char host[SINK_HOST_SIZE];

        sink_say(
            sink,
            "note: %s is in no subnet of this machine; a router or NAT is in the path and may "
            "limit what you measure",
            sink_address_host(peer, host));
    }
}

struct sink_stream *sink_stream_new(
    struct sink *sink, enum sink_kind kind, const struct sockaddr_storage *peer, uint64_t now_ns) {
    struct sink_stream *stream = calloc(1, sizeof(*stream));

    if (stream == NULL) {
        return NULL;
    }
    stream->id = ++sink->stream_count;
    stream->kind = kind;
    stream->socket = -1;
    stream->peer = *peer;
    stream->start_ns = now_ns;
    stream->stall_told_ns = SINK_STALL_NS;
    stream->file.descriptor = -1;
    sink_address_text(peer, stream->name);
    clock_gettime(CLOCK_REALTIME, &stream->start_utc);
    if (sink->config.hash) {
        stream->sha256 = sha256_new();
        if (stream->sha256 == NULL) {
            free(stream);
            return NULL;
        }
    }
    list_live(sink, stream);
    warn_of_subnet(sink, peer);
    return stream;
}

// --- gaps

struct sink_gap sink_stream_open_gap(
    const struct sink *sink, const struct sink_stream *stream, uint64_t now_ns) {
    struct sink_absence absence = sink_watch_absence(&sink->watch, now_ns);
    struct sink_gap gap = {
        .length_ns = now_ns > stream->last_ns ? now_ns - stream->last_ns : 0,
        .begin_ns = stream->last_ns,
        .sink_away_ns = sink_absence_between(&stream->absence, &absence),
    };

    if (gap.sink_away_ns > gap.length_ns) {
        gap.sink_away_ns = gap.length_ns;
    }
    gap.cause = sink_watch_blame(
        gap.length_ns,
        &stream->absence,
        &absence,
        stream->tcp.out_of_order_segments > stream->out_of_order_told);
    return gap;
}

static void note_gap(struct sink_stream *stream, const struct sink_gap *gap) {
    if (gap->length_ns > stream->longest.length_ns) {
        stream->longest = *gap;
    }
    if (sink_cause_is_own(gap->cause)) {
        stream->own_gaps_ns += gap->sink_away_ns;
        if (gap->length_ns > stream->own_longest.length_ns) {
            stream->own_longest = *gap;
        }
    }
}

// Data came after a silence. Short gaps are counted; long ones are looked into.
static void end_gap(struct sink *sink, struct sink_stream *stream, uint64_t now_ns) {
    uint64_t length_ns = now_ns - stream->last_ns;

    if (length_ns < SINK_TICK_NS) {
        if (length_ns > stream->longest.length_ns) {
            stream->longest = (struct sink_gap){
                .length_ns = length_ns, .begin_ns = stream->last_ns, .ended = true};
        }
        return;
    }
    sink_tcp_look(stream);
    struct sink_gap gap = sink_stream_open_gap(sink, stream, now_ns);
    gap.ended = true;
    note_gap(stream, &gap);
    if (length_ns >= SINK_STALL_NS) {
        char length[UNITS_TEXT_SIZE];
        char away[UNITS_TEXT_SIZE];

        sink_say(
            sink,
            "#%u %s goes on after %s: %s; sink away for %s of it",
            stream->id,
            stream->name,
            units_format_time(length, length_ns),
            sink_cause_text(gap.cause),
            units_format_time(away, gap.sink_away_ns));
    }
}

void sink_stream_watch_silence(struct sink *sink, struct sink_stream *stream, uint64_t now_ns) {
    char length[UNITS_TEXT_SIZE];
    char evidence[128] = "";

    if (stream->first_ns == 0 || now_ns < stream->last_ns + stream->stall_told_ns) {
        return;
    }
    sink_tcp_look(stream);
    if (stream->tcp.queued_bytes > 0) {
        return;  // it has come and is read in the next turn, which tells the cause
    }
    stream->stall_told_ns *= 2;
    if (sink->stall_lines_left == 0) {
        sink->stalls_untold++;
        return;
    }
    sink->stall_lines_left--;
    struct sink_gap gap = sink_stream_open_gap(sink, stream, now_ns);
    if (stream->tcp.known && stream->tcp.rcv_window_known) {
        char window[UNITS_TEXT_SIZE];

        snprintf(
            evidence,
            sizeof(evidence),
            "; Recv-Q 0, window open for %s, last segment %u ms ago",
            units_format_size(window, stream->tcp.rcv_window_bytes),
            stream->tcp.last_data_ms);
    } else if (stream->tcp.known) {
        snprintf(
            evidence,
            sizeof(evidence),
            "; Recv-Q 0, last segment %u ms ago",
            stream->tcp.last_data_ms);
    }
    sink_say(
        sink,
        "#%u %s silent for %s: %s%s",
        stream->id,
        stream->name,
        units_format_time(length, gap.length_ns),
        sink_cause_text(gap.cause),
        evidence);
}

// --- payload

// "tcp-192.168.1.5-49152-0001", from nothing that a peer could choose freely.
static void create_file(struct sink *sink, struct sink_stream *stream) {
    char host[SINK_HOST_SIZE];
    char name[SINK_FILE_NAME_SIZE];

    sink_address_host(&stream->peer, host);
    for (char *at = host; *at != '\0'; at++) {
        bool plain = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || *at == '.';

        if (!plain) {
            *at = '_';
        }
    }
    snprintf(
        name,
        sizeof(name),
        "%s-%s-%u-%04u",
        stream->kind == SINK_TCP ? "tcp" : "udp",
        host,
        (unsigned)sink_address_port(&stream->peer),
        stream->id);
    sink_file_create(&sink->store, &stream->file, name, &stream->start_utc);
    if (stream->file.state == SINK_FILE_FAILED) {
        sink_say_error(
            sink,
            "error: cannot make a file in %s: %s; #%u is counted but not stored",
            sink->store.path,
            strerror(stream->file.error),
            stream->id);
    }
}

static void store_payload(
    struct sink *sink, struct sink_stream *stream, const void *data, size_t size_bytes) {
    char kept[UNITS_TEXT_SIZE];

    if (stream->file.state == SINK_FILE_NONE) {
        create_file(sink, stream);
    }
    if (stream->file.state != SINK_FILE_OPEN) {
        return;
    }
    sink_file_write(&sink->store, &stream->file, data, size_bytes);
    if (stream->file.state == SINK_FILE_FAILED) {
        sink_say_error(
            sink,
            "error: cannot store more of #%u: %s; %s are kept in %s/%s, the rest is only counted. "
            "Free some space or give another --store folder",
            stream->id,
            strerror(stream->file.error),
            units_format_size(kept, stream->file.bytes),
            sink->store.path,
            stream->file.name);
    } else if (stream->file.state == SINK_FILE_CAPPED) {
        sink_say(
            sink,
            "note: the size cap is reached; %s of #%u are kept in %s/%s, the rest is only counted "
            "(--max-bytes, --max-total)",
            units_format_size(kept, stream->file.bytes),
            stream->id,
            sink->store.path,
            stream->file.name);
    }
}

void sink_stream_take(
    struct sink *sink,
    struct sink_stream *stream,
    const void *data,
    size_t size_bytes,
    size_t header_bytes,
    uint64_t now_ns) {
    if (stream->first_ns == 0) {
        stream->first_ns = now_ns;
    } else {
        end_gap(sink, stream, now_ns);
    }
    if (sink->first_ns == 0) {
        sink->first_ns = now_ns;
    }
    stream->last_ns = now_ns;
    sink->last_ns = now_ns;
    stream->absence = sink_watch_absence(&sink->watch, now_ns);
    stream->out_of_order_told = stream->tcp.out_of_order_segments;
    stream->stall_told_ns = SINK_STALL_NS;
    stream->bytes += size_bytes + header_bytes;
    stream->reads++;
    sink->bytes += size_bytes + header_bytes;
    sink->bin_bytes += size_bytes + header_bytes;
    if (stream->sha256 != NULL) {
        sha256_add(stream->sha256, data, size_bytes);
    }
    if (sink->store.path != NULL) {
        uint64_t begin_ns = clock_now_ns();

        store_payload(sink, stream, data, size_bytes);
        sink->watch.store_ns += clock_now_ns() - begin_ns;
    }
}

// --- the end

static void say_end(const struct sink *sink, const struct sink_stream *stream) {
    char size[UNITS_TEXT_SIZE];
    char rate[UNITS_TEXT_SIZE];
    char gap[UNITS_TEXT_SIZE];
    char lost[64] = "";
    uint64_t active_ns = stream->last_ns - stream->first_ns;

    if (stream->numbered) {
        snprintf(
            lost,
            sizeof(lost),
            ", %" PRIu64 " of %" PRIu64 " datagrams lost",
            sink_sequence_lost(&stream->sequence),
            sink_sequence_expected(&stream->sequence));
    }
    sink_say(
        sink,
        "#%u %s %s: %s, %s%s, longest gap %s (%s)",
        stream->id,
        stream->name,
        sink_end_text(stream->end),
        units_format_size(size, stream->bytes),
        active_ns > 0 ? units_format_rate(rate, (double)stream->bytes * 8e9 / (double)active_ns)
                      : "no rate",
        lost,
        units_format_time(gap, stream->longest.length_ns),
        sink_cause_text(stream->longest.cause));
}

void sink_stream_end(
    struct sink *sink, struct sink_stream *stream, enum sink_end end, uint64_t now_ns) {
    bool whole = sink_end_is_good(end) && sink_sequence_lost(&stream->sequence) == 0;

    stream->end = end;
    stream->end_ns = now_ns;
    if (stream->first_ns != 0 && !sink_end_is_good(end) &&
        now_ns >= stream->last_ns + SINK_TICK_NS) {
        struct sink_gap gap = sink_stream_open_gap(sink, stream, now_ns);

        note_gap(stream, &gap);
    }
    if (stream->socket >= 0) {
        sink_tcp_look(stream);
        close(stream->socket);
        stream->socket = -1;
    }
    if (stream->sha256 != NULL) {
        sha256_text(stream->sha256, stream->sha256_text);
        sha256_free(stream->sha256);
        stream->sha256 = NULL;
    }
    if (stream->file.state != SINK_FILE_NONE) {
        bool failed = stream->file.state == SINK_FILE_FAILED;

        sink_file_close(&sink->store, &stream->file, whole);
        if (!failed && stream->file.state == SINK_FILE_FAILED) {
            sink_say_error(
                sink,
                "error: the file of #%u did not close well: %s",
                stream->id,
                strerror(stream->file.error));
        }
    }
    sink->ends[end]++;
    sink->finished += end != SINK_END_idle && end != SINK_END_stopped ? 1 : 0;
    say_end(sink, stream);
    unlist_live(sink, stream);
    list_ended(sink, stream);
    sink_tcp_resume_accept(sink);
}
