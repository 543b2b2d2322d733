// SPDX-License-Identifier: MIT
#include "coradio_twin/frame.h"

#include "sim/alloc.h"

#include <stddef.h>
#include <stdlib.h>

// With AddressSanitizer a frame in the pool is poisoned: whoever keeps a pointer to a frame given
// back, or gives one back twice, is reported at that line.
#if defined(__SANITIZE_ADDRESS__)
#    include <sanitizer/asan_interface.h>
#    define POISON(frame)   ASAN_POISON_MEMORY_REGION((frame), sizeof(*(frame)))
#    define UNPOISON(frame) ASAN_UNPOISON_MEMORY_REGION((frame), sizeof(*(frame)))
#else
#    define POISON(frame)   ((void)0)
#    define UNPOISON(frame) ((void)0)
#endif

#define SLAB_FRAMES 32u

struct slab {
    struct slab *next;
    struct twin_frame frames[SLAB_FRAMES];
};

// The frames in the pool stand on a stack of pointers and not in a list through the frames, which
// are not to be touched there.
struct twin_frames {
    struct slab *slabs;
    struct twin_frame **stack;
    size_t stack_count;
    size_t frame_count;
};

struct twin_frames *twin_frames_new(void) {
    return twin_alloc(1, sizeof(struct twin_frames));
}

void twin_frames_free(struct twin_frames *pool) {
    if (pool == NULL) {
        return;
    }
    while (pool->slabs != NULL) {
        struct slab *slab = pool->slabs;

        pool->slabs = slab->next;
        for (size_t i = 0; i < SLAB_FRAMES; i++) {
            UNPOISON(&slab->frames[i]);
        }
        free(slab);
    }
    free(pool->stack);
    free(pool);
}

static void grow(struct twin_frames *pool) {
    struct slab *slab = twin_alloc(1, sizeof(*slab));

    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->frame_count += SLAB_FRAMES;
    pool->stack = twin_realloc(pool->stack, pool->frame_count, sizeof(struct twin_frame *));
    for (size_t i = SLAB_FRAMES; i > 0; i--) {
        pool->stack[pool->stack_count++] = &slab->frames[i - 1];
        POISON(&slab->frames[i - 1]);
    }
}

struct twin_frame *twin_frame_get(struct twin_frames *pool) {
    struct twin_frame *frame;

    if (pool->stack_count == 0) {
        grow(pool);
    }
    frame = pool->stack[--pool->stack_count];
    UNPOISON(frame);
    frame->next = NULL;
    frame->size_bytes = 0;
    frame->tag = 0;
    frame->note = 0;
    return frame;
}

void twin_frame_put(struct twin_frames *pool, struct twin_frame *frame) {
    frame->next = NULL;  // reported here when the frame is already in the pool
    TWIN_CHECK(pool->stack_count < pool->frame_count);
    pool->stack[pool->stack_count++] = frame;
    POISON(frame);
}

uint32_t twin_frames_out(const struct twin_frames *pool) {
    return (uint32_t)(pool->frame_count - pool->stack_count);
}

void twin_frame_push(struct twin_frame_queue *queue, struct twin_frame *frame) {
    frame->next = NULL;
    if (queue->tail == NULL) {
        queue->head = frame;
    } else {
        queue->tail->next = frame;
    }
    queue->tail = frame;
    queue->count++;
}

struct twin_frame *twin_frame_pop(struct twin_frame_queue *queue) {
    struct twin_frame *frame = queue->head;

    if (frame == NULL) {
        return NULL;
    }
    queue->head = frame->next;
    if (queue->head == NULL) {
        queue->tail = NULL;
    }
    frame->next = NULL;
    queue->count--;
    return frame;
}
