#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `coradio compare` as a user runs it: compare.sh CORADIO HOWTO. Interrupted and resumed it ends with the
# same samples and verdict as left alone; wrong use is told in one line.
set -euo pipefail
coradio=$1
howto=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0

ok() {
    echo "ok   $1"
    passed=$((passed + 1))
}

fail() {
    echo "FAIL $1"
    cat out err 2>/dev/null || true
    exit 1
}

options=(--a bus-mhz=37.5 --b bus-mhz=25 --settings "bytes=256KiB loss=0.02" --blocks 8)

"$coradio" compare "${options[@]}" --output whole.jsonl --json=whole.json >out 2>err
grep -q '^B - A = -[0-9.]* Mbit/s (95 % CI -.*, n=8 pairs, ratio 0\.[67].*medians' out ||
    fail "a slower bus is lower"
[ ! -s err ] || fail "nothing on stderr that is no terminal"
[ "$(wc -l <whole.jsonl)" -eq 19 ] || fail "every sample is kept"
ok "a slower bus is lower, every sample is kept"

# Interrupted by Ctrl-C: the sample in hand is finished, the rest is not.
"$coradio" compare "${options[@]}" --pause 100ms --output cut.jsonl >out 2>err &
process=$!
for _ in $(seq 100); do
    [ -f cut.jsonl ] && [ "$(wc -l <cut.jsonl)" -ge 5 ] && break
    sleep 0.05
done
kill -INT "$process"
code=0
wait "$process" || code=$?
[ "$code" -eq 4 ] || fail "an interruption ends with 4, not $code"
grep -q 'go on with --resume cut.jsonl' err || fail "it says how to go on"
[ "$(wc -l <cut.jsonl)" -lt 19 ] || fail "it stopped early"
ok "an interrupted comparison says how to go on"

printf '{"sample":9,"bl' >>cut.jsonl
"$coradio" compare --resume cut.jsonl --json=cut.json >out 2>err || fail "it goes on"
# The same but for times of the clock, the pause and the name of the file.
for name in whole cut; do
    grep -v -e samples_file "$name.json" >"$name.same"
    sed 's/"at":"[^"]*"//; s/"wall_s":[0-9.]*//; s/"pause_ns":[0-9]*//' "$name.jsonl" >"$name.lines"
done
cmp whole.same cut.same || fail "the verdict is that of the whole"
cmp whole.lines cut.lines || fail "the samples are those of the whole"
ok "resumed, it ends as if it had not been interrupted"

"$coradio" compare --a run:'echo 5' --b run:'echo $((5 + CORADIO_SAMPLE % 2))' --unit ms \
    --output commands.jsonl >out 2>err || fail "commands"
grep -q 'n=10 pairs' out || fail "commands are compared"
ok "commands are compared"

code=0
"$coradio" compare --a run:'echo 10' --b run:'echo 9' --worst 5 --output worst.jsonl >out 2>err ||
    code=$?
[ "$code" -eq 1 ] || fail "--worst ends with 1, not $code"
"$coradio" compare --a run:'echo 10' --b run:'echo 9' --worst 20 --output fine.jsonl >out 2>err ||
    fail "within --worst"
ok "--worst makes it a bar"

code=0
"$coradio" compare --a run:'echo 10' --b run:'false' --output failing.jsonl >out 2>err || code=$?
[ "$code" -eq 3 ] || fail "samples that fail end with 3, not $code"
[ "$(grep -c 'the command failed' err)" -eq 3 ] || fail "it stops at the third"
ok "samples that fail end it"

while IFS='|' read -r expected pattern words; do
    code=0
    eval "\"$coradio\" compare $words" >out 2>err || code=$?
    [ "$code" -eq "$expected" ] || fail "$words: $code, not $expected"
    [ "$(wc -l <err)" -eq 1 ] || fail "$words: one line"
    grep -q -- "$pattern" err || fail "$words: $pattern"
done <<'ROWS'
2|two configurations or more|--a bus-mhz=25
2|name the ones before it|--a bus-mhz=25 --c bus-mhz=50
2|is no setting|--a fast --b slow
2|all else comes from the file|--resume whole.jsonl --blocks 4
3|exists: go on with --resume|--a bus-mhz=25 --b bus-mhz=50 --output whole.jsonl
3|did you mean|--a bus-mhz=25 --b bus-mhz=50 --board twin:los=1 --output x.jsonl
3|No such file|--resume nothing.jsonl
3|is no board|--a bus-mhz=25 --b bus-mhz=50 --board nowhere --output x.jsonl
ROWS
ok "wrong use is told in one line"
# The commands of the how-to that need no board, as they are written there.
while IFS= read -r words; do
    eval "${words//build\/coradio/\"$coradio\"}" >out 2>err || fail "$words"
done < <(grep '^    build/coradio' "$howto" | grep -v /dev/tty)
grep -q '^B - A' out || [ -s ampdu.html ] || fail "the how-to"
ok "the how-to does what it says"
echo "$passed passed, 0 failed"
