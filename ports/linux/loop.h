// SPDX-License-Identifier: MIT
// Loop: time and waiting for a program of Linux that runs the stack on a TAP device.
//
//     while (!done) {
//         deadline_us = application(cor_linux_now_us());
//         if (cor_linux_poll(&tap, &net, deadline_us, NULL, 0) != COR_OK) { ... }
//     }
//
// One thread does everything. Nothing runs while nothing happens: the wait ends with a frame, a
// change of the link, one of the caller's descriptors, a signal, or the earliest deadline.
#ifndef CORADIO_LINUX_LOOP_H
#define CORADIO_LINUX_LOOP_H

#include "tap.h"

#include <poll.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Descriptors of the caller that can be waited for beside those of the TAP device.
#define COR_LINUX_MORE_MAX 8

// Microseconds of CLOCK_MONOTONIC.
uint64_t cor_linux_now_us(void);

// Fills the secret of struct cor_net_config, and six bytes of a hardware address that is unicast
// and locally administered, from the kernel's random source. 0 or an errno.
int cor_linux_secret(uint64_t secret[2]);
int cor_linux_mac(uint8_t mac[6]);

// Sends what may go, waits until something happens or until_us (COR_NET_NEVER: no bound) or the
// stack's own deadline is there, takes in what has come and sends again; each by a bounded number
// of frames, without waiting when there may be more. `more` (may be NULL) are further descriptors
// to wait for; their revents are set. COR_E_LINK_DOWN: the other end of the device is gone for
// good. COR_OK else, also after a signal.
COR_MUST_CHECK enum cor_status cor_linux_poll(
    struct cor_tap *tap,
    struct cor_net *net,
    uint64_t until_us,
    struct pollfd *more,
    uint32_t more_count);

#ifdef __cplusplus
}
#endif

#endif
