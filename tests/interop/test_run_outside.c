// SPDX-License-Identifier: MIT
// `coradio run --peer`: a program outside of the twin on the far side of the air.
#include "test.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX     16
#define FRAME_BYTES   1514
#define ETHERNET      14
#define ANSWER_SUM_AT 36
#define SKIP          77

int run_main(int argc, char **argv);

static char folder[] = "/tmp/coradio-outside-XXXXXX";
static const uint8_t our_mac[6] = {0x02, 0, 0, 0, 0, 0x77};

// `coradio run` in a process of its own, silent.
static pid_t start(char *words[], int count) {
    pid_t process;

    fflush(NULL);
    process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL) {
            _exit(99);
        }
        _exit(run_main(count, words));
    }
    return process;
}

static int end(pid_t process) {
    int status = 0;

    CHECK_EQ(waitpid(process, &status, 0), process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- the host by hand: answers ARP and ping

static void put_macs(uint8_t *frame) {
    memcpy(frame, frame + 6, 6);
    memcpy(frame + 6, our_mac, 6);
}

static bool answer_arp(uint8_t *frame) {
    uint8_t *arp = frame + ETHERNET;
    uint8_t asked[4];

    if (frame[12] != 0x08 || frame[13] != 0x06 || arp[7] != 1 || arp[27] != 1) {
        return false;
    }
    put_macs(frame);
    memcpy(asked, arp + 24, 4);
    arp[7] = 2;
    memcpy(arp + 18, arp + 8, 10);
    memcpy(arp + 8, our_mac, 6);
    memcpy(arp + 14, asked, 4);
    return true;
}

// An answer differs from its question by 8 in one byte, and so does its checksum.
static bool answer_ping(uint8_t *frame) {
    uint8_t addresses[8];
    uint32_t sum;

    if (frame[12] != 0x08 || frame[13] != 0x00 || frame[23] != 1 || frame[34] != 8) {
        return false;
    }
    put_macs(frame);
    memcpy(addresses, frame + 26, 8);
    memcpy(frame + 26, addresses + 4, 4);
    memcpy(frame + 30, addresses, 4);
    frame[34] = 0;
    sum = ((uint32_t)frame[ANSWER_SUM_AT] << 8 | frame[ANSWER_SUM_AT + 1]) + 0x0800u;
    sum = (sum & 0xFFFFu) + (sum >> 16);
    frame[ANSWER_SUM_AT] = (uint8_t)(sum >> 8);
    frame[ANSWER_SUM_AT + 1] = (uint8_t)sum;
    return true;
}

static void name_socket(struct sockaddr_un *address, const char *name) {
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s", folder, name);
}

static bool has_ended(pid_t process) {
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

// Until the command ends; returns how many pings were answered.
static unsigned serve(int fd, pid_t process) {
    struct sockaddr_un board = {0};
    unsigned pings = 0;

    name_socket(&board, "board");
    for (unsigned idle = 0; idle < 200; idle++) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        uint8_t frame[FRAME_BYTES];
        ssize_t size_bytes = 0;
        bool ping;

        if (poll(&wait, 1, 50) > 0) {
            size_bytes = recv(fd, frame, sizeof(frame), 0);
        } else if (has_ended(process)) {
            break;
        }
        if (size_bytes < ETHERNET + 28) {
            continue;
        }
        ping = answer_ping(frame);
        if (ping || answer_arp(frame)) {
            idle = 0;
            pings += ping ? 1 : 0;
            (void)sendto(
                fd, frame, (size_t)size_bytes, 0, (struct sockaddr *)&board, sizeof(board));
        }
    }
    return pings;
}

TEST(a_program_on_a_datagram_socket_is_the_far_side) {
    struct sockaddr_un host = {0};
    char peer[160];
    char *words[WORDS_MAX] = {
        (char *)(uintptr_t) "run",
        (char *)(uintptr_t) "--board=pico2w",
        peer,
        (char *)(uintptr_t) "--to=10.9.0.1:5001",
        (char *)(uintptr_t) "--app=ping",
        (char *)(uintptr_t) "--count=3",
        (char *)(uintptr_t) "--interval=50ms",
    };
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    unsigned pings;
    pid_t process;

    CHECK(mkdtemp(folder) != NULL);
    name_socket(&host, "host");
    CHECK_EQ(bind(fd, (struct sockaddr *)&host, sizeof(host)), 0);
    snprintf(peer, sizeof(peer), "--peer=dgram:%s/board,%s/host", folder, folder);
    process = start(words, 7);
    pings = serve(fd, process);
    CHECK_EQ(end(process), 0);
    CHECK_EQ(pings, 3);
    close(fd);
    unlink(host.sun_path);
    CHECK_EQ(rmdir(folder), 0);  // the board's socket is gone too
}

// In a network of its own, which the kernel takes away with the process.
static int tap_in_namespace(void) {
    char *words[WORDS_MAX] = {
        (char *)(uintptr_t) "run",
        (char *)(uintptr_t) "--board=pico2w",
        (char *)(uintptr_t) "--peer=tap:board0",
        (char *)(uintptr_t) "--to=10.9.0.1:5001",
        (char *)(uintptr_t) "--app=ping",
        (char *)(uintptr_t) "--count=3",
        (char *)(uintptr_t) "--interval=50ms",
    };

    if (unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0 ||
        system("ip tuntap add board0 mode tap 2>/dev/null && ip addr add 10.9.0.1/24 dev board0 && "
               "ip link set board0 up") != 0) {
        return SKIP;
    }
    return run_main(7, words);
}

TEST(the_kernel_behind_a_tap_device_answers) {
    pid_t process;
    int code;

    fflush(NULL);
    process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL) {
            _exit(99);
        }
        _exit(tap_in_namespace());
    }
    code = end(process);
    if (code == SKIP) {
        printf("     skipped: no network namespace or no TAP device here\n");
        return;
    }
    CHECK_EQ(code, 0);
}

TEST_MAIN(
    CASE(a_program_on_a_datagram_socket_is_the_far_side),
    CASE(the_kernel_behind_a_tap_device_answers))
