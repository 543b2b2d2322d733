# SPDX-License-Identifier: MIT
set(RING_SOURCES control.c control_reply.c control_settings.c iperf.c pattern.c rx.c station.c tx.c tx_udp.c)
