#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Our stack on a TAP device itself: it is on the cable at once, lives through a link that goes down
# and up in the middle of a transfer, and ends when the device is deleted.
. "$(dirname "$0")/netns.sh"
netns_enter "$@"

host=$INTEROP_BIN/interop_host
work=$NETNS_WORK
netns_make peer
netns_tap "$peer" tap0 10.77.0.1/24
head -c 134217728 /dev/zero >"$work/file"

# starts the sink; its process id goes into sink_pid
sink() {
    netns_start_in sink_pid "$work/sink.log" "$peer" "$CORADIO" sink --listen 10.77.0.1:5001 \
        --once --duration 20s --sha256 --json="$work/sink.json"
    netns_await "$work/sink.log" 'listening on' || exit 1
}

on_tap() {
    nsenter --net="/run/netns/$peer" -- timeout 20 "$host" --tap tap0 --address 10.77.0.2/24 "$@"
}

echo "the cable"
for _ in 1 2 3 4 5; do
    on_tap --app ping --to 10.77.0.1 --count 1 --report "$work/ping.report" || break
    [ "$(value net_arp_requests_sent "$work/ping.report")" -eq 1 ] || break
done
check "the_first_arp_request_is_answered" \
    "$(value net_arp_requests_sent "$work/ping.report") == 1 && \
     $(value ping_replies_received "$work/ping.report") == 1"

echo "down and up"
sink
on_tap --app send --to 10.77.0.1:5001 --file "$work/file" --report "$work/send.report" &
sender=$!
netns_await "$work/sink.log" ' connected'
netns_in "$peer" ip link set dev tap0 down
sleep 0.5
netns_in "$peer" ip link set dev tap0 up
wait "$sender"
check "the_transfer_survives" "$? == 0"
wait "$sink_pid"
sent=$(sha256sum "$work/file" | cut -d ' ' -f 1)
taken=$(json_value sha256 "$work/sink.json")
check "every_byte_arrives" "\"$sent\" == \"$taken\""
check "the_link_was_seen_to_go_and_come" "$(value tap_link_changes "$work/send.report") == 3"
check "it_took_a_while" "$(value gap_us_max "$work/send.report") >= 400000"
printf '  %s Mbit/s over the TAP device, the pause included\n' \
    "$(megabits "$(value goodput_bps "$work/send.report")")"

echo "deleted"
sink
on_tap --app send --to 10.77.0.1:5001 --file "$work/file" --report "$work/send.report" &
sender=$!
netns_await "$work/sink.log" ' connected'
netns_in "$peer" ip link del dev tap0
wait "$sender"
check "the_sender_ends" "$? == 1"
check "and_says_why" "\"$(value result "$work/send.report")\" == \"COR_E_LINK_DOWN\""
kill -INT "$sink_pid"
netns_done
