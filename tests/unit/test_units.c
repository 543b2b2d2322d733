// SPDX-License-Identifier: MIT
// Units: what people write becomes exact integers, and nothing else is accepted.
#include "common/units.h"
#include "test.h"

static uint64_t size_of(const char *text) {
    uint64_t value = 0;
    const char *wrong = units_parse_size(text, &value);

    if (wrong != NULL) {
        printf("  %s %s\n", text, wrong);
    }
    CHECK(wrong == NULL);
    return value;
}

static uint64_t time_of(const char *text) {
    uint64_t value = 0;

    CHECK(units_parse_time(text, &value) == NULL);
    return value;
}

static bool refused(const char *(*parse)(const char *, uint64_t *), const char *text) {
    uint64_t value = 4711;

    return parse(text, &value) != NULL && value == 4711;
}

TEST(sizes_know_decimal_and_binary_units) {
    CHECK_EQ(size_of("0"), 0);
    CHECK_EQ(size_of("1500"), 1500);
    CHECK_EQ(size_of("1500B"), 1500);
    CHECK_EQ(size_of("10M"), 10000000);
    CHECK_EQ(size_of("10MB"), 10000000);
    CHECK_EQ(size_of("64MiB"), 67108864);
    CHECK_EQ(size_of("2KiB"), 2048);
    CHECK_EQ(size_of("1GiB"), 1073741824);
    CHECK_EQ(size_of("3G"), 3000000000);
}

TEST(decimals_are_exact_or_refused) {
    CHECK_EQ(size_of("1.5k"), 1500);
    CHECK_EQ(size_of("1.5KiB"), 1536);
    CHECK_EQ(size_of("0.125MiB"), 131072);
    CHECK_EQ(size_of("1.000"), 1);
    CHECK_EQ(time_of("0.000000001"), 1);
    CHECK_EQ(time_of("1.5us"), 1500);
    CHECK(refused(units_parse_size, "1.5"));
    CHECK(refused(units_parse_size, "1.0001k"));
    CHECK(refused(units_parse_time, "0.5ns"));
}

TEST(times_are_nanoseconds_and_bare_numbers_are_seconds) {
    CHECK_EQ(time_of("3s"), 3000000000);
    CHECK_EQ(time_of("3"), 3000000000);
    CHECK_EQ(time_of("200ms"), 200000000);
    CHECK_EQ(time_of("50us"), 50000);
    CHECK_EQ(time_of("7ns"), 7);
    CHECK_EQ(time_of("5min"), 300000000000);
    CHECK_EQ(time_of("1h"), 3600000000000);
}

TEST(rates_are_bits_a_second) {
    uint64_t rate = 0;

    CHECK(units_parse_rate("10M", &rate) == NULL);
    CHECK_EQ(rate, 10000000);
    CHECK(units_parse_rate("19.5Mbit/s", &rate) == NULL);
    CHECK_EQ(rate, 19500000);
    CHECK(units_parse_rate("500k", &rate) == NULL);
    CHECK_EQ(rate, 500000);
    CHECK(refused(units_parse_rate, "10MiB"));
}

TEST(junk_is_refused) {
    static const char *const junk[] = {
        "",
        " ",
        "M",
        "x10",
        "10x",
        "10 M",
        " 10",
        "10M ",
        "+1",
        "-1",
        "1.",
        ".5",
        "1..5",
        "1.5.",
        "1e6",
        "nan",
        "inf",
        "0x10",
        "10MM",
        "1,5k",
        "--",
        "1m",
        "99999999999999999999",
    };

    for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++) {
        CHECK(refused(units_parse_size, junk[i]));
    }
    CHECK(refused(units_parse_time, "3 s"));
    CHECK(refused(units_parse_time, "3M"));
    CHECK(refused(units_parse_time, "3m"));
}

TEST(overflow_is_refused_at_its_edge) {
    CHECK_EQ(size_of("18446744073709551609"), UINT64_C(18446744073709551609));
    CHECK(refused(units_parse_size, "18446744073709551616"));
    CHECK_EQ(size_of("16777215TiB"), UINT64_C(16777215) << 40);
    CHECK(refused(units_parse_size, "16777216TiB"));
    CHECK(refused(units_parse_time, "99999999h"));
}

TEST(negative_numbers_are_named_as_such) {
    uint64_t value = 0;

    CHECK(strstr(units_parse_size("-5", &value), "negative") != NULL);
    CHECK(strstr(units_parse_count("-5", &value), "negative") != NULL);
}

TEST(counts_are_decimal_or_hexadecimal) {
    uint64_t value = 0;

    CHECK(units_parse_count("42", &value) == NULL);
    CHECK_EQ(value, 42);
    CHECK(units_parse_count("0xA11142", &value) == NULL);
    CHECK_EQ(value, 0xA11142);
    CHECK(units_parse_count("0", &value) == NULL);
    CHECK_EQ(value, 0);
    CHECK(refused(units_parse_count, ""));
    CHECK(refused(units_parse_count, "0x"));
    CHECK(refused(units_parse_count, "0xg"));
    CHECK(refused(units_parse_count, "12a"));
    CHECK(refused(units_parse_count, "1.0"));
    CHECK(refused(units_parse_count, "99999999999999999999"));
}

TEST(reals_have_no_sign_and_no_exponent) {
    double value = 0;

    CHECK(units_parse_real("37.5", &value) == NULL);
    CHECK(value == 37.5);
    CHECK(units_parse_real("1e3", &value) != NULL);
    CHECK(units_parse_real("-1", &value) != NULL);
    CHECK(units_parse_real("", &value) != NULL);
}

TEST(texts_have_three_figures_and_decimal_units) {
    char text[UNITS_TEXT_SIZE];

    CHECK_TEXT(units_format_size(text, 0), "0 B");
    CHECK_TEXT(units_format_size(text, 999), "999 B");
    CHECK_TEXT(units_format_size(text, 1000), "1.00 kB");
    CHECK_TEXT(units_format_size(text, 67108864), "67.1 MB");
    CHECK_TEXT(units_format_size(text, 999999), "1.00 MB");
    CHECK_TEXT(units_format_rate(text, 19.5e6), "19.5 Mbit/s");
    CHECK_TEXT(units_format_rate(text, 0), "0.00 bit/s");
    CHECK_TEXT(units_format_time(text, 0), "0 s");
    CHECK_TEXT(units_format_time(text, 3200000000), "3.20 s");
    CHECK_TEXT(units_format_time(text, 366500), "366 us");
    CHECK_TEXT(units_format_time(text, UINT64_C(3661) * 1000000000), "1:01:01");
}

TEST_MAIN(
    CASE(sizes_know_decimal_and_binary_units),
    CASE(decimals_are_exact_or_refused),
    CASE(times_are_nanoseconds_and_bare_numbers_are_seconds),
    CASE(rates_are_bits_a_second),
    CASE(junk_is_refused),
    CASE(overflow_is_refused_at_its_edge),
    CASE(negative_numbers_are_named_as_such),
    CASE(counts_are_decimal_or_hexadecimal),
    CASE(reals_have_no_sign_and_no_exponent),
    CASE(texts_have_three_figures_and_decimal_units))
