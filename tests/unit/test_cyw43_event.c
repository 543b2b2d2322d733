// SPDX-License-Identifier: MIT
#include "golden.h"
#include "wire/cyw43_event.h"

static uint8_t vector[GOLDEN_BYTES_MAX];

static struct cor_cyw43_event parsed(const char *name) {
    uint32_t size = golden_read("cyw43_event.vec", name, vector);
    struct cor_cyw43_event event;

    CHECK_EQ(cor_cyw43_event_parse(vector, size, &event), COR_OK);
    return event;
}

TEST(events_are_parsed) {
    struct cor_cyw43_event event = parsed("link_up");

    CHECK_EQ(event.type, COR_CYW43_EVENT_LINK);
    CHECK_EQ(event.flags, COR_CYW43_EVENT_FLAG_LINK);
    CHECK_EQ(event.address[1], 0xAA);
    CHECK_EQ(event.interface, 0);
    event = parsed("key_timeout");
    CHECK_EQ(event.type, COR_CYW43_EVENT_PSK_SUP);
    CHECK_EQ(event.status, 8);
    CHECK_EQ(event.reason, COR_CYW43_SUP_TIMEOUT);
    event = parsed("no_network");
    CHECK_EQ(event.status, COR_CYW43_EVENT_NO_NETWORKS);
    event = parsed("with_data");
    CHECK_EQ(event.data.size_bytes, 5);
    CHECK_EQ(event.data.data[4], 3);
}

TEST(every_prefix_fails_cleanly) {
    static const char *const names[] = {"link_up", "key_timeout", "no_network", "with_data"};
    struct guard guard = guard_open();

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint32_t size = golden_read("cyw43_event.vec", names[i], vector);

        for (uint32_t part = 0; part < size; part++) {
            struct cor_cyw43_event event;

            CHECK_EQ(
                cor_cyw43_event_parse(guard_copy(&guard, vector, part), part, &event), COR_E_PROTO);
        }
    }
    guard_close(&guard);
}

TEST(every_flipped_bit_stays_inside) {
    uint32_t size = golden_read("cyw43_event.vec", "with_data", vector);
    struct guard guard = guard_open();

    for (uint32_t bit = 0; bit < 8 * size; bit++) {
        uint8_t *copy = guard_copy(&guard, vector, size);
        struct cor_cyw43_event event;

        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (cor_cyw43_event_parse(copy, size, &event) == COR_OK) {
            CHECK(event.data.data + event.data.size_bytes <= copy + size);
        }
    }
    guard_close(&guard);
}

TEST_MAIN(
    CASE(events_are_parsed), CASE(every_prefix_fails_cleanly), CASE(every_flipped_bit_stays_inside))
