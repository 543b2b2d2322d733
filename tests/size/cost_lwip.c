// SPDX-License-Identifier: MIT
// The same steps with lwIP, whose frames end in a model of the radio driver's one buffer: SDPCM and
// BDC headers are written there and the frame is copied behind them, as georgerobotics/cyw43-driver
// does it (read from public code: src/cyw43_lwip.c, cyw43_ll.c). A frame received is copied into a
// buffer of the pool. Bus, locks and interrupts are not part of it.
#include "cost.h"
#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/tcp.h"
#include "lwip/timeouts.h"

#include <string.h>

#define LEAD_BYTES 18  // SDPCM 12, padding 2, BDC 4

static struct netif netif;
static struct tcp_pcb *pcb;
static uint32_t data[COST_SEGMENT_BYTES / 4];
static uint32_t driver_buffer[512];
static uint32_t driver_bytes;
static uint32_t received_bytes;
static uint32_t now_ms = 1000;
static int8_t sequence;

uint32_t cost_random(void) {
    return 4;
}

u32_t sys_now(void) {
    return now_ms;
}

// ---- the driver's part

static err_t link_output(struct netif *on, struct pbuf *frame) {
    uint8_t *at = (uint8_t *)driver_buffer;
    uint16_t size = (uint16_t)(LEAD_BYTES + frame->tot_len);
    const uint16_t words[2] = {size, (uint16_t)~size};

    (void)on;
    memcpy(at, words, 4);
    at[4] = (uint8_t)sequence++;
    at[5] = 2;
    at[6] = 0;
    at[7] = 14;
    memset(at + 8, 0, 6);
    at[14] = 0x20;
    memset(at + 15, 0, 3);
    pbuf_copy_partial(frame, at + LEAD_BYTES, frame->tot_len, 0);
    driver_bytes = frame->tot_len;
    return ERR_OK;
}

static err_t netif_start(struct netif *on) {
    on->linkoutput = link_output;
    on->output = etharp_output;
    on->mtu = 1500;
    on->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_LINK_UP | NETIF_FLAG_ETHERNET;
    memcpy(on->hwaddr, cost_our_mac, 6);
    on->hwaddr_len = 6;
    return ERR_OK;
}

static err_t receive(void *context, struct tcp_pcb *from, struct pbuf *bytes, err_t error) {
    (void)context;
    (void)error;
    if (bytes != NULL) {
        received_bytes += bytes->tot_len;
        tcp_recved(from, bytes->tot_len);
        pbuf_free(bytes);
    }
    return ERR_OK;
}

// ---- the steps

static void step_nothing(void) {
    __asm__ volatile("" ::: "memory");
}

static void step_send(void) {
    err_t error = tcp_write(pcb, data, COST_SEGMENT_BYTES, 0);

    COST_CHECK(error == ERR_OK);
    (void)tcp_output(pcb);
}

static void step_input(void) {
    struct pbuf *frame = pbuf_alloc(PBUF_RAW, (u16_t)cost_frame_bytes, PBUF_POOL);

    COST_CHECK(frame != NULL);
    (void)pbuf_take(frame, cost_frame, (u16_t)cost_frame_bytes);
    if (netif.input(frame, &netif) != ERR_OK) {
        pbuf_free(frame);
    }
}

static void step_poll(void) {
    sys_check_timeouts();
}

// ---- the run

static void take(void) {
    if (driver_bytes != 0) {
        cost_peer_take((const uint8_t *)driver_buffer + LEAD_BYTES, driver_bytes);
    }
    driver_bytes = 0;
}

static void start(void) {
    ip4_addr_t ours;
    ip4_addr_t mask;
    ip4_addr_t none;
    ip_addr_t peer;

    lwip_init();
    IP4_ADDR(&ours, 10, 0, 0, 2);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&none, 0, 0, 0, 0);
    IP4_ADDR(&peer, 10, 0, 0, 1);
    COST_CHECK(netif_add(&netif, &ours, &mask, &none, NULL, netif_start, netif_input) != NULL);
    netif_set_default(&netif);
    netif_set_up(&netif);
    pcb = tcp_new();
    COST_CHECK(pcb != NULL);
    tcp_recv(pcb, receive);
    COST_CHECK(tcp_connect(pcb, &peer, COST_PEER_PORT, NULL) == ERR_OK);
    cost_peer_arp();
    step_input();
    take();
    COST_CHECK(cost_peer.port != 0);
    cost_peer_syn();
    step_input();
    take();
    COST_CHECK(pcb->state == ESTABLISHED);
}

static void send_one(void) {
    uint32_t bytes = cost_peer.bytes;

    cost_run(COST_SEND, step_send);
    take();
    COST_CHECK(cost_peer.bytes == bytes + COST_SEGMENT_BYTES);
}

static void acknowledge(enum cost_step step) {
    cost_peer_ack();
    cost_run(step, step_input);
    COST_CHECK(pcb->unacked == NULL && pcb->unsent == NULL);
}

int main(void) {
    start();
    for (uint32_t i = 0; i < COST_ROUNDS; i++) {
        cost_run(COST_NOTHING, step_nothing);
        send_one();
        send_one();
        cost_run(COST_POLL, step_poll);
        acknowledge(COST_ACK_TWO);
        send_one();
        acknowledge(COST_ACK_ONE);
    }
    for (uint32_t i = 0; i < COST_ROUNDS; i++) {
        cost_peer_data();
        cost_run(COST_RECEIVE, step_input);
        take();
    }
    COST_CHECK(received_bytes == COST_ROUNDS * COST_SEGMENT_BYTES);
    cost_report();
    return 0;
}
