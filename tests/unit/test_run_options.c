// SPDX-License-Identifier: MIT
#include "common/exit_code.h"
#include "common/options.h"
#include "run/options.h"
#include "test.h"

#include <unistd.h>

static struct run_options options;

// Parses the words after "run"; what goes to stderr is kept in `told`.
static char told[1024];

static int parse(int count, const char **words) {
    char *argv[16] = {(char *)(uintptr_t) "run"};
    int saved = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    size_t size;
    int code;

    for (int i = 0; i < count; i++) {
        argv[i + 1] = (char *)(uintptr_t)words[i];
    }
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    run_options_init(&options);
    code = run_options_parse(&options, count + 1, argv);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    size = fread(told, 1, sizeof(told) - 1, file);
    told[size] = '\0';
    fclose(file);
    return code;
}

#define PARSE(...)                                                                                 \
    parse(                                                                                         \
        sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *),                              \
        (const char *[]){__VA_ARGS__})

static bool one_line(const char *part) {
    const char *end = strchr(told, '\n');

    return end != NULL && end[1] == '\0' && strstr(told, part) != NULL;
}

// The values of the design, section 7.
TEST(the_defaults_are_those_of_the_reference) {
    CHECK_EQ(PARSE("--board", "pico2w"), OPTIONS_GO_ON);
    CHECK_EQ(options.app, RUN_APP_TCP_TX);
    CHECK_BETWEEN(options.bus_mhz, 37.5, 37.5);
    CHECK_BETWEEN(options.cpu_mhz, 150, 150);
    CHECK_EQ(options.mcs, 7);
    CHECK_EQ(options.gi, RUN_GI_SHORT);
    CHECK_EQ(options.ampdu, 8);
    CHECK_EQ(options.pm, RUN_PM_NONE);
    CHECK_EQ(options.engine, RUN_ENGINE_QUEUED);
    CHECK_EQ(options.credit_window, 8);
    CHECK_EQ(options.ring_bytes, 65536);
    CHECK_EQ(options.segment_ns, 0);
    CHECK_EQ(options.bytes, 16 << 20);
    CHECK_EQ(options.port, 5001);
}

TEST(sizes_times_and_rates_take_their_units) {
    CHECK_EQ(
        PARSE(
            "--board=pico2w",
            "--app=udp-tx",
            "--bytes=64MiB",
            "--duration=200ms",
            "--offered=10M",
            "--segment-us=156",
            "--chip-frame-us=250",
            "--path-loss=0.01"),
        OPTIONS_GO_ON);
    CHECK_EQ(options.bytes, 64 << 20);
    CHECK_EQ(options.duration_ns, 200000000);
    CHECK_EQ(options.offered_bps, 10000000);
    CHECK_EQ(options.segment_ns, 156000);
    CHECK_EQ(options.chip_frame_ns, 250000);
}

TEST(the_ring_is_no_larger_than_the_stack_takes) {
    CHECK_EQ(PARSE("--board=pico2w", "--ring=262140"), OPTIONS_GO_ON);
    CHECK_EQ(PARSE("--board=pico2w", "--ring=256KiB"), EXIT_CODE_USAGE);
    CHECK(one_line("give 4096 to 262140"));
}

TEST(a_duration_alone_sets_no_size) {
    CHECK_EQ(PARSE("--board=pico2w", "--duration=3s"), OPTIONS_GO_ON);
    CHECK_EQ(options.bytes, 0);
}

TEST(an_unknown_board_is_named_with_what_there_is) {
    CHECK_EQ(PARSE("--board", "pico3w"), EXIT_CODE_USAGE);
    CHECK(one_line("board 'pico3w' is not known; this version has: pico2w"));
    CHECK_EQ(PARSE("--app", "ping"), EXIT_CODE_USAGE);
    CHECK(one_line("name the board"));
}

TEST(the_access_point_is_read_field_by_field) {
    CHECK_EQ(PARSE("--board=pico2w", "--ap", "ssid=home net,key=12345678"), OPTIONS_GO_ON);
    CHECK_TEXT(options.ssid, "home net");
    CHECK_TEXT(options.key, "12345678");
    CHECK_EQ(options.auth, RUN_AUTH_WPA2);
    CHECK_EQ(PARSE("--board=pico2w", "--ap", "ssid=cafe"), OPTIONS_GO_ON);
    CHECK_EQ(options.auth, RUN_AUTH_OPEN);
    CHECK_EQ(PARSE("--board=pico2w", "--ap", "ssid=cafe,auth=open"), OPTIONS_GO_ON);
    CHECK_EQ(options.auth, RUN_AUTH_OPEN);
    CHECK_EQ(PARSE("--board=pico2w", "--ap", "ssid=cafe,key=short"), EXIT_CODE_USAGE);
    CHECK(one_line("8 to 63 characters"));
    CHECK_EQ(PARSE("--board=pico2w", "--ap", "key=12345678"), EXIT_CODE_USAGE);
    CHECK(one_line("ssid="));
    CHECK_EQ(PARSE("--board=pico2w", "--ap", "ssid=a,auth=wep"), EXIT_CODE_USAGE);
    CHECK(one_line("open, wpa2"));
    CHECK_EQ(PARSE("--board=pico2w", "--ap", "name=a"), EXIT_CODE_USAGE);
    CHECK(one_line("none of ssid="));
    CHECK_EQ(
        PARSE("--board=pico2w", "--ap", "ssid=123456789012345678901234567890123"), EXIT_CODE_USAGE);
    CHECK(one_line("more than 32"));
}

TEST(a_target_without_a_port_is_told_what_to_write) {
    CHECK_EQ(PARSE("--board=pico2w", "--to", "sink.local:5002"), OPTIONS_GO_ON);
    CHECK_TEXT(options.host, "sink.local");
    CHECK_EQ(options.port, 5002);
    CHECK_EQ(PARSE("--board=pico2w", "--to", "sink.local"), EXIT_CODE_USAGE);
    CHECK(one_line("HOST:PORT"));
    CHECK_EQ(PARSE("--board=pico2w", "--to", "sink.local:0"), EXIT_CODE_USAGE);
    CHECK(one_line("1 to 65535"));
    CHECK_EQ(PARSE("--board=pico2w", "--to", "sink.local:70000"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--to", "sink.local:80x"), EXIT_CODE_USAGE);
}

TEST(options_that_do_not_go_together_are_refused) {
    CHECK_EQ(PARSE("--board=pico2w", "--app=ping", "--source=x"), EXIT_CODE_USAGE);
    CHECK(one_line("not with ping"));
    CHECK_EQ(PARSE("--board=pico2w", "--offered=1M"), EXIT_CODE_USAGE);
    CHECK(one_line("udp-tx only"));
    CHECK_EQ(PARSE("--board=pico2w", "--count=3"), EXIT_CODE_USAGE);
    CHECK(one_line("ping only"));
    CHECK_EQ(PARSE("--board=pico2w", "--payload-bytes=100"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--app=udp-tx", "--payload-bytes=16"), EXIT_CODE_USAGE);
    CHECK(one_line("20 or more"));
    CHECK_EQ(PARSE("--board=pico2w", "--ampdu=33"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--credit-window=21"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--loss=1.5"), EXIT_CODE_USAGE);
}

TEST(options_without_effect_are_refused) {
    CHECK_EQ(PARSE("--board=pico2w", "--app=udp-tx", "--ring=32KiB"), EXIT_CODE_USAGE);
    CHECK(one_line("--ring"));
    CHECK_EQ(PARSE("--board=pico2w", "--app=ping", "--ring=32KiB"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--interval=1s"), EXIT_CODE_USAGE);
    CHECK(one_line("--interval"));
    CHECK_EQ(PARSE("--board=pico2w", "--app=ping", "--interval=1s"), OPTIONS_GO_ON);
    CHECK_EQ(PARSE("--board=pico2w", "--bus-log=-"), EXIT_CODE_USAGE);
    CHECK(one_line("--json"));
    CHECK_EQ(PARSE("--board=pico2w", "--power-trace=-"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--json=-"), OPTIONS_GO_ON);
}

TEST(an_application_that_listens_needs_a_way_in) {
    CHECK_EQ(PARSE("--board=pico2w", "--app=tcp-rx"), EXIT_CODE_USAGE);
    CHECK(one_line("--forward"));
    CHECK_EQ(PARSE("--board=pico2w", "--app=tcp-rx", "--virtual"), OPTIONS_GO_ON);
    CHECK_EQ(PARSE("--board=pico2w", "--app=udp-rx", "--forward=6000:5002"), OPTIONS_GO_ON);
    CHECK_EQ(options.forward_host_port, 6000);
    CHECK_EQ(options.forward_host, 0x7F000001);
    CHECK_EQ(options.port, 5002);
    CHECK_EQ(PARSE("--board=pico2w", "--app=udp-rx", "--forward=0.0.0.0:6000:5002"), OPTIONS_GO_ON);
    CHECK_EQ(options.forward_host, 0);
    CHECK_EQ(options.forward_host_port, 6000);
    CHECK_EQ(options.forward_port, 5002);
    CHECK_EQ(PARSE("--board=pico2w", "--app=udp-rx", "--forward=host:1:2"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--app=udp-rx", "--forward=1:70000"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--app=udp-rx", "--forward=:1"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--app=tcp-both", "--forward=6000"), EXIT_CODE_USAGE);
    CHECK_EQ(
        PARSE("--board=pico2w", "--app=tcp-rx", "--virtual", "--forward=1:1"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board=pico2w", "--app=tcp-rx", "--virtual", "--source=x"), EXIT_CODE_USAGE);
}

TEST(the_radio_options_are_checked_together) {
    CHECK_EQ(PARSE("--board", "pico2w", "--bus-mhz", "75"), EXIT_CODE_USAGE);
    CHECK(strstr(told, "--out-of-spec") != NULL);
    CHECK_EQ(PARSE("--board", "pico2w", "--bus-mhz", "75", "--out-of-spec"), OPTIONS_GO_ON);
    CHECK_EQ(PARSE("--board", "pico2w", "--country", "de"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board", "pico2w", "--firmware", "x.bin"), EXIT_CODE_USAGE);
    CHECK(strstr(told, "--nvram") != NULL);
    CHECK_EQ(PARSE("--board", "pico2w", "--clm", "x.bin"), EXIT_CODE_USAGE);
    CHECK_EQ(PARSE("--board", "pico2w", "--ap", "ssid=a,key=12345678,auth=wpa3"), OPTIONS_GO_ON);
    CHECK_EQ(options.auth, RUN_AUTH_WPA3);
    CHECK_EQ(PARSE("--board", "pico2w", "--ap", "ssid=a,key=1234567,auth=wpa2-wpa3"), 2);
    CHECK_EQ(PARSE("--board", "pico2w", "--ap", "ssid=a,key=12345678,auth=wpa4"), 2);
    CHECK(strstr(told, "wpa2-wpa3") != NULL);
}

TEST_MAIN(
    CASE(the_defaults_are_those_of_the_reference),
    CASE(the_radio_options_are_checked_together),
    CASE(sizes_times_and_rates_take_their_units),
    CASE(the_ring_is_no_larger_than_the_stack_takes),
    CASE(a_duration_alone_sets_no_size),
    CASE(an_unknown_board_is_named_with_what_there_is),
    CASE(the_access_point_is_read_field_by_field),
    CASE(a_target_without_a_port_is_told_what_to_write),
    CASE(options_that_do_not_go_together_are_refused),
    CASE(options_without_effect_are_refused),
    CASE(an_application_that_listens_needs_a_way_in))
