#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shows that tidy finds each kind of breach: test_tidy.sh TIDY. A rule that cannot fail is no rule.
set -euo pipefail
tidy=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# expect NAME PATH TEXT: a file of the lines on stdin at PATH must be named with TEXT.
expect() {
    mkdir -p "$work/$(dirname "$2")"
    cat >"$work/$2"
    found=$("$tidy" "$work" "$2" || true)
    if grep -qF -- "$3" <<<"$found"; then
        echo "ok   $1"
        passed=$((passed + 1))
    else
        echo "FAIL $1"
        failed=$((failed + 1))
    fi
    rm -f "${work:?}/$2"
}

licence='// SPDX-License-Identifier: MIT'
expect missing_licence src/base/a.c 'licence' <<<'int a;'
expect trailing_space docs/a.md 'trailing space' <<<'text '
expect long_line src/base/a.c 'columns' < <(echo "$licence"; printf '// %0120d\n' 0)
expect tab src/base/a.c 'tab' < <(echo "$licence"; printf '\tint a;\n')
expect twin_in_core src/net/a.c 'does not know the twin' < <(
    echo "$licence"; echo '#include "coradio_twin/sim.h"')
expect core_in_twin twin/sim/a.c 'shares no code' < <(
    echo "$licence"; echo '#include "coradio/bytes.h"')
expect chip_in_net src/net/a.c 'frame contract' < <(
    echo "$licence"; echo '#include "coradio/cyw43.h"')
expect system_header src/net/a.c 'may not' < <(echo "$licence"; echo '#include <stdio.h>')
expect heap src/net/a.c 'malloc is banned' < <(
    echo "$licence"; echo 'static void *a(void) { return malloc(1); }')
expect float_type src/net/a.c 'double is banned' < <(echo "$licence"; echo 'static double a;')
expect unsafe_call tools/a.c 'strcpy is banned' < <(
    echo "$licence"; echo 'static void a(char *b) { strcpy(b, "c"); }')
expect long_function tools/a.c 'a function of' < <(
    echo "$licence"; echo 'static int a(int b) {'; for _ in $(seq 80); do echo '    b++;'; done
    echo '    return b;'; echo '}')
expect long_parameter_list tools/a.c 'a function of' < <(
    echo "$licence"; echo 'static int'; echo 'a(int b) {'
    for _ in $(seq 80); do echo '    b++;'; done; echo '}')
expect long_file tools/a.c 'lines; 600' < <(echo "$licence"; for _ in $(seq 601); do echo '//'; done)
expect long_header include/coradio/a.h 'public header' < <(
    echo "$licence"; for _ in $(seq 260); do echo '//'; done)

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
