// SPDX-License-Identifier: MIT
// Report: what the run was worth, for people and as JSON (docs/reference/sink.md has the fields).
#include "common/clock.h"
#include "common/exit_code.h"
#include "common/json.h"
#include "common/table.h"
#include "common/units.h"
#include "parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The share of a stream's time that the sink may take for itself before the figure is invalid.
#define OWN_SHARE_MAX 0.05

// From here on the summary says that the sink itself may be what limits the rate.
#define BUSY_SHARE_NOTE 0.9

enum { TABLE_ROWS_MAX = 30 };

// --- verdict

static void add_problem(struct sink_problems *problems, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_problem(struct sink_problems *problems, const char *format, ...) {
    va_list arguments;

    if (problems->count == SINK_PROBLEMS_MAX) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(problems->text[problems->count++], SINK_PROBLEM_SIZE, format, arguments);
    va_end(arguments);
}

static double active_s(const struct sink_stream *stream) {
    return (double)(stream->last_ns - stream->first_ns) / 1e9;
}

static double goodput_bps(uint64_t bytes, uint64_t first_ns, uint64_t last_ns) {
    return last_ns > first_ns ? (double)bytes * 8e9 / (double)(last_ns - first_ns) : (double)NAN;
}

static bool sink_held_it_up(const struct sink_stream *stream) {
    return (double)stream->own_gaps_ns / 1e9 > OWN_SHARE_MAX * active_s(stream) &&
           stream->own_gaps_ns > 0;
}

// The sink's busy share over the intervals in which bytes came; NaN without any.
static double busy_share_active(const struct sink *sink) {
    double busy_ns = 0;
    double all_ns = 0;

    for (size_t i = 0; i < sink->interval_count; i++) {
        const struct sink_interval *each = &sink->intervals[i];

        if (each->bytes > 0) {
            busy_ns += each->busy_share * (double)(each->end_ns - each->begin_ns);
            all_ns += (double)(each->end_ns - each->begin_ns);
        }
    }
    return all_ns > 0 ? busy_ns / all_ns : (double)NAN;
}

// Streams that carried bytes and were cut off by the end of the sink.
static uint64_t cut_off(const struct sink *sink) {
    uint64_t count = 0;

    for (const struct sink_stream *each = sink->ended; each != NULL; each = each->next) {
        count += each->end == SINK_END_stopped && each->bytes > 0 ? 1 : 0;
    }
    return count;
}

void sink_find_problems(const struct sink *sink, struct sink_problems *problems) {
    uint64_t held_up = 0;
    uint64_t cut = cut_off(sink);

    problems->count = 0;
    for (int end = SINK_END_open; end < SINK_END_COUNT; end++) {
        bool no_fault =
            sink_end_is_good((enum sink_end)end) || end == SINK_END_idle || end == SINK_END_stopped;

        if (!no_fault && sink->ends[end] > 0) {
            add_problem(
                problems,
                "%" PRIu64 " ended badly: %s",
                sink->ends[end],
                sink_end_text((enum sink_end)end));
        }
    }
    if (cut > 0) {
        add_problem(problems, "%" PRIu64 " cut off: %s", cut, sink_end_text(SINK_END_stopped));
    }
    for (const struct sink_stream *each = sink->ended; each != NULL; each = each->next) {
        held_up += sink_held_it_up(each) ? 1 : 0;
    }
    if (held_up > 0) {
        add_problem(
            problems,
            "the sink itself held up %" PRIu64 " for more than %.0f %% of their time",
            held_up,
            OWN_SHARE_MAX * 100);
    }
    if (sink->superseded > 0) {
        add_problem(
            problems,
            "%" PRIu64 " superseded by a newer connection of the same host",
            sink->superseded);
    }
    if (sink->udp_dropped > 0) {
        add_problem(
            problems, "the sink itself was too slow for %" PRIu64 " datagrams", sink->udp_dropped);
    }
    if (sink->store.failed) {
        add_problem(problems, "not everything could be stored");
    }
    if (sink->config.count > 0 && sink->finished < sink->config.count) {
        add_problem(
            problems,
            "%" PRIu64 " of %" PRIu64 " streams came to their end",
            sink->finished,
            sink->config.count);
    }
}

int sink_exit_code(const struct sink *sink) {
    struct sink_problems problems;
    bool had_a_bound = sink->config.count > 0 || sink->config.duration_ns > 0;

    sink_find_problems(sink, &problems);
    if (sink->stop_asked && (had_a_bound || cut_off(sink) > 0)) {
        return EXIT_CODE_INTERRUPTED;
    }
    if (sink->store.failed) {
        return EXIT_CODE_ENVIRONMENT;
    }
    return problems.count > 0 ? EXIT_CODE_FAILED : EXIT_CODE_DONE;
}

// --- for people

static void print_stream(struct table *table, const struct sink_stream *stream) {
    char text[UNITS_TEXT_SIZE];
    double bps = goodput_bps(stream->bytes, stream->first_ns, stream->last_ns);

    table_cell(table, "%u", stream->id);
    table_cell(table, "%s", stream->kind == SINK_TCP ? "tcp" : "udp");
    table_cell(table, "%s", stream->name);
    table_cell(table, "%" PRIu64, stream->bytes);
    table_cell(table, "%s", isnan(bps) ? "-" : units_format_rate(text, bps));
    table_cell(table, "%s", units_format_time(text, stream->longest.length_ns));
    table_cell(table, "%s", sink_cause_name(stream->longest.cause));
    table_cell(table, "%s", sink_end_name(stream->end));
}

static void print_table(const struct sink *sink, FILE *file) {
    static const char *const heads[] = {
        "id", "kind", "peer", "bytes", "goodput", "longest gap", "cause", "end"};
    struct table table;
    uint32_t rows = 0;

    table_init(&table, "rllrrrll");
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        table_cell(&table, "%s", heads[i]);
    }
    for (const struct sink_stream *each = sink->ended; each != NULL; each = each->next) {
        if (rows++ < TABLE_ROWS_MAX) {
            print_stream(&table, each);
        }
    }
    table_print(&table, file, 2);
    table_free(&table);
    if (rows > TABLE_ROWS_MAX) {
        fprintf(file, "  and %u more (all of them are in --json)\n", rows - TABLE_ROWS_MAX);
    }
}

void sink_print_summary(const struct sink *sink, FILE *file) {
    char size[UNITS_TEXT_SIZE];
    char rate[UNITS_TEXT_SIZE];
    char away[UNITS_TEXT_SIZE];
    struct sink_problems problems;
    double bps = goodput_bps(sink->bytes, sink->first_ns, sink->last_ns);
    double busy = busy_share_active(sink);

    if (sink->ended != NULL) {
        print_table(sink, file);
    }
    fprintf(
        file,
        "received %" PRIu64 " bytes (%s) in %u streams, %s; sink busy %.0f %% of the time, longest "
        "absence %s\n",
        sink->bytes,
        units_format_size(size, sink->bytes),
        sink->stream_count,
        isnan(bps) ? "no rate" : units_format_rate(rate, bps),
        isnan(busy) ? 0.0 : busy * 100,
        units_format_time(away, sink->watch.longest_ns));
    if (busy >= BUSY_SHARE_NOTE) {
        fprintf(
            file,
            "note: the sink had hardly a moment to wait; it may be the limit, not the sender%s\n",
            sink->store.path != NULL ? " (without --store it is quicker)" : "");
    }
    sink_find_problems(sink, &problems);
    for (uint32_t i = 0; i < problems.count; i++) {
        fprintf(file, "not valid: %s\n", problems.text[i]);
    }
    fflush(file);
}

// --- JSON

// Seconds since the sink started, to the microsecond; null for what never was.
static void add_time(const struct sink *sink, cJSON *object, const char *name, uint64_t at_ns) {
    double since_s = at_ns == 0 ? (double)NAN : (double)(at_ns - sink->start_ns) / 1e9;

    json_add_real(object, name, since_s, 6);
}

static void add_seconds(cJSON *object, const char *name, uint64_t time_ns) {
    json_add_real(object, name, (double)time_ns / 1e9, 6);
}

static void add_gap(const struct sink *sink, cJSON *stream, const char *name, struct sink_gap gap) {
    if (gap.length_ns == 0) {
        json_add_null(stream, name);
        return;
    }
    cJSON *object = json_add_object(stream, name);
    add_seconds(object, "length_s", gap.length_ns);
    add_time(sink, object, "begin_s", gap.begin_ns);
    json_add_text(object, "cause", sink_cause_name(gap.cause));
    json_add_text(object, "text", sink_cause_text(gap.cause));
    add_seconds(object, "sink_away_s", gap.sink_away_ns);
    json_add_bool(object, "ended", gap.ended);
}

static void add_tcp(cJSON *stream, const struct sink_stream *from) {
    const struct sink_tcp_state *tcp = &from->tcp;

    if (!tcp->known) {
        json_add_null(stream, "tcp");
        return;
    }
    cJSON *object = json_add_object(stream, "tcp");
    json_add_u64(object, "rtt_us", tcp->rtt_us);
    json_add_u64(object, "rcv_rtt_us", tcp->rcv_rtt_us);
    json_add_u64(object, "rcv_mss_bytes", tcp->rcv_mss_bytes);
    json_add_u64(object, "rcv_space_bytes", tcp->rcv_space_bytes);
    json_add_u64(object, "ato_us", tcp->ato_us);
    json_add_u64(object, "data_segments_in", tcp->data_segments_in);
    json_add_u64(object, "segments_out", tcp->segments_out);
    json_add_real(
        object,
        "ack_ratio",
        tcp->data_segments_in == 0 ? (double)NAN
                                   : (double)tcp->segments_out / (double)tcp->data_segments_in,
        3);
    json_add_u64(object, "out_of_order_segments", tcp->out_of_order_segments);
    json_add_u64(object, "zero_window_looks", from->zero_windows);
}

static void add_udp(cJSON *stream, const struct sink_stream *from) {
    const struct sink_sequence *sequence = &from->sequence;
    cJSON *object = json_add_object(stream, "udp");

    json_add_u64(object, "datagrams", from->reads);
    json_add_bool(object, "numbered", from->numbered);
    if (!from->numbered) {
        return;
    }
    uint64_t expected = sink_sequence_expected(sequence);
    uint64_t lost = sink_sequence_lost(sequence);
    json_add_u64(object, "stream", from->udp_stream);
    json_add_u64(object, "first_sequence", sequence->first);
    json_add_u64(object, "expected", expected);
    json_add_u64(object, "lost", lost);
    json_add_real(object, "loss", expected == 0 ? (double)NAN : (double)lost / (double)expected, 6);
    json_add_u64(object, "duplicates", sequence->duplicates);
    json_add_u64(object, "reordered", sequence->reordered);
    json_add_u64(object, "too_late", sequence->too_late);
    json_add_bool(object, "last_seen", sequence->last_seen);
    if (from->continues != 0) {
        json_add_u64(object, "continues", from->continues);
    } else {
        json_add_null(object, "continues");
    }
}

static void add_stored(const struct sink *sink, cJSON *stream, const struct sink_stream *from) {
    char path[SINK_FILE_NAME_SIZE + 512];

    if (sink->store.path == NULL || from->file.state == SINK_FILE_NONE) {
        json_add_null(stream, "stored");
        return;
    }
    cJSON *object = json_add_object(stream, "stored");
    snprintf(path, sizeof(path), "%.500s/%s", sink->store.path, from->file.name);
    json_add_text(object, "file", from->file.name[0] == '\0' ? NULL : path);
    json_add_u64(object, "bytes", from->file.bytes);
    json_add_bool(object, "whole", from->file.state == SINK_FILE_OPEN);
    json_add_bool(object, "capped", from->file.state == SINK_FILE_CAPPED);
    json_add_text(
        object, "error", from->file.state == SINK_FILE_FAILED ? strerror(from->file.error) : NULL);
}

static void add_stream(const struct sink *sink, cJSON *list, const struct sink_stream *from) {
    char utc[CLOCK_UTC_SIZE];
    char host[SINK_HOST_SIZE];
    cJSON *object = json_append_object(list);

    json_add_u64(object, "id", from->id);
    json_add_text(object, "kind", from->kind == SINK_TCP ? "tcp" : "udp");
    json_add_text(object, "protocol", from->protocol == NULL ? NULL : from->protocol->name);
    json_add_text(object, "peer", sink_address_host(&from->peer, host));
    json_add_u64(object, "port", sink_address_port(&from->peer));
    json_add_text(object, "start_utc", clock_utc_text(utc, &from->start_utc));
    add_time(sink, object, "start_s", from->start_ns);
    add_time(sink, object, "first_byte_s", from->first_ns);
    add_time(sink, object, "last_byte_s", from->last_ns);
    add_time(sink, object, "end_s", from->end_ns);
    json_add_text(object, "end", sink_end_name(from->end));
    json_add_text(object, "end_text", sink_end_text(from->end));
    json_add_u64(object, "bytes", from->bytes);
    json_add_real(
        object, "goodput_bps", goodput_bps(from->bytes, from->first_ns, from->last_ns), 0);
    json_add_u64(object, "reads", from->reads);
    add_gap(sink, object, "longest_gap", from->longest);
    add_gap(sink, object, "longest_own_gap", from->own_longest);
    add_seconds(object, "own_gaps_s", from->own_gaps_ns);
    if (from->superseded_by != 0) {
        json_add_u64(object, "superseded_by", from->superseded_by);
    } else {
        json_add_null(object, "superseded_by");
    }
    json_add_text(object, "sha256", from->sha256_text[0] == '\0' ? NULL : from->sha256_text);
    add_stored(sink, object, from);
    if (from->kind == SINK_TCP) {
        add_tcp(object, from);
    } else {
        add_udp(object, from);
    }
}

static void add_result(const struct sink *sink, cJSON *root) {
    cJSON *result = json_add_object(root, "result");

    json_add_u64(result, "bytes", sink->bytes);
    json_add_real(
        result, "goodput_bps", goodput_bps(sink->bytes, sink->first_ns, sink->last_ns), 0);
    add_time(sink, result, "first_byte_s", sink->first_ns);
    add_time(sink, result, "last_byte_s", sink->last_ns);
    json_add_u64(result, "streams", sink->stream_count);
    json_add_u64(result, "finished", sink->finished);
    cJSON *ends = json_add_object(result, "ends");
    for (int end = SINK_END_open + 1; end < SINK_END_COUNT; end++) {
        json_add_u64(ends, sink_end_name((enum sink_end)end), sink->ends[end]);
    }
    json_add_u64(result, "superseded", sink->superseded);
}

static void add_own(const struct sink *sink, cJSON *root) {
    const struct sink_watch *watch = &sink->watch;
    double whole_ns = (double)(sink->end_ns - sink->start_ns + 1);
    cJSON *own = json_add_object(root, "sink");

    json_add_real(own, "busy_share", (double)watch->work_ns / whole_ns, 4);
    json_add_real(own, "busy_share_active", busy_share_active(sink), 4);
    json_add_real(own, "store_share", (double)watch->store_ns / whole_ns, 4);
    add_seconds(own, "longest_absence_s", watch->longest_ns);
    json_add_text(own, "longest_absence_cause", sink_cause_name(watch->longest_cause));
    add_seconds(own, "absent_busy_s", watch->absence.busy_ns);
    add_seconds(own, "absent_store_s", watch->absence.store_ns);
    add_seconds(own, "absent_halted_s", watch->absence.halted_ns);
    json_add_u64(own, "udp_dropped", sink->udp_dropped);
    json_add_u64(own, "udp_after_end", sink->udp_after_end);
    json_add_u64(own, "udp_refused", sink->udp_refused);
    json_add_u64(own, "stored_bytes", sink->store.total_bytes);
    json_add_u64(own, "connections_left_out", sink->record_dropped);
}

// What changed on the whole machine meanwhile, whoever it was.
static void add_host(const struct sink *sink, cJSON *root) {
    cJSON *host = json_add_object(root, "host");

#define X(name, group, key, text)                                                                  \
    json_add_u64(host, #name, sink->host_end.name - sink->host_begin.name);
    SINK_HOST_COUNTERS(X)
#undef X
}

static void add_intervals(const struct sink *sink, cJSON *root) {
    cJSON *list = json_add_array(root, "intervals");

    for (size_t i = 0; i < sink->interval_count; i++) {
        const struct sink_interval *from = &sink->intervals[i];
        cJSON *object = json_append_object(list);

        add_time(sink, object, "begin_s", from->begin_ns);
        add_time(sink, object, "end_s", from->end_ns);
        json_add_u64(object, "bytes", from->bytes);
        json_add_real(
            object, "goodput_bps", goodput_bps(from->bytes, from->begin_ns, from->end_ns), 0);
        json_add_real(object, "bin_min_bps", from->bin_min_bps, 0);
        json_add_real(object, "bin_median_bps", from->bin_median_bps, 0);
        json_add_real(object, "bin_max_bps", from->bin_max_bps, 0);
        json_add_u64(object, "open", from->live);
        json_add_real(object, "busy_share", from->busy_share, 4);
    }
}

int sink_write_json(const struct sink *sink, const char *path) {
    char utc[CLOCK_UTC_SIZE];
    char host[SINK_HOST_SIZE];
    struct sink_problems problems;
    cJSON *root = json_new_object();

    sink_find_problems(sink, &problems);
    json_add_text(root, "schema", "coradio-sink-1");
    json_add_text(root, "listen", sink_address_host(&sink->address, host));
    json_add_u64(root, "port", sink_address_port(&sink->address));
    json_add_text(root, "start_utc", clock_utc_text(utc, &sink->start_utc));
    add_seconds(root, "duration_s", sink->end_ns - sink->start_ns);
    json_add_text(
        root,
        "ended_by",
        sink->stop_asked      ? "signal"
        : sink->count_reached ? "count"
                              : "duration");
    json_add_bool(root, "valid", problems.count == 0);
    cJSON *list = json_add_array(root, "problems");
    for (uint32_t i = 0; i < problems.count; i++) {
        json_append_text(list, problems.text[i]);
    }
    add_result(sink, root);
    add_own(sink, root);
    add_host(sink, root);
    list = json_add_array(root, "connections");
    for (const struct sink_stream *each = sink->ended; each != NULL; each = each->next) {
        add_stream(sink, list, each);
    }
    add_intervals(sink, root);
    int error = json_write(path, root);
    cJSON_Delete(root);
    return error;
}
