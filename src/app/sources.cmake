# SPDX-License-Identifier: MIT
set(RING_SOURCES pattern.c)
