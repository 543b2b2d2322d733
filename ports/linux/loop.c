// SPDX-License-Identifier: MIT
#include "loop.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "coradio/assert.h"

// The stack may find a frame to send only after its timers ran, and a timer only after it sent;
// after so many turns the wait is left out instead.
#define TURNS_MAX 2

uint64_t cor_linux_now_us(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000U + (uint64_t)now.tv_nsec / 1000U;
}

static int fill_random(void *into, size_t size_bytes) {
    ssize_t size;

    do {
        size = getrandom(into, size_bytes, 0);
    } while (size < 0 && errno == EINTR);
    // Up to 256 bytes come whole.
    return size == (ssize_t)size_bytes ? 0 : errno;
}

int cor_linux_secret(uint64_t secret[2]) {
    return fill_random(secret, 2 * sizeof(secret[0]));
}

int cor_linux_mac(uint8_t mac[6]) {
    int error = fill_random(mac, 6);

    // IEEE 802: bit 0 of the first byte is group, bit 1 is locally administered.
    mac[0] = (uint8_t)((mac[0] & 0xFCU) | 0x02U);
    return error;
}

// What the descriptors are waited for; room for the caller's is behind.
struct wait {
    struct pollfd fds[2 + COR_LINUX_MORE_MAX];
    nfds_t count;
};

static void wait_until(struct wait *wait, uint64_t now_us, uint64_t deadline_us) {
    uint64_t left_us = deadline_us > now_us ? deadline_us - now_us : 0;
    struct timespec timeout = {
        .tv_sec = (time_t)(left_us / 1000000U),
        .tv_nsec = (long)(left_us % 1000000U) * 1000L,
    };

    // A signal ends the wait as an event does; the caller knows what to do with it.
    if (ppoll(wait->fds, wait->count, deadline_us == COR_NET_NEVER ? NULL : &timeout, NULL) < 0) {
        COR_ASSERT(errno == EINTR || errno == ENOMEM);
        for (nfds_t i = 0; i < wait->count; i++) {
            wait->fds[i].revents = 0;
        }
    }
}

static void prepare(
    struct wait *wait, const struct cor_tap *tap, const struct pollfd *more, uint32_t more_count) {
    COR_ASSERT(more_count <= COR_LINUX_MORE_MAX);
    wait->fds[0] = (struct pollfd){.fd = tap->fd, .events = POLLIN};
    if (tap->frame_kept) {
        wait->fds[0].events |= POLLOUT;
    }
    // A descriptor of -1 is passed over.
    wait->fds[1] = (struct pollfd){.fd = tap->link_fd, .events = POLLIN};
    if (more_count > 0) {
        memcpy(&wait->fds[2], more, more_count * sizeof(*more));
    }
    wait->count = 2 + more_count;
}

// Runs timers and sends until neither makes work for the other. Returns the deadline, now_us when
// there is more to do already.
static uint64_t send_all(struct cor_tap *tap, struct cor_net *net, uint64_t now_us) {
    for (uint32_t i = 0; i < TURNS_MAX; i++) {
        uint64_t deadline_us = cor_net_poll(net, now_us);

        if (cor_tap_send(tap, now_us) == 0) {
            return deadline_us;
        }
    }
    return now_us;
}

enum cor_status cor_linux_poll(
    struct cor_tap *tap,
    struct cor_net *net,
    uint64_t until_us,
    struct pollfd *more,
    uint32_t more_count) {
    uint64_t now_us = cor_linux_now_us();
    uint64_t deadline_us = send_all(tap, net, now_us);
    struct wait wait;

    if (tap->gone) {
        return COR_E_LINK_DOWN;
    }
    prepare(&wait, tap, more, more_count);
    wait_until(&wait, now_us, deadline_us < until_us ? deadline_us : until_us);
    if (more_count > 0) {
        memcpy(more, &wait.fds[2], more_count * sizeof(*more));
    }
    now_us = cor_linux_now_us();
    if (wait.fds[1].revents != 0) {
        cor_tap_link(tap, now_us);
    }
    if (wait.fds[0].revents != 0) {
        (void)cor_tap_receive(tap, now_us);  // what is left ends the next wait at once
    }
    (void)send_all(tap, net, now_us);  // the deadline is asked for again before the next wait
    return tap->gone ? COR_E_LINK_DOWN : COR_OK;
}
