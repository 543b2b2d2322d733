#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The deepest stack of stack and driver on a Cortex-M33, held to budget.txt; no recursion.
# COST_OUT is the folder to build in.
set -euo pipefail
# shellcheck source=arm.sh
. "$(dirname "$0")/arm.sh"

flags="-mcpu=cortex-m33 -mthumb -O2 -std=c11 -fcallgraph-info=su"
rm -rf "$out"
compile "$out" "$flags -I$root/include -I$root/src" "$root"/src/*/*.c "$root"/src/chip/*/*.c
exec node "$size/stack.mjs" "$size/budget.txt" "$root"/src/*/*.[ch] "$root"/src/chip/*/*.[ch] "$out"
