#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# TCP at a 50 MHz bus over the credit windows a chip may have, for an access point that aggregates
# its ACKs and one that does not; and the two explanations of the Pico 2 W write-up's 19.5 Mbit/s
# side by side. All of it is simulated.
set -euo pipefail
cd "$(dirname "$0")/.."
coradio=${1:-build/coradio}
bytes=${2:-32MiB}

# Goodput, limit, bus, air and aggregate of one run, as cells.
cells() {
    "$coradio" run --board pico2w --app tcp-tx --bytes "$bytes" --virtual --json "$@" |
        awk -F '[:,]' '
            { gsub(/[ \t"]/, "") }
            $1 == "goodput_bps" { goodput = $2 / 1e6 }
            $1 == "limit" { limit = $2 }
            $1 == "utilization" { bus = 100 * $2 }
            $1 == "mean_ampdu" { ampdu = $2 }
            $1 == "share" { air = 100 * $2 }
            $1 == "over_credit" { over = $2 }
            END {
                printf "%7.2f  %-11s  %5.1f %%  %5.1f %%  %5.2f  %4d",
                    goodput, limit, bus, air, ampdu, over
            }'
}

printf '%-44s  %s\n' 'TCP, 50 MHz bus' ' Mbit/s  limit            bus      air  A-MPDU  over credit'
for window in 4 8 12 16 20; do
    for ap in 8 1; do
        name="credit window $window, $([ $ap = 8 ] && echo 'ACKs aggregated' || echo 'ACKs singly')"
        printf '  %-42s  %s\n' "$name" "$(cells --bus-mhz 50 --credit-window $window --ap-ampdu $ap)"
    done
done
echo
printf '%-44s  %s\n' 'TCP, 37.5 MHz bus; a board measured 19.5' ' Mbit/s'
printf '  %-42s  %s\n' 'serial engine, 250 us a segment' \
    "$(cells --engine serial --segment-us 250)"
printf '  %-42s  %s\n' 'queued engine, 250 us inside the chip' "$(cells --chip-frame-us 250)"
printf '  %-42s  %s\n' 'queued engine, A-MPDU off' "$(cells --ampdu 1 --ap-ampdu 1)"
printf '  %-42s  %s\n' 'queued engine' "$(cells)"
