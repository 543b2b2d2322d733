#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The bars of our sender on a path of 33 Mbit/s and 4 ms: at least 31, 22 and 16 Mbit/s at 0, 1 and
# 2 % random loss of data, and no worse than the kernel's Reno over the same path in the same run;
# with the rate controller at least 28 and 22 at 1 and 2 %.
# 16 MiB a transfer, turn by turn, medians over the seeds: interop_bars.sh SEEDS.
NETNS_SECONDS=900
. "$(dirname "$0")/netns.sh"
netns_enter "$@"
. "$(dirname "$0")/transfer.sh"

seeds=$1
transfer_begin 16777216

median() {
    sort -n | awk '{ at[NR] = $1 } END {
        print NR % 2 ? at[(NR + 1) / 2] : (at[NR / 2] + at[NR / 2 + 1]) / 2 }'
}

# bar PERCENT MBIT
bar() {
    local percent=$1 seed ours=() theirs=() gap=0 whole=1 this
    for seed in $(seq "$seeds"); do
        path=(--both rate=33M,delay=2ms,queue=64 --ab "loss=0.0$percent" --seed "$seed")
        transfer_ours "loss_${percent}_seed_$seed" "${path[@]}"
        ours+=("$goodput")
        whole=$((whole * intact))
        this=$(value gap_us_max "$NETNS_WORK/loss_${percent}_seed_$seed")
        gap=$((this > gap ? this : gap))
        transfer_kernel "loss_${percent}_seed_$seed.kernel" "${path[@]}"
        theirs+=("$goodput")
        whole=$((whole * intact))
    done
    local our their
    our=$(printf '%s\n' "${ours[@]}" | median)
    their=$(printf '%s\n' "${theirs[@]}" | median)
    printf 'median of %d at %d %% loss: ours %s, kernel Reno %s Mbit/s; our longest gap %d us\n' \
        "$seeds" "$percent" "$(megabits "$our")" "$(megabits "$their")" "$gap"
    check "loss_${percent}_every_byte_arrives" "$whole == 1"
    check "loss_${percent}_at_least_$2_Mbit_s" "$our >= $2 * 1e6"
    # Two percent are within what the machine does to a run.
    check "loss_${percent}_no_worse_than_reno" "$our >= 0.98 * $their"
    check "loss_${percent}_no_gap_above_300_ms" "$gap <= 300000"
}

# rate_bar PERCENT MBIT: ours alone, with the rate controller.
rate_bar() {
    local percent=$1 seed ours=() whole=1 our
    options=(--controller rate)
    for seed in $(seq "$seeds"); do
        transfer_ours "rate_${percent}_seed_$seed" --both rate=33M,delay=2ms,queue=64 \
            --ab "loss=0.0$percent" --seed "$seed"
        ours+=("$goodput")
        whole=$((whole * intact))
    done
    options=()
    our=$(printf '%s\n' "${ours[@]}" | median)
    printf 'median of %d at %d %% loss: ours with the rate controller %s Mbit/s\n' \
        "$seeds" "$percent" "$(megabits "$our")"
    check "rate_loss_${percent}_every_byte_arrives" "$whole == 1"
    check "rate_loss_${percent}_at_least_$2_Mbit_s" "$our >= $2 * 1e6"
}

bar 0 31
bar 1 22
bar 2 16
rate_bar 1 28
rate_bar 2 22
netns_done
