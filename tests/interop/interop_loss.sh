#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# 8 MiB from our stack to the kernel's TCP over 33 Mbit/s and 4 ms with random loss, byte-exact, and
# the same from the kernel's Reno: interop_loss.sh PERCENT FLOOR. Fails below FLOOR Mbit/s, which
# is generous: random loss of some hundred segments scatters, and the machine is shared. The bars
# themselves are held by interop_matrix.sh, over many seeds.
. "$(dirname "$0")/netns.sh"
netns_enter "$@"
. "$(dirname "$0")/transfer.sh"

percent=$1 floor=$2
path=(--both rate=33M,delay=2ms,queue=64 --ab "loss=0.0$percent")
transfer_begin 8388608
transfer_ours "loss_${percent}_percent" "${path[@]}"
check "we_end_without_error" "$sent == 0"
check "every_byte_arrives" "$intact == 1"
check "at_more_than_the_floor" "$goodput + 0 >= $floor * 1e6"
check "without_a_gap_above_1_s" "$(value gap_us_max "$NETNS_WORK/loss_${percent}_percent") <= 1000000"
ours=$goodput
transfer_kernel "loss_${percent}_percent_kernel" "${path[@]}"
check "the_kernel_gets_through_too" "$intact == 1"
check "it_is_not_far_ahead_of_us" "$ours >= 0.6 * $goodput"
netns_done
