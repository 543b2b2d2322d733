#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that people use, against our stack as a server on a TAP device: curl, nc and iperf, and
# nping's packets that no program would send.
. "$(dirname "$0")/netns.sh"
netns_enter "$@"
netns_need curl curl
netns_need nc netcat-openbsd
netns_need iperf iperf
netns_need nping nmap

work=$NETNS_WORK
netns_make peer
netns_tap "$peer" tap0 10.77.0.1/24
head -c 3000001 /dev/urandom >"$work/file"
head -c 2000003 /dev/urandom >"$work/other"

# starts COMMAND... in the namespace and waits until it serves.
serve() {
    netns_start_in server "$work/server.log" "$peer" "$@"
    netns_await "$work/server.log" serving || exit 1
}

same() {
    cmp -s "$1" "$2" && echo 1 || echo 0
}

echo "curl"
serve "$INTEROP_EXAMPLES/http_serve" tap0 10.77.0.2 80 "$work/file" "$work/store"
netns_in "$peer" curl -sS -m 10 -o "$work/got" http://10.77.0.2/
check "curl_gets_the_file" "$? == 0 && $(same "$work/file" "$work/got")"
netns_in "$peer" curl -sS -m 10 -T "$work/other" -o /dev/null -w '%{http_code}' \
    http://10.77.0.2/ >"$work/code"
check "curl_puts_a_file" "$(cat "$work/code") == 201 && $(same "$work/other" "$work/store")"
pids=()
for i in 1 2 3 4; do
    netns_in "$peer" curl -sS -m 20 -o "$work/got$i" http://10.77.0.2/ &
    pids+=($!)
done
wait "${pids[@]}"
check "four_at_once_get_it" "$(for i in 1 2 3 4; do same "$work/file" "$work/got$i"; done | awk "{ n += \$1 } END { print n }") == 4"
netns_in "$peer" curl -sS -m 10 -X DELETE -o /dev/null -w '%{http_code}' http://10.77.0.2/ \
    >"$work/code"
check "what_is_not_served_is_said" "$(cat "$work/code") == 405"
for _ in $(seq 30); do
    netns_in "$peer" timeout 0.05 curl -s -o /dev/null http://10.77.0.2/
done
netns_in "$peer" curl -sS -m 10 -o "$work/got" http://10.77.0.2/
check "clients_that_are_killed_leave_it_serving" "$(same "$work/file" "$work/got")"

echo "nping"
# probe NAME EXPECTED OPTIONS...: what nping says it received contains EXPECTED; "" for nothing.
probe() {
    local name=$1 expected=$2 received
    netns_in "$peer" timeout 10 nping --send-eth -c 1 --delay 10ms -H "${@:3}" 10.77.0.2 \
        >"$work/nping" 2>&1
    netns_in "$peer" timeout 10 nping --send-eth -c 1 --delay 10ms "${@:3}" 10.77.0.2 \
        >"$work/nping" 2>&1
    received=$(grep -c '^RCVD' "$work/nping")
    if [ -z "$expected" ]; then
        check "$name" "$received == 0"
    else
        check "$name" "$(grep '^RCVD' "$work/nping" | grep -c "$expected") >= 1"
    fi
    [ -n "$expected" ] && grep '^RCVD' "$work/nping" | sed 's/^/     /' | head -1
}
probe a_syn_to_an_open_port_is_answered 'TCP.*10.77.0.2:80 .* SA ' --tcp -p 80 --flags syn
probe a_syn_to_a_closed_port_is_reset 'TCP.*10.77.0.2:81 .* RA ' --tcp -p 81 --flags syn
probe an_ack_out_of_the_blue_is_reset 'TCP.*10.77.0.2:80 .* R ' --tcp -p 80 --flags ack
probe a_fin_out_of_the_blue_to_a_listener_is_dropped '' --tcp -p 80 --flags fin
probe a_reset_out_of_the_blue_is_dropped '' --tcp -p 80 --flags rst
probe a_datagram_to_nobody_is_unreachable 'Port.* unreachable' --udp -p 9
probe an_echo_is_answered 'Echo reply' --icmp --data-length 0
probe a_large_echo_is_answered 'Echo reply' --icmp --data-length 1400
probe a_packet_with_options_is_answered 'Echo reply' --icmp --ip-options R
probe a_bad_checksum_is_dropped '' --tcp -p 80 --flags syn --badsum
probe a_source_route_is_dropped '' --icmp --ip-options 'S 10.77.0.9'
netns_in "$peer" curl -sS -m 10 -o "$work/got" http://10.77.0.2/
check "and_it_still_serves" "$(same "$work/file" "$work/got")"
netns_stop "$server"

echo "nc"
serve "$INTEROP_BIN/interop_serve" --tap tap0 --address 10.77.0.3 --store "$work/store" \
    --file "$work/other" --report "$work/report"
# nc closes its sending side at the end of its input (-N) and reads on: both directions at once.
netns_in "$peer" timeout 20 nc -N 10.77.0.3 5001 <"$work/file" >"$work/got"
check "nc_ends" "$? == 0"
wait "$server"
check "so_do_we" "$? == 0"
check "nc_got_the_file" "$(same "$work/other" "$work/got")"
check "we_got_the_other" "$(same "$work/file" "$work/store")"

echo "iperf"
serve "$INTEROP_BIN/interop_serve" --tap tap0 --address 10.77.0.4 --iperf --report "$work/report"
netns_in "$peer" timeout 20 iperf -c 10.77.0.4 -n 20M -y C >"$work/iperf"
check "iperf_sends_over_tcp" "$? == 0"
wait "$server"
check "and_all_of_it_is_counted" "$(value got_bytes "$work/report") >= 20 * 1024 * 1024"
serve "$INTEROP_BIN/interop_serve" --tap tap0 --address 10.77.0.5 --iperf --report "$work/report"
netns_in "$peer" timeout 20 iperf -c 10.77.0.5 -u -b 20M -t 1 >"$work/iperf"
check "iperf_sends_datagrams" "$? == 0"
check "and_gets_our_report" "$(grep -c 'Server Report' "$work/iperf") == 1"
wait "$server"
netns_done
