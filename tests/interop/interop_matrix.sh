#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Over each combination of loss, reordering, delay, rate and size a transfer ends by itself,
# byte-exact, within its bound: interop_matrix.sh from|to, from our stack to the kernel or back.
# Prints a line for each.
NETNS_SECONDS=1700
. "$(dirname "$0")/netns.sh"
netns_need nc netcat-openbsd
netns_enter "$@"
. "$(dirname "$0")/transfer.sh"

transfer_seconds=120
transfer_begin 1
head -c 10001 /dev/urandom >"$NETNS_WORK/answer"
back=$NETNS_WORK/answer
failed=0 count=0 direction=$1

declare -A us=([from]=transfer_us [to]=receive_us)
declare -A gap=([from]=gap_us_max [to]=receive_gap_us_max)

# cell LOSS REORDER DELAY RATE SIZE
cell() {
    local loss=$1 reorder=$2 delay=$3 rate=$4 size=$5 path
    path="loss=$loss,reorder=$reorder,hold=3ms,twice=0.005,damage=0.005,delay=$delay,queue=100"
    [ "$rate" = unlimited ] || path+=",rate=$rate"
    head -c "$size" /dev/urandom >"$file"
    digest=$(sha256sum "$file" | cut -d ' ' -f 1)
    if [ "$direction" = to ]; then
        transfer_to_ours cell --both "$path" --seed "$count" >/dev/null
    else
        transfer_path "unix:$NETNS_WORK/socket" cell --both "$path" --seed "$count"
        transfer_host cell
        sent=$?
        transfer_result cell
    fi
    count=$((count + 1))
    [ "$sent" -eq 0 ] && [ "$intact" -eq 1 ] || failed=$((failed + 1))
    printf '%-5s %-5s %-6s %-9s %8d  %9s us  %8s again  %3s time-outs  gap %8s us  %s\n' \
        "$loss" "$reorder" "$delay" "$rate" "$size" \
        "$(value "${us[$direction]}" "$NETNS_WORK/cell")" \
        "$(value tcp_bytes_retransmitted "$NETNS_WORK/cell")" \
        "$(value tcp_timeouts "$NETNS_WORK/cell")" \
        "$(value "${gap[$direction]}" "$NETNS_WORK/cell")" \
        "$([ "$sent" -eq 0 ] && [ "$intact" -eq 1 ] && echo intact || echo "FAILED, $sent $intact")"
}

for loss in 0 0.01 0.03 0.1; do
    for reorder in 0 0.05; do
        for delay in 0ms 10ms 200ms; do
            for rate in 1M 33M unlimited; do
                for size in 1 1461 65536 524288; do
                    # Loss and a long way make a long transfer: what is left out is not different.
                    [ "$size$delay" = 524288200ms ] && [ "$loss" != 0 ] && continue
                    cell "$loss" "$reorder" "$delay" "$rate" "$size"
                done
            done
        done
    done
done
check "every_transfer_ends_intact" "$failed == 0"
check "there_were_many" "$count > 200"
netns_done
