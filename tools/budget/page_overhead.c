// SPDX-License-Identifier: MIT
// Overhead page: the write-up's figures for RPC and capture beside computed ones, and what a rate
// of captures leaves for data.
#include "budget/overhead.h"
#include "budget/report.h"
#include "common/json.h"
#include "common/table.h"

static const double rates[] = {0, 100, 500, 1000, 2000, 5000};

#define RATES (sizeof(rates) / sizeof(rates[0]))

// A board without a shared channel stands for nothing here.
static struct budget described(const struct budget *budget) {
    struct budget at = *budget;

    if (budget->board->family != BUDGET_FAMILY_HOSTED) {
        budget_init(&at, budget_board_find("esp32p4c6"));
    }
    return at;
}

static void claim_row(
    struct table *table,
    const char *name,
    const char *claim,
    const char *computed,
    const char *remark) {
    table_cell(table, "%s", name);
    table_cell(table, "%s", claim);
    table_cell(table, "%s", computed);
    table_cell(table, "%s", remark);
}

static void print_claims(FILE *out, const struct budget *budget) {
    double rpc_us = budget_rpc_us(&budget->wire);
    double capture_us = budget_capture_us(&budget->wire, budget->capture_bytes);
    struct table table;
    char text[64];

    table_init(&table, "llll");
    claim_row(&table, "what", "write-up", "computed", "");
    snprintf(text, sizeof(text), "12 B, %.2f %%", 100.0 * 12 / 1512);
    claim_row(&table, "header of a frame", "12 B, 0.79 %", text, "correct");
    snprintf(text, sizeof(text), "10 B, %.1f %%", 100.0 * 10 / 1536);
    claim_row(
        &table,
        "padding to blocks of 512",
        "24 B, 2.3 %",
        text,
        "1514 + 12 = 1526 in 1536; its 24 count the Ethernet header");
    snprintf(text, sizeof(text), "%.1f us with the answer", rpc_us);
    claim_row(
        &table,
        "one request",
        "25.6 us",
        text,
        "25.6 is one block alone, without commands and register reads");
    snprintf(text, sizeof(text), "%.0f a second", 1e6 / rpc_us);
    claim_row(
        &table,
        "requests, one by one",
        "2000 a second",
        text,
        "the bus's bound; 0.5 ms is software");
    snprintf(text, sizeof(text), "%.1f us of the bus", capture_us);
    claim_row(&table, "one captured frame", "85 us of the C6", text, "both; they are other stages");
    claim_row(
        &table,
        "pool of 60 KB",
        "11.7 % of the RAM",
        "40 x 1536 B",
        "memory, no effect on goodput");
    table_print(&table, out, 2);
    table_free(&table);
}

static void rate_row(struct table *table, const struct budget *budget, double rate) {
    struct budget at = *budget;
    struct budget_result results[2];
    char text[BUDGET_RATE_SIZE];

    at.capture_rate = rate;
    budget_evaluate(&at, BUDGET_TCP, &results[0]);
    budget_evaluate(&at, BUDGET_UDP, &results[1]);
    table_cell(table, "%.0f", rate);
    table_cell(table, "%.1f %%", 100 * budget_bus_share(&at));
    table_cell(table, "%.1f %%", 100 * budget_chip_share(&at));
    for (int i = 0; i < 2; i++) {
        table_cell(
            table, "%s", budget_mbps(text, 8e6 * results[i].payload_bytes / results[i].path_us));
    }
    table_cell(table, "%s", budget_mbps(text, results[0].bps));
    table_cell(table, "%s", budget_mbps(text, results[1].bps));
}

void budget_overhead_text(FILE *out, const struct budget *budget) {
    static const char *const heads[] = {
        "captured/s", "of the bus", "of the C6", "path TCP", "path UDP", "TCP", "UDP"};
    struct budget at = described(budget);
    struct table table;
    char bus[BUDGET_BUS_TEXT_SIZE];

    fprintf(
        out,
        "Requests, events and captured frames share one channel with the data (%s),\nand are "
        "served "
        "before it.\n\n",
        budget_bus_text(bus, &at.wire));
    print_claims(out, &at);
    fprintf(
        out,
        "\n  What %u-byte captures%s leave (Mbit/s; path: bus, software and processor in turns)\n",
        at.capture_bytes,
        at.rpc_rate > 0 ? " and the requests given" : "");
    table_init(&table, "rrrrrrr");
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        table_cell(&table, "%s", heads[i]);
    }
    for (size_t i = 0; i < RATES; i++) {
        rate_row(&table, &at, rates[i]);
    }
    table_print(&table, out, 4);
    table_free(&table);
    fputc('\n', out);
    budget_wrap(
        out,
        2,
        "  ",
        "A busy channel of 1000 frames a second costs the C6 far more than the bus: limit what is "
        "captured by filter, length and rate before it leaves the radio.");
}

void budget_overhead_json(cJSON *root, const struct budget *budget) {
    struct budget at = described(budget);
    cJSON *to = json_add_object(root, "overhead");
    cJSON *array;

    json_add_real(to, "rpc_us", budget_rpc_us(&at.wire), 3);
    json_add_real(to, "capture_us", budget_capture_us(&at.wire, at.capture_bytes), 3);
    json_add_real(to, "capture_chip_us", budget_capture_chip_us(), 3);
    json_add_u64(to, "capture_bytes", at.capture_bytes);
    array = json_add_array(to, "captures");
    for (size_t i = 0; i < RATES; i++) {
        cJSON *row = json_append_object(array);
        struct budget one = at;

        one.capture_rate = rates[i];
        json_add_real(row, "capture_rate", rates[i], 0);
        json_add_real(row, "bus_share", budget_bus_share(&one), 5);
        json_add_real(row, "chip_share", budget_chip_share(&one), 5);
        one.app = BUDGET_TCP;
        json_add_real(row, "tcp_bps", budget_bps(&one), 0);
        one.app = BUDGET_UDP;
        json_add_real(row, "udp_bps", budget_bps(&one), 0);
    }
}
