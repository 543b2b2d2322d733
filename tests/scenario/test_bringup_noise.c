// SPDX-License-Identifier: MIT
// The CYW43 driver on a bus with bit errors: between the driver and the virtual board sits a bus
// that turns a bit now and then in what is read. The link has no check sequence over data, so what
// must hold is that nothing stops: each damage costs a frame or two.
#include "driver_world.h"

struct noise {
    struct cor_bus bus;  // first, handed to the driver
    struct cor_bus *inner;
    struct cor_bus_xfer *flight[COR_BUS_TWIN_DEPTH_MAX];
    uint32_t count;
    uint32_t state;
    uint32_t one_in;  // transfers for one error; 0: none
    uint64_t flips;
};

static uint32_t draw(struct noise *noise, uint32_t below) {
    noise->state = noise->state * 1664525u + 1013904223u;
    return (noise->state >> 8) % below;
}

static enum cor_status noise_start(struct cor_bus *bus, struct cor_bus_xfer *xfer) {
    struct noise *noise = bus->port;
    enum cor_status status = noise->inner->ops->start(noise->inner, xfer);

    if (status == COR_OK) {
        noise->flight[noise->count++] = xfer;
    }
    return status;
}

// One bit in the status word, in the header of what was read, or anywhere in it.
static void turn(struct noise *noise, struct cor_bus_xfer *xfer) {
    uint32_t place = draw(noise, 3);
    uint8_t bit = (uint8_t)(1u << draw(noise, 8));

    noise->flips++;
    if (place == 0 || xfer->in_bytes == 0) {
        xfer->status[draw(noise, 4)] ^= bit;
    } else {
        xfer->in[draw(noise, place == 1 && xfer->in_bytes > 16 ? 16 : xfer->in_bytes)] ^= bit;
    }
}

static enum cor_status noise_poll(struct cor_bus *bus) {
    struct noise *noise = bus->port;
    enum cor_status status = noise->inner->ops->poll(noise->inner);

    if (status == COR_OK) {
        if (noise->one_in != 0 && draw(noise, noise->one_in) == 0) {
            turn(noise, noise->flight[0]);
        }
        noise->count--;
        memmove(&noise->flight[0], &noise->flight[1], noise->count * sizeof(struct cor_bus_xfer *));
    }
    return status;
}

static int32_t noise_set_clock_hz(struct cor_bus *bus, int32_t clock_hz) {
    struct noise *noise = bus->port;

    return noise->inner->ops->set_clock_hz(noise->inner, clock_hz);
}

static bool noise_irq_pending(struct cor_bus *bus) {
    struct noise *noise = bus->port;

    return noise->inner->ops->irq_pending(noise->inner);
}

static void noise_set_power(struct cor_bus *bus, bool on) {
    struct noise *noise = bus->port;

    noise->inner->ops->set_power(noise->inner, on);
}

static const struct cor_bus_ops noise_ops = {
    .start = noise_start,
    .poll = noise_poll,
    .set_clock_hz = noise_set_clock_hz,
    .irq_pending = noise_irq_pending,
    .set_power = noise_set_power,
};

// Puts the noise between; the driver has not been started yet.
static void noise_open(struct noise *noise, struct world *world, uint32_t seed) {
    memset(noise, 0, sizeof(*noise));
    noise->inner = &world->bus.bus;
    noise->bus = world->bus.bus;
    noise->bus.ops = &noise_ops;
    noise->bus.port = noise;
    noise->state = seed;
    world->driver.config.bus = &noise->bus;
}

TEST(scenario_4_bit_errors_while_sending_stop_nothing) {
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct options options = options_default();
        struct noise noise;

        options.tolerant = true;
        struct world *world = world_open(&options);

        noise_open(&noise, world, seed);
        CHECK_EQ(world_start(world), COR_RADIO_READY);
        CHECK_EQ(world_join(world), COR_RADIO_JOINED);
        noise.one_in = 100;
        world->to_send = 3000;
        twin_board_interrupt(world->board);
        world_run_ns(world, UINT64_C(4000000000));
        CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_JOINED);
        CHECK_EQ(world->sent, 3000);
        CHECK(world->arrived > 2500);
        CHECK(noise.flips > 20);
        const struct cor_cyw43_counters *counters = cor_cyw43_get_counters(&world->driver);

        CHECK(counters->rx_damaged + counters->rx_empty > 0);
        // And with the noise gone all is well again.
        noise.one_in = 0;
        uint32_t arrived = world->arrived;

        world->to_send = 500;
        twin_board_interrupt(world->board);
        world_run_ns(world, 1000000000);
        CHECK_EQ(world->arrived, arrived + 500);
        world->driver.config.bus = noise.inner;
        world_close(world);
    }
}

TEST(scenario_6_bit_errors_while_loading_are_mended) {
    for (uint32_t seed = 1; seed <= 10; seed++) {
        struct options options = options_default();
        struct noise noise;
        struct world *world = world_open(&options);

        noise_open(&noise, world, seed);
        CHECK_EQ(cor_cyw43_start(&world->driver, world_now_us(world)), COR_OK);
        twin_board_interrupt(world->board);
        while (cor_cyw43_get_counters(&world->driver)->loaded_bytes < 1000) {
            (void)twin_step(world->sim);
        }
        noise.one_in = 50;
        while (world->driver.load.address == 0 &&
               cor_cyw43_state(&world->driver) == COR_RADIO_STARTING) {
            (void)twin_step(world->sim);
        }
        noise.one_in = 0;
        world_leave(world, COR_RADIO_STARTING, UINT64_C(5000000000));
        CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_READY);
        CHECK(cor_cyw43_get_counters(&world->driver)->verify_reread > 10);
        world->driver.config.bus = noise.inner;
        world_close(world);
    }
}

TEST_MAIN(
    CASE(scenario_4_bit_errors_while_sending_stop_nothing),
    CASE(scenario_6_bit_errors_while_loading_are_mended))
