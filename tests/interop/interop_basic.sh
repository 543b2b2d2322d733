#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Our stack and the kernel's over one clean path: ping both ways, ARP both ways, a refused port, a
# host that is not there, a link that goes down and up.
. "$(dirname "$0")/netns.sh"
netns_need ping iputils-ping
netns_enter "$@"

host=$INTEROP_BIN/interop_host bridge=$INTEROP_BIN/interop_bridge
work=$NETNS_WORK
netns_make peer
netns_tap "$peer" peer0 10.77.0.1/24
netns_start bridge_pid "$work/bridge.log" "$bridge" --a "unix:$work/socket" --b "tap:peer0@$peer" \
    --report "$work/bridge.report"
netns_await "$work/bridge.log" ready || exit 1

ours() {
    timeout 10 "$host" --unix "$work/socket" --address 10.77.0.2/24 "$@"
}

echo "we ping the kernel"
ours --app ping --to 10.77.0.1 --count 5 --interval 20ms --report "$work/ping.report"
check "ping_to_the_kernel_is_answered" "$? == 0"
check "every_request_has_its_reply" "$(value ping_replies_received "$work/ping.report") == 5"
check "one_arp_request_was_enough" "$(value net_arp_requests_sent "$work/ping.report") == 1"
ours --app ping --to 10.77.0.1 --count 2 --interval 20ms --payload-bytes 1472 \
    --report "$work/ping.report"
check "the_largest_frame_passes" "$(value ping_replies_received "$work/ping.report") == 2"

echo "the kernel pings us"
netns_in "$peer" ip neigh flush dev peer0
netns_start host_pid "$work/host.log" timeout 20 "$host" --unix "$work/socket" \
    --address 10.77.0.2/24 --app idle --report "$work/idle.report"
netns_in "$peer" ping -n -q -c 5 -i 0.05 -W 2 10.77.0.2 >"$work/ping.log" 2>&1
check "ping_from_the_kernel_is_answered" "$? == 0"
netns_in "$peer" ping -n -q -c 3 -i 0.05 -W 2 -s 1472 10.77.0.2 >"$work/ping.log" 2>&1
check "so_is_the_largest" "$? == 0"
mac=$(netns_in "$peer" ip neigh show 10.77.0.2 dev peer0 | awk '{ print $3 }')
check "the_kernel_has_learned_our_address" "\"$mac\" ~ /^.[26ae]:/"
netns_stop "$host_pid"
check "we_counted_the_same" "$(value net_echo_replies "$work/idle.report") == 8"

echo "ports"
head -c 100000 /dev/zero >"$work/file"
ours --app send --to 10.77.0.1:5009 --file "$work/file" --report "$work/send.report"
check "a_port_nobody_has_is_refused" "\"$(value result "$work/send.report")\" == \"COR_E_REFUSED\""
ours --app send --to 10.77.0.9:5009 --file "$work/file" --report "$work/send.report"
check "a_host_nobody_is_has_no_answer_to_arp" \
    "\"$(value result "$work/send.report")\" == \"COR_E_UNREACHABLE\""
ours --app send --to 10.88.0.1:5009 --file "$work/file" --report "$work/send.report"
check "without_a_gateway_there_is_no_way_out" \
    "\"$(value result "$work/send.report")\" == \"COR_E_UNREACHABLE\""
# The kernel connects to us, where nobody listens.
netns_start host_pid "$work/host.log" timeout 20 "$host" --unix "$work/socket" \
    --address 10.77.0.2/24 --app idle --report "$work/idle.report"
netns_in "$peer" timeout 5 bash -c 'exec 3<>/dev/tcp/10.77.0.2/80' 2>"$work/connect.log"
check "we_refuse_a_port_nobody_has" "$(grep -c refused "$work/connect.log") >= 1"
netns_stop "$host_pid"
check "by_one_reset" "$(value net_resets_sent "$work/idle.report") == 1"

echo "the far end goes"
netns_start host_pid "$work/host.log" timeout 20 "$host" --unix "$work/socket" \
    --address 10.77.0.2/24 --app idle --report "$work/idle.report"
netns_in "$peer" ping -n -q -c 1 -W 2 10.77.0.2 >"$work/ping.log" 2>&1
netns_stop "$bridge_pid"
check "the_bridge_ends_in_order" "$? == 0"
wait "$host_pid"
check "we_see_that_the_far_end_is_gone" \
    "\"$(value result "$work/idle.report")\" == \"COR_E_LINK_DOWN\""
netns_done
