// SPDX-License-Identifier: MIT
// The scripted chip behind a bus that completes transfers when it is told to, with the driver on it
// and a source that counts.
#ifndef CYW43_FAKE_H
#define CYW43_FAKE_H

#include "cyw43_fake_chip.h"

// ---- bus

// "R|W function address length", and the value of a register or the size of a frame.
static inline void fake_note(
    struct fake *fake, uint32_t word, const uint8_t *written, const uint8_t *read) {
    uint32_t function = word >> 28 & 3u;
    uint32_t address = word >> 11 & 0x1FFFFu;
    uint32_t length = word & 0x7FFu;
    bool write = word >> 31 != 0;

    if (fake->transcript == NULL) {
        return;
    }
    fprintf(fake->transcript, "%c%u %05x %u", write ? 'W' : 'R', function, address, length);
    if (function < 2 && length <= 4) {
        uint32_t mask = length == 4 ? UINT32_MAX : (1u << 8 * length) - 1u;

        fprintf(fake->transcript, " %x", fake_le32(write ? written : read) & mask);
    } else if (function == 2) {
        const uint8_t *frame = write ? written : read;

        fprintf(fake->transcript, " channel %u sequence %u", frame[5], frame[4]);
        if (write && frame[5] == 0) {
            const char *name = (const char *)frame + 28;
            uint32_t command = fake_le32(frame + 12);
            bool named = command == 262 || command == 263;

            fprintf(
                fake->transcript, " command %u%s%s", command, named ? " " : "", named ? name : "");
        }
    }
    fputc('\n', fake->transcript);
}

// What the input makes of the bits: sampled before they are there it takes the ones before, after
// they are gone the ones behind.
static inline void fake_sample(struct fake *fake, uint8_t *bytes, uint32_t size_bytes) {
    int32_t half_ps = fake->clock_hz > 0 ? 500000000 / (fake->clock_hz / 1000) : 0;
    int32_t sample = 2 + (int32_t)fake->sampling;
    bool early = fake->loop_delay_ps > sample * half_ps;
    bool late = fake->loop_delay_ps <= (sample - 2) * half_ps;

    if (fake->zeros || fake->dead_wire) {
        memset(bytes, fake->zeros ? 0 : 0xFF, size_bytes);
    }
    for (uint32_t i = size_bytes; fake->loop_delay_ps != 0 && early && i-- > 0;) {
        bytes[i] = (uint8_t)(bytes[i] >> 1 | (i > 0 ? bytes[i - 1] << 7 : 0));
    }
    for (uint32_t i = 0; fake->loop_delay_ps != 0 && late && i < size_bytes; i++) {
        bytes[i] = (uint8_t)(bytes[i] << 1 | (i + 1 < size_bytes ? bytes[i + 1] >> 7 : 0));
    }
    fake->noise_state = fake->noise_state * 1664525u + 1013904223u;
    if (fake->noise_in != 0 && size_bytes > 0 && (fake->noise_state >> 8) % fake->noise_in == 0) {
        bytes[(fake->noise_state >> 4) % size_bytes] ^= (uint8_t)(1u << (fake->noise_state & 7u));
    }
}

static inline void fake_execute(struct fake *fake, struct cor_bus_xfer *xfer) {
    static uint8_t out[4096];
    static uint8_t in[4096];
    uint32_t bytes = 0;

    memset(in, 0, sizeof(in));
    for (uint32_t i = 0; i < xfer->out_count; i++) {
        memcpy(out + bytes, xfer->out[i].data, xfer->out[i].size_bytes);
        bytes += xfer->out[i].size_bytes;
    }
    fake_swap(fake, out, fake_round(bytes));
    uint32_t word = fake_le32(out);
    uint32_t length = word & 0x7FFu;
    uint32_t address = word >> 11 & 0x1FFFFu;
    bool write = word >> 31 != 0;
    bool awake = fake->power && !fake->absent && fake->now_us >= fake->powered_us + fake->wake_us;
    bool memory_order = fake->memory_order;

    CHECK(!awake || !write || fake_round(bytes) == 4 + fake_round(length));
    CHECK(!awake || write || (bytes == 4 && xfer->in_bytes >= length));
    if (awake && (word >> 28 & 3u) == 0) {
        if (write) {
            memcpy(fake->f0 + address, out + 4, length);
            fake->memory_order = (fake->f0[0] & 2u) != 0;
        } else {
            fake_put32(in, fake_f0_read(fake, address));
        }
    } else if (awake && (word >> 28 & 3u) == 1) {
        CHECK(length <= 64);
        CHECK(write || xfer->skip_bytes == 4);
        fake_f1(fake, write, address, write ? out + 4 : in, length);
    } else if (awake && write) {
        fake_f2_write(fake, out + 4, length);
    } else if (awake) {
        fake_f2_read(fake, in, length);
    }
    uint8_t status[4];

    fake_note(fake, word, out + 4, in);
    fake_put32(status, awake ? fake_status(fake) : 0);
    bool now_order = fake->memory_order;
    fake->memory_order = memory_order;
    fake_swap(fake, in, fake_round(xfer->in_bytes));
    fake_swap(fake, status, 4);
    fake->memory_order = now_order;
    fake_sample(fake, in, fake_round(xfer->in_bytes));
    fake_sample(fake, status, 4);
    if (xfer->in != NULL) {
        memcpy(xfer->in, in, fake_round(xfer->in_bytes));
    }
    memcpy(xfer->status, status, 4);
    xfer->extra_clocks = xfer->in_bytes > 0 ? 1 : 0;
    fake->bits += 8u * (fake_round(bytes) + xfer->skip_bytes + fake_round(xfer->in_bytes) + 4u) +
                  xfer->extra_clocks;
    fake->transfers++;
    xfer->started_us = fake->now_us;
    xfer->completed_us = fake->now_us;
    xfer->result = COR_OK;
}

static inline enum cor_status fake_start(struct cor_bus *bus, struct cor_bus_xfer *xfer) {
    struct fake *fake = bus->port;

    if (fake->queued == bus->queue_depth) {
        return COR_AGAIN;
    }
    fake->queue[fake->queued++] = xfer;
    return COR_OK;
}

static inline void fake_complete(struct fake *fake, uint32_t count) {
    for (; count > 0 && fake->done < fake->queued; count--) {
        fake_execute(fake, fake->queue[fake->done++]);
    }
}

static inline enum cor_status fake_poll(struct cor_bus *bus) {
    struct fake *fake = bus->port;

    if (!fake->by_hand) {
        fake_complete(fake, 1);
    }
    if (fake->done == 0) {
        return COR_AGAIN;
    }
    fake->done--;
    fake->queued--;
    memmove(fake->queue, fake->queue + 1, fake->queued * sizeof(fake->queue[0]));
    return COR_OK;
}

static inline int32_t fake_set_clock(struct cor_bus *bus, int32_t clock_hz) {
    struct fake *fake = bus->port;

    CHECK_EQ(fake->queued, 0);
    fake->clock_hz = clock_hz;
    return clock_hz;
}

static inline void fake_set_sampling(struct cor_bus *bus, enum cor_bus_sampling sampling) {
    struct fake *fake = bus->port;

    CHECK_EQ(fake->queued, 0);
    fake->sampling = sampling;
}

static inline bool fake_irq(struct cor_bus *bus) {
    const struct fake *fake = bus->port;

    return fake->line_stuck || (fake->fifo_count > 0 && !fake->line_mute);
}

static inline void fake_power(struct cor_bus *bus, bool on) {
    struct fake *fake = bus->port;

    fake->power = on;
    fake->powered_us = fake->now_us;
    fake->memory_order = false;
    fake->running = false;
    fake->fifo_count = 0;
    fake->left_bytes = 0;
    fake->credit = 1;
    fake->any_in = false;
    fake->window = 0;
    memset(fake->f0, 0, sizeof(fake->f0));
    memset(fake->device, 0, sizeof(fake->device));
    memset(fake->wrapper, 0, sizeof(fake->wrapper));
    fake->wrapper[0][1] = fake->wrapper[1][1] = 1;
    memset(fake->ram, 0xA5, FAKE_RAM_BYTES);
}

// ---- source

static inline struct fake *fake_of(struct cor_frame_source *source) {
    return (struct fake *)(void *)((uint8_t *)source - offsetof(struct fake, source));
}

static inline enum cor_status fake_pull(
    struct cor_frame_source *source, uint64_t now_us, struct cor_frame_tx *tx) {
    struct fake *fake = fake_of(source);

    (void)now_us;
    if (fake->to_send == 0) {
        tx->blocked = fake->blocked;
        return COR_AGAIN;
    }
    CHECK_EQ((uintptr_t)tx->head % 4, 2);
    fake->to_send--;
    memset(tx->head, 0x11, 54);
    tx->head_bytes = 54;
    tx->pieces[0] = (struct cor_span){fake->payload, 1460};
    tx->piece_count = 1;
    tx->payload_bytes = 1460;
    tx->token = ++fake->pulled;
    return COR_OK;
}

static inline void fake_sent(struct cor_frame_source *source, uint64_t now_us, uint32_t token) {
    struct fake *fake = fake_of(source);

    (void)now_us;
    CHECK_EQ(token, fake->sent + 1);
    fake->sent++;
}

static inline uint32_t fake_input(
    struct cor_frame_source *source, uint64_t now_us, uint8_t *frame, uint32_t size_bytes) {
    struct fake *fake = fake_of(source);

    (void)now_us;
    CHECK_EQ((uintptr_t)frame % 4, 2);
    CHECK(size_bytes <= sizeof(fake->input_last));
    memcpy(fake->input_last, frame, size_bytes);
    fake->input_bytes = size_bytes;
    fake->input_count++;
    return size_bytes > 54 ? size_bytes - 54 : 0;
}

static inline void fake_link(struct cor_frame_source *source, uint64_t now_us, bool up) {
    struct fake *fake = fake_of(source);

    fake->link = up;
    fake->link_changes++;
    if (fake->stop_in_link && !up) {
        cor_cyw43_stop(&fake->chip, now_us);
    }
}

static const struct cor_bus_ops fake_bus_ops = {
    .start = fake_start,
    .poll = fake_poll,
    .set_clock_hz = fake_set_clock,
    .irq_pending = fake_irq,
    .set_power = fake_power,
    .set_sampling = fake_set_sampling,
};
static const struct cor_frame_source_ops fake_source_ops = {
    fake_pull, fake_sent, fake_input, fake_link};

static inline void fake_set_var(
    struct fake *fake, const char *name, const void *value, uint32_t size_bytes) {
    struct fake_var *var = fake_var(fake, name);

    CHECK(var != NULL && size_bytes <= sizeof(var->value));
    memcpy(var->value, value, size_bytes);
    var->size_bytes = size_bytes;
}

static inline struct cor_cyw43_config fake_config(struct fake *fake) {
    return (struct cor_cyw43_config){
        .bus = &fake->bus,
        .frames = &fake->source,
        .meter = &fake->meter,
        .firmware = {fake->images[0], 4095},
        .nvram = {fake->images[1], 742},
        .clm = {fake->images[2], 984},
        .country = "XX",
        .bringup_hz = 25000000,
        .data_hz = 37500000,
        .pm = COR_PM_NONE,
    };
}

// A chip, a bus of this depth, and the driver, off.
static inline struct fake *fake_open(uint8_t depth) {
    static const uint8_t address[6] = {0x02, 0xA0, 0x50, 1, 2, 3};
    struct fake *fake = calloc(1, sizeof(*fake));

    fake->ram = malloc(FAKE_RAM_BYTES);
    fake->bus = (struct cor_bus){&fake_bus_ops, fake, depth};
    fake->source.ops = &fake_source_ops;
    fake->wake_us = 30000;
    fake->window_frames = 8;
    fake->auto_join = true;
    for (uint32_t i = 0; i < sizeof(fake->images); i++) {
        fake->images[i / sizeof(fake->images[0])][i % sizeof(fake->images[0])] =
            (uint8_t)(i * 37u + i / 256u);
    }
    fake_set_var(fake, "cur_etheraddr", address, 6);
    fake_set_var(fake, "clmload_status", "\0\0\0", 4);
    cor_meter_init(&fake->meter, 0);
    struct cor_cyw43_config config = fake_config(fake);

    cor_cyw43_init(&fake->chip, &config, 0);
    return fake;
}

static inline void fake_close(struct fake *fake) {
    free(fake->ram);
    free(fake);
}

static inline void poll_once(struct fake *fake) {
    (void)cor_cyw43_poll(&fake->chip, fake->now_us);
    cor_cyw43_rest(&fake->chip, fake->now_us);
}

// Polls until the state is left, or until_us.
static inline void fake_run(
    struct fake *fake, enum cor_radio_state while_state, uint64_t until_us) {
    while (fake->now_us < until_us && cor_cyw43_state(&fake->chip) == while_state) {
        uint64_t next_us = cor_cyw43_poll(&fake->chip, fake->now_us);

        cor_cyw43_rest(&fake->chip, fake->now_us);
        if (cor_cyw43_state(&fake->chip) != while_state) {
            return;
        }
        if (next_us == UINT64_MAX && fake->queued == 0 && fake->fifo_count == 0) {
            next_us = until_us;  // nothing will happen
        }
        if (next_us > fake->now_us && fake->queued == 0 && fake->fifo_count == 0) {
            fake->now_us = next_us < until_us ? next_us : until_us;
        } else {
            fake->now_us++;
        }
    }
}

static inline void fake_ready(struct fake *fake) {
    CHECK_EQ(cor_cyw43_start(&fake->chip, fake->now_us), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, fake->now_us + 5000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
}

static inline void fake_join(struct fake *fake) {
    const struct cor_join join = {.ssid = "net", .key = "password", .auth = COR_AUTH_WPA2};

    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_OK);
    fake_run(fake, COR_RADIO_JOINING, fake->now_us + 20000000);
}

static inline void fake_joined(struct fake *fake) {
    fake_ready(fake);
    fake_join(fake);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
}

static inline uint64_t fake_purposes(const struct fake *fake) {
    uint64_t bits = 0;

    for (uint32_t i = 0; i < COR_METER_PURPOSE_COUNT; i++) {
        bits += fake->meter.bus.bits[i];
    }
    return bits;
}

#endif
