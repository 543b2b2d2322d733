// SPDX-License-Identifier: MIT
// The live view: what is written to a terminal and to a log.
#include "common/live.h"
#include "test.h"

#include <stdlib.h>

static char *text;
static size_t text_size;
static struct live live;

static void start(bool terminal, bool colour, int columns) {
    FILE *file = open_memstream(&text, &text_size);

    CHECK(file != NULL);
    live_init_to(&live, file, terminal, colour, columns);
}

static void stop(void) {
    fclose(live.file);
}

static const struct live_part parts[] = {
    {"source", 's', 0.25},
    {"bus", 'b', 0.70},
    {"cpu", 'U', 0.05},
};

static void draw(const char *rate) {
    live_begin(&live);
    live_line(&live, "%s", rate);
    live_bar(&live, "waits for", parts, 3);
    live_end(&live);
}

TEST(a_log_gets_one_plain_line_a_drawing) {
    start(false, true, 80);
    draw("34.2 Mbit/s");
    draw("34.1 Mbit/s");
    live_clear(&live);
    stop();
    CHECK_TEXT(
        text,
        "34.2 Mbit/s; waits for bus 70 % source 25 % cpu 5 %\n"
        "34.1 Mbit/s; waits for bus 70 % source 25 % cpu 5 %\n");
    free(text);
}

TEST(a_terminal_is_drawn_over) {
    start(true, false, 80);
    draw("34.2 Mbit/s");
    CHECK_EQ(live.drawn, 2);
    draw("34.1 Mbit/s");
    stop();
    CHECK(strstr(text, "\033[2A") != NULL);
    free(text);
}

TEST(a_bar_without_colour_is_made_of_letters) {
    start(true, false, 78);
    draw("");
    stop();
    // 20 columns: 5 of the first, 14 of the second, 1 of the third.
    CHECK(strstr(text, "sssssbbbbbbbbbbbbbbU ") != NULL);
    CHECK(strstr(text, "48;5") == NULL);
    free(text);
}

TEST(a_line_never_wraps) {
    start(true, false, 20);
    live_begin(&live);
    live_line(&live, "%s", "0123456789012345678901234567890123456789");
    live_end(&live);
    stop();
    CHECK_TEXT(text, "\033[K0123456789012345678\n");
    free(text);
}

TEST(a_shorter_block_leaves_nothing_behind) {
    start(true, false, 80);
    draw("two lines");
    live_begin(&live);
    live_line(&live, "one line");
    live_end(&live);
    CHECK_EQ(live.drawn, 2);
    stop();
    free(text);
}

TEST(the_history_shows_the_last_values_that_fit) {
    const double values[] = {8, 8, 8, 0, 4, 8};

    start(true, false, 15);
    live_begin(&live);
    live_history(&live, "rate", values, 6, 8);
    live_end(&live);
    stop();
    CHECK_TEXT(text, "\033[Krate       ▄█\n");
    free(text);
}

TEST_MAIN(
    CASE(a_log_gets_one_plain_line_a_drawing),
    CASE(a_terminal_is_drawn_over),
    CASE(a_bar_without_colour_is_made_of_letters),
    CASE(a_line_never_wraps),
    CASE(a_shorter_block_leaves_nothing_behind),
    CASE(the_history_shows_the_last_values_that_fit))
