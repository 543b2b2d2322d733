# SPDX-License-Identifier: MIT
set(RING_SOURCES meter.c status.c)
