#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same transfer on a machine that has been up for some time: the stack keeps times of segments
# in 32 bits of microseconds, which wrap every 71.6 minutes and change their sign half-way. 2 MiB at
# 2 % loss at each point; what is sent again stays near what was lost.
. "$(dirname "$0")/netns.sh"
unshare --help 2>/dev/null | grep -q -- --monotonic ||
    netns_skip "this unshare knows no time namespaces (util-linux 2.36)"
netns_enter "$@"
unshare --time --monotonic 1 true 2>/dev/null || netns_skip "this kernel has no time namespaces"
. "$(dirname "$0")/transfer.sh"

transfer_begin 2097152

# at NAME SECONDS: our stack with a clock that shows SECONDS at its start.
at() {
    local name=$1
    printf '#!/bin/sh\nread up _ </proc/uptime\nexec unshare --time --monotonic %s -- %s "$@"\n' \
        "\$(($2 - \${up%.*}))" "$INTEROP_BIN/interop_host" >"$NETNS_WORK/host"
    chmod +x "$NETNS_WORK/host"
    host=$NETNS_WORK/host
    transfer_ours "$name" --both rate=33M,delay=2ms,queue=64 --ab loss=0.02
    check "${name}_ends_without_error" "$sent == 0"
    check "${name}_every_byte_arrives" "$intact == 1"
    lost=$(value ab_lost "$NETNS_WORK/$name.bridge")
    check "${name}_little_is_sent_again_in_vain" \
        "$(value tcp_bytes_retransmitted "$NETNS_WORK/$name") <= 2 * 1460 * ($lost + 5)"
}

# 2^31 us are 2147.48 s, 2^32 us are 4294.97 s; the clock may be a second ahead of the start.
at first_hour 60
at sign_change 2147
at second_half 3000
at wrap 4294
at after_the_wrap 4400
at second_wrap 8589
netns_done
