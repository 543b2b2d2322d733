#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy (names, sizes, bugs) and cppcheck over core, ports, twin and tools. Slow: not in ./test.
set -uo pipefail
cd "$(dirname "$0")/.."
for tool in clang-tidy cppcheck; do
    command -v "$tool" >/dev/null || { echo "lint: $tool is missing: apt-get install $tool" >&2; exit 3; }
done
cmake --preset host >/dev/null || exit 1
mapfile -t files < <(git ls-files 'src/*.c' 'ports/*.c' 'twin/*.c' 'tools/*.c')
failed=0
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build-host || failed=1
cppcheck --quiet --enable=warning,style,performance,portability --inline-suppr --error-exitcode=1 \
    --suppress=missingIncludeSystem -I include -I src "${files[@]}" || failed=1
exit "$failed"
