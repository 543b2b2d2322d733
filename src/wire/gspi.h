// SPDX-License-Identifier: MIT
// gSPI words: the command, the byte orders and the status word of the CYW43439's bus.
//
// A transaction is a 32-bit command, data in one direction, and a status word that the chip
// appends. The command:
//
//     31     30        29:28     27:11    10:0
//     write  increment function  address  length in bytes (0: 2048)
//
// Read from public code: embassy-rs/embassy cyw43/src/spi.rs, soypat/cyw43439 bus.go,
// Infineon/wifi-host-driver whd_bus_spi_protocol.c agree on it.
#ifndef WIRE_GSPI_H
#define WIRE_GSPI_H

#include <stdbool.h>
#include <stdint.h>

#define COR_GSPI_WORD_BYTES 4
// Read from public code: the length field has 11 bits, 0 stands for 2048.
#define COR_GSPI_TRANSFER_BYTES_MAX 2048

enum cor_gspi_function {
    COR_GSPI_BUS = 0,        // registers of the bus itself
    COR_GSPI_BACKPLANE = 1,  // window into the chip's memory, and its device registers
    COR_GSPI_WLAN = 2,       // frames
};

// Status word; read from public code: embassy cyw43/src/consts.rs, bcmdhd bcmspibrcm.c.
#define COR_GSPI_STATUS_NO_DATA    0x00000001u
#define COR_GSPI_STATUS_UNDERFLOW  0x00000002u
#define COR_GSPI_STATUS_OVERFLOW   0x00000004u
#define COR_GSPI_STATUS_F2_READY   0x00000020u
#define COR_GSPI_STATUS_ERROR      0x00000080u
#define COR_GSPI_STATUS_F2_WAITING 0x00000100u
// All that tell of a fault.
#define COR_GSPI_STATUS_FAULTS                                                                     \
    (COR_GSPI_STATUS_NO_DATA | COR_GSPI_STATUS_UNDERFLOW | COR_GSPI_STATUS_OVERFLOW |              \
     COR_GSPI_STATUS_ERROR)
// A bus that is dead or asleep.
#define COR_GSPI_STATUS_DEAD 0xFFFFFFFFu

// The order of bytes on the wire of a 32-bit word, b0 its least significant byte.
enum cor_gspi_order {
    COR_GSPI_ORDER_RESET,   // b1 b0 b3 b2: 16-bit words, as after power-up
    COR_GSPI_ORDER_MEMORY,  // b0 b1 b2 b3: 32-bit words with the endian bit set
};

// The command word; increments its address. bytes is 1..2048.
uint32_t cor_gspi_command(
    bool write, enum cor_gspi_function function, uint32_t address, uint32_t bytes);

void cor_gspi_emit(uint8_t *at, uint32_t word, enum cor_gspi_order order);
uint32_t cor_gspi_parse(const uint8_t *at, enum cor_gspi_order order);

// The 32 bits in the order they were on the wire, first bit highest.
uint32_t cor_gspi_stream(const uint8_t *at);

// Length in bytes of the frame at the head of the chip's queue, 0 where none waits.
uint16_t cor_gspi_waiting_bytes(uint32_t status);

// A length rounded up to whole words, as it is clocked.
static inline uint32_t cor_gspi_round(uint32_t bytes) {
    return (bytes + 3u) & ~3u;
}

#endif
