#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Code and RAM for Cortex-M33 and Cortex-M0+ at -Os, ours beside lwIP's, held to budget.txt.
#
# "tcp": what a program links that opens a TCP connection and sends, with --gc-sections, without the
# program itself and the C library. "all": every function of the modules, used or not. RAM is data
# and bss; for ours also the blocks an application gives, without its rings.
set -euo pipefail
# shellcheck source=arm.sh
. "$(dirname "$0")/arm.sh"

rm -rf "$out"

# Bytes that a map counts for the objects of a folder -> "TEXT RAM".
linked() { # linked MAP FOLDER
    node "$size/linked.mjs" "$1" "$2"
}

# Of objects as they are: text + rodata + data, data + bss.
whole() {
    arm-none-eabi-size -A "$@" | awk '
        $1 ~ /^\.(text|rodata|data)/ { text += $2 }
        $1 ~ /^\.(data|bss)/ { ram += $2 }
        END { print text + 0, ram + 0 }'
}

# Bytes of the blocks an application gives to our stack, by the symbols of the program.
given() { # given ELF SYMBOL...
    local symbol ram=0
    for symbol in "${@:2}"; do
        ram=$((ram + 0x$(arm-none-eabi-nm -S "$1" | awk -v name="$symbol" '$4 == name { print $2 }')))
    done
    echo "$ram"
}

report() { # report CPU PART TEXT RAM
    local budget
    printf '%-6s %-22s %9s %9s\n' "$@"
    [[ $2 == lwip* ]] && return
    read -r -a budget < <(awk -v cpu="$1" -v part="$2" \
        '$1 == "size" && $2 == cpu && $3 == part { print $4, $5 }' "$size/budget.txt") || true
    if [ "${#budget[@]}" = 2 ]; then
        verdict "$(($3 <= budget[0] && $4 <= budget[1]))" \
            "$1 $2: $3 of ${budget[0]} bytes of code, $4 of ${budget[1]} of RAM"
    else
        verdict 0 "$1 $2 has no budget"
    fi
}

printf '%-6s %-22s %9s %9s\n' cpu part text ram
for cpu in m33 m0plus; do
    core=cortex-$cpu
    flags="-mcpu=$core -mthumb -Os -std=c11 -ffunction-sections -fdata-sections"
    mapfile -t ours < <(our_sources)
    mapfile -t theirs < <(lwip_sources)
    folder=$out/$cpu
    compile "$folder/coradio" "$flags -I$root/include -I$root/src" "${ours[@]}"
    compile "$folder/driver" "$flags -I$root/include -I$root/src" "$root"/src/chip/cyw43/*.c "$root"/src/bus/*.c
    compile "$folder/lwip" "$flags -I$size/lwip -I$lwip/include -w" "${theirs[@]}"
    compile "$folder/rig" "$flags -I$root/include -I$root/src" "$size"/{start,cost,peer}.c
    compile "$folder/rig_coradio" "$flags -I$root/include -I$root/src" "$size/cost_coradio.c"
    compile "$folder/rig_lwip" "$flags -I$size/lwip -I$lwip/include -w" "$size/cost_lwip.c"
    for stack in coradio lwip; do
        link "$folder/$stack.elf" "$folder/$stack.map" "$flags" "$folder/$stack"/*.o \
            "$folder"/rig/*.o "$folder/rig_$stack"/*.o
    done
    read -r text ram < <(linked "$folder/coradio.map" "$folder/coradio")
    report "$cpu" tcp "$text" "$((ram + $(given "$folder/coradio.elf" net tcp segments)))"
    read -r text ram < <(linked "$folder/lwip.map" "$folder/lwip")
    report "$cpu" lwip_tcp "$text" "$ram"
    read -r text ram < <(whole "$folder"/coradio/*.o)
    report "$cpu" all "$text" "$ram"
    read -r text ram < <(whole "$folder"/lwip/*.o)
    report "$cpu" lwip_all "$text" "$ram"
    read -r text ram < <(whole "$folder"/driver/*.o)
    report "$cpu" driver "$text" "$ram"
done
finish
