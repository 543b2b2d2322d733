// SPDX-License-Identifier: MIT
// Fuzz: any frames into a stack with a connection, a UDP socket and a ping on it. The input is a
// list of steps: a raw frame; an IPv4 packet, a segment of the connection with right checksums; a
// pull of all that goes; a wait; a write.
//
// Frames lie at each of the four offsets from a word: the contract says 2, and other offsets do
// no harm on a processor that reads them. Laws: nothing is read outside the frame, every frame that
// is pulled is well formed, a poll never asks to be called at a time that has come.
#include "fuzz.h"
#include "wire/ipv4.h"
#include "wire/tcp.h"

#include <stdbool.h>
#include <string.h>

#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/net.h"
#include "coradio/ping.h"
#include "coradio/tcp.h"
#include "coradio/udp.h"

#define OUR_ADDRESS  0x0A000002u
#define PEER_ADDRESS 0x0A000001u
#define PEER_PORT    5001u
#define RING_BYTES   4096u
#define SEGMENTS     8u
#define HELD_MAX     8u
#define IP           14u
#define TRANSPORT    34u

struct stack {
    struct cor_net net;
    struct cor_tcp tcp;
    struct cor_udp udp;
    struct cor_ping ping;
    struct cor_tcp_segment segments[SEGMENTS];
    struct cor_udp_slot slots[2];
    uint32_t ring[RING_BYTES / 4];
    uint32_t memory[2 * 64];
    uint64_t now_us;
    uint32_t offset;
    // Of the frame pulled last from the connection.
    uint32_t seq;
    uint32_t ack;
    uint32_t held[HELD_MAX];
    uint32_t held_count;
};

struct input {
    const uint8_t *at;
    size_t left;
};

static uint32_t take(struct input *input) {
    if (input->left == 0) {
        return 0;
    }
    input->left--;
    return *input->at++;
}

static uint32_t take_bytes(struct input *input, uint8_t *to, uint32_t count) {
    uint32_t most = count < input->left ? count : (uint32_t)input->left;

    if (most > 0) {
        memcpy(to, input->at, most);
    }
    input->at += most;
    input->left -= most;
    return most;
}

static void receive(void *context, const uint8_t *data, uint32_t size) {
    (void)context;
    fuzz_touch(data, size);
}

static void receive_datagram(void *context, const struct cor_udp_datagram *datagram) {
    (void)context;
    fuzz_touch(datagram->data, datagram->size_bytes);
}

static void give(struct stack *stack, const uint8_t *frame, uint32_t size) {
    struct cor_frame_source *source = cor_net_frames(&stack->net);
    uint8_t *memory = malloc(size + 4);

    memcpy(memory + stack->offset, frame, size);
    // The end of the memory is the end of the frame.
    memory = realloc(memory, stack->offset + size + (size == 0 && stack->offset == 0));
    FUZZ_CHECK(source->ops->input(source, stack->now_us, memory + stack->offset, size) <= size);
    free(memory);
}

// ---- frames

static void put_ethernet(uint8_t *frame) {
    memcpy(frame, "\2\0\0\0\0\2\2\0\0\0\0\1\x08\0", IP);
}

static void put_sum(uint8_t *frame, uint32_t at, uint32_t bytes, uint8_t protocol) {
    uint8_t *data = frame + TRANSPORT;

    if (bytes < at + 2) {
        return;
    }
    uint32_t sum = protocol == COR_IPV4_ICMP || protocol == 2
                       ? 0
                       : cor_ipv4_pseudo_sum(PEER_ADDRESS, OUR_ADDRESS, protocol, bytes);
    cor_put_be16(data + at, 0);
    cor_put_be16(data + at, (uint16_t)~cor_sum_fold(sum + cor_sum_bytes(data, bytes)));
}

static void give_packet(struct stack *stack, struct input *input) {
    static const uint8_t protocols[] = {COR_IPV4_ICMP, 2, COR_IPV4_TCP, COR_IPV4_UDP};
    static const uint8_t sum_at[] = {2, 2, COR_TCP_CHECKSUM, 6};
    uint8_t frame[TRANSPORT + 256];
    uint32_t kind = take(input);
    struct cor_ipv4 ip = {.from = PEER_ADDRESS, .to = OUR_ADDRESS, .protocol = protocols[kind & 3]};
    uint32_t size = take_bytes(input, frame + TRANSPORT, take(input));

    put_ethernet(frame);
    if ((kind & 4) != 0 && size >= 4) {  // for our sockets
        cor_put_be16(frame + TRANSPORT, PEER_PORT);
        cor_put_be16(
            frame + TRANSPORT + 2,
            (kind & 3) == 3 ? stack->udp.socket.local_port : stack->tcp.socket.local_port);
    }
    put_sum(frame, sum_at[kind & 3], size, ip.protocol);
    cor_ipv4_emit(&ip, (uint16_t)size, frame + IP);
    if ((kind & 8) != 0) {  // to a group
        memset(frame, 0xFF, 6);
    }
    if ((kind & 16) != 0) {  // a fragment
        frame[IP + COR_IPV4_FRAGMENT] = (uint8_t)((kind >> 4) & 0x2F);
        cor_put_be16(frame + IP + COR_IPV4_CHECKSUM, 0);
        uint16_t sum = cor_sum_bytes(frame + IP, COR_IPV4_BYTES);
        cor_put_be16(frame + IP + COR_IPV4_CHECKSUM, (uint16_t)~sum);
    }
    give(stack, frame, TRANSPORT + size);
}

static uint32_t near(uint32_t number, uint32_t byte) {
    static const uint32_t steps[] = {1, 3, 64, 1460, 0x01000000, 0x7FFFFFFF};

    return number + (uint32_t)((int32_t)(byte & 15) - 7) * steps[(byte >> 4) % 6];
}

static void give_segment(struct stack *stack, struct input *input) {
    uint8_t frame[TRANSPORT + 60 + 256] = {0};
    uint8_t *tcp = frame + TRANSPORT;
    struct cor_ipv4 ip = {.from = PEER_ADDRESS, .to = OUR_ADDRESS, .protocol = COR_IPV4_TCP};

    put_ethernet(frame);
    cor_put_be16(tcp, PEER_PORT);
    cor_put_be16(tcp + 2, stack->tcp.socket.local_port);
    tcp[COR_TCP_FLAGS] = (uint8_t)take(input);
    cor_put_be32(tcp + COR_TCP_SEQ, near(stack->ack, take(input)));
    cor_put_be32(tcp + COR_TCP_ACKED, near(stack->seq, take(input)));
    tcp[COR_TCP_WINDOW] = (uint8_t)take(input);
    uint32_t shape = take(input);
    uint32_t options = (shape & 7) * 4;
    uint32_t payload = shape >> 3 << (shape & 3);
    tcp[COR_TCP_OFFSET] = (uint8_t)((20 + options) << 2);
    (void)take_bytes(input, tcp + 20, options);
    // A SACK of what we have sent, in place of options that nobody would guess.
    if (options == 12 && (shape & 0x80) != 0) {
        tcp[20] = tcp[21] = 1;
        tcp[22] = 5;
        tcp[23] = 10;
        cor_put_be32(tcp + 24, near(stack->seq, tcp[24]));
        cor_put_be32(tcp + 28, near(stack->seq, tcp[28]));
    }
    uint32_t size = 20 + options + payload;
    put_sum(frame, COR_TCP_CHECKSUM, size, COR_IPV4_TCP);
    cor_ipv4_emit(&ip, (uint16_t)size, frame + IP);
    give(stack, frame, TRANSPORT + size);
}

static void give_raw(struct stack *stack, struct input *input) {
    uint8_t frame[512];
    uint32_t size = take_bytes(input, frame, take(input) << 1);

    give(stack, frame, size);
}

static void give_arp(struct stack *stack, struct input *input) {
    uint8_t frame[42];

    put_ethernet(frame);
    memcpy(frame + 12, "\x08\x06\0\1\x08\0\6\4\0\2", 10);
    memcpy(frame + 22, "\2\0\0\0\0\1\x0A\0\0\1\2\0\0\0\0\2\x0A\0\0\2", 20);
    frame[21] = (uint8_t)(1 + take(input) % 3);
    frame[27] = (uint8_t)take(input);
    frame[31] = (uint8_t)(1 + take(input) % 3);
    give(stack, frame, sizeof(frame));
}

// ---- ours

// What goes out is well formed.
static void check_frame(struct stack *stack, const uint8_t *frame, uint32_t size) {
    const uint8_t *ip = frame + IP;
    const uint8_t *data = frame + TRANSPORT;
    struct cor_tcp_header header;
    struct cor_ipv4 parsed;

    FUZZ_CHECK(size >= IP && size <= COR_FRAME_BYTES_MAX);
    if (cor_get_be16(frame + 12) != 0x0800) {
        FUZZ_CHECK(cor_get_be16(frame + 12) == 0x0806 && size == 42);
        return;
    }
    FUZZ_CHECK(cor_ipv4_parse(&parsed, ip, size - IP) == COR_OK && parsed.total_bytes == size - IP);
    if (parsed.protocol == COR_IPV4_TCP) {
        FUZZ_CHECK(cor_tcp_parse(&header, &parsed, data, size - TRANSPORT) == COR_OK);
        if (header.from_port == stack->tcp.socket.local_port) {
            stack->seq = header.seq + header.payload.size_bytes + (header.flags & 3 ? 1 : 0);
            stack->ack = header.ack;
        }
    }
}

static void give_back(struct stack *stack) {
    struct cor_frame_source *source = cor_net_frames(&stack->net);

    for (uint32_t i = 0; i < stack->held_count; i++) {
        source->ops->sent(source, stack->now_us, stack->held[i]);
    }
    stack->held_count = 0;
}

static void pull_all(struct stack *stack) {
    static uint32_t room[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
    struct cor_frame_source *source = cor_net_frames(&stack->net);

    while (stack->held_count < HELD_MAX) {
        uint8_t frame[COR_FRAME_BYTES_MAX + COR_FRAME_HEAD_BYTES_MAX];
        struct cor_frame_tx tx = {
            .head = (uint8_t *)room + 2,
            .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX,
        };
        if (source->ops->pull(source, stack->now_us, &tx) != COR_OK) {
            FUZZ_CHECK(tx.blocked <= COR_METER_STATE_no_buffer);
            return;
        }
        uint32_t size = tx.head_bytes;
        memcpy(frame, tx.head, size);
        for (uint32_t i = 0; i < tx.piece_count; i++) {
            FUZZ_CHECK(size + tx.pieces[i].size_bytes <= sizeof(frame));
            memcpy(frame + size, tx.pieces[i].data, tx.pieces[i].size_bytes);
            size += tx.pieces[i].size_bytes;
        }
        check_frame(stack, frame, size);
        stack->held[stack->held_count++] = tx.token;
    }
}

static void poll(struct stack *stack) {
    for (uint32_t turn = 0; cor_net_poll(&stack->net, stack->now_us) <= stack->now_us; turn++) {
        FUZZ_CHECK(turn < 4);
    }
}

static void use(struct stack *stack, struct input *input) {
    static const uint8_t data[512];
    uint32_t what = take(input);
    uint8_t *room;

    switch (what & 7) {
    case 0:
        (void)!cor_tcp_connect(&stack->tcp, PEER_ADDRESS, PEER_PORT, stack->now_us);
        break;
    case 1:
        (void)cor_tcp_close(&stack->tcp, stack->now_us);
        break;
    case 2:
        cor_tcp_abort(&stack->tcp, stack->now_us);
        break;
    case 3:
        if (cor_udp_send_buf(&stack->udp, &room) > 0) {
            cor_udp_send_ack(&stack->udp, what >> 3, stack->now_us);
        }
        break;
    default:
        (void)!cor_tcp_write(&stack->tcp, data, 1 + what * 2, stack->now_us);
        break;
    }
}

static void start(struct stack *stack) {
    const struct cor_net_config config = {
        .mac = {2, 0, 0, 0, 0, 2},
        .address = OUR_ADDRESS,
        .netmask = 0xFFFFFF00,
        .secret = {1, 2},
    };
    const struct cor_tcp_config tcp = {
        .ring = (uint8_t *)stack->ring,
        .ring_bytes = RING_BYTES,
        .segments = stack->segments,
        .segment_count = SEGMENTS,
        .receive = receive,
    };
    const struct cor_udp_config udp = {
        .memory = (uint8_t *)stack->memory,
        .slot_bytes = 256,
        .slot_count = 2,
        .slots = stack->slots,
        .local_port = 4000,
        .receive = receive_datagram,
    };
    const struct cor_ping_plan plan = {.count = 3};

    memset(stack, 0, sizeof(*stack));
    stack->now_us = 1000000000;
    cor_net_init(&stack->net, &config, stack->now_us);
    cor_tcp_init(&stack->tcp, &stack->net, &tcp);
    cor_udp_init(&stack->udp, &stack->net, &udp);
    cor_ping_init(&stack->ping, &stack->net, &(struct cor_ping_config){0});
    FUZZ_CHECK(cor_tcp_connect(&stack->tcp, PEER_ADDRESS, PEER_PORT, stack->now_us) == COR_OK);
    FUZZ_CHECK(cor_udp_connect(&stack->udp, PEER_ADDRESS, PEER_PORT, stack->now_us) == COR_OK);
    (void)!cor_ping_start(&stack->ping, PEER_ADDRESS, &plan, stack->now_us);
}

static void act(struct stack *stack, struct input *input) {
    uint32_t step = take(input);

    switch (step & 7) {
    case 0:
        give_raw(stack, input);
        break;
    case 1:
        give_packet(stack, input);
        break;
    case 2:
    case 3:
        give_segment(stack, input);
        break;
    case 4:
        give_arp(stack, input);
        break;
    case 5:
        stack->now_us += 1ULL << (step >> 3);
        break;
    case 6:
        use(stack, input);
        break;
    default:
        give_back(stack);
        break;
    }
    poll(stack);
    pull_all(stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct stack stack;
    struct input input = {data, size};

    if (size == 0 || size > 2048) {
        return 0;
    }
    start(&stack);
    stack.offset = (take(&input) + 2) & 3;
    while (input.left > 0) {
        act(&stack, &input);
    }
    return 0;
}
