# SPDX-License-Identifier: MIT
set(RING_SOURCES iperf.c pattern.c rx.c station.c tx.c tx_udp.c)
