# SPDX-License-Identifier: MIT
set(RING_SOURCES meter.c sha256.c status.c)
