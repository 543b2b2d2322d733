// SPDX-License-Identifier: MIT
// Listening: one port for TCP and UDP.
#include "common/exit_code.h"
#include "parts.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024, PORT_TRIES = 20 };

static int open_socket(struct sink *sink, int type, socklen_t size) {
    static const int on = 1;
    static const int off = 0;
    int socket_type = type | SOCK_NONBLOCK | SOCK_CLOEXEC;
    int descriptor = socket(sink->address.ss_family, socket_type, 0);

    if (descriptor < 0) {
        return -1;
    }
    if (sink->address.ss_family == AF_INET6) {
        (void)setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    }
    if (type == SOCK_STREAM) {
        // Connections of the run before that are in TIME-WAIT do not hold the port.
        (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    }
    if (bind(descriptor, (struct sockaddr *)&sink->address, size) != 0 ||
        (type == SOCK_STREAM && listen(descriptor, BACKLOG) != 0)) {
        int error = errno;

        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

// TCP first, then UDP at the port that TCP was given. False with errno when one of them fails.
static bool open_both(struct sink *sink, socklen_t size) {
    sink->listener = open_socket(sink, SOCK_STREAM, size);
    if (sink->listener < 0) {
        return false;
    }
    socklen_t bound_size = sizeof(sink->address);
    if (getsockname(sink->listener, (struct sockaddr *)&sink->address, &bound_size) != 0) {
        return false;
    }
    sink->udp = open_socket(sink, SOCK_DGRAM, size);
    if (sink->udp < 0) {
        int error = errno;

        close(sink->listener);
        sink->listener = -1;
        errno = error;
        return false;
    }
    return true;
}

static int explain(const struct sink *sink, int error) {
    const struct sink_config *config = &sink->config;
    FILE *log = config->log;
    unsigned port = config->port;

    fprintf(log, "%s: cannot listen on %s port %u: ", config->command, config->host, port);
    switch (error) {
    case EADDRINUSE:
        fprintf(
            log,
            "the port is in use; give another one (--port N, 0 takes any free one) or end what "
            "has it (ss -lntup | grep :%u)\n",
            port);
        break;
    case EADDRNOTAVAIL:
        fputs(
            "no interface has that address; ip addr shows those there are, 0.0.0.0 is all\n", log);
        break;
    case EACCES:
        fputs("ports below 1024 need root; give another one with --port N\n", log);
        break;
    default:
        fprintf(log, "%s\n", strerror(error));
        break;
    }
    return EXIT_CODE_ENVIRONMENT;
}

int sink_listen(struct sink *sink) {
    const struct sink_config *config = &sink->config;
    socklen_t size = 0;
    const char *wrong = sink_address_find(config->host, config->port, &sink->address, &size);

    if (wrong != NULL) {
        fprintf(
            config->log,
            "%s: --listen '%s': %s; give an address of this machine, 0.0.0.0 for all\n",
            config->command,
            config->host,
            wrong);
        return EXIT_CODE_ENVIRONMENT;
    }
    // With port 0 the free TCP port may be taken for UDP: another one is tried.
    int tries = config->port == 0 ? PORT_TRIES : 1;
    while (tries-- > 0 && !open_both(sink, size)) {
        if (tries == 0 || errno != EADDRINUSE) {
            return explain(sink, errno);
        }
        sink_address_set_port(&sink->address, 0);
    }
    sink_address_text(&sink->address, sink->host);
    return 0;
}
