// SPDX-License-Identifier: MIT
// Credit: sequence numbers of the host's frames, and how many more of them it may send.
//
// Every header towards the host carries the first sequence number that may not be sent: the last
// one received + 1 + the free buffers, at most one window. All of it is modulo 256. A frame beyond
// what the host was told is a breach, whatever room there is.
#include "cyw43/parts.h"

// The distance from b to a on the circle of sequence numbers.
static int distance(uint32_t a, uint32_t b) {
    return (int8_t)(uint8_t)(a - b);
}

// With time inside the chip (config.frame_ns) one frame goes at a time: the next is granted when
// the last has been handed to the MAC, so that the bus, too, waits.
static uint32_t window(const struct twin_cyw43 *chip) {
    uint32_t free_buffers = chip->credit.free_buffers;
    uint32_t window_max = chip->config.credit_window;
    const struct twin_fault_what *what =
        twin_faults_active(chip->config.faults, TWIN_CREDIT_WINDOW);

    if (what != NULL && what->value >= 0 && what->value < (int64_t)window_max) {
        window_max = (uint32_t)what->value;
    }
    if (chip->config.frame_ns != 0) {
        return chip->transmit.inside == NULL && free_buffers != 0 ? 1 : 0;
    }
    return free_buffers < window_max ? free_buffers : window_max;
}

void twin_cyw43_reset_credit(struct twin_cyw43 *chip) {
    twin_cancel(chip->config.sim, &chip->credit.hold);
    chip->credit.any_received = false;
    chip->credit.expected = 0;
    chip->credit.heard_more = false;
    chip->credit.told = HOST_CREDIT_AT_START;
    chip->credit.free_buffers = chip->config.tx_buffers;
}

static bool beyond(struct twin_cyw43 *chip, uint8_t sequence) {
    struct credit *credit = &chip->credit;

    if (!credit->any_received || distance(credit->told, sequence) > 0 ||
        (credit->heard_more && distance(credit->heard, sequence) > 0)) {
        return false;
    }
    chip->counters.over_credit++;
    twin_cyw43_deviate(chip, "over-credit");
    if (chip->config.over_credit == TWIN_OVER_CREDIT_ACCEPT && credit->free_buffers != 0) {
        return false;
    }
    chip->bus.interrupt |= INTERRUPT_OVERFLOW;
    return true;
}

bool twin_cyw43_credit_input(struct twin_cyw43 *chip, uint8_t sequence) {
    struct credit *credit = &chip->credit;

    if (beyond(chip, sequence)) {
        return false;
    }
    if (credit->any_received && sequence != credit->expected) {
        chip->counters.sequence_gaps++;
        twin_cyw43_deviate(chip, "sequence-gap");
    }
    credit->any_received = true;
    credit->expected = (uint8_t)(sequence + 1);
    credit->heard_more &= distance(credit->heard, credit->expected) > 0;
    // Any first number is taken, and with it what the host believes to have.
    if (distance(credit->told, credit->expected) < 0) {
        credit->told = credit->expected;
    }
    return true;
}

uint8_t twin_cyw43_credit_tell(struct twin_cyw43 *chip) {
    struct credit *credit = &chip->credit;
    uint8_t now = (uint8_t)(credit->expected + window(chip));

    if (twin_faults_active(chip->config.faults, TWIN_CREDIT_HOLD) != NULL) {
        return credit->told;
    }
    if (distance(now, credit->told) < 0 &&
        twin_faults_peek(chip->config.faults, TWIN_CREDIT_WINDOW) != NULL) {
        now = credit->told;  // what was granted once stays granted
    }
    if (distance(now, credit->told) > (int)CREDIT_WINDOW_MAX) {
        now = (uint8_t)(credit->told + CREDIT_WINDOW_MAX);
    }
    credit->told = now;
    twin_cancel(chip->config.sim, &credit->hold);
    return now;
}

void twin_cyw43_credit_heard(struct twin_cyw43 *chip, uint8_t credit) {
    if (distance(credit, chip->credit.told) > 0) {
        chip->credit.heard = credit;
        chip->credit.heard_more = true;
    }
}

static void send_credit_frame(struct twin_cyw43 *chip) {
    struct twin_frame *frame = twin_frame_get(chip->config.frames);

    frame->size_bytes = 0;
    chip->fifo.credit_frame = true;
    chip->counters.credit_frames++;
    twin_cyw43_push(chip, frame, CHANNEL_CREDIT);
}

void twin_cyw43_credit_tell_now(struct twin_cyw43 *chip) {
    if (twin_cyw43_f2_up(chip) && chip->fifo.queue.count == 0) {
        send_credit_frame(chip);
    }
}

// True: there is more to tell, and nothing else on its way that would.
static bool more_to_tell(const struct twin_cyw43 *chip) {
    const struct credit *credit = &chip->credit;

    return chip->config.credit_frames && chip->fifo.queue.count == 0 && !chip->request.pending &&
           credit->any_received && twin_cyw43_f2_up(chip) && !chip->faults.hung &&
           twin_faults_peek(chip->config.faults, TWIN_CREDIT_HOLD) == NULL &&
           distance(credit->expected + window(chip), credit->told) > 0;
}

static int host_left(const struct twin_cyw43 *chip) {
    return distance(chip->credit.told, chip->credit.expected);
}

void twin_cyw43_credit_review(struct twin_cyw43 *chip) {
    if (!more_to_tell(chip)) {
        twin_cancel(chip->config.sim, &chip->credit.hold);
    } else if (host_left(chip) <= (int)twin_sim_unsure(chip->config.sim)->chip_credit_low) {
        twin_cancel(chip->config.sim, &chip->credit.hold);
        send_credit_frame(chip);
    } else if (
        host_left(chip) <= chip->config.credit_window / 2 &&
        !twin_event_queued(&chip->credit.hold)) {
        twin_after(
            chip->config.sim,
            &chip->credit.hold,
            twin_sim_unsure(chip->config.sim)->chip_credit_hold_ns);
    }
}

void twin_cyw43_credit_held(void *context) {
    struct twin_cyw43 *chip = context;

    if (more_to_tell(chip)) {
        send_credit_frame(chip);
    }
}
