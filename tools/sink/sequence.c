// SPDX-License-Identifier: MIT
#include "sequence.h"

#include <string.h>

void sink_sequence_init(struct sink_sequence *sequence, uint64_t first) {
    memset(sequence, 0, sizeof(*sequence));
    sequence->first = first;
    sequence->next = first;
}

static uint64_t *word_of(struct sink_sequence *sequence, uint64_t at) {
    return &sequence->seen[at % SINK_SEQUENCE_WINDOW / 64];
}

static uint64_t bit_of(uint64_t at) {
    return UINT64_C(1) << (at % 64);
}

// The 64-bit place of a 32-bit number nearest to `next`; negative when before the very first.
static int64_t place_of(const struct sink_sequence *sequence, uint32_t number) {
    int32_t ahead = (int32_t)(number - (uint32_t)sequence->next);

    return (int64_t)sequence->next + ahead;
}

// Moves the window so that it ends with `at`, forgetting the marks of the numbers it now covers.
static void advance(struct sink_sequence *sequence, uint64_t at) {
    if (at - sequence->next >= SINK_SEQUENCE_WINDOW) {
        memset(sequence->seen, 0, sizeof(sequence->seen));
    } else {
        for (uint64_t each = sequence->next; each <= at; each++) {
            *word_of(sequence, each) &= ~bit_of(each);
        }
    }
    sequence->next = at + 1;
}

bool sink_sequence_add(struct sink_sequence *sequence, uint32_t number) {
    int64_t place = place_of(sequence, number);

    if (place < (int64_t)sequence->first ||
        (uint64_t)place + SINK_SEQUENCE_WINDOW < sequence->next) {
        sequence->too_late++;
        return false;
    }
    uint64_t at = (uint64_t)place;
    if (at >= sequence->next) {
        advance(sequence, at);
    } else if ((*word_of(sequence, at) & bit_of(at)) != 0) {
        sequence->duplicates++;
        return false;
    } else {
        sequence->reordered++;
    }
    *word_of(sequence, at) |= bit_of(at);
    sequence->unique++;
    return true;
}

void sink_sequence_last(struct sink_sequence *sequence, uint32_t number) {
    int64_t place = place_of(sequence, number);

    if (sequence->last_seen || place < (int64_t)sequence->next) {
        return;
    }
    sequence->last_seen = true;
    sequence->sent = (uint64_t)place;
}

uint64_t sink_sequence_expected(const struct sink_sequence *sequence) {
    uint64_t end = sequence->next;

    if (sequence->last_seen && sequence->sent > end) {
        end = sequence->sent;
    }
    return end - sequence->first;
}

uint64_t sink_sequence_lost(const struct sink_sequence *sequence) {
    return sink_sequence_expected(sequence) - sequence->unique;
}
