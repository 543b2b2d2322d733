#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the headline figures become when an assumption behind them is wrong: the numbers of
# docs/explain/unproven-on-hardware.md. All of it is simulated.
#
#     bench/assumptions.sh [path of coradio] [bytes a run]
set -euo pipefail
cd "$(dirname "$0")/.."
coradio=${1:-build/coradio}
bytes=${2:-16MiB}

goodput() {
    "$coradio" run --board pico2w --bytes "$bytes" --virtual --json "$@" |
        awk -F '[:,]' '
            { gsub(/[ \t"]/, "") }
            $1 == "goodput_bps" { goodput = $2 / 1e6 }
            $1 == "limit" { limit = $2 }
            END { printf "%6.1f %-12s", goodput, limit }'
}

row() {
    local name=$1
    shift
    printf '%-49s  %s  %s  %s\n' "$name" "$(goodput --app tcp-tx --bus-mhz 37.5 "$@")" \
        "$(goodput --app tcp-tx --bus-mhz 50 "$@")" "$(goodput --app udp-tx --bus-mhz 37.5 "$@")"
}

printf '%-49s  %-19s  %-19s  %-19s\n' 'Mbit/s and what limits, simulated' \
    'TCP 37.5 MHz' 'TCP 50 MHz' 'UDP 37.5 MHz'
row 'as assumed'
row 'credit window 4 (not 8)' --credit-window 4
row 'credit window 12' --credit-window 12
row 'credit window 20' --credit-window 20
row 'aggregates of 4 (not 8)' --ampdu 4
row 'no aggregation by the chip' --ampdu 1
row 'access point sends each ACK alone' --ap-ampdu 1
row 'no aggregation on either side' --ampdu 1 --ap-ampdu 1
row '100 us inside the chip for each frame' --chip-frame-us 100
row '250 us inside the chip for each frame' --chip-frame-us 250
row 'three times the processor work (35 us a segment)' --segment-us 35
row 'each segment costs 250 us of processor' --segment-us 250
row 'MCS 4 on the air (39/43 Mbit/s)' --mcs 4
row '5 % of MPDUs lost on the air' --loss 0.05
row '0.5 % of packets lost behind the access point' --path-loss 0.005
