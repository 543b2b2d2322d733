// SPDX-License-Identifier: MIT
// Bus registers: function 0, and the two live words made of the chip's state.
#include "cyw43/parts.h"

#include <string.h>

void twin_cyw43_reset_bus(struct twin_cyw43 *chip) {
    chip->bus = (struct bus_registers){
        .control = F0_CONTROL_RESET,
        .delay = F0_DELAY_RESET,
        .status_enable = F0_STATUS_ENABLE_RESET,
        .interrupt = F0_INTERRUPT_RESET,
        .interrupt_enable = F0_INTERRUPT_ENABLE_RESET,
        .function_delay = {0, F0_F1_DELAY_RESET, 0, 0},
        .order = ORDER_HALVES,
        .append_status = true,
    };
}

uint16_t twin_cyw43_interrupts(const struct twin_cyw43 *chip) {
    uint32_t levels = chip->fifo.queue.count != 0 ? INTERRUPT_F2_PACKET : 0;

    return (uint16_t)(chip->bus.interrupt | levels);
}

uint32_t twin_cyw43_status(const struct twin_cyw43 *chip) {
    uint32_t status = 0;

    if (chip->bus.data_unavailable) {
        status |= STATUS_DATA_UNAVAILABLE;
    }
    if ((chip->bus.interrupt & INTERRUPT_UNDERFLOW) != 0) {
        status |= STATUS_UNDERFLOW;
    }
    if ((chip->bus.interrupt & INTERRUPT_OVERFLOW) != 0) {
        status |= STATUS_OVERFLOW;
    }
    if ((chip->bus.interrupt & (INTERRUPT_COMMAND | INTERRUPT_DATA)) != 0) {
        status |= STATUS_ERROR;
    }
    if (twin_cyw43_f2_takes(chip)) {
        status |= STATUS_F2_RX_READY;
    }
    if (chip->fifo.queue.count != 0) {
        uint32_t announced = NOTE_ANNOUNCED(chip->fifo.queue.head->note);
        uint32_t head_bytes = announced != 0 ? announced : twin_cyw43_head_bytes(chip);

        status |= STATUS_F2_PACKET | (head_bytes & 0x7FFu) << STATUS_F2_LENGTH_SHIFT;
    }
    return status;
}

// The aligned word at this address.
static uint32_t f0_word(const struct twin_cyw43 *chip, uint32_t address) {
    const struct bus_registers *bus = &chip->bus;
    bool f2_up = twin_cyw43_f2_up(chip);

    switch (address) {
    case 0x00:
        return bus->control | (uint32_t)bus->delay << 8 | (uint32_t)bus->status_enable << 16 |
               (uint32_t)bus->reset << 24;
    case 0x04:
        return twin_cyw43_interrupts(chip) | (uint32_t)bus->interrupt_enable << 16;
    case 0x08:
        return twin_cyw43_status(chip);
    case 0x0C:
        return F0_INFO_ENABLED | F0_INFO_READY | F1_BYTES_MAX << 2 |
               (F0_INFO_ENABLED | (f2_up ? F0_INFO_READY : 0) | F2_BYTES_MAX << 2) << 16;
    case 0x14:
        return F0_TEST_VALUE;
    case 0x18:
        return bus->test;
    case 0x1C:
        return get32(bus->function_delay);
    default:
        return 0;
    }
}

uint64_t twin_cyw43_f0_read(const struct twin_cyw43 *chip, uint32_t address) {
    uint32_t lane = address & 3u;
    uint64_t words = f0_word(chip, address - lane);

    if (lane != 0) {
        words |= (uint64_t)f0_word(chip, address - lane + 4) << 32;
    }
    return words >> 8 * lane;
}

static void f0_write_byte(struct twin_cyw43 *chip, uint32_t address, uint8_t value) {
    struct bus_registers *bus = &chip->bus;

    switch (address) {
    case 0x00:
        bus->control = value;
        break;
    case 0x01:
        bus->delay = value;
        break;
    case 0x02:
        bus->status_enable = value;
        break;
    case 0x03:
        bus->reset = (uint8_t)(value & ~RESET_SPI_BLOCK);
        break;
    case 0x04:
        bus->interrupt = (uint16_t)(bus->interrupt & ~value);
        break;
    case 0x05:
        bus->interrupt = (uint16_t)(bus->interrupt & ~((uint32_t)value << 8));
        break;
    case 0x06:
        bus->interrupt_enable = (uint16_t)((bus->interrupt_enable & 0xFF00u) | value);
        break;
    case 0x07:
        bus->interrupt_enable =
            (uint16_t)((bus->interrupt_enable & 0x00FFu) | (uint32_t)value << 8);
        break;
    case 0x1C:
    case 0x1D:
    case 0x1E:
    case 0x1F:
        bus->function_delay[address - 0x1C] = value;
        break;
    default:
        // Read-only registers, and those that only other buses have (0xF0): no effect.
        break;
    }
}

void twin_cyw43_f0_write(
    struct twin_cyw43 *chip, uint32_t address, const uint8_t *data, uint32_t size_bytes) {
    for (uint32_t i = 0; i < size_bytes; i++) {
        uint32_t at = address + i;

        if (at >= 0x18 && at < 0x1C) {
            uint32_t shift = 8 * (at - 0x18);

            chip->bus.test = (chip->bus.test & ~(0xFFu << shift)) | (uint32_t)data[i] << shift;
        } else {
            f0_write_byte(chip, at, data[i]);
        }
        if (at == 0x03 && (data[i] & RESET_SPI_BLOCK) != 0) {
            enum wire_order order = chip->bus.order;
            bool append_status = chip->bus.append_status;

            twin_cyw43_reset_bus(chip);
            chip->bus.order = order;  // to the end of this transaction
            chip->bus.append_status = append_status;
            return;
        }
    }
}
