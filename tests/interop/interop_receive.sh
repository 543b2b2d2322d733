#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The kernel's TCP sends 2 MiB to our stack over paths that lose, reorder, double and damage frames,
# one evil at a time and then all: byte-exact each time. What our receiver makes of loss is compared
# with what the kernel's makes of the same, over the same path.
. "$(dirname "$0")/netns.sh"
netns_need nc netcat-openbsd
netns_enter "$@"
. "$(dirname "$0")/transfer.sh"

transfer_begin 2097152
netns_in "$peer" sh -c 'echo reno >/proc/sys/net/ipv4/tcp_congestion_control'
clean=rate=33M,delay=2ms,queue=64

# of NAME FLOOR BRIDGE_OPTIONS...: FLOOR in Mbit/s is generous.
of() {
    local name=$1 floor=$2
    shift 2
    transfer_to_ours "$name" "$@"
    check "${name}_ends_without_error" "$sent == 0 && $taken == 0"
    check "${name}_every_byte_arrives" "$intact == 1"
    check "${name}_goodput" "$goodput + 0 >= $floor * 1e6"
}

counted() {
    value "$2" "$NETNS_WORK/$1"
}

of clean 25 --both "$clean"
check "without_a_loss_nothing_is_out_of_order" \
    "$(counted clean tcp_kept_out_of_order) == 0"
of lossy 8 --both "$clean" --ba loss=0.02
lossy=$goodput
check "the_path_lost_some" "$(counted lossy.bridge ba_lost) > 10"
check "what_came_behind_a_gap_was_kept" "$(counted lossy tcp_kept_out_of_order) > 50"
transfer_to_kernel lossy_kernel --both "$clean" --ba loss=0.02
check "the_kernel_gets_it_too" "$intact == 1"
# Both runs scatter with what is lost when.
check "it_is_not_far_ahead_of_us" "$lossy >= 0.6 * $goodput"
of acknowledgements_lost 16 --both "$clean" --ab loss=0.1
head -c 300001 /dev/urandom >"$NETNS_WORK/answer"
back=$NETNS_WORK/answer # in both directions over one connection
of reordered 8 --both "$clean,reorder=0.02,hold=2ms"
of doubled 16 --both "$clean,twice=0.02"
of damaged 8 --both "$clean,damage=0.01"
dropped=$(($(counted damaged net_drop_tcp) + $(counted damaged net_drop_ip_checksum) +
    $(counted damaged net_drop_ip_header)))
check "we_were_given_damaged_frames_and_dropped_them" \
    "$(counted damaged.bridge ba_damaged) > 5 && $dropped > 0"
of all_of_it 2 --both "$clean,loss=0.01,reorder=0.02,hold=2ms,twice=0.02,damage=0.01"
of far 2 --both rate=33M,delay=50ms,queue=200
back=
talk_options=(--receive-ring 8760)
of a_small_ring 8 --both "$clean"
talk_options=(--pause-after 1000000 --pause 700ms)
of a_reader_that_stops 8 --both "$clean"
check "the_window_was_closed_and_reopened" \
    "$(counted a_reader_that_stops tcp_windows_reopened) >= 1 && \
     $(counted a_reader_that_stops receive_gap_us_max) >= 690000"
netns_done
