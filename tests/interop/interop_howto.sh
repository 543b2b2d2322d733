#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The commands of docs/howto/stack-on-linux.md, as they are written there.
. "$(dirname "$0")/netns.sh"
netns_enter "$@"
netns_need curl curl

page=$(realpath "$(dirname "$0")/../../docs/howto/stack-on-linux.md")
commands=$NETNS_WORK/commands
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >"$commands"
check "there_are_commands" "$(wc -l <"$commands") >= 10"

# What `make build` leaves; the rest runs in a folder of its own.
mkdir -p "$NETNS_WORK/tree/build/examples"
cd "$NETNS_WORK/tree" || exit 1
ln -s "$CORADIO" build/coradio
ln -s "$INTEROP_EXAMPLES/tcp_send" build/examples/tcp_send
ln -s "$INTEROP_EXAMPLES/http_serve" build/examples/http_serve
make() { [ "$*" = build ]; }

before=$(ip netns list | wc -l)
# A command that fails ends it; the sink runs behind. `exit` would end this script too.
set -e
# shellcheck source=/dev/null
. "$commands" >"$NETNS_WORK/log" 2>&1 || true
set +e
check "all_bytes_are_sent" "$(grep -c '^4194304 bytes sent$' "$NETNS_WORK/log") == 1"
sent=$(awk '/ recording$/ { print $1 }' "$NETNS_WORK/log")
taken=$(awk '/^"sha256":/ { gsub(/[",]/, "", $2); print $2 }' "$NETNS_WORK/log")
check "the_digests_are_the_same" "\"$sent\" == \"$taken\" && length(\"$sent\") == 64"
check "curl_got_and_put" "$(grep -c differ "$NETNS_WORK/log") == 0 && $(grep -c http_serve "$NETNS_WORK/log") == 0"
check "nothing_is_left" "$(ip netns list | wc -l) == $before && $(ls | wc -l) == 1"
[ "$NETNS_FAILED" -eq 0 ] || sed 's/^/    /' "$NETNS_WORK/log"
netns_done
