#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The kernel's TCP sends to our stack over paths that lose, reorder, double, damage, delay and limit
# frames, in both directions. Byte-exact each time. With "long" more of them.
[ "${1:-}" = long ] && NETNS_SECONDS=900
. "$(dirname "$0")/netns.sh"
netns_enter "$@"
netns_need nc netcat-openbsd

work=$NETNS_WORK
bytes=1500000
seconds=25
[ "${1:-}" = long ] && bytes=4000000 seconds=200
netns_make peer
netns_tap "$peer" peer0 10.77.0.1/24
head -c "$bytes" /dev/urandom >"$work/file"
head -c 100001 /dev/urandom >"$work/back"

# of NAME PATH: the file comes and another goes back over the same connection.
of() {
    local name=$1 path=$2
    rm -f "$work/socket"
    netns_start bridge "$work/bridge.log" "$INTEROP_BIN/interop_bridge" --a "unix:$work/socket" \
        --b "tap:peer0@$peer" --both "$path" --report "$work/$name.bridge"
    netns_await "$work/bridge.log" ready || exit 1
    netns_start server "$work/server.log" "$INTEROP_BIN/interop_serve" --unix "$work/socket" \
        --address 10.77.0.2 --store "$work/store" --file "$work/back" --duration "${seconds}s" \
        --report "$work/$name"
    netns_await "$work/server.log" serving || exit 1
    netns_in "$peer" timeout "$seconds" nc -N 10.77.0.2 5001 <"$work/file" >"$work/got"
    check "${name}_the_kernel_ends" "$? == 0"
    wait "$server"
    check "${name}_so_do_we" "$? == 0"
    netns_stop "$bridge"
    cmp -s "$work/file" "$work/store"
    check "${name}_every_byte_arrives" "$? == 0"
    cmp -s "$work/back" "$work/got"
    check "${name}_and_every_byte_back" "$? == 0"
    printf '  %-22s %6s Mbit/s\n' "$name" "$(megabits "$(value goodput_bps "$work/$name")")"
}

counted() {
    value "$2" "$work/$1"
}

of clean rate=33M,delay=2ms,queue=64
of lossy rate=33M,delay=2ms,queue=64,loss=0.02
check "frames_were_lost" "$(counted lossy.bridge ab_lost) + $(counted lossy.bridge ba_lost) > 10"
of evil rate=33M,delay=2ms,queue=64,loss=0.01,reorder=0.02,hold=2ms,twice=0.02,damage=0.01
check "all_kinds_of_it" "$(counted evil.bridge ba_held) > 5 && $(counted evil.bridge ba_doubled) > 5 && $(counted evil.bridge ba_damaged) > 5"
of far rate=33M,delay=50ms,queue=200
if [ "${1:-}" = long ]; then
    for loss in 0 0.01 0.1; do
        for delay in 0ms 10ms 200ms; do
            for rate in 1M 33M unlimited; do
                [ "$rate" = 1M ] && [ "$loss" = 0.1 ] && continue # minutes of time-outs
                path="loss=$loss,reorder=0.02,hold=3ms,twice=0.005,damage=0.005,delay=$delay,queue=100"
                [ "$rate" = unlimited ] || path+=",rate=$rate"
                of "loss_${loss}_delay_${delay}_rate_$rate" "$path"
            done
        done
    done
fi
netns_done
