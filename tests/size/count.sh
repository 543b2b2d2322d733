#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Instructions of each step of a transfer on an emulated Cortex-M33, our stack and lwIP by the same
# harness in one run. Ours are held to budget.txt. COST_OUT is the folder to build in.
set -euo pipefail
# shellcheck source=arm.sh
. "$(dirname "$0")/arm.sh"

flags="-mcpu=cortex-m33 -mthumb ${COST_FLAGS:--O2} -std=c11 -ffunction-sections -fdata-sections"
rm -rf "$out"
harness=("$size"/{start,cost,peer}.c)
# shellcheck disable=SC2046
compile "$out/coradio" "$flags -I$root/include -I$root/src" $(our_sources) "${harness[@]}" \
    "$size/cost_coradio.c"
# shellcheck disable=SC2046
compile "$out/lwip" "$flags -I$size/lwip -I$lwip/include -w" $(lwip_sources) "${harness[@]}" \
    "$size/cost_lwip.c"
for stack in coradio lwip; do
    link "$out/$stack.elf" "$out/$stack.map" "$flags" "$out/$stack"/*.o
    if ! timeout 120 qemu-system-arm -M mps2-an505 -icount shift=0 -display none -serial none \
        -monitor none -semihosting-config enable=on,target=native -kernel "$out/$stack.elf" \
        >"$out/$stack.steps" 2>&1; then
        cat "$out/$stack.steps"
        echo "the program with $stack ended with an error"
        exit 1
    fi
done

# Of our own steady state: a segment's bytes are committed, it is sent, its frame is given back, and
# it has half of an acknowledgement of two. lwIP sums and copies while it sends.
steps() {
    awk '{ steps[$1] = $2; print }
        END { printf "steady %d\n", steps["commit"] + steps["send"] + steps["sent"] + steps["ack2"] / 2 + 0.5 }' \
        "$out/$1.steps"
}
steps coradio >"$out/coradio.all"
steps lwip >"$out/lwip.all"
printf '%-10s %9s %9s %9s\n' step coradio lwip budget
while read -r name count; do
    budget=$(awk -v name="$name" '$1 == "instructions" && $2 == name { print $3 }' "$size/budget.txt")
    beside=$(awk -v name="$name" '$1 == name { print $2 }' "$out/lwip.all")
    printf '%-10s %9s %9s %9s\n' "$name" "$count" "${beside:--}" "${budget:--}"
    if [ -n "$budget" ]; then
        verdict "$((count <= budget))" "$name takes $count of $budget instructions"
    else
        verdict 0 "$name has no budget"
    fi
done <"$out/coradio.all"
finish
