// SPDX-License-Identifier: MIT
// Boards and transports: the presets, and the ways to connect a co-processor.
#include "budget/report.h"
#include "common/json.h"
#include "common/table.h"

// ---- boards

static void boards_row(struct table *table, const struct budget_board *board) {
    char bus[BUDGET_BUS_TEXT_SIZE];
    char phy[AIRTIME_TEXT_SIZE];
    char tcp[BUDGET_RATE_SIZE];
    char udp[BUDGET_RATE_SIZE];
    struct budget budget;
    struct budget_result results[2];

    budget_init(&budget, board);
    budget_evaluate(&budget, BUDGET_TCP, &results[0]);
    budget_evaluate(&budget, BUDGET_UDP, &results[1]);
    table_cell(table, "%s", board->name);
    table_cell(table, "%s", board->title);
    table_cell(
        table, "%s", board->wire.bus == BUDGET_BUS_NONE ? "-" : budget_bus_text(bus, &board->wire));
    table_cell(table, "%s", airtime_text(phy, &budget.air));
    table_cell(table, "%u", budget.ampdu);
    table_cell(table, "%s", budget_mbps(tcp, results[0].bps));
    table_cell(table, "%s", budget_stage_name(results[0].binds));
    table_cell(table, "%s", budget_mbps(udp, results[1].bps));
    table_cell(table, "%s", budget_stage_name(results[1].binds));
}

static void print_references(FILE *out, const struct budget_board *board) {
    fprintf(out, "  %s: %s\n", board->name, board->processor);
    for (size_t i = 0; i < BUDGET_REFERENCES_MAX && board->references[i].what != NULL; i++) {
        const struct budget_reference *row = &board->references[i];

        fprintf(out, "    %s %6.4g  %s\n", row->what, row->mbps, row->conditions);
    }
    if (board->note != NULL) {
        budget_wrap(out, 4, "    ", board->note);
    }
}

void budget_boards_text(FILE *out) {
    static const char *const heads[] = {
        "name", "board", "bus", "air", "A-MPDU", "TCP", "binds", "UDP", "binds"};
    struct table table;

    fprintf(out, "Presets, and what is computed for them as they stand (Mbit/s)\n");
    table_init(&table, "llllrrlrl");
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        table_cell(&table, "%s", heads[i]);
    }
    for (const struct budget_board *board = budget_boards; board->name != NULL; board++) {
        boards_row(&table, board);
    }
    table_print(&table, out, 2);
    table_free(&table);
    fprintf(out, "\nWhat others measured (Mbit/s, transmitting)\n");
    for (const struct budget_board *board = budget_boards; board->name != NULL; board++) {
        print_references(out, board);
    }
}

void budget_boards_json(cJSON *root) {
    cJSON *array = json_add_array(root, "boards");

    for (const struct budget_board *board = budget_boards; board->name != NULL; board++) {
        cJSON *to = json_append_object(array);
        cJSON *references;
        struct budget budget;

        budget_init(&budget, board);
        json_add_text(to, "name", board->name);
        json_add_text(to, "title", board->title);
        json_add_text(to, "processor", board->processor);
        json_add_text(to, "note", board->note);
        json_add_real(to, "tcp_bps", budget_bps(&budget), 0);
        budget.app = BUDGET_UDP;
        json_add_real(to, "udp_bps", budget_bps(&budget), 0);
        references = json_add_array(to, "measured");
        for (size_t i = 0; i < BUDGET_REFERENCES_MAX && board->references[i].what != NULL; i++) {
            cJSON *row = json_append_object(references);

            json_add_text(row, "what", board->references[i].what);
            json_add_real(row, "goodput_bps", board->references[i].mbps * 1e6, 0);
            json_add_text(row, "conditions", board->references[i].conditions);
        }
    }
}

// ---- transports

// The description with this transport, on a board that has a co-processor.
static void with_transport(
    const struct budget *budget, const struct budget_transport *transport, struct budget *other) {
    *other = *budget;
    if (budget->board->family != BUDGET_FAMILY_HOSTED) {
        budget_init(other, budget_board_find("esp32p4c6"));
    }
    budget_set_transport(other, transport);
}

// Bus and transport software one after the other: what the stock transport can carry.
static double transport_bps(const struct budget_result *result) {
    double us = result->stages[BUDGET_BUS].us + result->stages[BUDGET_COPROCESSOR].us;

    return 8e6 * result->payload_bytes / us;
}

static void transports_row(
    struct table *table, const struct budget *budget, const struct budget_transport *row) {
    char bus[BUDGET_BUS_TEXT_SIZE];
    char text[BUDGET_RATE_SIZE];
    struct budget other;
    struct budget_result results[2];

    with_transport(budget, row, &other);
    budget_evaluate(&other, BUDGET_TCP, &results[0]);
    budget_evaluate(&other, BUDGET_UDP, &results[1]);
    table_cell(table, "%s", budget_bus_text(bus, &row->wire));
    table_cell(table, "%s", budget_mbps(text, budget_bus_line_bps(&row->wire)));
    for (int i = 0; i < 2; i++) {
        table_cell(table, "%s", budget_mbps(text, results[i].stages[BUDGET_BUS].bps));
    }
    table_cell(table, "%s", budget_mbps(text, transport_bps(&results[1])));
    table_cell(table, "%s", budget_mbps(text, row->measured_mbps[0] * 1e6));
    table_cell(table, "%s", budget_mbps(text, row->measured_mbps[1] * 1e6));
    table_cell(table, "%s: %s", row->wired ? "yes" : "no", row->wiring);
}

void budget_transports_text(FILE *out, const struct budget *budget) {
    static const char *const first[] = {
        "", "line", "bus", "bus", "+ soft.", "best", "best", "wired"};
    static const char *const second[] = {
        "transport", "rate", "TCP", "UDP", "UDP", "TCP", "UDP", "on the ESP32-P4-WIFI6-NANO"};
    struct table table;

    fprintf(
        out,
        "ESP-Hosted transports, upload, Mbit/s. \"bus\": the wire's own time; \"+ soft.\": with "
        "the\nstock software's time in series; \"best\": published, shield box, air included.\n");
    table_init(&table, "lrrrrrrl");
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
        table_cell(&table, "%s", first[i]);
    }
    for (size_t i = 0; i < sizeof(second) / sizeof(second[0]); i++) {
        table_cell(&table, "%s", second[i]);
    }
    for (const struct budget_transport *row = budget_transports; row->wire.bus != BUDGET_BUS_NONE;
         row++) {
        transports_row(&table, budget, row);
    }
    table_print(&table, out, 2);
    table_free(&table);
    fputc('\n', out);
    budget_wrap(
        out,
        2,
        "  ",
        "The write-up's \"SDIO max 79.5\" is the published UDP rate through the air, not a limit "
        "of "
        "the bus; its \"SPI 25\" is the driver's rate on a line of 40. Four lines carry four times "
        "what one line does, not three.");
    budget_wrap(
        out,
        2,
        "  ",
        "SDIO with four lines carries more than the air does at any setting of the C6: the wire is "
        "not what to change here. What is left on the way is software between frames.");
}

void budget_transports_json(cJSON *root, const struct budget *budget) {
    cJSON *array = json_add_array(root, "transports");

    for (const struct budget_transport *row = budget_transports; row->wire.bus != BUDGET_BUS_NONE;
         row++) {
        cJSON *to = json_append_object(array);
        struct budget other;
        struct budget_result results[2];
        static const char *const names[] = {"measured_tcp_bps", "measured_udp_bps"};

        with_transport(budget, row, &other);
        budget_evaluate(&other, BUDGET_TCP, &results[0]);
        budget_evaluate(&other, BUDGET_UDP, &results[1]);
        json_add_text(to, "bus", budget_bus_name(row->wire.bus));
        json_add_u64(to, "lines", row->wire.lines);
        json_add_real(to, "clock_mhz", row->wire.clock_hz / 1e6, 6);
        json_add_real(to, "line_bps", budget_bus_line_bps(&row->wire), 0);
        json_add_real(to, "bus_tcp_bps", results[0].stages[BUDGET_BUS].bps, 0);
        json_add_real(to, "bus_udp_bps", results[1].stages[BUDGET_BUS].bps, 0);
        json_add_real(to, "software_us", row->frame_us, 3);
        json_add_text(to, "software_source", row->frame_source);
        json_add_real(to, "with_software_udp_bps", transport_bps(&results[1]), 0);
        for (int i = 0; i < 2; i++) {
            if (row->measured_mbps[i] > 0) {
                json_add_real(to, names[i], row->measured_mbps[i] * 1e6, 0);
            } else {
                json_add_null(to, names[i]);
            }
        }
        json_add_bool(to, "wired", row->wired);
        json_add_text(to, "wiring", row->wiring);
    }
}
