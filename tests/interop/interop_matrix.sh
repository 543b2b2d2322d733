#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Our stack sends to the kernel over each combination of loss, reordering, delay, rate and size:
# every transfer ends by itself, byte-exact, within its bound. Prints a line for each.
NETNS_SECONDS=1700
. "$(dirname "$0")/netns.sh"
netns_enter "$@"
. "$(dirname "$0")/transfer.sh"

transfer_seconds=120
transfer_begin 1
failed=0 count=0

# cell LOSS REORDER DELAY RATE SIZE
cell() {
    local loss=$1 reorder=$2 delay=$3 rate=$4 size=$5 path
    path="loss=$loss,reorder=$reorder,hold=3ms,twice=0.005,damage=0.005,delay=$delay,queue=100"
    [ "$rate" = unlimited ] || path+=",rate=$rate"
    head -c "$size" /dev/urandom >"$file"
    digest=$(sha256sum "$file" | cut -d ' ' -f 1)
    transfer_path "unix:$NETNS_WORK/socket" cell --both "$path" --seed "$count"
    transfer_host cell
    sent=$?
    transfer_result cell
    count=$((count + 1))
    [ "$sent" -eq 0 ] && [ "$intact" -eq 1 ] || failed=$((failed + 1))
    printf '%-5s %-5s %-6s %-9s %8d  %9s us  %8s again  %3s time-outs  gap %8s us  %s\n' \
        "$loss" "$reorder" "$delay" "$rate" "$size" \
        "$(value transfer_us "$NETNS_WORK/cell")" \
        "$(value tcp_bytes_retransmitted "$NETNS_WORK/cell")" \
        "$(value tcp_timeouts "$NETNS_WORK/cell")" \
        "$(value gap_us_max "$NETNS_WORK/cell")" \
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
