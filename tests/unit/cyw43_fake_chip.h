// SPDX-License-Identifier: MIT
// A small scripted chip for tests of the CYW43 driver: it answers just enough of gSPI for a start
// and a join, writes down what came, and does wrong what a test asks it to do wrong.
#ifndef CYW43_FAKE_CHIP_H
#define CYW43_FAKE_CHIP_H

#include "test.h"

#include <stddef.h>
#include <stdlib.h>

#include "coradio/cyw43.h"

#define FAKE_RAM_BYTES  0x80000u
#define FAKE_DEPTH_MAX  8u
#define FAKE_FRAMES_MAX 32u
#define FAKE_VARS_MAX   32u

struct fake_frame {
    uint8_t bytes[1600];
    uint32_t size_bytes;
    uint32_t told_bytes;  // length in the status word, if not 0
};

struct fake_var {
    char name[32];
    uint8_t value[64];
    uint32_t size_bytes;
};

struct fake_event {
    uint8_t type, status, reason, flags;
};

struct fake {
    struct cor_bus bus;
    struct cor_meter meter;
    struct cor_frame_source source;
    struct cor_cyw43 chip;
    uint64_t now_us;
    bool by_hand;  // transfers complete one by one in fake_complete()
    struct cor_bus_xfer *queue[FAKE_DEPTH_MAX];
    uint32_t queued;
    uint32_t done;
    uint32_t transfers;
    uint64_t bits;
    int32_t clock_hz;
    bool power;
    uint64_t powered_us;

    // Faults and conditions.
    uint64_t wake_us;
    uint32_t (*garble)(struct fake *fake, uint32_t address, uint32_t word);  // of F0 reads
    bool absent;
    enum cor_bus_sampling sampling;
    int32_t loop_delay_ps;  // from the clock to the data at the input; 0: not looked at
    uint32_t noise_in;      // one transfer of so many reads a wrong bit; 0: none
    uint32_t noise_state;
    bool zeros;      // the wire reads nothing but zeros
    bool dead_wire;  // nothing but ones
    bool line_mute;  // the line calls never
    bool stop_in_link;
    bool garble_in_data;  // garble only at the data clock
    uint8_t ram_flip;     // bits turned in a byte of RAM that is written
    uint32_t ram_flip_at;
    uint32_t ram_flips;  // this many writes of it
    uint32_t read_flips;
    bool not_ready;
    bool silent;            // no replies
    int32_t refuse_status;  // of SET refuse_name
    const char *refuse_name;
    uint32_t busy_replies;
    bool dead;            // status words of ones
    bool garbled_status;  // they may say anything
    bool line_stuck;
    uint8_t window_frames;  // credit beyond the last frame
    bool freeze_credit;

    // Chip.
    uint8_t control[4];
    bool memory_order;
    uint8_t f0[64];
    uint8_t device[32];
    uint32_t window;
    uint8_t *ram;
    uint8_t wrapper[2][2];  // ARM, RAM: I/O control, reset
    bool running;
    struct fake_frame fifo[FAKE_FRAMES_MAX];
    uint32_t fifo_count;
    uint32_t left_bytes;  // of a frame read in part
    uint8_t tx_sequence;
    uint8_t rx_sequence;
    uint8_t credit;
    bool any_in;
    struct fake_var vars[FAKE_VARS_MAX];
    uint32_t pm;
    uint32_t ioctls;
    char ssid[33];
    bool auto_join;
    // What comes of each attempt where it is not joined.
    const struct fake_event *outcome;
    uint32_t outcome_count;
    uint32_t outcome_attempts;  // only these first ones; 0: all
    uint8_t event_auth_type;
    uint32_t numbers[272];  // last value of each request
    uint32_t keys;          // passphrases set
    uint32_t refuse_number;
    int32_t refuse_number_status;
    uint32_t packets_good, packets_bad, packets_bad_step;
    uint32_t attempts;

    // One line a transfer, if not NULL.
    FILE *transcript;

    // What arrived.
    uint32_t data_in;
    uint8_t last_in[2048];
    uint32_t last_in_bytes;
    uint32_t resyncs;
    uint32_t status_reads;
    uint32_t over_credit;

    // Source.
    uint32_t to_send;
    uint32_t pulled;
    uint32_t sent;
    uint32_t input_count;
    uint8_t input_last[1600];
    uint32_t input_bytes;
    bool link;
    uint32_t link_changes;
    enum cor_meter_state blocked;
    uint8_t payload[1504];
    uint8_t images[3][4096];
};

// ---- bytes

static inline uint32_t fake_le32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void fake_put32(uint8_t *at, uint32_t value) {
    for (uint32_t i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static inline void fake_swap(const struct fake *fake, uint8_t *bytes, uint32_t size_bytes) {
    for (uint32_t i = 0; !fake->memory_order && i + 1 < size_bytes; i += 2) {
        uint8_t first = bytes[i];

        bytes[i] = bytes[i + 1];
        bytes[i + 1] = first;
    }
}

static inline uint32_t fake_round(uint32_t bytes) {
    return (bytes + 3u) & ~3u;
}

// ---- frames to the host

static inline struct fake_frame *fake_push(
    struct fake *fake, uint8_t channel, uint32_t header_bytes, uint32_t body_bytes) {
    CHECK(fake->fifo_count < FAKE_FRAMES_MAX);
    struct fake_frame *frame = &fake->fifo[fake->fifo_count++];

    memset(frame, 0, sizeof(*frame));
    frame->size_bytes = header_bytes + body_bytes;
    frame->bytes[0] = (uint8_t)frame->size_bytes;
    frame->bytes[1] = (uint8_t)(frame->size_bytes >> 8);
    frame->bytes[2] = (uint8_t)~frame->bytes[0];
    frame->bytes[3] = (uint8_t)~frame->bytes[1];
    frame->bytes[4] = fake->tx_sequence++;
    frame->bytes[5] = channel;
    frame->bytes[7] = (uint8_t)header_bytes;
    if (!fake->freeze_credit) {
        fake->credit = (uint8_t)(fake->rx_sequence + fake->window_frames);
    }
    frame->bytes[9] = fake->credit;
    return frame;
}

// An Ethernet frame at 22: header 14, BDC with one word of offset.
static inline uint8_t *fake_push_ethernet(struct fake *fake, uint8_t channel, uint32_t size_bytes) {
    struct fake_frame *frame = fake_push(fake, channel, 14, 8 + size_bytes);

    frame->bytes[14] = 0x20;
    frame->bytes[17] = 1;
    return frame->bytes + 22;
}

static inline void fake_push_event(
    struct fake *fake, uint8_t type, uint8_t status, uint8_t reason, uint8_t flags) {
    static const uint8_t head[] = {0x88, 0x6C, 0x80, 0x01, 0, 0, 0, 0, 0x10, 0x18, 0, 1, 0, 2};
    uint8_t *at = fake_push_ethernet(fake, 1, 72);

    memcpy(at + 12, head, sizeof(head));
    at[27] = flags;
    at[31] = type;
    at[35] = status;
    at[39] = reason;
    at[43] = fake->event_auth_type;
}

// ---- control requests

static inline struct fake_var *fake_var(struct fake *fake, const char *name) {
    for (uint32_t i = 0; i < FAKE_VARS_MAX; i++) {
        if (fake->vars[i].name[0] == '\0') {
            snprintf(fake->vars[i].name, sizeof(fake->vars[i].name), "%.31s", name);
        }
        if (strcmp(fake->vars[i].name, name) == 0) {
            return &fake->vars[i];
        }
    }
    return NULL;
}

static inline int32_t fake_variable(struct fake *fake, bool set, uint8_t *value, uint32_t bytes) {
    const char *name = (const char *)value;
    uint32_t name_bytes = (uint32_t)strlen(name) + 1u;
    struct fake_var *var = fake_var(fake, name);
    uint32_t skip = strncmp(name, "bsscfg:", 7) == 0 ? 4 : 0;

    CHECK(var != NULL && name_bytes <= bytes);
    if (set && fake->refuse_name != NULL && strcmp(name, fake->refuse_name) == 0) {
        return fake->refuse_status;
    }
    if (set) {
        uint32_t value_bytes = bytes - name_bytes - skip;

        var->size_bytes = value_bytes < sizeof(var->value) ? value_bytes : sizeof(var->value);
        memcpy(var->value, value + name_bytes + skip, var->size_bytes);
    } else {
        memmove(value, var->value, var->size_bytes < bytes ? var->size_bytes : bytes);
    }
    return 0;
}

static inline void fake_join_events(struct fake *fake) {
    fake->attempts++;
    bool fails = fake->outcome_attempts == 0 || fake->attempts <= fake->outcome_attempts;

    for (uint32_t i = 0; fails && i < fake->outcome_count; i++) {
        const struct fake_event *event = &fake->outcome[i];

        fake_push_event(fake, event->type, event->status, event->reason, event->flags);
    }
    if (fake->auto_join && (fake->outcome_attempts == 0 || !fails)) {
        fake_push_event(fake, 3, 0, 0, 0);   // AUTH
        fake_push_event(fake, 7, 0, 0, 0);   // ASSOC
        fake_push_event(fake, 16, 0, 0, 1);  // LINK up
        fake_push_event(fake, 0, 0, 0, 0);   // SET_SSID
        fake_push_event(fake, 46, 6, 0, 0);  // keyed
    }
}

static inline void fake_control(struct fake *fake, const uint8_t *cdc, uint32_t size_bytes) {
    uint32_t command = fake_le32(cdc);
    bool set = (cdc[8] & 2u) != 0;
    uint32_t bytes = size_bytes - 16;
    int32_t status = 0;
    uint8_t reply[1600];

    fake->ioctls++;
    if (fake->silent) {
        return;
    }
    CHECK_EQ(cdc[4] | cdc[5] << 8, bytes);
    memcpy(reply, cdc, size_bytes);
    fake->numbers[command % 272] = bytes >= 4 ? fake_le32(cdc + 16) : 0;
    fake->keys += command == 268;
    if (fake->refuse_number != 0 && command == fake->refuse_number) {
        status = fake->refuse_number_status;
    } else if (fake->busy_replies > 0) {
        fake->busy_replies--;
        status = -16;
    } else if (command == 262 || command == 263) {
        status = fake_variable(fake, set, reply + 16, bytes);
    } else if (command == 86) {
        fake->pm = reply[16];
    } else if (command == 85) {
        reply[16] = (uint8_t)fake->pm;
    } else if (command == 127) {
        fake_put32(reply + 16, (uint32_t)-57);
    } else if (command == 137) {
        fake->packets_bad += fake->packets_bad_step;
        memset(reply + 16, 0, 20);
        fake_put32(reply + 24, fake->packets_good);
        fake_put32(reply + 28, fake->packets_bad);
    } else if (command == 26) {
        memcpy(fake->ssid, reply + 20, 32);
    }
    if (status != 0) {
        reply[8] |= 1;
        fake_put32(reply + 12, (uint32_t)status);
    }
    struct fake_frame *frame = fake_push(fake, 0, 12, size_bytes);

    memcpy(frame->bytes + 12, reply, size_bytes);
    if (command == 26 || (command == 263 && strcmp((const char *)cdc + 16, "join") == 0)) {
        fake_join_events(fake);
    }
}

// ---- registers

static inline uint32_t fake_status(const struct fake *fake) {
    uint32_t status = fake->running && !fake->not_ready ? 0x20u : 0;

    if (fake->dead) {
        return UINT32_MAX;
    }
    if (fake->left_bytes > 0) {
        status |= 0x100u | fake->left_bytes << 9;
    } else if (fake->fifo_count > 0) {
        const struct fake_frame *frame = &fake->fifo[0];

        status |= 0x100u | (frame->told_bytes != 0 ? frame->told_bytes : frame->size_bytes) << 9;
    }
    return status;
}

static inline uint32_t fake_f0_read(struct fake *fake, uint32_t address) {
    uint32_t word = fake_le32(fake->f0 + address);

    if (address == 0x08) {
        word = fake_status(fake);
        fake->status_reads += fake->running;
    } else if (address == 0x14) {
        word = 0xFEEDBEADu;
    }
    bool garbled = fake->garble != NULL && (!fake->garble_in_data || fake->clock_hz > 25000000);

    return garbled ? fake->garble(fake, address, word) : word;
}

static inline uint8_t *fake_wrapper(struct fake *fake, uint32_t address) {
    uint32_t core = (address & ~0xFFFu) == 0x18103000u ? 0 : 1;

    return &fake->wrapper[core][(address & 0xFFFu) == 0x408u ? 0 : 1];
}

static inline void fake_core(struct fake *fake) {
    uint32_t words = fake_le32(fake->ram + FAKE_RAM_BYTES - 4) & 0xFFFFu;
    bool up = fake->wrapper[0][0] == 1 && fake->wrapper[0][1] == 0;

    if (up && fake_le32(fake->ram + FAKE_RAM_BYTES - 4) == (~words << 16 | words) && words > 0 &&
        memcmp(fake->ram, fake->images[0], 64) == 0) {
        fake->running = true;
    }
}

static inline void fake_f1(
    struct fake *fake, bool write, uint32_t address, uint8_t *bytes, uint32_t size_bytes) {
    if ((address & 0x10000u) != 0) {
        for (uint32_t i = 0; i < size_bytes; i++) {
            uint8_t *at = &fake->device[(address & 0x1Fu) + i];

            if (write) {
                *at = bytes[i];
            } else {
                bytes[i] = *at;
            }
        }
        if (!write && address == 0x1000Eu) {
            bytes[0] = fake->running ? 0xC0 : 0x40;
        } else if (!write && address == 0x1001Bu) {
            bytes[0] = (uint8_t)fake->left_bytes;
        } else if (!write && address == 0x1001Cu) {
            bytes[0] = (uint8_t)(fake->left_bytes >> 8);
        } else if (write && address == 0x1000Du && fake->fifo_count > 0) {
            fake->resyncs++;
            fake->left_bytes = 0;
            memmove(fake->fifo, fake->fifo + 1, --fake->fifo_count * sizeof(fake->fifo[0]));
        }
        fake->window = (fake_le32(fake->device + 0x0A) & 0xFFFFFFu) << 8 & ~0x7FFFu;
        return;
    }
    address = fake->window | (address & 0x7FFFu);
    if (address < FAKE_RAM_BYTES) {
        CHECK(address + size_bytes <= FAKE_RAM_BYTES && (address & 3u) == 0);
        memcpy(
            write ? fake->ram + address : bytes, write ? bytes : fake->ram + address, size_bytes);
        bool hit = fake->ram_flip_at >= address && fake->ram_flip_at < address + size_bytes;

        if (hit && write && fake->ram_flips > 0) {
            fake->ram_flips--;
            fake->ram[fake->ram_flip_at] ^= fake->ram_flip;
        } else if (hit && !write && fake->read_flips > 0) {
            fake->read_flips--;
            bytes[fake->ram_flip_at - address] ^= fake->ram_flip;
        }
    } else if (address == 0x18000000u) {
        fake_put32(bytes, 0x2D85A9AFu & (write ? 0 : 0xFFFFu));
    } else if ((address & ~0xFFFu) == 0x18103000u || (address & ~0xFFFu) == 0x18104000u) {
        if (write) {
            *fake_wrapper(fake, address) = bytes[0];
            fake_core(fake);
        } else {
            bytes[0] = *fake_wrapper(fake, address);
        }
    }
}

static inline void fake_f2_write(struct fake *fake, const uint8_t *frame, uint32_t size_bytes) {
    uint32_t header_bytes = frame[7];

    CHECK_EQ(frame[0] | frame[1] << 8, size_bytes);
    CHECK_EQ((frame[0] ^ frame[2]) & (frame[1] ^ frame[3]), 0xFF);
    fake->over_credit += fake->any_in && (int8_t)(fake->credit - frame[4]) <= 0;
    fake->any_in = true;
    fake->rx_sequence = (uint8_t)(frame[4] + 1);
    memcpy(fake->last_in, frame, size_bytes);
    fake->last_in_bytes = size_bytes;
    if ((frame[5] & 0xFu) == 0) {
        fake_control(fake, frame + header_bytes, size_bytes - header_bytes);
    } else {
        CHECK_EQ(frame[5], 2);
        CHECK_EQ(header_bytes, 14);
        CHECK_EQ(frame[14], 0x20);
        fake->data_in++;
    }
}

static inline void fake_f2_read(struct fake *fake, uint8_t *bytes, uint32_t size_bytes) {
    CHECK(fake->fifo_count > 0 || fake->garbled_status);
    if (fake->fifo_count == 0) {
        return;  // zeros, as the chip gives them
    }
    struct fake_frame *frame = &fake->fifo[0];
    uint32_t start = fake->left_bytes > 0 ? frame->size_bytes - fake->left_bytes : 0;
    uint32_t left = frame->size_bytes - start;

    memcpy(bytes, frame->bytes + start, size_bytes < left ? size_bytes : left);
    fake->left_bytes = size_bytes < left ? left - size_bytes : 0;
    if (fake->left_bytes == 0) {
        memmove(fake->fifo, fake->fifo + 1, --fake->fifo_count * sizeof(fake->fifo[0]));
    }
}

#endif
