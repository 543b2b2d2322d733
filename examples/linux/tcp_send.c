// SPDX-License-Identifier: MIT
// The smallest program: our stack on a TAP device sends a file to a host over TCP.
//
//     tcp_send tap0 10.77.0.2 10.77.0.1:5001 FILE [GATEWAY]
//
// The netmask is 255.255.255.0. docs/howto/stack-on-linux.md shows the whole from a cold start.
#include "loop.h"
#include "tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coradio/ip4.h"
#include "coradio/net.h"
#include "coradio/tcp.h"

#define RING_BYTES 65536

// All memory of the stack is here.
static struct cor_net net;
static struct cor_tap tap;
static struct cor_tcp tcp;
static uint32_t ring[RING_BYTES / 4];
static struct cor_tcp_segment segments[COR_TCP_SEGMENTS_FOR(RING_BYTES)];

static int fail(const char *what, const char *why) {
    fprintf(stderr, "tcp_send: %s: %s\n", what, why);
    return 1;
}

// "10.77.0.1:5001"
static bool parse_target(char *text, uint32_t *address, uint16_t *port) {
    char *colon = strchr(text, ':');

    if (colon == NULL) {
        return false;
    }
    *colon = '\0';
    *port = (uint16_t)strtoul(colon + 1, NULL, 10);
    return cor_ip4_parse(text, address) && *port != 0;
}

// Reads from the file straight into the room the ring lends, until the ring is full.
static void feed(int file) {
    uint8_t *room;
    int32_t size;

    while ((size = cor_tcp_send_buf(&tcp, &room)) > 0) {
        ssize_t got = read(file, room, (size_t)size);

        cor_tcp_send_ack(&tcp, got > 0 ? (uint32_t)got : 0, cor_linux_now_us());
        if (got <= 0) {
            (void)cor_tcp_close(&tcp, cor_linux_now_us());  // the state tells how it ends
        }
    }
}

int main(int argc, char **argv) {
    struct cor_net_config config = {.netmask = COR_IP4(255, 255, 255, 0)};
    struct cor_tcp_config tcp_config = {
        .ring = (uint8_t *)ring,
        .ring_bytes = sizeof(ring),
        .segments = segments,
        .segment_count = sizeof(segments) / sizeof(segments[0]),
    };
    uint32_t target;
    uint16_t port;
    int file;
    int error;

    if (argc < 5 || !cor_ip4_parse(argv[2], &config.address) ||
        !parse_target(argv[3], &target, &port) ||
        (argc > 5 && !cor_ip4_parse(argv[5], &config.gateway))) {
        fprintf(stderr, "usage: tcp_send TAP ADDRESS TARGET:PORT FILE [GATEWAY]\n");
        return 2;
    }
    file = open(argv[4], O_RDONLY);
    if (file < 0) {
        return fail(argv[4], "cannot be read");
    }
    if (cor_linux_secret(config.secret) != 0 || cor_linux_mac(config.mac) != 0) {
        return fail("random numbers", "the kernel has none");
    }
    cor_net_init(&net, &config, cor_linux_now_us());
    error = cor_tap_open(&tap, argv[1], cor_net_frames(&net));
    if (error != 0) {
        return fail(argv[1], strerror(error));
    }
    cor_tap_start(&tap, cor_linux_now_us());
    cor_tcp_init(&tcp, &net, &tcp_config);
    enum cor_status status = cor_tcp_connect(&tcp, target, port, cor_linux_now_us());
    while (status == COR_OK && cor_tcp_state(&tcp) != COR_TCP_CLOSED &&
           cor_tcp_state(&tcp) != COR_TCP_TIME_WAIT) {
        feed(file);
        status = cor_linux_poll(&tap, &net, COR_NET_NEVER, NULL, 0);
    }
    status = status == COR_OK ? cor_tcp_error(&tcp) : status;
    cor_tap_close(&tap, cor_linux_now_us());
    close(file);
    if (status != COR_OK) {
        return fail(argv[3], cor_status_text(status));
    }
    printf("%llu bytes sent\n", (unsigned long long)cor_tcp_get_counters(&tcp)->bytes_acked);
    return 0;
}
