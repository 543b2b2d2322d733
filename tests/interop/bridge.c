// SPDX-License-Identifier: MIT
// Bridge: joins two ends by a path with impairments (impair.h), in real time and user space, for
// kernels that have no `tc netem`.
//
//     bridge --a unix:/run/x/socket --b tap:peer0@NETNS
//            --both rate=33M,delay=2ms,queue=64 --ab loss=0.01
//
// An end is a TAP device, by name, if wanted in another network namespace of /run/netns, or a
// socket (SOCK_SEQPACKET, one frame a datagram) where one program at a time connects. Prints
// "ready" when both ends are open. Ends with SIGTERM, SIGINT or --duration, and then writes a
// report of "name value" lines, first those of the direction from a to b, then those back, then its
// own: late_us_max and late_100us say how well it kept its times.
#include "common/exit_code.h"
#include "common/options.h"
#include "common/signals.h"
#include "common/units.h"
#include "impair.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// Frames moved from one end before the other has its turn.
#define FRAMES_PER_TURN 64
#define NS_PER_S        UINT64_C(1000000000)

struct end {
    const char *spec;
    int fd;         // frames; -1: nobody is there
    int listen_fd;  // -1: a TAP device
    bool full;      // the descriptor takes no more at the moment
    uint64_t drop_absent;
    uint64_t drop_write;
    uint64_t waits;
};

// From ends[from] to ends[1 - from].
struct bridge {
    struct end ends[2];
    struct impair *ways[2];
    uint64_t late_ns_max;
    uint64_t late_count;  // frames that left more than 100 us after their time
};

struct values {
    const char *a;
    const char *b;
    const char *both;
    const char *ab;
    const char *ba;
    const char *report;
    uint64_t seed;
    uint64_t duration_ns;
};

#define AT(member) OPTION_AT(struct values, member)

// clang-format off
static const struct option_row rows[] = {
    {"a", OPTION_TEXT, "END", "one end: tap:NAME, tap:NAME@NETNS or unix:PATH", .at = AT(a)},
    {"b", OPTION_TEXT, "END", "the other end", .at = AT(b)},
    {"both", OPTION_TEXT, "PATH", "the path in both directions", .at = AT(both)},
    {"ab", OPTION_TEXT, "PATH", "what is different from a to b", .at = AT(ab)},
    {"ba", OPTION_TEXT, "PATH", "what is different from b to a", .at = AT(ba)},
    {"seed", OPTION_COUNT, "N", "of all chances; default 1", .at = AT(seed)},
    {"duration", OPTION_TIME, "T", "end after this time", .at = AT(duration_ns)},
    {"report", OPTION_TEXT, "FILE", "where the report goes; default stdout", .at = AT(report)},
};
// clang-format on

static const struct options_spec spec = {
    .command = "bridge",
    .usage = "--a END --b END [--both PATH] [--ab PATH] [--ba PATH] [...]",
    .summary = "Joins two ends by a path that loses, doubles, damages, reorders, delays and "
               "limits frames.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .epilogue = "PATH is a list with commas of: loss=P twice=P damage=P reorder=P (0..1), hold=T "
                "(how long\na reordered frame is held back), delay=T, rate=R, queue=N (frames in "
                "front of the rate).",
};

static uint64_t now_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

// --- The path's text ---

static const char *set_item(struct impair_config *config, const char *name, const char *value) {
    const struct {
        const char *name;
        double *at;
    } chances[] = {
        {"loss", &config->loss},
        {"twice", &config->twice},
        {"damage", &config->damage},
        {"reorder", &config->reorder},
    };
    uint64_t count = 0;
    const char *wrong;

    for (size_t i = 0; i < sizeof(chances) / sizeof(chances[0]); i++) {
        if (strcmp(name, chances[i].name) == 0) {
            wrong = units_parse_real(value, chances[i].at);
            return wrong == NULL && *chances[i].at > 1 ? "is a chance, at most 1" : wrong;
        }
    }
    if (strcmp(name, "hold") == 0) {
        return units_parse_time(value, &config->hold_ns);
    }
    if (strcmp(name, "delay") == 0) {
        return units_parse_time(value, &config->delay_ns);
    }
    if (strcmp(name, "rate") == 0) {
        return units_parse_rate(value, &config->rate_bps);
    }
    if (strcmp(name, "queue") == 0) {
        wrong = units_parse_count(value, &count);
        config->queue_frames = (uint32_t)count;
        return wrong == NULL && (count == 0 || count > 4096) ? "is a number from 1 to 4096" : wrong;
    }
    return "belongs to nothing the bridge knows; see --help";
}

// Returns an exit code, OPTIONS_GO_ON when all is good.
static int read_path(const char *text, struct impair_config *config) {
    while (text != NULL && *text != '\0') {
        char item[64];
        size_t length = strcspn(text, ",");
        char *value;

        if (length >= sizeof(item)) {
            return options_error(&spec, "'%s' is too long for an item of a path", text);
        }
        memcpy(item, text, length);
        item[length] = '\0';
        value = strchr(item, '=');
        if (value == NULL) {
            return options_error(&spec, "'%s' is not of the form name=value", item);
        }
        *value++ = '\0';
        const char *wrong = set_item(config, item, value);
        if (wrong != NULL) {
            return options_error(&spec, "%s: '%s' %s", item, value, wrong);
        }
        text += length + (text[length] == ',');
    }
    return OPTIONS_GO_ON;
}

// --- Ends ---

// Opens a TAP device in a network namespace that has a name, and comes back to our own.
static int open_tap_in(const char *name, const char *netns, int *fd) {
    char path[256];
    int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int there;
    int error;

    snprintf(path, sizeof(path), "/run/netns/%s", netns);
    there = open(path, O_RDONLY | O_CLOEXEC);
    if (home < 0 || there < 0 || setns(there, CLONE_NEWNET) != 0) {
        error = errno;
    } else {
        error = cor_tap_device(name, fd);
        if (setns(home, CLONE_NEWNET) != 0) {
            error = errno;
        }
    }
    if (home >= 0) {
        close(home);
    }
    if (there >= 0) {
        close(there);
    }
    return error;
}

static int open_tap(struct end *end, const char *text) {
    char name[64];
    size_t length = strcspn(text, "@");

    if (length >= sizeof(name)) {
        return ENAMETOOLONG;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return text[length] == '@' ? open_tap_in(name, text + length + 1, &end->fd)
                               : cor_tap_device(name, &end->fd);
}

static int open_socket(struct end *end, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof(address.sun_path)) {
        return ENAMETOOLONG;
    }
    memcpy(address.sun_path, path, strlen(path));
    end->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (end->listen_fd < 0 ||
        bind(end->listen_fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(end->listen_fd, 1) != 0) {
        return errno;
    }
    return 0;
}

static int open_end(struct end *end, const char *text) {
    int error = EINVAL;

    end->spec = text;
    end->fd = -1;
    end->listen_fd = -1;
    if (strncmp(text, "tap:", 4) == 0) {
        error = open_tap(end, text + 4);
    } else if (strncmp(text, "unix:", 5) == 0) {
        error = open_socket(end, text + 5);
    }
    if (error != 0) {
        fprintf(stderr, "bridge: cannot open '%s': %s\n", text, strerror(error));
    }
    return error == 0 ? OPTIONS_GO_ON : EXIT_CODE_ENVIRONMENT;
}

static void leave(struct end *end) {
    if (end->listen_fd >= 0) {
        close(end->fd);
        end->fd = -1;
        end->full = false;
    }
}

static void admit(struct end *end) {
    int fd = accept4(end->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0) {
        return;
    }
    if (end->fd >= 0) {
        close(fd);  // one at a time
    } else {
        end->fd = fd;
    }
}

// --- Frames ---

static void read_end(struct bridge *bridge, int from) {
    struct end *end = &bridge->ends[from];
    uint8_t frame[IMPAIR_FRAME_BYTES_MAX + 1];

    for (int i = 0; i < FRAMES_PER_TURN && end->fd >= 0; i++) {
        ssize_t size = read(end->fd, frame, sizeof(frame));

        if (size > 0) {
            impair_input(bridge->ways[from], now_ns(), frame, (uint32_t)size);
        } else if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        } else {
            leave(end);
            return;
        }
    }
}

// Writes what is due; a full socket keeps it.
static void write_end(struct bridge *bridge, int to) {
    struct impair *way = bridge->ways[1 - to];
    struct end *end = &bridge->ends[to];
    uint32_t size_bytes;
    const uint8_t *frame;

    while (!end->full && (frame = impair_frame(way, now_ns(), &size_bytes)) != NULL) {
        uint64_t late_ns = now_ns() - impair_due_ns(way);

        if (end->fd < 0) {
            end->drop_absent++;
        } else if (write(end->fd, frame, size_bytes) < 0) {
            if (errno == EAGAIN) {
                end->full = true;
                end->waits++;
                return;
            }
            // EIO: a TAP device whose interface is down.
            end->drop_write++;
            if (errno != EIO && errno != EINTR) {
                leave(end);
            }
        }
        bridge->late_ns_max = late_ns > bridge->late_ns_max ? late_ns : bridge->late_ns_max;
        bridge->late_count += late_ns > 100000;
        impair_take(way);
    }
}

static uint64_t next_due_ns(const struct bridge *bridge) {
    uint64_t due_ns = IMPAIR_NEVER;

    for (int from = 0; from < 2; from++) {
        uint64_t way_ns = impair_due_ns(bridge->ways[from]);

        if (!bridge->ends[1 - from].full && way_ns < due_ns) {
            due_ns = way_ns;
        }
    }
    return due_ns;
}

static void wait_for(struct pollfd *fds, nfds_t count, uint64_t until_ns) {
    uint64_t begin_ns = now_ns();
    uint64_t left_ns = until_ns > begin_ns ? until_ns - begin_ns : 0;
    struct timespec timeout = {
        .tv_sec = (time_t)(left_ns / NS_PER_S),
        .tv_nsec = (long)(left_ns % NS_PER_S),
    };

    if (ppoll(fds, count, until_ns == IMPAIR_NEVER ? NULL : &timeout, NULL) < 0) {
        for (nfds_t i = 0; i < count; i++) {
            fds[i].revents = 0;
        }
    }
}

static void run(struct bridge *bridge, uint64_t end_ns) {
    while (!signals_stop_asked() && now_ns() < end_ns) {
        struct pollfd fds[5];
        uint64_t due_ns = next_due_ns(bridge);

        for (size_t i = 0; i < 2; i++) {
            const struct end *end = &bridge->ends[i];
            short events = POLLIN;

            events |= end->full ? POLLOUT : 0;
            fds[2 * i] = (struct pollfd){.fd = end->fd, .events = events};
            fds[2 * i + 1] = (struct pollfd){.fd = end->listen_fd, .events = POLLIN};
        }
        fds[4] = (struct pollfd){.fd = signals_fd(), .events = POLLIN};
        wait_for(fds, 5, due_ns < end_ns ? due_ns : end_ns);
        for (size_t i = 0; i < 2; i++) {
            if ((fds[2 * i].revents & POLLOUT) != 0) {
                bridge->ends[i].full = false;
            }
            if (fds[2 * i].revents != 0) {
                read_end(bridge, (int)i);
            }
            if (fds[2 * i + 1].revents != 0) {
                admit(&bridge->ends[i]);
            }
        }
        write_end(bridge, 0);
        write_end(bridge, 1);
    }
}

// --- The report ---

static void print_way(FILE *file, const char *name, const struct impair_counters *counters) {
#define X(counter, text) fprintf(file, "%s_" #counter " %" PRIu64 "\n", name, counters->counter);
    IMPAIR_COUNTERS(X)
#undef X
}

static int report(const struct bridge *bridge, const char *path) {
    FILE *file = path != NULL ? fopen(path, "w") : stdout;

    if (file == NULL) {
        fprintf(stderr, "bridge: cannot write '%s': %s\n", path, strerror(errno));
        return EXIT_CODE_ENVIRONMENT;
    }
    print_way(file, "ab", impair_get_counters(bridge->ways[0]));
    print_way(file, "ba", impair_get_counters(bridge->ways[1]));
    for (int i = 0; i < 2; i++) {
        const struct end *end = &bridge->ends[i];

        fprintf(file, "%c_drop_absent %" PRIu64 "\n", 'a' + i, end->drop_absent);
        fprintf(file, "%c_drop_write %" PRIu64 "\n", 'a' + i, end->drop_write);
        fprintf(file, "%c_waits %" PRIu64 "\n", 'a' + i, end->waits);
    }
    fprintf(file, "late_us_max %" PRIu64 "\n", bridge->late_ns_max / 1000);
    fprintf(file, "late_100us %" PRIu64 "\n", bridge->late_count);
    if (path != NULL) {
        fclose(file);
    }
    return EXIT_CODE_DONE;
}

static int make_ways(struct bridge *bridge, const struct values *values) {
    struct impair_config both = {.hold_ns = 2000000, .queue_frames = 64};
    const char *texts[2] = {values->ab, values->ba};
    int code = read_path(values->both, &both);

    for (int from = 0; from < 2 && code == OPTIONS_GO_ON; from++) {
        struct impair_config config = both;

        config.seed = 2 * values->seed + (uint64_t)from;
        code = read_path(texts[from], &config);
        bridge->ways[from] = code == OPTIONS_GO_ON ? impair_new(&config) : NULL;
        if (code == OPTIONS_GO_ON && bridge->ways[from] == NULL) {
            code = EXIT_CODE_ENVIRONMENT;
        }
    }
    return code;
}

static int open_all(struct bridge *bridge, const struct values *values) {
    int code = open_end(&bridge->ends[0], values->a);

    if (code == OPTIONS_GO_ON) {
        code = open_end(&bridge->ends[1], values->b);
    }
    if (code == OPTIONS_GO_ON && signals_catch() != 0) {
        code = EXIT_CODE_ENVIRONMENT;
    }
    return code;
}

int main(int argc, char **argv) {
    static struct bridge bridge = {
        .ends = {{.fd = -1, .listen_fd = -1}, {.fd = -1, .listen_fd = -1}}};
    struct values values = {.seed = 1};
    int code = options_parse(&spec, argc, argv, &values);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (values.a == NULL || values.b == NULL) {
        return options_error(&spec, "both ends must be given: --a and --b");
    }
    code = make_ways(&bridge, &values);
    if (code == OPTIONS_GO_ON) {
        code = open_all(&bridge, &values);
    }
    if (code == OPTIONS_GO_ON) {
        // The kernel rounds waits up by 50 us unless told otherwise.
        (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
        printf("ready\n");
        fflush(stdout);
        run(&bridge, values.duration_ns != 0 ? now_ns() + values.duration_ns : UINT64_MAX);
        code = report(&bridge, values.report);
    }
    impair_free(bridge.ways[0]);
    impair_free(bridge.ways[1]);
    return code;
}
