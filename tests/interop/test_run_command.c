// SPDX-License-Identifier: MIT
// `coradio run` as a process of its own: over this machine's TCP into a real sink, what it says
// where something is wrong, and what its JSON holds.
#include "common/sha256.h"
#include "test.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 24, OUTPUT_BYTES = 1 << 16, RECORDING_BYTES = 4 << 20 };

int run_main(int argc, char **argv);
int sink_main(int argc, char **argv);

// One process of the command, with what it wrote.
struct command {
    int (*entry)(int argc, char **argv);
    const char *name;
    pid_t process;
    char out[OUTPUT_BYTES];
    char err[OUTPUT_BYTES];
};

static struct command run_ = {.entry = run_main, .name = "run"};
static struct command sink_ = {.entry = sink_main, .name = "sink"};
static char folder[64];
static unsigned port;

static void sleep_ms(unsigned ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    while (nanosleep(&time, &time) != 0) {
    }
}

static const char *path_of(const char *name) {
    static char paths[4][160];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static void slurp(const char *name, char text[OUTPUT_BYTES]) {
    FILE *file = fopen(path_of(name), "r");
    size_t size = file == NULL ? 0 : fread(text, 1, OUTPUT_BYTES - 1, file);

    text[size] = '\0';
    if (file != NULL) {
        fclose(file);
    }
}

static _Noreturn void become(struct command *command, char *line) {
    char *argv[WORDS_MAX] = {(char *)(uintptr_t)command->name};
    int argc = 1;
    int streams[2];

    for (char *at = line; *at != '\0' && argc < WORDS_MAX;) {
        size_t length = strcspn(at, " ");
        bool more = at[length] == ' ';

        at[length] = '\0';
        argv[argc++] = at;
        at += length + (more ? 1 : 0);
    }
    streams[0] = open(path_of(command == &run_ ? "run.out" : "sink.out"), O_WRONLY | O_CREAT, 0600);
    streams[1] = open(path_of(command == &run_ ? "run.err" : "sink.err"), O_WRONLY | O_CREAT, 0600);
    dup2(streams[0], STDOUT_FILENO);
    dup2(streams[1], STDERR_FILENO);
    int code = command->entry(argc, argv);
    fflush(NULL);
    _exit(code);
}

static void start(struct command *command, const char *options) {
    char line[512];

    snprintf(line, sizeof(line), "%s", options);
    fflush(NULL);
    command->process = fork();
    CHECK(command->process >= 0);
    if (command->process == 0) {
        become(command, line);
    }
}

// Waits for the end; the exit code, or 128 and the signal.
static int end(struct command *command) {
    bool is_run = command == &run_;
    int status = 0;

    CHECK_EQ(waitpid(command->process, &status, 0), command->process);
    slurp(is_run ? "run.out" : "sink.out", command->out);
    slurp(is_run ? "run.err" : "sink.err", command->err);
    unlink(path_of(is_run ? "run.out" : "sink.out"));
    unlink(path_of(is_run ? "run.err" : "sink.err"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void start_sink(const char *options) {
    char line[400];
    char text[OUTPUT_BYTES];

    snprintf(line, sizeof(line), "--port=0 --once --quiet %s", options);
    start(&sink_, line);
    for (int look = 0; look < 250; look++) {
        slurp("sink.out", text);
        if (sscanf(text, "listening on 127.0.0.1:%u\n", &port) == 1) {
            return;
        }
        sleep_ms(20);
    }
    CHECK(!"the sink listens");
}

static void start_run(const char *options) {
    char line[400];

    snprintf(line, sizeof(line), "--board=pico2w --to=127.0.0.1:%u %s", port, options);
    start(&run_, line);
}

static void begin(void) {
    snprintf(folder, sizeof(folder), "/tmp/coradio-run-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    port = 9;  // discard: nobody listens
}

static void clean(void) {
    static const char *const names[] = {"recording", "sink.json", "run.json"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unlink(path_of(names[i]));
    }
    CHECK_EQ(rmdir(folder), 0);
}

static const char *make_recording(void) {
    FILE *file = fopen(path_of("recording"), "wb");
    uint32_t state = 1;

    CHECK(file != NULL);
    for (uint32_t i = 0; i < RECORDING_BYTES / 4; i++) {
        state = state * 1664525u + 1013904223u;
        CHECK_EQ(fwrite(&state, 4, 1, file), 1);
    }
    fclose(file);
    return path_of("recording");
}

// The one file the sink has stored; it is removed.
static void stored_sha256(char hex[SHA256_TEXT_SIZE]) {
    DIR *store = opendir(path_of("store"));
    char name[400] = "";

    CHECK(store != NULL);
    for (struct dirent *entry = readdir(store); entry != NULL; entry = readdir(store)) {
        if (entry->d_name[0] != '.') {
            snprintf(name, sizeof(name), "%s/%s", path_of("store"), entry->d_name);
        }
    }
    closedir(store);
    CHECK_EQ(sha256_file(name, hex), 0);
    unlink(name);
    rmdir(path_of("store"));
}

static bool one_line(const char *text, const char *part) {
    const char *line_end = strchr(text, '\n');

    return line_end != NULL && line_end[1] == '\0' && strstr(text, part) != NULL;
}

TEST(a_recording_reaches_a_real_sink_unchanged) {
    char options[300];
    char sent[SHA256_TEXT_SIZE];
    char stored[SHA256_TEXT_SIZE];
    const char *recording;

    begin();
    recording = make_recording();
    CHECK_EQ(sha256_file(recording, sent), 0);
    CHECK_EQ(mkdir(path_of("store"), 0700), 0);
    snprintf(options, sizeof(options), "--store=%s", path_of("store"));
    start_sink(options);
    snprintf(options, sizeof(options), "--source=%s", path_of("recording"));
    start_run(options);
    CHECK_EQ(end(&run_), 0);
    CHECK_EQ(end(&sink_), 0);
    printf("  %.200s\n", run_.out);
    CHECK(strstr(run_.out, sent) != NULL);
    CHECK(strstr(run_.out, "simulated") != NULL);
    stored_sha256(stored);
    CHECK_TEXT(stored, sent);
    clean();
}

TEST(datagrams_reach_a_real_sink) {
    char options[300];
    char json[OUTPUT_BYTES];

    begin();
    snprintf(options, sizeof(options), "--json=%s", path_of("sink.json"));
    start_sink(options);
    start_run("--app=udp-tx --duration=500ms");
    CHECK_EQ(end(&run_), 0);
    CHECK_EQ(end(&sink_), 0);
    slurp("sink.json", json);
    CHECK(strstr(json, "\"udp\"") != NULL);
    clean();
}

// Two full datagrams and a short one: 3000 bytes and three headers.
TEST(the_last_datagram_is_counted_at_both_ends) {
    char options[300];
    char json[OUTPUT_BYTES];

    begin();
    snprintf(options, sizeof(options), "--json=%s", path_of("sink.json"));
    start_sink(options);
    start_run("--app=udp-tx --bytes=3000");
    CHECK_EQ(end(&run_), 0);
    CHECK_EQ(end(&sink_), 0);
    CHECK(strstr(run_.out, " 3048 bytes in ") != NULL);
    slurp("sink.json", json);
    CHECK(strstr(json, "\"bytes\":\t3048") != NULL);
    clean();
}

TEST(nobody_there_is_refused_in_one_line) {
    begin();
    start_run("--bytes=1MiB");
    CHECK_EQ(end(&run_), 3);
    CHECK(one_line(run_.err, "127.0.0.1:9 refused"));
    CHECK_TEXT(run_.out, "");
    clean();
}

TEST(a_sink_that_dies_in_mid_transfer_is_named_and_what_came_is_told) {
    begin();
    start_sink("");
    start_run("--bytes=256MiB");
    sleep_ms(2500);
    kill(sink_.process, SIGKILL);
    CHECK_EQ(end(&run_), 4);
    CHECK_EQ(end(&sink_), 128 + SIGKILL);
    CHECK(one_line(run_.err, "went away after"));
    CHECK(strstr(run_.out, "not complete") != NULL);
    clean();
}

TEST(an_interrupt_prints_what_there_is) {
    begin();
    start_sink("");
    start_run("--bytes=256MiB");
    sleep_ms(2500);
    kill(run_.process, SIGINT);
    CHECK_EQ(end(&run_), 4);
    CHECK_EQ(end(&sink_), 0);
    CHECK(one_line(run_.err, "interrupted after"));
    CHECK(strstr(run_.out, "goodput") != NULL);
    clean();
}

TEST(a_source_that_shrinks_loses_nothing_that_was_read) {
    char options[300];

    begin();
    (void)make_recording();
    start_sink("");
    snprintf(options, sizeof(options), "--source=%s --bus-mhz=5", path_of("recording"));
    start_run(options);
    sleep_ms(2500);
    CHECK_EQ(truncate(path_of("recording"), 1 << 20), 0);
    CHECK_EQ(end(&run_), 4);
    CHECK_EQ(end(&sink_), 0);
    CHECK(one_line(run_.err, "ended after 1048576 of 4194304 bytes"));
    CHECK(strstr(run_.err, "delivered: 1048576 bytes") != NULL);
    clean();
}

TEST(bad_input_is_told_in_one_line) {
    static const struct {
        const char *options;
        int code;
        const char *told;
    } cases[] = {
        {"--board=pico9", 2, "this version has: pico2w"},
        {"--board=pico2w --source=/nonexistent --virtual", 3, "No such file"},
        {"--board=pico2w --source=/dev/null --bytes=1000 --virtual", 4, "ended after 0 of 1000"},
        {"--board=pico2w --virtual --bytes=1000 --pcap=/nonexistent/x", 3, "can be written"},
        {"--board=pico2w --to=no.such.host.invalid:5001", 3, "is not known"},
        {"--board=pico2w --virtual --json=/nonexistent/x --bytes=1000", 3, "--json"},
        {"--board=pico2w --source=/dev/zero --virtual", 3, "--bytes"},
        {"--board=pico2w --virtual --bytes=1000 --pcap=/dev/full", 3, "in full"},
        {"--board=pico2w --virtual --bytes=1000 --bus-log=/dev/full", 3, "in full"},
        {"--board=pico2w --virtual --bytes=1000 --ring=1MiB", 2, "--ring"},
        {"--board=pico2w --virtual --bytes=1000 --pcap=-", 2, "only --json"},
        {"--board=pico2w --virtual --app=ping --duration=1ms --wire-delay=100ms", 3, "stopped"},
    };

    begin();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        start(&run_, cases[i].options);
        CHECK_EQ(end(&run_), cases[i].code);
        printf("  %s", run_.err);
        CHECK(one_line(run_.err, cases[i].told));
    }
    clean();
}

// ---- JSON: the fields of the reference page and no others

static cJSON *result_of(const char *options) {
    cJSON *root;

    start(&run_, options);
    CHECK_EQ(end(&run_), 0);
    CHECK_TEXT(run_.err, "");
    root = cJSON_Parse(run_.out);
    CHECK(root != NULL);
    return root;
}

// The names in an object, in their order, with blanks between.
static void check_names(const cJSON *object, const char *names) {
    char found[600] = "";
    const cJSON *each;

    cJSON_ArrayForEach(each, object) {
        size_t length = strlen(found);

        snprintf(
            found + length, sizeof(found) - length, "%s%s", length == 0 ? "" : " ", each->string);
    }
    CHECK_TEXT(found, names);
}

static const cJSON *at(const cJSON *object, const char *name) {
    const cJSON *found = cJSON_GetObjectItem(object, name);

    CHECK(found != NULL);
    return found;
}

TEST(the_json_has_the_fields_of_the_reference) {
    cJSON *root;

    begin();
    root = result_of("--board=pico2w --virtual --bytes=1MiB --json");
    check_names(
        root,
        "schema simulated board app complete result chronograph_us bus air latency_us power time "
        "conditions payload counts "
        "radio");
    CHECK(cJSON_IsTrue(at(root, "simulated")));
    check_names(at(root, "result"), "goodput_bps bound_bps limit");
    check_names(
        at(root, "chronograph_us"),
        "source peer_window congestion no_buffer credit bus cpu power_save");
    check_names(at(root, "bus"), "bits utilization");
    check_names(at(at(root, "bus"), "bits"), "payload header command status control log");
    check_names(at(root, "air"), "mean_ampdu retries share busy mcs");
    check_names(at(root, "latency_us"), "p50 p99");
    check_names(at(root, "power"), "avg_mw nj_per_bit");
    check_names(at(root, "time"), "virtual_s wall_s bringup_s");
    check_names(at(root, "conditions"), "asked effective");
    cJSON_Delete(root);
    root = result_of("--board=pico2w --app=udp-tx --virtual --bytes=1MiB --json");
    check_names(at(root, "result"), "goodput_bps bound_bps limit sender_bps receiver_bps loss");
    check_names(at(at(root, "result"), "loss"), "host chip air access_point path peer");
    cJSON_Delete(root);
    clean();
}

TEST(a_file_has_the_same_digest_at_both_ends_of_the_twin) {
    char options[300];
    char sent[SHA256_TEXT_SIZE];
    cJSON *root;

    begin();
    CHECK_EQ(sha256_file(make_recording(), sent), 0);
    snprintf(
        options,
        sizeof(options),
        "--board=pico2w --virtual --source=%s --path-loss=0.01 --loss=0.1 --json",
        path_of("recording"));
    root = result_of(options);
    CHECK_TEXT(at(at(root, "payload"), "sha256")->valuestring, sent);
    CHECK_TEXT(at(at(root, "payload"), "peer_sha256")->valuestring, sent);
    CHECK_EQ(at(at(root, "payload"), "bytes")->valuedouble, RECORDING_BYTES);
    cJSON_Delete(root);
    clean();
}

TEST_MAIN(
    CASE(a_recording_reaches_a_real_sink_unchanged),
    CASE(datagrams_reach_a_real_sink),
    CASE(the_last_datagram_is_counted_at_both_ends),
    CASE(nobody_there_is_refused_in_one_line),
    CASE(a_sink_that_dies_in_mid_transfer_is_named_and_what_came_is_told),
    CASE(an_interrupt_prints_what_there_is),
    CASE(a_source_that_shrinks_loses_nothing_that_was_read),
    CASE(bad_input_is_told_in_one_line),
    CASE(the_json_has_the_fields_of_the_reference),
    CASE(a_file_has_the_same_digest_at_both_ends_of_the_twin))
