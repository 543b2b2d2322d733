#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What every subcommand owes its user: --help, a manual page that groff reads without a warning, a
# page in docs/reference, and one helpful line and exit code 2 for wrong use. CORADIO is the command.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

passed=0
failed=0
check() {
    if [ "$2" = 1 ]; then
        passed=$((passed + 1))
        echo "ok   $1"
    else
        failed=$((failed + 1))
        echo "FAIL $1"
        [ -z "${3:-}" ] || printf '%s\n' "$3" | sed 's/^/     /' | head -20
    fi
}
is() { if "$@"; then echo 1; else echo 0; fi; }

"$CORADIO" --man "$folder/man" || exit 1
mapfile -t commands < <("$CORADIO" --help | awk '/^Subcommands/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
check "there are subcommands" "$(is test ${#commands[@]} -ge 4)"
for page in "$folder"/man/*.1; do
    said=$(groff -man -ww -z "$page" 2>&1)
    check "$(basename "$page") is read without a warning" "$(is test -z "$said")" "$said"
done
for command in "${commands[@]}"; do
    page=$folder/man/coradio-$command.1
    help=$("$CORADIO" "$command" --help 2>"$folder/err")
    check "$command --help goes to stdout" "$(is test $? -eq 0 -a -n "$help" -a ! -s "$folder/err")"
    options=$(printf '%s\n' "$help" | grep -oE '^  --[a-z0-9-]+' | sort -u)
    missing=
    text=$(sed 's/\\-/-/g' "$page")
    for option in $options; do
        grep -q -- "$option" <<<"$text" || missing+="$option "
    done
    check "$command: its page has every option of --help" "$(is test -z "$missing")" "$missing"
    check "$command: its page begins with examples or has none" \
        "$(is test -z "$(awk '/^.SH OPTIONS/ { seen = 1 } /^.SH EXAMPLES/ && seen' "$page")")"
    check "$command has a page in docs/reference" "$(is test -s "docs/reference/$command.md")"
    "$CORADIO" "$command" --no-such-option >"$folder/out" 2>"$folder/err"
    code=$?
    check "$command: an unknown option ends with 2 and one line" \
        "$(is test $code -eq 2 -a ! -s "$folder/out" -a "$(wc -l <"$folder/err")" = 1)" "$(cat "$folder/err")"
done
"$CORADIO" no-such-command >"$folder/out" 2>"$folder/err"
check "an unknown subcommand ends with 2 and one line" \
    "$(is test $? -eq 2 -a "$(wc -l <"$folder/err")" = 1)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
