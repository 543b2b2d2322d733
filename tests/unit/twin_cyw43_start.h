// SPDX-License-Identifier: MIT
// Start: backplane access, download and the steps until the chip is up, as hosts do them.
#ifndef TWIN_CYW43_START_H
#define TWIN_CYW43_START_H

#include "twin_cyw43_host.h"

// ---- backplane

static inline void host_window(struct host *host, uint32_t address) {
    uint32_t window = address & ~0x7FFFu;

    if (host->style.exact) {
        // PicoWi: three bytes in one command.
        host_write(host, 1, 0x1000A, window >> 8, 3);
    } else {
        for (uint32_t i = 3; i-- > 0;) {
            uint32_t shift = 8 + 8 * i;

            if (((window ^ host->window) >> shift & 0xFFu) != 0) {
                host_write(host, 1, 0x1000A + i, window >> shift & 0xFFu, 1);
            }
        }
    }
    host->window = window;
}

static inline uint32_t host_bp_read(struct host *host, uint32_t address, uint32_t length) {
    host_window(host, address);
    return host_read(host, 1, (address & 0x7FFFu) | 0x8000u, length);
}

static inline void host_bp_write(
    struct host *host, uint32_t address, uint32_t value, uint32_t length) {
    host_window(host, address);
    host_write(host, 1, (address & 0x7FFFu) | 0x8000u, value, length);
}

static inline void host_ram_write(
    struct host *host, uint32_t address, const uint8_t *data, uint32_t size_bytes) {
    while (size_bytes != 0) {
        uint32_t part = size_bytes < 64 ? size_bytes : 64;

        host_window(host, address);
        host_block_write(host, 1, address & 0x7FFFu, data, part);
        address += part;
        data += part;
        size_bytes -= part;
    }
}

static inline void host_core_up(struct host *host, uint32_t wrapper) {
    host_bp_write(host, wrapper + 0x408, 3, 1);
    (void)host_bp_read(host, wrapper + 0x408, 1);
    host_bp_write(host, wrapper + 0x800, 0, 1);
    host_wait(host, MS);
    host_bp_write(host, wrapper + 0x408, 1, 1);
    (void)host_bp_read(host, wrapper + 0x408, 1);
    host_wait(host, MS);
}

// ---- start

struct host_images {
    uint8_t firmware[256 * 1024];
    uint32_t firmware_bytes;
    uint8_t nvram[4096];
    uint32_t nvram_bytes;
    uint32_t trailer_mask;  // exclusive-or on the trailer word
    uint8_t clm[4096];
    uint32_t clm_bytes;
};

static inline struct host_images *host_images_new(void) {
    struct host_images *images = calloc(1, sizeof(*images));

    images->firmware_bytes = twin_cyw43_image_firmware(images->firmware, sizeof(images->firmware));
    images->nvram_bytes = twin_cyw43_image_nvram(images->nvram, sizeof(images->nvram));
    images->clm_bytes = twin_cyw43_image_clm(images->clm, sizeof(images->clm));
    return images;
}

// Power, test register in the order of reset, control word, test register again.
static inline bool host_bus_up(struct host *host) {
    unsigned tries = 0;

    host->pins.power(host->pins.context, false);
    host->order = HOST_HALVES;
    host->window = 0;
    host->sequence = 0;
    host->credit = 1;
    host_wait(host, 20 * MS);
    host->pins.power(host->pins.context, true);
    while (host_read(host, 0, 0x14, 4) != 0xFEEDBEAD) {
        if (++tries > 300) {
            return false;
        }
        host_wait(host, MS);
    }
    host_write(host, 0, 0x00, host->style.control, 4);
    host->order = host->style.order;
    if (host_read(host, 0, 0x14, 4) != 0xFEEDBEAD) {
        return false;
    }
    host_write(host, 0, 0x1D, host->style.delay, 1);
    host_write(host, 0, 0x04, 0x0099, 2);
    host_write(host, 0, 0x06, 0x00BE, 2);
    return true;
}

static inline void host_download(struct host *host, const struct host_images *images) {
    uint32_t words = (images->nvram_bytes + 3) / 4;

    host_write(host, 1, 0x1000E, 8, 1);
    while ((host_read(host, 1, 0x1000E, 1) & 0x40u) == 0) {
        host_wait(host, MS);
    }
    host_write(host, 1, 0x1000E, 0, 1);
    host_core_up(host, 0x18104000);
    host_bp_write(host, 0x18004010, 3, 4);
    host_bp_write(host, 0x18004044, 0, 4);
    host_ram_write(host, 0, images->firmware, images->firmware_bytes);
    host_ram_write(host, 0x7FFFC - 4 * words, images->nvram, 4 * words);
    host_bp_write(host, 0x7FFFC, ((~words & 0xFFFFu) << 16 | words) ^ images->trailer_mask, 4);
}

// True: HT clock and F2 ready came. How long each took stands in the two numbers.
static inline bool host_start_timed(struct host *host, unsigned *ht_ms, unsigned *f2_ms) {
    host_core_up(host, 0x18103000);
    for (*ht_ms = 0; (host_read(host, 1, 0x1000E, 1) & 0x80u) == 0; ++*ht_ms) {
        if (*ht_ms > 200) {
            return false;
        }
        host_wait(host, MS);
    }
    host_bp_write(host, 0x18002024, 0xF0, 4);
    host_write(host, 1, 0x10008, 0x20, 1);
    for (*f2_ms = 0; (host_read(host, 0, 0x08, 4) & 0x20u) == 0; ++*f2_ms) {
        if (*f2_ms > 200) {
            return false;
        }
        host_wait(host, MS);
    }
    return true;
}

static inline bool host_start(struct host *host) {
    unsigned ht_ms;
    unsigned f2_ms;

    return host_start_timed(host, &ht_ms, &f2_ms);
}

#endif
