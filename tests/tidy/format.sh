#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tree is as clang-format leaves it: format.sh ROOT. `make format` mends it.
set -uo pipefail
cd "$1" || exit 3
formatter=$(command -v clang-format-14 || command -v clang-format) || {
    echo "FAIL clang-format is missing; ./test installs it"
    exit 1
}
mapfile -t files < <(git -c safe.directory='*' ls-files '*.c' '*.h')
[ ${#files[@]} -gt 0 ] || exit 1
if ! report=$("$formatter" --dry-run --Werror "${files[@]}" 2>&1); then
    grep -E 'error:' <<<"$report" | cut -d: -f1,2 | sort -u
    echo "FAIL not as clang-format leaves it; run: make format"
    echo "0 passed, 1 failed"
    exit 1
fi
echo "1 passed, 0 failed"
