// SPDX-License-Identifier: MIT
// What the application does and sees.
#include "play.h"

#include <stdio.h>
#include <string.h>

#include "coradio/status.h"

// --- Results ---

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

bool play_connect(struct play *play) {
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
    return check_status(play, cor_tcp_connect(end->tcp, address, port, play->world->now_us));
}

static bool step_write(struct play *play) {
    static uint8_t data[1 << 20];
    struct world_end *end = play->end;
    uint32_t size = (uint32_t)play->step->value;

    if (size > sizeof(data)) {
        return world_wrong(play->world, "more than %zu bytes at once", sizeof(data));
    }
    for (uint32_t i = 0; i < size; i++) {
        data[i] = segment_byte_out(end->written_bytes + 1 + i);
    }
    int32_t taken = cor_tcp_write(end->tcp, data, size, play->world->now_us);
    end->written_bytes += taken > 0 ? (uint32_t)taken : 0;
    return check_amount(play, taken, size);
}

static bool step_received(struct play *play) {
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

// Before it is accepted, a connection is found by its ends; a port that listens has the state
// LISTEN until then.
static bool step_state(struct play *play) {
    const struct cor_tcp *tcp = world_tcp(play->world, play->end);
    const char *name = play->world->listening ? "listen" : "closed";
    char upper[SCRIPT_WORD_BYTES] = "";

    if (tcp != NULL) {
        name = cor_tcp_state_name(cor_tcp_state(tcp));
    }
    for (size_t i = 0; name[i] != 0 && i + 1 < sizeof(upper); i++) {
        upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i]);
        upper[i + 1] = 0;
    }
    return strcmp(upper, play->step->word) == 0 ||
           world_wrong(play->world, "state is %s, expected %s", upper, play->step->word);
}

static bool step_error(struct play *play) {
    const char *name = cor_status_name(cor_tcp_error(play->end->tcp)) + strlen("COR_");

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

static bool step_check(struct play *play) {
    const struct cor_tcp *tcp = world_tcp(play->world, play->end);
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
        {"readable", cor_tcp_readable_bytes},
        {"urgent", cor_tcp_urgent_bytes},
    };

    if (tcp == NULL) {
        return world_wrong(play->world, "there is no connection");
    }
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(play->step->word, values[i].name) == 0) {
            return in_range(play, values[i].get(tcp));
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

static bool step_counter(struct play *play) {
    const char *name = play->step->word;
    uint32_t count;
    uint32_t index;
    const struct cor_counter_info *list = cor_tcp_counter_list(&count);

    const struct cor_tcp *tcp = world_tcp(play->world, play->end);
    if (tcp != NULL && find_counter(name, list, count, &index)) {
        const uint64_t *values = (const uint64_t *)cor_tcp_get_counters(tcp);

        return in_range(play, values[index]);
    }
    list = cor_tcp_listen_counter_list(&count);
    if (play->world->listening && find_counter(name, list, count, &index)) {
        const struct cor_tcp_listener *listener = &play->world->listener;
        const uint64_t *values = (const uint64_t *)cor_tcp_listen_get_counters(listener);

        return in_range(play, values[index]);
    }
    list = cor_net_counter_list(&count);
    if (find_counter(name, list, count, &index)) {
        const uint64_t *values = (const uint64_t *)cor_net_get_counters(&play->world->net);

        return in_range(play, values[index]);
    }
    return world_wrong(play->world, "there is no counter %s", name);
}

// --- Receiving ---

static bool step_read(struct play *play) {
    static uint8_t data[1 << 20];
    struct world_end *end = play->end;
    uint32_t size = (uint32_t)play->step->value;

    if (size > sizeof(data)) {
        return world_wrong(play->world, "more than %zu bytes at once", sizeof(data));
    }
    int32_t got = cor_tcp_read(end->tcp, data, size, play->world->now_us);
    if (got > 0) {
        world_received(end, data, (uint32_t)got);
    }
    return check_amount(play, got, size);
}

// "events OPENED READABLE", or "events NONE": what has happened since the last look.
static bool step_events(struct play *play) {
    static const char *const names[] = {
        "OPENED", "READABLE", "WRITABLE", "PEER_CLOSED", "URGENT", "CLOSED", "SOFT_ERROR"};
    uint32_t events = cor_tcp_take_events(play->end->tcp);
    char text[SCRIPT_WORD_BYTES] = "";

    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((events >> i & 1) != 0) {
            size_t used = strlen(text);

            snprintf(text + used, sizeof(text) - used, used == 0 ? "%s" : "+%s", names[i]);
        }
    }
    return strcmp(text[0] == 0 ? "NONE" : text, play->step->word) == 0 ||
           world_wrong(play->world, "events are %s, expected %s", text, play->step->word);
}

// --- Listening ---

static bool step_listen(struct play *play) {
    return world_listen(play->world, play->end) &&
           check_status(play, (enum cor_status)play->world->listen_status);
}

bool play_accept(struct play *play) {
    struct world_end *end = play->end;
    struct cor_tcp *tcp = cor_tcp_accept(&play->world->listener);
    bool none = play->step->has_result && strcmp(play->step->result, "NONE") == 0;

    if (none || tcp == NULL) {
        return none == (tcp == NULL) ||
               world_wrong(play->world, "accept gave %s", tcp == NULL ? "nothing" : "a connection");
    }
    end->tcp = tcp;
    end->written_bytes = 0;
    return tcp->socket.remote_port == end->ends.peer_port ||
           world_wrong(play->world, "accept gave the connection of another peer");
}

// --- All together ---

static bool connected(struct play *play) {
    return play->end->tcp != NULL || world_wrong(play->world, "there is no connection");
}

static bool step_call(struct play *play) {
    struct cor_tcp *tcp = play->end->tcp;
    uint64_t now_us = play->world->now_us;

    switch (play->step->verb) {
    case VERB_CLOSE:
        return check_status(play, cor_tcp_close(tcp, now_us));
    case VERB_FINISH:
        return check_status(play, cor_tcp_finish(tcp, now_us));
    case VERB_ABORT:
        cor_tcp_abort(tcp, now_us);
        return true;
    case VERB_GIVE:
        cor_tcp_give(tcp, now_us);
        return true;
    case VERB_WRITE:
        return step_write(play);
    case VERB_READ:
        return step_read(play);
    case VERB_EVENTS:
        return step_events(play);
    default:
        return step_error(play);
    }
}

bool play_application(struct play *play) {
    switch (play->step->verb) {
    case VERB_CONNECT:
        return play_connect(play);
    case VERB_LISTEN:
        return step_listen(play);
    case VERB_UNLISTEN:
        cor_tcp_unlisten(&play->world->listener, play->world->now_us);
        play->world->listening = false;
        return true;
    case VERB_ACCEPT:
        return play_accept(play);
    case VERB_STATE:
        return step_state(play);
    case VERB_CHECK:
        return step_check(play);
    case VERB_COUNTER:
        return step_counter(play);
    case VERB_RECEIVED:
        return step_received(play);
    case VERB_CLOSE:
    case VERB_FINISH:
    case VERB_ABORT:
    case VERB_GIVE:
    case VERB_WRITE:
    case VERB_READ:
    case VERB_EVENTS:
    case VERB_ERROR:
        return connected(play) && step_call(play);
    default:
        return play_wire(play);
    }
}
