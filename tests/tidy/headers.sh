#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each public header compiles alone, as C11 and as C++11: headers.sh ROOT CC CXX.
set -uo pipefail
root=$1 cc=$2 cxx=$3
passed=0 failed=0
flags=(-Wall -Wextra -Werror -fsyntax-only -I "$root/include")
for header in "$root"/include/coradio/*.h "$root"/include/coradio_twin/*.h; do
    name=${header#"$root"/include/}
    if echo "#include \"$name\"" | "$cc" -std=c11 "${flags[@]}" -x c - &&
        echo "#include \"$name\"" | "$cxx" -std=c++11 "${flags[@]}" -x c++ -; then
        passed=$((passed + 1))
    else
        echo "FAIL $name"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
