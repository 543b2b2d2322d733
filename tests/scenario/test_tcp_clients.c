// SPDX-License-Identifier: MIT
// A server with several clients over one link: lwIP's on the far end of a wire with loss, ours
// here. Both ways, exact; and one client that stalls does not slow the others.
//
// The radio is ideal, as in test_tcp_lwip.c: 34 Mbit/s, one frame at a time.
#include "coradio_twin/peer.h"
#include "test.h"

#include <stdlib.h>

#include "coradio/ip4.h"
#include "coradio/net.h"
#include "coradio/tcp.h"
#include "coradio/tcp_listen.h"

#define CLIENTS      4
#define RING_BYTES   16384
#define RECEIVE_RING 32768
#define SEGMENTS     COR_TCP_SEGMENTS_FOR(RING_BYTES)
#define PORT         80
#define BITS_PER_US  34

struct client {
    struct twin_peer_sender *sender;
    // What the far application gives and gets, and ours.
    uint64_t far_given, far_got, near_given, near_got;
    uint64_t far_wrong, near_wrong;  // bytes that were not the pattern's
    uint32_t zero_writes;            // times a write took nothing, and said so at once
    bool closed_orderly;
    bool held;  // we do not read this one
    struct cor_tcp *tcp;
};

static struct world {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_wire *wire;
    struct twin_peer *peer;
    struct cor_net net;
    struct cor_tcp_listener listener;
    struct cor_tcp tcp[CLIENTS];
    struct cor_tcp *blocks[CLIENTS];
    struct cor_tcp_segment segments[CLIENTS][SEGMENTS];
    uint32_t rings[CLIENTS][RING_BYTES / 4];
    uint8_t receive_rings[CLIENTS][RECEIVE_RING];
    struct client clients[CLIENTS];
    struct twin_event idle;
    struct twin_event timer;
    uint32_t token;
    bool busy;
    uint64_t total;  // each way, each client
} w;

static uint8_t pattern(uint64_t i) {
    return (uint8_t)(i * 7 + (i >> 8) * 13 + (i >> 16) * 31);
}

static uint64_t now_us(void) {
    return twin_now_ns(w.sim) / 1000;
}

// --- Ours ---

static void give_some(struct client *client) {
    uint8_t data[1000];

    while (client->near_given < w.total) {
        uint64_t left = w.total - client->near_given;
        uint32_t size = left < sizeof(data) ? (uint32_t)left : (uint32_t)sizeof(data);

        for (uint32_t i = 0; i < size; i++) {
            data[i] = pattern(client->near_given + i);
        }
        int32_t taken = cor_tcp_write(client->tcp, data, size, now_us());
        if (taken <= 0) {
            client->zero_writes++;
            return;
        }
        client->near_given += (uint32_t)taken;
        if (client->near_given == w.total) {
            (void)cor_tcp_close(client->tcp, now_us());
        }
    }
}

static void take_some(struct client *client) {
    const uint8_t *data;
    int32_t there;

    while (!client->held && (there = cor_tcp_receive_buf(client->tcp, &data)) > 0) {
        for (int32_t i = 0; i < there; i++) {
            client->near_wrong += data[i] != pattern(client->near_got + (uint64_t)i);
        }
        client->near_got += (uint32_t)there;
        cor_tcp_receive_ack(client->tcp, (uint32_t)there, now_us());
    }
}

static bool hold_new;  // clients that connect are not read

static void run_application(void) {
    struct cor_tcp *tcp;

    // Connections come in the order they were asked for, unless a SYN is lost; the port tells.
    while ((tcp = cor_tcp_accept(&w.listener)) != NULL) {
        for (uint32_t i = 0; i < CLIENTS; i++) {
            if (w.clients[i].tcp == NULL) {
                w.clients[i].tcp = tcp;
                w.clients[i].held = hold_new;
                break;
            }
        }
    }
    for (uint32_t i = 0; i < CLIENTS; i++) {
        if (w.clients[i].tcp != NULL) {
            take_some(&w.clients[i]);
            give_some(&w.clients[i]);
        }
    }
}

// --- The link ---

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
    twin_after(w.sim, &w.idle, (uint64_t)frame->size_bytes * 8 * 1000 / BITS_PER_US);
    struct twin_port port = twin_wire_near(w.wire);
    port.input(port.context, frame);
}

static void go_on(void) {
    (void)cor_net_poll(&w.net, now_us());
    run_application();
    pull_frame();
    uint64_t deadline_us = cor_net_poll(&w.net, now_us());
    if (deadline_us == COR_NET_NEVER) {
        twin_cancel(w.sim, &w.timer);
    } else {
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
    memcpy(at, frame->data, frame->size_bytes);
    (void)source->ops->input(source, now_us(), at, frame->size_bytes);
    twin_frame_put(w.frames, frame);
    go_on();
}

// --- The far side ---

static uint32_t far_fill(void *context, uint8_t *into, uint32_t room_bytes) {
    struct client *client = context;
    uint64_t left = w.total - client->far_given;
    uint32_t size = left < room_bytes ? (uint32_t)left : room_bytes;

    for (uint32_t i = 0; i < size; i++) {
        into[i] = pattern(client->far_given + i);
    }
    client->far_given += size;
    return size;
}

static void far_received(void *context, const uint8_t *data, uint32_t size_bytes) {
    struct client *client = context;

    for (uint32_t i = 0; i < size_bytes; i++) {
        client->far_wrong += data[i] != pattern(client->far_got + i);
    }
    client->far_got += size_bytes;
}

static void far_closed(void *context, bool orderly) {
    struct client *client = context;

    client->closed_orderly = orderly;
}

static void close_world(void) {
    for (uint32_t i = 0; i < CLIENTS; i++) {
        twin_peer_sender_free(w.clients[i].sender);
    }
    twin_peer_free(w.peer);
    twin_wire_free(w.wire);
    twin_frames_free(w.frames);
    twin_sim_free(w.sim);
    w.sim = NULL;
}

static void open_world(uint64_t seed, double loss, uint64_t total) {
    struct cor_net_config net = {
        .mac = {2, 0, 0, 0, 0, 2},
        .address = COR_IP4(192, 168, 4, 2),
        .netmask = 0xFFFFFF00,
        .secret = {1, 2},
    };
    struct cor_tcp_listen_config listen = {
        .port = PORT, .blocks = w.blocks, .block_count = CLIENTS};

    if (w.sim != NULL) {
        close_world();  // of a case that failed
    }
    memset(&w, 0, sizeof(w));
    w.total = total;
    w.sim = twin_sim_new(seed, 1000000);
    w.frames = twin_frames_new();
    w.wire = twin_wire_new(&(struct twin_wire_config){
        .sim = w.sim, .frames = w.frames, .delay_ns = 2000000, .loss = twin_chance(loss)});
    w.peer = twin_peer_new(&(struct twin_peer_config){
        .sim = w.sim,
        .frames = w.frames,
        .wire = twin_wire_far(w.wire),
        .address = {2, 0, 0, 0, 0, 1},
        .ip = COR_IP4(192, 168, 4, 1),
        .netmask = 0xFFFFFF00,
        .receive_window = 16384,
        .port = 5001,
    });
    CHECK(w.peer != NULL);
    twin_wire_connect_far(w.wire, twin_peer_port(w.peer));
    twin_wire_connect_near(w.wire, (struct twin_port){.input = input});
    twin_event_init(&w.idle, link_idle, NULL);
    twin_event_init(&w.timer, timer_due, NULL);
    cor_net_init(&w.net, &net, now_us());
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct cor_tcp_config tcp = {
            .ring = (uint8_t *)w.rings[i],
            .ring_bytes = RING_BYTES,
            .segments = w.segments[i],
            .segment_count = SEGMENTS,
            .receive_ring = w.receive_rings[i],
            .receive_ring_bytes = RECEIVE_RING,
        };

        cor_tcp_init(&w.tcp[i], &w.net, &tcp);
        w.blocks[i] = &w.tcp[i];
    }
    CHECK_EQ(cor_tcp_listen(&w.listener, &w.net, &listen), COR_OK);
    // One after the other, so that clients and blocks have the same order.
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct twin_peer_send_config config = {
            .ip = COR_IP4(192, 168, 4, 2),
            .port = PORT,
            .fill = far_fill,
            .received = far_received,
            .closed = far_closed,
            .context = &w.clients[i],
        };

        w.clients[i].sender = twin_peer_send(w.peer, &config);
        while (w.clients[i].tcp == NULL) {
            CHECK(twin_step(w.sim));
        }
    }
}

static void run_for(uint64_t wait_us) {
    twin_run_until(w.sim, twin_now_ns(w.sim) + wait_us * 1000);
}

static bool all_done(void) {
    bool done = true;

    for (uint32_t i = 0; i < CLIENTS; i++) {
        done = done && w.clients[i].far_got == w.total && w.clients[i].near_got == w.total &&
               w.clients[i].closed_orderly;
    }
    return done;
}

// Where each connection stands; for whoever reads a failure.
static void show(void) {
    for (uint32_t i = 0; i < CLIENTS; i++) {
        const struct client *client = &w.clients[i];
        const struct cor_tcp_counters *counters = cor_tcp_get_counters(client->tcp);

        printf(
            "  client %u: up %llu of %llu, down %llu of %llu, %s, %s, timeouts %llu\n",
            i,
            (unsigned long long)client->near_got,
            (unsigned long long)client->far_given,
            (unsigned long long)client->far_got,
            (unsigned long long)client->near_given,
            cor_tcp_state_name(cor_tcp_state(client->tcp)),
            cor_status_name(cor_tcp_error(client->tcp)),
            (unsigned long long)counters->timeouts);
    }
}

static void check_exact(uint64_t total, double loss, uint64_t seed, uint64_t bound_us) {
    open_world(seed, loss, total);
    for (uint64_t t = 0; t < bound_us && !all_done(); t += 100000) {
        run_for(100000);
    }
    if (!all_done()) {
        show();
    }
    for (uint32_t i = 0; i < CLIENTS; i++) {
        CHECK_EQ(w.clients[i].near_got, total);
        CHECK_EQ(w.clients[i].far_got, total);
        CHECK_EQ(w.clients[i].near_wrong, 0);
        CHECK_EQ(w.clients[i].far_wrong, 0);
        CHECK(w.clients[i].closed_orderly);
    }
    close_world();
}

// What each client has got and given over two seconds; client 0 stalls in one of two ways.
enum stall { NOBODY, FAR_STOPS_READING, WE_STOP_READING };

static void measure(enum stall stall, uint64_t got[CLIENTS], uint64_t given[CLIENTS]) {
    open_world(1, 0, UINT64_MAX / 2);
    run_for(500000);
    if (stall == FAR_STOPS_READING) {
        twin_peer_sender_set_reading(w.clients[0].sender, false);
    }
    w.clients[0].held = stall == WE_STOP_READING;
    run_for(500000);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        got[i] = w.clients[i].far_got;
        given[i] = w.clients[i].near_got;
    }
    run_for(2000000);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        got[i] = w.clients[i].far_got - got[i];
        given[i] = w.clients[i].near_got - given[i];
        printf(
            "  client %u: %llu down, %llu up\n",
            i,
            (unsigned long long)got[i],
            (unsigned long long)given[i]);
    }
    CHECK(stall != FAR_STOPS_READING || w.clients[0].zero_writes > 0);
    close_world();
}

static void check_others(enum stall stall) {
    uint64_t got[2][CLIENTS];
    uint64_t given[2][CLIENTS];

    measure(NOBODY, got[0], given[0]);
    measure(stall, got[1], given[1]);
    for (uint32_t i = 1; i < CLIENTS; i++) {
        CHECK((double)got[1][i] >= 0.9 * (double)got[0][i]);
        CHECK((double)given[1][i] >= 0.9 * (double)given[0][i]);
    }
}

TEST(four_clients_both_ways_are_exact) {
    check_exact(1000003, 0, 1, 10000000);
}

TEST(four_clients_both_ways_are_exact_with_loss) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        check_exact(200001, 0.03, seed, 400000000);
    }
}

TEST(scenario_27_a_client_that_stops_reading_does_not_slow_the_others) {
    check_others(FAR_STOPS_READING);
}

TEST(a_connection_that_is_not_read_does_not_slow_the_others) {
    check_others(WE_STOP_READING);
}

static bool all_full(void) {
    bool full = true;

    for (uint32_t i = 0; i < CLIENTS; i++) {
        full = full && cor_tcp_readable_bytes(w.clients[i].tcp) == RECEIVE_RING;
    }
    return full;
}

// Scenario 22 with a peer of flesh and blood: our window closes, and opens again.
TEST(scenario_22_a_window_that_was_closed_opens_with_loss_on_the_way) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        hold_new = true;
        open_world(seed, 0.05, 300000);
        hold_new = false;
        for (uint32_t t = 0; t < 1000 && !all_full(); t++) {
            run_for(1000000);
        }
        CHECK(all_full());
        for (uint32_t i = 0; i < CLIENTS; i++) {
            w.clients[i].held = false;
        }
        go_on();
        for (uint32_t t = 0; t < 4000 && !all_done(); t++) {
            run_for(100000);
        }
        CHECK(all_done());
        close_world();
    }
}

TEST_MAIN(
    CASE(four_clients_both_ways_are_exact),
    CASE(four_clients_both_ways_are_exact_with_loss),
    CASE(scenario_27_a_client_that_stops_reading_does_not_slow_the_others),
    CASE(a_connection_that_is_not_read_does_not_slow_the_others),
    CASE(scenario_22_a_window_that_was_closed_opens_with_loss_on_the_way))
