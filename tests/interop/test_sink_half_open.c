// SPDX-License-Identifier: MIT
// A peer that is gone without a word, against the kernel's TCP: the case behind the "collapses" of
// a board that in truth waited for a sink stuck on a half-open connection.
//
// Runs in a network namespace of its own, made without root. The peer has an address of its own on
// the loopback interface; taking the address away makes it unreachable, with no FIN and no RST.
#include "sink_world.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

static bool interface(const char *name, const char *address, bool up) {
    struct ifreq request = {0};
    int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
    bool done = descriptor >= 0;

    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
    if (done && address != NULL) {
        struct sockaddr_in own = {.sin_family = AF_INET};

        inet_pton(AF_INET, address, &own.sin_addr);
        memcpy(&request.ifr_addr, &own, sizeof(own));
        done = ioctl(descriptor, SIOCSIFADDR, &request) == 0;
    }
    request.ifr_flags = up ? IFF_UP | IFF_RUNNING | IFF_LOOPBACK : 0;
    done = done && ioctl(descriptor, SIOCSIFFLAGS, &request) == 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    return done;
}

static int client_from(const char *address) {
    struct sockaddr_in own = {.sin_family = AF_INET};
    struct sockaddr_in target = {.sin_family = AF_INET};
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);

    inet_pton(AF_INET, address, &own.sin_addr);
    inet_pton(AF_INET, address, &target.sin_addr);
    target.sin_port = htons(sink_address_port(&sink.address));
    CHECK_EQ(bind(descriptor, (struct sockaddr *)&own, sizeof(own)), 0);
    CHECK_EQ(connect(descriptor, (struct sockaddr *)&target, sizeof(target)), 0);
    return descriptor;
}

TEST(a_half_open_peer_is_reaped_and_holds_up_nobody) {
    static char chunk[100000];

    snprintf(fresh_config()->host, SINK_HOST_SIZE, "0.0.0.0");
    config.count = 2;
    config.idle_timeout_ns = 0;
    CHECK(interface("lo:1", "10.9.9.2", true));
    start();
    int gone = client_from("10.9.9.2");
    send_all(gone, chunk, 1000);
    sleep_ms(100);
    CHECK(interface("lo:1", NULL, false));
    int steady = client_from("127.0.0.1");
    for (int i = 0; i < 30; i++) {
        send_all(steady, chunk, sizeof(chunk));
        sleep_ms(50);
    }
    close(steady);
    join();
    const struct sink_stream *first = sink.ended;
    const struct sink_stream *second = sink.ended->next;
    CHECK_EQ(first->end, SINK_END_closed);
    CHECK_EQ(first->bytes, 30 * sizeof(chunk));
    CHECK(first->longest.length_ns < 500 * MS);
    CHECK_EQ(second->end, SINK_END_vanished);
    CHECK_EQ(second->bytes, 1000);
    CHECK_BETWEEN((double)(second->end_ns - second->last_ns) / 1e9, 14, 22);
    CHECK_EQ(second->longest.cause, SINK_CAUSE_sender);
    CHECK(!second->longest.ended);
    CHECK_EQ(sink_exit_code(&sink), 1);
    expect_log("it was half open");
    close(gone);
    finish();
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {CASE(a_half_open_peer_is_reaped_and_holds_up_nobody)};

    if ((unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) ||
        !interface("lo", NULL, true)) {
        puts("skipped: this machine allows no network namespace");
        return 77;
    }
    return test_run(argv[0], argc > 1 ? argv[1] : NULL, cases, sizeof(cases) / sizeof(cases[0]));
}
