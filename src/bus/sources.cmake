# SPDX-License-Identifier: MIT
set(RING_SOURCES
    bus.c bus_clock.c)
