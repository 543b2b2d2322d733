// SPDX-License-Identifier: MIT
// Transcript: what the driver does on the bus, transfer by transfer, from power to a frame each
// way.
#include "cyw43_fake.h"
#include "golden.h"

#define GOLDEN_FILE "tests/golden/cyw43_start.bus"

// Runs of equal lines but for the address ("W1 00040 64") become one, with their count.
static void squeeze(FILE *transcript, FILE *target) {
    char line[160];
    char kind[4];
    unsigned address;
    unsigned length;
    unsigned count = 0;

    rewind(transcript);
    while (fgets(line, sizeof(line), transcript) != NULL) {
        bool block = sscanf(line, "%3s %x %u", kind, &address, &length) == 3 && length == 64 &&
                     kind[1] == '1';

        if (count > 0 && (!block || address == 0)) {
            fprintf(target, "  %u blocks of 64 bytes\n", count);
            count = 0;
        }
        if (block) {
            count++;
        } else {
            fputs(line, target);
        }
    }
}

static uint32_t slurp(FILE *file, char *text, uint32_t room) {
    rewind(file);
    uint32_t bytes = (uint32_t)fread(text, 1, room - 1, file);

    text[bytes] = '\0';
    return bytes;
}

// Skips the comment of the golden file.
static const char *body(const char *text) {
    while (*text == '#') {
        const char *end = strchr(text, '\n');

        if (end == NULL) {
            break;
        }
        text = end + 1;
    }
    return text;
}

TEST(from_power_to_a_frame_each_way) {
    static char actual[32768];
    static char expected[32768];
    struct fake *fake = fake_open(4);
    FILE *squeezed = tmpfile();

    fake->transcript = tmpfile();
    CHECK(fake->transcript != NULL && squeezed != NULL);
    fake->wake_us = 0;
    fake_joined(fake);
    fake->to_send = 1;
    poll_once(fake);
    (void)fake_push_ethernet(fake, 2, 60);
    poll_once(fake);
    CHECK_EQ(fake->data_in, 1);
    CHECK_EQ(fake->input_count, 1);
    squeeze(fake->transcript, squeezed);
    (void)slurp(squeezed, actual, sizeof(actual));
    fclose(fake->transcript);
    fclose(squeezed);
    fake_close(fake);
    FILE *golden = fopen(GOLDEN_FILE, "r");

    CHECK(golden != NULL);
    (void)slurp(golden, expected, sizeof(expected));
    fclose(golden);
    if (strcmp(actual, body(expected)) != 0) {
        printf("  the transfers are not those of %s but:\n%s", GOLDEN_FILE, actual);
        CHECK(false);
    }
}

TEST_MAIN(CASE(from_power_to_a_frame_each_way))
