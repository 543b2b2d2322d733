// SPDX-License-Identifier: MIT
// The golden table of TCP: goodput between our stack and lwIP's over ring, loss, round trip and
// direction, in virtual time, so that any change of the sender or the receiver shows as a diff of
// numbers.
//
//     COR_TABLE unset    the rows of the path of 4 ms, and one of each other round trip
//     COR_TABLE=whole    all rows (label long)
//     COR_TABLE=update   all rows, and the table is written
#include "lwip_path.h"

#include <stdlib.h>

#define TABLE       "tests/golden/tcp_throughput.tsv"
#define MEASURED_NS 10000000000ULL
#define LINE_BYTES  256

static const char head_lines[] =
    "# source: tests/scenario/test_tcp_table.c; update: COR_TABLE=update "
    "BUILD/tests/test_tcp_table\n"
    "# Goodput in kbit/s at the receiving application over 10 s of virtual time, our stack and\n"
    "# lwIP's, a link of 34 Mbit/s, loss in both directions. ring: of the one of the two rings "
    "that\n"
    "# is ours. receive: lwIP sends, and it is its recovery that is seen.\n"
    "direction\tcontroller\tring_bytes\trtt_us\tloss_0\tloss_0.1%\tloss_1%\tloss_2%\tloss_5%\n";

static const double losses[] = {0, 0.001, 0.01, 0.02, 0.05};
static const uint32_t rings[] = {8192, 16384, 32768, 65536};
static const uint32_t rtts_us[] = {1000, 4000, 20000, 100000};

struct kind {
    const char *direction;
    const char *controller;
    const struct cor_tcp_controller *table;
    bool receive;
};

static const struct kind kinds[] = {
    {"send", "reno", &cor_tcp_reno, false},
    {"send", "rate", &cor_tcp_rate, false},
    {"receive", "-", NULL, true},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t cell(const struct kind *kind, uint32_t ring_bytes, uint32_t rtt_us, double loss) {
    struct lwip_plan plan = {
        .seed = 1,
        .loss = loss,
        .delay_ns = rtt_us * 500ULL,
        .ring_bytes = ring_bytes,
        .total = UINT64_MAX / 2,
        .until_ns = MEASURED_NS,
        .receive = kind->receive,
        .controller = kind->table,
    };

    open_path(&plan);
    open_tcp();
    uint32_t kbit_s = run_transfer();
    close_path();
    return kbit_s;
}

static void row(const struct kind *kind, uint32_t ring_bytes, uint32_t rtt_us, char *line) {
    int used = snprintf(
        line, LINE_BYTES, "%s\t%s\t%u\t%u", kind->direction, kind->controller, ring_bytes, rtt_us);

    for (uint32_t i = 0; i < COUNT(losses); i++) {
        used += snprintf(
            line + used,
            LINE_BYTES - (size_t)used,
            "\t%u",
            cell(kind, ring_bytes, rtt_us, losses[i]));
    }
    snprintf(line + used, LINE_BYTES - (size_t)used, "\n");
}

// In a run of minutes only these: what is asked of the sender, and that the other round trips work.
static bool is_short(const struct kind *kind, uint32_t ring_bytes, uint32_t rtt_us) {
    return (ring_bytes == 65536 && (rtt_us == 4000 || rtt_us == 100000)) ||
           (ring_bytes == 16384 && rtt_us == 20000 && !kind->receive);
}

// The next line of the table that is no remark, or of the same direction, controller, ring and
// round trip as `line`.
static bool find_row(FILE *table, const char *line, char *found) {
    const char *end = line;

    for (uint32_t tabs = 0; tabs < 4; end++) {
        tabs += *end == '\t';
    }
    rewind(table);
    while (fgets(found, LINE_BYTES, table) != NULL) {
        if (strncmp(found, line, (size_t)(end - line)) == 0) {
            return true;
        }
    }
    snprintf(found, LINE_BYTES, "(no such row)\n");
    return false;
}

static void compare(FILE *table, const char *line, uint32_t *wrong) {
    char found[LINE_BYTES];

    if (!find_row(table, line, found) || strcmp(found, line) != 0) {
        printf("  table: %s  now:   %s", found, line);
        ++*wrong;
    }
}

static void update(const char *name) {
    FILE *table = fopen(name, "w");

    CHECK(table != NULL);
    fputs(head_lines, table);
    for (uint32_t i = 0; i < COUNT(kinds) * COUNT(rings) * COUNT(rtts_us); i++) {
        char line[LINE_BYTES];

        row(&kinds[i / COUNT(rings) / COUNT(rtts_us)],
            rings[i / COUNT(rtts_us) % COUNT(rings)],
            rtts_us[i % COUNT(rtts_us)],
            line);
        fputs(line, table);
    }
    fclose(table);
}

TEST(every_goodput_is_as_in_the_table) {
    const char *mode = getenv("COR_TABLE");
    bool whole = mode != NULL && strcmp(mode, "whole") == 0;
    uint32_t wrong = 0;
    uint32_t rows = 0;

    if (mode != NULL && strcmp(mode, "update") == 0) {
        update(TABLE);
        return;
    }
    FILE *table = fopen(TABLE, "r");
    CHECK(table != NULL);
    for (uint32_t i = 0; i < COUNT(kinds) * COUNT(rings) * COUNT(rtts_us); i++) {
        const struct kind *kind = &kinds[i / COUNT(rings) / COUNT(rtts_us)];
        uint32_t ring_bytes = rings[i / COUNT(rtts_us) % COUNT(rings)];
        uint32_t rtt_us = rtts_us[i % COUNT(rtts_us)];
        char line[LINE_BYTES];

        if (whole || is_short(kind, ring_bytes, rtt_us)) {
            row(kind, ring_bytes, rtt_us, line);
            compare(table, line, &wrong);
            rows++;
        }
    }
    fclose(table);
    printf("     %u rows, %u not as in %s\n", rows, wrong, TABLE);
    if (wrong != 0) {
        printf("     to write the table anew, from the top folder of the source:\n");
        printf("         COR_TABLE=update BUILD/tests/test_tcp_table\n");
    }
    CHECK_EQ(wrong, 0);
}

TEST_MAIN(CASE(every_goodput_is_as_in_the_table))
