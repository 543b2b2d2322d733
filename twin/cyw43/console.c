// SPDX-License-Identifier: MIT
// Console: the ring in the chip's memory into which the firmware writes its own text. Where it is,
// write_shared_area() of firmware.c tells the host.
#include "cyw43/parts.h"

#include <stdio.h>
#include <string.h>

// Text, with the time since power on in front, as the real one has it.
void twin_cyw43_console(struct twin_cyw43 *chip, const char *text) {
    uint8_t *ram = chip->plane.ram;
    uint64_t us = chip_now_ns(chip) / 1000u;
    uint32_t head = get32(ram + SHARED_CONSOLE + 16);
    char line[128];

    if (!chip->plane.firmware_running) {
        return;
    }
    snprintf(
        line,
        sizeof(line),
        "%06llu.%03llu %s\n",
        (unsigned long long)(us / 1000000u),
        (unsigned long long)(us / 1000u % 1000u),
        text);
    for (const char *at = line; *at != '\0'; at++) {
        ram[SHARED_RING + head] = (uint8_t)*at;
        head = (head + 1) % CONSOLE_BYTES;
    }
    put32(ram + SHARED_CONSOLE + 16, head);
}
