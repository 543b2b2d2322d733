#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Our DHCP client and resolver against dnsmasq, and our mDNS responder against a resolver of the
# distribution: getting an address and names, coming back to it after the link was down, a refusal,
# an address that somebody has, and giving it back.
. "$(dirname "$0")/netns.sh"
netns_enter "$@"
netns_need dnsmasq dnsmasq-base
netns_need kdig knot-dnsutils
netns_need ping iputils-ping

work=$NETNS_WORK
# The server and a third host, on a bridge with our TAP device.
netns_make peer
netns_make other
netns_tap "$peer" tap0 0.0.0.0
netns_in "$peer" ip link add br0 type bridge 2>/dev/null || netns_skip "the kernel has no bridge"
netns_in "$peer" ip link add side0 type veth peer name side1 netns "$other" ||
    netns_skip "cannot make a veth pair"
netns_in "$peer" sh -c 'ip link set tap0 master br0; ip link set side0 master br0 up
    ip address add 10.77.0.1/24 dev br0; ip link set br0 up'
netns_in "$other" ip link set side1 up

# server FIRST LAST: dnsmasq with these addresses to give, and nothing remembered.
server() {
    cat >"$work/dnsmasq.conf" <<CONF
interface=br0
bind-interfaces
no-resolv
no-hosts
no-ping
user=root
log-dhcp
dhcp-authoritative
dhcp-leasefile=$work/leases
dhcp-range=$1,$2,255.255.255.0,2h
dhcp-option=option:router,10.77.0.1
dhcp-option=option:dns-server,10.77.0.1
domain=lab.example
host-record=board.example,10.77.0.42
host-record=two.example,10.77.0.43
host-record=two.example,10.77.0.44
cname=alias.example,middle.example
cname=middle.example,board.example
local=/example/
CONF
    rm -f "$work/leases"
    netns_start_in dnsmasq_pid "$work/dnsmasq.log" "$peer" dnsmasq --keep-in-foreground \
        --log-facility=- --conf-file="$work/dnsmasq.conf"
    netns_await "$work/dnsmasq.log" 'DHCP, ' || exit 1
}

services() {
    netns_start_in services_pid "$work/services.log" "$peer" "$INTEROP_BIN/interop_services" \
        --tap tap0 "$@"
}

# heard TEXT: how often dnsmasq has logged it.
heard() {
    grep -c -- "$1" "$work/dnsmasq.log"
}

# said TEXT: how often our program has said it.
said() {
    grep -c -- "$1" "$work/services.log"
}

# until_said TEXT: waits for it, 15 s at most: probing for an address takes up to 7.
until_said() {
    netns_await "$work/services.log" "$1" >/dev/null ||
        netns_await "$work/services.log" "$1" >/dev/null || netns_await "$work/services.log" "$1"
}

echo "an address and names"
server 10.77.0.100 10.77.0.100
services --names board.example,alias.example,two.example,gone.example
until_said '^bound' || exit 1
netns_await "$work/services.log" 'gone.example' || exit 1
check "the_lease_is_what_the_server_gave" \
    "$(said '^bound 10.77.0.100 gateway 10.77.0.1 lease 7200 domain lab.example$') == 1"
check "the_server_knows_our_name_and_identifier" \
    "$(grep -c '02:00:00:00:00:42 10.77.0.100 pico ff:00:00:00:00:00:03:00:01:02:00:00:00:00:42' \
        "$work/leases") == 1"
# The first question may go before the bridge is ready, and is then repeated with the link.
discovers=$(heard 'DHCPDISCOVER(br0)')
check "one_request_is_enough" "$discovers <= 2 && $(heard 'DHCPREQUEST(br0)') == 1"
check "a_name_is_resolved" "$(said '^name board.example COR_OK 10.77.0.42$') == 1"
check "aliases_are_followed" "$(said '^name alias.example COR_OK 10.77.0.42$') == 1"
check "a_list_comes_whole" \
    "$(grep '^name two.example COR_OK' "$work/services.log" | grep -c '10.77.0.43' ) == 1 && \
     $(grep '^name two.example COR_OK' "$work/services.log" | grep -c '10.77.0.44' ) == 1"
check "a_name_that_is_not_there_is_said_so" "$(said '^name gone.example COR_E_NO_NAME$') == 1"
netns_in "$peer" ping -q -c 3 -i 0.2 10.77.0.100 >"$work/ping.log"
check "the_kernel_reaches_the_address" "$(grep -c ' 0% packet loss' "$work/ping.log") == 1"

echo "multicast DNS"
until_said '^mdns answering: pico, Bench$'
ask() {
    netns_in "$peer" kdig +retry=0 +timeout=2 +short -p 5353 @10.77.0.100 "$@"
}
check "the_hosts_name_is_answered" "\"$(ask pico.local A)\" == \"10.77.0.100\""
check "the_service_is_found" \
    "\"$(ask _coradio._tcp.local PTR)\" == \"Bench._coradio._tcp.local.\""
check "its_port_is_told" "\"$(ask Bench._coradio._tcp.local SRV)\" == \"0 0 5001 pico.local.\""
check "a_type_that_is_not_there_is_said_so" \
    "$(netns_in "$peer" kdig +retry=0 +timeout=1 -p 5353 @10.77.0.100 pico.local AAAA |
        grep -c 'NSEC') >= 1"

echo "the link goes and comes"
netns_in "$peer" ip link set dev tap0 down
sleep 0.3
netns_in "$peer" ip link set dev tap0 up
sleep 1
check "the_address_is_confirmed_and_not_asked_for_anew" \
    "$(heard 'DHCPDISCOVER(br0)') == $discovers && $(heard 'DHCPACK(br0) 10.77.0.100') == 2"
check "it_was_never_given_up" "$(said '^lost') == 0 && $(said '^bound 10.77.0.100') == 2"

echo "a release"
kill -TERM "$services_pid"
wait "$services_pid"
check "the_server_hears_that_the_address_is_free" \
    "$(heard 'DHCPRELEASE(br0) 10.77.0.100') == 1 && $(wc -l <"$work/leases") == 0"
check "the_program_ends_in_order" "$(said '^ended COR_OK$') == 1"

echo "an address that somebody has, and a refusal"
netns_stop "$dnsmasq_pid"
server 10.77.0.120 10.77.0.120
netns_in "$other" ip address add 10.77.0.120/24 dev side1
services --quick
for _ in $(seq 100); do
    [ "$(heard 'DHCPDECLINE(br0)')" -ge 1 ] && break
    sleep 0.05
done
check "it_is_declined" "$(heard 'DHCPDECLINE(br0)') == 1 && $(said '^bound') == 0"
netns_in "$other" ip address flush dev side1
# dnsmasq does not give a declined address for ten minutes, if it is not started again.
netns_stop "$dnsmasq_pid"
server 10.77.0.130 10.77.0.130
until_said '^bound'
check "ten_seconds_later_there_is_another" "$(said '^bound 10.77.0.130') == 1"
netns_stop "$dnsmasq_pid"
server 10.77.0.140 10.77.0.140
netns_in "$peer" ip link set dev tap0 down
sleep 0.2
netns_in "$peer" ip link set dev tap0 up
until_said '^bound 10.77.0.140'
check "a_refusal_takes_the_old_address_and_a_new_one_comes" \
    "$(heard 'DHCPNAK(br0)') == 1 && $(said '^lost') == 1 && $(said '^bound 10.77.0.140') == 1"

netns_done
