// SPDX-License-Identifier: MIT
// Fuzz: the whole CYW43 driver against a chip that says anything. The input is a list of what the
// chip does: frames of any bytes, wrong bits, dead and empty words, silence. Then the chip is well
// again, and the driver must be in its network within a bound: no input may wedge it.
#include "cyw43_fake.h"
#include "fuzz.h"

#define STEPS_MAX   64u
#define SETTLE_US   UINT64_C(200000000)
#define IMAGE_BYTES 1024u

struct input {
    const uint8_t *at;
    const uint8_t *end;
};

static uint8_t next(struct input *input) {
    return input->at < input->end ? *input->at++ : 0;
}

// A frame on any channel; its sizes agree unless the input says otherwise.
static void push_any(struct fake *fake, struct input *input) {
    uint8_t channel = next(input);
    uint8_t header = next(input);
    uint8_t bytes = next(input);

    if (fake->fifo_count >= FAKE_FRAMES_MAX || !fake->running) {
        return;
    }
    struct fake_frame *frame = fake_push(fake, channel & 3u, 12u + (header & 15u), bytes);

    for (uint32_t i = 8; i < frame->size_bytes && input->at < input->end; i++) {
        frame->bytes[i] = next(input);
    }
    if ((header & 0x80u) != 0) {
        frame->bytes[bytes % 8u] ^= header;
    }
    if ((channel & 0x80u) != 0) {
        frame->told_bytes = 8u * bytes + 1u;
    }
}

// An event with any numbers.
static void push_event(struct fake *fake, struct input *input) {
    uint8_t type = next(input);
    uint8_t status = next(input);
    uint8_t reason = next(input);

    if (fake->fifo_count < FAKE_FRAMES_MAX && fake->running) {
        fake_push_event(fake, type, status, reason, next(input) & 1u);
    }
}

// A driver without deadline would be called all the time; one that is must get on.
static void pass(struct fake *fake, uint64_t us) {
    uint64_t until_us = fake->now_us + us;

    while (fake->now_us < until_us) {
        fake_run(fake, cor_cyw43_state(&fake->chip), until_us);
        if (fake->fifo_count == 0 && fake->queued == 0 &&
            cor_cyw43_state(&fake->chip) == COR_RADIO_OFF) {
            return;
        }
    }
}

static void step(struct fake *fake, struct input *input) {
    uint8_t what = next(input);

    switch (what & 15u) {
    case 0:
    case 1:
    case 2:
        push_any(fake, input);
        break;
    case 3:
    case 4:
        push_event(fake, input);
        break;
    case 5:
        fake->noise_in = what >> 4;
        fake->noise_state = next(input);
        break;
    case 6:
        fake->dead = (what & 16u) != 0;
        break;
    case 7:
        fake->zeros = (what & 16u) != 0;
        break;
    case 8:
        fake->silent = (what & 16u) != 0;
        break;
    case 9:
        fake->freeze_credit = (what & 16u) != 0;
        break;
    case 10:
        fake->line_stuck = (what & 16u) != 0;
        break;
    case 11:
        fake->to_send += what >> 4;
        break;
    case 12:
        fake->not_ready = (what & 16u) != 0;
        break;
    case 13:
        fake->auto_join = (what & 16u) != 0;
        break;
    case 14:
        cor_cyw43_measure(&fake->chip);
        cor_cyw43_read_log(&fake->chip);
        break;
    default:
        pass(fake, UINT64_C(1000) << (what >> 4 & 6u));
        break;
    }
    pass(fake, 200);
}

static void recover(struct fake *fake) {
    uint64_t until_us = fake->now_us + SETTLE_US;

    fake->noise_in = 0;
    fake->dead = fake->zeros = fake->silent = fake->freeze_credit = false;
    fake->line_stuck = fake->not_ready = false;
    fake->auto_join = true;
    while (fake->now_us < until_us) {
        if (cor_cyw43_state(&fake->chip) == COR_RADIO_JOINED && fake->to_send == 0 &&
            fake->sent == fake->pulled && fake->fifo_count == 0) {
            return;
        }
        // The chip tells its credit, as one that is well does.
        if (fake->running && fake->fifo_count == 0) {
            (void)fake_push(fake, 0, 12, 0);
        }
        pass(fake, 100000);
    }
    printf(
        "wedged: state %d, error %d, to send %u\n",
        (int)cor_cyw43_state(&fake->chip),
        (int)cor_cyw43_error(&fake->chip),
        fake->to_send);
    abort();
}

static void log_nothing(void *context, const uint8_t *text, uint32_t size_bytes) {
    (void)context;
    fuzz_touch(text, size_bytes);
}

static void run(const uint8_t *data, size_t size) {
    struct input input = {data, data + size};
    const struct cor_join join = {
        .ssid = "net", .key = "password", .auth = COR_AUTH_WPA2, .keep = true};
    struct fake *fake = fake_open((uint8_t)(1u + data[0] % 6u));
    struct cor_cyw43_config config = fake_config(fake);

    config.firmware.size_bytes = IMAGE_BYTES;
    config.hooks.log = log_nothing;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake->garbled_status = true;
    fake_ready(fake);
    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_OK);
    fake_run(fake, COR_RADIO_JOINING, fake->now_us + 1000000);
    for (uint32_t i = 0; i < STEPS_MAX && input.at < input.end; i++) {
        step(fake, &input);
    }
    recover(fake);
    fake_close(fake);
}

// A check of the fake chip that fails is a finding.
static bool run_checked(const uint8_t *data, size_t size) {
    if (setjmp(test_escape) != 0) {
        return false;
    }
    run(data, size);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && size <= 512) {
        FUZZ_CHECK(run_checked(data, size));
    }
    return 0;
}
