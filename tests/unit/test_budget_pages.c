// SPDX-License-Identifier: MIT
// Budget: changes, advice, command line and JSON.
#include "budget/change.h"
#include "budget/report.h"
#include "common/options.h"
#include "test.h"

#include <stdlib.h>

static struct budget board(const char *name) {
    struct budget budget;

    budget_init(&budget, budget_board_find(name));
    return budget;
}

static const struct budget_change *find(
    const struct budget_change *changes, size_t count, const char *key) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(changes[i].key, key) == 0) {
            return &changes[i];
        }
    }
    return NULL;
}

#define ARGUMENTS_MAX 16

// Parses "a b c" as a command line.
static int parse(const char *line, struct budget_arguments *arguments, struct budget *budget) {
    static char words[512];
    char *argv[ARGUMENTS_MAX] = {words};
    int argc = 1;
    size_t used = 7;

    memcpy(words, "budget", 7);
    while (*line != '\0' && argc < ARGUMENTS_MAX) {
        size_t length = strcspn(line, " ");

        argv[argc++] = words + used;
        memcpy(words + used, line, length);
        words[used + length] = '\0';
        used += length + 1;
        line += length + strspn(line + length, " ");
    }
    return budget_options_parse(argc, argv, arguments, budget);
}

// The JSON of a command line; the caller frees it. NULL: the line was refused.
static cJSON *json_of(const char *line) {
    struct budget_arguments arguments;
    struct budget budget;

    if (parse(line, &arguments, &budget) != OPTIONS_GO_ON) {
        return NULL;
    }
    cJSON *made = budget_report_json(&budget, &arguments);
    char *text = cJSON_Print(made);
    cJSON *read = cJSON_Parse(text);
    cJSON_free(text);
    cJSON_Delete(made);
    return read;
}

// "bounds.air_tcp_bps" of a tree; -1 when it is not there or no number.
static double number(const cJSON *root, const char *path) {
    char part[64];

    while (root != NULL && *path != '\0') {
        size_t length = strcspn(path, ".");

        snprintf(part, sizeof(part), "%.*s", (int)length, path);
        root = cJSON_GetObjectItemCaseSensitive(root, part);
        path += length + (path[length] == '.' ? 1 : 0);
    }
    return cJSON_IsNumber(root) ? root->valuedouble : -1;
}

static const char *text(const cJSON *root, const char *first, const char *second) {
    const cJSON *at = cJSON_GetObjectItemCaseSensitive(root, first);

    if (second != NULL) {
        at = cJSON_GetObjectItemCaseSensitive(at, second);
    }
    return cJSON_GetStringValue(at);
}

// ---- changes

TEST(changes_come_with_the_largest_gain_first) {
    struct budget budget = board("pico2w");
    struct budget_change changes[BUDGET_CHANGES_MAX];
    size_t count = budget_changes(&budget, changes);

    CHECK(count >= 4);
    CHECK_TEXT(changes[0].key, "bus_clock");
    CHECK_TEXT(changes[0].to, "50 MHz");
    // 46.14 Mbit/s, a third more.
    CHECK_BETWEEN(changes[0].bps, 46.13e6, 46.15e6);
    for (size_t i = 1; i < count; i++) {
        CHECK(changes[i - 1].gain_bps > changes[i].gain_bps - 1e4);
    }
    // 35.1 of the sheet: one ACK for four segments.
    CHECK_BETWEEN(find(changes, count, "ack_every")->bps, 35.05e6, 35.15e6);
}

TEST(a_clock_beyond_the_specification_is_marked_and_no_step) {
    struct budget budget = board("pico2w");
    struct budget_change changes[BUDGET_CHANGES_MAX];
    struct budget_step steps[BUDGET_STEPS_MAX];
    size_t count;

    budget.wire.clock_hz = 50e6;
    count = budget_changes(&budget, changes);
    CHECK(!find(changes, count, "bus_clock")->allowed);
    CHECK_TEXT(find(changes, count, "bus_clock")->remark, "out of specification");
    count = budget_ladder(&budget, steps);
    for (size_t i = 0; i < count; i++) {
        CHECK(strcmp(steps[i].first.key, "bus_clock") != 0);
    }
}

TEST(the_steps_from_the_write_up_are_overlap_then_aggregation) {
    struct budget budget = board("pico2w");
    struct budget_step steps[BUDGET_STEPS_MAX];
    size_t count;

    budget_set_stack(&budget, BUDGET_STACK_EMBASSY);
    budget.ampdu = 1;
    count = budget_ladder(&budget, steps);
    CHECK(count >= 3);
    CHECK_TEXT(steps[0].first.key, "engine");
    CHECK_BETWEEN(steps[0].bps, 24.9e6, 25.1e6);
    CHECK_TEXT(steps[1].first.key, "ampdu");
    for (size_t i = 1; i < count; i++) {
        CHECK(steps[i].bps > 1.01 * steps[i - 1].bps);
    }
}

TEST(two_limits_that_are_equal_are_lifted_together) {
    struct budget budget = board("pico2w");
    struct budget_step steps[BUDGET_STEPS_MAX];
    struct budget_result result;

    // The window just as tight as the bus: neither gains alone.
    budget_evaluate(&budget, BUDGET_TCP, &result);
    budget.rtt_us *= result.stages[BUDGET_BUS].us / result.stages[BUDGET_WINDOW].us;
    CHECK(budget_ladder(&budget, steps) >= 1);
    CHECK(steps[0].second.key != NULL);
    CHECK(steps[0].bps > 1.01 * result.bps);
}

TEST(an_esp_gains_most_from_its_send_buffer) {
    struct budget budget = board("esp32p4c6");
    struct budget_change changes[BUDGET_CHANGES_MAX];
    size_t count = budget_changes(&budget, changes);

    CHECK(count > 0);
    CHECK_TEXT(changes[0].key, "window_full");
}

TEST(each_kind_of_limit_offers_its_own_change) {
    static const struct {
        const char *line, *key;
    } rows[] = {
        {"--pm aggressive", "pm"},
        {"--status sdk --engine serial --segment-us 200", "engine"},
        {"--phy b", "ht20"},
        {"--gi long --mcs 3 --ampdu 1", "mcs"},
        {"--ap-ampdu 1 --ampdu 4 --bus-mhz 75", "ap_ampdu"},
        {"--air-busy 0.6", "air_busy"},
        {"--loss 0.5 --ampdu 1", "loss"},
        {"--protection cts-1 --ampdu 1", "protection"},
        {"--response 6 --ampdu 2 --mcs 7 --bus-mhz 75", "response"},
        {"--source-rate 10M", "source"},
        {"--send-buffer 2920", "window_full"},
        {"--segment-us 900", "cpu"},
        {"--chip-frame-us 900", "chip"},
        {"--board esp32p4c6 --bus sdio --bus-width 1 --app udp-tx", "bus_width"},
        {"--board esp32p4c6 --phy ht20 --app udp-tx", "ht40"},
        {"--board esp32p4c6 --capture-rate 9000 --app udp-tx", "channel"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct budget_arguments arguments;
        struct budget_change changes[BUDGET_CHANGES_MAX];
        struct budget budget;
        size_t count;

        CHECK_EQ(parse(rows[i].line, &arguments, &budget), OPTIONS_GO_ON);
        count = budget_changes(&budget, changes);
        const struct budget_change *change = find(changes, count, rows[i].key);
        if (change == NULL || change->gain_bps < 0.01 * budget_bps(&budget)) {
            printf("  %s: no gain from %s\n", rows[i].line, rows[i].key);
        }
        CHECK(change != NULL && change->gain_bps > 0.01 * budget_bps(&budget));
    }
}

// ---- JSON

TEST(the_json_has_the_bounds_of_the_sheet) {
    cJSON *root = json_of("--board pico2w --ampdu 4");

    CHECK_EQ(number(root, "schema"), BUDGET_SCHEMA);
    CHECK_BETWEEN(number(root, "bounds.bus_tcp_bps"), 34.60e6, 34.62e6);
    CHECK_BETWEEN(number(root, "bounds.bus_udp_bps"), 35.7e6, 35.9e6);
    CHECK_BETWEEN(number(root, "bounds.air_tcp_bps"), 41.95e6, 42.06e6);
    CHECK_BETWEEN(number(root, "bounds.air_udp_bps"), 52.85e6, 52.96e6);
    CHECK_BETWEEN(number(root, "bounds.phy_bps"), 72.2e6, 72.3e6);
    CHECK_BETWEEN(number(root, "bounds.window_bps"), 131.0e6, 131.1e6);
    CHECK(number(root, "bounds.cpu_tcp_bps") > 100e6);
    CHECK(number(root, "bounds.source_bps") == -1);
    CHECK(number(root, "bounds.coprocessor_tcp_bps") == -1);
    CHECK_BETWEEN(number(root, "air_exchange.total_us"), 890.49, 890.51);
    CHECK_BETWEEN(number(root, "stages.bus.amount"), 12655.9, 12656.1);
    CHECK_TEXT(text(root, "result", "limit"), "bus");
    CHECK_TEXT(text(root, "board", NULL), "pico2w");
    cJSON_Delete(root);
}

TEST(each_term_in_the_json_has_a_source) {
    static const char *const stages[] = {"window", "cpu", "bus", "coprocessor", "air", "source"};
    cJSON *root = json_of("--board esp32p4c6 --source-rate 50M --capture-rate 10 --air-busy 0.1");
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(root, "stages");

    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        const cJSON *stage = cJSON_GetObjectItemCaseSensitive(all, stages[i]);
        const cJSON *terms = cJSON_GetObjectItemCaseSensitive(stage, "terms");
        const cJSON *term;

        CHECK(cJSON_GetArraySize(terms) > 0);
        cJSON_ArrayForEach(term, terms) {
            const char *source = text(term, "source", NULL);

            CHECK(source != NULL && strlen(source) > 8);
            CHECK(number(term, "us") > 0);
        }
    }
    cJSON_Delete(root);
}

TEST(a_measured_rate_adds_its_object) {
    cJSON *root = json_of("--board esp32p4c6 --app udp-tx --payload-bytes 1400 --measured 36M");

    CHECK_BETWEEN(number(root, "measured.overlap"), 0.1, 0.3);
    CHECK_BETWEEN(number(root, "measured.mean_ampdu"), 1.25, 1.27);
    CHECK_TEXT(text(root, "measured", "verdict"), "serialised");
    CHECK_TEXT(text(root, "measured", "limit"), "air");
    cJSON_Delete(root);
}

TEST(the_cascade_has_its_six_steps_and_the_right_values) {
    static const double claimed[] = {143.4, 86.0, 61.9, 46.5, 42.0, 36.0};
    cJSON *root = json_of("--cascade");
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(root, "cascade");

    CHECK_EQ(cJSON_GetArraySize(array), 6);
    for (int i = 0; i < 6; i++) {
        const cJSON *row = cJSON_GetArrayItem(array, i);

        CHECK_BETWEEN(number(row, "claimed_bps"), claimed[i] * 1e6 - 1, claimed[i] * 1e6 + 1);
        CHECK(strlen(text(row, "what_is_wrong", NULL)) > 20);
    }
    CHECK_BETWEEN(number(cJSON_GetArrayItem(array, 0), "right_bps"), 114.65e6, 114.75e6);
    CHECK_BETWEEN(number(cJSON_GetArrayItem(array, 1), "right_bps"), 86.0e6, 86.1e6);
    // 1.10: N = 6 with 1400 bytes is 63.8.
    CHECK_BETWEEN(number(cJSON_GetArrayItem(array, 2), "right_bps"), 63.75e6, 63.85e6);
    CHECK_BETWEEN(number(root, "combination.pipelined_bps"), 63.75e6, 63.85e6);
    CHECK(number(root, "combination.serial_bps") < 36e6);
    cJSON_Delete(root);
}

TEST(the_pages_have_their_rows) {
    static const struct {
        const char *line, *name;
        int rows;
    } pages[] = {
        {"--boards", "boards", 7},
        {"--transports", "transports", 7},
        {"--features c6", "features", 11},
    };

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        cJSON *root = json_of(pages[i].line);

        CHECK_EQ(
            cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, pages[i].name)),
            pages[i].rows);
        cJSON_Delete(root);
    }
    cJSON *root = json_of("--board esp32p4c6 --overhead --capture-bytes 300");
    CHECK_BETWEEN(number(root, "overhead.capture_chip_us"), 85, 85);
    CHECK_BETWEEN(number(root, "overhead.rpc_us"), 50, 80);
    cJSON_Delete(root);
}

// ---- advice

static const cJSON *setting(const cJSON *root, const char *begins, const char *reach) {
    const cJSON *advise = cJSON_GetObjectItemCaseSensitive(root, "advise");
    const cJSON *row;

    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(advise, "settings")) {
        if (strncmp(text(row, "setting", NULL), begins, strlen(begins)) == 0 &&
            strcmp(text(row, "reach", NULL), reach) == 0) {
            return row;
        }
    }
    return NULL;
}

TEST(advice_is_ordered_by_gain_and_marks_what_does_nothing) {
    cJSON *root = json_of("--board esp32p4c6 --advise");
    const cJSON *advise = cJSON_GetObjectItemCaseSensitive(root, "advise");
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(advise, "settings");
    const cJSON *row;
    double last = 1e12;

    CHECK_TEXT(
        text(cJSON_GetArrayItem(settings, 0), "setting", NULL),
        "CONFIG_LWIP_TCP_SND_BUF_DEFAULT=65535");
    cJSON_ArrayForEach(row, settings) {
        CHECK(number(row, "gain_bps") <= last + 1e4 || number(row, "gain_bps") == -1);
        last = number(row, "gain_bps");
    }
    CHECK(setting(root, "CONFIG_ESP_WIFI_TX_BA_WIN", "no_effect_under_esp_hosted") != NULL);
    CHECK(setting(root, "CONFIG_ESP_WIFI_RX_BA_WIN", "no_effect_under_esp_hosted") != NULL);
    CHECK(setting(root, "CONFIG_WIFI_RMT_RX_BA_WIN", "no_effect_under_esp_hosted") != NULL);
    CHECK(
        number(setting(root, "CONFIG_ESP_WIFI_RX", "no_effect_under_esp_hosted"), "gain_bps") == 0);
    CHECK(number(root, "advise.together_bps") > 3 * number(root, "advise.now_bps"));
    // Natively the same options do something.
    cJSON *native = json_of("--board esp32c6 --advise --send-buffer 65535 --ampdu 1");
    CHECK(number(setting(native, "CONFIG_ESP_WIFI_TX_BA_WIN", "works"), "gain_bps") > 1e6);
    CHECK(setting(native, "CONFIG_ESP_WIFI_TX_BA_WIN", "no_effect_under_esp_hosted") == NULL);
    cJSON_Delete(native);
    cJSON_Delete(root);
}

TEST(advice_for_a_sleeping_pico_is_to_stay_awake) {
    cJSON *root = json_of("--stack lwip --pm aggressive --advise");
    const cJSON *advise = cJSON_GetObjectItemCaseSensitive(root, "advise");
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(advise, "settings");

    CHECK_TEXT(
        text(cJSON_GetArrayItem(settings, 0), "setting", NULL),
        "cyw43_wifi_pm(&cyw43_state, CYW43_NONE_PM)");
    cJSON_Delete(root);
}

// ---- command line

TEST(wrong_use_is_refused_with_exit_code_two) {
    static const char *const lines[] = {
        "--board esp8266",
        "--phy he20",
        "--board esp32c6 --mcs 10",
        "--board esp32 --phy he20",
        "--bus sdio",
        "--board esp32p4c6 --bus-width 2",
        "--board esp32p4c6 --stack embassy",
        "--board esp32 --bus sdio",
        "--phy g --mcs 7",
        "--phy b --rate 54",
        "--rate 54",
        "--phy b --response 24",
        "--mcs 8",
        "--features s3",
        "--cascade --advise",
        "--mss 1461",
        "--ampdu 0",
        "--measured 0",
        "--nonsense",
    };
    struct budget_arguments arguments;
    struct budget budget;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        CHECK_EQ(parse(lines[i], &arguments, &budget), 2);
    }
}

TEST(the_stack_brings_its_engine_and_sequence) {
    struct budget_arguments arguments;
    struct budget budget;

    CHECK_EQ(parse("--stack lwip", &arguments, &budget), OPTIONS_GO_ON);
    CHECK_EQ(budget.engine, BUDGET_ENGINE_SERIAL);
    CHECK_EQ(budget.wire.status, BUDGET_STATUS_SDK);
    CHECK_EQ(budget.send_buffer, 2920);
    CHECK_EQ(
        parse("--stack lwip --engine queued --status polled", &arguments, &budget), OPTIONS_GO_ON);
    CHECK_EQ(budget.engine, BUDGET_ENGINE_QUEUED);
    CHECK_EQ(budget.wire.status, BUDGET_STATUS_POLLED);
    CHECK_EQ(parse("--status polled", &arguments, &budget), OPTIONS_GO_ON);
    CHECK_EQ(budget.credit_every, 0);
}

TEST(another_transport_brings_its_clock_and_software) {
    struct budget_arguments arguments;
    struct budget budget;

    CHECK_EQ(parse("--board esp32p4c6 --bus spi-fd", &arguments, &budget), OPTIONS_GO_ON);
    CHECK_EQ(budget.wire.clock_hz, 40000000);
    CHECK_EQ(budget.chip_frame_us, 160);
    CHECK_EQ(
        parse("--board esp32p4c6 --bus spi-fd --bus-mhz 10 --chip-frame-us 5", &arguments, &budget),
        OPTIONS_GO_ON);
    CHECK_EQ(budget.wire.clock_hz, 10000000);
    CHECK_EQ(budget.chip_frame_us, 5);
}

TEST(text_pages_are_whole_and_end_with_a_sentence) {
    static const char *const lines[] = {
        "--board pico2w",
        "--board esp32p4c6 --measured 30M --sources",
        "--board esp32 --app udp-tx",
        "--board picow --stack lwip --measured 900k",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct budget_arguments arguments;
        struct budget budget;
        char *page = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&page, &size);

        CHECK(file != NULL);
        CHECK_EQ(parse(lines[i], &arguments, &budget), OPTIONS_GO_ON);
        budget_report_text(file, &budget, &arguments);
        fclose(file);
        bool whole = strstr(page, "Limits, one beside the other") != NULL &&
                     strstr(page, "<- binds") != NULL && strstr(page, "can reach") != NULL &&
                     strstr(page, "nan") == NULL && strstr(page, "inf") == NULL &&
                     page[size - 2] == '.';
        free(page);
        CHECK(whole);
    }
}

TEST_MAIN(
    CASE(changes_come_with_the_largest_gain_first),
    CASE(a_clock_beyond_the_specification_is_marked_and_no_step),
    CASE(the_steps_from_the_write_up_are_overlap_then_aggregation),
    CASE(two_limits_that_are_equal_are_lifted_together),
    CASE(an_esp_gains_most_from_its_send_buffer),
    CASE(each_kind_of_limit_offers_its_own_change),
    CASE(the_json_has_the_bounds_of_the_sheet),
    CASE(each_term_in_the_json_has_a_source),
    CASE(a_measured_rate_adds_its_object),
    CASE(the_cascade_has_its_six_steps_and_the_right_values),
    CASE(the_pages_have_their_rows),
    CASE(advice_is_ordered_by_gain_and_marks_what_does_nothing),
    CASE(advice_for_a_sleeping_pico_is_to_stay_awake),
    CASE(wrong_use_is_refused_with_exit_code_two),
    CASE(the_stack_brings_its_engine_and_sequence),
    CASE(another_transport_brings_its_clock_and_software),
    CASE(text_pages_are_whole_and_end_with_a_sentence))
