// SPDX-License-Identifier: MIT
// The sink over loopback: what is stored, how it ends, what it writes, what it refuses.
#include "common/sha256.h"
#include "sink_world.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

int sink_main(int argc, char **argv);

// --- store and hash

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

// In code quotes, alone or behind or before another name: `bytes`, `result.bytes`, `result.ends`.
static bool in_page(const char *page, const char *key) {
    static const char *const forms[][2] = {{"`", "`"}, {".", "`"}, {"`", "."}};
    char text[64];

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        snprintf(text, sizeof(text), "%s%s%s", forms[i][0], key, forms[i][1]);
        if (strstr(page, text) != NULL) {
            return true;
        }
    }
    return false;
}

static void expect_key(const char *page, const char *key) {
    if (!in_page(page, key)) {
        printf("  not in docs/reference/sink.md: %s\n", key);
        CHECK(!"a documented field");
    }
}

// The tree is as deep as our own result, so the recursion is too.
static void expect_documented(const cJSON *item, const char *page) {
    for (; item != NULL; item = item->next) {
        if (item->string != NULL) {
            expect_key(page, item->string);
        }
        expect_documented(item->child, page);
    }
}

TEST(every_field_is_in_the_reference) {
    static char page[40000];
    static char content[20000];
    char path[SINK_FILE_NAME_SIZE + 64];
    FILE *file = fopen("docs/reference/sink.md", "r");

    CHECK(file != NULL);  // run it from the top of the tree
    page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
    fclose(file);
    new_folder();
    fresh_config()->count = 2;
    config.hash = true;
    config.store_path = folder;
    start();
    int tcp = client(SOCK_STREAM);
    send_all(tcp, "abc", 3);
    int udp = client(SOCK_DGRAM);
    send_numbered(udp, 1, 0, false);
    sleep_ms(150);
    send_numbered(udp, 1, 1, false);
    send_numbered(udp, 1, 2, true);
    close(tcp);
    join();
    snprintf(path, sizeof(path), "%s/r.json", folder);
    CHECK_EQ(sink_write_json(&sink, path), 0);
    file = fopen(path, "r");
    CHECK(file != NULL);
    content[fread(content, 1, sizeof(content) - 1, file)] = '\0';
    fclose(file);
    cJSON *root = cJSON_Parse(content);
    CHECK(root != NULL);
    expect_documented(root, page);
    cJSON_Delete(root);
    for (int cause = 0; cause < SINK_CAUSE_COUNT; cause++) {
        char name[32];

        snprintf(name, sizeof(name), "`%s`", sink_cause_name((enum sink_cause)cause));
        CHECK(strstr(page, name) != NULL);
    }
    unlink(path);
    for (const struct sink_stream *each = sink.ended; each != NULL; each = each->next) {
        snprintf(path, sizeof(path), "%s/%s", folder, each->file.name);
        unlink(path);
    }
    CHECK_EQ(rmdir(folder), 0);
    close(udp);
    finish();
}

// --- wrong use

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
    CASE(what_is_stored_is_what_was_sent),
    CASE(stored_udp_is_payload_without_its_headers),
    CASE(a_full_disk_keeps_what_came_and_the_sink_counts_on),
    CASE(a_signal_in_mid_stream_keeps_what_had_arrived),
    CASE(a_signal_with_nothing_open_is_a_good_end),
    CASE(a_duration_ends_the_sink),
    CASE(the_json_tells_what_the_sink_knows),
    CASE(every_field_is_in_the_reference),
    CASE(a_port_in_use_is_one_clear_line),
    CASE(an_address_of_another_machine_is_refused),
    CASE(a_store_that_cannot_be_written_is_refused),
    CASE(wrong_options_are_refused))
