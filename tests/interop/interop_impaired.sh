#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Our stack sends 4 MiB to the kernel's TCP over paths that reorder, double and damage frames, in
# both directions, one evil at a time and then all. Byte-exact each time.
. "$(dirname "$0")/netns.sh"
netns_enter "$@"
. "$(dirname "$0")/transfer.sh"

transfer_begin 4194304

# of NAME FLOOR PATH: FLOOR in Mbit/s is generous.
of() {
    local name=$1 floor=$2
    transfer_ours "$name" --both "rate=33M,delay=2ms,queue=64,$3"
    check "${name}_ends_without_error" "$sent == 0"
    check "${name}_every_byte_arrives" "$intact == 1"
    check "${name}_goodput" "$goodput + 0 >= $floor * 1e6"
}

counted() {
    value "$2" "$NETNS_WORK/$1"
}

of reordered 8 reorder=0.02,hold=2ms
check "frames_were_held_back" "$(counted reordered.bridge ab_held) > 20"
of doubled 16 twice=0.02
check "frames_were_doubled" "$(counted doubled.bridge ab_doubled) > 20"
check "nothing_timed_out_for_it" "$(counted doubled tcp_timeouts) == 0"
of damaged 8 damage=0.01
check "the_kernel_was_given_damaged_frames" "$(counted damaged.bridge ab_damaged) > 10"
# The others have their damage in bytes that nothing covers, or go to another address.
dropped=$(($(counted damaged net_drop_tcp) + $(counted damaged net_drop_ip_checksum) +
    $(counted damaged net_drop_ip_header)))
check "we_dropped_ours_for_their_sums" "$dropped == $(counted damaged.bridge ba_damaged)"
evils=loss=0.01,reorder=0.02,hold=2ms,twice=0.02,damage=0.01
of all_of_it 2 "$evils"
options=(--controller rate)
of all_of_it_by_rate 2 "$evils"
options=(--timestamps)
of all_of_it_with_timestamps 2 "$evils"
# The short path takes only acknowledgements without options: the kernel's have them.
check "the_option_was_agreed_on" "$(counted all_of_it_with_timestamps tcp_acks_fast) == 0"
check "and_was_in_every_segment" "$(counted all_of_it_with_timestamps tcp_drop_no_times) == 0"
netns_done
