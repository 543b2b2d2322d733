# SPDX-License-Identifier: MIT
target_sources(
  coradio_twin
  PRIVATE cyw43/backplane.c
          cyw43/bus_registers.c
          cyw43/chip.c
          cyw43/clm.c
          cyw43/console.c
          cyw43/credit.c
          cyw43/data.c
          cyw43/event.c
          cyw43/fault.c
          cyw43/fault_control.c
          cyw43/firmware.c
          cyw43/gspi.c
          cyw43/image.c
          cyw43/ioctl.c
          cyw43/iovar.c
          cyw43/join.c
          cyw43/scan.c
          cyw43/sdpcm.c)
