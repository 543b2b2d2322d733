# SPDX-License-Identifier: MIT
set(RING_SOURCES meter.c radio.c sha256.c status.c)
