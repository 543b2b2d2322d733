// SPDX-License-Identifier: MIT
// Test harness: one behaviour a test, named as a sentence, run in order, each able to run alone.
//
//     TEST(credit_wraps_at_256) { CHECK_EQ(left(0, 255), 1); }
//     TEST_MAIN(CASE(credit_wraps_at_256))
//
// `program NAME` runs one case. A failing check ends its case and prints the line that reruns it.
#ifndef CORADIO_TEST_H
#define CORADIO_TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct test_case {
    const char *name;
    void (*run)(void);
};

static jmp_buf test_escape;

#define TEST(name) static void name(void)
#define CASE(name)                                                                                 \
    { #name, name }

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("  %s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                     \
            longjmp(test_escape, 1);                                                               \
        }                                                                                          \
    } while (0)

// Both sides are compared and shown as long long.
#define CHECK_EQ(actual, expected)                                                                 \
    do {                                                                                           \
        long long test_actual = (long long)(actual);                                               \
        long long test_expected = (long long)(expected);                                           \
        if (test_actual != test_expected) {                                                        \
            printf(                                                                                \
                "  %s:%d: %s is %lld, expected %s = %lld\n",                                       \
                __FILE__,                                                                          \
                __LINE__,                                                                          \
                #actual,                                                                           \
                test_actual,                                                                       \
                #expected,                                                                         \
                test_expected);                                                                    \
            longjmp(test_escape, 1);                                                               \
        }                                                                                          \
    } while (0)

// lowest <= actual <= highest, as doubles.
#define CHECK_BETWEEN(actual, lowest, highest)                                                     \
    do {                                                                                           \
        double test_actual = (double)(actual);                                                     \
        if (!(test_actual >= (double)(lowest) && test_actual <= (double)(highest))) {              \
            printf(                                                                                \
                "  %s:%d: %s is %g, expected %g .. %g\n",                                          \
                __FILE__,                                                                          \
                __LINE__,                                                                          \
                #actual,                                                                           \
                test_actual,                                                                       \
                (double)(lowest),                                                                  \
                (double)(highest));                                                                \
            longjmp(test_escape, 1);                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_TEXT(actual, expected)                                                               \
    do {                                                                                           \
        const char *test_actual = (actual);                                                        \
        const char *test_expected = (expected);                                                    \
        if (test_actual == NULL || strcmp(test_actual, test_expected) != 0) {                      \
            printf(                                                                                \
                "  %s:%d: %s is \"%s\", expected \"%s\"\n",                                        \
                __FILE__,                                                                          \
                __LINE__,                                                                          \
                #actual,                                                                           \
                test_actual == NULL ? "(null)" : test_actual,                                      \
                test_expected);                                                                    \
            longjmp(test_escape, 1);                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_BYTES(actual, expected, size_bytes)                                                  \
    CHECK(memcmp((actual), (expected), (size_bytes)) == 0)

// On its own, so that no variable of the loop below lives across the jump.
static inline bool test_passes(void (*run)(void)) {
    if (setjmp(test_escape) != 0) {
        return false;
    }
    run();
    return true;
}

static inline int test_run(
    const char *program, const char *only, const struct test_case *cases, size_t count) {
    int passed = 0;
    int failed = 0;

    for (size_t i = 0; i < count; i++) {
        if (only != NULL && strcmp(only, cases[i].name) != 0) {
            continue;
        }
        if (test_passes(cases[i].run)) {
            printf("ok   %s\n", cases[i].name);
            passed++;
        } else {
            printf("FAIL %s\n     rerun: %s %s\n", cases[i].name, program, cases[i].name);
            failed++;
        }
        fflush(stdout);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0 || passed == 0;
}

#define TEST_MAIN(...)                                                                             \
    int main(int argc, char **argv) {                                                              \
        static const struct test_case cases[] = {__VA_ARGS__};                                     \
        return test_run(                                                                           \
            argv[0], argc > 1 ? argv[1] : NULL, cases, sizeof(cases) / sizeof(cases[0]));          \
    }

#endif
