# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Transfers over a path with impairments, ours and the kernel's over the same one; to be sourced
# after netns.sh.
#
#     transfer_begin BYTES
#     transfer_ours NAME BRIDGE_OPTIONS...       our stack sends to the kernel's (`coradio sink`)
#     transfer_kernel NAME BRIDGE_OPTIONS...     the kernel's in its place
#     transfer_to_ours NAME BRIDGE_OPTIONS...    the kernel's sends to our stack
#     transfer_to_kernel NAME BRIDGE_OPTIONS...  the kernel's in its place
#
# In the bridge's options a is the end of our stack, so that --ba is the way to it. Each sets `sent`,
# the sender's exit code, `goodput` in bit/s by the receiver's count, and `intact`, 1 when the file
# came byte for byte. They leave reports in $NETNS_WORK: NAME (of our
# stack), NAME.bridge, NAME.json (of the sink). Of what may be set before: `transfer_seconds`, the
# bound of one transfer, `ring`, our send ring, `options`, an array of more for our stack that sends,
# `talk_options`, one for our stack that receives, and `back`, a file that it sends at the same time.

options=()
talk_options=()

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
    talk=$INTEROP_BIN/interop_talk
    transfer_seconds=${transfer_seconds:-20}
}

# transfer_path END_A NAME OPTIONS...: bridge and sink; their results go into NAME.*.
transfer_path() {
    local name=$2
    transfer_bridge "$@"
    netns_start_in sink_pid "$NETNS_WORK/$name.sink.log" "$peer" "$CORADIO" sink \
        --listen 10.77.0.1:5001 --once --duration "${transfer_seconds}s" --sha256 \
        --json="$NETNS_WORK/$name.json"
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

# transfer_bridge END_A NAME OPTIONS...: the bridge alone.
transfer_bridge() {
    local end=$1 name=$2
    shift 2
    rm -f "$NETNS_WORK/socket"
    netns_start bridge_pid "$NETNS_WORK/$name.bridge.log" "$bridge" --a "$end" \
        --b "tap:peer0@$peer" "$@" --report "$NETNS_WORK/$name.bridge"
    netns_await "$NETNS_WORK/$name.bridge.log" ready || exit 1
}

# transfer_send_to ADDRESS: the peer's kernel sends the file there, and takes what comes back.
transfer_send_to() {
    netns_in "$peer" timeout "$transfer_seconds" nc -N "$1" 5001 <"$file" >"$NETNS_WORK/came_back"
    sent=$?
}

transfer_to_ours() {
    local name=$1
    shift
    transfer_bridge "unix:$NETNS_WORK/socket" "$name" "$@"
    rm -f "$NETNS_WORK/taken"
    netns_start talk_pid "$NETNS_WORK/$name.log" timeout "$transfer_seconds" "$talk" \
        --unix "$NETNS_WORK/socket" --address 10.77.0.2/24 --app pipe --out "$NETNS_WORK/taken" \
        ${back:+--in "$back"} "${talk_options[@]}" --report "$NETNS_WORK/$name"
    netns_await "$NETNS_WORK/$name.log" ready || exit 1
    transfer_send_to 10.77.0.2
    wait "$talk_pid"
    taken=$?
    netns_stop "$bridge_pid"
    goodput=$(value receive_bps "$NETNS_WORK/$name")
    intact=0
    [ "$taken" -eq 0 ] && cmp -s "$file" "$NETNS_WORK/taken" &&
        cmp -s "${back:-/dev/null}" "$NETNS_WORK/came_back" && intact=1
    printf '  %-28s to us  %6s Mbit/s, longest gap %s us\n' "$name" "$(megabits "$goodput")" \
        "$(value receive_gap_us_max "$NETNS_WORK/$name")"
}

transfer_to_kernel() {
    local name=$1
    shift
    transfer_bridge "tap:self0@$self" "$name" "$@"
    netns_start_in sink_pid "$NETNS_WORK/$name.sink.log" "$self" "$CORADIO" sink \
        --listen 10.77.0.3:5001 --once --duration "${transfer_seconds}s" --sha256 \
        --json="$NETNS_WORK/$name.json"
    netns_await "$NETNS_WORK/$name.sink.log" 'listening on' || exit 1
    transfer_send_to 10.77.0.3
    transfer_result "$name"
    printf '  %-28s to the kernel %6s Mbit/s\n' "$name" "$(megabits "$goodput")"
}
