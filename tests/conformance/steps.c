// SPDX-License-Identifier: MIT
#include "steps.h"

#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The round trip of "open".
#define OPEN_RTT_US 10000

static double ms(const struct world *world, uint64_t at_us) {
    return (double)(at_us - world->start_us) / 1000.0;
}

// Says what the oldest frame is, as a script would.
static bool unexpected(struct world *world, const char *why) {
    const struct world_frame *frame = world_oldest(world);
    struct world_end *end = world_end_of(world, frame);
    char text[SEGMENT_TEXT_BYTES] = "a frame that is no segment of a connection here";
    struct segment seen;

    if (end != NULL) {
        const char *wrong = world_parse(end, frame, &seen);

        segment_text(&seen, text);
        if (wrong != NULL) {
            return world_wrong(world, "%s, and a broken rule: %s", text, wrong);
        }
    } else if (segment_get16(frame->bytes + 12) == 0x0806) {
        memcpy(text, "ARP", sizeof("ARP"));
    }
    return world_wrong(world, "%s: at %.3f ms \"%s\" was sent", why, ms(world, frame->at_us), text);
}

static bool nothing_left(struct world *world, const char *why) {
    return world->count == 0 || unexpected(world, why);
}

// --- Time ---

static bool move_clock(struct play *play) {
    struct world *world = play->world;
    const struct script_step *step = play->step;
    bool range = step->last_us != step->first_us;

    if (step->when == WHEN_NOW) {
        return true;
    }
    uint64_t base_us = step->when == WHEN_AT ? world->start_us : world->now_us;
    uint64_t first_us = base_us + step->first_us;
    if (step->verb == VERB_DRAIN && step->until) {
        while (world->now_us < first_us) {
            if (!world_advance(world, first_us, true)) {
                return false;
            }
            while (world->count != 0) {
                world_drop_oldest(world);
            }
        }
        return true;
    }
    if (first_us < world->now_us) {
        return world_wrong(world, "the time is past: it is %.3f ms", ms(world, world->now_us));
    }
    if (first_us > world->now_us &&
        (!nothing_left(world, "no line expects this") || !world_advance(world, first_us, false))) {
        return false;
    }
    const struct world_frame *frame = world_oldest(world);
    if (frame != NULL && frame->at_us < first_us) {
        return unexpected(world, "no line expects this, or it is too early");
    }
    return !range || world_advance(world, base_us + step->last_us, true);
}

// --- The wire ---

static bool step_inject(struct play *play) {
    struct segment segment = play->step->segment;

    for (uint32_t i = 0; i < segment.count; i++) {
        if (!world_give(play->world, play->end, &segment)) {
            return false;
        }
        segment.seq += segment.size_bytes;
    }
    return true;
}

static bool expect_arp(struct world *world) {
    if (segment_get16(world_oldest(world)->bytes + 12) != 0x0806) {
        return unexpected(world, "an ARP packet was expected");
    }
    world_drop_oldest(world);
    return true;
}

static bool expect_one(struct play *play, const struct segment *wanted) {
    struct world *world = play->world;
    const struct world_frame *frame = world_oldest(world);
    struct segment seen;
    char text[SEGMENT_TEXT_BYTES];

    if (frame == NULL) {
        return world_wrong(world, "nothing was sent");
    }
    if (wanted->kind == KIND_ARP) {
        return expect_arp(world);
    }
    if (world_end_of(world, frame) != play->end) {
        return unexpected(world, "not a segment of this connection");
    }
    play->end->fresh |= (wanted->given & FIELD_FRESH) != 0;
    const char *wrong = world_parse(play->end, frame, &seen);
    segment_text(&seen, text);
    if (wrong != NULL) {
        return world_wrong(world, "a broken rule: %s: \"%s\"", wrong, text);
    }
    wrong = segment_difference(wanted, &seen);
    if (wrong != NULL) {
        return world_wrong(
            world, "%s: at %.3f ms \"%s\" was sent", wrong, ms(world, frame->at_us), text);
    }
    world_drop_oldest(world);
    return true;
}

static bool step_expect(struct play *play) {
    struct segment wanted = play->step->segment;

    for (uint32_t i = 0; i < wanted.count; i++) {
        if (!expect_one(play, &wanted)) {
            return false;
        }
        wanted.seq += wanted.size_bytes;
    }
    return true;
}

// Connects to a peer with these options: the handshake of most cases.
static bool step_open(struct play *play) {
    struct segment answer = play->step->segment;
    struct segment syn = {.flags = FLAG_SYN};
    struct segment ack = {.flags = FLAG_ACK, .given = FIELD_ACK, .seq = 1, .ack = 1};

    answer.flags = FLAG_SYN | FLAG_ACK;
    answer.ack = 1;
    answer.given |= FIELD_ACK;
    // A bare number would ask for no option at all; most peers give a segment size.
    if ((answer.given & FIELD_MSS) == 0) {
        answer.given |= FIELD_MSS;
        answer.mss_bytes = 1460;
    }
    struct script_step connect = *play->step;
    connect.segment = (struct segment){0};
    struct play with_connect = {play->world, &connect, play->end};
    if (!play_connect(&with_connect) || !world_settle(play->world) || !expect_one(play, &syn) ||
        !nothing_left(play->world, "one SYN was expected") ||
        !world_advance(play->world, play->world->now_us + OPEN_RTT_US, false)) {
        return false;
    }
    return world_give(play->world, play->end, &answer) && expect_one(play, &ack);
}

static bool step_radio(struct play *play) {
    const char *word = play->step->word;

    if (strcmp(word, "busy") != 0 && strcmp(word, "ready") != 0) {
        return world_wrong(play->world, "radio busy or radio ready is wanted");
    }
    play->world->radio_busy = strcmp(word, "busy") == 0;
    return true;
}

static bool step_drain(struct play *play) {
    while (play->world->count != 0) {
        world_drop_oldest(play->world);
    }
    return true;
}

// The other way round: the peer connects with these options, and the application accepts.
static bool step_serve(struct play *play) {
    struct segment syn = play->step->segment;
    struct segment wanted = {.flags = FLAG_SYN | FLAG_ACK, .given = FIELD_ACK, .ack = 1};
    struct segment ack = {
        .flags = FLAG_ACK,
        .given = FIELD_ACK | (syn.given & FIELD_WINDOW),
        .seq = 1,
        .ack = 1,
        .window = syn.window,
    };

    syn.flags = FLAG_SYN;
    if ((syn.given & FIELD_MSS) == 0) {
        syn.given |= FIELD_MSS;
        syn.mss_bytes = 1460;
    }
    return world_give(play->world, play->end, &syn) && expect_one(play, &wanted) &&
           world_advance(play->world, play->world->now_us + OPEN_RTT_US, false) &&
           world_give(play->world, play->end, &ack) && play_accept(play);
}

bool play_wire(struct play *play) {
    switch (play->step->verb) {
    case VERB_OPEN:
        return step_open(play);
    case VERB_SERVE:
        return step_serve(play);
    case VERB_INJECT:
        return step_inject(play);
    case VERB_EXPECT:
        return step_expect(play);
    case VERB_NOTHING:
        return nothing_left(play->world, "nothing was expected");
    case VERB_DRAIN:
        return step_drain(play);
    case VERB_RADIO:
        return step_radio(play);
    default:
        return true;
    }
}

// --- All together ---

static bool play_step(struct world *world, const struct script_step *step) {
    struct play play = {world, step, &world->ends[step->end]};

    if (step->verb == VERB_SET) {
        return world_set(world, step->end, step->word, step->value);
    }
    return world_run(world) && move_clock(&play) && play_application(&play) && world_settle(world);
}

bool steps_play(const struct script *script, const struct script_case *played) {
    struct world *world = malloc(sizeof(*world));
    uint32_t line = played->line;
    bool good = true;

    if (world == NULL) {
        abort();
    }
    world_init(world);
    for (size_t i = 0; good && i < played->steps.count; i++) {
        line = played->steps.steps[i].line;
        good = play_step(world, &played->steps.steps[i]);
    }
    good = good && nothing_left(world, "the case ends, but no line expects this");
    if (!good) {
        printf("  %s:%u: %s\n", script->path, (unsigned)line, world->wrong);
    }
    free(world);
    return good;
}
