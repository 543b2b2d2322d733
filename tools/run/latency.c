// SPDX-License-Identifier: MIT
#include "latency.h"

#include <stdlib.h>

void latency_free(struct latency *latency) {
    free(latency->samples_us);
    latency->samples_us = NULL;
}

void latency_add(struct latency *latency, uint64_t sample_us) {
    if (latency->count == LATENCY_SAMPLES_MAX) {
        return;
    }
    if (latency->count == latency->room) {
        uint32_t room = latency->room == 0 ? 256 : latency->room * 2;
        uint32_t *grown = realloc(latency->samples_us, room * sizeof(*grown));

        if (grown == NULL) {
            return;
        }
        latency->samples_us = grown;
        latency->room = room;
    }
    latency->samples_us[latency->count++] =
        sample_us > UINT32_MAX ? UINT32_MAX : (uint32_t)sample_us;
    latency->sum_us += sample_us;
}

uint64_t latency_mean(const struct latency *latency) {
    return latency->count == 0 ? 0 : latency->sum_us / latency->count;
}

static int compare(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

// Nearest rank: the smallest sample that at least this share of all does not exceed.
uint64_t latency_quantile(struct latency *latency, double share) {
    double rank = share * latency->count;
    uint32_t index;

    if (latency->count == 0) {
        return 0;
    }
    qsort(latency->samples_us, latency->count, sizeof(*latency->samples_us), compare);
    index = (uint32_t)rank;
    if ((double)index < rank) {
        index++;
    }
    index = index == 0 ? 0 : index - 1;
    return latency->samples_us[index < latency->count ? index : latency->count - 1];
}

void latency_given(struct latency *latency, uint64_t given, uint64_t now_us) {
    if (!latency->following) {
        latency->following = true;
        latency->follow_at = given;
        latency->follow_since_us = now_us;
    }
}

void latency_received(struct latency *latency, uint64_t received, uint64_t now_us) {
    if (latency->following && received >= latency->follow_at) {
        latency->following = false;
        latency_add(latency, now_us - latency->follow_since_us);
    }
}
