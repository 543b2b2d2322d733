#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Raw probes by nping and a scan by nmap: what our stack answers, and what it must leave unanswered.
# RFC 9293 3.10.7.1 and 3.10.7.2 (closed and listening ports), RFC 1122 3.2.2 and 3.3.2 (echo,
# unreachable, fragments).
. "$(dirname "$0")/netns.sh"
netns_need nping nmap
netns_enter "$@"

work=$NETNS_WORK
netns_make peer
netns_tap "$peer" tap0 10.77.0.1/24
netns_start_in talk_pid "$work/talk.log" "$peer" timeout 50 "$INTEROP_BIN/interop_talk" \
    --tap tap0 --address 10.77.0.2/24 --app iperf-server --report "$work/talk.report"
netns_await "$work/talk.log" ready || exit 1
mac=02:00:0a:4d:00:02 # of its address

# probe OPTIONS...: one probe; `answers` is how many answers came to it, `answer` the last.
probe() {
    probe_by --send-eth --dest-mac "$mac" "$@"
}

probe_by() {
    netns_in "$peer" nping --privileged -c 1 -e tap0 "$@" 10.77.0.2 >"$work/nping.log" 2>&1 || sed 's/^/    /' "$work/nping.log"
    answers=$(grep -c '^RCVD' "$work/nping.log")
    answer=$(grep '^RCVD' "$work/nping.log" | tail -n 1)
}

# answered NAME PATTERN: one answer, and it reads like this.
answered() {
    check "$1" "$answers == 1 && $(grep -cE -- "$2" <<<"$answer") == 1"
}

silent() {
    check "$1" "$answers == 0"
}

flags() {
    probe --tcp -p "$1" --flags "$2" --seq 1000 --ack "${3:-0}"
}

echo "TCP"
flags 5001 syn
answered "a_syn_to_an_open_port_is_answered_by_syn_ack" ' SA .*mss'
flags 81 syn
answered "a_syn_to_a_closed_port_by_a_reset_that_acknowledges_it" ' RA .*seq=0 '
flags 5001 ack 4711
answered "an_ack_out_of_the_blue_to_a_listener_by_a_reset" ' R .*seq=4711 '
flags 81 ack 4711
answered "so_to_a_closed_port" ' R .*seq=4711 '
flags 81 fin
answered "a_fin_to_a_closed_port_by_a_reset" ' RA '
flags 5001 fin
silent "a_fin_to_a_listener_by_nothing"
flags 5001 rst
silent "a_reset_is_never_answered"
flags 81 rst
silent "not_by_a_closed_port_either"
probe --tcp -p 5001 --flags syn,fin
check "a_syn_with_fin_opens_nothing_that_hurts" "$answers <= 1"
probe --tcp -p 5001 --flags syn --badsum
silent "a_wrong_tcp_checksum_by_nothing"
probe --tcp -p 5001 --flags syn --badsum-ip
silent "a_wrong_ip_checksum_by_nothing"
probe --tcp -p 5001 --flags syn --ttl 1
answered "the_last_hop_counts" ' SA '

echo "UDP"
probe --udp -p 81 --data-length 20
answered "a_closed_port_is_unreachable" 'ICMP .*[Pp]ort.*unreachable'
probe --udp -p 81 --data-length 20 --badsum
silent "a_wrong_udp_checksum_by_nothing"
probe --udp -p 5001 --data-length 2
silent "an_open_port_keeps_silent"

echo "ICMP"
for size in 0 1 56 1471 1472; do
    probe --icmp --icmp-type echo --data-length "$size"
    answered "echo_of_${size}_bytes" 'Echo reply.* iplen='"$((size + 28))"
done
probe --icmp --icmp-type echo-reply --data-length 56
silent "a_reply_nobody_asked_for_by_nothing"
probe --icmp --icmp-type dest-unr --icmp-code 3 --data-length 56
silent "an_error_by_no_error"
probe --icmp --icmp-type timestamp
check "a_timestamp_request_may_be_left_alone" "$answers <= 1"
probe_by --icmp --icmp-type echo --data-length 1400 --mtu 576
answered "an_echo_in_fragments" 'Echo reply'
probe --icmp --icmp-type echo --ip-options R
answered "a_packet_with_options" 'Echo reply'
probe --icmp --icmp-type echo --ip-options 'S 10.77.0.9'
silent "a_source_route_by_nothing"
netns_in "$peer" nping --privileged -c 1 -e tap0 --arp 10.77.0.2 >"$work/nping.log" 2>&1
check "arp_is_answered" "$(grep -c 'RCVD.*ARP reply 10.77.0.2 is at' "$work/nping.log") == 1"

echo "a scan"
netns_in "$peer" nmap --privileged -n -sS -T4 -p 4990-5010 -oG - 10.77.0.2 >"$work/nmap.log" 2>&1
check "nmap_finds_the_one_open_port" "$(grep -c '[ ,]5001/open/tcp' "$work/nmap.log") == 1"
check "and_twenty_closed" "$(grep -o '/closed/tcp' "$work/nmap.log" | wc -l) == 20"

netns_stop "$talk_pid"
check "what_was_damaged_was_counted" "$(value net_drop_ip_checksum "$work/talk.report") == 1 && \
    $(value net_drop_tcp "$work/talk.report") >= 1"
check "the_fragments_were_put_together" \
    "$(value reassembly_packets "$work/talk.report") == 1"
netns_done
