// SPDX-License-Identifier: MIT
// The TCP sender under everything at once: a peer whose window opens, closes and shrinks, that
// takes parts of segments, a network that loses, doubles and delays, a bus that holds frames, an
// application that writes in odd pieces and keeps room lent. First safety: what arrives is exact
// and the books balance at each step. Then the faults end, and everything must arrive within a
// bound.
#include "net/tcp_parts.h"
#include "net_host.h"

#define PACKETS    512
#define STREAM     300000U
#define FAULTS_US  (60 * SECOND)
#define RECOVER_US (400 * SECOND)

struct packet {
    uint64_t at_us;
    uint32_t size;
    uint8_t *frame;
};

static struct stress {
    struct host h;
    struct cor_tcp_config config;
    uint64_t state;
    uint64_t faults_end_us;
    struct packet packets[PACKETS];  // to the peer
    uint32_t packet_count;
    struct packet answers[PACKETS];  // to us
    uint32_t answer_count;
    // The peer: in-order byte count, out-of-order bytes, and what it offers.
    uint32_t next;
    uint32_t edge;  // right edge offered, relative
    uint8_t have[STREAM + 4];
    bool sack;
    bool fin_seen;
    uint32_t written;
    uint64_t lent_until_us;
} s_;

static uint32_t draw(struct stress *s, uint32_t below) {
    s->state ^= s->state >> 12;
    s->state ^= s->state << 25;
    s->state ^= s->state >> 27;
    return (uint32_t)((s->state * 0x2545F4914F6CDD1DU) >> 33) % below;
}

static bool faulty(const struct stress *s) {
    return s->h.now_us < s->faults_end_us;
}

static void put_packet(struct packet *queue, uint32_t *count, struct packet packet) {
    if (*count == PACKETS) {
        free(packet.frame - 2);
        return;
    }
    queue[(*count)++] = packet;
}

static bool take_due(
    struct packet *queue, uint32_t *count, uint64_t now_us, struct packet *packet) {
    for (uint32_t i = 0; i < *count; i++) {
        if (queue[i].at_us <= now_us) {
            *packet = queue[i];
            queue[i] = queue[--*count];
            return true;
        }
    }
    return false;
}

// What the struct says of itself agrees with what the descriptors say.
static void check_books(const struct cor_tcp *tcp) {
    uint32_t pipe = 0;
    uint32_t lost = 0;
    uint32_t sacked = 0;
    uint32_t queued = 0;
    uint32_t used = 0;
    uint32_t total = cor_tcp_segments_used(tcp);

    if (tcp->state == COR_TCP_CLOSED) {
        return;
    }
    CHECK(total <= tcp->config.segment_count);
    uint32_t first = (uint32_t)tcp->una + tcp->config.segment_count - tcp->doubt.kept_count;
    uint32_t seq = 0;
    for (uint32_t i = 0; i < total; i++) {
        const struct cor_tcp_segment *g =
            &tcp->config.segments[(first + i) % tcp->config.segment_count];
        bool flying =
            i >= tcp->doubt.kept_count && i < (uint32_t)tcp->doubt.kept_count + tcp->flight_count;
        bool open = i + 1 == total && (tcp->flags & COR_TCP_END_OPEN) != 0;

        CHECK(i == 0 || g->seq == seq);
        seq = cor_tcp_segment_end(g);
        CHECK(g->size_bytes <= tcp->pmtu.mss_max);
        queued += g->queued;
        used += open ? g->size_bytes : (g->size_bytes + 3U) & ~3U;
        if (flying) {
            pipe += (g->flags & COR_TCP_SEGMENT_PIPE) != 0 ? g->size_bytes : 0;
            lost += (g->flags & COR_TCP_SEGMENT_LOST) != 0;
            sacked += (g->flags & COR_TCP_SEGMENT_SACKED) != 0;
        }
    }
    CHECK(total == 0 || seq == tcp->snd_end);
    CHECK_EQ(tcp->pipe_bytes, pipe);
    CHECK_EQ(tcp->doubt.lost_count, lost);
    CHECK_EQ(tcp->doubt.sacked_count, sacked);
    CHECK_EQ(tcp->queued_count, queued);
    CHECK_EQ(tcp->used_bytes, used);
    CHECK(tcp->departed_bytes <= tcp->pipe_bytes);
    CHECK(tcp->used_bytes <= tcp->config.ring_bytes);
}

// A new right edge: most often further on, at times not moved, or moved back.
static void move_edge(struct stress *s) {
    if (!faulty(s)) {
        s->edge = s->next + 20000;
        return;
    }
    switch (draw(s, 8)) {
    case 0:
        s->edge = s->next;  // closed, or shrunk to nothing
        break;
    case 1:
        s->edge = s->next + draw(s, 10);
        break;
    case 2:
        s->edge = s->next + draw(s, 1460);
        break;
    case 3:
        break;
    default:
        s->edge = s->next + draw(s, 30000);
        break;
    }
    if (s->edge < s->next) {
        s->edge = s->next;
    }
}

static uint32_t find_blocks(struct stress *s, struct seg *seg) {
    uint32_t pairs = 0;

    for (uint32_t i = s->next; i < STREAM + 2 && pairs < 3; i++) {
        if (s->have[i] == 0) {
            continue;
        }
        seg->sacks[2 * pairs] = i;
        while (i < STREAM + 2 && s->have[i] != 0) {
            i++;
        }
        seg->sacks[2 * pairs + 1] = i;
        pairs++;
    }
    return pairs;
}

static void answer(struct stress *s) {
    struct seg seg = {.flags = ACK, .seq = 1, .ack = s->next};
    struct packet packet = {.at_us = s->h.now_us + 1000 + draw(s, 3000)};

    move_edge(s);
    seg.win = s->edge > s->next ? s->edge - s->next : NONE;
    if (s->sack) {
        (void)find_blocks(s, &seg);
    }
    if (faulty(s) && draw(s, 20) == 0) {
        return;
    }
    packet.frame = build_segment(&s->h, &seg, &packet.size);
    put_packet(s->answers, &s->answer_count, packet);
}

static void peer_takes(struct stress *s, const uint8_t *frame, uint32_t size) {
    const uint8_t *tcp = frame + 34;
    uint32_t header = tcp[12] / 16U * 4;
    uint32_t len = size - 34 - header;
    uint32_t seq = get32(tcp + 4) - s->h.iss;
    bool fin = (tcp[13] & FIN) != 0;

    CHECK_EQ(transport_sum(frame + 14, size - 34), 0xFFFF);
    CHECK_EQ(tcp[13] & (SYN | RST), 0);
    CHECK(seq + len <= STREAM + 1);
    for (uint32_t i = 0; i < len; i++) {
        CHECK_EQ(tcp[header + i], pattern(seq + i));
        // Only what the window has room for is taken, be it half a segment.
        if (seq + i < s->edge) {
            s->have[seq + i] = 1;
        }
    }
    if (fin) {
        CHECK_EQ(seq + len, STREAM + 1);
        s->have[STREAM + 1] = s->next > STREAM || s->edge > STREAM;
    }
    while (s->next < STREAM + 2 && s->have[s->next] != 0) {
        s->next++;
    }
    s->fin_seen = s->next == STREAM + 2;
    answer(s);
}

static void network(struct stress *s) {
    struct packet packet;

    while (take_due(s->packets, &s->packet_count, s->h.now_us, &packet)) {
        peer_takes(s, packet.frame, packet.size);
        free(packet.frame - 2);
    }
    while (take_due(s->answers, &s->answer_count, s->h.now_us, &packet)) {
        (void)give(&s->h, packet.frame, packet.size);
        check_books(&s->h.tcp);
    }
}

static void radio(struct stress *s) {
    struct host *h = &s->h;
    struct cor_frame_source *source = cor_net_frames(&h->net);

    // The oldest frames leave the queue of the bus.
    uint32_t leave = faulty(s) ? draw(s, h->held_count + 1) : h->held_count;
    for (uint32_t i = 0; i < leave; i++) {
        source->ops->sent(source, h->now_us, h->held[i]);
    }
    memmove(h->held, h->held + leave, (h->held_count - leave) * sizeof(h->held[0]));
    h->held_count -= leave;
    check_books(&h->tcp);
    while (h->held_count < 6 && pull(h)) {
        check_books(&h->tcp);
        if (get16(h->frame + 12) == 0x0806) {
            answer_arp(h);
            continue;
        }
        uint32_t copies = faulty(s) && draw(s, 20) == 0 ? 0 : faulty(s) && draw(s, 20) == 0 ? 2 : 1;
        for (; copies > 0; copies--) {
            struct packet packet = {.at_us = h->now_us + 1000, .size = h->frame_bytes};

            packet.at_us += faulty(s) ? draw(s, 4000) : 0;
            packet.frame = new_frame(packet.size);
            memcpy(packet.frame, h->frame, packet.size);
            put_packet(s->packets, &s->packet_count, packet);
        }
    }
}

static void application(struct stress *s) {
    struct host *h = &s->h;
    uint8_t *room;

    if (s->written == STREAM || h->now_us < s->lent_until_us) {
        return;
    }
    if (draw(s, 2) == 0) {
        uint32_t left = STREAM - s->written;
        uint32_t size = 1 + draw(s, draw(s, 2) == 0 ? 10 : 5000);

        cor_tcp_send_ack(&h->tcp, 0, h->now_us);
        s->written += fill(h, size < left ? size : left);
    } else {
        int32_t got = cor_tcp_send_buf(&h->tcp, &room);

        CHECK(got >= 0);
        if (faulty(s) && draw(s, 3) == 0) {
            s->lent_until_us = h->now_us + draw(s, 50000);
            return;
        }
        uint32_t size = got > 0 ? draw(s, (uint32_t)got + 1) : 0;
        size = size < STREAM - s->written ? size : STREAM - s->written;
        for (uint32_t i = 0; i < size; i++) {
            room[i] = pattern(1 + s->written + i);
        }
        cor_tcp_send_ack(&h->tcp, size, h->now_us);
        s->written += size;
    }
    check_books(&h->tcp);
    if (s->written == STREAM) {
        CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
        check_books(&h->tcp);
    }
}

static void free_packets(struct packet *queue, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        free(queue[i].frame - 2);
    }
}

static void run(uint64_t seed) {
    struct stress *s = &s_;
    struct host *h = &s->h;

    memset(s, 0, sizeof(*s));
    s->state = seed * 0x9E3779B97F4A7C15U + 1;
    start_net(h);
    s->config = default_tcp(h);
    s->sack = draw(s, 2) == 0;
    s->config.nagle_off = draw(s, 2) == 0;
    s->config.segment_count = (uint16_t)(4 + draw(s, 30));
    s->config.ring_bytes = 4 * (730 + draw(s, 6000));
    uint32_t mss = draw(s, 3) == 0 ? 64 + draw(s, 1400) : 1460;
    start_open(h, &s->config, SYN_ACK(.sack_ok = s->sack, .mss = mss));
    h->hold = true;
    s->next = 1;
    s->edge = 1 + 65535;
    s->faults_end_us = h->now_us + FAULTS_US;
    uint64_t end_us = h->now_us + FAULTS_US + RECOVER_US;
    while (!s->fin_seen) {
        CHECK(h->now_us < end_us);
        CHECK_EQ(cor_tcp_error(&h->tcp), COR_OK);
        network(s);
        application(s);
        radio(s);
        (void)cor_net_poll(&h->net, h->now_us);
        check_books(&h->tcp);
        h->now_us += 300 + draw(s, 700);
    }
    // The last acknowledgement arrives, and nothing is left.
    for (uint32_t i = 0; i < 10000 && cor_tcp_state(&h->tcp) != COR_TCP_FIN_WAIT_2; i++) {
        h->now_us += 1000;
        network(s);
        radio(s);
        (void)cor_net_poll(&h->net, h->now_us);
    }
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_FIN_WAIT_2);
    sent_all(h);
    CHECK_EQ(h->tcp.used_bytes, 0);
    CHECK_EQ(h->tcp.counters.bytes_acked, STREAM);
    CHECK_EQ(h->tcp.counters.bytes_sent, STREAM);
    free_packets(s->packets, s->packet_count);
    free_packets(s->answers, s->answer_count);
}

TEST(every_fault_at_once_is_survived) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        run(seed);
    }
}

TEST_MAIN(CASE(every_fault_at_once_is_survived))
