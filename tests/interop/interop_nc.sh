#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# netcat (OpenBSD's, Debian's default) and our stack on a TAP device: either of them listens, either
# closes its direction first while the other goes on, several connections one after the other, a
# connection without data, and one that is broken off.
. "$(dirname "$0")/netns.sh"
netns_need nc netcat-openbsd
netns_enter "$@"

work=$NETNS_WORK
netns_make peer
netns_tap "$peer" tap0 10.77.0.1/24
head -c 3000001 /dev/urandom >"$work/long"
head -c 70001 /dev/urandom >"$work/short"

# ours OPTIONS...: our stack in the background.
ours() {
    rm -f "$work/ours"
    netns_start_in talk_pid "$work/talk.log" "$peer" timeout 20 "$INTEROP_BIN/interop_talk" \
        --tap tap0 --address 10.77.0.2/24 --app pipe --out "$work/ours" "$@" \
        --report "$work/talk.report"
    netns_await "$work/talk.log" ready || exit 1
}

# same NAME OURS THEIRS: each side has what the other sent.
same() {
    wait "$talk_pid"
    check "$1_ends_without_error" "$? == 0"
    check "$1_we_have_what_it_sent" "$(cmp -s "$work/$3" "$work/ours" && echo 1 || echo 0)"
    check "$1_it_has_what_we_sent" "$(cmp -s "$work/$2" "$work/theirs" && echo 1 || echo 0)"
}

nc_to_us() {
    netns_in "$peer" timeout 10 nc "$@" 10.77.0.2 5001 >"$work/theirs"
}

echo "we listen"
ours --in "$work/long"
nc_to_us -N <"$work/short"
same it_closes_first long short
ours --in "$work/short"
nc_to_us -N <"$work/long"
same we_close_first short long
: >"$work/nothing"
ours --in "$work/nothing"
nc_to_us -N <"$work/short"
same we_send_nothing nothing short

echo "we connect"
netns_start_in nc_pid "$work/theirs" "$peer" timeout 10 sh -c "nc -N -l 10.77.0.1 6000 <'$work/short'"
sleep 0.2
ours --in "$work/long" --to 10.77.0.1:6000
wait "$nc_pid"
same to_a_listening_one long short

echo "one after the other"
ours --in "$work/short" --connections 5
for _ in 1 2 3 4 5; do
    nc_to_us -N <"$work/nothing"
    cmp -s "$work/short" "$work/theirs" || echo "  a file that differs"
done
wait "$talk_pid"
check "five_connections_end_without_error" "$? == 0 && $(value connections "$work/talk.report") == 5"
check "the_last_has_the_whole_file" "$(cmp -s "$work/short" "$work/theirs" && echo 1 || echo 0)"

echo "without data, and broken off"
ours
netns_in "$peer" timeout 10 nc -z 10.77.0.2 5001
check "a_look_at_the_port_finds_it_open" "$? == 0"
wait "$talk_pid"
check "and_ends_in_order" "$? == 0 && $(value received_bytes "$work/talk.report") == 0"
netns_in "$peer" timeout 10 nc -z -w 1 10.77.0.2 5002
check "a_closed_port_is_closed" "$? == 1"
ours --in "$work/long"
# Killed with our data unread in its kernel: a reset.
netns_in "$peer" timeout -s KILL 0.3 nc 10.77.0.2 5001 < <(sleep 5) | (sleep 1; head -c 1 >/dev/null)
wait "$talk_pid"
check "a_peer_that_is_killed_is_told" \
    "$? == 1 && \"$(value result "$work/talk.report")\" == \"COR_E_RESET\""
netns_done
