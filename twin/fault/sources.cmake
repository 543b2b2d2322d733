# SPDX-License-Identifier: MIT
target_sources(coradio_twin PRIVATE fault/faults.c fault/words.c)
