#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the core's objects may ask for and hold: objects.sh LIBRARY. Undefined symbols are memory
# functions and the port's; there is no writable data. Built without sanitizers.
set -euo pipefail
library=$1
failed=0

# Calls the house rules allow, and what the compiler itself may call.
allowed='^(memcpy|memmove|memset|memcmp|strlen|cor_[a-z0-9_]+|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail)$'
bad=$(nm -u "$library" | awk '$1 == "U" { print $2 }' | sort -u | grep -Ev "$allowed" || true)
if [ -n "$bad" ]; then
    echo "FAIL the core calls what it may not:" $bad
    failed=1
else
    echo "ok   undefined symbols"
fi

# Sections that hold bytes a program can change. .data.rel.ro is constant after relocation.
bad=$(objdump -h "$library" | awk '
    /^[^ ].*file format/ { object = $1 }
    $2 ~ /^\.(data|bss|tdata|tbss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ { print object $2 }')
if [ -n "$bad" ]; then
    echo "FAIL writable data in the core:" $bad
    failed=1
else
    echo "ok   no writable data"
fi
[ "$failed" -eq 0 ] && echo "2 passed, 0 failed" || echo "1 passed, 1 failed"
exit "$failed"
