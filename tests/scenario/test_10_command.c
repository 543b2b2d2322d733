// SPDX-License-Identifier: MIT
// Scenario 10: a command gets no reply, or a reply with an error status. The caller gets a time-out
// or the status; later commands work.
#include "fault_world.h"

#define GET_VAR 262

struct asked {
    uint32_t done;
    enum cor_status status;
    int32_t chip_status;
    uint32_t reply_bytes;
    uint8_t reply[8];
};

static void on_done(
    void *context, enum cor_status status, int32_t chip_status, struct cor_span reply) {
    struct asked *asked = context;

    asked->done++;
    asked->status = status;
    asked->chip_status = chip_status;
    asked->reply_bytes = reply.size_bytes;
    memcpy(asked->reply, reply.data, reply.size_bytes < 8 ? reply.size_bytes : 8);
}

// Asks for the MAC address; the time it took, in ms.
static uint64_t ask(struct world *world, struct asked *asked) {
    const struct cor_cyw43_request request = {
        .command = GET_VAR,
        .name = "cur_etheraddr",
        .reply_bytes = 6,
        .done = on_done,
        .context = asked,
    };
    uint64_t start_us = world_now_us(world);
    uint64_t end_ns = twin_now_ns(world->sim) + 3 * S;

    *asked = (struct asked){0};
    CHECK_EQ(cor_cyw43_request(&world->driver, &request), COR_OK);
    twin_board_interrupt(world->board);
    while (asked->done == 0 && twin_next_ns(world->sim) <= end_ns) {
        (void)twin_step(world->sim);
    }
    CHECK_EQ(asked->done, 1);
    return (world_now_us(world) - start_us) / 1000;
}

static void check_answered(struct world *world) {
    struct asked asked;

    (void)ask(world, &asked);
    CHECK_EQ(asked.status, COR_OK);
    CHECK(asked.reply_bytes >= 6);
    CHECK_BYTES(asked.reply, world_board, 6);
}

TEST(no_reply_is_a_time_out_and_the_next_command_works) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);
    struct asked asked;

    check_answered(world);
    fault_now(world, "reply-drop name=cur_etheraddr");
    CHECK_BETWEEN(ask(world, &asked), 400, 1000);
    CHECK_EQ(asked.status, COR_E_TIMEOUT);
    check_answered(world);
    check_struck(world);
    check_well(world, S);
    world_close(world);
}

TEST(an_error_is_handed_on_with_its_code) {
    static const int32_t codes[] = {-1, -4, -14, -23, -29, -30, -2147483647};
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct asked asked;
        char fault[64];

        snprintf(fault, sizeof(fault), "reply-status name=cur_etheraddr value=%d", codes[i]);
        fault_now(world, fault);
        (void)ask(world, &asked);
        CHECK_EQ(asked.status, COR_E_CHIP);
        CHECK_EQ(asked.chip_status, codes[i]);
        check_answered(world);
    }
    check_struck(world);
    world_close(world);
}

// A reply that comes late, twice, cut or with the number of another request is not taken for the
// one that is waited for.
TEST(a_reply_is_told_by_its_number) {
    static const struct {
        const char *fault;
        enum cor_status status;
    } rows[] = {
        {"reply-double name=cur_etheraddr", COR_OK},
        {"reply-delay name=cur_etheraddr time=300ms", COR_OK},
        {"reply-delay name=cur_etheraddr time=800ms", COR_E_TIMEOUT},
        {"reply-id name=cur_etheraddr value=1", COR_E_TIMEOUT},
        {"reply-id name=cur_etheraddr value=-1", COR_E_TIMEOUT},
        {"reply-cut name=cur_etheraddr value=20", COR_E_TIMEOUT},
    };
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct asked asked;

        fault_now(world, rows[i].fault);
        (void)ask(world, &asked);
        CHECK_EQ(asked.status, rows[i].status);
        check_answered(world);
        world_run_ns(world, S);
        check_answered(world);
    }
    CHECK(counters(world)->rx_stale_reply >= 4);
    CHECK_EQ(counters(world)->rebuilds, 0);
    check_struck(world);
    check_well(world, S);
    world_close(world);
}

// A firmware that answers nothing any more is started anew.
TEST(a_firmware_that_never_answers_is_started_anew) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);
    struct asked asked;

    fault_now(world, "reply-drop for=10s");
    for (uint32_t i = 0; i < 3; i++) {
        if (cor_cyw43_state(&world->driver) == COR_RADIO_JOINED) {
            (void)ask(world, &asked);
            CHECK(asked.status == COR_E_TIMEOUT || asked.status == COR_E_ABORTED);
        }
    }
    world_run_ns(world, 12 * S);
    CHECK(counters(world)->rebuilds >= 1);
    check_well(world, 70 * S);
    check_answered(world);
    world_close(world);
}

TEST_MAIN(
    CASE(no_reply_is_a_time_out_and_the_next_command_works),
    CASE(an_error_is_handed_on_with_its_code),
    CASE(a_reply_is_told_by_its_number),
    CASE(a_firmware_that_never_answers_is_started_anew))
