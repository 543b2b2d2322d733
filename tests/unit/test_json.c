// SPDX-License-Identifier: MIT
// JSON, tables, progress lines and SHA-256 of the tools.
#include "common/json.h"
#include "common/progress.h"
#include "common/sha256.h"
#include "common/table.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char caught[4096];

static const char *printed(FILE *file) {
    rewind(file);
    caught[fread(caught, 1, sizeof(caught) - 1, file)] = '\0';
    fclose(file);
    return caught;
}

static const char *json_text(cJSON *root) {
    FILE *file = tmpfile();

    CHECK(file != NULL);
    CHECK(json_print(file, root));
    cJSON_Delete(root);
    return printed(file);
}

TEST(integers_stay_exact_beyond_doubles) {
    cJSON *root = json_new_object();

    json_add_u64(root, "most", UINT64_MAX);
    json_add_u64(root, "odd", (UINT64_C(1) << 53) + 1);
    json_add_i64(root, "least", INT64_MIN);
    CHECK_TEXT(
        json_text(root),
        "{\n\t\"most\":\t18446744073709551615,\n\t\"odd\":\t9007199254740993,\n"
        "\t\"least\":\t-9223372036854775808\n}\n");
}

TEST(reals_print_the_same_everywhere) {
    cJSON *root = json_new_object();

    json_add_real(root, "a", 0.1 + 0.2, 6);
    json_add_real(root, "b", 2.0, 3);
    json_add_real(root, "c", -0.0001, 2);
    json_add_real(root, "d", 1e15, 1);
    json_add_real(root, "e", NAN, 1);
    json_add_real(root, "f", INFINITY, 1);
    json_add_real(root, "g", 100, 0);
    CHECK_TEXT(
        json_text(root),
        "{\n\t\"a\":\t0.3,\n\t\"b\":\t2,\n\t\"c\":\t0,\n\t\"d\":\t1000000000000000,\n"
        "\t\"e\":\tnull,\n\t\"f\":\tnull,\n\t\"g\":\t100\n}\n");
}

TEST(trees_nest_and_text_is_escaped) {
    cJSON *root = json_new_object();
    cJSON *list = json_add_array(root, "list");

    json_add_text(json_append_object(list), "t", "a\"\n");
    json_append_text(list, "x");
    json_add_bool(json_add_object(root, "o"), "yes", true);
    json_add_text(root, "none", NULL);
    const char *text = json_text(root);
    cJSON *back = cJSON_Parse(text);
    CHECK(back != NULL);
    cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(back, "list"), 0);
    CHECK_TEXT(cJSON_GetStringValue(cJSON_GetObjectItem(first, "t")), "a\"\n");
    CHECK(cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetObjectItem(back, "o"), "yes")));
    CHECK(cJSON_IsNull(cJSON_GetObjectItem(back, "none")));
    cJSON_Delete(back);
}

TEST(a_result_file_is_replaced_whole) {
    char folder[] = "/tmp/coradio-json-XXXXXX";
    char path[64];
    char left[80];
    cJSON *root = json_new_object();

    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/r.json", folder);
    snprintf(left, sizeof(left), "%s.new", path);
    json_add_u64(root, "n", 1);
    CHECK_EQ(json_write(path, root), 0);
    CHECK_EQ(json_write(path, root), 0);
    CHECK(access(left, F_OK) != 0);
    CHECK(access(path, R_OK) == 0);
    unlink(path);
    rmdir(folder);
    CHECK(json_write(path, root) != 0);
    CHECK(json_write("/dev/full", root) != 0);
    CHECK_EQ(json_write("/dev/null", root), 0);
    cJSON_Delete(root);
}

TEST(tables_line_up) {
    struct table table;
    FILE *file = tmpfile();

    CHECK(file != NULL);
    table_init(&table, "lr");
    table_cell(&table, "name");
    table_cell(&table, "bytes");
    table_cell(&table, "µ");
    table_cell(&table, "%d", 7);
    table_cell(&table, "longer name");
    table_print(&table, file, 2);
    table_free(&table);
    CHECK_TEXT(printed(file), "  name         bytes\n  µ                7\n  longer name\n");
}

TEST(progress_tells_share_rate_and_time_left) {
    struct progress progress;
    FILE *file = tmpfile();

    CHECK(file != NULL);
    progress_init_to(&progress, file, false, 1000000000, 0);
    progress.label = "sent";
    progress.total_bytes = 10000000;
    CHECK(!progress_update(&progress, 1, 999999999));
    CHECK(progress_update(&progress, 2500000, 1000000000));
    CHECK(!progress_update(&progress, 2500000, 1000000001));
    progress_clear(&progress);
    CHECK_TEXT(
        printed(file), "sent  2.50 MB of 10.0 MB   25 %  20.0 Mbit/s  3.00 s left  after 1.00 s\n");
}

TEST(progress_is_silent_without_terminal_or_interval) {
    struct progress progress;
    FILE *file = tmpfile();

    CHECK(file != NULL);
    progress_init_to(&progress, file, false, 0, 0);
    CHECK(!progress_update(&progress, 100, UINT64_C(100) * 1000000000));
    CHECK_TEXT(printed(file), "");
}

// source: FIPS 180-4 examples, "abc" and the empty message
TEST(sha256_matches_the_published_digests) {
    char text[SHA256_TEXT_SIZE];
    struct sha256 *sha256 = sha256_new();

    CHECK(sha256 != NULL);
    CHECK_TEXT(
        sha256_text(sha256, text),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_add(sha256, "a", 1);
    sha256_text(sha256, text);
    sha256_add(sha256, "bc", 2);
    CHECK_TEXT(
        sha256_text(sha256, text),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_free(sha256);
    CHECK_EQ(sha256_file("/dev/null", text), 0);
    CHECK(strncmp(text, "e3b0c442", 8) == 0);
    CHECK(sha256_file("/nonexistent/file", text) != 0);
}

TEST_MAIN(
    CASE(integers_stay_exact_beyond_doubles),
    CASE(reals_print_the_same_everywhere),
    CASE(trees_nest_and_text_is_escaped),
    CASE(a_result_file_is_replaced_whole),
    CASE(tables_line_up),
    CASE(progress_tells_share_rate_and_time_left),
    CASE(progress_is_silent_without_terminal_or_interval),
    CASE(sha256_matches_the_published_digests))
