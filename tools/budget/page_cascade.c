// SPDX-License-Identifier: MIT
// Cascade: the write-up's chain of factors from 143.4 to 36 Mbit/s, and what stands in its place.
#include "budget/report.h"
#include "common/json.h"
#include "common/table.h"

#define PAYLOAD_BYTES 1400u  // of the write-up's datagrams
#define AMPDU         6u     // its "BA window"
#define MEASURED_BPS  36e6
#define SENDER_BPS    40.14e6

struct step {
    const char *name;
    double claimed_mbps;
    const char *how;      // the formula that gives the claim
    const char *verdict;  // one word
    const char *wrong;
};

static const struct step steps[] = {
    {"PHY, HE MCS11",
     143.4,
     "1950 bits / 13.6 us",
     "wrong chip",
     "The standard has MCS11, the ESP32-C6 does not: it ends at MCS9. And the format is HE20, not "
     "HT20."},
    {"MCS7",
     86.0,
     "1170 bits / 13.6 us",
     "correct",
     "But the MCS is something to measure, not a constant: MCS8 and 9 work with a good signal."},
    {"MAC overhead, BA window 6",
     61.9,
     "86.0 x 0.72",
     "plausible",
     "Only if every transmission really carries six frames; how many it carries was not measured."},
    {"single-core processor",
     46.5,
     "61.9 x 0.751",
     "unsupported",
     "The same chip behind the same bus carried UDP 79.5 and TCP 53.4 in a shield box, and "
     "63 in and 51 out with its own lwIP."},
    {"lwIP, socket, SDIO",
     42.0,
     "46.5 x 0.903",
     "arbitrary",
     "lwIP and sockets run on the P4 here, not on the C6; SDIO is its own stage, and not a share "
     "of the processor's."},
    {"measured",
     36.0,
     "42.0 x 0.857",
     "residual",
     "What was left over to reach the measured number."},
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))

static struct budget described(void) {
    struct budget budget;

    budget_init(&budget, budget_board_find("esp32p4c6"));
    budget.app = BUDGET_UDP;
    budget.datagram_bytes = PAYLOAD_BYTES;
    budget.ampdu = AMPDU;
    return budget;
}

static double phy_bps(const struct budget *budget, unsigned mcs) {
    struct airtime air = budget->air;

    air.mcs = mcs;
    return airtime_phy_bps(&air);
}

// What stands in the place of each step, in bit/s; 0: nothing does.
static void right_values(double right[STEPS]) {
    struct budget budget = described();
    struct budget_result result;

    budget_evaluate(&budget, BUDGET_UDP, &result);
    right[0] = phy_bps(&budget, budget.board->he_mcs_max);
    right[1] = phy_bps(&budget, 7);
    right[2] = result.stages[BUDGET_AIR].bps;
    right[3] = 79.5e6;  // measured: at least so much through the C6, see the board's references
    right[4] = result.stages[BUDGET_BUS].bps;
    right[5] = MEASURED_BPS;
}

static const char *const right_texts[STEPS] = {
    "HE MCS9, the chip's ceiling",
    "HE MCS7",
    "air alone, 6 frames, 1400 bytes",
    "through the C6, at least",
    "SDIO alone, 4 bit at 40 MHz",
    "measured",
};

static void print_steps(FILE *out, const double right[STEPS]) {
    struct table table;

    table_init(&table, "lrllrl");
    table_cell(&table, "step of the write-up");
    table_cell(&table, "says");
    table_cell(&table, "by");
    table_cell(&table, "verdict");
    table_cell(&table, "right");
    table_cell(&table, "which is");
    for (size_t i = 0; i < STEPS; i++) {
        table_cell(&table, "%s", steps[i].name);
        table_cell(&table, "%.1f", steps[i].claimed_mbps);
        table_cell(&table, "%s", steps[i].how);
        table_cell(&table, "%s", steps[i].verdict);
        table_cell(&table, "%.1f", right[i] / 1e6);
        table_cell(&table, "%s", right_texts[i]);
    }
    table_print(&table, out, 2);
    table_free(&table);
    fputc('\n', out);
    for (size_t i = 0; i < STEPS; i++) {
        char first[32];

        snprintf(first, sizeof(first), "  %5.1f  ", steps[i].claimed_mbps);
        budget_wrap(out, 9, first, steps[i].wrong);
    }
}

static void combination_row(struct table *table, const char *name, double us, const char *remark) {
    table_cell(table, "%s", name);
    table_cell(table, "%.1f", us);
    table_cell(table, "%.1f", 8.0 * PAYLOAD_BYTES / us);
    table_cell(table, "%s", remark);
}

static void print_combination(FILE *out) {
    struct budget budget = described();
    struct budget_result result;
    struct budget_result single;
    struct table table;

    budget_evaluate(&budget, BUDGET_UDP, &result);
    budget.ampdu = 1;
    budget_evaluate(&budget, BUDGET_UDP, &single);
    fprintf(out, "\n  The right combination: time of one datagram of 1400 bytes in each stage\n");
    table_init(&table, "lrrl");
    table_cell(&table, "%s", "");
    table_cell(&table, "us");
    table_cell(&table, "Mbit/s");
    table_cell(&table, "%s", "");
    combination_row(&table, "P4, lwIP", result.stages[BUDGET_CPU].us, "");
    combination_row(&table, "SDIO", result.stages[BUDGET_BUS].us, "4 bit, 40 MHz");
    combination_row(
        &table,
        "transport software",
        result.stages[BUDGET_COPROCESSOR].us,
        "host and C6; 60 to 70 measured");
    combination_row(&table, "air, 6 frames together", result.stages[BUDGET_AIR].us, "HE20 MCS7");
    combination_row(&table, "air, each frame alone", single.stages[BUDGET_AIR].us, "HE20 MCS7");
    combination_row(
        &table, "all side by side", result.pipelined_us, "the longest: with 6 frames the air");
    combination_row(&table, "all one after the other", result.serial_us, "the sum, with 6 frames");
    combination_row(
        &table, "one after the other, alone", single.serial_us, "the sum without aggregation");
    combination_row(&table, "measured, sender", 8e6 * PAYLOAD_BYTES / SENDER_BPS, "");
    combination_row(
        &table,
        "measured, receiver",
        8e6 * PAYLOAD_BYTES / MEASURED_BPS,
        "10 % less: an unpaced flood loses");
    table_print(&table, out, 4);
    table_free(&table);
}

static double mean_ampdu(enum airtime_format format) {
    struct budget budget = described();

    budget.air.format = format;
    return budget_mean_ampdu(&budget, BUDGET_UDP, MEASURED_BPS);
}

void budget_cascade_text(FILE *out) {
    double right[STEPS];
    char text[640];

    right_values(right);
    fprintf(out, "The cascade of the ESP32-P4+C6 write-up, UDP, Mbit/s\n\n");
    print_steps(out, right);
    print_combination(out);
    fputc('\n', out);
    budget_wrap(
        out,
        2,
        "  ",
        "Stages that work at the same time limit by the slowest of them; stages that wait for each "
        "other by the sum of their times. Multiplying percentages is neither.");
    snprintf(
        text,
        sizeof(text),
        "36 Mbit/s, if the air were the limit, means a mean A-MPDU of %.2f frames at HE MCS7 (%.2f "
        "at HT20 MCS7): hardly any aggregation. So the first thing to read is the mean A-MPDU "
        "size, that is, whether the C6's queue ever holds more than one frame.",
        mean_ampdu(AIRTIME_HE20),
        mean_ampdu(AIRTIME_HT20));
    budget_wrap(out, 2, "  ", text);
    snprintf(
        text,
        sizeof(text),
        "36 is %.1f %% of 143.4, %.1f %% of the chip's own ceiling and %.1f %% of MCS7.",
        100 * MEASURED_BPS / (steps[0].claimed_mbps * 1e6),
        100 * MEASURED_BPS / right[0],
        100 * MEASURED_BPS / (steps[1].claimed_mbps * 1e6));
    budget_wrap(out, 2, "  ", text);
}

void budget_cascade_json(cJSON *root) {
    struct budget budget = described();
    struct budget_result result;
    cJSON *array = json_add_array(root, "cascade");
    cJSON *to;
    double right[STEPS];

    right_values(right);
    for (size_t i = 0; i < STEPS; i++) {
        to = json_append_object(array);
        json_add_text(to, "step", steps[i].name);
        json_add_real(to, "claimed_bps", steps[i].claimed_mbps * 1e6, 0);
        json_add_text(to, "formula", steps[i].how);
        json_add_text(to, "verdict", steps[i].verdict);
        json_add_text(to, "what_is_wrong", steps[i].wrong);
        json_add_real(to, "right_bps", right[i], 0);
        json_add_text(to, "right", right_texts[i]);
    }
    budget_evaluate(&budget, BUDGET_UDP, &result);
    to = json_add_object(root, "combination");
    for (int i = 0; i < BUDGET_STAGES; i++) {
        if (result.stages[i].us > 0) {
            char name[32];

            snprintf(name, sizeof(name), "%s_us", budget_stage_name((enum budget_stage)i));
            json_add_real(to, name, result.stages[i].us, 3);
        }
    }
    json_add_real(to, "pipelined_bps", result.pipelined_bps, 0);
    json_add_real(to, "serial_bps", result.serial_bps, 0);
    json_add_real(to, "measured_bps", MEASURED_BPS, 0);
    json_add_real(to, "mean_ampdu_he20", mean_ampdu(AIRTIME_HE20), 3);
    json_add_real(to, "mean_ampdu_ht20", mean_ampdu(AIRTIME_HT20), 3);
}
