// SPDX-License-Identifier: MIT
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "coradio/ip4.h"

#define START_US     1000000000U
#define OUR_ADDRESS  COR_IP4(10, 0, 0, 2)
#define PEER_ADDRESS COR_IP4(10, 0, 0, 1)
#define PEER_PORT    5001
#define OUR_PORT     7777        // until a SYN tells another
#define PEER_FIRST   0xFFFFF000  // the peer's numbers wrap soon
// More polls or frames than this in one moment are a busy loop.
#define TURNS_MAX 100000

static const uint8_t our_mac[6] = {0x02, 0, 0, 0, 0, 0x02};
static const uint8_t peer_mac[6] = {0x02, 0, 0, 0, 0, 0x01};

bool world_wrong(struct world *world, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(world->wrong, sizeof(world->wrong), format, arguments);
    va_end(arguments);
    return false;
}

void world_received(struct world_end *end, const uint8_t *data, uint32_t size_bytes) {
    for (uint32_t i = 0; i < size_bytes; i++) {
        end->received_bytes++;
        end->received_wrong |= data[i] != segment_byte_in(end->received_bytes);
    }
}

static void take_payload(void *context, const uint8_t *data, uint32_t size_bytes) {
    struct world_block *block = context;

    for (uint32_t i = 0; i < SCRIPT_ENDS; i++) {
        struct world_end *end = &block->world->ends[i];

        if (end->ends.peer_port == block->tcp.socket.remote_port) {
            world_received(end, data, size_bytes);
        }
    }
}

void world_init(struct world *world) {
    memset(world, 0, sizeof(*world));
    world->start_us = START_US;
    world->net_config = (struct cor_net_config){
        .address = OUR_ADDRESS,
        .netmask = 0xFFFFFF00,
        .gateway = COR_IP4(10, 0, 0, 254),
        .secret = {0x0706050403020100, 0x0F0E0D0C0B0A0908},
    };
    memcpy(world->net_config.mac, our_mac, sizeof(our_mac));
    for (uint32_t i = 0; i < SCRIPT_ENDS; i++) {
        struct world_end *end = &world->ends[i];

        world->blocks[i].world = world;
        end->fresh = true;
        end->ends = (struct segment_ends){
            .our_address = OUR_ADDRESS,
            .peer_address = PEER_ADDRESS,
            .our_port = OUR_PORT,
            .peer_port = (uint16_t)(PEER_PORT + i),
            .irs = PEER_FIRST,
        };
        memcpy(end->ends.our_mac, our_mac, sizeof(our_mac));
        memcpy(end->ends.peer_mac, peer_mac, sizeof(peer_mac));
        end->config = (struct cor_tcp_config){
            .ring_bytes = WORLD_RING_BYTES,
            .segment_count = WORLD_SEGMENTS,
            .receive = take_payload,
        };
    }
}

// --- Settings ---

static bool set_config(struct cor_tcp_config *config, const char *name, int64_t value) {
    const struct {
        const char *name;
        uint64_t *time_us;
        uint32_t *word;
        uint16_t *half;
        uint8_t *byte;
        bool *flag;
        bool inverted;
    } keys[] = {
        {.name = "nagle", .flag = &config->nagle_off, .inverted = true},
        {.name = "rto_strict", .flag = &config->rto_strict},
        {.name = "sack", .flag = &config->sack_off, .inverted = true},
        {.name = "mss", .half = &config->mss_bytes},
        {.name = "segments", .half = &config->segment_count},
        {.name = "window", .half = &config->receive_window_bytes},
        {.name = "ring", .word = &config->ring_bytes},
        {.name = "user_timeout", .time_us = &config->user_timeout_us},
        {.name = "connect_timeout", .time_us = &config->connect_timeout_us},
        {.name = "msl", .time_us = &config->segment_lifetime_us},
        {.name = "fin_wait", .time_us = &config->fin_wait_us},
        {.name = "receive_ring", .word = &config->receive_ring_bytes},
        {.name = "ttl", .byte = &config->ttl},
        {.name = "dscp", .byte = &config->dscp},
        {.name = "keepalive", .flag = &config->keepalive},
        {.name = "keepalive_count", .half = &config->keepalive_count},
        {.name = "keepalive_idle", .time_us = &config->keepalive_idle_us},
        {.name = "keepalive_gap", .time_us = &config->keepalive_gap_us},
    };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(name, keys[i].name) != 0) {
            continue;
        }
        if (keys[i].time_us != NULL) {
            *keys[i].time_us = (uint64_t)value;
        } else if (keys[i].word != NULL) {
            *keys[i].word = (uint32_t)value;
        } else if (keys[i].half != NULL) {
            *keys[i].half = (uint16_t)value;
        } else if (keys[i].byte != NULL) {
            *keys[i].byte = (uint8_t)value;
        } else {
            *keys[i].flag = (value != 0) != keys[i].inverted;
        }
        return true;
    }
    return false;
}

bool world_set(struct world *world, uint32_t index, const char *name, int64_t value) {
    struct world_end *end = &world->ends[index];

    if (strcmp(name, "irs") == 0) {
        end->ends.irs = (uint32_t)value;
        return true;
    }
    if (strcmp(name, "port") == 0) {
        end->ends.our_port = (uint16_t)value;
        return true;
    }
    if (world->blocks[index].begun) {
        return world_wrong(world, "%s is set too late", name);
    }
    if (strcmp(name, "iss") == 0) {
        world->iss_wanted = true;
        world->iss = (uint32_t)value;
    } else if (strcmp(name, "mtu") == 0) {
        world->net_config.mtu = (uint16_t)value;
    } else if (strcmp(name, "arp") == 0) {
        world->arp_by_hand = value == 0;
    } else if (strcmp(name, "blocks") == 0) {
        world->listen_config.block_count = (uint16_t)value;
    } else if (strcmp(name, "half_open") == 0) {
        world->listen_config.half_open_max = (uint16_t)value;
    } else if (strcmp(name, "half_open_time") == 0) {
        world->listen_config.half_open_us = (uint64_t)value;
    } else if (strcmp(name, "silent") == 0) {
        world->listen_config.silent = value != 0;
    } else if (!set_config(&end->config, name, value)) {
        return world_wrong(world, "there is no setting %s", name);
    }
    return true;
}

// The clock that makes our first sequence number what the script wants: it counts in 4 us
// (RFC 9293 3.4.1), so that the right moment can be found from one number at another moment.
static void find_start(struct world *world) {
    struct world_end *end = &world->ends[0];

    if (world_begin(world, end) &&
        cor_tcp_connect(end->tcp, PEER_ADDRESS, PEER_PORT, world->now_us) == COR_OK) {
        world->start_us += 4 * (uint64_t)(world->iss - end->tcp->iss);
    }
    world->blocks[0].begun = false;
    end->tcp = NULL;
}

bool world_run(struct world *world) {
    if (world->running) {
        return true;
    }
    world->running = true;
    world->now_us = world->start_us;
    cor_net_init(&world->net, &world->net_config, world->now_us);
    if (world->iss_wanted) {
        find_start(world);
        world->now_us = world->start_us;
        cor_net_init(&world->net, &world->net_config, world->now_us);
    }
    return true;
}

static struct cor_tcp *begin_block(
    struct world *world, struct world_block *block, const struct cor_tcp_config *config) {
    struct cor_tcp_config own = *config;

    if (!block->begun) {
        own.ring = (uint8_t *)block->ring;
        own.segments = block->segments;
        own.receive_ring = own.receive_ring_bytes != 0 ? block->receive_ring : NULL;
        own.context = block;
        cor_tcp_init(&block->tcp, &world->net, &own);
        block->begun = true;
    }
    return &block->tcp;
}

bool world_begin(struct world *world, struct world_end *end) {
    if (end->tcp == NULL) {
        end->tcp = begin_block(world, &world->blocks[end - world->ends], &end->config);
    }
    return end->config.receive_ring_bytes <= WORLD_RING_BYTES ||
           world_wrong(world, "a receive ring of more than %d bytes", WORLD_RING_BYTES);
}

bool world_listen(struct world *world, struct world_end *end) {
    struct cor_tcp_listen_config *config = &world->listen_config;
    uint32_t count = 0;
    uint32_t wanted = config->block_count != 0 ? config->block_count : SCRIPT_ENDS;
    struct cor_tcp_listener other;

    for (uint32_t i = 0; i < SCRIPT_ENDS && !world->listening; i++) {
        if (!world->blocks[i].begun && count < wanted) {
            world->block_list[count++] = begin_block(world, &world->blocks[i], &end->config);
        }
        world->ends[i].ends.our_port = end->ends.our_port;
    }
    config->blocks = world->block_list;
    config->block_count = (uint16_t)count;
    config->port = end->ends.our_port;
    world->listen_status =
        cor_tcp_listen(world->listening ? &other : &world->listener, &world->net, config);
    world->listening |= world->listen_status == COR_OK;
    return true;
}

struct cor_tcp *world_tcp(struct world *world, const struct world_end *end) {
    if (end->tcp != NULL) {
        return end->tcp;
    }
    for (uint32_t i = 0; i < SCRIPT_ENDS; i++) {
        struct world_block *block = &world->blocks[i];

        if (block->begun && block->tcp.state != COR_TCP_CLOSED &&
            block->tcp.socket.remote_port == end->ends.peer_port) {
            return &block->tcp;
        }
    }
    return NULL;
}

// --- Frames ---

static void answer_arp(struct world *world, const struct world_frame *frame) {
    struct segment segment = {.kind = KIND_ARP};
    struct segment_ends ends = world->ends[0].ends;
    struct cor_frame_source *source = cor_net_frames(&world->net);
    uint32_t size;

    if (frame->bytes[21] != 1 || segment_get32(frame->bytes + 38) == OUR_ADDRESS) {
        return;
    }
    ends.peer_address = segment_get32(frame->bytes + 38);
    uint8_t *reply = segment_build(&segment, &ends, &size);
    (void)source->ops->input(source, world->now_us, reply, size);
    segment_frame_free(reply);
}

// Takes one frame from the stack. *took: there was one.
static bool take_frame(struct world *world, bool *took) {
    static uint32_t room[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
    struct cor_frame_source *source = cor_net_frames(&world->net);
    struct cor_frame_tx tx = {
        .head = (uint8_t *)room + 2,
        .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX,
    };

    *took = !world->radio_busy && source->ops->pull(source, world->now_us, &tx) == COR_OK;
    if (!*took) {
        return true;
    }
    if (world->count == WORLD_FRAMES) {
        return world_wrong(world, "more than %d frames that no line expects", WORLD_FRAMES);
    }
    struct world_frame *frame = &world->frames[(world->first + world->count) % WORLD_FRAMES];
    frame->at_us = world->now_us;
    frame->size_bytes = tx.head_bytes;
    memcpy(frame->bytes, tx.head, tx.head_bytes);
    for (uint32_t i = 0; i < tx.piece_count; i++) {
        if (frame->size_bytes + tx.pieces[i].size_bytes > COR_FRAME_BYTES_MAX) {
            return world_wrong(world, "a frame longer than %d bytes", COR_FRAME_BYTES_MAX);
        }
        memcpy(frame->bytes + frame->size_bytes, tx.pieces[i].data, tx.pieces[i].size_bytes);
        frame->size_bytes += tx.pieces[i].size_bytes;
    }
    source->ops->sent(source, world->now_us, tx.token);
    if (!world->arp_by_hand && segment_get16(frame->bytes + 12) == 0x0806) {
        answer_arp(world, frame);
        return true;
    }
    world->count++;
    return true;
}

bool world_settle(struct world *world) {
    bool took = true;

    (void)cor_net_poll(&world->net, world->now_us);
    for (uint32_t turn = 0; took; turn++) {
        if (turn == TURNS_MAX) {
            return world_wrong(world, "frames without end in one moment");
        }
        if (!take_frame(world, &took)) {
            return false;
        }
    }
    return true;
}

bool world_advance(struct world *world, uint64_t to_us, bool until_frame) {
    uint32_t turns = 0;

    if (!world_settle(world)) {
        return false;
    }
    while (!until_frame || world->count == 0) {
        uint64_t due_us = cor_net_poll(&world->net, world->now_us);

        if (due_us > to_us) {
            world->now_us = to_us;
            return world_settle(world);
        }
        turns = due_us > world->now_us ? 0 : turns + 1;
        if (turns > TURNS_MAX) {
            return world_wrong(world, "a deadline that does not pass");
        }
        world->now_us = due_us > world->now_us ? due_us : world->now_us;
        if (!world_settle(world)) {
            return false;
        }
    }
    return true;
}

bool world_give(struct world *world, const struct world_end *end, const struct segment *segment) {
    struct cor_frame_source *source = cor_net_frames(&world->net);
    struct segment copy = *segment;
    uint32_t size;

    if ((copy.given & FIELD_TIMES) != 0 && (copy.given & FIELD_ECHO) == 0) {
        copy.time_echo = end->time_value;
    }
    uint8_t *frame = segment_build(&copy, &end->ends, &size);
    (void)source->ops->input(source, world->now_us, frame, size);
    segment_frame_free(frame);
    return world_settle(world);
}

struct world_frame *world_oldest(struct world *world) {
    return world->count != 0 ? &world->frames[world->first] : NULL;
}

void world_drop_oldest(struct world *world) {
    world->first = (world->first + 1) % WORLD_FRAMES;
    world->count--;
}

struct world_end *world_end_of(struct world *world, const struct world_frame *frame) {
    if (frame->size_bytes < 54 || segment_get16(frame->bytes + 12) != 0x0800) {
        return NULL;
    }
    for (uint32_t i = 0; i < SCRIPT_ENDS; i++) {
        if (segment_get16(frame->bytes + 36) == world->ends[i].ends.peer_port) {
            return &world->ends[i];
        }
    }
    return NULL;
}

const char *world_parse(
    struct world_end *end, const struct world_frame *frame, struct segment *segment) {
    const uint8_t *tcp = frame->bytes + 34;

    if (end->fresh && frame->size_bytes >= 54 && (tcp[13] & FLAG_SYN) != 0) {
        end->fresh = false;
        end->ends.our_port = (uint16_t)segment_get16(tcp);
        end->ends.iss = segment_get32(tcp + 4);
    }
    const char *wrong = segment_parse(segment, &end->ends, frame->bytes, frame->size_bytes);
    if (wrong == NULL && (segment->given & FIELD_TIMES) != 0) {
        end->time_value = segment->time_value;
    }
    return wrong;
}
