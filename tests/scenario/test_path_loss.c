// SPDX-License-Identifier: MIT
// Where datagrams are lost: the places sum to what was sent less what was received, however much
// else is lost beside them.
#include "path.h"

static struct path path;

static uint64_t places(const struct result_loss *loss) {
    uint64_t sum = 0;

#define X(name, text) sum += loss->name;
    RESULT_LOSS_PLACES(X)
#undef X
    return sum;
}

static void all_accounted(const char *words) {
    memset(&path, 0, sizeof(path));
    path_try(&path, words);
    path_show(&path, words);
    CHECK_EQ(path.outcome.status, COR_OK);
    CHECK(!path.outcome.damaged);
    CHECK(path.result.datagrams_received < path.result.datagrams_sent);
    CHECK_EQ(
        places(&path.result.loss), path.result.datagrams_sent - path.result.datagrams_received);
    CHECK_EQ(path.result.loss.peer, 0);
    CHECK_EQ(path.result.loss.host + path.result.loss.chip, 0);
}

// ARP requests and answers and the last markers are lost too: they are no datagrams of the run.
TEST(only_datagrams_with_payload_count_as_lost_on_the_path) {
    static const char *const seeds[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    char words[96];

    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
        snprintf(
            words,
            sizeof(words),
            "--app=udp-tx --bytes=200000 --path-loss=0.3 --seed=%s",
            seeds[i]);
        all_accounted(words);
        CHECK_EQ(path.result.datagrams_sent, 138);
        CHECK_BETWEEN(path.result.loss.path, 20, 65);
        CHECK_EQ(path.result.loss.air, 0);
    }
}

TEST(only_datagrams_with_payload_count_as_lost_on_the_air) {
    all_accounted("--app=udp-tx --bytes=2000000 --loss=0.6 --seed=2");
    CHECK(path.result.loss.air > 0);
    CHECK_EQ(path.result.loss.path, 0);
}

TEST(two_places_at_once_are_told_apart) {
    all_accounted("--app=udp-tx --bytes=2000000 --loss=0.6 --path-loss=0.1 --seed=3");
    CHECK(path.result.loss.air > 0);
    CHECK(path.result.loss.path > 0);
}

TEST_MAIN(
    CASE(only_datagrams_with_payload_count_as_lost_on_the_path),
    CASE(only_datagrams_with_payload_count_as_lost_on_the_air),
    CASE(two_places_at_once_are_told_apart))
