// SPDX-License-Identifier: MIT
#include "common/sha256.h"
#include "run/latency.h"
#include "run/source_file.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/coradio-source-XXXXXX";

static int make(const char *text) {
    int descriptor;

    memcpy(path, "/tmp/coradio-source-XXXXXX", sizeof(path));
    descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    CHECK_EQ(write(descriptor, text, strlen(text)), (long long)strlen(text));
    return descriptor;
}

static int32_t read_some(struct source_file *file, uint8_t *into, uint32_t room) {
    return file->source.ops->read(&file->source, into, room);
}

// SHA-256 of "abc": FIPS 180-2, appendix B.1.
TEST(a_file_is_read_to_its_end_with_its_digest) {
    struct source_file file;
    uint8_t bytes[8];
    char hex[SHA256_TEXT_SIZE];
    int descriptor = make("abc");

    CHECK(source_file_open(&file, path, 0));
    CHECK_EQ(file.size_bytes, 3);
    CHECK_EQ(read_some(&file, bytes, 2), 2);
    CHECK_EQ(read_some(&file, bytes + 2, 6), 1);
    CHECK_BYTES(bytes, "abc", 3);
    CHECK_EQ(read_some(&file, bytes, 8), 0);
    CHECK_TEXT(
        sha256_text(file.digest, hex),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    source_file_close(&file);
    close(descriptor);
    unlink(path);
}

TEST(a_part_can_be_asked_for_but_not_more_than_there_is) {
    struct source_file file;
    uint8_t bytes[8];
    int descriptor = make("abcdef");

    CHECK(source_file_open(&file, path, 4));
    CHECK_EQ(read_some(&file, bytes, 8), 4);
    CHECK_EQ(read_some(&file, bytes, 8), 0);
    source_file_close(&file);
    CHECK(!source_file_open(&file, path, 7));
    CHECK(strstr(file.error, "holds only 6 bytes") != NULL);
    close(descriptor);
    unlink(path);
}

TEST(what_cannot_be_sent_is_said_in_one_line) {
    struct source_file file;
    int descriptor = make("");

    CHECK(!source_file_open(&file, path, 0));
    CHECK(strstr(file.error, "is empty") != NULL);
    close(descriptor);
    unlink(path);
    CHECK(!source_file_open(&file, path, 0));
    CHECK(strstr(file.error, "No such file") != NULL);
    CHECK(!source_file_open(&file, "/", 0));
    CHECK(strstr(file.error, "is a folder") != NULL);
    CHECK(strchr(file.error, '\n') == NULL);
}

TEST(a_file_that_shrinks_is_a_source_that_ended_early) {
    struct source_file file;
    uint8_t bytes[8];
    int descriptor = make("abcdef");

    CHECK(source_file_open(&file, path, 0));
    CHECK_EQ(read_some(&file, bytes, 2), 2);
    CHECK_EQ(ftruncate(descriptor, 3), 0);
    CHECK_EQ(read_some(&file, bytes, 8), 1);
    CHECK_EQ(read_some(&file, bytes, 8), COR_E_SOURCE);
    CHECK(strstr(file.error, "ended after 3 of 6 bytes") != NULL);
    source_file_close(&file);
    close(descriptor);
    unlink(path);
}

TEST(quantiles_are_by_nearest_rank) {
    struct latency latency = {0};

    CHECK_EQ(latency_quantile(&latency, 0.5), 0);
    for (uint64_t i = 100; i > 0; i--) {
        latency_add(&latency, i * 10);
    }
    CHECK_EQ(latency_quantile(&latency, 0.5), 500);
    CHECK_EQ(latency_quantile(&latency, 0.99), 990);
    CHECK_EQ(latency_quantile(&latency, 1.0), 1000);
    CHECK_EQ(latency_mean(&latency), 505);
    latency_free(&latency);
}

TEST(one_byte_of_the_stream_is_followed_at_a_time) {
    struct latency latency = {0};

    latency_given(&latency, 1000, 5);
    latency_given(&latency, 2000, 6);
    latency_received(&latency, 999, 10);
    CHECK_EQ(latency.count, 0);
    latency_received(&latency, 1460, 25);
    CHECK_EQ(latency.count, 1);
    CHECK_EQ(latency_mean(&latency), 20);
    latency_received(&latency, 3000, 30);
    CHECK_EQ(latency.count, 1);
    latency_free(&latency);
}

TEST_MAIN(
    CASE(a_file_is_read_to_its_end_with_its_digest),
    CASE(a_part_can_be_asked_for_but_not_more_than_there_is),
    CASE(what_cannot_be_sent_is_said_in_one_line),
    CASE(a_file_that_shrinks_is_a_source_that_ended_early),
    CASE(quantiles_are_by_nearest_rank),
    CASE(one_byte_of_the_stream_is_followed_at_a_time))
