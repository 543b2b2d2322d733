// SPDX-License-Identifier: MIT
// In the chip's high-speed mode the bit n of data is on the input from 2nT + d to 2(n + 1)T + d
// after the edge that clocks the last command bit; T is half a bus clock, d the delay of the loop:
// pad, chip, resistor, pad. A program that samples at sT reads right where (s - 2)T < d <= sT.
#include "coradio/bus_clock.h"

// Measured by others: the one value that explains the public reports of what works and what does
// not on Pico W and Pico 2 W lies between 26.7 and 30.0 ns (pico-sdk issue 1392 and pull request
// 1521, cyw43-driver issue 51, embassy issue 4791 and pull request 4792).
#define LOOP_DELAY_PS 28000

// Half clocks from the edge to the first sample, by enum cor_bus_sampling.
#define FIRST_SAMPLE 2

struct cor_bus_clock cor_bus_clock_for(int32_t system_hz, int32_t wanted_hz) {
    uint32_t system = (uint32_t)system_hz;
    uint32_t wanted = (uint32_t)wanted_hz;
    uint32_t divider = (system + wanted - 1u) / wanted;

    if (divider < 2) {
        divider = 2;
    }
    // One more makes it slower by 1 / (divider + 1).
    if (divider % 2 != 0 && divider + 1u >= 8u) {
        divider++;
    }
    return (struct cor_bus_clock){divider, (int32_t)(system / divider), divider % 2 == 0};
}

int32_t cor_bus_sampling_margin_ps(enum cor_bus_sampling sampling, int32_t bus_hz) {
    int32_t half_ps = 500000000 / (bus_hz < 1000 ? 1 : bus_hz / 1000);
    int32_t half_max_ps = INT32_MAX / 8;
    int32_t sample = (int32_t)sampling + FIRST_SAMPLE;

    if (half_ps > half_max_ps) {
        half_ps = half_max_ps;
    }
    int32_t after_ps = LOOP_DELAY_PS - (sample - 2) * half_ps;
    int32_t before_ps = sample * half_ps - LOOP_DELAY_PS;

    return after_ps < before_ps ? after_ps : before_ps;
}

enum cor_bus_sampling cor_bus_sampling_for(int32_t bus_hz) {
    enum cor_bus_sampling best = COR_BUS_SAMPLING_gap0;

    for (uint32_t i = 1; i < COR_BUS_SAMPLING_COUNT; i++) {
        enum cor_bus_sampling sampling = (enum cor_bus_sampling)i;

        if (cor_bus_sampling_margin_ps(sampling, bus_hz) >
            cor_bus_sampling_margin_ps(best, bus_hz)) {
            best = sampling;
        }
    }
    return best;
}

const char *cor_bus_sampling_name(enum cor_bus_sampling sampling) {
    static const char *const names[] = {"gap0", "gap01", "gap010", "gap0101"};

    return sampling < COR_BUS_SAMPLING_COUNT ? names[sampling] : "unknown";
}
