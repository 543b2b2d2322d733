// SPDX-License-Identifier: MIT
#include "live.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_DEFAULT = 80, LABEL_WIDTH = 10, BAR_WIDTH_MAX = 60, NAMES_WIDTH = 44 };

// Distinct for most eyes on dark and light; the 256-colour palette of xterm.
static const int colours[LIVE_PARTS_MAX] = {214, 75, 35, 227, 32, 160, 175, 245, 99, 66, 130, 250};

// Eighths of a column, as Unicode's block elements (U+2581 to U+2588).
static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

void live_init_to(struct live *live, FILE *file, bool terminal, bool colour, int columns) {
    *live = (struct live){
        .file = file, .terminal = terminal, .colour = terminal && colour, .columns = columns};
}

void live_init(struct live *live) {
    const char *no_colour = getenv("NO_COLOR");
    struct winsize size = {0};
    int columns = COLUMNS_DEFAULT;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        columns = size.ws_col;
    }
    live_init_to(
        live,
        stderr,
        isatty(STDERR_FILENO) != 0,
        no_colour == NULL || no_colour[0] == '\0',
        columns);
}

void live_begin(struct live *live) {
    if (live->terminal && live->drawn > 0) {
        fprintf(live->file, "\r\033[%dA", live->drawn);
    }
    live->line = 0;
}

static void line_begin(struct live *live) {
    if (live->terminal) {
        fputs("\033[K", live->file);
    } else if (live->line > 0) {
        fputs("; ", live->file);
    }
    live->line++;
}

static void line_end(struct live *live) {
    if (live->terminal) {
        fputc('\n', live->file);
    }
}

void live_line(struct live *live, const char *format, ...) {
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    line_begin(live);
    // A line longer than the terminal would wrap and break the count of lines.
    fprintf(live->file, "%.*s", live->terminal ? live->columns - 1 : (int)sizeof(text), text);
    line_end(live);
}

static int bar_width(const struct live *live) {
    int width = live->columns - LABEL_WIDTH - NAMES_WIDTH - 4;

    return width > BAR_WIDTH_MAX ? BAR_WIDTH_MAX : width;
}

static void draw_parts(
    const struct live *live, const struct live_part *parts, size_t count, int width) {
    double upto = 0;
    int drawn = 0;

    for (size_t i = 0; i < count; i++) {
        int end;

        upto += parts[i].share;
        end = (int)(upto * width + 0.5);
        end = end > width ? width : end;
        if (end > drawn && live->colour) {
            fprintf(live->file, "\033[48;5;%dm", colours[i % LIVE_PARTS_MAX]);
        }
        for (; drawn < end; drawn++) {
            fputc(live->colour ? ' ' : parts[i].letter, live->file);
        }
    }
    if (live->colour) {
        fputs("\033[0m", live->file);
    }
    for (; drawn < width; drawn++) {
        fputc(live->colour ? ' ' : '.', live->file);
    }
}

// The largest parts first, as many as there is room for.
static void draw_names(const struct live *live, const struct live_part *parts, size_t count) {
    bool done[LIVE_PARTS_MAX] = {false};
    int room = NAMES_WIDTH;

    for (size_t turn = 0; turn < count; turn++) {
        size_t best = LIVE_PARTS_MAX;
        char text[64];
        int length;

        for (size_t i = 0; i < count && i < LIVE_PARTS_MAX; i++) {
            if (!done[i] && (best == LIVE_PARTS_MAX || parts[i].share > parts[best].share)) {
                best = i;
            }
        }
        if (best == LIVE_PARTS_MAX || parts[best].share < 0.005) {
            return;
        }
        done[best] = true;
        length =
            snprintf(text, sizeof(text), " %s %.0f %%", parts[best].name, parts[best].share * 100);
        if (length > room) {
            return;
        }
        room -= length;
        if (live->colour) {
            fprintf(live->file, "\033[38;5;%dm%s\033[0m", colours[best], text);
        } else {
            fputs(text, live->file);
        }
    }
}

void live_bar(struct live *live, const char *label, const struct live_part *parts, size_t count) {
    line_begin(live);
    if (live->terminal) {
        int width = bar_width(live);

        fprintf(live->file, "%-*s", LABEL_WIDTH, label);
        if (width > 0) {
            draw_parts(live, parts, count, width);
        }
    } else {
        fprintf(live->file, "%s", label);
    }
    draw_names(live, parts, count);
    line_end(live);
}

void live_history(
    struct live *live, const char *label, const double *values, size_t count, double max) {
    if (!live->terminal) {
        return;
    }
    size_t room = live->columns > LABEL_WIDTH + 2 ? (size_t)(live->columns - LABEL_WIDTH - 2) : 0;
    size_t first = count > room ? count - room : 0;

    line_begin(live);
    fprintf(live->file, "%-*s", LABEL_WIDTH, label);
    for (size_t i = first; i < count; i++) {
        double share = max > 0 ? values[i] / max : 0;
        int eighths = (int)((share > 1 ? 1 : share < 0 ? 0 : share) * 8 + 0.5);

        fputs(blocks[eighths], live->file);
    }
    line_end(live);
}

void live_end(struct live *live) {
    if (!live->terminal) {
        fputc('\n', live->file);
    }
    for (int i = live->line; live->terminal && i < live->drawn; i++) {
        fputs("\033[K\n", live->file);
        live->line++;
    }
    fflush(live->file);
    live->drawn = live->terminal ? live->line : 0;
}

void live_clear(struct live *live) {
    if (live->drawn > 0) {
        fprintf(live->file, "\r\033[%dA\033[J", live->drawn);
        fflush(live->file);
        live->drawn = 0;
    }
}
