#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A recording of 32 MiB goes from a virtual Pico 2 W to a sink on this machine, over this machine's
# own TCP; both ends are compared by SHA-256. Then the same in virtual time at three bus clocks.
set -euo pipefail
cd "$(dirname "$0")/.."

coradio=build/coradio
folder=build/demo
recording=$folder/recording.wav

# 48 kHz, two channels, 16 bit: the 44 bytes of a WAV header, then noise.
make_recording() {
    if [ "$(stat -c %s "$recording" 2>/dev/null || echo 0)" = 33554432 ]; then
        return
    fi
    {
        printf 'RIFF\xf8\xff\xff\x01WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00'
        printf '\x80\xbb\x00\x00\x00\xee\x02\x00\x04\x00\x10\x00data\xd4\xff\xff\x01'
        head -c 33554388 /dev/urandom
    } >"$recording"
}

# The value of a number field that occurs once in a JSON result.
field() {
    awk -F '[:,]' -v name="\"$2\"" 'index($1, name) { gsub(/[ \t"]/, "", $2); print $2; exit }' "$1"
}

mbps() {
    awk -v bps="$(field "$1" goodput_bps)" 'BEGIN { printf "%.1f", bps / 1e6 }'
}

start_sink() {
    rm -rf "$folder/store" && mkdir -p "$folder/store"
    "$coradio" sink --listen 127.0.0.1:0 --once --quiet --store "$folder/store" \
        --json "$folder/sink.json" >"$folder/sink.txt" 2>"$folder/sink.err" &
    sink=$!
    trap 'kill "$sink" 2>/dev/null || true' EXIT
    for _ in $(seq 100); do
        target=$(sed -n 's/^listening on //p' "$folder/sink.txt")
        [ -n "$target" ] && return
        sleep 0.05
    done
    cat "$folder/sink.err" >&2
    echo "demo: the sink did not start" >&2
    exit 3
}

send_recording() {
    echo "sending $recording (32 MiB) from a virtual Pico 2 W to the sink at $target"
    "$coradio" run --board pico2w --app tcp-tx --source "$recording" --to "$target" \
        --samples 200ms --json="$folder/run.json"
    wait "$sink"
    trap - EXIT
}

compare() {
    sent=$(sha256sum "$recording" | cut -d ' ' -f 1)
    stored=$(sha256sum "$folder"/store/* | cut -d ' ' -f 1 | head -n 1)
    if [ "$sent" != "$stored" ]; then
        echo "demo: the sink stored other bytes than were sent" >&2
        exit 1
    fi
    echo
    echo "SHA-256 at both ends: $sent"
}

results=("$folder/run.json" "$folder/sink.json")

sweep() {
    for mhz in 25 37.5 50; do
        "$coradio" run --board pico2w --app tcp-tx --bytes 32MiB --bus-mhz "$mhz" --virtual \
            --samples 200ms --json="$folder/$mhz.json" >/dev/null
        results+=("$folder/$mhz.json")
        printf '  %8s  %7s  %7.1f %%  %s\n' "$mhz MHz" "$(mbps "$folder/$mhz.json")" \
            "$(awk -v u="$(field "$folder/$mhz.json" utilization)" 'BEGIN { print 100 * u }')" \
            "$(field "$folder/$mhz.json" limit)"
    done
}

mkdir -p "$folder"
make_recording
start_sink
send_recording
compare
echo
echo "TCP, 37.5 MHz bus, 150 MHz processor                     Mbit/s"
echo "  a board measured by others (Pico 2 W write-up, Rust)     19.5"
echo "  coradio, simulated, to this machine's own TCP           $(mbps "$folder/run.json")"
echo
echo "libslirp acknowledges every segment: the bus carries about 12 990 bits a segment there, and"
echo "12 656 with --virtual, where one ACK goes for two."
echo
echo "In virtual time (simulated): 32 MiB of TCP"
echo "       bus   Mbit/s  bus busy  limit"
sweep

"$coradio" budget --json >"$folder/budget.json"
"$coradio" report --title "A recording from a virtual Pico 2 W" --output "$folder/report.html" \
    "${results[@]}" "$folder/budget.json"
echo
echo "All of it as a page with figures: $folder/report.html"
