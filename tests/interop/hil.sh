#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `coradio hil` as a user runs it: hil.sh CORADIO. The board is a process of its own on TCP, with
# one constant altered.
set -euo pipefail
coradio=$1
folder=$(mktemp -d)
board=
trap '[ -z "$board" ] || kill "$board" 2>/dev/null || true; rm -rf "$folder"' EXIT
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

cat >small.plan <<'PLAN'
default bytes=256KiB
row tcp-50 bus-mhz=50
row udp-50 app=udp-tx bus-mhz=50
row tcp-rx app=tcp-rx bus-mhz=50
PLAN
(umask 077 && echo 'a secret of a test' >secret)

"$coradio" board --listen 127.0.0.1:0 --secret-file secret -- --twin-set chip.frame_ns=150000 \
    >board.out 2>board.err &
board=$!
for _ in $(seq 100); do
    grep -q 'port' board.out && break
    sleep 0.05
done
port=$(sed -n 's/.*on port //p' board.out)
"$coradio" hil --board "127.0.0.1:$port" --secret-file secret --json=hil.json small.plan \
    >out 2>err || fail "it runs"
grep -q '^The gap points at chip.frame_ns: 1[45][0-9]* in place of 0 explains' out ||
    fail "it names the constant"
grep -q '"finding":.*"one constant"' hil.json || fail "and in JSON"
grep -A2 '"points_at"' hil.json | grep -q chip.frame_ns || fail "and in JSON"
[ ! -s err ] || fail "nothing on stderr that is no terminal"
ok "a board on TCP with one constant altered is found out"

code=0
"$coradio" hil --board "127.0.0.1:$port" --secret-file secret --no-search --worst 5 small.plan \
    >out 2>err || code=$?
[ "$code" -eq 1 ] || fail "--worst ends with 1, not $code"
kill "$board"
wait "$board" || true
board=
ok "--worst makes it a bar"

"$coradio" hil --board twin small.plan >out 2>err || fail "the twin against itself"
grep -q '^No gap beyond the scatter.$' out || fail "the twin against itself has no gap"
ok "the twin against itself has no gap"

while IFS='|' read -r expected pattern words; do
    code=0
    eval "\"$coradio\" hil $words" >out 2>err || code=$?
    [ "$code" -eq "$expected" ] || fail "$words: $code, not $expected"
    [ "$(wc -l <err)" -eq 1 ] || fail "$words: one line"
    grep -q -- "$pattern" err || fail "$words: $pattern"
done <<'ROWS'
2|name the board|small.plan
2|give one plan|--board twin
2|give one plan|--board twin small.plan small.plan
3|No such file|--board twin nothing.plan
3|line 1: a line begins with row|--board twin secret
3|did you mean|--board twin:los=1 small.plan
3|is the board plugged in|--board /dev/coradio-none small.plan
3|row bad: bus-mhz: give 1 to 75|--board twin <(echo row bad bus-mhz=99)
ROWS
ok "wrong use is told in one line"
echo "$passed passed, 0 failed"
