#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The receiver stops reading and goes on: our stack probes the closed window, loses nothing and is
# back at once; also when many of the acknowledgements are lost, the one that opens the window
# perhaps among them.
. "$(dirname "$0")/netns.sh"
netns_enter "$@"
. "$(dirname "$0")/transfer.sh"

transfer_begin 4194304
netns_in "$peer" sh -c 'echo 4096 65536 65536 >/proc/sys/net/ipv4/tcp_rmem'

# stopped NAME PAUSES SECONDS BRIDGE_OPTIONS...: the sink stands still so often for so long.
stopped() {
    local name=$1 pauses=$2 seconds=$3 _
    shift 3
    transfer_path "unix:$NETNS_WORK/socket" "$name" "$@"
    transfer_host "$name" &
    local sender=$!
    netns_await "$NETNS_WORK/$name.sink.log" ' connected'
    for _ in $(seq "$pauses"); do
        sleep 0.15
        kill -STOP "$sink_pid"
        sleep "$seconds"
        kill -CONT "$sink_pid"
    done
    wait "$sender"
    sent=$?
    transfer_result "$name"
    transfer_line "$name"
    check "${name}_ends_without_error" "$sent == 0"
    check "${name}_every_byte_arrives" "$intact == 1"
}

stopped one_pause 1 1.2 --both rate=33M,delay=2ms,queue=64
check "the_window_was_closed" "$(value tcp_zero_windows "$NETNS_WORK/one_pause") >= 1"
check "and_probed" "$(value tcp_zero_window_probes "$NETNS_WORK/one_pause") >= 1"
# The kernel takes some of the probes' bytes, so that not all of the pause is one gap.
check "it_stood_still" "$(value gap_us_max "$NETNS_WORK/one_pause") >= 400000"
check "and_went_on_soon" "$(value gap_us_max "$NETNS_WORK/one_pause") <= 2500000"
stopped acknowledgements_lost 3 0.3 --both rate=33M,delay=2ms,queue=64 --ba loss=0.3
# Several in a row may be lost: each doubles the time-out.
check "the_gaps_stay_bounded" \
    "$(value gap_us_max "$NETNS_WORK/acknowledgements_lost") <= 8000000"
netns_done
