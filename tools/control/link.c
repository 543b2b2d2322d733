// SPDX-License-Identifier: MIT
#include "control/link.h"

#include "control/virtual_board.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { ERROR_BYTES = 400, TWIN_WORDS_MAX = 64 };

// ---- a virtual board of our own

// Options of `coradio run` from words between spaces; each is to be freed. Returns how many.
static int split_options(const char *options, char *words[TWIN_WORDS_MAX]) {
    int count = 0;

    for (;;) {
        size_t size;

        options += strspn(options, " \t");
        size = strcspn(options, " \t");
        if (size == 0 || count == TWIN_WORDS_MAX ||
            asprintf(&words[count], "--%.*s", (int)size, options) < 0) {
            return count;
        }
        count++;
        options += size;
    }
}

static _Noreturn void be_twin(int socket, const char *options) {
    char *words[TWIN_WORDS_MAX];
    char error[256];
    int count = 0;
    struct virtual_board *board;
    struct virtual_board_ports ports = {
        .console_in = socket, .console_out = socket, .listener = -1, .linked = true};

    signal(SIGINT, SIG_IGN);  // the parent ends it by closing the link
    count = split_options(options, words);
    board = virtual_board_new(count, words, error);
    if (board == NULL) {
        dprintf(socket, "{\"event\":\"refused\",\"error\":\"%s\"}\n", error);
        _exit(1);
    }
    virtual_board_serve(board, &ports);
    _exit(0);
}

static bool open_twin(struct link *link, const char *options, char *error) {
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        snprintf(error, ERROR_BYTES, "no socket for a virtual board: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    link->twin = fork();
    if (link->twin < 0) {
        snprintf(error, ERROR_BYTES, "no process for a virtual board: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (link->twin == 0) {
        close(ends[0]);
        be_twin(ends[1], options);
    }
    close(ends[1]);
    link->socket = ends[0];
    return true;
}

// Says what is wrong with the options before anything is asked.
static bool check_twin(const char *options, char *error) {
    char *words[TWIN_WORDS_MAX];
    char reason[256];
    int count = split_options(options, words);
    struct virtual_board *board;

    board = virtual_board_new(count, words, reason);
    if (board == NULL) {
        snprintf(error, ERROR_BYTES, "twin: %s", reason);
    }
    virtual_board_free(board);
    while (count > 0) {
        free(words[--count]);
    }
    return board != NULL;
}

// ---- TCP

static struct addrinfo *find(const char *address, bool passive, char *error) {
    struct addrinfo hints = {
        .ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0, .ai_family = AF_UNSPEC};
    struct addrinfo *found = NULL;
    const char *colon = strrchr(address, ':');
    char host[256];
    int code;

    if (colon == NULL || colon == address || (size_t)(colon - address) >= sizeof(host)) {
        snprintf(
            error,
            ERROR_BYTES,
            "'%.80s' is no board; give /dev/tty..., HOST:PORT, or twin",
            address);
        return NULL;
    }
    snprintf(host, sizeof(host), "%.*s", (int)(colon - address), address);
    if (host[0] == '[' && host[strlen(host) - 1] == ']') {
        host[strlen(host) - 1] = '\0';
        memmove(host, host + 1, strlen(host));
    }
    code = getaddrinfo(host, colon + 1, &hints, &found);
    if (code != 0) {
        snprintf(error, ERROR_BYTES, "%.80s: %s", address, gai_strerror(code));
        return NULL;
    }
    return found;
}

static bool open_tcp(struct link *link, const char *address, char *error) {
    struct addrinfo *found = find(address, false, error);
    static const int one = 1;

    if (found == NULL) {
        return false;
    }
    link->tcp = true;
    link->socket = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, 0);
    if (link->socket < 0 || connect(link->socket, found->ai_addr, found->ai_addrlen) != 0) {
        snprintf(
            error,
            ERROR_BYTES,
            "%.80s: %s; is the board up, and control over TCP on?",
            address,
            strerror(errno));
        freeaddrinfo(found);
        if (link->socket >= 0) {
            close(link->socket);
        }
        return false;
    }
    (void)setsockopt(link->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));  // a wish
    freeaddrinfo(found);
    return true;
}

int link_listen(const char *address, unsigned *port, char *error) {
    struct addrinfo *found = find(address, true, error);
    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof(bound);
    static const int one = 1;
    int listener;

    if (found == NULL) {
        return -1;
    }
    listener = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, 0);
    if (listener >= 0) {
        (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));  // a wish
    }
    if (listener < 0 || bind(listener, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(listener, 4) != 0 || getsockname(listener, (struct sockaddr *)&bound, &size) != 0) {
        snprintf(
            error,
            ERROR_BYTES,
            "%.80s: %s; name another address or port",
            address,
            strerror(errno));
        if (listener >= 0) {
            close(listener);
        }
        freeaddrinfo(found);
        return -1;
    }
    freeaddrinfo(found);
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): getsockname() has filled it
    *port = ntohs(
        bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                    : ((struct sockaddr_in *)&bound)->sin_port);
    return listener;
}

// ---- serial ports

static bool make_raw(int port) {
    struct termios settings;

    if (tcgetattr(port, &settings) != 0) {
        return false;
    }
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    cfsetspeed(&settings, B115200);
    return tcsetattr(port, TCSANOW, &settings) == 0;
}

static bool open_serial(struct link *link, const char *address, char *error) {
    link->socket = open(address, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (link->socket < 0) {
        snprintf(
            error,
            ERROR_BYTES,
            "%.80s: %s%s",
            address,
            strerror(errno),
            errno == EACCES ? "; add yourself to the group of serial ports (dialout)"
                            : "; is the board plugged in?");
        return false;
    }
    if (!make_raw(link->socket)) {
        snprintf(error, ERROR_BYTES, "%.80s: no serial port", address);
        close(link->socket);
        return false;
    }
    (void)tcflush(link->socket, TCIOFLUSH);  // what an earlier program left
    return true;
}

int link_pty(char name[64], char *error) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    int slave;

    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
        ptsname_r(master, name, 64) != 0) {
        snprintf(error, ERROR_BYTES, "no pty: %s", strerror(errno));
        if (master >= 0) {
            close(master);
        }
        return -1;
    }
    // Raw from the start, so that nothing is echoed before the host has set it so.
    slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave >= 0) {
        (void)make_raw(slave);  // the host does it again
        close(slave);
    }
    return master;
}

// ---- all of them

bool link_open(struct link *link, const char *address, char *error) {
    *link = (struct link){.socket = -1};
    if (strcmp(address, "twin") == 0 || strncmp(address, "twin:", 5) == 0) {
        const char *options = address[4] == ':' ? address + 5 : "";

        return check_twin(options, error) && open_twin(link, options, error);
    }
    return address[0] == '/' ? open_serial(link, address, error) : open_tcp(link, address, error);
}

void link_close(struct link *link) {
    if (link->socket >= 0) {
        // A twin started later holds a copy of this descriptor; shut down, it is the end for all.
        (void)shutdown(link->socket, SHUT_RDWR);
        close(link->socket);
        link->socket = -1;
    }
    if (link->twin > 0) {
        while (waitpid(link->twin, NULL, 0) < 0 && errno == EINTR) {
        }
        link->twin = 0;
    }
}
