// SPDX-License-Identifier: MIT
// Frames of the twin: Ethernet II frames without FCS, from a pool, handed on by pointer.
//
// One owner at a time. Whoever is given a frame either hands it on or frees it.
#ifndef CORADIO_TWIN_FRAME_H
#define CORADIO_TWIN_FRAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Room for 1514 bytes and for what a careless driver appends.
#define TWIN_FRAME_BYTES_MAX 2048

struct twin_frame {
    struct twin_frame *next;  // for queues of the present owner
    uint32_t size_bytes;
    uint32_t tag;   // for the present owner
    uint32_t note;  // the same
    uint8_t data[TWIN_FRAME_BYTES_MAX];
};

// A pool that grows on demand; frames freed are used again, last in first out.
struct twin_frames;
struct twin_frames *twin_frames_new(void);
void twin_frames_free(struct twin_frames *pool);
struct twin_frame *twin_frame_get(struct twin_frames *pool);
void twin_frame_put(struct twin_frames *pool, struct twin_frame *frame);
// How many frames are out at the moment; 0 at the end of a world that lost none.
uint32_t twin_frames_out(const struct twin_frames *pool);

// A simple queue, first in first out.
struct twin_frame_queue {
    struct twin_frame *head;
    struct twin_frame *tail;
    uint32_t count;
};

void twin_frame_push(struct twin_frame_queue *queue, struct twin_frame *frame);
struct twin_frame *twin_frame_pop(struct twin_frame_queue *queue);  // NULL when empty

// One end of an Ethernet link inside the twin: whoever implements it takes ownership of the frame.
struct twin_port {
    void (*input)(void *context, struct twin_frame *frame);
    void *context;
};

// Told of a frame that is lost, while its bytes are still there; it stays with who tells.
struct twin_loss {
    void (*lost)(void *context, const struct twin_frame *frame);  // NULL: nobody is told
    void *context;
};

static inline void twin_loss_tell(const struct twin_loss *loss, const struct twin_frame *frame) {
    if (loss->lost != NULL) {
        loss->lost(loss->context, frame);
    }
}

#ifdef __cplusplus
}
#endif

#endif
