# SPDX-License-Identifier: MIT
target_sources(
  coradio_twin
  PRIVATE air/ap.c
          air/ap_fault.c
          air/channel.c
          air/exchange.c
          air/flow.c
          air/mac.c
          air/neighbour.c
          air/power_save.c
          air/signal.c
          air/timing.c)
