// SPDX-License-Identifier: MIT
// The sink over loopback: the loop runs in a thread, the clients are sockets of this test.
//
// Each case listens on a port of its own, so that cases and other tests do not meet.
#include "common/sha256.h"
#include "sink/sink.h"
#include "test.h"

#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "coradio/datagram.h"

#define MS UINT64_C(1000000)

// The instrumented build copies and checks so much that it gets a sixteenth.
#ifdef __SANITIZE_ADDRESS__
#    define CROWD_BYTES (UINT64_C(64) << 20)
#else
#    define CROWD_BYTES (UINT64_C(1) << 30)
#endif

enum { CROWD = 200, SILENT = 20, CHUNK_BYTES = 1 << 16 };

int sink_main(int argc, char **argv);

static struct sink sink;
static struct sink_config config;
static pthread_t thread;
static bool running;
static char *log_text;
static size_t log_size;
static FILE *log_file;
static char folder[64];

static void sleep_ms(unsigned ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    while (nanosleep(&time, &time) != 0) {
    }
}

static void *loop(void *unused) {
    (void)unused;
    sink_run(&sink);
    return NULL;
}

static void start(void) {
    CHECK_EQ(sink_open(&sink, &config), 0);
    CHECK_EQ(pthread_create(&thread, NULL, loop, NULL), 0);
    running = true;
}

// Waits for the loop to end by itself.
static void join(void) {
    pthread_join(thread, NULL);
    running = false;
    fflush(log_file);
}

static void stop(void) {
    uint64_t one = 1;

    CHECK_EQ(write(config.stop_socket, &one, sizeof(one)), sizeof(one));
    join();
}

static void finish(void) {
    sink_close(&sink);
    close(config.stop_socket);
}

static struct sink_config *fresh_config(void) {
    if (running) {
        // A case before this one failed with its sink still at work.
        sink.stop_asked = true;
        pthread_join(thread, NULL);
        running = false;
        sink_close(&sink);
    }
    config = (struct sink_config){.command = "coradio sink", .host = "127.0.0.1"};
    config.idle_timeout_ns = 10000 * MS;
    config.udp_silence_ns = 400 * MS;
    config.stop_socket = eventfd(0, EFD_NONBLOCK);
    if (log_file != NULL) {
        fclose(log_file);
        free(log_text);
    }
    log_file = open_memstream(&log_text, &log_size);
    config.log = log_file;
    config.ready = log_file;
    return &config;
}

static void expect_log(const char *phrase) {
    fflush(log_file);
    if (strstr(log_text, phrase) == NULL) {
        printf("  log:\n%s", log_text);
    }
    CHECK(strstr(log_text, phrase) != NULL);
}

static int client(int type) {
    int socket_of_client = socket(AF_INET, type, 0);

    CHECK(socket_of_client >= 0);
    CHECK_EQ(
        connect(
            socket_of_client,
            (struct sockaddr *)&sink.address,
            (socklen_t)sizeof(struct sockaddr_in)),
        0);
    return socket_of_client;
}

static unsigned port_of(int descriptor) {
    struct sockaddr_in own = {0};
    socklen_t size = sizeof(own);

    CHECK_EQ(getsockname(descriptor, (struct sockaddr *)&own, &size), 0);
    return ntohs(own.sin_port);
}

static void send_all(int descriptor, const void *data, size_t size_bytes) {
    const char *at = data;

    while (size_bytes > 0) {
        ssize_t sent = send(descriptor, at, size_bytes, MSG_NOSIGNAL);

        CHECK(sent > 0);
        at += sent;
        size_bytes -= (size_t)sent;
    }
}

static const struct sink_stream *stream_of_port(unsigned port) {
    for (const struct sink_stream *each = sink.ended; each != NULL; each = each->next) {
        if (sink_address_port(&each->peer) == port) {
            return each;
        }
    }
    CHECK(!"a stream of that port");
    return NULL;
}

static void new_folder(void) {
    snprintf(folder, sizeof(folder), "/tmp/coradio-sink-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
}

static void fill_pattern(uint8_t *data, size_t size_bytes, uint32_t seed) {
    for (size_t i = 0; i < size_bytes; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (uint8_t)(seed >> 24);
    }
}

// --- many at once
// ---------------------------------------------------------------------------------

struct sender {
    int socket;
    unsigned port;
    uint64_t total;
    uint64_t left;
};

static void open_crowd(struct sender *crowd) {
    uint64_t given = 0;

    for (int i = 0; i < CROWD; i++) {
        crowd[i].socket = client(SOCK_STREAM);
        crowd[i].port = port_of(crowd[i].socket);
        // All different, and together exactly CROWD_BYTES.
        crowd[i].total = CROWD_BYTES / CROWD - CROWD / 2 + (uint64_t)i;
        if (i == CROWD - 1) {
            crowd[i].total = CROWD_BYTES - given;
        }
        crowd[i].left = crowd[i].total;
        given += crowd[i].total;
        CHECK_EQ(fcntl(crowd[i].socket, F_SETFL, O_NONBLOCK), 0);
    }
}

// Sends to whoever takes something, until all have sent everything and closed.
static void serve_crowd(struct sender *crowd) {
    static char chunk[CHUNK_BYTES];
    struct pollfd polls[CROWD];
    int open = CROWD;

    while (open > 0) {
        for (int i = 0; i < CROWD; i++) {
            polls[i] = (struct pollfd){.fd = crowd[i].socket, .events = POLLOUT};
        }
        CHECK(poll(polls, CROWD, 5000) > 0);
        for (int i = 0; i < CROWD; i++) {
            struct sender *each = &crowd[i];

            if (each->socket < 0 || (polls[i].revents & POLLOUT) == 0) {
                continue;
            }
            size_t size = each->left < CHUNK_BYTES ? (size_t)each->left : CHUNK_BYTES;
            ssize_t sent = send(each->socket, chunk, size, MSG_NOSIGNAL);
            CHECK(sent > 0);
            each->left -= (uint64_t)sent;
            if (each->left == 0) {
                close(each->socket);
                each->socket = -1;
                open--;
            }
        }
    }
}

TEST(a_crowd_is_counted_to_the_byte_beside_silent_ones) {
    static struct sender crowd[CROWD];
    int silent[SILENT];

    fresh_config()->count = CROWD;
    config.idle_timeout_ns = 0;
    start();
    for (int i = 0; i < SILENT; i++) {
        silent[i] = client(SOCK_STREAM);
    }
    open_crowd(crowd);
    serve_crowd(crowd);
    join();
    CHECK_EQ(sink.bytes, CROWD_BYTES);
    CHECK_EQ(sink.finished, CROWD);
    CHECK_EQ(sink.ends[SINK_END_closed], CROWD);
    CHECK_EQ(sink.ends[SINK_END_stopped], SILENT);
    for (int i = 0; i < CROWD; i++) {
        CHECK_EQ(stream_of_port(crowd[i].port)->bytes, crowd[i].total);
    }
    CHECK_EQ(sink_exit_code(&sink), 0);
    for (int i = 0; i < SILENT; i++) {
        close(silent[i]);
    }
    finish();
}

TEST(a_connection_that_never_sends_is_reaped_and_not_counted) {
    fresh_config()->count = 1;
    config.idle_timeout_ns = 300 * MS;
    start();
    int silent = client(SOCK_STREAM);
    char byte = 0;
    CHECK_EQ(recv(silent, &byte, 1, 0), 0);  // the sink closes
    int real = client(SOCK_STREAM);
    send_all(real, "abc", 3);
    close(real);
    join();
    CHECK_EQ(sink.ends[SINK_END_idle], 1);
    CHECK_EQ(sink.bytes, 3);
    CHECK_EQ(sink_exit_code(&sink), 0);
    expect_log("it never sent a byte (--idle-timeout)");
    close(silent);
    finish();
}

TEST(a_live_but_silent_sender_is_kept_unless_asked) {
    fresh_config()->idle_timeout_ns = 100 * MS;
    config.stall_timeout_ns = 600 * MS;
    start();
    int pausing = client(SOCK_STREAM);
    send_all(pausing, "a", 1);
    sleep_ms(350);
    send_all(pausing, "b", 1);
    char byte = 0;
    CHECK_EQ(recv(pausing, &byte, 1, 0), 0);  // after the stall timeout
    stop();
    CHECK_EQ(sink.ended->bytes, 2);
    CHECK_EQ(sink.ended->end, SINK_END_stalled);
    CHECK_EQ(sink_exit_code(&sink), 1);
    close(pausing);
    finish();
}

TEST(a_client_that_vanishes_by_reset_frees_its_place) {
    struct linger hard = {.l_onoff = 1};

    fresh_config()->count = 2;
    start();
    int vanishing = client(SOCK_STREAM);
    send_all(vanishing, "12345", 5);
    sleep_ms(50);
    CHECK_EQ(setsockopt(vanishing, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard)), 0);
    close(vanishing);
    int good = client(SOCK_STREAM);
    send_all(good, "123", 3);
    close(good);
    join();
    CHECK_EQ(sink.ends[SINK_END_reset], 1);
    CHECK_EQ(sink.ends[SINK_END_closed], 1);
    CHECK_EQ(sink.bytes, 8);
    CHECK_EQ(sink_exit_code(&sink), 1);
    expect_log("the sender reset it");
    finish();
}

// --- whose fault
// ----------------------------------------------------------------------------------

TEST(a_sender_that_pauses_is_named) {
    fresh_config()->count = 1;
    start();
    int pausing = client(SOCK_STREAM);
    send_all(pausing, "a", 1);
    sleep_ms(1300);
    send_all(pausing, "b", 1);
    close(pausing);
    join();
    const struct sink_gap *gap = &sink.ended->longest;
    CHECK_EQ(gap->cause, SINK_CAUSE_sender);
    CHECK_BETWEEN(gap->length_ns, 1200 * MS, 1900 * MS);
    CHECK(gap->ended);
    CHECK_EQ(sink.ended->own_gaps_ns, 0);
    expect_log("silent for 1.");
    expect_log("the sender sent nothing (the sink was reading); Recv-Q 0");
    expect_log("goes on after");
    CHECK_EQ(sink_exit_code(&sink), 0);
    finish();
}

static void doze(int number) {
    (void)number;
    sleep_ms(1200);
}

TEST(a_sink_that_stands_still_blames_itself) {
    struct sigaction action = {.sa_handler = doze};
    static char chunk[CHUNK_BYTES];

    sigemptyset(&action.sa_mask);
    CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    fresh_config()->count = 1;
    start();
    int steady = client(SOCK_STREAM);
    for (int i = 0; i < 50; i++) {
        if (i == 10) {
            pthread_kill(thread, SIGUSR1);
        }
        send_all(steady, chunk, 1000);
        sleep_ms(i == 11 ? 1000 : 5);
    }
    close(steady);
    join();
    const struct sink_stream *stream = sink.ended;
    CHECK(sink_cause_is_own(stream->longest.cause));
    CHECK(sink_cause_is_own(stream->own_longest.cause));
    CHECK_BETWEEN(stream->own_longest.length_ns, 900 * MS, 2500 * MS);
    CHECK(stream->own_gaps_ns >= 900 * MS);
    CHECK(sink.watch.longest_ns >= 900 * MS);
    CHECK_EQ(stream->bytes, 50 * 1000);
    CHECK_EQ(sink_exit_code(&sink), 1);
    finish();
}

TEST(a_newer_connection_supersedes_a_silent_one_only) {
    fresh_config()->count = 1;
    start();
    int old = client(SOCK_STREAM);
    send_all(old, "a", 1);
    sleep_ms(1250);
    int busy = client(SOCK_STREAM);
    send_all(busy, "b", 1);
    sleep_ms(100);
    int parallel = client(SOCK_STREAM);
    send_all(parallel, "c", 1);
    close(parallel);
    join();
    CHECK_EQ(sink.superseded, 1);
    CHECK_EQ(stream_of_port(port_of(old))->superseded_by, 2);
    CHECK_EQ(stream_of_port(port_of(busy))->superseded_by, 0);
    expect_log("supersedes #1");
    CHECK_EQ(sink_exit_code(&sink), 1);
    close(old);
    close(busy);
    finish();
}

// --- UDP
// ------------------------------------------------------------------------------------------

static void send_numbered(int descriptor, uint32_t stream, uint32_t number, bool last) {
    uint8_t data[COR_DATAGRAM_BYTES + 84] = {0};
    struct cor_datagram header = {.stream = stream, .sequence = number, .last = last};
    size_t size = last ? COR_DATAGRAM_BYTES : sizeof(data);

    cor_datagram_emit(&header, data);
    memset(data + COR_DATAGRAM_BYTES, (int)('a' + number % 26), sizeof(data) - COR_DATAGRAM_BYTES);
    CHECK_EQ(send(descriptor, data, size, 0), (ssize_t)size);
}

TEST(udp_loss_repetition_and_order_are_counted) {
    // 3 is lost, 5 comes twice, 8 before 7, 11 and 12 are lost at the end.
    static const uint32_t numbers[] = {0, 1, 2, 4, 5, 5, 6, 8, 7, 9, 10};
    static const size_t count = sizeof(numbers) / sizeof(numbers[0]);

    fresh_config()->count = 1;
    start();
    int socket_of_client = client(SOCK_DGRAM);
    for (size_t i = 0; i < count; i++) {
        send_numbered(socket_of_client, 77, numbers[i], false);
    }
    for (int i = 0; i < COR_DATAGRAM_LAST_COUNT; i++) {
        send_numbered(socket_of_client, 77, 13, true);
    }
    join();
    const struct sink_stream *stream = sink.ended;
    CHECK_EQ(stream->end, SINK_END_last);
    CHECK_EQ(stream->reads, 10);
    CHECK_EQ(stream->bytes, 1000);
    CHECK_EQ(sink_sequence_expected(&stream->sequence), 13);
    CHECK_EQ(sink_sequence_lost(&stream->sequence), 3);
    CHECK_EQ(stream->sequence.duplicates, 1);
    CHECK_EQ(stream->sequence.reordered, 1);
    CHECK_EQ(sink_exit_code(&sink), 0);
    close(socket_of_client);
    finish();
}

TEST(a_second_run_on_the_same_udp_port_is_a_stream_of_its_own) {
    fresh_config()->count = 2;
    start();
    int socket_of_client = client(SOCK_DGRAM);
    for (uint32_t stream = 1; stream <= 2; stream++) {
        for (uint32_t i = 0; i < 5 * stream; i++) {
            send_numbered(socket_of_client, stream, i, false);
        }
        send_numbered(socket_of_client, stream, 5 * stream, true);
        sleep_ms(400);
        send_numbered(socket_of_client, stream, 5 * stream, true);  // a straggler after the end
    }
    join();
    CHECK_EQ(sink.stream_count, 2);
    CHECK_EQ(sink.ended->reads, 5);
    CHECK_EQ(sink.ended->next->reads, 10);
    CHECK_EQ(sink_sequence_lost(&sink.ended->next->sequence), 0);
    CHECK(sink.udp_after_end >= 1);
    close(socket_of_client);
    finish();
}

TEST(udp_streams_of_two_senders_stay_apart_and_end_by_silence) {
    fresh_config()->count = 2;
    start();
    int numbered = client(SOCK_DGRAM);
    int plain = client(SOCK_DGRAM);
    for (uint32_t i = 0; i < 20; i++) {
        send_numbered(numbered, 5, i, false);
        CHECK_EQ(send(plain, "twenty bytes of this", 20, 0), 20);
    }
    join();
    const struct sink_stream *a = stream_of_port(port_of(numbered));
    const struct sink_stream *b = stream_of_port(port_of(plain));
    CHECK(a->numbered && !b->numbered);
    CHECK_EQ(a->end, SINK_END_silence);
    CHECK_EQ(b->end, SINK_END_silence);
    CHECK_EQ(a->bytes, 2000);
    CHECK_EQ(b->bytes, 400);
    CHECK(!a->sequence.last_seen);
    CHECK_BETWEEN(a->end_ns - a->last_ns, 400 * MS, 1000 * MS);
    close(numbered);
    close(plain);
    finish();
}

TEST(a_udp_stream_that_goes_on_after_silence_is_held_to_its_numbers) {
    fresh_config()->count = 2;
    start();
    int socket_of_client = client(SOCK_DGRAM);
    for (uint32_t i = 0; i < 10; i++) {
        send_numbered(socket_of_client, 9, i, false);
    }
    sleep_ms(700);
    for (uint32_t i = 12; i < 20; i++) {
        send_numbered(socket_of_client, 9, i, false);
    }
    send_numbered(socket_of_client, 9, 21, true);
    join();
    const struct sink_stream *second = sink.ended->next;
    CHECK_EQ(second->continues, 1);
    CHECK_EQ(second->sequence.first, 10);
    CHECK_EQ(sink_sequence_lost(&second->sequence), 3);
    close(socket_of_client);
    finish();
}

TEST(a_run_of_which_only_the_last_marker_arrives_is_all_lost) {
    fresh_config()->count = 1;
    start();
    int socket_of_client = client(SOCK_DGRAM);
    send_numbered(socket_of_client, 3, 1000, true);
    join();
    CHECK_EQ(sink_sequence_lost(&sink.ended->sequence), 1000);
    CHECK_EQ(sink.ended->bytes, 0);
    CHECK_EQ(sink.bytes, 0);
    close(socket_of_client);
    finish();
}

// --- store and hash
// -------------------------------------------------------------------------------

TEST(what_is_stored_is_what_was_sent) {
    static uint8_t data[3000000];
    char path[SINK_FILE_NAME_SIZE + 64];
    char of_file[SHA256_TEXT_SIZE];
    char of_data[SHA256_TEXT_SIZE];
    struct sha256 *sha256 = sha256_new();

    new_folder();
    fill_pattern(data, sizeof(data), 1);
    sha256_add(sha256, data, sizeof(data));
    fresh_config()->count = 1;
    config.hash = true;
    config.store_path = folder;
    start();
    int sender = client(SOCK_STREAM);
    send_all(sender, data, sizeof(data));
    close(sender);
    join();
    const struct sink_stream *stream = sink.ended;
    snprintf(path, sizeof(path), "%s/%s", folder, stream->file.name);
    CHECK(strstr(path, ".bin") != NULL);
    CHECK_EQ(sha256_file(path, of_file), 0);
    CHECK_TEXT(of_file, sha256_text(sha256, of_data));
    CHECK_TEXT(stream->sha256_text, of_data);
    CHECK_EQ(stream->file.bytes, sizeof(data));
    unlink(path);
    CHECK_EQ(rmdir(folder), 0);
    sha256_free(sha256);
    finish();
}

TEST(stored_udp_is_payload_without_its_headers) {
    char path[SINK_FILE_NAME_SIZE + 64];
    struct stat status;

    new_folder();
    fresh_config()->count = 1;
    config.store_path = folder;
    start();
    int sender = client(SOCK_DGRAM);
    for (uint32_t i = 0; i < 10; i++) {
        send_numbered(sender, 4, i, false);
    }
    send_numbered(sender, 4, 10, true);
    join();
    snprintf(path, sizeof(path), "%s/%s", folder, sink.ended->file.name);
    CHECK(strstr(path, ".bin") != NULL);
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_size, 840);
    CHECK_EQ(sink.ended->bytes, 1000);
    unlink(path);
    CHECK_EQ(rmdir(folder), 0);
    close(sender);
    finish();
}

// The disk says no in the middle: a file size limit stands for a full disk, the error comes from
// the same call.
TEST(a_full_disk_keeps_what_came_and_the_sink_counts_on) {
    static uint8_t data[400000];
    char path[SINK_FILE_NAME_SIZE + 64];
    struct rlimit before;
    struct rlimit small;
    struct stat status;

    new_folder();
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    small = before;
    small.rlim_cur = 150000;
    fresh_config()->count = 1;
    config.hash = true;
    config.store_path = folder;
    start();
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    int sender = client(SOCK_STREAM);
    send_all(sender, data, sizeof(data));
    close(sender);
    join();
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    const struct sink_stream *stream = sink.ended;
    CHECK_EQ(stream->bytes, sizeof(data));
    CHECK_EQ(stream->end, SINK_END_closed);
    CHECK_EQ(stream->file.state, SINK_FILE_FAILED);
    snprintf(path, sizeof(path), "%s/%s", folder, stream->file.name);
    CHECK(strstr(path, ".part") != NULL);
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_size, 150000);
    expect_log("error: cannot store more of #1: File too large");
    expect_log("the rest is only counted");
    CHECK_EQ(sink_exit_code(&sink), 3);
    unlink(path);
    CHECK_EQ(rmdir(folder), 0);
    finish();
}

// --- ends and results
// -----------------------------------------------------------------------------

TEST(a_signal_in_mid_stream_keeps_what_had_arrived) {
    fresh_config();
    start();
    int sender = client(SOCK_STREAM);
    send_all(sender, "0123456789", 10);
    sleep_ms(150);
    stop();
    CHECK_EQ(sink.bytes, 10);
    CHECK_EQ(sink.ended->end, SINK_END_stopped);
    CHECK_EQ(sink_exit_code(&sink), 4);
    close(sender);
    finish();
}

TEST(a_signal_with_nothing_open_is_a_good_end) {
    fresh_config();
    start();
    sleep_ms(20);
    stop();
    CHECK_EQ(sink_exit_code(&sink), 0);
    finish();

    fresh_config()->count = 1;
    start();
    sleep_ms(20);
    stop();
    CHECK_EQ(sink_exit_code(&sink), 4);
    finish();
}

TEST(a_duration_ends_the_sink) {
    fresh_config()->duration_ns = 250 * MS;
    start();
    join();
    CHECK_BETWEEN(sink.end_ns - sink.start_ns, 250 * MS, 600 * MS);
    CHECK_EQ(sink_exit_code(&sink), 0);
    finish();

    fresh_config()->duration_ns = 50 * MS;
    config.count = 1;
    start();
    join();
    CHECK_EQ(sink_exit_code(&sink), 1);
    finish();
}

static double number(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItem(object, name);

    CHECK(cJSON_IsNumber(item));
    return item->valuedouble;
}

static const char *text(const cJSON *object, const char *name) {
    return cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
}

TEST(the_json_tells_what_the_sink_knows) {
    char path[96];
    char content[20000];

    new_folder();
    snprintf(path, sizeof(path), "%s/r.json", folder);
    fresh_config()->count = 2;
    config.hash = true;
    start();
    int tcp = client(SOCK_STREAM);
    unsigned tcp_port = port_of(tcp);
    send_all(tcp, "abc", 3);
    int udp = client(SOCK_DGRAM);
    send_numbered(udp, 1, 0, false);
    send_numbered(udp, 1, 2, false);
    send_numbered(udp, 1, 3, true);
    sleep_ms(150);
    close(tcp);
    join();
    CHECK_EQ(sink_write_json(&sink, path), 0);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    content[fread(content, 1, sizeof(content) - 1, file)] = '\0';
    fclose(file);
    cJSON *root = cJSON_Parse(content);
    CHECK(root != NULL);
    CHECK_TEXT(text(root, "schema"), "coradio-sink-1");
    CHECK_TEXT(text(root, "ended_by"), "count");
    CHECK(cJSON_IsTrue(cJSON_GetObjectItem(root, "valid")));
    CHECK_EQ(number(cJSON_GetObjectItem(root, "result"), "bytes"), 203);
    cJSON *list = cJSON_GetObjectItem(root, "connections");
    CHECK_EQ(cJSON_GetArraySize(list), 2);
    cJSON *first = cJSON_GetArrayItem(list, 0);
    cJSON *second = cJSON_GetArrayItem(list, 1);
    CHECK_TEXT(text(first, "kind"), "tcp");
    CHECK_TEXT(text(first, "end"), "closed");
    CHECK_EQ(number(first, "bytes"), 3);
    CHECK(cJSON_IsNull(cJSON_GetObjectItem(first, "goodput_bps")));
    CHECK_TEXT(
        text(first, "sha256"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK_EQ(number(first, "port"), tcp_port);
    CHECK_EQ(number(cJSON_GetObjectItem(second, "udp"), "lost"), 1);
    CHECK_EQ(number(cJSON_GetObjectItem(second, "udp"), "expected"), 3);
    CHECK(number(second, "end_s") >= number(second, "last_byte_s"));
    CHECK(cJSON_GetArraySize(cJSON_GetObjectItem(root, "intervals")) >= 1);
    cJSON_Delete(root);
    unlink(path);
    CHECK_EQ(rmdir(folder), 0);
    close(udp);
    finish();
}

// --- wrong use
// ------------------------------------------------------------------------------------

TEST(a_port_in_use_is_one_clear_line) {
    struct sink_config second;
    static struct sink other;

    fresh_config();
    start();
    second = config;
    second.port = sink_address_port(&sink.address);
    CHECK_EQ(sink_open(&other, &second), 3);
    sink_close(&other);
    expect_log("the port is in use; give another one (--port N, 0 takes any free one)");
    stop();
    finish();
}

TEST(an_address_of_another_machine_is_refused) {
    static struct sink other;

    // source: RFC 5737, TEST-NET-2
    snprintf(fresh_config()->host, SINK_HOST_SIZE, "198.51.100.7");
    CHECK_EQ(sink_open(&other, &config), 3);
    sink_close(&other);
    expect_log("no interface has that address");
    snprintf(fresh_config()->host, SINK_HOST_SIZE, "no such host");
    CHECK_EQ(sink_open(&other, &config), 3);
    sink_close(&other);
    expect_log("--listen 'no such host'");
    close(config.stop_socket);
}

TEST(a_store_that_cannot_be_written_is_refused) {
    static struct sink other;

    fresh_config()->store_path = "/dev/null/here";
    CHECK_EQ(sink_open(&other, &config), 3);
    sink_close(&other);
    expect_log("cannot store in '/dev/null/here'");
    close(config.stop_socket);
}

// With stderr put aside.
static int command(const char *a, const char *b) {
    char words[2][64];
    char *argv[] = {(char[]){"sink"}, words[0], words[1], NULL};
    int kept = dup(STDERR_FILENO);
    int null = open("/dev/null", O_WRONLY);

    snprintf(words[0], sizeof(words[0]), "%s", a);
    snprintf(words[1], sizeof(words[1]), "%s", b);
    dup2(null, STDERR_FILENO);
    int code = sink_main(b[0] == '\0' ? 2 : 3, argv);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(null);
    return code;
}

TEST(wrong_options_are_refused) {
    CHECK_EQ(command("--bogus", ""), 2);
    CHECK_EQ(command("--port=70000", ""), 2);
    CHECK_EQ(command("--listen=1.2.3.4:x", ""), 2);
    CHECK_EQ(command("--count=0", ""), 2);
    CHECK_EQ(command("--once", "--count=2"), 2);
    CHECK_EQ(command("--max-bytes=1M", ""), 2);
    CHECK_EQ(command("--duration=-1s", ""), 2);
    CHECK_EQ(command("file", ""), 2);
    CHECK_EQ(command("--port=0", "--json=/nonexistent/r.json"), 3);
}

TEST_MAIN(
    CASE(a_crowd_is_counted_to_the_byte_beside_silent_ones),
    CASE(a_connection_that_never_sends_is_reaped_and_not_counted),
    CASE(a_live_but_silent_sender_is_kept_unless_asked),
    CASE(a_client_that_vanishes_by_reset_frees_its_place),
    CASE(a_sender_that_pauses_is_named),
    CASE(a_sink_that_stands_still_blames_itself),
    CASE(a_newer_connection_supersedes_a_silent_one_only),
    CASE(udp_loss_repetition_and_order_are_counted),
    CASE(a_second_run_on_the_same_udp_port_is_a_stream_of_its_own),
    CASE(udp_streams_of_two_senders_stay_apart_and_end_by_silence),
    CASE(a_udp_stream_that_goes_on_after_silence_is_held_to_its_numbers),
    CASE(a_run_of_which_only_the_last_marker_arrives_is_all_lost),
    CASE(what_is_stored_is_what_was_sent),
    CASE(stored_udp_is_payload_without_its_headers),
    CASE(a_full_disk_keeps_what_came_and_the_sink_counts_on),
    CASE(a_signal_in_mid_stream_keeps_what_had_arrived),
    CASE(a_signal_with_nothing_open_is_a_good_end),
    CASE(a_duration_ends_the_sink),
    CASE(the_json_tells_what_the_sink_knows),
    CASE(a_port_in_use_is_one_clear_line),
    CASE(an_address_of_another_machine_is_refused),
    CASE(a_store_that_cannot_be_written_is_refused),
    CASE(wrong_options_are_refused))
