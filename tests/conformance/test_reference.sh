#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tables of docs/reference/tcp.md name only what exists: test_reference.sh ROOT.
set -euo pipefail
cd "$1"
page=${2:-docs/reference/tcp.md}
failed=0

wrong() {
    echo "  $page: $1"
    failed=$((failed + 1))
}

# A function of the core: file under src/ and name.
check_function() {
    if [ ! -f "src/$1" ]; then
        wrong "no file src/$1"
    elif ! grep -qE "(^|[ *])$2\(" "src/$1"; then
        wrong "no function $2 in src/$1"
    fi
}

# A case of a script or of a unit test.
check_case() {
    case $1 in
    *.tcp)
        grep -qs "^case $2: " "tests/conformance/$1" || wrong "no case $2 in tests/conformance/$1"
        ;;
    test_*.c)
        grep -qs "CASE($2)" "tests/unit/$1" || wrong "no case $2 in tests/unit/$1"
        ;;
    *) wrong "neither a script nor a test: $1" ;;
    esac
}

names() { grep -oE '`[a-z0-9_/]+\.[a-z]+:[a-z0-9_]+`' <<<"$1" | tr -d '`' || true; }

rows=0
while IFS='|' read -r _ number _ requirement where shown _; do
    rows=$((rows + 1))
    number=${number// /}
    [ -n "${requirement// /}" ] || wrong "$number: no requirement"
    functions=$(names "$where")
    cases=$(names "$shown")
    for name in $functions; do check_function "${name%%:*}" "${name#*:}"; done
    for name in $cases; do check_case "${name%%:*}" "${name#*:}"; done
    # Without a function there is a reason; without a case the runner itself is the test.
    grep -qE '\*\*(missing|deviation)\*\*.{20}' <<<"$where" || [ -n "$functions" ] ||
        wrong "$number: neither a function nor a reason"
    [ -n "$cases" ] || grep -q 'every case: the runner' <<<"$shown" ||
        wrong "$number: no case"
done < <(grep -E '^\| (MUST-|SHLD-|MAY-|RFC )[0-9]' "$page")

for number in $(seq 69); do
    count=$(grep -c "^| MUST-$number |" "$page" || true)
    [ "$count" -eq 1 ] || wrong "MUST-$number stands there $count times"
done
[ "$rows" -ge 100 ] || wrong "only $rows rows were read"

echo "$rows rows, $failed wrong"
[ "$failed" -eq 0 ]
