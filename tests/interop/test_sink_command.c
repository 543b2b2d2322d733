// SPDX-License-Identifier: MIT
// `coradio sink` as a process of its own: signals, exit codes, streams of output, and real senders.
#include "test.h"

#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 16, OUTPUT_BYTES = 1 << 16 };

int sink_main(int argc, char **argv);

static char folder[64];
static pid_t child;
static unsigned port;
static char output[2][OUTPUT_BYTES];  // of stdout and stderr, after the end

static void sleep_ms(unsigned ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    while (nanosleep(&time, &time) != 0) {
    }
}

static const char *file_name(int stream) {
    static char name[96];

    snprintf(name, sizeof(name), "%s/%s", folder, stream == 0 ? "out" : "err");
    return name;
}

static void read_output(int stream) {
    FILE *file = fopen(file_name(stream), "r");

    CHECK(file != NULL);
    output[stream][fread(output[stream], 1, OUTPUT_BYTES - 1, file)] = '\0';
    fclose(file);
}

static _Noreturn void be_the_sink(char *line) {
    char *argv[WORDS_MAX] = {(char[]){"sink"}};
    int argc = 1;

    for (char *at = line; *at != '\0' && argc < WORDS_MAX;) {
        size_t length = strcspn(at, " ");
        bool more = at[length] == ' ';

        at[length] = '\0';
        argv[argc++] = at;
        at += length + (more ? 1 : 0);
    }
    for (int stream = 0; stream < 2; stream++) {
        int file = open(file_name(stream), O_WRONLY | O_CREAT | O_TRUNC, 0600);

        dup2(file, stream + 1);
    }
    int code = sink_main(argc, argv);
    fflush(NULL);
    _exit(code);
}

// Starts it with a port of its own and waits until it says where it listens, on the stream given.
static void start(const char *options, int stream) {
    char line[256];

    snprintf(line, sizeof(line), "--port=0 %s", options);
    fflush(NULL);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        be_the_sink(line);
    }
    for (int look = 0; look < 200; look++) {
        struct stat status;

        if (stat(file_name(stream), &status) == 0 && status.st_size > 0) {
            read_output(stream);
            if (sscanf(output[stream], "listening on 127.0.0.1:%u\n", &port) == 1) {
                return;
            }
        }
        sleep_ms(20);
    }
    CHECK(!"the sink listens");
}

// Waits for its end; the exit code.
static int end(void) {
    int status = 0;

    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    read_output(0);
    read_output(1);
    unlink(file_name(0));
    unlink(file_name(1));
    return WEXITSTATUS(status);
}

static int connected(void) {
    struct sockaddr_in target = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);

    target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_EQ(connect(descriptor, (struct sockaddr *)&target, sizeof(target)), 0);
    return descriptor;
}

static cJSON *parsed(const char *text) {
    cJSON *root = cJSON_Parse(text);

    CHECK(root != NULL);
    return root;
}

static const cJSON *first_connection(const cJSON *root) {
    return cJSON_GetArrayItem(cJSON_GetObjectItem(root, "connections"), 0);
}

static double number(const cJSON *object, const char *name) {
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
}

static const char *text(const cJSON *object, const char *name) {
    return cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
}

TEST(one_signal_ends_it_well_when_nothing_is_open) {
    start("", 0);
    int client = connected();
    CHECK_EQ(send(client, "abc", 3, 0), 3);
    close(client);
    sleep_ms(200);
    kill(child, SIGINT);
    CHECK_EQ(end(), 0);
    CHECK(strstr(output[0], "received 3 bytes") != NULL);
}

TEST(one_signal_in_mid_stream_writes_what_there_is) {
    start("--json", 1);
    int client = connected();
    CHECK_EQ(send(client, "abc", 3, 0), 3);
    sleep_ms(200);
    kill(child, SIGTERM);
    CHECK_EQ(end(), 4);
    close(client);
    cJSON *root = parsed(output[0]);
    CHECK_TEXT(text(root, "ended_by"), "signal");
    CHECK_EQ(number(first_connection(root), "bytes"), 3);
    CHECK_TEXT(text(first_connection(root), "end"), "stopped");
    cJSON_Delete(root);
}

TEST(json_on_stdout_is_alone_there) {
    start("--once --json", 1);
    int client = connected();
    CHECK_EQ(send(client, "abc", 3, 0), 3);
    close(client);
    CHECK_EQ(end(), 0);
    CHECK_EQ(output[0][0], '{');
    cJSON_Delete(parsed(output[0]));
    CHECK(strstr(output[1], "listening on") == output[1]);
    CHECK(strstr(output[1], "received 3 bytes") != NULL);
}

TEST(a_stopped_process_takes_the_blame) {
    static char chunk[20000];

    start("--once --json", 1);
    int client = connected();
    for (int i = 0; i < 100; i++) {
        if (i == 20) {
            kill(child, SIGSTOP);
        }
        if (i == 80) {
            kill(child, SIGCONT);
        }
        CHECK_EQ(send(client, chunk, sizeof(chunk), 0), sizeof(chunk));
        sleep_ms(20);
    }
    close(client);
    CHECK_EQ(end(), 1);
    cJSON *root = parsed(output[0]);
    const cJSON *gap = cJSON_GetObjectItem(first_connection(root), "longest_gap");
    CHECK_TEXT(text(gap, "cause"), "halted");
    CHECK_BETWEEN(number(gap, "length_s"), 0.9, 2.5);
    CHECK(number(gap, "sink_away_s") > 0.9);
    CHECK(strstr(output[1], "was not run by the system") != NULL);
    CHECK_EQ(number(first_connection(root), "bytes"), 100 * sizeof(chunk));
    cJSON_Delete(root);
}

TEST(quiet_says_where_it_listens_and_nothing_else) {
    start("--once --quiet", 0);
    int client = connected();
    CHECK_EQ(send(client, "abc", 3, 0), 3);
    close(client);
    CHECK_EQ(end(), 0);
    CHECK(strchr(output[0], '\n') == output[0] + strlen(output[0]) - 1);
    CHECK_TEXT(output[1], "");
}

// iperf 2 needs no answer of its server, so it is a sender that is not ours.
TEST(iperf2_over_tcp_is_counted_to_the_byte) {
    char command[160];

    // NOLINTNEXTLINE(cert-env33-c): asks only whether the program is there
    if (system("command -v iperf >/dev/null 2>&1") != 0) {
        puts("     skipped: iperf is not installed (apt-get install iperf)");
        return;
    }
    start("--count=3 --json", 1);
    snprintf(
        command, sizeof(command), "iperf -c 127.0.0.1 -p %u -P 3 -n 8M -l 64K >/dev/null", port);
    CHECK_EQ(system(command), 0);  // NOLINT(cert-env33-c)
    CHECK_EQ(end(), 0);
    cJSON *root = parsed(output[0]);
    CHECK_EQ(number(cJSON_GetObjectItem(root, "result"), "bytes"), 3 * (8 << 20));
    cJSON_Delete(root);
}

TEST(iperf2_over_udp_is_a_stream_without_numbers) {
    char command[160];

    // NOLINTNEXTLINE(cert-env33-c): asks only whether the program is there
    if (system("command -v iperf >/dev/null 2>&1") != 0) {
        puts("     skipped: iperf is not installed (apt-get install iperf)");
        return;
    }
    start("--once --json", 1);
    snprintf(
        command,
        sizeof(command),
        "iperf -u -c 127.0.0.1 -p %u -n 147000 -l 1470 -b 20M >/dev/null 2>&1",
        port);
    (void)!system(command);  // NOLINT(cert-env33-c): it misses its server's report
    CHECK_EQ(end(), 0);
    cJSON *root = parsed(output[0]);
    const cJSON *udp = cJSON_GetObjectItem(first_connection(root), "udp");
    CHECK(cJSON_IsFalse(cJSON_GetObjectItem(udp, "numbered")));
    CHECK(number(first_connection(root), "bytes") >= 147000);
    cJSON_Delete(root);
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(one_signal_ends_it_well_when_nothing_is_open),
        CASE(one_signal_in_mid_stream_writes_what_there_is),
        CASE(json_on_stdout_is_alone_there),
        CASE(a_stopped_process_takes_the_blame),
        CASE(quiet_says_where_it_listens_and_nothing_else),
        CASE(iperf2_over_tcp_is_counted_to_the_byte),
        CASE(iperf2_over_udp_is_a_stream_without_numbers),
    };

    snprintf(folder, sizeof(folder), "/tmp/coradio-command-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        puts("skipped: no room for a temporary folder");
        return 77;
    }
    int failed =
        test_run(argv[0], argc > 1 ? argv[1] : NULL, cases, sizeof(cases) / sizeof(cases[0]));
    rmdir(folder);
    return failed;
}
