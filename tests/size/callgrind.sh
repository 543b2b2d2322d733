#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Instructions of each step of a transfer on this machine, by callgrind: our stack and lwIP by the
# harness of count.sh. Ours must take fewer than lwIP in every step both have but poll, and at most
# half for a segment sent and received. COST_OUT is the folder to build in.
set -euo pipefail
# shellcheck source=arm.sh
. "$(dirname "$0")/arm.sh"

rm -rf "$out"
mkdir -p "$out"
sources() { # the checksum's inner loops are plain C here
    our_sources | grep -v '\.S$'
    echo "$root/src/wire/sum_words.c"
}
flags=(-O2 -g -std=gnu11 -I"$size")
# shellcheck disable=SC2046
gcc "${flags[@]}" -I"$root/include" -I"$root/src" $(sources) "$size"/{host,cost,peer,cost_coradio}.c \
    -o "$out/coradio"
# shellcheck disable=SC2046
gcc "${flags[@]}" -w -I"$size/lwip" -I"$lwip/include" $(lwip_sources) \
    "$size"/{host,cost,peer,cost_lwip}.c -o "$out/lwip"

# How often each step is run, by the programs' rounds of 1000.
runs() { # runs STACK STEP
    case $1:$2 in
    *:send | coradio:sent) echo 3000 ;;
    coradio:commit) echo 2000 ;;
    *) echo 1000 ;;
    esac
}

for stack in coradio lwip; do
    valgrind --tool=callgrind --callgrind-out-file="$out/$stack.callgrind" "$out/$stack" \
        >"$out/$stack.log" 2>&1 || { cat "$out/$stack.log"; exit 1; }
    callgrind_annotate --inclusive=yes --threshold=100 "$out/$stack.callgrind" >"$out/$stack.functions"
    for step in nothing commit write send sent ack1 ack2 poll receive; do
        awk -v step="$step" -v runs="$(runs "$stack" "$step")" '
            $0 ~ "cost_step_" step "( |$)" { gsub(/,/, "", $1); printf "%s %.0f\n", step, $1 / runs; exit }' \
            "$out/$stack.functions"
    done | awk '$1 == "nothing" { nothing = $2; next } { print $1, ($2 > nothing ? $2 - nothing : 0) }' \
        >"$out/$stack.steps"
done

printf '%-10s %9s %9s\n' step coradio lwip
while read -r name count; do
    beside=$(awk -v name="$name" '$1 == name { print $2 }' "$out/lwip.steps")
    printf '%-10s %9s %9s\n' "$name" "$count" "${beside:--}"
    case $name in
    send | receive) verdict "$((beside > 0 && count * 2 <= beside))" "$name takes at most half of lwIP's" ;;
    ack1 | ack2) verdict "$((beside > 0 && count < beside))" "$name takes less than lwIP's" ;;
    esac
done <"$out/coradio.steps"
finish
