#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds with sanitizers and runs the tests: run-tests.sh short|long. One line a test program, the
# output of those that fail, and at the end "N passed, N failed" over all test cases.
set -uo pipefail
cd "$(dirname "$0")/.."

kind=${1:-short}
jobs=$(nproc)
log=build-asan/test.log
mkdir -p build-asan
if ! cmake --preset asan >build-asan/configure.log 2>&1; then
    cat build-asan/configure.log
    exit 1
fi
cmake --build --preset asan -j "$jobs" || exit 1

labels=(-LE long)
[ "$kind" = long ] && labels=(-L long)
ctest --test-dir build-asan "${labels[@]}" -j "$jobs" --output-on-failure \
    --output-log "$log" --no-tests=error
code=$?

# ctest keeps the whole output of every program here; the harness ends each with its own count.
awk -v code="$code" '
    / passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
    END {
        if (code != 0 && failed == 0) failed = 1
        printf "%d passed, %d failed\n", passed, failed
    }' build-asan/Testing/Temporary/LastTest.log
exit "$code"
