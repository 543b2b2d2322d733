// SPDX-License-Identifier: MIT
// Backplane: function 1. Address bit 16 selects the device's own registers; otherwise 15 bits of
// address are seen through a window of 32 KiB, and bit 15 ("32-bit access") is ignored.
#include "cyw43/parts.h"
#include "sim/alloc.h"

#include <stdlib.h>
#include <string.h>

// Device registers, as offsets from 0x10000. Read from public code.
enum device_register {
    DEVICE_WATERMARK = 0x08,
    DEVICE_WINDOW_LOW = 0x0A,
    DEVICE_WINDOW_MID = 0x0B,
    DEVICE_WINDOW_HIGH = 0x0C,
    DEVICE_FRAME_CONTROL = 0x0D,
    DEVICE_CLOCK = 0x0E,
    DEVICE_REMAINING_LOW = 0x1B,
    DEVICE_REMAINING_HIGH = 0x1C,
    DEVICE_SLEEP = 0x1F,
};

// Core registers and wrappers. Read from public code.
enum core_register {
    CHIP_COMMON_ID = 0x18000000,
    CHIP_COMMON_GPIO_OUT = 0x18000064,
    CHIP_COMMON_GPIO_ENABLE = 0x18000068,
    SDIO_INTERRUPT_STATUS = 0x18002020,
    SDIO_HOST_INTERRUPT_MASK = 0x18002024,
    SDIO_FUNCTION_INTERRUPT_MASK = 0x18002034,
    SDIO_TO_HOST_MAILBOX = 0x1800204C,
    SOCRAM_BANK_INDEX = 0x18004010,
    SOCRAM_BANK_PDA = 0x18004044,
    MAC_WRAPPER = 0x18101000,
    ARM_WRAPPER = 0x18103000,
    SOCRAM_WRAPPER = 0x18104000,
    WRAPPER_IO_CONTROL = 0x408,
    WRAPPER_RESET_CONTROL = 0x800,
};

#define IO_CLOCK   0x01u
#define IO_FORCE   0x02u
#define IO_HALT    0x20u
#define RESET_HELD 0x01u

void twin_cyw43_reset_backplane(struct twin_cyw43 *chip) {
    uint8_t *ram = chip->plane.ram;

    if (ram == NULL) {
        ram = twin_alloc(RAM_BYTES, 1);
    }
    memset(ram, RAM_UNDEFINED, RAM_BYTES);
    chip->plane = (struct backplane){
        .alp_at_ns = TWIN_NEVER,
        .ht_at_ns = TWIN_NEVER,
        .f2_ready_at_ns = TWIN_NEVER,
        .arm = {.reset_control = RESET_HELD},
        .socram = {.reset_control = RESET_HELD},
        .ram = ram,
    };
    // UNSURE: whether a chip that has just got power keeps itself on; two drivers never ask it to.
    chip->plane.device[DEVICE_SLEEP] = SLEEP_KEEP_ON;
}

bool twin_cyw43_asleep(const struct twin_cyw43 *chip) {
    return chip_now_ns(chip) < chip->plane.awake_at_ns;
}

static bool clocked(const struct core_wrapper *core) {
    return (core->io_control & IO_CLOCK) != 0 && (core->reset_control & RESET_HELD) == 0;
}

// While the clock is still forced the core belongs to the reset sequence.
static bool runs(const struct core_wrapper *core) {
    return clocked(core) && (core->io_control & (IO_FORCE | IO_HALT)) == 0;
}

// ---- device registers

static uint8_t clock_read(const struct twin_cyw43 *chip) {
    const struct backplane *plane = &chip->plane;
    uint8_t value = plane->device[DEVICE_CLOCK] & CLOCK_WRITABLE;

    if (chip_now_ns(chip) >= plane->ht_at_ns) {
        return value | CLOCK_ALP | CLOCK_HT;
    }
    return chip_now_ns(chip) >= plane->alp_at_ns ? value | CLOCK_ALP : value;
}

static uint8_t sleep_read(const struct twin_cyw43 *chip) {
    uint8_t value = chip->plane.device[DEVICE_SLEEP] & SLEEP_KEEP_ON;

    return value != 0 && !twin_cyw43_asleep(chip) ? value | SLEEP_DEVICE_ON : value;
}

static uint8_t device_read(const struct twin_cyw43 *chip, uint32_t offset) {
    switch (offset) {
    case DEVICE_WINDOW_LOW:
        return (uint8_t)(chip->plane.window >> 8);
    case DEVICE_WINDOW_MID:
        return (uint8_t)(chip->plane.window >> 16);
    case DEVICE_WINDOW_HIGH:
        return (uint8_t)(chip->plane.window >> 24);
    case DEVICE_FRAME_CONTROL:
        return 0;
    case DEVICE_CLOCK:
        return clock_read(chip);
    case DEVICE_REMAINING_LOW:
        return chip->fifo.head_started ? (uint8_t)twin_cyw43_head_bytes(chip) : 0;
    case DEVICE_REMAINING_HIGH:
        return chip->fifo.head_started ? (uint8_t)(twin_cyw43_head_bytes(chip) >> 8) : 0;
    case DEVICE_SLEEP:
        return sleep_read(chip);
    default:
        return offset < sizeof(chip->plane.device) ? chip->plane.device[offset] : 0;
    }
}

static void set_window(struct twin_cyw43 *chip, uint32_t shift, uint8_t value) {
    uint32_t window = chip->plane.window;

    window = (window & ~(0xFFu << shift)) | (uint32_t)value << shift;
    chip->plane.window = window & ~(WINDOW_BYTES - 1u);
}

static void device_write(struct twin_cyw43 *chip, uint32_t offset, uint8_t value) {
    struct backplane *plane = &chip->plane;

    if (offset >= sizeof(plane->device)) {
        return;
    }
    plane->device[offset] = value;
    switch (offset) {
    case DEVICE_WINDOW_LOW:
        set_window(chip, 8, value);
        break;
    case DEVICE_WINDOW_MID:
        set_window(chip, 16, value);
        break;
    case DEVICE_WINDOW_HIGH:
        set_window(chip, 24, value);
        break;
    case DEVICE_FRAME_CONTROL:
        if ((value & FRAME_ABORT_READ) != 0) {
            twin_cyw43_abort_read(chip);
        }
        break;
    case DEVICE_CLOCK:
        if ((value & CLOCK_REQUESTS) != 0 && plane->alp_at_ns == TWIN_NEVER) {
            plane->alp_at_ns = chip_now_ns(chip) + twin_sim_unsure(chip->config.sim)->chip_alp_ns;
        }
        break;
    case DEVICE_SLEEP:
        if ((value & SLEEP_KEEP_ON) == 0) {
            plane->awake_at_ns = TWIN_NEVER;
        } else if (plane->awake_at_ns == TWIN_NEVER) {
            plane->awake_at_ns = chip_now_ns(chip) + KEEP_ON_NS;
        }
        break;
    default:
        break;
    }
}

// ---- registers of the cores

static struct core_wrapper *wrapper_at(struct twin_cyw43 *chip, uint32_t address) {
    switch (address & ~0xFFFu) {
    case ARM_WRAPPER:
        return &chip->plane.arm;
    case SOCRAM_WRAPPER:
        return &chip->plane.socram;
    case MAC_WRAPPER:
        return &chip->plane.mac;
    default:
        return NULL;
    }
}

// A register that holds what was written to it.
static uint32_t *stored_register(struct twin_cyw43 *chip, uint32_t address) {
    switch (address) {
    case CHIP_COMMON_GPIO_OUT:
        return &chip->plane.gpio_out;
    case CHIP_COMMON_GPIO_ENABLE:
        return &chip->plane.gpio_enable;
    case SDIO_HOST_INTERRUPT_MASK:
        return &chip->plane.host_interrupt_mask;
    case SDIO_FUNCTION_INTERRUPT_MASK:
        return &chip->plane.function_interrupt_mask;
    case SDIO_TO_HOST_MAILBOX:
        return &chip->plane.to_host_mailbox;
    case SOCRAM_BANK_INDEX:
        return &chip->plane.bank_index;
    case SOCRAM_BANK_PDA:
        return &chip->plane.bank_pda;
    default:
        return NULL;
    }
}

// Unmapped addresses read as 0.
static uint32_t register_read(struct twin_cyw43 *chip, uint32_t address) {
    const struct core_wrapper *wrapper = wrapper_at(chip, address);
    const uint32_t *stored = stored_register(chip, address);

    if (wrapper != NULL && (address & 0xFFFu) == WRAPPER_IO_CONTROL) {
        return wrapper->io_control;
    }
    if (wrapper != NULL && (address & 0xFFFu) == WRAPPER_RESET_CONTROL) {
        return wrapper->reset_control;
    }
    if (address == CHIP_COMMON_ID) {
        return CHIP_ID;
    }
    if (address == SDIO_INTERRUPT_STATUS) {
        return chip->plane.interrupt_status;
    }
    return stored != NULL ? *stored : 0;
}

static void wrapper_write(
    struct twin_cyw43 *chip, struct core_wrapper *wrapper, uint32_t address, uint8_t value) {
    bool ran = runs(&chip->plane.arm);

    if ((address & 0xFFFu) == WRAPPER_IO_CONTROL) {
        wrapper->io_control = value;
    } else if ((address & 0xFFFu) == WRAPPER_RESET_CONTROL) {
        wrapper->reset_control = value & RESET_HELD;
    }
    if (wrapper != &chip->plane.arm) {
        return;
    }
    if (!ran && runs(wrapper)) {
        twin_cyw43_start_firmware(chip);
    } else if (ran && !runs(wrapper)) {
        twin_cyw43_stop_firmware(chip);
    }
}

static void register_write(
    struct twin_cyw43 *chip, uint32_t address, uint32_t value, uint32_t mask) {
    struct core_wrapper *wrapper = wrapper_at(chip, address);
    uint32_t *stored = stored_register(chip, address);

    if (wrapper != NULL && (mask & 0xFFu) != 0) {
        wrapper_write(chip, wrapper, address, (uint8_t)value);
    } else if (address == SDIO_INTERRUPT_STATUS) {
        chip->plane.interrupt_status &= ~(value & mask);
    } else if (stored != NULL) {
        *stored = (*stored & ~mask) | (value & mask);
    }
}

// ---- through the window

// The hardware forces two-byte accesses to even addresses, longer ones to multiples of four; and
// an access does not leave the window.
static uint32_t window_offset(
    struct twin_cyw43 *chip, const struct gspi_command *command, uint32_t size_bytes) {
    uint32_t offset = command->address & F1_ADDRESS_MASK;
    uint32_t align = size_bytes >= 4 ? 3u : size_bytes >= 2 ? 1u : 0u;

    if ((offset & align) != 0) {
        twin_cyw43_deviate(chip, "f1-unaligned");
        offset &= ~align;
    }
    if (offset + size_bytes > WINDOW_BYTES) {
        twin_cyw43_deviate(chip, "f1-window-crossing");
    }
    return offset;
}

// Bytes up to the end of the window; the rest of a crossing access is lost.
static uint32_t within_window(uint32_t offset, uint32_t size_bytes) {
    return offset + size_bytes > WINDOW_BYTES ? WINDOW_BYTES - offset : size_bytes;
}

static bool ram_at(struct twin_cyw43 *chip, uint32_t address, uint32_t size_bytes) {
    if (address >= RAM_BYTES || size_bytes > RAM_BYTES - address) {
        return false;
    }
    if (!clocked(&chip->plane.socram)) {
        twin_cyw43_deviate(chip, "ram-in-reset");
        return false;
    }
    return true;
}

static void window_read(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    uint8_t *target,
    uint32_t size_bytes) {
    uint32_t offset = window_offset(chip, command, size_bytes);
    uint32_t address = chip->plane.window + offset;

    size_bytes = within_window(offset, size_bytes);
    if (address < RAM_BYTES) {
        if (ram_at(chip, address, size_bytes)) {
            memcpy(target, chip->plane.ram + address, size_bytes);
        }
        return;
    }
    for (uint32_t i = 0; i < size_bytes; i++) {
        uint32_t at = address + i;

        target[i] = (uint8_t)(register_read(chip, at & ~3u) >> 8 * (at & 3u));
    }
}

static void window_write(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    const uint8_t *data,
    uint32_t size_bytes) {
    uint32_t offset = window_offset(chip, command, size_bytes);
    uint32_t address = chip->plane.window + offset;
    uint32_t i = 0;

    size_bytes = within_window(offset, size_bytes);
    if (address < RAM_BYTES) {
        if (ram_at(chip, address, size_bytes)) {
            memcpy(chip->plane.ram + address, data, size_bytes);
        }
        return;
    }
    while (i < size_bytes) {
        uint32_t value = 0;
        uint32_t mask = 0;
        uint32_t word = (address + i) & ~3u;

        for (; i < size_bytes && ((address + i) & ~3u) == word; i++) {
            uint32_t shift = 8 * ((address + i) & 3u);

            value |= (uint32_t)data[i] << shift;
            mask |= 0xFFu << shift;
        }
        register_write(chip, word, value, mask);
    }
}

// ---- the two directions

// A block beyond the limit overruns the backplane's queue.
static bool too_long(struct twin_cyw43 *chip, uint32_t size_bytes) {
    if (size_bytes <= F1_BYTES_MAX) {
        return false;
    }
    twin_cyw43_deviate(chip, "f1-over-length");
    chip->bus.interrupt |= INTERRUPT_F1_OVERFLOW;
    return true;
}

void twin_cyw43_f1_read(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    uint8_t *target,
    uint32_t size_bytes) {
    // Some hosts count the response delay in the length; what they clock tells the data.
    uint32_t wanted = command->length < size_bytes ? command->length : size_bytes;

    if (size_bytes == 0) {
        return;
    }
    memset(target, 0, size_bytes);
    if (too_long(chip, wanted)) {
        wanted = F1_BYTES_MAX;
    }
    if ((command->address & F1_DEVICE_BIT) != 0) {
        for (uint32_t i = 0; i < wanted; i++) {
            target[i] = device_read(chip, (command->address & ~F1_DEVICE_BIT) + i);
        }
    } else if (twin_cyw43_asleep(chip)) {
        twin_cyw43_deviate(chip, "f1-asleep");
        memset(target, 0xFF, wanted);
    } else {
        window_read(chip, command, target, wanted);
    }
}

void twin_cyw43_f1_write(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    const uint8_t *data,
    uint32_t size_bytes) {
    (void)too_long(chip, command->length);
    if ((command->address & F1_DEVICE_BIT) != 0) {
        for (uint32_t i = 0; i < size_bytes; i++) {
            device_write(chip, (command->address & ~F1_DEVICE_BIT) + i, data[i]);
        }
    } else if (twin_cyw43_asleep(chip)) {
        twin_cyw43_deviate(chip, "f1-asleep");
    } else if (size_bytes != 0) {
        window_write(chip, command, data, size_bytes);
    }
}
