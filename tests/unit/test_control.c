// SPDX-License-Identifier: MIT
// The board's half of the control protocol, line by line, on a board that does nothing.
#include "test.h"

#include <string.h>

#include "coradio/app_control.h"

static struct {
    struct cor_control control;
    struct cor_control_session session;
    char out[1 << 14];
    uint32_t used;
    unsigned started;
    unsigned stopped;
    enum cor_status answer;
    char other[64];
} board;

static void take(void *context, const char *text, uint32_t size) {
    (void)context;
    CHECK(board.used + size < sizeof(board.out));
    memcpy(board.out + board.used, text, size);
    board.used += size;
    board.out[board.used] = '\0';
}

static enum cor_status start(
    void *port, const struct cor_control_settings *settings, const char **why) {
    (void)port;
    (void)settings;
    board.started++;
    *why = board.answer == COR_OK ? NULL : "the card is \"missing\"";
    return board.answer;
}

static void stop(void *port) {
    (void)port;
    board.stopped++;
}

static enum cor_status other(void *port, const char *key, const char *value, const char **why) {
    (void)port;
    (void)why;
    snprintf(board.other, sizeof(board.other), "%s/%s", key, value);
    return key[0] == '\0' || strcmp(key, "loss") == 0 ? COR_OK : COR_E_UNSUPPORTED;
}

static void effective(void *port, struct cor_control_settings *settings) {
    (void)port;
    cor_control_set(settings, COR_CONTROL_SETTING_bus_mhz, 37500000);
}

static void identify(void *port, struct cor_control_identity *identity) {
    (void)port;
    *identity = (struct cor_control_identity){"pico2w", "0.1", "E661", false};
}

static const struct cor_control_ops ops = {
    .start = start, .stop = stop, .other = other, .effective = effective, .identify = identify};

static void power_up(void) {
    memset(&board, 0, sizeof(board));
    cor_control_init(&board.control, &ops, NULL);
    cor_control_open_console(&board.session, &board.control, take, NULL);
}

// What the board says to these bytes.
static const char *say(const char *text) {
    board.used = 0;
    board.out[0] = '\0';
    cor_control_input(&board.session, (const uint8_t *)text, (uint32_t)strlen(text));
    return board.out;
}

TEST(a_setting_is_kept_and_read_back) {
    power_up();
    CHECK_TEXT(say("5 bus-mhz=37.5\n"), "{\"id\":5,\"ok\":true}\n");
    CHECK_EQ(board.control.asked.value[COR_CONTROL_SETTING_bus_mhz], 37500000);
    CHECK_TEXT(
        say("duration=200ms\nbytes=64KiB\r\noffered=1.5M\n"),
        "{\"ok\":true}\n{\"ok\":true}\n{\"ok\":true}\n");
    CHECK(
        strstr(
            say("get\n"),
            "\"asked\":{\"bytes\":65536,\"duration_s\":0.2,\"offered_bps\":1500000,"
            "\"bus_mhz\":37.5},\"effective\":{\"bus_mhz\":37.5}") != NULL);
}

TEST(values_out_of_range_change_nothing) {
    static const char *const wrong[] = {
        "bus-mhz=0.5", "bus-mhz=76",  "bus-mhz=",  "bus-mhz=37.5x", "bus-mhz=37.5555555",
        "bus-mhz=-1",  "app=tcp",     "app=",      "app=tcp-tx|",   "bytes=0",
        "bytes=1.5",   "bytes=1.5ki", "ampdu=33",  "ampdu=8.0",     "bytes=99999999999999999999",
        "duration=0",  "duration=1d", "key=short", "to=",           "bytes=99999999999G",
    };
    power_up();
    (void)say("bus-mhz=50\n");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char line[64];

        snprintf(line, sizeof(line), "%s\n", wrong[i]);
        CHECK(
            strstr(say(line), "{\"ok\":false,\"status\":\"COR_E_ARG\",\"error\":\"") == board.out);
    }
    CHECK_EQ(board.control.asked.given, 1u << COR_CONTROL_SETTING_bus_mhz);
    CHECK_EQ(board.control.asked.value[COR_CONTROL_SETTING_bus_mhz], 50000000);
    CHECK_EQ(board.control.counters.refused, sizeof(wrong) / sizeof(wrong[0]));
}

TEST(an_error_says_what_would_be_right) {
    power_up();
    CHECK(strstr(say("bus-mhz=99\n"), "\"error\":\"bus-mhz: give 1 to 75\"") != NULL);
    CHECK(strstr(say("engine=fast\n"), "\"error\":\"engine: one of queued|serial\"") != NULL);
    CHECK(strstr(say("duration=0\n"), "\"error\":\"duration: give 0.001 to 86400\"") != NULL);
}

TEST(decimals_are_exact_at_all_lengths) {
    char text[COR_CONTROL_VALUE_BYTES];

    cor_control_decimal(0, 6, text);
    CHECK_TEXT(text, "0");
    cor_control_decimal(1, 6, text);
    CHECK_TEXT(text, "0.000001");
    cor_control_decimal(37500000, 6, text);
    CHECK_TEXT(text, "37.5");
    cor_control_decimal(UINT64_MAX, 0, text);
    CHECK_TEXT(text, "18446744073709551615");
    cor_control_decimal(UINT64_MAX, 6, text);
    CHECK_TEXT(text, "18446744073709.551615");
    cor_control_decimal(100, 1, text);
    CHECK_TEXT(text, "10");
}

TEST(every_setting_comes_back_as_it_was_given) {
    for (uint32_t i = 0; i < COR_CONTROL_SETTING_COUNT; i++) {
        enum cor_control_setting setting = (enum cor_control_setting)i;
        const struct cor_control_row *row = cor_control_row(setting);
        struct cor_control_settings once = {0};
        struct cor_control_settings twice = {0};
        char text[COR_CONTROL_VALUE_BYTES];

        if (row->kind >= COR_CONTROL_TEXT) {
            continue;
        }
        CHECK_EQ(cor_control_find(row->key), i);
        cor_control_set(&once, setting, row->kind == COR_CONTROL_CHOICE ? 1 : row->lowest + 1);
        CHECK(cor_control_get_text(&once, setting, text) > 0);
        CHECK_EQ(cor_control_set_text(&twice, setting, text), COR_OK);
        CHECK_EQ(once.value[i], twice.value[i]);
    }
}

TEST(keys_and_the_secret_are_never_read_back) {
    power_up();
    (void)say("ssid=home\nkey=hunter2hunter2\nsecret=a-secret-of-20-chars\n");
    CHECK(strstr(say("get\n"), "\"key_set\":true,\"secret_set\":true") != NULL);
    CHECK(strstr(board.out, "hunter2") == NULL && strstr(board.out, "a-secret") == NULL);
    CHECK(strstr(board.out, "\"ssid\":\"home\"") != NULL);
    (void)say("help\n");
    (void)say("start\n");
    CHECK(strstr(board.out, "hunter2") == NULL);
    for (size_t i = 0; i < sizeof(board.session.line); i++) {
        CHECK_EQ(board.session.line[i], 0);
    }
}

TEST(a_run_reports_in_the_fields_of_coradio_run) {
    struct cor_control_report report = {
        .complete = true, .payload_bytes = 1000000, .interval_us = 400000, .bus_busy_us = 300001};

    power_up();
    report.state_us[COR_METER_STATE_credit] = 390000;
    report.state_us[COR_METER_STATE_cpu] = 10000;
    report.bits[COR_METER_PURPOSE_payload] = 8000000;
    CHECK_TEXT(say("77 start\n"), "{\"id\":77,\"ok\":true}\n");
    CHECK(strstr(say("78 app=ping\n"), "COR_E_STATE") != NULL);
    CHECK(strstr(say("79 start\n"), "COR_E_STATE") != NULL);
    CHECK(strstr(say("80 get\n"), "\"running\":true") != NULL);
    board.used = 0;
    cor_control_finish(&board.control, &report);
    CHECK(
        strstr(
            board.out,
            "{\"id\":77,\"event\":\"end\",\"status\":\"COR_OK\",\"report\":{\"schema\":1,"
            "\"simulated\":false,\"board\":\"pico2w\",\"app\":\"tcp-tx\",\"complete\":true,"
            "\"result\":{\"goodput_bps\":20000000,\"limit\":\"credit\"}") == board.out);
    CHECK(strstr(board.out, "\"utilization\":0.750002}") != NULL);
    CHECK(strstr(board.out, "\"latency_us\":{\"p50\":null,\"p99\":null}") != NULL);
    CHECK(strstr(say("81 start\n"), "\"ok\":true") != NULL);
    CHECK_EQ(board.started, 2);
}

TEST(a_refused_start_says_why) {
    power_up();
    board.answer = COR_E_SOURCE;
    CHECK_TEXT(
        say("start\n"),
        "{\"ok\":false,\"status\":\"COR_E_SOURCE\",\"error\":\"the card is \\\"missing\\\"\"}\n");
    CHECK(strstr(say("get\n"), "\"running\":false") != NULL);
}

TEST(stop_and_a_lost_connection_stop_the_run) {
    struct cor_control_report report = {.status = COR_E_ABORTED};

    power_up();
    CHECK_TEXT(say("stop\n"), "{\"ok\":true}\n");
    CHECK_EQ(board.stopped, 0);
    (void)say("start\nstop\n");
    CHECK_EQ(board.stopped, 1);
    cor_control_finish(&board.control, &report);
    (void)say("start\n");
    cor_control_close(&board.session);
    CHECK_EQ(board.stopped, 2);
    board.used = 0;
    cor_control_finish(&board.control, &report);
    CHECK_EQ(board.used, 0);
}

TEST(reset_forgets_all_but_where_to_and_the_network) {
    power_up();
    (void)say("to=10.0.0.2:5001\nssid=home\nkey=12345678\nampdu=4\nloss=0.1\n");
    CHECK_TEXT(board.other, "loss/0.1");
    (void)say("reset\n");
    CHECK_TEXT(board.other, "/");
    CHECK_EQ(
        board.control.asked.given,
        1u << COR_CONTROL_SETTING_to | 1u << COR_CONTROL_SETTING_ssid |
            1u << COR_CONTROL_SETTING_key);
}

TEST(lines_that_are_none_are_answered_and_passed_over) {
    char overlong[400];

    power_up();
    CHECK(strstr(say("dance\n"), "COR_E_UNSUPPORTED") != NULL);
    CHECK(strstr(say("=5\n"), "COR_E_UNSUPPORTED") != NULL);
    CHECK(strstr(say("speed=5\n"), "COR_E_UNSUPPORTED") != NULL);
    CHECK(strstr(say("get\x01\n"), "COR_E_PROTO") != NULL);
    CHECK(strstr(say("4294967296 get\n"), "COR_E_UNSUPPORTED") != NULL);
    CHECK_TEXT(say("\r\n\n"), "");
    memset(overlong, 'a', sizeof(overlong));
    memcpy(overlong + sizeof(overlong) - 8, "\n3 stop\n", 8);
    board.used = 0;
    cor_control_input(&board.session, (const uint8_t *)overlong, sizeof(overlong));
    CHECK(strstr(board.out, "COR_E_SIZE") != NULL);
    CHECK(strstr(board.out, "{\"id\":3,\"ok\":true}") != NULL);
    CHECK_EQ(board.control.counters.overlong, 1);
}

TEST(lines_may_be_cut_anywhere) {
    static const char text[] = "12 bus-mhz=25\n13 get\n";
    char whole[1 << 12];

    power_up();
    snprintf(whole, sizeof(whole), "%s", say(text));
    for (size_t cut = 1; cut < sizeof(text) - 1; cut++) {
        power_up();
        cor_control_input(&board.session, (const uint8_t *)text, (uint32_t)cut);
        cor_control_input(
            &board.session, (const uint8_t *)text + cut, (uint32_t)(sizeof(text) - 1 - cut));
        CHECK_TEXT(board.out, whole);
    }
}

// ---- over TCP

static const uint8_t random_bytes[COR_CONTROL_CHALLENGE_BYTES] = {1, 2, 3, 0xAB};

static enum cor_status call(void) {
    board.used = 0;
    return cor_control_open_tcp(&board.session, &board.control, take, NULL, random_bytes);
}

TEST(tcp_is_off_until_the_console_turns_it_on_with_a_secret) {
    power_up();
    CHECK_EQ(call(), COR_E_REFUSED);
    CHECK(board.session.closed && board.used == 0);
    power_up();
    CHECK(strstr(say("tcp=on\n"), "COR_E_STATE") != NULL);
    CHECK(strstr(say("secret=fifteen-letters\n"), "COR_E_ARG") != NULL);
    (void)say("secret=sixteen-letters!\n");
    CHECK_EQ(call(), COR_E_REFUSED);
    power_up();
    (void)say("secret=sixteen-letters!\ntcp=on\n");
    CHECK_EQ(call(), COR_OK);
    CHECK(
        strstr(
            board.out,
            "{\"event\":\"hello\",\"protocol\":1,\"auth\":\"hmac-sha256\","
            "\"challenge\":\"010203ab0000") == board.out);
    power_up();
    (void)say("secret=sixteen-letters!\ntcp=on\ntcp=off\n");
    CHECK_EQ(call(), COR_E_REFUSED);
}

static void call_with_secret(void) {
    power_up();
    (void)say("secret=sixteen-letters!\ntcp=on\n");
    CHECK_EQ(call(), COR_OK);
}

TEST(whoever_proves_the_secret_is_served) {
    char line[80];
    char proof[65];

    call_with_secret();
    // The proof as another program computes it, see docs/reference/control.md:
    // printf 'coradio control 1 %s' CHALLENGE | openssl dgst -sha256 -hmac 'sixteen-letters!'
    cor_control_proof("sixteen-letters!", board.session.challenge, proof);
    CHECK_TEXT(proof, "cfaaf4151ec51168199a2faee2eebe79d2cfd7e6bda8163ae43810cbc6c84b10");
    snprintf(line, sizeof(line), "9 auth %s\n", proof);
    CHECK_TEXT(say(line), "{\"id\":9,\"ok\":true}\n");
    CHECK(strstr(say("get\n"), "\"tcp\":true") != NULL);
    CHECK(strstr(say("secret=another-secret-of-mine\n"), "COR_E_REFUSED") != NULL);
    CHECK(strstr(say("tcp=off\n"), "COR_E_REFUSED") != NULL);
    CHECK(board.control.tcp_on);
}

TEST(whoever_does_not_is_thrown_out_at_the_first_line) {
    static const char *const lines[] = {
        "get\n",
        "identify\n",
        "bus-mhz=50\n",
        "start\n",
        "auth\n",
        "auth 00\n",
        "auth 0000000000000000000000000000000000000000000000000000000000000000\n",
        "auth cfaaf4151ec51168199a2faee2eebe79d2cfd7e6bda8163ae43810cbc6c84b10 \n",
        "\x02\n",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        call_with_secret();
        CHECK(strstr(say(lines[i]), "\"ok\":false") != NULL);
        CHECK(board.session.closed);
        CHECK_TEXT(say("get\n"), "");
        CHECK_EQ(board.control.asked.given, 0);
        CHECK_EQ(board.started, 0);
    }
}

TEST(a_proof_for_one_challenge_is_none_for_another) {
    char line[80];
    char proof[65];
    uint8_t other_bytes[COR_CONTROL_CHALLENGE_BYTES] = {2};

    call_with_secret();
    cor_control_proof("sixteen-letters!", board.session.challenge, proof);
    CHECK_EQ(cor_control_open_tcp(&board.session, &board.control, take, NULL, other_bytes), COR_OK);
    snprintf(line, sizeof(line), "auth %s\n", proof);
    CHECK(strstr(say(line), "COR_E_REFUSED") != NULL);
    CHECK_EQ(board.control.counters.wrong_proofs, 1);
}

TEST_MAIN(
    CASE(a_setting_is_kept_and_read_back),
    CASE(values_out_of_range_change_nothing),
    CASE(an_error_says_what_would_be_right),
    CASE(decimals_are_exact_at_all_lengths),
    CASE(every_setting_comes_back_as_it_was_given),
    CASE(keys_and_the_secret_are_never_read_back),
    CASE(a_run_reports_in_the_fields_of_coradio_run),
    CASE(a_refused_start_says_why),
    CASE(stop_and_a_lost_connection_stop_the_run),
    CASE(reset_forgets_all_but_where_to_and_the_network),
    CASE(lines_that_are_none_are_answered_and_passed_over),
    CASE(lines_may_be_cut_anywhere),
    CASE(tcp_is_off_until_the_console_turns_it_on_with_a_secret),
    CASE(whoever_proves_the_secret_is_served),
    CASE(whoever_does_not_is_thrown_out_at_the_first_line),
    CASE(a_proof_for_one_challenge_is_none_for_another))
