#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The deepest stack of stack and driver on a Cortex-M33, held to budget.txt; no recursion. What an
# application adds (src/app) is not part of it. COST_OUT is the folder to build in.
set -euo pipefail
# shellcheck source=arm.sh
. "$(dirname "$0")/arm.sh"

flags="-mcpu=cortex-m33 -mthumb -O2 -std=c11 -fcallgraph-info=su"
rm -rf "$out"
mapfile -t files < <(find "$root"/src/{base,wire,bus,net,chip} -name '*.[ch]' | sort)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep '\.c$')
compile "$out" "$flags -I$root/include -I$root/src" "${sources[@]}"
exec node "$size/stack.mjs" "$size/budget.txt" "${files[@]}" "$out"
