// SPDX-License-Identifier: MIT
// Fuzz: two of our stacks and a hostile network between them. Each byte of the input is a step:
// write, pull, deliver, drop, double, damage, reorder, forge, wait, close.
//
// Both ends connect, to each other's port as the network translates it: the open is simultaneous.
// Laws: what arrives is what was sent, in order; the books balance; a poll never asks to be called
// at a time that has come; an offered window never shrinks. If nothing was forged or aborted, the
// network then heals, and everything must arrive.
#include "fuzz.h"
#include "net/tcp_parts.h"

#include <stdbool.h>
#include <string.h>

#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/net.h"
#include "coradio/tcp.h"

#define MSS        256u
#define RING_BYTES 2048u
#define SEGMENTS   12u
#define QUEUE      16u
#define KNOWN_PORT 5001u
#define HEAL_US    600000000ULL
#define IP         14u
#define TCP        34u

struct wire_frame {
    uint8_t bytes[TCP + 20 + MSS + 64];
    uint32_t size;
    bool damaged;
};

struct side {
    struct cor_net net;
    struct cor_tcp tcp;
    struct cor_tcp_segment segments[SEGMENTS];
    uint32_t ring[RING_BYTES / 4];
    uint32_t address;
    struct side *other;
    uint32_t written;
    uint32_t received;
    bool closed;
    // On their way to the other side.
    struct wire_frame queue[QUEUE];
    uint32_t count;
    uint32_t held[QUEUE];  // tokens not yet given back
    uint32_t held_count;
    uint32_t edge;  // right edge offered, in unscaled frames
    bool edge_known;
    uint8_t shift;
    uint32_t seq;  // last seen
    uint32_t ack;
};

struct world {
    struct side sides[2];
    uint64_t now_us;
    bool forged;  // the data may end early
    bool aborted;
};

static uint8_t pattern(uint32_t address, uint32_t n) {
    return (uint8_t)(n * 7 + (n >> 8) * 13 + address);
}

static void receive(void *context, const uint8_t *data, uint32_t size) {
    struct side *side = context;

    for (uint32_t i = 0; i < size; i++) {
        FUZZ_CHECK(data[i] == pattern(side->other->address, side->received + i));
    }
    side->received += size;
    FUZZ_CHECK(side->received <= side->other->written);
}

// ---- laws

static void check_books(const struct side *side) {
    const struct cor_tcp *tcp = &side->tcp;
    uint32_t pipe = 0;
    uint32_t lost = 0;
    uint32_t queued = 0;

    FUZZ_CHECK(tcp->used_bytes <= tcp->config.ring_bytes);
    FUZZ_CHECK(tcp->head_bytes < tcp->config.ring_bytes || tcp->config.ring_bytes == 0);
    if (tcp->state == COR_TCP_CLOSED || tcp->state == COR_TCP_TIME_WAIT) {
        return;
    }
    FUZZ_CHECK(cor_tcp_segments_used(tcp) <= tcp->config.segment_count);
    for (uint32_t i = 0; i < tcp->flight_count; i++) {
        const struct cor_tcp_segment *g = &tcp->config.segments[cor_tcp_index(tcp, tcp->una, i)];

        pipe += (g->flags & COR_TCP_SEGMENT_PIPE) != 0 ? g->size_bytes : 0;
        lost += (g->flags & COR_TCP_SEGMENT_LOST) != 0;
    }
    for (uint32_t i = 0; i < tcp->config.segment_count; i++) {
        queued += tcp->config.segments[i].queued;
    }
    FUZZ_CHECK(tcp->pipe_bytes == pipe && tcp->doubt.lost_count == lost);
    FUZZ_CHECK(tcp->departed_bytes <= tcp->pipe_bytes && tcp->queued_count == queued);
    FUZZ_CHECK(!cor_seq_before(tcp->snd_max, tcp->snd_una));
    FUZZ_CHECK(!cor_seq_before(tcp->snd_end, tcp->snd_una) || cor_tcp_is_opening(tcp));
}

// Polls until it asks for a later time; it must do so soon.
static void poll(struct world *world, struct side *side) {
    for (uint32_t turn = 0; cor_net_poll(&side->net, world->now_us) <= world->now_us; turn++) {
        FUZZ_CHECK(turn < 4);
    }
}

// ---- the network

static void put_sum(uint8_t *frame, uint32_t size) {
    uint8_t *ip = frame + IP;
    uint8_t *tcp = frame + TCP;
    uint32_t bytes = size - TCP;

    cor_put_be16(tcp + COR_TCP_CHECKSUM, 0);
    uint32_t sum = cor_ipv4_pseudo_sum(
        cor_get_be32(ip + COR_IPV4_FROM), cor_get_be32(ip + COR_IPV4_TO), COR_IPV4_TCP, bytes);
    cor_put_be16(tcp + COR_TCP_CHECKSUM, (uint16_t)~cor_sum_fold(sum + cor_sum_bytes(tcp, bytes)));
}

static void check_window(struct side *side, const uint8_t *tcp) {
    bool syn = (tcp[COR_TCP_FLAGS] & COR_TCP_SYN) != 0;
    bool ack = (tcp[COR_TCP_FLAGS] & COR_TCP_ACK) != 0;
    uint32_t shift = syn || !side->other->edge_known ? 0 : side->shift;
    uint32_t window = (uint32_t)cor_get_be16(tcp + COR_TCP_WINDOW) << shift;
    uint32_t edge = cor_get_be32(tcp + COR_TCP_ACKED) + window;

    side->seq = cor_get_be32(tcp + COR_TCP_SEQ);
    if (!ack || syn || (tcp[COR_TCP_FLAGS] & COR_TCP_RST) != 0) {
        return;
    }
    side->ack = cor_get_be32(tcp + COR_TCP_ACKED);
    // A scaled window is rounded down by less than one step of the scale.
    FUZZ_CHECK(!side->edge_known || !cor_seq_before(edge + (1U << side->shift), side->edge));
    side->edge = edge;
    side->edge_known = true;
}

static void find_shift(struct side *side, const uint8_t *tcp) {
    uint32_t end = (uint32_t)(tcp[COR_TCP_OFFSET] >> 4) * 4;

    if ((tcp[COR_TCP_FLAGS] & COR_TCP_SYN) == 0) {
        return;
    }
    side->edge_known = false;
    for (uint32_t at = 20; at < end; at += tcp[at] <= 1 ? 1 : tcp[at + 1]) {
        if (tcp[at] == 3) {
            side->shift = tcp[at + 2];
        }
    }
}

// What the other side sees: the ports it knows.
static void translate(struct side *side, struct wire_frame *frame) {
    uint8_t *tcp = frame->bytes + TCP;

    if (cor_get_be16(frame->bytes + 12) != 0x0800) {
        return;
    }
    FUZZ_CHECK(frame->size >= TCP + 20 && frame->bytes[IP + COR_IPV4_PROTOCOL] == COR_IPV4_TCP);
    FUZZ_CHECK(cor_get_be16(frame->bytes + IP + COR_IPV4_LENGTH) == frame->size - IP);
    find_shift(side, tcp);
    check_window(side, tcp);
    cor_put_be16(tcp, KNOWN_PORT);
    cor_put_be16(tcp + 2, side->other->tcp.socket.local_port);
    put_sum(frame->bytes, frame->size);
}

static bool pull(struct world *world, struct side *side) {
    static uint32_t room[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
    struct cor_frame_source *source = cor_net_frames(&side->net);
    struct cor_frame_tx tx = {
        .head = (uint8_t *)room + 2,
        .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX,
    };

    if (side->count == QUEUE || side->held_count == QUEUE ||
        source->ops->pull(source, world->now_us, &tx) != COR_OK) {
        return false;
    }
    struct wire_frame *frame = &side->queue[side->count++];
    frame->damaged = false;
    frame->size = tx.head_bytes;
    memcpy(frame->bytes, tx.head, tx.head_bytes);
    for (uint32_t i = 0; i < tx.piece_count; i++) {
        FUZZ_CHECK((uintptr_t)tx.pieces[i].data % 4 == 0);
        FUZZ_CHECK(frame->size + tx.pieces[i].size_bytes <= sizeof(frame->bytes));
        memcpy(frame->bytes + frame->size, tx.pieces[i].data, tx.pieces[i].size_bytes);
        frame->size += tx.pieces[i].size_bytes;
    }
    side->held[side->held_count++] = tx.token;
    translate(side, frame);
    return true;
}

static void give_back(struct world *world, struct side *side) {
    struct cor_frame_source *source = cor_net_frames(&side->net);

    for (uint32_t i = 0; i < side->held_count; i++) {
        source->ops->sent(source, world->now_us, side->held[i]);
    }
    side->held_count = 0;
}

static void drop(struct side *side) {
    if (side->count > 0) {
        side->count--;
        memmove(side->queue, side->queue + 1, side->count * sizeof(side->queue[0]));
    }
}

// Into memory of just its size, so that the sanitizer sees each byte too far.
static void input(struct world *world, struct side *side, const uint8_t *bytes, uint32_t size) {
    struct cor_frame_source *source = cor_net_frames(&side->net);
    uint8_t *copy = malloc(size + 2);

    memcpy(copy + 2, bytes, size);
    (void)source->ops->input(source, world->now_us, copy + 2, size);
    free(copy);
}

static void deliver(struct world *world, struct side *side) {
    if (side->count > 0) {
        input(world, side->other, side->queue[0].bytes, side->queue[0].size);
        drop(side);
    }
}

static void twice(struct side *side) {
    if (side->count > 0 && side->count < QUEUE) {
        side->queue[side->count] = side->queue[0];
        side->count++;
    }
}

static void damage(struct side *side, uint8_t how) {
    struct wire_frame *frame = &side->queue[0];

    // One byte: the Internet checksum finds every such damage. ARP has no checksum.
    if (side->count == 0 || frame->damaged || cor_get_be16(frame->bytes + 12) != 0x0800) {
        return;
    }
    frame->damaged = true;
    frame->bytes[IP + how % (frame->size - IP)] ^= (uint8_t)(how | 1U);
}

// A segment without payload of somebody who has guessed nearly everything.
static void forge(struct world *world, struct side *to, const uint8_t *how) {
    uint8_t frame[TCP + 20] = {0};
    uint8_t *ip = frame + IP;
    uint8_t *tcp = frame + TCP;
    const struct cor_ipv4 header = {
        .from = to->other->address, .to = to->address, .protocol = COR_IPV4_TCP};

    memcpy(frame, to->net.config.mac, 6);
    memcpy(frame + 6, to->other->net.config.mac, 6);
    cor_put_be16(frame + 12, 0x0800);
    cor_ipv4_emit(&header, 20, ip);
    cor_put_be16(tcp, KNOWN_PORT);
    cor_put_be16(tcp + 2, to->tcp.socket.local_port);
    cor_put_be32(tcp + COR_TCP_SEQ, to->ack + (uint32_t)((int8_t)how[1] * (how[2] & 63)));
    cor_put_be32(tcp + COR_TCP_ACKED, to->seq + (uint32_t)((int8_t)how[3] * (how[2] >> 6)));
    tcp[COR_TCP_OFFSET] = 0x50;
    tcp[COR_TCP_FLAGS] = how[0] & 0x3F;
    cor_put_be16(tcp + COR_TCP_WINDOW, (uint16_t)(how[3] * how[1]));
    put_sum(frame, sizeof(frame));
    world->forged = true;
    input(world, to, frame, sizeof(frame));
}

// ---- the applications

static void write(struct world *world, struct side *side, uint32_t size) {
    uint8_t data[512];

    for (uint32_t i = 0; i < size; i++) {
        data[i] = pattern(side->address, side->written + i);
    }
    int32_t taken = cor_tcp_write(&side->tcp, data, size, world->now_us);
    FUZZ_CHECK(taken <= (int32_t)size);
    side->written += taken > 0 ? (uint32_t)taken : 0;
}

static void start(struct world *world) {
    memset(world, 0, sizeof(*world));
    world->now_us = 1000000000;
    for (uint32_t i = 0; i < 2; i++) {
        struct side *side = &world->sides[i];
        struct cor_net_config config = {
            .mac = {2, 0, 0, 0, 0, (uint8_t)(1 + i)},
            .address = 0x0A000001 + i,
            .netmask = 0xFFFFFF00,
            .secret = {i, 7},
        };
        struct cor_tcp_config tcp = {
            .ring = (uint8_t *)side->ring,
            .ring_bytes = RING_BYTES,
            .segments = side->segments,
            .segment_count = SEGMENTS,
            .mss_bytes = MSS,
            .receive = receive,
            .context = side,
        };

        side->address = config.address;
        side->other = &world->sides[1 - i];
        cor_net_init(&side->net, &config, world->now_us);
        cor_tcp_init(&side->tcp, &side->net, &tcp);
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct side *side = &world->sides[i];

        FUZZ_CHECK(
            cor_tcp_connect(&side->tcp, side->other->address, KNOWN_PORT, world->now_us) == COR_OK);
    }
}

// Everything that can go goes, both ways.
static void exchange(struct world *world) {
    bool any = true;

    for (uint32_t turn = 0; any; turn++) {
        FUZZ_CHECK(turn < 1000);  // they do not talk for ever without time passing
        any = false;
        for (uint32_t i = 0; i < 2; i++) {
            struct side *side = &world->sides[i];

            while (pull(world, side)) {
                any = true;
            }
            give_back(world, side);
            while (side->count > 0) {
                deliver(world, side);
                any = true;
            }
        }
    }
}

// ---- the run

static void act(struct world *world, const uint8_t *step) {
    struct side *side = &world->sides[step[0] >> 7];

    switch (step[0] & 15) {
    case 0:
        write(world, side, step[1]);
        break;
    case 1:
        write(world, side, 512);
        break;
    case 2:
    case 3:
        (void)pull(world, side);
        break;
    case 4:
    case 5:
        deliver(world, side);
        break;
    case 6:
        drop(side);
        break;
    case 7:
        twice(side);
        break;
    case 8:
        damage(side, step[1]);
        break;
    case 9:  // the first becomes the last
        if (side->count < QUEUE) {
            twice(side);
            drop(side);
        }
        break;
    case 10:
        give_back(world, side);
        break;
    case 11:
        world->now_us += 1U << (step[1] % 25);
        break;
    case 12:
        exchange(world);
        break;
    case 13:
        forge(world, side, step + 1);
        break;
    case 14:
        if (cor_tcp_close(&side->tcp, world->now_us) == COR_OK) {
            side->closed = true;
        }
        break;
    default:
        if (step[1] == 0xA5) {
            cor_tcp_abort(&side->tcp, world->now_us);
            world->aborted = true;
        }
        break;
    }
}

static bool alive(const struct world *world) {
    return !world->forged && !world->aborted && world->sides[0].tcp.error == COR_OK &&
           world->sides[1].tcp.error == COR_OK;
}

static bool complete(const struct world *world) {
    return world->sides[0].received == world->sides[1].written &&
           world->sides[1].received == world->sides[0].written;
}

// The network heals. Whatever can arrive arrives within a bound.
static void heal(struct world *world) {
    uint64_t end_us = world->now_us + HEAL_US;

    for (uint32_t turn = 0; world->now_us < end_us && alive(world) && !complete(world); turn++) {
        uint64_t next_us = end_us;

        FUZZ_CHECK(turn < 20000);
        for (uint32_t i = 0; i < 2; i++) {
            poll(world, &world->sides[i]);
        }
        exchange(world);
        for (uint32_t i = 0; i < 2; i++) {
            uint64_t at_us = cor_net_poll(&world->sides[i].net, world->now_us);

            next_us = at_us < next_us ? at_us : next_us;
            check_books(&world->sides[i]);
        }
        world->now_us = next_us > world->now_us ? next_us : world->now_us + 1;
    }
    // A side that closed before the handshake was over ends at once, and tells nobody.
    bool opened = world->sides[0].edge_known && world->sides[1].edge_known;
    FUZZ_CHECK(!alive(world) || !opened || complete(world));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct world world;

    if (size > 2000) {
        return 0;
    }
    start(&world);
    for (size_t at = 0; at + 5 <= size; at += (data[at] & 15) == 13 ? 5 : 2) {
        act(&world, data + at);
        for (uint32_t i = 0; i < 2; i++) {
            poll(&world, &world.sides[i]);
            check_books(&world.sides[i]);
        }
    }
    heal(&world);
    return 0;
}
