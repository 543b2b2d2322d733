// SPDX-License-Identifier: MIT
// Fuzz: any fragments into a stack that puts them together. The input is a list of fragments, four
// bytes each, and of waits.
//
// Laws: every fragment is in one counter or waits; a byte of a datagram that comes out is the byte
// of its place, in one of the two versions that go in; no memory is touched but what was lent.
#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/net.h"
#include "coradio/reassembly.h"
#include "coradio/udp.h"

#define OUR_ADDRESS  0x0A000002u
#define PEER_ADDRESS 0x0A000001u
#define PORT         4000u
#define SLOTS        2u
#define SLOT_BYTES   560u
#define IDS          4u
#define IP           14u
#define TRANSPORT    34u

struct world {
    struct cor_net net;
    struct cor_udp udp;
    struct cor_reassembly reassembly;
    struct cor_reassembly_slot *slots;
    uint8_t *memory;
    struct cor_udp_slot udp_slots[1];
    uint32_t udp_memory[16];
    uint64_t now_us;
};

// The first eight bytes are a UDP header without a checksum, and the same in both versions.
static uint8_t byte_at(uint32_t place, uint32_t version) {
    static const uint8_t header[8] = {3, 9, PORT >> 8, PORT & 0xFF, 0, 40, 0, 0};

    return place < 8 ? header[place] : (uint8_t)((place * 5 + (place >> 8)) ^ (version * 0xFF));
}

static void receive(void *context, const struct cor_udp_datagram *datagram) {
    (void)context;
    FUZZ_CHECK(((uintptr_t)datagram->data & 3) == 0 && datagram->size_bytes == 32);
    for (uint32_t i = 0; i < datagram->size_bytes; i++) {
        uint8_t byte = datagram->data[i];

        FUZZ_CHECK(byte == byte_at(8 + i, 0) || byte == byte_at(8 + i, 1));
    }
}

static void check(struct world *world) {
    const struct cor_reassembly_counters *c = cor_reassembly_get_counters(&world->reassembly);

    FUZZ_CHECK(
        c->fragments_received == c->fragments_used + c->fragments_repeated + c->drop_length +
                                     c->drop_overlap + c->drop_size + c->drop_timeout +
                                     c->drop_evicted + cor_reassembly_waiting(&world->reassembly));
}

static void give(struct world *world, const uint8_t *step) {
    struct cor_frame_source *source = cor_net_frames(&world->net);
    // Places and sizes near what matters: multiples of 8, and the ends of a slot and of a packet.
    uint32_t place = (step[1] & 0x7F) + ((step[1] & 0x80) != 0 ? 8100U : 0U);
    uint32_t size = (step[2] & 0xFU) * 8 + (step[2] >> 4 == 15 ? 1 + (step[0] >> 5) : 0);
    uint32_t version = step[3] & 1;
    bool more = (step[3] & 2) == 0;
    uint8_t *memory = malloc(2 + TRANSPORT + size);
    uint8_t *frame = memory + 2;
    uint8_t *ip = frame + IP;

    memcpy(frame, "\2\0\0\0\0\2\2\0\0\0\0\1\x08\0", IP);
    memset(ip, 0, 20);
    ip[0] = 0x45;
    cor_put_be16(ip + 2, (uint16_t)(20 + size));
    cor_put_be16(ip + 4, (uint16_t)(step[0] % IDS));
    cor_put_be16(ip + 6, (uint16_t)((place & 0x1FFF) | (more ? 0x2000U : 0)));
    ip[8] = 64;
    ip[9] = 17;
    cor_put_be32(ip + 12, PEER_ADDRESS);
    cor_put_be32(ip + 16, OUR_ADDRESS);
    cor_put_be16(ip + 10, (uint16_t)~cor_sum_bytes(ip, 20));
    for (uint32_t i = 0; i < size; i++) {
        frame[TRANSPORT + i] = byte_at(place * 8 + i, version);
    }
    (void)source->ops->input(source, world->now_us, frame, TRANSPORT + size);
    free(memory);
}

static void pull_all(struct world *world) {
    static uint32_t room[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
    struct cor_frame_source *source = cor_net_frames(&world->net);
    struct cor_frame_tx tx = {
        .head = (uint8_t *)room + 2,
        .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX,
    };

    while (source->ops->pull(source, world->now_us, &tx) == COR_OK) {
        FUZZ_CHECK(tx.head_bytes <= COR_FRAME_HEAD_BYTES_MAX);
        fuzz_touch(tx.head, tx.head_bytes);
        source->ops->sent(source, world->now_us, tx.token);
    }
}

static void start(struct world *world) {
    struct cor_reassembly_config config = {.slot_count = SLOTS, .slot_bytes = SLOT_BYTES};
    const struct cor_udp_config udp = {
        .memory = (uint8_t *)world->udp_memory,
        .slot_bytes = 64,
        .slot_count = 1,
        .slots = world->udp_slots,
        .local_port = PORT,
        .receive = receive,
    };
    const struct cor_net_config net = {
        .mac = {2, 0, 0, 0, 0, 2},
        .address = OUR_ADDRESS,
        .netmask = 0xFFFFFF00,
        .secret = {1, 2},
        .reassembly = &world->reassembly,
    };

    memset(world, 0, sizeof(*world));
    world->now_us = 1000000000;
    // Of just their size, so that the sanitizer sees what goes beyond.
    world->memory = malloc(COR_REASSEMBLY_BYTES(SLOTS, SLOT_BYTES));
    world->slots = malloc(SLOTS * sizeof(*world->slots));
    memset(world->memory, 0xEE, COR_REASSEMBLY_BYTES(SLOTS, SLOT_BYTES));
    config.memory = world->memory;
    config.slots = world->slots;
    cor_reassembly_init(&world->reassembly, &config);
    cor_net_init(&world->net, &net, world->now_us);
    cor_udp_init(&world->udp, &world->net, &udp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct world world;

    start(&world);
    for (size_t at = 0; at + 4 <= size; at += 4) {
        const uint8_t *step = data + at;

        if (step[3] >= 0xF0) {
            world.now_us += (uint64_t)step[0] * 100000;
            FUZZ_CHECK(cor_net_poll(&world.net, world.now_us) > world.now_us);
            pull_all(&world);
        } else {
            give(&world, step);
        }
        check(&world);
    }
    free(world.memory);
    free(world.slots);
    return 0;
}
