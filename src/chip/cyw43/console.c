// SPDX-License-Identifier: MIT
// Console: the text that the firmware writes for its makers, in a ring in the chip's memory.
//
//     0x6FFFC: address of the shared area;  shared + 20: of the console;  console + 8: {address of
//     the ring, its size, where the firmware writes next, where a reader was}
//
// Read from public code: embassy-rs/embassy cyw43/src/runner.rs, soypat/cyw43439 device.go. All of
// it is memory that a dead firmware may have filled with anything. Its bits are counted as log.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"
#include "chip/cyw43/requests.h"

#include "coradio/bytes.h"

#define SHARED_POINTER    (RAM_FIRMWARE_BYTES_MAX - 4u)
#define SHARED_CONSOLE_AT 20u
#define CONSOLE_RING_AT   8u
#define CONSOLE_BYTES     16u
#define RING_BYTES_MAX    0x4000u
#define CONSOLE_BOUND_US  200000u
// Text of one look.
#define TEXT_BYTES_MAX 1024u

enum console_phase { PHASE_SHARED, PHASE_CONSOLE, PHASE_RING, PHASE_TEXT };

static bool in_ram(uint32_t address, uint32_t bytes) {
    return address % 4u == 0 && address < RAM_BYTES && bytes <= RAM_BYTES - address;
}

static void read(struct cor_cyw43 *chip, uint32_t address, uint32_t bytes) {
    const struct cyw43_access access = {
        .kind = CYW43_OP_LOG, .space = CYW43_BACKPLANE, .address = address, .bytes = bytes};

    chip->console.reading = true;
    cor_cyw43_access(chip, &access);
}

// The next piece of text. With the bytes before it up to a whole word it stays inside a block, a
// window and the ring.
static uint32_t piece_bytes(const struct cor_cyw43_console *console) {
    uint32_t lead = console->at & 3u;
    uint32_t address = (console->ring + console->at) & ~3u;
    uint32_t to = console->head >= console->at ? console->head : console->ring_bytes;
    uint32_t window = BP_WINDOW_BYTES - (address & (BP_WINDOW_BYTES - 1u));
    uint32_t room = (window < BP_BLOCK_BYTES ? window : BP_BLOCK_BYTES) - lead;

    return to - console->at < room ? to - console->at : room;
}

static enum cor_status console_begin(struct cor_cyw43 *chip) {
    chip->console.phase = chip->console.found ? PHASE_RING : PHASE_SHARED;
    chip->console.reading = false;
    chip->console.broken = false;
    chip->console.taken = 0;
    return COR_OK;
}

static enum cor_status console_run(struct cor_cyw43 *chip) {
    struct cor_cyw43_console *console = &chip->console;

    if (console->broken) {
        console->found = false;
        return COR_OK;
    }
    if (console->reading || !cor_cyw43_ops_room(chip, 2)) {
        return COR_AGAIN;
    }
    switch ((enum console_phase)console->phase) {
    case PHASE_SHARED:
        read(chip, SHARED_POINTER, 4);
        break;
    case PHASE_CONSOLE:
        read(chip, console->address + SHARED_CONSOLE_AT, 4);
        break;
    case PHASE_RING:
        read(chip, console->address + CONSOLE_RING_AT, CONSOLE_BYTES);
        break;
    case PHASE_TEXT:
        if (console->at == console->head || console->taken >= TEXT_BYTES_MAX) {
            return COR_OK;
        }
        read(
            chip,
            console->ring + (console->at & ~3u),
            cor_gspi_round(piece_bytes(console) + (console->at & 3u)));
        break;
    }
    return COR_AGAIN;
}

const struct cor_cyw43_step cor_cyw43_console_steps[] = {
    CALL(console_begin, 0, COR_E_TIMEOUT),
    CALL(console_run, CONSOLE_BOUND_US, COR_E_TIMEOUT),
    END,
};

static void ring_input(struct cor_cyw43_console *console, const uint8_t *at) {
    uint32_t ring = cor_get_le32(at);
    uint32_t ring_bytes = cor_get_le32(at + 4);
    uint32_t head = cor_get_le32(at + 8);

    if (ring_bytes == 0 || ring_bytes > RING_BYTES_MAX || ring_bytes % 4u != 0 ||
        !in_ram(ring, ring_bytes) || head >= ring_bytes) {
        console->broken = true;
        return;
    }
    if (!console->found || ring != console->ring || ring_bytes != console->ring_bytes) {
        console->at = 0;
    }
    console->found = true;
    console->ring = ring;
    console->ring_bytes = ring_bytes;
    console->head = head;
    console->phase = PHASE_TEXT;
}

static void address_input(struct cor_cyw43_console *console, uint32_t address) {
    console->broken = !in_ram(address, 64u);
    console->address = address;
    console->phase++;
}

static void text_input(struct cor_cyw43 *chip, const uint8_t *text) {
    struct cor_cyw43_console *console = &chip->console;
    uint32_t bytes = piece_bytes(console);
    const struct cor_cyw43_hooks *hooks = &chip->config.hooks;

    text += console->at & 3u;
    console->at = (console->at + bytes) % console->ring_bytes;
    console->taken = (uint16_t)(console->taken + bytes);
    chip->counters.log_bytes += bytes;
    if (hooks->log != NULL) {
        hooks->log(hooks->context, text, bytes);
    }
}

void cor_cyw43_console_input(struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    struct cor_cyw43_console *console = &chip->console;
    const uint8_t *at = op->block + COR_GSPI_WORD_BYTES;

    console->reading = false;
    if (op->xfer.result != COR_OK) {
        console->broken = true;
        return;
    }
    switch ((enum console_phase)console->phase) {
    case PHASE_SHARED:
    case PHASE_CONSOLE:
        address_input(console, cor_get_le32(at));
        break;
    case PHASE_RING:
        ring_input(console, at);
        break;
    case PHASE_TEXT:
        text_input(chip, at);
        break;
    }
}
