// SPDX-License-Identifier: MIT
#include "stack.h"

#include "coradio_twin/sim.h"

#include <lwip/init.h>
#include <lwip/priv/tcp_priv.h>
#include <stdio.h>
#include <string.h>

#include "coradio/bytes.h"

#define ETHERNET_BYTES 14u
#define PROTOCOL_TCP   6u  // specified: RFC 9293 3.1

// What the build named (ports/lwip/CMakeLists.txt); the linker says where it begins and ends.
extern uint8_t __start_run_lwip_bss[];
extern uint8_t __stop_run_lwip_bss[];
extern uint8_t __start_run_lwip_data[];
extern uint8_t __stop_run_lwip_data[];

long run_lwip_mem_less;
int run_lwip_window_less;
_Alignas(MEM_ALIGNMENT) uint8_t run_lwip_heap[RUN_LWIP_MEM_BYTES_MAX + 1024];

// lwIP calls us without a context, and has one state of its own.
static struct run_lwip board;
static struct {
    uint64_t random;
    uint8_t data[4096];  // as at program start
    size_t data_bytes;   // 0: not yet saved
} fresh;

// --- What lwIP calls ---

uint32_t sys_now(void);
uint32_t sys_now(void) {
    return (uint32_t)(board.now_us / 1000u);
}

// Seeded; Marsaglia's xorshift64* is enough for sequence numbers in a simulation.
uint32_t run_lwip_random(void) {
    fresh.random ^= fresh.random >> 12;
    fresh.random ^= fresh.random << 25;
    fresh.random ^= fresh.random >> 27;
    return (uint32_t)((fresh.random * UINT64_C(0x2545F4914F6CDD1D)) >> 32);
}

// Not yet inverted, in the order the bytes have in memory; an odd last byte counts as if a zero
// followed.
uint16_t run_lwip_checksum(const void *data, int size_bytes) {
    const uint8_t *bytes = data;
    uint64_t sum = 0;
    int at = 0;

    board.work.summed_bytes += (uint64_t)size_bytes;
    for (; at + 4 <= size_bytes; at += 4) {
        uint32_t word;

        memcpy(&word, bytes + at, sizeof(word));
        sum += word;
    }
    for (; at < size_bytes; at++) {
        uint8_t pair[2] = {0, 0};
        uint16_t word;

        pair[at % 2] = bytes[at];
        memcpy(&word, pair, sizeof(word));
        sum += word;
    }
    while (sum > UINT16_MAX) {
        sum = (sum & UINT16_MAX) + (sum >> 16);
    }
    return (uint16_t)sum;
}

void run_lwip_assert(const char *what, const char *file, int line) {
    fprintf(stderr, "lwIP, %s:%d: %s\n", file, line, what);
    abort();
}

// --- Frames, seen on their way between port and driver ---

static struct cor_frame_source *inner(void) {
    return cor_lwip_frames(&board.port);
}

// Where TCP begins, 0: it is none.
static uint32_t tcp_at(const uint8_t *frame, uint32_t size_bytes) {
    uint32_t at = ETHERNET_BYTES + 20u;

    if (size_bytes < at + 20u || cor_get_be16(frame + 12) != 0x0800u ||
        frame[ETHERNET_BYTES + 9] != PROTOCOL_TCP) {
        return 0;
    }
    return ETHERNET_BYTES + (frame[ETHERNET_BYTES] & 0x0Fu) * 4u;
}

static void note_segment(const struct cor_frame_tx *tx) {
    uint32_t at = tcp_at(tx->head, tx->head_bytes);
    struct cor_tcp_counters *tcp = &board.tcp;

    if (at == 0) {
        return;
    }
    tcp->segments_sent++;
    if (tx->payload_bytes == 0) {
        tcp->acks_sent += (tx->head[at + 13] & (TCP_SYN | TCP_FIN | TCP_RST)) == 0;
        return;
    }
    uint32_t seq_end = cor_get_be32(tx->head + at + 4) + tx->payload_bytes;
    if (board.seq_known && (int32_t)(seq_end - board.seq_max) <= 0) {
        tcp->bytes_retransmitted += tx->payload_bytes;
        if (run_lwip_alive(&board) && (board.pcb->flags & TF_RTO) != 0) {
            tcp->retransmit_rto++;
        } else {
            tcp->retransmit_fast++;
        }
        return;
    }
    board.seq_known = true;
    board.seq_max = seq_end;
    tcp->bytes_sent += tx->payload_bytes;
}

static enum cor_status frames_pull(
    struct cor_frame_source *source, uint64_t now_us, struct cor_frame_tx *tx) {
    enum cor_status status = inner()->ops->pull(inner(), now_us, tx);

    (void)source;
    if (status != COR_OK) {
        return status;
    }
    note_segment(tx);
    if (tx->payload_bytes != 0) {
        board.work.segments++;
    } else {
        board.work.control_frames++;
    }
    return COR_OK;
}

static void frames_sent(struct cor_frame_source *source, uint64_t now_us, uint32_t token) {
    (void)source;
    if (board.datagrams != NULL && token != 0) {
        board.udp.datagrams_sent++;
        board.udp.bytes_sent += token;
    }
    inner()->ops->sent(inner(), now_us, token);
}

static uint32_t frames_input(
    struct cor_frame_source *source, uint64_t now_us, uint8_t *frame, uint32_t size_bytes) {
    (void)source;
    board.now_us = now_us;
    board.work.received++;
    board.work.copied_bytes += size_bytes;
    board.tcp.segments_received += tcp_at(frame, size_bytes) != 0;
    return inner()->ops->input(inner(), now_us, frame, size_bytes);
}

static void frames_link(struct cor_frame_source *source, uint64_t now_us, bool up) {
    (void)source;
    board.now_us = now_us;
    inner()->ops->link(inner(), now_us, up);
}

// --- The stack ---

enum cor_status run_lwip_status(err_t error) {
    switch (error) {
    case ERR_OK:
        return COR_OK;
    case ERR_RST:
        return COR_E_RESET;
    case ERR_ABRT:
        return COR_E_TIMEOUT;
    case ERR_RTE:
        return COR_E_UNREACHABLE;
    case ERR_MEM:
    case ERR_BUF:
        return COR_E_NOMEM;
    default:
        return COR_E_STATE;
    }
}

bool run_lwip_alive(const struct run_lwip *lwip) {
    for (const struct tcp_pcb *pcb = tcp_active_pcbs; pcb != NULL; pcb = pcb->next) {
        if (pcb == lwip->pcb) {
            return true;
        }
    }
    return false;
}

static bool make_fresh(void) {
    size_t bss_bytes = (size_t)(__stop_run_lwip_bss - __start_run_lwip_bss);
    size_t data_bytes = (size_t)(__stop_run_lwip_data - __start_run_lwip_data);

    if (data_bytes > sizeof(fresh.data)) {
        return false;
    }
    if (fresh.data_bytes == 0) {
        memcpy(fresh.data, __start_run_lwip_data, data_bytes);
        fresh.data_bytes = data_bytes;
    }
    memcpy(__start_run_lwip_data, fresh.data, data_bytes);
    memset(__start_run_lwip_bss, 0, bss_bytes);
    memset(run_lwip_heap, 0, sizeof(run_lwip_heap));
    return true;
}

struct run_lwip *run_lwip_new(const struct run_lwip_config *config) {
    static const struct cor_frame_source_ops ops = {
        .pull = frames_pull,
        .sent = frames_sent,
        .input = frames_input,
        .link = frames_link,
    };
    ip4_addr_t address = {lwip_htonl(config->address)};
    ip4_addr_t netmask = {lwip_htonl(config->netmask)};
    ip4_addr_t gateway = {lwip_htonl(config->gateway)};

    _Static_assert(RUN_LWIP_MEM_MAX == RUN_LWIP_MEM_BYTES_MAX, "of one meaning");
    _Static_assert(RUN_LWIP_WINDOW_MAX == RUN_LWIP_WINDOW_BYTES_MAX, "of one meaning");
    if (board.in_use || !make_fresh()) {
        return NULL;
    }
    memset(&board, 0, sizeof(board));
    board.in_use = true;
    board.now_us = config->now_us;
    board.frames.ops = &ops;
    fresh.random = config->seed | 1u;
    run_lwip_mem_less = RUN_LWIP_MEM_BYTES_MAX - (long)config->mem_bytes;
    run_lwip_window_less = RUN_LWIP_WINDOW_BYTES_MAX - (int)config->window_bytes;
    lwip_init();
    cor_lwip_init(&board.port, &address, &netmask, &gateway);
    return &board;
}

void run_lwip_free(struct run_lwip *lwip) {
    if (lwip != NULL) {
        lwip->in_use = false;
    }
}

struct cor_frame_source *run_lwip_frames(struct run_lwip *lwip) {
    return &lwip->frames;
}

void run_lwip_set_mac(struct run_lwip *lwip, const uint8_t mac[6]) {
    cor_lwip_set_mac(&lwip->port, mac);
}

// What keeps TCP from giving out another segment.
static enum cor_meter_state blocked(const struct run_lwip *lwip) {
    const struct tcp_pcb *pcb = lwip->pcb;

    if (lwip->datagrams != NULL) {
        return lwip->piece_bytes != 0 ? COR_METER_STATE_no_buffer : COR_METER_STATE_source;
    }
    if (!run_lwip_alive(lwip)) {
        return COR_METER_STATE_source;
    }
    if (pcb->unsent != NULL) {
        return pcb->snd_wnd < pcb->cwnd ? COR_METER_STATE_peer_window : COR_METER_STATE_congestion;
    }
    // All that it has taken is under way; it takes no more before some is acknowledged.
    return lwip->piece_bytes != 0 ? COR_METER_STATE_no_buffer : COR_METER_STATE_source;
}

static void look_at_connection(struct run_lwip *lwip) {
    const struct tcp_pcb *pcb = lwip->pcb;

    if (!run_lwip_alive(lwip)) {
        return;
    }
    if (pcb->nrtx > lwip->retries && (pcb->flags & TF_RTO) != 0) {
        lwip->tcp.timeouts++;
    }
    lwip->retries = pcb->nrtx;
    lwip->mss_bytes = pcb->mss;
    lwip->peer_window_bytes = pcb->snd_wnd;
    lwip->peer_window_max = pcb->snd_wnd_max;
}

uint64_t run_lwip_poll(struct run_lwip *lwip, uint64_t now_us) {
    uint32_t wait_ms;

    lwip->now_us = now_us;
    wait_ms = cor_lwip_poll(&lwip->port);
    look_at_connection(lwip);
    cor_lwip_set_blocked(&lwip->port, blocked(lwip));
    // lwIP's clock shows whole milliseconds.
    return wait_ms == UINT32_MAX ? UINT64_MAX : (now_us / 1000u + wait_ms) * 1000u + 1000u;
}

void run_lwip_work(const struct run_lwip *lwip, struct run_lwip_work *work) {
    *work = lwip->work;
}

void run_lwip_port(const struct run_lwip *lwip, struct run_lwip_port *port) {
    const struct cor_lwip_counters *counters = cor_lwip_get_counters(&lwip->port);

    *port = (struct run_lwip_port){
        .refused = counters->refused,
        .kept_max = counters->kept_max,
        .copied_frames = counters->copied,
        .dropped = counters->drop_size + counters->drop_no_pbuf + counters->drop_input,
    };
}

void run_lwip_mirror(struct run_lwip *lwip, struct cor_tcp *tcp, struct cor_udp *udp) {
    look_at_connection(lwip);
    tcp->counters = lwip->tcp;
    tcp->counters.copied_bytes = lwip->work.copied_bytes;
    tcp->counters.summed_bytes = lwip->work.summed_bytes;
    tcp->mss_bytes = (uint16_t)lwip->mss_bytes;
    tcp->snd_wnd = lwip->peer_window_bytes;
    tcp->snd_wnd_max = lwip->peer_window_max;
    udp->counters = lwip->udp;
}
