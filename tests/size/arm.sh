# SPDX-License-Identifier: MIT
# Shared by the scripts of this folder, which source it: cross-compiling for Cortex-M.
# shellcheck shell=bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
size=$root/tests/size
lwip=$root/deps/lwip/src
out=$(realpath -m "${COST_OUT:?folder for what is built}")

passed=0
failed=0
verdict() { # verdict GOOD TEXT
    if [ "$1" = 1 ]; then
        passed=$((passed + 1))
        echo "ok   $2"
    else
        failed=$((failed + 1))
        echo "FAIL $2"
    fi
}
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}

our_sources() {
    ls "$root"/src/base/*.c "$root"/src/wire/*.c "$root"/src/net/*.c | grep -v '/sum_words\.c$'
    echo "$root/ports/cortex_m/sum_words.S"
}
# What an application of the kind of the Pico examples links: TCP, UDP, DHCP, DNS, ARP, ICMP, IGMP.
lwip_sources() {
    (cd "$lwip" && ls core/{init,def,dns,inet_chksum,ip,mem,memp,netif,pbuf,raw,stats,sys,tcp,tcp_in,tcp_out,timeouts,udp}.c \
        core/ipv4/{dhcp,etharp,icmp,igmp,ip4,ip4_addr,ip4_frag}.c netif/ethernet.c) | sed "s|^|$lwip/|"
}

# compile FOLDER "FLAGS" SOURCE...: one object a source, as many at once as there are processors.
compile() {
    local folder=$1 flags=$2
    mkdir -p "$folder"
    printf '%s\n' "${@:3}" | xargs -P "$(nproc)" -I{} sh -c '
        name=$(basename "$(dirname "{}")")_$(basename "{}")
        exec arm-none-eabi-gcc '"$flags"' -c "{}" -o "'"$folder"'/${name%.*}.o"'
}

# link ELF MAP FLAGS OBJECT...
link() {
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $3 --specs=nano.specs -nostartfiles -T "$size/m33.ld" -Wl,--gc-sections \
        -Wl,-Map="$2" "${@:4}" -o "$1" >"$1.log" 2>&1 || { cat "$1.log"; exit 1; }
}
