// SPDX-License-Identifier: MIT
#include "coradio_twin/frame.h"
#include "test.h"

TEST(a_pool_counts_the_frames_that_are_out) {
    struct twin_frames *pool = twin_frames_new();
    struct twin_frame *frames[200];

    for (uint32_t i = 0; i < 200; i++) {
        frames[i] = twin_frame_get(pool);
        memset(frames[i]->data, (int)i, sizeof(frames[i]->data));
        CHECK_EQ(twin_frames_out(pool), i + 1);
    }
    for (uint32_t i = 0; i < 200; i++) {
        CHECK_EQ(frames[i]->data[0], i);
        CHECK_EQ(frames[i]->data[TWIN_FRAME_BYTES_MAX - 1], i);
        twin_frame_put(pool, frames[i]);
    }
    CHECK_EQ(twin_frames_out(pool), 0);
    twin_frames_free(pool);
}

TEST(the_frame_given_back_last_comes_out_first_and_is_clean) {
    struct twin_frames *pool = twin_frames_new();
    struct twin_frame *first = twin_frame_get(pool);
    struct twin_frame *second = twin_frame_get(pool);

    first->size_bytes = 100;
    first->tag = 9;
    first->next = second;
    twin_frame_put(pool, second);
    twin_frame_put(pool, first);
    CHECK(twin_frame_get(pool) == first);
    CHECK_EQ(first->size_bytes, 0);
    CHECK_EQ(first->tag, 0);
    CHECK(first->next == NULL);
    twin_frame_put(pool, first);
    twin_frames_free(pool);
}

TEST(a_queue_keeps_the_order_and_its_count) {
    struct twin_frames *pool = twin_frames_new();
    struct twin_frame_queue queue = {NULL, NULL, 0};

    CHECK(twin_frame_pop(&queue) == NULL);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 10; i++) {
            struct twin_frame *frame = twin_frame_get(pool);

            frame->tag = i;
            twin_frame_push(&queue, frame);
        }
        CHECK_EQ(queue.count, 10);
        for (uint32_t i = 0; i < 10; i++) {
            struct twin_frame *frame = twin_frame_pop(&queue);

            CHECK_EQ(frame->tag, i);
            CHECK(frame->next == NULL);
            twin_frame_put(pool, frame);
        }
        CHECK(twin_frame_pop(&queue) == NULL);
        CHECK_EQ(queue.count, 0);
    }
    CHECK_EQ(twin_frames_out(pool), 0);
    twin_frames_free(pool);
}

TEST_MAIN(
    CASE(a_pool_counts_the_frames_that_are_out),
    CASE(the_frame_given_back_last_comes_out_first_and_is_clean),
    CASE(a_queue_keeps_the_order_and_its_count))
