// SPDX-License-Identifier: MIT
// Cost table: what the firmware's work takes of the processor, in one place, each with its source.
//
// Instructions are those of a Cortex-M33 at -O2, counted on an emulator for a prototype of the same
// data path (docs/explain/unproven-on-hardware.md says what hangs on them). Nothing here was
// measured on a board.
#ifndef TWIN_BOARD_COST_TABLE_H
#define TWIN_BOARD_COST_TABLE_H

// UNSURE: cycles an instruction takes, in thousandths. 1.1 to 1.4 are expected from SRAM; the
// middle is taken. Code in flash behind a cold cache takes more.
#define TWIN_COST_CYCLES_PER_KILO_INSTRUCTION 1250u
#define TWIN_COST_CYCLES_RANGE                1100u, 2500u

// name, thousandths of an instruction, source
// clang-format off
#define TWIN_COSTS(X)                                                                             \
    /* UNSURE: entry and return of a Cortex-M33 (12 cycles each, specified for the core with no   \
       wait states) and a handler of about 60 instructions: acknowledge, advance, flag. */        \
    X(interrupt,     80000)                                                                       \
    /* A poll that finds nothing to do: the target of 60 instructions for the stack, and as much  \
       again for the driver. UNSURE: a target, not a count. */                                    \
    X(poll,          120000)                                                                      \
    /* UNSURE: a list of descriptors (bits out, bits in, pieces, receive buffer) written to RAM   \
       and the engine told: about 10 register accesses, as embassy's driver needs (read from      \
       public code), and about 60 instructions round them. */                                     \
    X(setup_queued,  100000)                                                                      \
    /* UNSURE: of the order of 40 register accesses, as in the SDK's driver (read from public     \
       code), 4 cycles each for the bridge, and the wait of 100 ns after chip select. */          \
    X(setup_serial,  200000)                                                                      \
    /* 139 to send a segment and 24 to commit its descriptor: measured on the prototype. 300 of   \
       the 600 assumed for the driver's bookkeeping of a frame. UNSURE: that assumption. */       \
    X(segment,       463000)                                                                      \
    /* 257 for an ACK of two segments on the fast path, both checksums verified: measured on the  \
       prototype. 300 for the driver: UNSURE, the other half of the 600 above. */                 \
    X(ack,           557000)                                                                      \
    /* UNSURE: a frame off the fast path (ARP, a bare ACK, an ioctl) and the driver's share. */   \
    X(control_frame, 600000)                                                                      \
    /* newlib-nano's memcpy: 800 instructions for 1460 bytes, measured on the emulator. */        \
    X(copied_byte,   548)                                                                         \
    /* Load-multiple and add-with-carry: 621 instructions for 1460 bytes, measured on the         \
       emulator. */                                                                               \
    X(summed_byte,   425)                                                                         \
    /* lwIP 2.1.3 with the options of the Pico examples, counted on the emulator                  \
       (docs/reference/cost.md): 4960 to send a segment of 1460 bytes, of which two copies        \
       (800 each) and the sum are counted by the byte here; 300 for the driver as above. */       \
    X(lwip_segment,  1407000)                                                                     \
    /* The same, for an acknowledgement of two segments: 1348, its copy included; and 300 for     \
       the driver. */                                                                             \
    X(lwip_received, 1648000)                                                                     \
    /* The same, lwIP's 32-bit loop with a carry test after each add (LWIP_CHKSUM_ALGORITHM 3):   \
       2253 for 1460 bytes. */                                                                    \
    X(lwip_summed_byte, 1543)
// clang-format on

// The same as numbers, and what each UNSURE one may be: half of it to four times; a segment and an
// ACK from nothing of the driver's 300 instructions to 2000 in all.
enum {
#define X(name, milli) TWIN_COST_MILLI_##name = (milli),
    TWIN_COSTS(X)
#undef X
};
#define TWIN_COST_RANGE_interrupt     40000u, 320000u
#define TWIN_COST_RANGE_poll          60000u, 480000u
#define TWIN_COST_RANGE_setup_queued  50000u, 400000u
#define TWIN_COST_RANGE_setup_serial  100000u, 800000u
#define TWIN_COST_RANGE_segment       163000u, 2000000u
#define TWIN_COST_RANGE_ack           257000u, 2000000u
#define TWIN_COST_RANGE_control_frame 300000u, 2400000u

enum twin_cost {
#define X(name, milli) TWIN_COST_##name,
    TWIN_COSTS(X)
#undef X
        TWIN_COST_COUNT,
};

// UNSURE: cycles of the system clock between the last clock of a queued transfer and the first of
// the next: the chained DMA channel writes four words of the next descriptor (about 20), chip
// select high and low again, and the state machine reads its two counts and sets the pin's
// direction (about 12 of its instructions at 2 cycles). 300 ns at 150 MHz.
#define TWIN_GAP_CYCLES       45u
#define TWIN_GAP_CYCLES_RANGE 20u, 300u

// System clocks a bit before the firmware asks for a clock: the SDK's divider of 2, two PIO cycles
// a bit (read from public code).
#define TWIN_CLOCKS_PER_BIT_DEFAULT 4u
// Two PIO cycles a bit at the least, and a whole divider of 16 bits (specified: RP2350).
#define TWIN_CLOCKS_PER_BIT_MIN 2u
#define TWIN_CLOCKS_PER_BIT_MAX 131070u

#endif
