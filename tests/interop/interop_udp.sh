#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# UDP between our stack and the kernel: every datagram of a clean path arrives, of a path with loss
# exactly those the bridge let pass; a port nobody has is told by ICMP, in both directions.
. "$(dirname "$0")/netns.sh"
netns_enter "$@"

host=$INTEROP_BIN/interop_host bridge=$INTEROP_BIN/interop_bridge
work=$NETNS_WORK
netns_make peer
netns_tap "$peer" peer0 10.77.0.1/24

# over PATH HOST_OPTIONS...: our stack sends datagrams over the path.
over() {
    rm -f "$work/socket"
    netns_start bridge_pid "$work/bridge.log" "$bridge" --a "unix:$work/socket" \
        --b "tap:peer0@$peer" --ab "$1" --report "$work/bridge.report"
    netns_await "$work/bridge.log" ready || exit 1
    shift
    timeout 20 "$host" --unix "$work/socket" --address 10.77.0.2/24 --app udp \
        --to 10.77.0.1:5001 --payload-bytes 1472 --interval 400us --report "$work/udp.report" "$@"
    sent=$?
}

sink() {
    netns_start_in sink_pid "$work/sink.log" "$peer" "$CORADIO" sink --listen 10.77.0.1:5001 \
        --once --duration 20s --json="$work/sink.json"
    netns_await "$work/sink.log" 'listening on' || exit 1
}

echo "a clean path"
sink
over delay=2ms --count 2000
wait "$sink_pid"
netns_stop "$bridge_pid"
check "sending_ends_without_error" "$sent == 0"
check "every_datagram_arrives" "$(json_value datagrams "$work/sink.json") == 2000"
check "none_is_missed" "$(json_value lost "$work/sink.json") == 0"

echo "a path with loss"
sink
over loss=0.1,delay=2ms --count 2000 --duration 15s
wait "$sink_pid"
netns_stop "$bridge_pid"
lost=$(value ab_lost "$work/bridge.report")
missed=$(json_value lost "$work/sink.json")
echo "  $lost of 2000 datagrams, closing ones and ARP lost by the bridge, $missed missed by the sink"
check "the_path_lost_some" "$lost > 100"
check "the_sink_misses_what_was_lost" "$missed <= $lost && $missed >= $lost - 7"

echo "ports nobody has"
# Slowly: the kernel limits how often it tells, and the first answer takes a round trip.
over delay=1ms --count 20 --interval 20ms
check "the_kernel_tells_us" "$(value udp_unreachable "$work/udp.report") >= 1"
netns_start host_pid "$work/host.log" timeout 20 "$host" --unix "$work/socket" \
    --address 10.77.0.2/24 --app idle --report "$work/idle.report"
sleep 0.2
# The sender hears of it at its next write, if it is told at all.
netns_in "$peer" bash -c 'exec 3<>/dev/udp/10.77.0.2/99; echo one >&3; sleep 0.3; echo two >&3'
sleep 0.2
netns_stop "$host_pid"
check "we_count_what_nobody_wanted" "$(value net_drop_udp_port "$work/idle.report") >= 1"
netns_done
