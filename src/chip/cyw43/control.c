// SPDX-License-Identifier: MIT
// Control requests: one at a time, matched by id, over the same credit as data.
#include "chip/cyw43/driver.h"
#include "wire/sdpcm.h"

#include <string.h>

// Longest known answer is 32 ms, for the country (fact read from public code: C drivers wait
// 500 ms to 1 s).
#define CONTROL_BOUND_US 500000u

#define VALUE_OFFSET (COR_GSPI_WORD_BYTES + COR_SDPCM_BYTES + COR_CDC_BYTES)

uint8_t *cor_cyw43_control_value(struct cor_cyw43 *chip) {
    return chip->control.frame + VALUE_OFFSET;
}

void cor_cyw43_control_start(
    struct cor_cyw43 *chip, uint16_t command, bool set, uint16_t value_bytes) {
    struct cor_cyw43_control *control = &chip->control;
    uint16_t size_bytes = (uint16_t)(COR_SDPCM_BYTES + COR_CDC_BYTES + value_bytes);

    control->id++;
    control->command = command;
    control->set = set;
    control->value_bytes = value_bytes;
    control->frame_bytes = size_bytes;
    control->reply_bytes = 0;
    control->chip_status = 0;
    control->deadline_us = chip->now_us + CONTROL_BOUND_US;
    const struct cor_cdc cdc = {
        .command = command, .value_bytes = value_bytes, .id = control->id, .set = set};

    cor_cdc_emit(control->frame + COR_GSPI_WORD_BYTES + COR_SDPCM_BYTES, &cdc);
    // Whole words are clocked.
    memset(control->frame + COR_GSPI_WORD_BYTES + size_bytes, 0, COR_GSPI_WORD_BYTES - 1u);
    control->phase = CYW43_CONTROL_WAITING;
    chip->counters.control_requests++;
}

enum cor_status cor_cyw43_control_result(struct cor_cyw43 *chip) {
    struct cor_cyw43_control *control = &chip->control;

    if (control->phase == CYW43_CONTROL_IDLE) {
        return control->chip_status == 0 ? COR_OK : COR_E_CHIP;
    }
    if (chip->now_us >= control->deadline_us) {
        control->phase = CYW43_CONTROL_IDLE;
        chip->counters.control_timeouts++;
        cor_cyw43_unanswered(chip);
        return COR_E_TIMEOUT;
    }
    return COR_AGAIN;
}

void cor_cyw43_control_input(struct cor_cyw43 *chip, const uint8_t *cdc, uint32_t size_bytes) {
    struct cor_cyw43_control *control = &chip->control;
    struct cor_cdc reply;

    if (cor_cdc_parse(cdc, size_bytes, &reply) != COR_OK) {
        chip->counters.rx_bad_reply++;
        return;
    }
    if (control->phase != CYW43_CONTROL_SENT || reply.id != control->id ||
        reply.command != control->command) {
        chip->counters.rx_stale_reply++;
        return;
    }
    chip->ladder.timeouts = 0;
    control->phase = CYW43_CONTROL_IDLE;
    control->chip_status = reply.chip_status;
    if (reply.error && reply.chip_status == 0) {
        control->chip_status = -1;  // refused without saying why
    }
    control->reply_bytes = reply.value_bytes < COR_CYW43_REPLY_BYTES_MAX
                               ? reply.value_bytes
                               : COR_CYW43_REPLY_BYTES_MAX;
    memcpy(control->reply, cdc + COR_CDC_BYTES, control->reply_bytes);
}
