#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What an ACK costs a receiver on a half-duplex bus: goodput of tcp-rx over how many segments one ACK
# is for. All of it is simulated.
set -euo pipefail
cd "$(dirname "$0")/.."
coradio=${1:-build/coradio}
bytes=${2:-16MiB}

echo 'segments an ACK   Mbit/s  bus busy  air busy    ACKs  p99 of a ping meanwhile'
for segments in 1 2 3 4 8; do
    "$coradio" run --board pico2w --app tcp-rx --bytes "$bytes" --virtual --json \
        --ack-segments "$segments" |
        awk -F '[:,]' -v segments="$segments" '
            { gsub(/[ \t"]/, "") }
            $1 == "goodput_bps" && goodput == "" { goodput = $2 / 1e6 }
            $1 == "utilization" { bus = 100 * $2 }
            $1 == "share" { air = 100 * $2 }
            $1 == "acks_sent" { acks = $2 }
            $1 == "p99" { p99 = $2 / 1e3 }
            END {
                printf "%15d  %7.2f  %6.1f %%  %6.1f %%  %6d  %.1f ms\n",
                    segments, goodput, bus, air, acks, p99
            }'
done
