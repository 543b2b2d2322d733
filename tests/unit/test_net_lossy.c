// SPDX-License-Identifier: MIT
// The TCP sender over a pipe that loses, doubles and reorders, against a receiver of this test.
//
// The receiver is small and strict: it keeps what comes out of order, acknowledges every second
// segment or at once when something is missing, and compares each byte.
#include "net_host.h"

#define PIPE_FRAMES 4096
#define WINDOW      65535U
#define DELAY_US    2000ULL

struct packet {
    uint64_t at_us;
    uint32_t size;
    uint8_t *frame;
};

struct pipe {
    struct host h;
    struct packet out[PIPE_FRAMES];  // to the receiver, not sorted
    uint32_t out_count;
    struct packet back[PIPE_FRAMES];
    uint32_t back_count;
    uint64_t state;
    uint32_t loss_ppm;
    uint32_t double_ppm;
    uint32_t reorder_ppm;
    uint64_t free_us;  // when the sender's link is idle again
    uint64_t gap_us;   // time of a frame on the link
    bool sack;
    // The receiver.
    uint32_t next;  // relative sequence number expected
    uint32_t unacked;
    uint64_t ack_us;
    uint32_t goal;  // sequence number behind the last byte
    uint32_t have_count;
    struct {
        uint32_t left;
        uint32_t right;
    } have[256];  // out of order, each segment on its own
    bool fin;
    uint64_t done_us;
};

static struct pipe pipe_;

static bool hit(struct pipe *p, uint32_t ppm) {
    // xorshift64*
    p->state ^= p->state >> 12;
    p->state ^= p->state << 25;
    p->state ^= p->state >> 27;
    return (p->state * 0x2545F4914F6CDD1DU >> 33) % 1000000 < ppm;
}

static void put_packet(struct packet *queue, uint32_t *count, struct packet packet) {
    CHECK(*count < PIPE_FRAMES);
    queue[(*count)++] = packet;
}

static bool take_packet(
    struct packet *queue, uint32_t *count, uint64_t now_us, struct packet *packet) {
    for (uint32_t i = 0; i < *count; i++) {
        if (queue[i].at_us <= now_us) {
            *packet = queue[i];
            memmove(queue + i, queue + i + 1, (*count - i - 1) * sizeof(*queue));
            (*count)--;
            return true;
        }
    }
    return false;
}

static uint64_t next_packet(const struct packet *queue, uint32_t count) {
    uint64_t next_us = UINT64_MAX;

    for (uint32_t i = 0; i < count; i++) {
        next_us = queue[i].at_us < next_us ? queue[i].at_us : next_us;
    }
    return next_us;
}

static void answer(struct pipe *p) {
    struct seg seg = {.flags = ACK, .seq = p->fin ? 2 : 1, .ack = p->next, .win = WINDOW};
    struct packet packet = {.at_us = p->h.now_us + DELAY_US};

    if (p->sack) {
        // The latest first (RFC 2018 4), neighbours joined only as far as they happen to be.
        uint32_t pairs = 0;
        for (uint32_t i = p->have_count; i > 0 && pairs < 3; i--, pairs++) {
            seg.sacks[2 * pairs] = p->have[i - 1].left;
            seg.sacks[2 * pairs + 1] = p->have[i - 1].right;
        }
    }
    packet.frame = build_segment(&p->h, &seg, &packet.size);
    if (hit(p, p->loss_ppm)) {
        free(packet.frame - 2);
    } else {
        put_packet(p->back, &p->back_count, packet);
    }
    p->unacked = 0;
    p->ack_us = UINT64_MAX;
}

static void keep(struct pipe *p, uint32_t left, uint32_t right) {
    for (uint32_t i = 0; i < p->have_count; i++) {
        if (p->have[i].right == left) {
            // Joined, and moved to the end as the latest.
            left = p->have[i].left;
        } else if (p->have[i].left == right) {
            right = p->have[i].right;
        } else if (p->have[i].left > left || p->have[i].right < right) {
            continue;
        }
        memmove(p->have + i, p->have + i + 1, (p->have_count - i - 1) * sizeof(p->have[0]));
        p->have_count--;
        i = UINT32_MAX;  // look again from the start
    }
    CHECK(p->have_count < 256);
    p->have[p->have_count].left = left;
    p->have[p->have_count].right = right;
    p->have_count++;
}

static void advance(struct pipe *p) {
    for (uint32_t i = 0; i < p->have_count; i++) {
        if (p->have[i].left <= p->next) {
            p->next = p->have[i].right > p->next ? p->have[i].right : p->next;
            memmove(p->have + i, p->have + i + 1, (p->have_count - i - 1) * sizeof(p->have[0]));
            p->have_count--;
            i = UINT32_MAX;
        }
    }
}

static void receive(struct pipe *p, const uint8_t *frame, uint32_t size) {
    const uint8_t *tcp = frame + 34;
    uint32_t header = tcp[12] / 16U * 4;
    uint32_t len = size - 34 - header;
    uint32_t seq = get32(tcp + 4) - p->h.iss;

    CHECK_EQ(transport_sum(frame + 14, size - 34), 0xFFFF);
    for (uint32_t i = 0; i < len; i++) {
        CHECK_EQ(tcp[header + i], pattern(seq + i));
    }
    CHECK(seq + len <= p->next + WINDOW);
    bool fin = (tcp[13] & FIN) != 0;
    if (len == 0 && !fin) {
        return;
    }
    uint32_t right = seq + len + fin;
    p->goal = fin ? right : p->goal;
    if (right <= p->next) {
        answer(p);
    } else if (seq <= p->next) {
        bool hole = p->have_count != 0;

        p->next = right;
        advance(p);
        p->unacked++;
        if (hole || p->unacked >= 2 || fin) {
            answer(p);
        } else {
            p->ack_us = p->h.now_us + 40 * MS;
        }
    } else {
        keep(p, seq, right);
        answer(p);
    }
    if (p->goal != 0 && p->next == p->goal) {
        p->done_us = p->done_us == 0 ? p->h.now_us : p->done_us;
    }
}

static void send_one(struct pipe *p) {
    struct packet packet = {.size = p->h.frame_bytes, .at_us = p->h.now_us + DELAY_US};

    p->free_us = p->h.now_us + p->gap_us;
    if (hit(p, p->loss_ppm)) {
        return;
    }
    for (uint32_t copies = hit(p, p->double_ppm) ? 2 : 1; copies > 0; copies--) {
        packet.frame = new_frame(packet.size);
        memcpy(packet.frame, p->h.frame, packet.size);
        // Late enough to be overtaken by a handful of frames.
        packet.at_us += hit(p, p->reorder_ppm) ? 1500 : 0;
        put_packet(p->out, &p->out_count, packet);
    }
}

// Runs what is due now; the next instant at which something is.
static uint64_t run(struct pipe *p) {
    struct packet packet;

    while (take_packet(p->out, &p->out_count, p->h.now_us, &packet)) {
        receive(p, packet.frame, packet.size);
        free(packet.frame - 2);
    }
    if (p->h.now_us >= p->ack_us) {
        answer(p);
    }
    while (take_packet(p->back, &p->back_count, p->h.now_us, &packet)) {
        (void)give(&p->h, packet.frame, packet.size);
    }
    uint64_t next_us = cor_net_poll(&p->h.net, p->h.now_us);
    if (p->h.now_us >= p->free_us && pull(&p->h)) {
        send_one(p);
        next_us = cor_net_poll(&p->h.net, p->h.now_us);
    }
    // A busy link is looked at again when it is idle.
    next_us = p->free_us > p->h.now_us && p->free_us < next_us ? p->free_us : next_us;
    next_us = p->ack_us < next_us ? p->ack_us : next_us;
    uint64_t packet_us = next_packet(p->out, p->out_count);
    next_us = packet_us < next_us ? packet_us : next_us;
    packet_us = next_packet(p->back, p->back_count);
    return packet_us < next_us ? packet_us : next_us;
}

// Sends total bytes; returns the goodput in kbit/s.
static uint32_t transfer(uint32_t total, uint32_t loss_ppm, bool disorder, bool sack) {
    struct pipe *p = &pipe_;

    memset(p, 0, sizeof(*p));
    p->state = 0x9E3779B97F4A7C15U ^ loss_ppm;
    start_net(&p->h);
    struct cor_tcp_config config = default_tcp(&p->h);
    config.nagle_off = false;
    start_open(&p->h, &config, SYN_ACK(.sack_ok = sack));
    p->sack = sack;
    p->loss_ppm = loss_ppm;
    p->double_ppm = disorder ? 10000 : 0;
    p->reorder_ppm = disorder ? 10000 : 0;
    p->gap_us = 350;  // about 34 Mbit/s
    p->next = 1;
    p->ack_us = UINT64_MAX;
    uint32_t left = total;
    uint64_t from_us = p->h.now_us;
    for (uint32_t steps = 0; p->done_us == 0; steps++) {
        CHECK(steps < 2000000);
        // In uneven pieces, so that descriptors end anywhere.
        uint32_t piece = 1 + (uint32_t)(p->state >> 20) % 20000;
        if (left > 0) {
            left -= fill(&p->h, piece < left ? piece : left);
            if (left == 0) {
                CHECK_EQ(cor_tcp_close(&p->h.tcp, p->h.now_us), COR_OK);
            }
        }
        uint64_t next_us = run(p);
        CHECK(next_us != UINT64_MAX || p->done_us != 0);
        p->h.now_us = next_us > p->h.now_us ? next_us : p->h.now_us;
    }
    CHECK_EQ(p->next, total + 2);
    uint64_t took_us = p->done_us - from_us;
    for (uint32_t i = 0; i < p->out_count; i++) {
        free(p->out[i].frame - 2);
    }
    for (uint32_t i = 0; i < p->back_count; i++) {
        free(p->back[i].frame - 2);
    }
    const struct cor_tcp_counters *c = cor_tcp_get_counters(&p->h.tcp);
    uint32_t kbit_s = (uint32_t)((uint64_t)total * 8000 / took_us);
    printf(
        "     loss %u ppm %s%s: %u kbit/s, fast %u partial %u sack %u rto %u timeouts %u\n",
        loss_ppm,
        sack ? "sack" : "no sack",
        disorder ? ", doubled and reordered" : "",
        kbit_s,
        (unsigned)c->retransmit_fast,
        (unsigned)c->retransmit_partial,
        (unsigned)c->retransmit_sack,
        (unsigned)c->retransmit_rto,
        (unsigned)c->timeouts);
    return kbit_s;
}

TEST(without_loss_the_link_is_full) {
    CHECK_BETWEEN(transfer(8 << 20, 0, false, false), 32000, 33400);
    CHECK_EQ(cor_tcp_get_counters(&pipe_.h.tcp)->bytes_retransmitted, 0);
    CHECK_EQ(cor_tcp_get_counters(&pipe_.h.tcp)->timeouts, 0);
}

TEST(one_percent_loss_is_exact) {
    CHECK(transfer(4 << 20, 10000, false, false) > 8000);
    CHECK(transfer(4 << 20, 10000, false, true) > 16000);
}

TEST(two_percent_loss_is_exact) {
    CHECK(transfer(4 << 20, 20000, false, false) > 3000);
    CHECK(transfer(4 << 20, 20000, false, true) > 8000);
}

TEST(ten_percent_loss_is_exact) {
    CHECK(transfer(1 << 20, 100000, false, false) > 100);
    CHECK(transfer(1 << 20, 100000, false, true) > 100);
}

TEST(scenario_23_loss_doubles_and_reordering_are_exact) {
    CHECK(transfer(4 << 20, 10000, true, false) > 3000);
    CHECK(transfer(4 << 20, 10000, true, true) > 3000);
}

TEST_MAIN(
    CASE(without_loss_the_link_is_full),
    CASE(one_percent_loss_is_exact),
    CASE(two_percent_loss_is_exact),
    CASE(ten_percent_loss_is_exact),
    CASE(scenario_23_loss_doubles_and_reordering_are_exact))
