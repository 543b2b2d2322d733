#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzes every parser and state machine that reads what others wrote: fuzz.sh [SECONDS [NAME...]]
#
# SECONDS for each target (default 600), the targets one after the other; without names all. Needs
# clang (Debian's clang package). Starts from the golden vectors and the inputs of
# tests/fuzz/corpus, keeps what it learns in build-fuzz/corpus/, and ends with one line a target.
# A finding is written to build-fuzz/findings/ and told with the line that runs it again; once it is
# mended, put it into tests/fuzz/corpus/NAME/, where ./test replays it.
set -uo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-600}
case $seconds in '' | *[!0-9]*) echo "usage: fuzz.sh [SECONDS [NAME...]]" >&2; exit 2 ;; esac
shift || true
command -v clang >/dev/null || {
    echo "fuzz: needs clang: apt-get install clang" >&2
    exit 3
}

build=build-fuzz
mkdir -p "$build/findings"
if ! cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCOR_FUZZ=ON -DCOR_SANITIZE=ON -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link \
    >"$build/configure.log" 2>&1; then
    cat "$build/configure.log"
    exit 1
fi
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for file in tests/fuzz/fuzz_*.c; do
        names+=("$(basename "$file" .c)")
    done
fi
if ! cmake --build "$build" --target "${names[@]}" >"$build/build.log" 2>&1; then
    grep -A 8 -E 'error|FAILED' "$build/build.log"
    exit 1
fi

# The golden vectors as bytes, for every target.
mkdir -p "$build/seeds"
perl -ne 'if (/^(\w+): ([0-9a-f ]+)$/) {
    my ($name, $bytes) = ($1, $2 =~ tr/ //dr);
    my ($from) = $ARGV =~ m{([^/]+)\.vec$};
    open(my $out, ">:raw", "'"$build"'/seeds/$from-$name") or die;
    print $out pack("H*", $bytes);
}' tests/golden/*.vec

clean=0
found=0
for name in "${names[@]}"; do
    mkdir -p "$build/corpus/$name"
    log=$build/$name.log
    inputs=("$build/corpus/$name" "$build/seeds")
    [ -d "tests/fuzz/corpus/$name" ] && inputs+=("tests/fuzz/corpus/$name")
    "$build/tests/fuzz/$name" -max_total_time="$seconds" -max_len=4096 -timeout=20 \
        -print_final_stats=1 -artifact_prefix="$build/findings/$name-" "${inputs[@]}" \
        >"$log" 2>&1
    code=$?
    runs=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
    if [ "$code" = 0 ]; then
        clean=$((clean + 1))
        echo "ok   $name: ${runs:-0} inputs in $seconds s, nothing found"
    else
        found=$((found + 1))
        artifact=$(sed -n 's/.*Test unit written to //p' "$log" | head -n 1)
        echo "FAIL $name: see $log; run again: $build/tests/fuzz/$name ${artifact:-<input>}"
    fi
done
echo "$clean passed, $found failed"
[ "$found" = 0 ]
