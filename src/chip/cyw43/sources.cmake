# SPDX-License-Identifier: MIT
set(RING_SOURCES
    bringup.c
    control.c
    cyw43.c
    join.c
    load.c
    ops.c
    pace.c
    receive.c
    script.c
    settings.c
    transmit.c)
