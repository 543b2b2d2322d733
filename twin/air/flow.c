// SPDX-License-Identifier: MIT
// Flow: the queue, the block-ack window and the reordering between one sender and one receiver.
//
// Up to 64 MPDUs may be under way beyond the oldest that has not ended, so both ends index their
// arrays by the sequence number modulo 64.
#include "air/air_state.h"
#include "sim/alloc.h"

#include <string.h>

#define SLOT(seq) ((seq) % TWIN_AIR_WINDOW_MPDUS)

void twin_flow_init(struct twin_flow *flow, struct twin_mac *from, struct twin_mac *to) {
    memset(flow, 0, sizeof(*flow));
    flow->from = from;
    flow->to = to;
}

uint32_t twin_flow_count(const struct twin_flow *flow) {
    return flow->outstanding + flow->queue.count;
}

static uint32_t mpdu_bytes(const struct twin_flow *flow, const struct twin_frame *frame) {
    uint32_t size_bytes = frame->size_bytes;

    return twin_air_mpdu_bytes(
        flow->from->air,
        size_bytes > TWIN_AIR_ETHERNET_BYTES ? size_bytes - TWIN_AIR_ETHERNET_BYTES : 0);
}

static uint32_t lower(uint32_t one, uint32_t other) {
    return one < other ? one : other;
}

// Adds an MPDU to the PPDU if it fits. psdu_bytes is the length without the last one's padding, and
// for a lone MPDU without the delimiter.
static bool add(
    struct twin_flow *flow, struct twin_ppdu *ppdu, uint32_t seq, uint32_t limit_bytes) {
    struct twin_mpdu *mpdu = &flow->window[SLOT(seq)];
    uint32_t size_bytes = mpdu_bytes(flow, mpdu->frame);

    if (ppdu->count > 0) {
        uint32_t before_bytes = ppdu->psdu_bytes;

        if (ppdu->count == 1) {
            before_bytes += TWIN_AIR_DELIMITER_BYTES;
        }
        size_bytes += ((before_bytes + 3u) & ~3u) + TWIN_AIR_DELIMITER_BYTES;
        if (size_bytes > limit_bytes) {
            return false;
        }
    }
    ppdu->psdu_bytes = size_bytes;
    ppdu->retried += mpdu->attempts > 0 ? 1 : 0;
    ppdu->seq[ppdu->count++] = seq;
    return true;
}

void twin_flow_take(struct twin_flow *flow, struct twin_ppdu *ppdu, uint32_t count_max) {
    struct twin_air *air = flow->from->air;
    uint32_t limit_bytes = lower(air->psdu_bytes_max, flow->to->ampdu_receive_bytes);
    uint32_t seq = flow->start;

    ppdu->count = 0;
    ppdu->psdu_bytes = 0;
    ppdu->retried = 0;
    while (ppdu->count < count_max && seq - flow->start < TWIN_AIR_WINDOW_MPDUS) {
        if (seq == flow->next) {
            if (flow->queue.count == 0) {
                break;
            }
            flow->window[SLOT(seq)].frame = flow->queue.head;
            flow->window[SLOT(seq)].attempts = 0;
            if (!add(flow, ppdu, seq, limit_bytes)) {
                flow->window[SLOT(seq)].frame = NULL;
                break;
            }
            (void)twin_frame_pop(&flow->queue);
            flow->next++;
            flow->outstanding++;
        } else if (flow->window[SLOT(seq)].frame != NULL && !add(flow, ppdu, seq, limit_bytes)) {
            break;
        }
        seq++;
    }
}

// What is in order goes up. Holes before `start` are MPDUs that were given up.
static void release(struct twin_flow *flow) {
    while (flow->expected != flow->next) {
        struct twin_frame *frame = flow->held[SLOT(flow->expected)];
        struct twin_mac *to = flow->to;

        if (frame == NULL && flow->expected - flow->start < TWIN_AIR_WINDOW_MPDUS) {
            return;
        }
        flow->held[SLOT(flow->expected)] = NULL;
        flow->expected++;
        if (frame != NULL) {
            to->config.received(to->config.context, frame);
        }
    }
}

void twin_flow_deliver(struct twin_flow *flow, const struct twin_ppdu *ppdu) {
    for (uint32_t i = 0; i < ppdu->count; i++) {
        if ((ppdu->arrived >> i & 1u) != 0) {
            uint32_t slot = SLOT(ppdu->seq[i]);

            // A response is never lost, so nothing acknowledged is sent again: no duplicates.
            TWIN_CHECK(flow->held[slot] == NULL);
            flow->held[slot] = twin_mac_copy(flow->from->air, flow->window[slot].frame);
        }
    }
    release(flow);
}

bool twin_flow_exhausted(const struct twin_flow *flow, const struct twin_ppdu *ppdu) {
    for (uint32_t i = 0; i < ppdu->count; i++) {
        if (flow->window[SLOT(ppdu->seq[i])].attempts >= flow->from->config.retries_max) {
            return true;
        }
    }
    return false;
}

uint32_t twin_flow_settle(struct twin_flow *flow, struct twin_ppdu *ppdu, uint64_t acked) {
    struct twin_mac *from = flow->from;
    struct twin_frame *ended[TWIN_AIR_AMPDU_MPDUS_MAX];
    uint64_t ended_acked = 0;
    uint32_t ended_count = 0;

    for (uint32_t i = 0; i < ppdu->count; i++) {
        struct twin_mpdu *mpdu = &flow->window[SLOT(ppdu->seq[i])];
        uint64_t mpdu_acked = acked >> i & 1u;

        mpdu->attempts++;
        if (mpdu_acked == 0 && mpdu->attempts <= from->config.retries_max) {
            continue;
        }
        from->air->counters.given_up += mpdu_acked == 0 ? 1 : 0;
        ended_acked |= mpdu_acked << ended_count;
        ended[ended_count++] = mpdu->frame;
        mpdu->frame = NULL;
    }
    flow->outstanding -= ended_count;
    while (flow->start != flow->next && flow->window[SLOT(flow->start)].frame == NULL) {
        flow->start++;
    }
    release(flow);
    for (uint32_t i = 0; i < ended_count; i++) {
        from->config.sent(from->config.context, ended[i], (ended_acked >> i & 1u) != 0);
    }
    return ended_count;
}

void twin_flow_flush(struct twin_flow *flow) {
    struct twin_mac *from = flow->from;
    struct twin_mac *to = flow->to;
    struct twin_flow old = *flow;
    struct twin_frame *frame;

    // Empty before the first callback, which may look at it.
    twin_flow_init(flow, from, to);
    for (; old.expected != old.next; old.expected++) {
        frame = old.held[SLOT(old.expected)];
        if (frame != NULL) {
            to->config.received(to->config.context, frame);
        }
    }
    for (; old.start != old.next; old.start++) {
        frame = old.window[SLOT(old.start)].frame;
        if (frame != NULL) {
            from->config.sent(from->config.context, frame, false);
        }
    }
    while ((frame = twin_frame_pop(&old.queue)) != NULL) {
        from->config.sent(from->config.context, frame, false);
    }
}

void twin_flow_drop(struct twin_flow *flow) {
    struct twin_frames *frames = flow->from->air->config.frames;
    struct twin_frame *frame;

    for (uint32_t i = 0; i < TWIN_AIR_WINDOW_MPDUS; i++) {
        if (flow->window[i].frame != NULL) {
            twin_frame_put(frames, flow->window[i].frame);
        }
        if (flow->held[i] != NULL) {
            twin_frame_put(frames, flow->held[i]);
        }
    }
    while ((frame = twin_frame_pop(&flow->queue)) != NULL) {
        twin_frame_put(frames, frame);
    }
    twin_flow_init(flow, flow->from, flow->to);
}
