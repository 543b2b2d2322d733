// SPDX-License-Identifier: MIT
// The smallest driver on the chip model: proves the bus, loads the firmware, asks for the MAC.
//
// Everything above "the driver" is the port, and all of what attaching costs; a driver you bring
// along has its own half below it. docs/howto/attach-a-driver.md tells more.
#include "coradio_twin/attach.h"
#include "coradio_twin/cyw43.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the port: wires and time

static struct twin_attach *chip;

static void spi_transfer(const uint8_t *out, size_t out_bytes, uint8_t *in, size_t in_bytes) {
    twin_attach_transfer(chip, out, out_bytes, in, in_bytes);
}

static void delay_ms(uint32_t ms) {
    twin_attach_wait_us(chip, 1000u * ms);
}

static void power_pin(bool high) {
    twin_attach_power(chip, high);
}

// ---- the driver

#define BUS       0u
#define BACKPLANE 1u
#define WLAN      2u
#define F1_DELAY  4u  // bytes between command and data of a backplane read

static bool swapped = true;  // 16-bit words, as the chip wakes up

static void put32(uint8_t *at, uint32_t value) {
    for (uint32_t i = 0; i < 4; i++) {
        at[swapped ? i ^ 1u : i] = (uint8_t)(value >> 8 * i);
    }
}

static uint32_t get32(const uint8_t *at) {
    uint32_t value = 0;

    for (uint32_t i = 0; i < 4; i++) {
        value |= (uint32_t)at[swapped ? i ^ 1u : i] << 8 * i;
    }
    return value;
}

static void write_block(uint32_t function, uint32_t at, const void *data, uint32_t size_bytes) {
    uint8_t out[4 + 2048] = {0};

    put32(out, 0xC0000000u | function << 28 | at << 11 | size_bytes);
    memcpy(out + 4, data, size_bytes);
    spi_transfer(out, 4 + ((size_bytes + 3u) & ~3u), NULL, 0);
}

static void write_register(uint32_t function, uint32_t at, uint32_t value, uint32_t size_bytes) {
    uint8_t bytes[4];

    put32(bytes, value);
    write_block(function, at, bytes, size_bytes);
}

static void read_block(uint32_t function, uint32_t at, uint8_t *data, uint32_t size_bytes) {
    uint32_t skip = function == BACKPLANE ? F1_DELAY : 0;
    uint8_t in[2048 + 8];
    uint8_t out[4];

    put32(out, 0x40000000u | function << 28 | at << 11 | size_bytes);
    spi_transfer(out, 4, in, skip + ((size_bytes + 3u) & ~3u));
    memcpy(data, in + skip, size_bytes);
}

static uint32_t read_register(uint32_t function, uint32_t at) {
    uint8_t bytes[4];

    read_block(function, at, bytes, 4);
    return get32(bytes);
}

static bool wait_for(uint32_t function, uint32_t at, uint32_t mask) {
    for (uint32_t ms = 0; ms < 500; ms++) {
        if ((read_register(function, at) & mask) == mask) {
            return true;
        }
        delay_ms(1);
    }
    return false;
}

// An address of the backplane: moves the window there, returns the place in it.
static uint32_t window(uint32_t address) {
    write_register(BACKPLANE, 0x1000A, address >> 8, 3);
    return address & 0x7FFFu;
}

static void core_start(uint32_t wrapper) {
    static const struct { uint32_t offset, value; } steps[] = {{0x408, 3}, {0x800, 0}, {0x408, 1}};

    for (size_t i = 0; i < 3; i++) {
        write_register(BACKPLANE, window(wrapper + steps[i].offset), steps[i].value, 1);
        delay_ms(1);
    }
}

static void load(uint32_t address, const uint8_t *image, uint32_t size_bytes) {
    for (uint32_t done = 0; done < size_bytes; done += 64) {
        uint32_t part = size_bytes - done < 64 ? size_bytes - done : 64;

        write_block(BACKPLANE, window(address + done), image + done, part);
    }
}

static bool bring_up(void) {
    static uint8_t image[512 * 1024];
    uint32_t size_bytes;

    power_pin(true);
    delay_ms(50);
    if (read_register(BUS, 0x14) != 0xFEEDBEADu) {
        return false;
    }
    write_register(BUS, 0x00, 0x000200B3u, 4);  // 32-bit words as they lie in memory, no status
    swapped = false;
    write_register(BUS, 0x1D, F1_DELAY, 1);
    write_register(BACKPLANE, 0x1000E, 0x08, 1);  // the slow clock
    if (!wait_for(BACKPLANE, 0x1000E, 0x40)) {
        return false;
    }
    core_start(0x18104000);  // memory
    size_bytes = twin_cyw43_image_firmware(image, sizeof(image));
    load(0, image, size_bytes);
    size_bytes = twin_cyw43_image_nvram(image, sizeof(image));
    load(0x7FFFC - size_bytes, image, size_bytes);
    write_register(BACKPLANE, window(0x7FFFC), ~(size_bytes / 4) << 16 | size_bytes / 4, 4);
    core_start(0x18103000);  // processor
    return wait_for(BACKPLANE, 0x1000E, 0x80) && wait_for(BUS, 0x08, 0x20);
}

// One control request: SDPCM header, request header, name; the reply holds the value in its place.
static bool read_mac(uint8_t mac[6]) {
    uint8_t frame[48] = {48, 0, (uint8_t)~48, 0xFF, 0, 0, 0, 12};

    put32(frame + 12, 262);  // get a variable
    put32(frame + 16, 20);
    frame[22] = 1;
    memcpy(frame + 28, "cur_etheraddr", 13);
    write_block(WLAN, 0, frame, sizeof(frame));
    if (!wait_for(BUS, 0x08, 0x100)) {
        return false;
    }
    read_block(WLAN, 0, frame, sizeof(frame));
    memcpy(mac, frame + 28, 6);
    return true;
}

int main(int argc, char **argv) {
    struct twin_attach_config config = {.seed = 1, .faults = argc > 1 ? argv[1] : NULL};
    char error[256];
    uint8_t mac[6];

    chip = twin_attach_new(&config, error);
    if (chip == NULL) {
        fprintf(stderr, "attach_driver: %s\n", error);
        return 2;
    }
    if (!bring_up() || !read_mac(mac)) {
        puts("the chip did not come up");
        twin_attach_free(chip);
        return 1;
    }
    printf("up after %llu us, MAC ", (unsigned long long)twin_attach_now_us(chip));
    for (size_t i = 0; i < sizeof(mac); i++) {
        printf(i == 0 ? "%02x" : ":%02x", mac[i]);
    }
    puts("");
    twin_attach_free(chip);
    return 0;
}
