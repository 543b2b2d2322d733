// SPDX-License-Identifier: MIT
// `coradio board` as a process of its own, spoken to by the client over a pty, over TCP and as the
// twin that the client starts itself. The result is that of `coradio run`.
#include "control/client.h"
#include "run/options.h"
#include "run/report.h"
#include "run/world.h"
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coradio/app_control.h"
#include "coradio/app_pattern.h"

int board_main(int argc, char **argv);

static char error[CONTROL_ERROR_BYTES];

struct process {
    pid_t process;
    int input;   // its stdin
    int output;  // its stdout
};

static struct process board_start(char **argv) {
    struct process board;
    int in[2];
    int out[2];
    int argc = 0;

    while (argv[argc] != NULL) {
        argc++;
    }
    CHECK(pipe(in) == 0 && pipe(out) == 0);
    fflush(NULL);
    board.process = fork();
    if (board.process == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        alarm(60);
        int code = board_main(argc, argv);
        fflush(NULL);
        _exit(code);
    }
    close(in[0]);
    close(out[1]);
    board.input = in[1];
    board.output = out[0];
    return board;
}

// The next line of its stdout, without the end.
static void board_line(const struct process *board, char line[256]) {
    size_t used = 0;

    while (used < 255 && read(board->output, line + used, 1) == 1 && line[used] != '\n') {
        used++;
    }
    line[used] = '\0';
}

static int board_end(const struct process *board) {
    int status = 0;

    kill(board->process, SIGTERM);
    waitpid(board->process, &status, 0);
    close(board->input);
    close(board->output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static const char *secret_file(void) {
    static char path[] = "/tmp/coradio-secret-XXXXXX";
    static bool made;

    if (!made) {
        int file = mkstemp(path);

        CHECK(file >= 0 && write(file, "a secret of a test\n", 19) == 19);
        close(file);
        made = true;
    }
    return path;
}

static double number(const cJSON *tree, const char *part, const char *name) {
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(tree, part);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    CHECK(cJSON_IsNumber(item));
    return item->valuedouble;
}

// The goodput of the same run without any protocol between.
static double directly(char *option, uint64_t seed) {
    char *argv[] = {
        (char[]){"run"},
        (char[]){"--board=pico2w"},
        (char[]){"--virtual"},
        (char[]){"--bytes=512KiB"},
        option};
    struct run_options options;
    struct cor_pattern pattern;
    struct world_setup setup = {
        .options = &options, .source = &pattern.source, .source_bytes = 512 << 10, .pattern = true};
    struct result result;
    char reason[256];
    struct world *world;

    run_options_init(&options);
    CHECK_EQ(run_options_parse(&options, 5, argv), -1);
    options.seed = seed;
    cor_pattern_init(&pattern, options.bytes);
    world = world_new(&setup, reason);
    CHECK(world != NULL);
    world_run(world, NULL, NULL);
    world_result(world, &result);
    world_free(world);
    return (double)result.goodput_bps;
}

static void check_session(struct control_link *link) {
    cJSON *report;

    CHECK(link != NULL);
    CHECK(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(control_identity(link), "simulated")));
    report = control_run(link, "bytes=512KiB bus-mhz=25 seed=5", error);
    CHECK(report != NULL);
    CHECK_EQ(number(report, "result", "goodput_bps"), directly((char[]){"--bus-mhz=25"}, 5));
    cJSON_Delete(report);
    // What the run before was told is forgotten.
    report = control_run(link, "bytes=512KiB loss=0.02 seed=6", error);
    CHECK(report != NULL);
    CHECK_EQ(number(report, "result", "goodput_bps"), directly((char[]){"--loss=0.02"}, 6));
    cJSON_Delete(report);
    CHECK(control_run(link, "bytes=512KiB bus-mhz=900", error) == NULL);
    CHECK_TEXT(error, "bus-mhz: give 1 to 75");
    CHECK(control_run(link, "bytes=1MiB json=/tmp/x", error) == NULL);
    CHECK_TEXT(error, "not over the control protocol");
    CHECK(control_run(link, "count=5", error) == NULL);
    CHECK(strstr(error, "--count goes with --app ping only") != NULL);
    CHECK(!control_broken(link));
}

TEST(a_twin_of_the_clients_own) {
    struct control_link *link = control_open(&(struct control_setup){.address = "twin"}, error);

    check_session(link);
    control_close(link);
}

TEST(two_twins_at_once_end_in_any_order) {
    for (int turn = 0; turn < 2; turn++) {
        struct control_link *links[2];

        for (int i = 0; i < 2; i++) {
            links[i] = control_open(&(struct control_setup){.address = "twin"}, error);
            CHECK(links[i] != NULL);
        }
        control_close(links[turn]);
        control_close(links[1 - turn]);
    }
}

TEST(a_board_on_a_pty) {
    struct process board = board_start((char *[]){(char[]){"board"}, (char[]){"--pty"}, NULL});
    struct control_link *link;
    char line[256];

    for (int turn = 0; turn < 2; turn++) {
        if (turn == 0) {
            board_line(&board, line);
        }
        CHECK(strncmp(line, "console on /dev/pts/", 20) == 0);
        link = control_open(&(struct control_setup){.address = line + 11}, error);
        check_session(link);
        control_close(link);
    }
    CHECK_EQ(board_end(&board), 0);
}

// Starts a board on TCP; its address goes to `address`.
static struct process board_on_tcp(char address[64]) {
    char *argv[] = {
        (char[]){"board"},
        (char[]){"--listen=127.0.0.1:0"},
        (char[]){"--secret-file"},
        (char *)(uintptr_t)secret_file(),
        NULL};
    struct process board = board_start(argv);
    unsigned port = 0;
    char line[256];

    board_line(&board, line);
    CHECK_EQ(sscanf(line, "control over TCP on port %u", &port), 1);
    snprintf(address, 64, "127.0.0.1:%u", port);
    return board;
}

TEST(a_board_on_tcp_with_the_secret) {
    char address[64];
    struct process board = board_on_tcp(address);
    struct control_link *link = control_open(
        &(struct control_setup){.address = address, .secret = "a secret of a test"}, error);

    check_session(link);
    control_close(link);
    CHECK_EQ(board_end(&board), 0);
}

TEST(a_board_on_tcp_serves_nobody_else) {
    char address[64];
    struct process board = board_on_tcp(address);
    struct control_link *link;

    link = control_open(&(struct control_setup){.address = address, .secret = "0000"}, error);
    CHECK(link == NULL);
    CHECK(strstr(error, "this is not the secret of that board") != NULL);
    link = control_open(&(struct control_setup){.address = address}, error);
    CHECK(link == NULL);
    CHECK(strstr(error, "--secret-file") != NULL);
    // And it still serves who knows the secret.
    link = control_open(
        &(struct control_setup){.address = address, .secret = "a secret of a test"}, error);
    CHECK(link != NULL);
    control_close(link);
    CHECK_EQ(board_end(&board), 0);
}

TEST(a_board_that_dies_in_a_run_is_missed_at_once) {
    char address[64];
    struct process board = board_on_tcp(address);
    struct control_link *link = control_open(
        &(struct control_setup){.address = address, .secret = "a secret of a test"}, error);
    pid_t killer;

    CHECK(link != NULL);
    fflush(NULL);
    killer = fork();
    if (killer == 0) {
        usleep(300000);
        kill(board.process, SIGKILL);
        _exit(0);
    }
    CHECK(control_run(link, "bytes=100GiB", error) == NULL);
    CHECK(control_broken(link));
    CHECK(strstr(error, "the board went away") != NULL);
    control_close(link);
    waitpid(killer, NULL, 0);
    CHECK_EQ(board_end(&board), 128);
}

TEST(a_run_without_end_is_stopped_and_the_board_goes_on) {
    struct control_link *link =
        control_open(&(struct control_setup){.address = "twin", .run_ns = 300000000}, error);
    cJSON *reply;

    CHECK(link != NULL);
    CHECK(control_run(link, "bytes=100GiB", error) == NULL);
    CHECK(strstr(error, "did not end in time") != NULL);
    reply = control_command(link, "identify", error);
    CHECK(reply != NULL);
    cJSON_Delete(reply);
    control_close(link);
}

TEST(what_is_no_board_is_told_in_one_line) {
    static const struct {
        const char *address;
        const char *says;
    } rows[] = {
        {"/dev/null", "no serial port"},
        {"/dev/coradio-none", "is the board plugged in?"},
        {"elsewhere", "give /dev/tty..., HOST:PORT, or twin"},
        {"127.0.0.1:1", "is the board up"},
        {"twin:los=0.1", "did you mean '--loss'"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK(control_open(&(struct control_setup){.address = rows[i].address}, error) == NULL);
        CHECK(strstr(error, rows[i].says) != NULL);
        CHECK(strchr(error, '\n') == NULL);
    }
}

TEST(the_console_on_a_pipe_answers_and_ends_with_it) {
    struct process board = board_start((char *[]){(char[]){"board"}, NULL});
    static const char orders[] = "1 bytes=256KiB\n2 start\n";
    char line[1 << 13];
    FILE *out;
    int status = 0;

    CHECK(write(board.input, orders, sizeof(orders) - 1) == (ssize_t)sizeof(orders) - 1);
    close(board.input);
    out = fdopen(board.output, "r");
    CHECK(out != NULL);
    CHECK(fgets(line, sizeof(line), out) != NULL && strcmp(line, "{\"id\":1,\"ok\":true}\n") == 0);
    CHECK(fgets(line, sizeof(line), out) != NULL && strcmp(line, "{\"id\":2,\"ok\":true}\n") == 0);
    CHECK(fgets(line, sizeof(line), out) != NULL);
    CHECK(strstr(line, "{\"id\":2,\"event\":\"end\",\"status\":\"COR_OK\"") == line);
    CHECK(fgets(line, sizeof(line), out) == NULL);
    fclose(out);
    waitpid(board.process, &status, 0);
    CHECK_EQ(WEXITSTATUS(status), 0);
}

TEST(a_secret_that_others_can_read_is_not_taken) {
    char path[] = "/tmp/coradio-secret-XXXXXX";
    int file = mkstemp(path);
    char *argv[] = {
        (char[]){"board"}, (char[]){"--listen=127.0.0.1:0"}, (char[]){"--secret-file"}, path, NULL};
    struct process board;
    int status = 0;

    CHECK(file >= 0 && write(file, "a secret of a test\n", 19) == 19 && fchmod(file, 0644) == 0);
    close(file);
    fflush(stderr);
    board = board_start(argv);
    waitpid(board.process, &status, 0);
    close(board.input);
    close(board.output);
    unlink(path);
    CHECK_EQ(WEXITSTATUS(status), 3);
}

// ---- a board's own report against the twin's

static char own[1 << 13];
static uint32_t own_bytes;

static void take_own(void *context, const char *text, uint32_t size) {
    (void)context;
    CHECK(own_bytes + size < sizeof(own));
    memcpy(own + own_bytes, text, size);
    own_bytes += size;
    own[own_bytes] = '\0';
}

static enum cor_status own_start(
    void *port, const struct cor_control_settings *settings, const char **why) {
    (void)port;
    (void)settings;
    (void)why;
    return COR_OK;
}

static void own_stop(void *port) {
    (void)port;
}

static void own_effective(void *port, struct cor_control_settings *settings) {
    (void)port;
    cor_control_set(settings, COR_CONTROL_SETTING_bus_mhz, 37500000);
}

static void own_identify(void *port, struct cor_control_identity *identity) {
    (void)port;
    *identity = (struct cor_control_identity){"pico2w", "0", "", false};
}

// Each field of the one is a field of the other, of the same kind; null may stand for a number.
static void check_fields(const cJSON *mine, const cJSON *other, const char *path) {
    const cJSON *each;

    cJSON_ArrayForEach(each, mine) {
        const cJSON *there = cJSON_GetObjectItemCaseSensitive(other, each->string);
        char name[128];

        snprintf(name, sizeof(name), "%s.%s", path, each->string);
        if (there == NULL) {
            printf("  the twin's report has no %s\n", name);
        }
        CHECK(there != NULL);
        CHECK(cJSON_IsObject(each) == cJSON_IsObject(there));
        CHECK(cJSON_IsString(each) == cJSON_IsString(there));
        check_fields(each, there, name);
    }
}

TEST(the_fields_of_a_boards_report_are_those_of_the_twins) {
    static const struct cor_control_ops ops = {
        .start = own_start,
        .stop = own_stop,
        .effective = own_effective,
        .identify = own_identify,
    };
    static const char orders[] =
        "app=udp-tx\nbytes=256KiB\nduration=1s\npayload-bytes=1000\noffered=8M\ncount=3\n"
        "interval=1s\nbus-mhz=37.5\ncpu-mhz=150\nengine=queued\nring=8KiB\nreceive-ring=8KiB\n"
        "ack-segments=2\npm=none\nlisten=1\nampdu=8\nmcs=7\ngi=short\nseed=1\n"
        "to=10.0.0.2:5001\nssid=home\nkey=12345678\n1 start\n";
    struct control_link *link = control_open(&(struct control_setup){.address = "twin"}, error);
    struct cor_control_report report = {.complete = true, .interval_us = 1000000};
    struct cor_control control;
    struct cor_control_session session;
    cJSON *twins;
    cJSON *event;

    CHECK(link != NULL);
    twins = control_run(link, "app=udp-tx bytes=256KiB bus-mhz=37.5", error);
    CHECK(twins != NULL);
    control_close(link);
    cor_control_init(&control, &ops, NULL);
    cor_control_open_console(&session, &control, take_own, NULL);
    cor_control_input(&session, (const uint8_t *)orders, sizeof(orders) - 1);
    // All are given, so that all but the key are in the report.
    CHECK_EQ(control.asked.given, (1u << COR_CONTROL_SETTING_COUNT) - 1);
    own_bytes = 0;
    cor_control_finish(&control, &report);
    event = cJSON_Parse(own);
    CHECK(event != NULL);
    check_fields(cJSON_GetObjectItemCaseSensitive(event, "report"), twins, "report");
    cJSON_Delete(event);
    cJSON_Delete(twins);
}

TEST(clean_up) {
    CHECK_EQ(unlink(secret_file()), 0);
}

TEST_MAIN(
    CASE(a_twin_of_the_clients_own),
    CASE(two_twins_at_once_end_in_any_order),
    CASE(a_board_on_a_pty),
    CASE(a_board_on_tcp_with_the_secret),
    CASE(a_board_on_tcp_serves_nobody_else),
    CASE(a_board_that_dies_in_a_run_is_missed_at_once),
    CASE(a_run_without_end_is_stopped_and_the_board_goes_on),
    CASE(what_is_no_board_is_told_in_one_line),
    CASE(the_console_on_a_pipe_answers_and_ends_with_it),
    CASE(a_secret_that_others_can_read_is_not_taken),
    CASE(the_fields_of_a_boards_report_are_those_of_the_twins),
    CASE(clean_up))
