// SPDX-License-Identifier: MIT
// CYW43 registers: what the driver touches over gSPI, and nothing more.
//
// All of it read from public code: embassy-rs/embassy cyw43/src/consts.rs and runner.rs,
// soypat/cyw43439 bus.go, jbentham/picowi lib/picowi_regs.h, Linux brcmfmac chip.c and sdio.c.
#ifndef CYW43_REGISTERS_H
#define CYW43_REGISTERS_H

// ---- F0, the bus itself

#define REG_BUS_CONTROL   0x00u
#define REG_BUS_INTERRUPT 0x04u
#define REG_BUS_ENABLE    0x06u
#define REG_BUS_STATUS    0x08u
#define REG_BUS_TEST      0x14u
#define REG_BUS_SCRATCH   0x18u
#define REG_BUS_F1_DELAY  0x1Du
#define BUS_TEST_PATTERN  0xFEEDBEADu

// The first four registers in one word: 32-bit words, memory order (BIG), high speed, interrupt
// active high, awake; response delay 4; status appended, interrupt valid with it.
#define BUS_CONTROL_WORD 0x000304B3u
// Filler bytes before the data of an F1 read (read from public code: embassy, soypat write 4).
#define BUS_F1_DELAY_BYTES 4u
// Interrupt causes: a frame waits; and those that are cleared by writing ones.
#define BUS_INTERRUPT_F2_WAITING 0x0020u
#define BUS_INTERRUPT_AT_START   0x0099u
#define BUS_INTERRUPT_FAULTS     0x009Fu

// ---- F1, device registers (address bit 16)

#define REG_DEV_WATERMARK   0x10008u
#define REG_DEV_WINDOW      0x1000Au
#define REG_DEV_FRAME       0x1000Du
#define REG_DEV_CLOCK       0x1000Eu
#define REG_DEV_PULL_UP     0x1000Fu
#define REG_DEV_LEFT_LOW    0x1001Bu  // bytes left of the frame being read
#define REG_DEV_LEFT_HIGH   0x1001Cu
#define DEV_FRAME_READ_TERM 0x01u
#define DEV_CLOCK_ALP_REQ   0x08u
#define DEV_CLOCK_HT_REQ    0x10u
#define DEV_CLOCK_ALP_AVAIL 0x40u
#define DEV_CLOCK_HT_AVAIL  0x80u
// F2 watermarks: one that is only read back, and the one for gSPI.
#define DEV_WATERMARK_TRY  0x10u
#define DEV_WATERMARK_GSPI 0x20u

// ---- F1, backplane through a 32 KiB window

#define BP_WINDOW_BYTES 0x8000u
// Set in the address of a 32-bit register access.
#define BP_ACCESS_32   0x8000u
#define BP_BLOCK_BYTES 64u

#define BP_CHIP_ID          0x18000000u
#define BP_SDIO_HOST_MASK   0x18002024u
#define BP_SDIO_HOST_EVENTS 0x000000F0u
#define BP_ARM_WRAPPER      0x18103000u
#define BP_RAM_WRAPPER      0x18104000u
#define BP_RAM_BANK_INDEX   0x18004010u
#define BP_RAM_BANK_PDA     0x18004044u
#define CHIP_ID_43439       0xA9AFu

// Of each wrapper.
#define WRAP_IO_CONTROL   0x408u
#define WRAP_RESET        0x800u
#define WRAP_IO_CLOCK     0x01u
#define WRAP_IO_GATED     0x02u
#define WRAP_RESET_ACTIVE 0x01u

#define RAM_BYTES 0x80000u
// Save and restore memory at the end that firmware may not reach.
#define RAM_FIRMWARE_BYTES_MAX (RAM_BYTES - 0x10000u)
#define RAM_NVRAM_BYTES_MAX    4096u

#endif
