// SPDX-License-Identifier: MIT
#include "peer/lwip_port.h"

#include "sim/alloc.h"

#include <lwip/init.h>
#include <lwip/sys.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// What the build named (sources.cmake); the linker says where it begins and ends.
extern uint8_t __start_twin_lwip_bss[];
extern uint8_t __stop_twin_lwip_bss[];
extern uint8_t __start_twin_lwip_data[];
extern uint8_t __stop_twin_lwip_data[];

uint32_t twin_lwip_window;
uint8_t twin_lwip_window_scale;

// lwIP calls us without a context, so this is the one piece of file-scope state in the twin.
static struct {
    const struct twin_sim *sim;  // NULL while lwIP is not in use
    struct twin_rng rng;
    uint8_t *data_at_start;  // copy of twin_lwip_data, made before its first use
} port;

static void reset_state(void) {
    size_t bss_bytes = (size_t)(__stop_twin_lwip_bss - __start_twin_lwip_bss);
    size_t data_bytes = (size_t)(__stop_twin_lwip_data - __start_twin_lwip_data);

    if (port.data_at_start == NULL) {
        port.data_at_start = twin_alloc(1, data_bytes);
        memcpy(port.data_at_start, __start_twin_lwip_data, data_bytes);
    }
    memcpy(__start_twin_lwip_data, port.data_at_start, data_bytes);
    memset(__start_twin_lwip_bss, 0, bss_bytes);
}

bool twin_lwip_start(const struct twin_sim *sim, uint32_t window_bytes) {
    if (port.sim != NULL) {
        return false;
    }
    port.sim = sim;
    twin_rng_init(&port.rng, sim, "lwip");
    // The smallest shift with which the 16 bits of the header can say the window (RFC 7323 2.2).
    twin_lwip_window = window_bytes;
    twin_lwip_window_scale = 0;
    while ((window_bytes >> twin_lwip_window_scale) > UINT16_MAX) {
        twin_lwip_window_scale++;
    }
    reset_state();
    lwip_init();
    return true;
}

void twin_lwip_stop(void) {
    port.sim = NULL;
}

uint64_t twin_lwip_now_ms(void) {
    return twin_now_ns(port.sim) / 1000000u;
}

// ---- what lwIP calls

uint32_t sys_now(void) {
    return (uint32_t)twin_lwip_now_ms();
}

uint32_t twin_lwip_random(void) {
    return (uint32_t)(twin_rng_next(&port.rng) >> 32);
}

// The sum of RFC 1071, not yet inverted, in the order the bytes have in memory. Eight bytes at a
// time; an odd last byte counts as if a zero followed.
uint16_t twin_lwip_checksum(const void *data, int size_bytes) {
    const uint8_t *bytes = data;
    size_t left_bytes = (size_t)size_bytes;
    uint64_t sum = 0;
    uint16_t last = 0;

    for (; left_bytes >= sizeof(uint64_t); left_bytes -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes, sizeof(word));
        sum += (word & UINT32_MAX) + (word >> 32);
        bytes += sizeof(word);
    }
    for (; left_bytes >= sizeof(uint16_t); left_bytes -= sizeof(uint16_t)) {
        uint16_t word;
        memcpy(&word, bytes, sizeof(word));
        sum += word;
        bytes += sizeof(word);
    }
    memcpy(&last, bytes, left_bytes);
    sum += last;
    while (sum > UINT16_MAX) {
        sum = (sum & UINT16_MAX) + (sum >> 16);
    }
    return (uint16_t)sum;
}

void twin_lwip_assert(const char *what, const char *file, int line) {
    twin_panic(file, line, what);
}
