// SPDX-License-Identifier: MIT
#include "steps.h"

#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coradio/status.h"

// The round trip of "open".
#define OPEN_RTT_US 10000

struct play {
    struct world *world;
    const struct script_step *step;
    struct world_end *end;
};

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

// --- The application ---

// "-> RESULT" or what is usual.
static bool check_status(struct play *play, enum cor_status status) {
    const char *name = cor_status_name(status) + strlen("COR_");
    const char *wanted = play->step->has_result ? play->step->result : "OK";

    return strcmp(name, wanted) == 0 ||
           world_wrong(play->world, "returned %s, expected %s", name, wanted);
}

static bool check_amount(struct play *play, int64_t amount, int64_t usual) {
    int64_t wanted = usual;

    if (play->step->has_result && !words_number(play->step->result, &wanted)) {
        return check_status(play, amount < 0 ? (enum cor_status)amount : COR_OK);
    }
    return amount == wanted ||
           world_wrong(
               play->world, "returned %lld, expected %lld", (long long)amount, (long long)wanted);
}

static bool do_connect(struct play *play) {
    struct world_end *end = play->end;
    const struct segment *to = &play->step->segment;
    uint32_t address = (to->given & FIELD_TO) != 0 ? to->to : end->ends.peer_address;
    uint16_t port = (to->given & FIELD_TO_PORT) != 0 ? (uint16_t)to->to_port : end->ends.peer_port;

    if (!world_begin(play->world, end)) {
        return false;
    }
    end->fresh = true;
    end->written_bytes = 0;
    end->received_bytes = 0;
    return check_status(play, cor_tcp_connect(&end->tcp, address, port, play->world->now_us));
}

static bool do_write(struct play *play) {
    static uint8_t data[1 << 20];
    struct world_end *end = play->end;
    uint32_t size = (uint32_t)play->step->value;

    if (size > sizeof(data)) {
        return world_wrong(play->world, "more than %zu bytes at once", sizeof(data));
    }
    for (uint32_t i = 0; i < size; i++) {
        data[i] = segment_byte_out(end->written_bytes + 1 + i);
    }
    int32_t taken = cor_tcp_write(&end->tcp, data, size, play->world->now_us);
    end->written_bytes += taken > 0 ? (uint32_t)taken : 0;
    return check_amount(play, taken, size);
}

static bool do_received(struct play *play) {
    const struct world_end *end = play->end;

    if (end->received_wrong) {
        return world_wrong(play->world, "the application got bytes the peer did not send there");
    }
    return end->received_bytes == play->step->value ||
           world_wrong(
               play->world,
               "the application has %u bytes, expected %lld",
               (unsigned)end->received_bytes,
               (long long)play->step->value);
}

static bool do_state(struct play *play) {
    const char *name = cor_tcp_state_name(cor_tcp_state(&play->end->tcp));
    char upper[SCRIPT_WORD_BYTES] = "";

    for (size_t i = 0; name[i] != 0 && i + 1 < sizeof(upper); i++) {
        upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i]);
        upper[i + 1] = 0;
    }
    return strcmp(upper, play->step->word) == 0 ||
           world_wrong(play->world, "state is %s, expected %s", upper, play->step->word);
}

static bool do_error(struct play *play) {
    const char *name = cor_status_name(cor_tcp_error(&play->end->tcp)) + strlen("COR_");

    return strcmp(name, play->step->word) == 0 ||
           world_wrong(play->world, "error is %s, expected %s", name, play->step->word);
}

static bool in_range(struct play *play, uint64_t value) {
    const struct script_step *step = play->step;

    if ((int64_t)value >= step->lowest && (int64_t)value <= step->value) {
        return true;
    }
    return world_wrong(
        play->world,
        "%s is %llu, expected %lld..%lld",
        step->word,
        (unsigned long long)value,
        (long long)step->lowest,
        (long long)step->value);
}

static bool do_check(struct play *play) {
    static const struct {
        const char *name;
        uint32_t (*get)(const struct cor_tcp *tcp);
    } values[] = {
        {"srtt", cor_tcp_srtt_us},
        {"rto", cor_tcp_rto_us},
        {"cwnd", cor_tcp_cwnd_bytes},
        {"ssthresh", cor_tcp_ssthresh_bytes},
        {"flight", cor_tcp_flight_bytes},
        {"pending", cor_tcp_pending_bytes},
        {"peer_window", cor_tcp_peer_window_bytes},
        {"mss", cor_tcp_mss_bytes},
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(play->step->word, values[i].name) == 0) {
            return in_range(play, values[i].get(&play->end->tcp));
        }
    }
    return world_wrong(play->world, "there is no value %s", play->step->word);
}

static bool find_counter(
    const char *name, const struct cor_counter_info *list, uint32_t count, uint32_t *index) {
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool do_counter(struct play *play) {
    const char *name = play->step->word;
    uint32_t count;
    uint32_t index;
    const struct cor_counter_info *list = cor_tcp_counter_list(&count);

    if (find_counter(name, list, count, &index)) {
        const uint64_t *values = (const uint64_t *)cor_tcp_get_counters(&play->end->tcp);

        return in_range(play, values[index]);
    }
    list = cor_net_counter_list(&count);
    if (find_counter(name, list, count, &index)) {
        const uint64_t *values = (const uint64_t *)cor_net_get_counters(&play->world->net);

        return in_range(play, values[index]);
    }
    return world_wrong(play->world, "there is no counter %s", name);
}

// --- The wire ---

static bool do_inject(struct play *play) {
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

static bool do_expect(struct play *play) {
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
static bool do_open(struct play *play) {
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
    if (!do_connect(&with_connect) || !world_settle(play->world) || !expect_one(play, &syn) ||
        !nothing_left(play->world, "one SYN was expected") ||
        !world_advance(play->world, play->world->now_us + OPEN_RTT_US, false)) {
        return false;
    }
    return world_give(play->world, play->end, &answer) && expect_one(play, &ack);
}

static bool do_radio(struct play *play) {
    const char *word = play->step->word;

    if (strcmp(word, "busy") != 0 && strcmp(word, "ready") != 0) {
        return world_wrong(play->world, "radio busy or radio ready is wanted");
    }
    play->world->radio_busy = strcmp(word, "busy") == 0;
    return true;
}

// --- All together ---

static bool do_drain(struct play *play) {
    while (play->world->count != 0) {
        world_drop_oldest(play->world);
    }
    return true;
}

static bool do_wire(struct play *play) {
    switch (play->step->verb) {
    case VERB_OPEN:
        return do_open(play);
    case VERB_INJECT:
        return do_inject(play);
    case VERB_EXPECT:
        return do_expect(play);
    case VERB_NOTHING:
        return nothing_left(play->world, "nothing was expected");
    case VERB_DRAIN:
        return do_drain(play);
    case VERB_RADIO:
        return do_radio(play);
    default:
        return true;
    }
}

static bool do_application(struct play *play) {
    struct cor_tcp *tcp = &play->end->tcp;
    uint64_t now_us = play->world->now_us;

    switch (play->step->verb) {
    case VERB_CONNECT:
        return do_connect(play);
    case VERB_WRITE:
        return do_write(play);
    case VERB_CLOSE:
        return check_status(play, cor_tcp_close(tcp, now_us));
    case VERB_ABORT:
        cor_tcp_abort(tcp, now_us);
        return true;
    case VERB_STATE:
        return do_state(play);
    case VERB_ERROR:
        return do_error(play);
    case VERB_CHECK:
        return do_check(play);
    case VERB_COUNTER:
        return do_counter(play);
    case VERB_RECEIVED:
        return do_received(play);
    default:
        return do_wire(play);
    }
}

static bool play_step(struct world *world, const struct script_step *step) {
    struct play play = {world, step, &world->ends[step->end]};

    if (step->verb == VERB_SET) {
        return world_set(world, step->end, step->word, step->value);
    }
    return world_run(world) && move_clock(&play) && do_application(&play) && world_settle(world);
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
