// SPDX-License-Identifier: MIT
// Connections without end: opened, used and ended in every way, with frames lost and the path gone
// now and then. No slot is lost, nothing spins, and in the end everything works as at first.
//
// Three of our blocks open connections to lwIP, three serve those that lwIP opens. COR_CYCLES says
// how many connections (default 50 000); the long run has a million.
#include "coradio_twin/peer.h"
#include "test.h"

#include <malloc.h>
#include <stdlib.h>

#include "coradio/ip4.h"
#include "coradio/net.h"
#include "coradio/tcp.h"
#include "coradio/tcp_listen.h"

#define ENDS         3
#define RING_BYTES   4096
#define RECEIVE_RING 5840
#define SEGMENTS     COR_TCP_SEGMENTS_FOR(RING_BYTES)
#define PORT         80
#define ITS_PORT     5001
#define ITS_IP       COR_IP4(192, 168, 4, 1)
#define OUR_IP       COR_IP4(192, 168, 4, 2)
#define FRAME_NS     100000u
#define BYTES_MAX    9000u
#define SECOND_NS    1000000000ull
// A connection may have to wait out the path's absence and both sides' time-outs.
#define CONNECTION_MAX_NS (400 * SECOND_NS)
#define OUTAGE_EVERY      997u  // connections
#define OUTAGE_MAX_MS     9000u
// A connection has about thirty frames; each is some events. A loop that spins has thousands.
#define EVENTS_A_CYCLE_MAX 400u

// How the application ends a connection.
enum ending { ORDERLY, ABORT_AT_ONCE, ABORT_HALFWAY, ABORT_AT_THE_END, ENDINGS };

struct end {
    struct cor_tcp *tcp;  // NULL: nothing under way
    uint32_t bytes;
    uint32_t done;
    enum ending ending;
    uint64_t since_ns;
    bool closing;
};

static struct world {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_wire *wire;
    struct twin_peer *peer;
    struct twin_rng rng;
    struct cor_net net;
    struct cor_tcp_listener listener;
    struct cor_tcp tcp[2 * ENDS];
    struct cor_tcp *blocks[ENDS];
    struct cor_tcp_segment segments[2 * ENDS][SEGMENTS];
    uint32_t rings[2 * ENDS][RING_BYTES / 4];
    uint8_t receive_rings[2 * ENDS][RECEIVE_RING];
    struct end clients[ENDS];
    struct end servers[ENDS];
    struct twin_peer_sender *senders[ENDS];
    uint32_t far_left[ENDS];
    bool far_over[ENDS];
    uint64_t far_since_ns[ENDS];
    struct twin_event idle;
    struct twin_event timer;
    struct twin_event path_back;
    uint32_t token;
    bool busy;
    bool path_gone;
    bool stop;
    uint64_t target;
    // What happened.
    uint64_t opened, served, orderly, aborted, broken, refused;
    uint64_t outages, outage_frames;
    uint64_t outage_at;
} w;

static uint64_t now_us(void) {
    return twin_now_ns(w.sim) / 1000;
}

static uint64_t cycles(void) {
    return w.opened + w.served;
}

static void plan(struct end *end, struct cor_tcp *tcp) {
    *end = (struct end){
        .tcp = tcp,
        .bytes = twin_rng_below(&w.rng, BYTES_MAX),
        .ending = (enum ending)(
            twin_rng_below(&w.rng, 2) == 0 ? ORDERLY : twin_rng_below(&w.rng, ENDINGS)),
        .since_ns = twin_now_ns(w.sim),
    };
}

// Is it time to break off? Then it is done.
static bool breaks_off(struct end *end) {
    bool now = end->ending == ABORT_AT_ONCE ||
               (end->ending == ABORT_HALFWAY && end->done * 2 >= end->bytes) ||
               (end->ending == ABORT_AT_THE_END && end->done >= end->bytes);

    if (now) {
        cor_tcp_abort(end->tcp, now_us());
        w.aborted++;
    }
    return now;
}

static void note_end(struct end *end) {
    enum cor_status error = cor_tcp_error(end->tcp);

    w.orderly += error == COR_OK;
    w.broken += error != COR_OK;
    CHECK(twin_now_ns(w.sim) - end->since_ns < CONNECTION_MAX_NS);
}

// --- Connections we open ---

static void client_write(struct end *end) {
    static const uint8_t data[1024] = {1, 2, 3};

    while (end->done < end->bytes) {
        uint32_t left = end->bytes - end->done;
        int32_t taken = cor_tcp_write(end->tcp, data, left < 1024 ? left : 1024, now_us());

        if (taken <= 0) {
            return;
        }
        end->done += (uint32_t)taken;
    }
}

static void client_run(struct end *end, struct cor_tcp *block) {
    if (end->tcp == NULL) {
        if (w.stop) {
            return;
        }
        enum cor_status status = cor_tcp_connect(block, ITS_IP, ITS_PORT, now_us());

        CHECK(status == COR_OK || status == COR_E_STATE);  // frames still in the queue of the bus
        if (status == COR_OK) {
            plan(end, block);
            w.opened++;
        }
        return;
    }
    enum cor_tcp_state state = cor_tcp_state(block);
    if (state == COR_TCP_CLOSED || state == COR_TCP_TIME_WAIT) {
        note_end(end);
        end->tcp = NULL;
        return;
    }
    if (!end->closing && state == COR_TCP_ESTABLISHED) {
        client_write(end);
    }
    if (end->closing || breaks_off(end)) {
        return;
    }
    if (end->done == end->bytes && state == COR_TCP_ESTABLISHED) {
        end->closing = true;
        (void)cor_tcp_finish(block, now_us());
    }
}

// --- Connections we serve ---

static void server_run(struct end *end) {
    const uint8_t *data;
    int32_t there = 0;

    if (end->tcp == NULL) {
        struct cor_tcp *tcp = cor_tcp_accept(&w.listener);

        if (tcp == NULL) {
            return;
        }
        plan(end, tcp);
        w.served++;
    }
    while (!breaks_off(end) && (there = cor_tcp_receive_buf(end->tcp, &data)) > 0) {
        end->done += (uint32_t)there;
        cor_tcp_receive_ack(end->tcp, (uint32_t)there, now_us());
    }
    if (there < 0 || cor_tcp_state(end->tcp) == COR_TCP_CLOSED) {
        w.orderly += there == COR_E_CLOSED;
        w.broken += there != COR_E_CLOSED;
        cor_tcp_give(end->tcp, now_us());
        end->tcp = NULL;
    }
}

static uint32_t far_fill(void *context, uint8_t *into, uint32_t room_bytes) {
    uint32_t *left = context;
    uint32_t size = *left < room_bytes ? *left : room_bytes;

    memset(into, 7, size);
    *left -= size;
    return size;
}

static void far_closed(void *context, bool orderly) {
    uint32_t *left = context;

    (void)orderly;
    w.far_over[left - w.far_left] = true;
}

// lwIP opens the next when the last is over; not from inside its callback.
static void far_run(uint32_t i) {
    struct twin_peer_send_config send = {
        .ip = OUR_IP,
        .port = PORT,
        .fill = far_fill,
        .closed = far_closed,
        .context = &w.far_left[i],
    };

    if (w.senders[i] != NULL && w.far_over[i]) {
        CHECK(twin_now_ns(w.sim) - w.far_since_ns[i] < CONNECTION_MAX_NS);
        twin_peer_sender_free(w.senders[i]);
        w.senders[i] = NULL;
    }
    if (w.senders[i] == NULL && !w.stop) {
        w.far_over[i] = false;
        w.far_left[i] = twin_rng_below(&w.rng, BYTES_MAX);
        w.far_since_ns[i] = twin_now_ns(w.sim);
        w.senders[i] = twin_peer_send(w.peer, &send);
        w.refused += w.senders[i] == NULL;
    }
}

// --- The path ---

static void path_back(void *context) {
    (void)context;
    w.path_gone = false;
}

static void break_path(void) {
    if (cycles() < w.outage_at || w.stop) {
        return;
    }
    w.outage_at = cycles() + OUTAGE_EVERY;
    w.path_gone = true;
    w.outages++;
    twin_after(
        w.sim, &w.path_back, (1 + twin_rng_below(&w.rng, OUTAGE_MAX_MS)) * (uint64_t)1000000);
}

static bool swallowed(struct twin_frame *frame) {
    if (w.path_gone) {
        w.outage_frames++;
        twin_frame_put(w.frames, frame);
    }
    return w.path_gone;
}

static void pull_frame(void) {
    static uint32_t room[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
    struct cor_frame_source *source = cor_net_frames(&w.net);
    struct cor_frame_tx tx = {
        .head = (uint8_t *)room + 2,
        .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX,
    };

    if (w.busy || source->ops->pull(source, now_us(), &tx) != COR_OK) {
        return;
    }
    struct twin_frame *frame = twin_frame_get(w.frames);
    memcpy(frame->data, tx.head, tx.head_bytes);
    frame->size_bytes = tx.head_bytes;
    for (uint32_t i = 0; i < tx.piece_count; i++) {
        memcpy(frame->data + frame->size_bytes, tx.pieces[i].data, tx.pieces[i].size_bytes);
        frame->size_bytes += tx.pieces[i].size_bytes;
    }
    w.token = tx.token;
    w.busy = true;
    twin_after(w.sim, &w.idle, FRAME_NS);
    if (!swallowed(frame)) {
        struct twin_port port = twin_wire_near(w.wire);

        port.input(port.context, frame);
    }
}

static void go_on(void) {
    (void)cor_net_poll(&w.net, now_us());
    for (uint32_t i = 0; i < ENDS; i++) {
        client_run(&w.clients[i], &w.tcp[i]);
        server_run(&w.servers[i]);
        far_run(i);
    }
    break_path();
    pull_frame();
    uint64_t deadline_us = cor_net_poll(&w.net, now_us());
    if (deadline_us == COR_NET_NEVER) {
        twin_cancel(w.sim, &w.timer);
    } else {
        CHECK(deadline_us > now_us());  // or it would spin
        twin_at(w.sim, &w.timer, deadline_us * 1000);
    }
}

static void link_idle(void *context) {
    struct cor_frame_source *source = cor_net_frames(&w.net);

    (void)context;
    w.busy = false;
    source->ops->sent(source, now_us(), w.token);
    go_on();
}

static void timer_due(void *context) {
    (void)context;
    go_on();
}

static void input(void *context, struct twin_frame *frame) {
    struct cor_frame_source *source = cor_net_frames(&w.net);
    static uint32_t aligned[(2 + TWIN_FRAME_BYTES_MAX) / 4 + 1];
    uint8_t *at = (uint8_t *)aligned + 2;

    (void)context;
    if (swallowed(frame)) {
        return;
    }
    memcpy(at, frame->data, frame->size_bytes);
    (void)source->ops->input(source, now_us(), at, frame->size_bytes);
    twin_frame_put(w.frames, frame);
    go_on();
}

// --- The world ---

static void open_blocks(void) {
    struct cor_tcp_listen_config listen = {.port = PORT, .blocks = w.blocks, .block_count = ENDS};

    for (uint32_t i = 0; i < 2 * ENDS; i++) {
        struct cor_tcp_config tcp = {
            .ring = (uint8_t *)w.rings[i],
            .ring_bytes = RING_BYTES,
            .segments = w.segments[i],
            .segment_count = SEGMENTS,
            .receive_ring = w.receive_rings[i],
            .receive_ring_bytes = RECEIVE_RING,
        };

        cor_tcp_init(&w.tcp[i], &w.net, &tcp);
        if (i >= ENDS) {
            w.blocks[i - ENDS] = &w.tcp[i];
        }
    }
    CHECK_EQ(cor_tcp_listen(&w.listener, &w.net, &listen), COR_OK);
}

static void open_world(uint64_t seed) {
    struct cor_net_config net = {
        .mac = {2, 0, 0, 0, 0, 2},
        .address = OUR_IP,
        .netmask = 0xFFFFFF00,
        .secret = {1, 2},
    };
    struct twin_peer_config peer = {
        .address = {2, 0, 0, 0, 0, 1}, .ip = ITS_IP, .netmask = 0xFFFFFF00, .port = ITS_PORT};

    memset(&w, 0, sizeof(w));
    w.sim = twin_sim_new(seed, 1000000);
    w.frames = twin_frames_new();
    twin_rng_init(&w.rng, w.sim, "cycles");
    w.wire = twin_wire_new(&(struct twin_wire_config){
        .sim = w.sim, .frames = w.frames, .delay_ns = 500000, .loss = twin_chance(0.01)});
    peer.sim = w.sim;
    peer.frames = w.frames;
    peer.wire = twin_wire_far(w.wire);
    w.peer = twin_peer_new(&peer);
    CHECK(w.peer != NULL);
    twin_wire_connect_far(w.wire, twin_peer_port(w.peer));
    twin_wire_connect_near(w.wire, (struct twin_port){.input = input});
    twin_event_init(&w.idle, link_idle, NULL);
    twin_event_init(&w.timer, timer_due, NULL);
    twin_event_init(&w.path_back, path_back, NULL);
    cor_net_init(&w.net, &net, now_us());
    w.outage_at = OUTAGE_EVERY;
    open_blocks();
}

static void close_world(void) {
    for (uint32_t i = 0; i < ENDS; i++) {
        if (w.senders[i] != NULL) {
            twin_peer_sender_free(w.senders[i]);
        }
    }
    twin_cancel(w.sim, &w.idle);
    twin_cancel(w.sim, &w.timer);
    twin_peer_free(w.peer);
    twin_wire_free(w.wire);
    CHECK_EQ(twin_frames_out(w.frames), 0);
    twin_frames_free(w.frames);
    twin_sim_free(w.sim);
}

static void run_cycles(uint64_t until) {
    uint64_t events = twin_events_run(w.sim);
    uint64_t begun = cycles();

    go_on();
    while (cycles() < until) {
        CHECK(twin_step(w.sim));
    }
    events = twin_events_run(w.sim) - events;
    CHECK(events < (until - begun) * EVENTS_A_CYCLE_MAX);
}

static uint64_t wanted_cycles(void) {
    const char *text = getenv("COR_CYCLES");

    return text == NULL ? 50000 : strtoull(text, NULL, 10);
}

TEST(connections_without_end_lose_no_slot) {
    uint64_t count = wanted_cycles();

    open_world(1);
    run_cycles(count / 2);
    size_t held = mallinfo2().uordblks;
    run_cycles(count);
    // The stack has no heap; what the world around it holds does not grow with the connections.
    CHECK(mallinfo2().uordblks < held + (32 << 10));
    w.stop = true;
    twin_run_until(w.sim, twin_now_ns(w.sim) + CONNECTION_MAX_NS);
    for (uint32_t i = 0; i < ENDS; i++) {
        CHECK(w.clients[i].tcp == NULL);
        CHECK(w.servers[i].tcp == NULL);
        CHECK(w.senders[i] == NULL);
    }
    // Everything works as at first.
    w.stop = false;
    w.outage_at = UINT64_MAX;
    uint64_t before = w.orderly;
    run_cycles(cycles() + 100);
    CHECK(w.orderly >= before + 40);
    printf(
        "     %llu opened, %llu served: %llu in order, %llu aborted, %llu broken; path gone %llu "
        "times for %llu frames; %.0f s of virtual time\n",
        (unsigned long long)w.opened,
        (unsigned long long)w.served,
        (unsigned long long)w.orderly,
        (unsigned long long)w.aborted,
        (unsigned long long)w.broken,
        (unsigned long long)w.outages,
        (unsigned long long)w.outage_frames,
        (double)twin_now_ns(w.sim) / 1e9);
    CHECK(w.opened > count / 4 && w.served > count / 4);
    CHECK(w.orderly > count / 4 && w.aborted > count / 8);
    CHECK(w.outages >= count / OUTAGE_EVERY / 2 && w.outage_frames > 0);
    CHECK(twin_wire_lost(w.wire) > 0);
    for (uint32_t i = 0; i < 2 * ENDS; i++) {
        enum cor_status status = cor_tcp_release(&w.tcp[i], now_us());

        CHECK(status == COR_OK || (status == COR_AGAIN && w.busy));
    }
    close_world();
}

TEST_MAIN(CASE(connections_without_end_lose_no_slot))
