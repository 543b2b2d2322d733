// SPDX-License-Identifier: MIT
// The smallest server: our stack on a TAP device gives a file to whoever asks for it by HTTP, and
// takes what is put.
//
//     http_serve tap0 10.77.0.2 80 FILE [STORE]
//
//     curl http://10.77.0.2/ -o file        curl -T file http://10.77.0.2/
//
// Four clients at once; each connection carries one request (HTTP/1.0). GET gives FILE, PUT with a
// Content-Length writes STORE. The netmask is 255.255.255.0. SIGINT ends it.
#include "loop.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coradio/ip4.h"
#include "coradio/net.h"
#include "coradio/tcp.h"
#include "coradio/tcp_listen.h"

#define CLIENTS       4
#define RING_BYTES    65536
#define RECEIVE_BYTES 32768
#define SEGMENTS      COR_TCP_SEGMENTS_FOR(RING_BYTES)
#define REQUEST_BYTES 2048

enum step { STEP_REQUEST, STEP_TAKE, STEP_GIVE, STEP_END };

struct client {
    struct cor_tcp *tcp;  // NULL: free
    enum step step;
    char request[REQUEST_BYTES];
    size_t request_bytes;
    int file;       // what is given or written; -1: none
    uint64_t left;  // bytes of it
    char answer[160];
    size_t answer_bytes;  // of it that are still to be sent, from the end
};

// All memory of the stack is here.
static struct cor_net net;
static struct cor_tap tap;
static struct cor_tcp_listener listener;
static struct cor_tcp tcps[CLIENTS];
static struct cor_tcp *blocks[CLIENTS];
static struct cor_tcp_segment segments[CLIENTS][SEGMENTS];
static uint32_t rings[CLIENTS][RING_BYTES / 4];
static uint8_t receive_rings[CLIENTS][RECEIVE_BYTES];
static struct client clients[CLIENTS];
static const char *file_path;
static const char *store_path;
static volatile sig_atomic_t stopped;

static void stop(int number) {
    (void)number;
    stopped = 1;
}

static void answer(struct client *client, const char *status, uint64_t bytes) {
    int length = snprintf(
        client->answer,
        sizeof(client->answer),
        "HTTP/1.0 %s\r\nContent-Length: %llu\r\nConnection: close\r\n\r\n",
        status,
        (unsigned long long)bytes);

    client->answer_bytes = (size_t)length;
    client->step = STEP_GIVE;
}

static void begin_get(struct client *client) {
    struct stat status;

    client->file = open(file_path, O_RDONLY);
    if (client->file < 0 || fstat(client->file, &status) != 0) {
        answer(client, "404 Not Found", 0);
        return;
    }
    client->left = (uint64_t)status.st_size;
    answer(client, "200 OK", client->left);
}

static void begin_put(struct client *client) {
    const char *length = strcasestr(client->request, "\r\ncontent-length:");
    char *end = NULL;

    client->left = length == NULL ? 0 : strtoull(length + 17, &end, 10);
    if (store_path == NULL || length == NULL || (*end != '\r' && *end != '\n')) {
        answer(client, store_path == NULL ? "403 Forbidden" : "411 Length Required", 0);
        return;
    }
    client->file = open(store_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (client->file < 0) {
        answer(client, "500 Internal Server Error", 0);
        return;
    }
    client->step = STEP_TAKE;
    if (strcasestr(client->request, "\r\nexpect: 100-continue") != NULL) {
        static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
        const uint32_t size = sizeof(go_on) - 1;

        // There is room: the ring is empty.
        if (cor_tcp_write(client->tcp, (const uint8_t *)go_on, size, cor_linux_now_us()) !=
            (int32_t)size) {
            client->step = STEP_END;
        }
    }
}

// Takes bytes up to the empty line. What follows stays in the receive ring.
static void read_request(struct client *client, const uint8_t *data, uint32_t size_bytes) {
    uint32_t taken = 0;

    while (taken < size_bytes && client->step == STEP_REQUEST) {
        client->request[client->request_bytes++] = (char)data[taken++];
        client->request[client->request_bytes] = '\0';
        if (client->request_bytes == REQUEST_BYTES - 1) {
            answer(client, "431 Request Header Fields Too Large", 0);
        } else if (
            client->request_bytes >= 4 &&
            memcmp(&client->request[client->request_bytes - 4], "\r\n\r\n", 4) == 0) {
            if (strncmp(client->request, "GET ", 4) == 0) {
                begin_get(client);
            } else if (strncmp(client->request, "PUT ", 4) == 0) {
                begin_put(client);
            } else {
                answer(client, "405 Method Not Allowed", 0);
            }
        }
    }
    cor_tcp_receive_ack(client->tcp, taken, cor_linux_now_us());
}

// Writes what has arrived to the store, where it lies in the receive ring.
static void take(struct client *client, const uint8_t *data, uint32_t size_bytes) {
    uint32_t size = size_bytes < client->left ? size_bytes : (uint32_t)client->left;

    for (uint32_t done = 0; done < size;) {
        ssize_t wrote = write(client->file, data + done, size - done);

        if (wrote < 0) {
            answer(client, "507 Insufficient Storage", 0);
            return;
        }
        done += (uint32_t)wrote;
    }
    client->left -= size;
    cor_tcp_receive_ack(client->tcp, size, cor_linux_now_us());
}

// The head from our memory, the file straight into the room the ring lends.
static void give(struct client *client) {
    uint8_t *room;
    int32_t size;

    while (client->step == STEP_GIVE && (size = cor_tcp_send_buf(client->tcp, &room)) > 0) {
        ssize_t got = 0;

        if (client->answer_bytes > 0) {
            size_t whole = strlen(client->answer);

            got = (size_t)size < client->answer_bytes ? size : (ssize_t)client->answer_bytes;
            memcpy(room, client->answer + whole - client->answer_bytes, (size_t)got);
            client->answer_bytes -= (size_t)got;
        } else if (client->left > 0 && client->file >= 0) {
            got = read(
                client->file, room, (uint64_t)size < client->left ? (size_t)size : client->left);
            client->left -= got > 0 ? (uint64_t)got : client->left;
        }
        cor_tcp_send_ack(client->tcp, got > 0 ? (uint32_t)got : 0, cor_linux_now_us());
        if (got <= 0) {
            client->step = STEP_END;
        }
    }
}

static void end(struct client *client) {
    if (client->file >= 0) {
        close(client->file);
    }
    cor_tcp_give(client->tcp, cor_linux_now_us());  // closes in order behind what is sent
    client->tcp = NULL;
}

static void run(struct client *client) {
    const uint8_t *data;
    int32_t there = 0;

    while (client->step <= STEP_TAKE && (there = cor_tcp_receive_buf(client->tcp, &data)) > 0) {
        if (client->step == STEP_REQUEST) {
            read_request(client, data, (uint32_t)there);
        } else {
            take(client, data, (uint32_t)there);
        }
        if (client->step == STEP_TAKE && client->left == 0) {
            answer(client, "201 Created", 0);
        }
    }
    give(client);
    if (client->step == STEP_END || there < 0 || cor_tcp_state(client->tcp) == COR_TCP_CLOSED) {
        end(client);
    }
}

static void serve(void) {
    for (uint32_t i = 0; i < CLIENTS; i++) {
        if (clients[i].tcp == NULL) {
            clients[i] = (struct client){.tcp = cor_tcp_accept(&listener), .file = -1};
        }
        if (clients[i].tcp != NULL) {
            run(&clients[i]);
        }
    }
}

static enum cor_status listen_on(uint16_t port) {
    struct cor_tcp_listen_config config = {.port = port, .blocks = blocks, .block_count = CLIENTS};

    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct cor_tcp_config tcp = {
            .ring = (uint8_t *)rings[i],
            .ring_bytes = RING_BYTES,
            .segments = segments[i],
            .segment_count = SEGMENTS,
            .receive_ring = receive_rings[i],
            .receive_ring_bytes = RECEIVE_BYTES,
        };

        cor_tcp_init(&tcps[i], &net, &tcp);
        blocks[i] = &tcps[i];
    }
    return cor_tcp_listen(&listener, &net, &config);
}

int main(int argc, char **argv) {
    struct cor_net_config config = {.netmask = COR_IP4(255, 255, 255, 0)};
    enum cor_status status;
    int error;

    if (argc < 5 || !cor_ip4_parse(argv[2], &config.address)) {
        fprintf(stderr, "usage: http_serve TAP ADDRESS PORT FILE [STORE]\n");
        return 2;
    }
    file_path = argv[4];
    store_path = argc > 5 ? argv[5] : NULL;
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    if (cor_linux_secret(config.secret) != 0 || cor_linux_mac(config.mac) != 0) {
        fprintf(stderr, "http_serve: the kernel has no random numbers\n");
        return 1;
    }
    cor_net_init(&net, &config, cor_linux_now_us());
    error = cor_tap_open(&tap, argv[1], cor_net_frames(&net));
    if (error != 0) {
        fprintf(stderr, "http_serve: %s: %s\n", argv[1], strerror(error));
        return 1;
    }
    cor_tap_start(&tap, cor_linux_now_us());
    status = listen_on((uint16_t)strtoul(argv[3], NULL, 10));
    if (status == COR_OK) {
        printf("serving\n");
        fflush(stdout);
    }
    while (status == COR_OK && !stopped) {
        serve();
        status = cor_linux_poll(&tap, &net, COR_NET_NEVER, NULL, 0);
    }
    cor_tap_close(&tap, cor_linux_now_us());
    if (status != COR_OK) {
        fprintf(stderr, "http_serve: %s\n", cor_status_text(status));
    }
    return status == COR_OK ? 0 : 1;
}
