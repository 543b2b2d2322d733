// SPDX-License-Identifier: MIT
// Intervals: a hundred milliseconds make a bin, a second makes an interval, some make a line.
#include "common/units.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 8 };

static int compare_rates(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;

    return left < right ? -1 : left > right ? 1 : 0;
}

static void close_bin(struct sink *sink, uint64_t now_ns) {
    uint64_t length_ns = now_ns - sink->bin_begin_ns;

    if (length_ns > 0 && sink->bin_count < SINK_INTERVAL_BINS) {
        sink->bins[sink->bin_count++] = (double)sink->bin_bytes * 8e9 / (double)length_ns;
    }
    sink->interval_bytes += sink->bin_bytes;
    sink->bin_bytes = 0;
    sink->bin_begin_ns = now_ns;
}

// Keeps the interval, unless nothing was going on in it.
static void close_interval(struct sink *sink, uint64_t now_ns) {
    uint64_t length_ns = now_ns - sink->interval_begin_ns;

    if (length_ns > 0 && sink->bin_count > 0 &&
        (sink->interval_bytes > 0 || sink->live_count > 0)) {
        if (sink->interval_count == sink->interval_room) {
            size_t room = sink->interval_room == 0 ? 64 : sink->interval_room * 2;
            struct sink_interval *more = realloc(sink->intervals, room * sizeof(*more));

            if (more == NULL) {
                return;
            }
            sink->intervals = more;
            sink->interval_room = room;
        }
        qsort(sink->bins, sink->bin_count, sizeof(sink->bins[0]), compare_rates);
        sink->intervals[sink->interval_count++] = (struct sink_interval){
            .begin_ns = sink->interval_begin_ns,
            .end_ns = now_ns,
            .bytes = sink->interval_bytes,
            .bin_min_bps = sink->bins[0],
            .bin_median_bps = sink->bins[sink->bin_count / 2],
            .bin_max_bps = sink->bins[sink->bin_count - 1],
            .live = sink->live_count,
            .busy_share =
                (double)(sink->watch.work_ns - sink->interval_work_ns) / (double)length_ns,
        };
    }
    sink->interval_begin_ns = now_ns;
    sink->interval_bytes = 0;
    sink->interval_work_ns = sink->watch.work_ns;
    sink->bin_count = 0;
}

static void show_stream(struct sink *sink, struct sink_stream *stream, uint64_t length_ns) {
    char size[UNITS_TEXT_SIZE];
    char rate[UNITS_TEXT_SIZE];
    uint64_t recent = stream->bytes - stream->shown_bytes;

    sink_say(
        sink,
        "  #%-4u %-24s %10s  %14s",
        stream->id,
        stream->name,
        units_format_size(size, stream->bytes),
        units_format_rate(rate, (double)recent * 8e9 / (double)length_ns));
}

// A line for each of the busiest streams since the last lines, the busiest first.
static void show_busiest(struct sink *sink, uint64_t length_ns) {
    uint64_t below = UINT64_MAX;
    uint32_t below_id = 0;

    for (uint32_t line = 0; line < LINES_MAX; line++) {
        struct sink_stream *best = NULL;
        uint64_t best_bytes = 0;

        for (struct sink_stream *each = sink->live; each != NULL; each = each->next) {
            uint64_t recent = each->bytes - each->shown_bytes;
            bool left = recent < below || (recent == below && each->id > below_id);
            bool better = best == NULL || recent > best_bytes ||
                          (recent == best_bytes && each->id < best->id);

            if (left && better) {
                best = each;
                best_bytes = recent;
            }
        }
        if (best == NULL) {
            return;
        }
        show_stream(sink, best, length_ns);
        below = best_bytes;
        below_id = best->id;
    }
}

static void show(struct sink *sink, uint64_t now_ns) {
    uint64_t length_ns = now_ns - sink->shown_ns;
    uint64_t recent = sink->bytes - sink->shown_bytes;

    if (length_ns > 0 && (recent > 0 || sink->live_count > 0)) {
        char size[UNITS_TEXT_SIZE];
        char rate[UNITS_TEXT_SIZE];

        if (sink->live_count > 1) {
            show_busiest(sink, length_ns);
        }
        sink_say(
            sink,
            "total %u open, %s, %s",
            sink->live_count,
            units_format_size(size, sink->bytes),
            units_format_rate(rate, (double)recent * 8e9 / (double)length_ns));
    }
    for (struct sink_stream *each = sink->live; each != NULL; each = each->next) {
        each->shown_bytes = each->bytes;
    }
    sink->shown_ns = now_ns;
    sink->shown_bytes = sink->bytes;
}

static void look_at_windows(struct sink *sink) {
    for (struct sink_stream *each = sink->live; each != NULL; each = each->next) {
        sink_tcp_look(each);
        if (each->tcp.rcv_window_known && each->tcp.rcv_window_bytes == 0) {
            each->zero_windows++;
        }
    }
}

static void forget_old_udp(struct sink *sink, uint64_t now_ns) {
    for (uint32_t i = 0; i < SINK_UDP_BUCKETS; i++) {
        struct sink_stream *next = NULL;

        for (struct sink_stream *each = sink->buckets[i]; each != NULL; each = next) {
            next = each->bucket_next;
            if (each->end != SINK_END_open && now_ns >= each->end_ns + SINK_UDP_FORGET_NS) {
                sink_udp_forget(sink, each);
            }
        }
    }
}

// The next whole number of steps since the start, so that lateness does not add up.
static uint64_t next_on_grid(const struct sink *sink, uint64_t step_ns, uint64_t now_ns) {
    return sink->start_ns + ((now_ns - sink->start_ns) / step_ns + 1) * step_ns;
}

void sink_interval_tick(struct sink *sink, uint64_t now_ns) {
    close_bin(sink, now_ns);
    if (now_ns >= sink->interval_due_ns) {
        sink->interval_due_ns = next_on_grid(sink, SINK_INTERVAL_NS, now_ns);
        close_interval(sink, now_ns);
        look_at_windows(sink);
        forget_old_udp(sink, now_ns);
        if (sink->stalls_untold > 0) {
            sink_say(sink, "and %u more such lines left out", sink->stalls_untold);
        }
        sink->stalls_untold = 0;
        sink->stall_lines_left = SINK_STALL_LINES;
    }
    if (sink->config.interval_ns > 0 && now_ns >= sink->show_due_ns) {
        sink->show_due_ns = next_on_grid(sink, sink->config.interval_ns, now_ns);
        show(sink, now_ns);
    }
}

void sink_interval_finish(struct sink *sink, uint64_t now_ns) {
    close_bin(sink, now_ns);
    close_interval(sink, now_ns);
}
