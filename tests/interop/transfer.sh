# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Transfers over a path with impairments, ours and the kernel's over the same one; to be sourced
# after netns.sh. The receiver is always the kernel's TCP with `coradio sink` on it.
#
#     transfer_begin BYTES
#     transfer_ours NAME BRIDGE_OPTIONS...
#     transfer_kernel NAME BRIDGE_OPTIONS...
#
# The last two set `sent`, the sender's exit code, `goodput` in bit/s by the receiver's count, and
# `intact`, 1 when the file came byte for byte. They leave reports in $NETNS_WORK: NAME (of our
# stack), NAME.bridge, NAME.json (of the sink). Of what may be set before: `transfer_seconds`, the
# bound of one transfer, `ring`, our send ring, and `options`, an array of more for our stack.

options=()

transfer_begin() {
    netns_make peer
    netns_make self
    netns_tap "$peer" peer0 10.77.0.1/24
    netns_tap "$self" self0 10.77.0.3/24
    # Reno, as the comparison is with a standard sender.
    netns_in "$self" sh -c 'echo reno >/proc/sys/net/ipv4/tcp_congestion_control'
    file=$NETNS_WORK/file
    head -c "$1" /dev/urandom >"$file"
    digest=$(sha256sum "$file" | cut -d ' ' -f 1)
    host=$INTEROP_BIN/interop_host bridge=$INTEROP_BIN/interop_bridge
    transfer_seconds=${transfer_seconds:-20}
}

# transfer_path END_A NAME OPTIONS...: bridge and sink; their results go into NAME.*.
transfer_path() {
    local end=$1 name=$2
    shift 2
    rm -f "$NETNS_WORK/socket"
    netns_start bridge_pid "$NETNS_WORK/$name.bridge.log" "$bridge" --a "$end" \
        --b "tap:peer0@$peer" "$@" --report "$NETNS_WORK/$name.bridge"
    netns_start_in sink_pid "$NETNS_WORK/$name.sink.log" "$peer" "$CORADIO" sink \
        --listen 10.77.0.1:5001 --once --duration "${transfer_seconds}s" --sha256 \
        --json="$NETNS_WORK/$name.json"
    netns_await "$NETNS_WORK/$name.bridge.log" ready &&
        netns_await "$NETNS_WORK/$name.sink.log" 'listening on' || exit 1
}

# What arrived: goodput in bit/s by the receiver's count, intact 1 when it is the file.
transfer_result() {
    wait "$sink_pid"
    netns_stop "$bridge_pid"
    goodput=$(json_value goodput_bps "$NETNS_WORK/$1.json")
    intact=0
    [ "$(json_value sha256 "$NETNS_WORK/$1.json")" = "$digest" ] && intact=1
}

transfer_ours() {
    local name=$1
    shift
    transfer_path "unix:$NETNS_WORK/socket" "$name" "$@"
    transfer_host "$name"
    sent=$?
    transfer_result "$name"
    transfer_line "$name"
}

# Our stack sends the file; returns its exit code.
transfer_host() {
    timeout "$transfer_seconds" "$host" --unix "$NETNS_WORK/socket" --address 10.77.0.2/24 \
        --app send --to 10.77.0.1:5001 --file "$file" ${ring:+--ring "$ring"} "${options[@]}" \
        --report "$NETNS_WORK/$1"
}

transfer_line() {
    local name=$1
    printf '  %-28s ours   %6s Mbit/s, %s sent again, %s time-outs, longest gap %s us\n' "$name" \
        "$(megabits "$goodput")" "$(value tcp_bytes_retransmitted "$NETNS_WORK/$name")" \
        "$(value tcp_timeouts "$NETNS_WORK/$name")" "$(value gap_us_max "$NETNS_WORK/$name")"
}

transfer_kernel() {
    local name=$1
    shift
    transfer_path "tap:self0@$self" "$name" "$@"
    netns_in "$self" timeout "$transfer_seconds" bash -c "cat '$file' >/dev/tcp/10.77.0.1/5001"
    sent=$?
    transfer_result "$name"
    printf '  %-28s kernel %6s Mbit/s (%s), %s frames dropped by the queue\n' "$name" \
        "$(megabits "$goodput")" \
        "$(netns_in "$self" cat /proc/sys/net/ipv4/tcp_congestion_control)" \
        "$(value ab_drop_queue "$NETNS_WORK/$name.bridge")"
}
