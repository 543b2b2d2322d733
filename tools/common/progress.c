// SPDX-License-Identifier: MIT
#include "progress.h"

#include "units.h"

#include <unistd.h>

enum { TERMINAL_INTERVAL_NS = 250000000 };

void progress_init_to(
    struct progress *progress, FILE *file, bool terminal, uint64_t interval_ns, uint64_t now_ns) {
    *progress = (struct progress){
        .file = file,
        .label = "",
        .terminal = terminal,
        .interval_ns = interval_ns,
        .start_ns = now_ns,
        .shown_ns = now_ns,
    };
    if (terminal && interval_ns == 0) {
        progress->interval_ns = TERMINAL_INTERVAL_NS;
    }
}

void progress_init(
    struct progress *progress,
    const char *label,
    uint64_t total_bytes,
    uint64_t interval_ns,
    uint64_t now_ns) {
    progress_init_to(progress, stderr, isatty(STDERR_FILENO) != 0, interval_ns, now_ns);
    progress->label = label;
    progress->total_bytes = total_bytes;
}

static void draw(struct progress *progress, uint64_t done_bytes, uint64_t now_ns) {
    char done[UNITS_TEXT_SIZE];
    char rate[UNITS_TEXT_SIZE];
    char left[UNITS_TEXT_SIZE];
    FILE *file = progress->file;

    fputs(progress->terminal ? "\r\033[K" : "", file);
    fprintf(file, "%s%s", progress->label, progress->label[0] == '\0' ? "" : "  ");
    fputs(units_format_size(done, done_bytes), file);
    if (progress->total_bytes > 0) {
        char total[UNITS_TEXT_SIZE];
        double share = 100.0 * (double)done_bytes / (double)progress->total_bytes;

        fprintf(file, " of %s  %3.0f %%", units_format_size(total, progress->total_bytes), share);
    }
    fprintf(file, "  %s", units_format_rate(rate, progress->rate_bps));
    if (progress->total_bytes > done_bytes && progress->rate_bps > 0) {
        double left_s = (double)(progress->total_bytes - done_bytes) * 8 / progress->rate_bps;

        if (left_s < 1e6) {
            fprintf(file, "  %s left", units_format_time(left, (uint64_t)(left_s * 1e9)));
        }
    }
    if (!progress->terminal) {
        fprintf(file, "  after %s\n", units_format_time(left, now_ns - progress->start_ns));
    }
    fflush(file);
    progress->drawn = progress->terminal;
}

bool progress_update(struct progress *progress, uint64_t done_bytes, uint64_t now_ns) {
    if (progress->interval_ns == 0 || now_ns < progress->shown_ns + progress->interval_ns) {
        return false;
    }
    double recent_bps =
        (double)(done_bytes - progress->shown_bytes) * 8e9 / (double)(now_ns - progress->shown_ns);
    bool first = progress->shown_ns == progress->start_ns;

    progress->rate_bps = first ? recent_bps : 0.7 * progress->rate_bps + 0.3 * recent_bps;
    progress->shown_ns = now_ns;
    progress->shown_bytes = done_bytes;
    draw(progress, done_bytes, now_ns);
    return true;
}

void progress_clear(struct progress *progress) {
    if (progress->drawn) {
        fputs("\r\033[K", progress->file);
        fflush(progress->file);
        progress->drawn = false;
    }
}
