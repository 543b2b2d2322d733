// SPDX-License-Identifier: MIT
#include "budget/board.h"

#include <string.h>

// Instructions counted on an emulated Cortex-M33, -O2, for one 1460-byte segment and half an ACK
// (measured; the stack alone, in the frame buffer). 600 for the driver's bookkeeping of a frame
// are UNSURE.
static const struct budget_stack_row stacks[] = {
    [BUDGET_STACK_CORADIO] =
        {
            .name = "coradio",
            .title = "coradio's own stack and driver",
            .tcp_amount = 913 + 600,
            .udp_amount = 784 + 600,
            .engine = BUDGET_ENGINE_QUEUED,
            .status = BUDGET_STATUS_APPENDED,
            .pico_send_buffer = 65536,
            .tcp_source = "measured: 913 instructions counted; UNSURE: 600 for the driver",
            .udp_source = "UNSURE: 784 as counted for sending a TCP segment, 600 for the driver",
        },
    [BUDGET_STACK_LWIP] =
        {
            .name = "lwip",
            .title = "lwIP with the vendor's driver",
            .tcp_amount = 5880,
            .udp_amount = 4250,
            .engine = BUDGET_ENGINE_SERIAL,
            .status = BUDGET_STATUS_SDK,
            // pico-examples: a heap of 4000 bytes holds two segments of 1540.
            .pico_send_buffer = 2920,
            .tcp_source = "measured: 5880 instructions counted, options of pico-examples",
            .udp_source = "UNSURE: checksum and copies as counted (3854) and 400",
        },
    [BUDGET_STACK_EMBASSY] =
        {
            .name = "embassy",
            .title = "embassy-net and cyw43 of the write-up",
            .tcp_amount = 37600,
            .udp_amount = 23300,
            .in_cycles = true,
            .engine = BUDGET_ENGINE_SERIAL,
            .status = BUDGET_STATUS_POLLED,
            .pico_send_buffer = 65536,
            .tcp_source = "measured: 250.8 us beyond the bus at 150 MHz, waiting included",
            .udp_source = "measured: 155.5 us beyond the bus at 150 MHz, waiting included",
        },
    [BUDGET_STACK_VENDOR] =
        {
            .name = "vendor",
            .title = "the vendor's stack, whole",
            .engine = BUDGET_ENGINE_QUEUED,
            .status = BUDGET_STATUS_APPENDED,
            .tcp_source = "measured by the vendor in a shield box: at most this, air included",
            .udp_source = "measured by the vendor in a shield box: at most this, air included",
        },
};

#define HOSTED_SOFTWARE                                                                            \
    "measured: 60 to 70 us a packet between the raw transfer test and the wire (esp-hosted-mcu, "  \
    "docs/sdio.md); host and C6 not split"

#define ESP_SHIELD "ESP-IDF, native, shield box"

const struct budget_board budget_boards[] = {
    {
        .name = "pico2w",
        .title = "Raspberry Pi Pico 2 W",
        .processor = "RP2350, 2 x Cortex-M33, 150 MHz; CYW43439",
        .family = BUDGET_FAMILY_PICO,
        .wire = {.bus = BUDGET_BUS_GSPI, .clock_hz = 37.5e6, .lines = 1},
        .stack = BUDGET_STACK_CORADIO,
        .cpu_mhz = 150,
        .cycles_per_instruction = 1.2,
        .cpu_source = "specified: 150 MHz; UNSURE: 1.2 cycles an instruction from SRAM",
        .format = AIRTIME_HT20,
        .ampdu = 8,
        .ampdu_max = 8,
        .ap_ampdu = 8,
        .mss = 1460,
        .rtt_us = 4000,
        .chip_source = "UNSURE: nobody has measured it; 0 until given by --chip-frame-us",
        .note = "The CYW43439 is HT20 with one stream; it refuses an A-MPDU limit of 16.",
        .references =
            {
                {"TCP", 19.5, "embassy, corrected sampling, 37.5 MHz bus, 150 MHz processor"},
                {"UDP", 24.3, "the same"},
                {"TCP", 15.3, "embassy, 25 MHz bus"},
                {"TCP", 12.7, "SDK and lwIP, 375 MHz processor, 75 MHz bus (out of specification)"},
                {"TCP", 8.9, "SDK and lwIP, 375 MHz processor, 50 MHz bus"},
                {"TCP", 3.7, "SDK and lwIP, stock clocks, larger windows"},
                {"TCP", 0.07, "pico-examples as shipped, power save on"},
            },
    },
    {
        .name = "picow",
        .title = "Raspberry Pi Pico W",
        .processor = "RP2040, 2 x Cortex-M0+, 125 MHz; CYW43439",
        .family = BUDGET_FAMILY_PICO,
        .wire = {.bus = BUDGET_BUS_GSPI, .clock_hz = 31.25e6, .lines = 1},
        .stack = BUDGET_STACK_CORADIO,
        .cpu_mhz = 125,
        .cycles_per_instruction = 2.0,
        .cpu_source = "specified: 125 MHz; UNSURE: M33 counts at 2 cycles each stand for the M0+",
        .format = AIRTIME_HT20,
        .ampdu = 8,
        .ampdu_max = 8,
        .ap_ampdu = 8,
        .mss = 1460,
        .rtt_us = 4000,
        .chip_source = "UNSURE: nobody has measured it; 0 until given by --chip-frame-us",
        .note = "The CYW43439 is HT20 with one stream; 31.25 MHz is the SDK's divider of 125 MHz.",
        .references = {{"TCP", 10, "SDK and lwIP, iperf, as users report"}},
    },
    {
        .name = "esp32p4c6",
        .title = "ESP32-P4 with ESP32-C6 (ESP-Hosted)",
        .processor = "ESP32-P4, 2 x RISC-V, 360 MHz; ESP32-C6, 1 x RISC-V, 160 MHz",
        .family = BUDGET_FAMILY_HOSTED,
        .wire =
            {.bus = BUDGET_BUS_SDIO, .clock_hz = 40e6, .lines = 4, .sdio_mode = BUDGET_SDIO_STREAM},
        .stack = BUDGET_STACK_LWIP,
        .cpu_mhz = 360,
        .cycles_per_instruction = 1.2,
        .cpu_source = "UNSURE: 360 MHz, and Cortex-M33 counts at 1.2 cycles each for its RISC-V",
        .format = AIRTIME_HE20,
        .has_ht40 = true,
        .has_he = true,
        .he_mcs_max = 9,
        .ampdu = 6,
        .ampdu_max = 64,
        .ap_ampdu = 6,
        .mss = 1440,
        .send_buffer = 5760,
        .rtt_us = 3000,
        .chip_frame_us = 66,
        .chip_source = HOSTED_SOFTWARE,
        .note = "The C6 ends at HE MCS9 (114.7 Mbit/s); lwIP runs on the P4, not on the C6.",
        .references =
            {
                {"UDP", 36, "write-up, receiver, 40 MHz SDIO, 1400 bytes (sender 40.14)"},
                {"UDP", 30.2, "write-up, receiver, 25 MHz SDIO (sender 33.46)"},
                {"TCP", 32, "upstream, open air, windows 65534"},
                {"UDP", 50, "upstream, open air"},
                {"TCP", 53.4, "upstream, shield box, 40 MHz air bandwidth"},
                {"UDP", 79.5, "upstream, shield box, 40 MHz air bandwidth, perhaps at the sender"},
            },
    },
    {
        .name = "esp32",
        .title = "ESP32",
        .processor = "2 x Xtensa LX6, 240 MHz",
        .family = BUDGET_FAMILY_ESP,
        .wire = {.bus = BUDGET_BUS_NONE, .lines = 1},
        .stack = BUDGET_STACK_VENDOR,
        .cpu_mhz = 240,
        .cpu_source = "specified",
        .format = AIRTIME_HT20,
        .has_ht40 = true,
        .ampdu = 6,
        .ampdu_max = 32,
        .ap_ampdu = 6,
        .mss = 1440,
        .send_buffer = 5760,
        .rtt_us = 3000,
        .vendor_mbps = {75, 75},
        .references =
            {
                {"UDP", 20, "write-up"},
                {"TCP", 75, ESP_SHIELD},
                {"UDP", 75, ESP_SHIELD},
            },
    },
    {
        .name = "esp32s3",
        .title = "ESP32-S3",
        .processor = "2 x Xtensa LX7, 240 MHz",
        .family = BUDGET_FAMILY_ESP,
        .wire = {.bus = BUDGET_BUS_NONE, .lines = 1},
        .stack = BUDGET_STACK_VENDOR,
        .cpu_mhz = 240,
        .cpu_source = "specified",
        .format = AIRTIME_HT20,
        .has_ht40 = true,
        .ampdu = 6,
        .ampdu_max = 32,
        .ap_ampdu = 6,
        .mss = 1440,
        .send_buffer = 5760,
        .rtt_us = 3000,
        .vendor_mbps = {83, 98},
        .references =
            {
                {"UDP", 25, "write-up"},
                {"TCP", 83, ESP_SHIELD},
                {"UDP", 98, ESP_SHIELD},
            },
    },
    {
        .name = "esp32c6",
        .title = "ESP32-C6",
        .processor = "1 x RISC-V, 160 MHz",
        .family = BUDGET_FAMILY_ESP,
        .wire = {.bus = BUDGET_BUS_NONE, .lines = 1},
        .stack = BUDGET_STACK_VENDOR,
        .cpu_mhz = 160,
        .cpu_source = "specified",
        .format = AIRTIME_HE20,
        .has_ht40 = true,
        .has_he = true,
        .he_mcs_max = 9,
        .ampdu = 6,
        .ampdu_max = 64,
        .ap_ampdu = 6,
        .mss = 1440,
        .send_buffer = 5760,
        .rtt_us = 3000,
        .vendor_mbps = {43, 51},
        .note = "The write-up's 36 Mbit/s for the C6 were measured behind a P4: board esp32p4c6.",
        .references =
            {
                {"TCP", 43, ESP_SHIELD},
                {"UDP", 51, ESP_SHIELD},
                {"TCP", 25.9, "ESP-IDF, native, open air, default ranks (16 KB windows)"},
                {"UDP", 36.1, "the same"},
            },
    },
    {
        .name = "esp32c5",
        .title = "ESP32-C5",
        .processor = "1 x RISC-V, 240 MHz",
        .family = BUDGET_FAMILY_ESP,
        .wire = {.bus = BUDGET_BUS_NONE, .lines = 1},
        .stack = BUDGET_STACK_VENDOR,
        .cpu_mhz = 240,
        .cpu_source = "specified: one core, not two as the write-up says",
        .format = AIRTIME_HE20,
        .has_ht40 = true,
        .has_he = true,
        .he_mcs_max = 9,
        .ampdu = 6,
        .ampdu_max = 64,
        .ap_ampdu = 6,
        .mss = 1440,
        .send_buffer = 5760,
        .rtt_us = 3000,
        .vendor_mbps = {49, 63},
        .note = "Computed for 2.4 GHz. At 5 GHz an exchange takes the same time: the longer SIFS "
                "and AIFS cost what the missing signal extension saves.",
        .references =
            {
                {"UDP", 55, "write-up"},
                {"TCP", 49, ESP_SHIELD ", 2.4 GHz"},
                {"UDP", 63, ESP_SHIELD ", 2.4 GHz"},
                {"TCP", 50, ESP_SHIELD ", 5 GHz"},
                {"UDP", 64, ESP_SHIELD ", 5 GHz"},
            },
    },
    {0},
};

#define SPI_HD_SOFTWARE                                                                            \
    "measured: about 210 us between the published rates of 1, 2 and 4 lines and the wire; "        \
    "UNSURE: "                                                                                     \
    "40 MHz"

// Rates: esp-hosted-mcu, README, shield box. Wiring: ESP32-P4-WIFI6-NANO as the write-up has it.
const struct budget_transport budget_transports[] = {
    {
        .wire =
            {.bus = BUDGET_BUS_SDIO, .clock_hz = 40e6, .lines = 4, .sdio_mode = BUDGET_SDIO_STREAM},
        .frame_us = 66,
        .frame_source = HOSTED_SOFTWARE,
        .measured_mbps = {53.4, 79.5},
        .wired = true,
        .wiring = "CLK, CMD, D0 to D3; in use",
    },
    {
        .wire =
            {.bus = BUDGET_BUS_SDIO, .clock_hz = 40e6, .lines = 1, .sdio_mode = BUDGET_SDIO_STREAM},
        .frame_us = 66,
        .frame_source = HOSTED_SOFTWARE,
        .wired = true,
        .wiring = "the same; D1 stays the interrupt",
    },
    {
        .wire = {.bus = BUDGET_BUS_SPI_FD, .clock_hz = 40e6, .lines = 1},
        .frame_us = 160,
        .frame_source = "measured: about 160 us lost for each exchange of 320 us at 40 MHz",
        .measured_mbps = {22, 24},
        .wiring = "not as such; the six SDIO traces could carry it",
    },
    {
        .wire = {.bus = BUDGET_BUS_SPI_HD, .clock_hz = 40e6, .lines = 4},
        .frame_us = 210,
        .frame_source = SPI_HD_SOFTWARE,
        .measured_mbps = {29, 41},
        .wiring = "seven signals, six traces",
    },
    {
        .wire = {.bus = BUDGET_BUS_SPI_HD, .clock_hz = 40e6, .lines = 2},
        .frame_us = 210,
        .frame_source = SPI_HD_SOFTWARE,
        .measured_mbps = {26, 32},
        .wiring = "no pin set of the vendor for it",
    },
    {
        .wire = {.bus = BUDGET_BUS_SPI_HD, .clock_hz = 40e6, .lines = 1},
        .frame_us = 210,
        .frame_source = SPI_HD_SOFTWARE,
        .measured_mbps = {19, 22},
        .wiring = "no pin set of the vendor for it",
    },
    {
        .wire = {.bus = BUDGET_BUS_UART, .clock_hz = 921600, .lines = 1},
        .frame_source = "UNSURE: nothing beside the wire's time",
        .measured_mbps = {0.67, 0.68},
        .wiring = "no traces",
    },
    {.wire = {.bus = BUDGET_BUS_NONE}},
};

const struct budget_transport *budget_transport_find(enum budget_bus bus, unsigned lines) {
    for (const struct budget_transport *row = budget_transports; row->wire.bus != BUDGET_BUS_NONE;
         row++) {
        if (row->wire.bus == bus && (lines == 0 || row->wire.lines == lines)) {
            return row;
        }
    }
    return NULL;
}

const struct budget_board *budget_board_find(const char *name) {
    for (const struct budget_board *board = budget_boards; board->name != NULL; board++) {
        if (strcmp(board->name, name) == 0) {
            return board;
        }
    }
    return NULL;
}

const struct budget_stack_row *budget_stack_row(enum budget_stack stack) {
    return &stacks[stack];
}

bool budget_board_has_stack(const struct budget_board *board, enum budget_stack stack) {
    switch (board->family) {
    case BUDGET_FAMILY_PICO:
        return stack != BUDGET_STACK_VENDOR;
    case BUDGET_FAMILY_HOSTED:
        return stack == BUDGET_STACK_CORADIO || stack == BUDGET_STACK_LWIP;
    case BUDGET_FAMILY_ESP:
    default:
        return stack == BUDGET_STACK_VENDOR;
    }
}
