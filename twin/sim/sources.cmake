# SPDX-License-Identifier: MIT
target_sources(coradio_twin PRIVATE sim/log.c)
