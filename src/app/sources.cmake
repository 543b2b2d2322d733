# SPDX-License-Identifier: MIT
set(RING_SOURCES pattern.c rx.c station.c tx.c tx_udp.c)
