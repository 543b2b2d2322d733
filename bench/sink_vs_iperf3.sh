#!/bin/bash
# SPDX-License-Identifier: MIT
# One TCP stream over loopback into coradio sink and into iperf3 -s, turn by turn in one run.
#
#     bench/sink_vs_iperf3.sh [path of coradio] [rounds] [seconds a turn]
#
# Prints each pair, the medians and the ratio. Exit 0 when the sink takes at least 0.8 of what
# iperf3 takes, 1 when it does not, 3 when a program is missing. Both senders write 128 KiB at a
# time: iperf3 -c for its own server, iperf 2 for the sink, which needs no protocol of its sender.
# Each receiver's own count is used, not the sender's.
set -u

coradio=${1:-build/coradio}
rounds=${2:-5}
seconds=${3:-2}
bar=0.8

for program in iperf3 iperf "$coradio"; do
    if ! command -v "$program" >/dev/null; then
        echo "sink_vs_iperf3: '$program' is missing; install it (iperf3, iperf) or build coradio" >&2
        exit 3
    fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"; kill $(jobs -p) 2>/dev/null' EXIT

# A port that is free now, for programs that cannot choose one themselves.
free_port() {
    local port
    for port in $(shuf -i 20000-30000 -n 50); do
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
}

wait_for_line() {
    local tries
    for tries in $(seq 100); do
        grep -q "$1" "$2" 2>/dev/null && return 0
        sleep 0.05
    done
    echo "sink_vs_iperf3: '$1' did not appear after $tries looks" >&2
    return 1
}

turn_iperf3() {
    local port server
    port=$(free_port)
    rm -f "$work/iperf3.log"
    iperf3 -s -1 -p "$port" -B 127.0.0.1 --forceflush >"$work/iperf3.log" 2>&1 &
    server=$!
    wait_for_line listening "$work/iperf3.log" || return 1
    iperf3 -c 127.0.0.1 -p "$port" -t "$seconds" -l 128K -J >"$work/iperf3.json" || { kill "$server"; return 1; }
    wait "$server"
    sed -n '/"sum_received"/,/}/s/.*"bits_per_second":[[:space:]]*\([0-9.e+]*\).*/\1/p' "$work/iperf3.json"
}

turn_sink() {
    local port server
    rm -f "$work/sink.log"
    # The duration only matters when no sender comes.
    "$coradio" sink --port 0 --once --duration $((seconds + 30))s --quiet --json="$work/sink.json" "$@" >"$work/sink.log" &
    server=$!
    wait_for_line listening "$work/sink.log" || return 1
    port=$(sed -n 's/^listening on .*://p' "$work/sink.log")
    iperf -c 127.0.0.1 -p "$port" -t "$seconds" -l 128K >/dev/null || { kill "$server"; return 1; }
    wait "$server"
    sed -n 's/.*"goodput_bps":[[:space:]]*\([0-9]*\).*/\1/p' "$work/sink.json" | head -n 1
}

median() {
    sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

echo "one TCP stream over loopback, $rounds rounds of $seconds s, Gbit/s"
printf '%8s %10s %10s %12s\n' round iperf3 sink 'sink (copy)'
for round in $(seq "$rounds"); do
    a=$(turn_iperf3) && b=$(turn_sink) && c=$(turn_sink --copy) || exit 3
    echo "$a" >>"$work/iperf3"
    echo "$b" >>"$work/sink"
    echo "$c" >>"$work/copy"
    awk -v r="$round" -v a="$a" -v b="$b" -v c="$c" \
        'BEGIN { printf "%8d %10.2f %10.2f %12.2f\n", r, a / 1e9, b / 1e9, c / 1e9 }'
done
awk -v a="$(median <"$work/iperf3")" -v b="$(median <"$work/sink")" \
    -v c="$(median <"$work/copy")" -v bar="$bar" 'BEGIN {
    printf "%8s %10.2f %10.2f %12.2f\n", "median", a / 1e9, b / 1e9, c / 1e9
    printf "ratio to iperf3: sink %.2f, sink copying every byte %.2f, bar %.2f\n", b / a, c / a, bar
    exit(b / a >= bar ? 0 : 1)
}'
