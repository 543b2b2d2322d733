#!/bin/bash
# SPDX-License-Identifier: MIT
# 1 GiB from 200 connections at once into one sink, beside 20 that connect and never say a word.
#
#     bench/sink_crowd.sh [folder of a release build]
#
# It is the test of that name in a build without sanitizers (those move a sixteenth): each of the 200
# totals must be exact. Prints the time; exit 0 when all is exact, 1 when not, 3 without the build.
set -u

build=${1:-build}
program=$build/tests/test_sink
case=a_crowd_is_counted_to_the_byte_beside_silent_ones

if [ ! -x "$program" ]; then
    echo "sink_crowd: '$program' is missing; run 'make bench', or build the release preset, first" >&2
    exit 3
fi
begin=$(date +%s%N)
"$program" "$case" || exit 1
end=$(date +%s%N)
awk -v ns=$((end - begin)) 'BEGIN {
    printf "1 GiB from 200 connections at once: %.2f s, %.1f Gbit/s\n", ns / 1e9, 8.589934592e9 / ns
}'
