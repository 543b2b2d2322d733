# SPDX-License-Identifier: MIT
target_sources(coradio_twin PRIVATE board/board.c board/bus_log.c board/engine.c
                                    board/power.c)
