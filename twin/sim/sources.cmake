# SPDX-License-Identifier: MIT
target_sources(coradio_twin PRIVATE sim/alloc.c sim/frame.c sim/log.c sim/rng.c sim/sim.c
                                    sim/unsure.c)
