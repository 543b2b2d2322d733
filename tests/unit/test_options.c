// SPDX-License-Identifier: MIT
// Options: one table gives values, errors that help, and the help text.
#include "common/options.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

struct values {
    bool flag;
    bool given;
    const char *text;
    const char *output;
    uint64_t count;
    double real;
    uint64_t size_bytes;
    uint64_t time_ns;
    uint64_t rate_bps;
    int choice;
};

static const char *const choices[] = {"none", "performance", "aggressive", NULL};

static const struct option_row rows[] = {
    {"flag", OPTION_FLAG, NULL, "a flag", .at = OPTION_AT(struct values, flag)},
    {"text",
     OPTION_TEXT,
     "FILE",
     "a text",
     .at = OPTION_AT(struct values, text),
     .given = OPTION_AT(struct values, given)},
    {"json",
     OPTION_TEXT_OR_DASH,
     "FILE",
     "a file or stdout",
     .at = OPTION_AT(struct values, output)},
    {.kind = OPTION_HEADING, .help = "Numbers"},
    {"count",
     OPTION_COUNT,
     "N",
     "a count",
     .at = OPTION_AT(struct values, count),
     .min = 1,
     .max = 20},
    {"real", OPTION_REAL, "P", "a share", .at = OPTION_AT(struct values, real), .max = 1},
    {"size", OPTION_SIZE, "N", "a size", .at = OPTION_AT(struct values, size_bytes), .min = 1000},
    {"time", OPTION_TIME, "T", "a time", .at = OPTION_AT(struct values, time_ns)},
    {"rate", OPTION_RATE, "R", "a rate", .at = OPTION_AT(struct values, rate_bps)},
    {"pm",
     OPTION_CHOICE,
     "MODE",
     "one of a few",
     .at = OPTION_AT(struct values, choice),
     .choices = choices},
    {"secret",
     OPTION_FLAG,
     NULL,
     "not shown",
     .at = OPTION_AT(struct values, flag),
     .hidden = true},
};

static const struct options_spec spec = {
    .command = "coradio try",
    .usage = "[--option ...]",
    .summary = "Tries the options.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .epilogue = "Exit codes: 0 done.",
};

static char caught[8192];

// Runs the parser over a line of words, with stdout or stderr caught in `caught`.
static int parse(int stream, const char *line, struct values *values) {
    char words[512];
    char *argv[32] = {(char[]){"try"}};
    int argc = 1;
    FILE *file = tmpfile();

    CHECK(file != NULL);
    snprintf(words, sizeof(words), "%s", line);
    for (char *at = words; *at != '\0' && argc < 32;) {
        size_t length = strcspn(at, " ");
        bool more = at[length] == ' ';

        at[length] = '\0';
        argv[argc++] = at;
        at += length + (more ? 1 : 0);
    }
    fflush(stdout);
    int kept = dup(stream);
    dup2(fileno(file), stream);
    int code = options_parse(&spec, argc, argv, values);
    fflush(stdout);
    dup2(kept, stream);
    close(kept);
    rewind(file);
    caught[fread(caught, 1, sizeof(caught) - 1, file)] = '\0';
    fclose(file);
    return code;
}

static struct values good(const char *line) {
    struct values values = {.count = 7, .output = "none"};

    CHECK_EQ(parse(STDERR_FILENO, line, &values), OPTIONS_GO_ON);
    CHECK_TEXT(caught, "");
    return values;
}

// The one line that a mistake makes must contain the phrase; the exit code is 2.
static void bad(const char *line, const char *phrase) {
    struct values values = {0};

    CHECK_EQ(parse(STDERR_FILENO, line, &values), 2);
    if (strstr(caught, phrase) == NULL) {
        printf("  got: %s", caught);
    }
    CHECK(strstr(caught, phrase) != NULL);
    CHECK(strncmp(caught, "coradio try: ", 13) == 0);
    CHECK(strchr(caught, '\n') == caught + strlen(caught) - 1);
}

TEST(values_come_after_equals_or_as_next_word) {
    struct values values = good("--text=a --count 3 --real=0.5 --size=64MiB --time 200ms "
                                "--rate=10M --pm aggressive --flag");

    CHECK_TEXT(values.text, "a");
    CHECK(values.given);
    CHECK_EQ(values.count, 3);
    CHECK(values.real == 0.5);
    CHECK_EQ(values.size_bytes, 67108864);
    CHECK_EQ(values.time_ns, 200000000);
    CHECK_EQ(values.rate_bps, 10000000);
    CHECK_EQ(values.choice, 2);
    CHECK(values.flag);
}

TEST(defaults_stay_when_nothing_is_given) {
    struct values values = good("");

    CHECK_EQ(values.count, 7);
    CHECK(!values.flag);
    CHECK(!values.given);
    CHECK(values.text == NULL);
    CHECK_TEXT(values.output, "none");
}

TEST(a_value_may_contain_equals_and_dashes) {
    CHECK_TEXT(good("--text=a=b").text, "a=b");
    CHECK_TEXT(good("--text -x").text, "-x");
    CHECK_TEXT(good("--text=-").text, "-");
}

TEST(a_dash_may_be_left_out) {
    CHECK_TEXT(good("--json").output, "-");
    CHECK_TEXT(good("--json -").output, "-");
    CHECK_TEXT(good("--json f").output, "f");
    CHECK_TEXT(good("--json=f").output, "f");
    struct values values = good("--json --flag");
    CHECK_TEXT(values.output, "-");
    CHECK(values.flag);
}

TEST(flags_take_yes_and_no_only) {
    CHECK(!good("--flag --flag=no").flag);
    CHECK(good("--flag=yes").flag);
    bad("--flag=3", "--flag takes no value");
}

TEST(two_dashes_end_the_options) {
    good("--flag --");
    bad("-- --flag", "'--flag' is no option");
    bad("file", "'file' is no option");
}

TEST(unknown_options_get_a_suggestion) {
    bad("--cuont 3", "did you mean '--count'?");
    bad("--unheard-of", "coradio try --help lists all");
    bad("--unheard-of=3", "unknown option '--unheard-of'");
    bad("--coun=3", "unknown option '--coun'");
    bad("-c", "two dashes");
}

TEST(bad_values_say_what_to_give) {
    bad("--count", "--count needs a value: --count N");
    bad("--count=0", "give 1 to 20");
    bad("--count=21", "give 1 to 20");
    bad("--count=x", "'x' is no whole number");
    bad("--count=-1", "negative");
    bad("--real=1.5", "give 0 to 1");
    bad("--real=zero", "is no number");
    bad("--size=999", "give 1000 or more");
    bad("--size=1X", "KiB MiB GiB");
    bad("--time=3x", "us, ms, s");
    bad("--rate=M", "is no number");
    bad("--pm=some", "none, performance, aggressive");
    bad("--text=", "give FILE");
}

TEST(help_lists_every_option_and_goes_to_stdout) {
    struct values values = {0};

    CHECK_EQ(parse(STDOUT_FILENO, "--help --nonsense", &values), 0);
    CHECK(strstr(caught, "Usage: coradio try [--option ...]") == caught);
    for (size_t i = 0; i < spec.count; i++) {
        char name[32];

        snprintf(name, sizeof(name), "--%s", rows[i].name == NULL ? "help" : rows[i].name);
        CHECK((strstr(caught, name) != NULL) == !rows[i].hidden);
    }
    CHECK(strstr(caught, "Numbers:") != NULL);
    CHECK(strstr(caught, "Exit codes: 0 done.") != NULL);
}

TEST(the_last_of_two_equal_options_wins) {
    CHECK_EQ(good("--count 3 --count 4").count, 4);
}

TEST_MAIN(
    CASE(values_come_after_equals_or_as_next_word),
    CASE(defaults_stay_when_nothing_is_given),
    CASE(a_value_may_contain_equals_and_dashes),
    CASE(a_dash_may_be_left_out),
    CASE(flags_take_yes_and_no_only),
    CASE(two_dashes_end_the_options),
    CASE(unknown_options_get_a_suggestion),
    CASE(bad_values_say_what_to_give),
    CASE(help_lists_every_option_and_goes_to_stdout),
    CASE(the_last_of_two_equal_options_wins))
