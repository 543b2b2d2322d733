// SPDX-License-Identifier: MIT
// One seed, one run: the logs of two runs are the same byte for byte.
#include "path.h"

#include <stdlib.h>
#include <unistd.h>

static struct path path;

struct text {
    char *bytes;
    size_t size;
};

static struct text slurp(const char *name) {
    struct text text = {0};
    FILE *file = fopen(name, "rb");

    CHECK(file != NULL);
    fseek(file, 0, SEEK_END);
    text.size = (size_t)ftell(file);
    rewind(file);
    text.bytes = malloc(text.size + 1);
    CHECK(text.bytes != NULL);
    CHECK_EQ(fread(text.bytes, 1, text.size, file), text.size);
    fclose(file);
    unlink(name);
    return text;
}

struct logs {
    struct text bus, air, pcap, power;
};

static struct logs run(const char *folder, const char *words) {
    char line[400];
    char name[4][64];
    struct logs logs;

    snprintf(name[0], sizeof(name[0]), "%s/bus", folder);
    snprintf(name[1], sizeof(name[1]), "%s/air", folder);
    snprintf(name[2], sizeof(name[2]), "%s/pcap", folder);
    snprintf(name[3], sizeof(name[3]), "%s/power", folder);
    snprintf(
        line,
        sizeof(line),
        "%s --bus-log=%s --air-log=%s --pcap=%s --power-trace=%s",
        words,
        name[0],
        name[1],
        name[2],
        name[3]);
    path_run(&path, line);
    logs.bus = slurp(name[0]);
    logs.air = slurp(name[1]);
    logs.pcap = slurp(name[2]);
    logs.power = slurp(name[3]);
    return logs;
}

static bool same(const struct text *left, const struct text *right) {
    return left->size == right->size && memcmp(left->bytes, right->bytes, left->size) == 0;
}

static void drop(struct logs *logs) {
    free(logs->bus.bytes);
    free(logs->air.bytes);
    free(logs->pcap.bytes);
    free(logs->power.bytes);
}

TEST(the_same_seed_gives_the_same_logs) {
    char folder[] = "/tmp/coradio-repeat-XXXXXX";
    struct logs first;
    struct logs second;
    struct logs other;

    CHECK(mkdtemp(folder) != NULL);
    first = run(folder, "--bytes=512KiB --loss=0.05 --path-loss=0.001 --seed=7");
    second = run(folder, "--bytes=512KiB --loss=0.05 --path-loss=0.001 --seed=7");
    other = run(folder, "--bytes=512KiB --loss=0.05 --path-loss=0.001 --seed=8");
    rmdir(folder);
    CHECK(first.bus.size > 10000 && first.air.size > 10000 && first.pcap.size > 512 * 1024);
    CHECK(first.power.size > 100);
    CHECK(same(&first.bus, &second.bus));
    CHECK(same(&first.air, &second.air));
    CHECK(same(&first.pcap, &second.pcap));
    CHECK(same(&first.power, &second.power));
    CHECK(!same(&first.air, &other.air));
    drop(&first);
    drop(&second);
    drop(&other);
}

TEST_MAIN(CASE(the_same_seed_gives_the_same_logs))
