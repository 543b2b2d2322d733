// SPDX-License-Identifier: MIT
// Load: firmware, NVRAM and trailer into the chip's memory, and all of it read back.
//
// Blocks of 64 bytes, the most one F1 transfer may carry, as many at a time as the bus's queue
// takes. Reading all back instead of samples costs about as long as writing (85 ms at 25 MHz for
// 225 kB) and finds a single wrong bit anywhere. A block that reads back wrong is read again, then
// written again; after three such rounds the load fails.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"

#include <string.h>

#include "coradio/bytes.h"

#define REWRITES_MAX 3

// Transfers of a load at a time: the bus's queue and one ready behind it.
#define LOAD_OPS_MAX 5u

enum load_phase { LOAD_IDLE, LOAD_WRITE, LOAD_VERIFY, LOAD_DRAIN, LOAD_REPAIR };

static uint32_t chunk_bytes(const struct cor_cyw43_load *load, uint32_t at) {
    uint32_t size_bytes = cor_gspi_round(load->image.size_bytes);
    uint32_t left_bytes = size_bytes - at;
    uint32_t window_bytes = BP_WINDOW_BYTES - ((load->address + at) & (BP_WINDOW_BYTES - 1u));
    uint32_t bytes = left_bytes < BP_BLOCK_BYTES ? left_bytes : BP_BLOCK_BYTES;

    return bytes < window_bytes ? bytes : window_bytes;
}

// A piece of the image, with zeros behind its end up to a whole word.
static void chunk_copy(
    const struct cor_cyw43_load *load, uint32_t at, uint32_t bytes, uint8_t *chunk) {
    uint32_t there_bytes = load->image.size_bytes - at;

    memset(chunk, 0, bytes);
    memcpy(chunk, load->image.data + at, there_bytes < bytes ? there_bytes : bytes);
}

static void block_queue(struct cor_cyw43 *chip, bool write) {
    struct cor_cyw43_load *load = &chip->load;
    uint8_t chunk[BP_BLOCK_BYTES];
    struct cyw43_access access = {
        .kind = write ? CYW43_OP_BLOCK_WRITE : CYW43_OP_BLOCK_READ,
        .space = CYW43_BACKPLANE,
        .write = write,
        .address = load->address + load->queued_bytes,
        .bytes = chunk_bytes(load, load->queued_bytes),
    };

    if (write) {
        chunk_copy(load, load->queued_bytes, access.bytes, chunk);
        access.data = chunk;
    }
    // Before the call: a bus that waits itself has completed the block when it returns.
    load->queued_bytes += access.bytes;
    cor_cyw43_access(chip, &access);
}

static void block_mismatch(struct cor_cyw43_load *load, struct cor_cyw43_counters *counters) {
    load->failures++;
    load->phase = LOAD_DRAIN;  // what was queued behind is read again
    if (load->failures == 1) {
        counters->verify_reread++;
        return;
    }
    load->failures = 0;
    load->rewrites++;
    counters->verify_rewritten++;
}

void cor_cyw43_load_block(struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    struct cor_cyw43_load *load = &chip->load;
    uint8_t chunk[BP_BLOCK_BYTES];
    uint32_t bytes = op->frame_bytes;

    if (op->kind == CYW43_OP_BLOCK_WRITE) {
        load->done_bytes += bytes;
        chip->counters.loaded_bytes += bytes;
        return;
    }
    if (load->phase != LOAD_VERIFY) {
        return;
    }
    chunk_copy(load, load->done_bytes, bytes, chunk);
    if (op->xfer.result != COR_OK || memcmp(op->block + COR_GSPI_WORD_BYTES, chunk, bytes) != 0) {
        block_mismatch(load, &chip->counters);
        return;
    }
    load->failures = 0;
    load->rewrites = 0;
    load->done_bytes += bytes;
}

// All transfers are back after a block that read back wrong: once more from there.
static enum cor_status load_repair(struct cor_cyw43 *chip) {
    struct cor_cyw43_load *load = &chip->load;

    if (load->rewrites >= REWRITES_MAX) {
        load->phase = LOAD_IDLE;
        return COR_E_FIRMWARE;
    }
    load->queued_bytes = load->done_bytes;
    if (load->failures == 0) {
        uint32_t done_bytes = load->done_bytes;

        block_queue(chip, true);
        // The write moves done_bytes on when it completes; the read-back starts at the same block.
        load->queued_bytes = done_bytes;
        load->phase = LOAD_REPAIR;
    } else {
        load->phase = LOAD_VERIFY;
    }
    return COR_AGAIN;
}

static enum cor_status load_run(struct cor_cyw43 *chip) {
    struct cor_cyw43_load *load = &chip->load;
    uint32_t size_bytes = cor_gspi_round(load->image.size_bytes);

    if (load->phase == LOAD_DRAIN) {
        return chip->op_count > 0 ? COR_AGAIN : load_repair(chip);
    }
    if (load->phase == LOAD_REPAIR) {
        if (chip->op_count > 0) {
            return COR_AGAIN;
        }
        load->done_bytes = load->queued_bytes;
        load->phase = LOAD_VERIFY;
    }
    while (load->queued_bytes < size_bytes && chip->op_count < LOAD_OPS_MAX) {
        block_queue(chip, load->phase == LOAD_WRITE);
    }
    if (load->done_bytes < size_bytes) {
        return COR_AGAIN;
    }
    if (load->phase == LOAD_WRITE) {
        load->phase = LOAD_VERIFY;
        load->queued_bytes = 0;
        load->done_bytes = 0;
        return COR_AGAIN;
    }
    load->phase = LOAD_IDLE;
    return COR_OK;
}

static enum cor_status load_image(struct cor_cyw43 *chip, struct cor_span image, uint32_t address) {
    if (chip->load.phase == LOAD_IDLE) {
        memset(&chip->load, 0, sizeof(chip->load));
        chip->load.image = image;
        chip->load.address = address;
        chip->load.phase = LOAD_WRITE;
    }
    return load_run(chip);
}

enum cor_status cor_cyw43_load_firmware(struct cor_cyw43 *chip) {
    return load_image(chip, chip->config.firmware, 0);
}

// NVRAM ends right before the last word of the memory, which is its trailer: the length in words,
// and the same inverted (read from public code: embassy cyw43/src/runner.rs, brcmfmac).
enum cor_status cor_cyw43_load_nvram(struct cor_cyw43 *chip) {
    uint32_t bytes = cor_gspi_round(chip->config.nvram.size_bytes);

    return load_image(chip, chip->config.nvram, RAM_BYTES - COR_GSPI_WORD_BYTES - bytes);
}

enum cor_status cor_cyw43_load_trailer(struct cor_cyw43 *chip) {
    uint32_t words = cor_gspi_round(chip->config.nvram.size_bytes) / COR_GSPI_WORD_BYTES;

    cor_put_le32(chip->trailer, (~words << 16) | (words & 0xFFFFu));
    return load_image(
        chip,
        (struct cor_span){chip->trailer, COR_GSPI_WORD_BYTES},
        RAM_BYTES - COR_GSPI_WORD_BYTES);
}
