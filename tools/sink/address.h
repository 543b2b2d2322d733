// SPDX-License-Identifier: MIT
// Address: where the sink listens, which addresses a board can reach it at, and who its peers are.
#ifndef TOOLS_SINK_ADDRESS_H
#define TOOLS_SINK_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define SINK_HOST_SIZE    64
#define SINK_ADDRESS_SIZE 72  // "[fe80::1%wlan0]:65535"

// The parts of HOST:PORT, HOST, :PORT, PORT, [V6]:PORT; what is left out stays as it is.
// Returns NULL or a phrase that says what is wrong.
const char *sink_address_split(const char *text, char host[SINK_HOST_SIZE], uint16_t *port);

// The socket address of a host name or number; IPv4 is preferred. Returns NULL or a phrase.
const char *sink_address_find(
    const char *host, uint16_t port, struct sockaddr_storage *address, socklen_t *size);

uint16_t sink_address_port(const struct sockaddr_storage *address);
void sink_address_set_port(struct sockaddr_storage *address, uint16_t port);

// IPv4 inside IPv6 is shown and compared as IPv4. Each returns text.
char *sink_address_host(const struct sockaddr_storage *address, char text[SINK_HOST_SIZE]);
char *sink_address_text(const struct sockaddr_storage *address, char text[SINK_ADDRESS_SIZE]);

bool sink_address_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
bool sink_address_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
bool sink_address_is_loopback(const struct sockaddr_storage *address);
bool sink_address_is_any(const struct sockaddr_storage *address);

// True when some interface of this machine has the peer in its subnet (or is the peer).
bool sink_address_is_on_link(const struct sockaddr_storage *address);

#endif
