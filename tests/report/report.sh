#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A report from real results of each kind, looked at in headless Chromium. CORADIO is the command.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
sink=
cleanup() {
    [ -z "$sink" ] || kill "$sink" 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"

passed=0
failed=0
check() {
    if "${@:2}"; then
        passed=$((passed + 1))
        echo "ok   $1"
    else
        failed=$((failed + 1))
        echo "FAIL $1"
    fi
}

# fails_with CODE TEXT COMMAND...: ends with that code and says that text on stderr.
fails_with() {
    local code=0
    "${@:3}" >out.txt 2>err.txt || code=$?
    [ "$code" = "$1" ] && grep -q "$2" err.txt && [ "$(wc -l <err.txt)" = 1 ]
}

"$CORADIO" run --board pico2w --virtual --bytes 2MiB --path-loss 0.01 --samples 20ms \
    --json='upload <1> & "co".json' --power-trace trace.csv >/dev/null
"$CORADIO" run --board pico2w --virtual --app ping --count 3 --json=ping.json >/dev/null
"$CORADIO" run --board pico2w --virtual --app udp-tx --bytes 1MiB --json=udp.json >/dev/null
"$CORADIO" budget --json >budget.json
"$CORADIO" compare --a bus-mhz=37.5 --b bus-mhz=50 --c bus-mhz=36 --settings 'bytes=128KiB loss=0.03' \
    --blocks 8 --output samples.jsonl --json=compare.json >/dev/null 2>&1
"$CORADIO" sink --listen 127.0.0.1:0 --once --quiet --json=sink.json >sink.txt 2>/dev/null &
sink=$!
for _ in $(seq 100); do
    port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' sink.txt)
    [ -n "$port" ] && break
    sleep 0.05
done
head -c 300000 /dev/zero >"/dev/tcp/127.0.0.1/$port"
wait "$sink"
sink=

check "a report is made from all kinds" \
    "$CORADIO" report --output page.html --svg svg --title 'A <b>title</b>' \
    'upload <1> & "co".json' ping.json udp.json sink.json budget.json trace.csv \
    compare.json
check "Chromium finds nothing wrong" node "$here/look.mjs" page.html "$folder/page.png"
check "no text becomes markup" bash -c '! grep -q "<b>title</b>" page.html'
check "the same results give the same page" bash -c '
    "$CORADIO" report --output again.html --title "A <b>title</b>" "$1" ping.json udp.json \
        sink.json budget.json trace.csv compare.json && cmp page.html again.html' _ 'upload <1> & "co".json'
check "figures are files of their own" test -s svg/budget-waterfall.svg
check "a figure's file is well-formed" node -e '
    const text = require("fs").readFileSync("svg/budget-waterfall.svg", "utf8");
    process.exit(text.startsWith("<svg xmlns=") && text.trimEnd().endsWith("</svg>") ? 0 : 1)'

head -c 700 budget.json >cut.json
check "a cut file is named" fails_with 3 'cut.json: neither JSON' "$CORADIO" report cut.json
echo '{"a": 1}' >other.json
check "a strange file is named" fails_with 3 'other.json: is JSON, but' "$CORADIO" report other.json
check "a file that is not there is named" fails_with 3 'none.json: No such' \
    "$CORADIO" report none.json
check "no page is left behind then" test ! -e report.html
check "no result is wrong use" fails_with 2 'at least one result' "$CORADIO" report
check "an unknown option is wrong use" fails_with 2 "did you mean '--title'" \
    "$CORADIO" report --titel x budget.json
check "a full disk is told" fails_with 3 'No space left' \
    "$CORADIO" report --output /dev/full budget.json

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
