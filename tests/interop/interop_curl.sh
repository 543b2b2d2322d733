#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# curl and the HTTP example on our stack: a file out and one in, four at once, what is not served,
# clients that are killed and a client that is slow.
. "$(dirname "$0")/netns.sh"
netns_need curl curl
netns_enter "$@"

work=$NETNS_WORK
netns_make peer
netns_tap "$peer" tap0 10.77.0.1/24
head -c 3000001 /dev/urandom >"$work/file"
head -c 2000003 /dev/urandom >"$work/other"

# starts COMMAND... in the namespace and waits until it serves.
serve() {
    netns_start_in server "$work/server.log" "$peer" "$@"
    netns_await "$work/server.log" serving || exit 1
}

same() {
    cmp -s "$1" "$2" && echo 1 || echo 0
}

serve "$INTEROP_EXAMPLES/http_serve" tap0 10.77.0.2 80 "$work/file" "$work/store"
netns_in "$peer" curl -sS -m 10 -o "$work/got" http://10.77.0.2/
check "curl_gets_the_file" "$? == 0 && $(same "$work/file" "$work/got")"
netns_in "$peer" curl -sS -m 10 -T "$work/other" -o /dev/null -w '%{http_code}' \
    http://10.77.0.2/ >"$work/code"
check "curl_puts_a_file" "$(cat "$work/code") == 201 && $(same "$work/other" "$work/store")"
pids=()
for i in 1 2 3 4; do
    netns_in "$peer" curl -sS -m 20 -o "$work/got$i" http://10.77.0.2/ &
    pids+=($!)
done
wait "${pids[@]}"
check "four_at_once_get_it" "$(for i in 1 2 3 4; do same "$work/file" "$work/got$i"; done | awk "{ n += \$1 } END { print n }") == 4"
netns_in "$peer" curl -sS -m 10 -X DELETE -o /dev/null -w '%{http_code}' http://10.77.0.2/ \
    >"$work/code"
check "what_is_not_served_is_said" "$(cat "$work/code") == 405"
for _ in $(seq 30); do
    netns_in "$peer" timeout 0.05 curl -s -o /dev/null http://10.77.0.2/
done
netns_in "$peer" curl -sS -m 10 -o "$work/got" http://10.77.0.2/
check "clients_that_are_killed_leave_it_serving" "$(same "$work/file" "$work/got")"

netns_in "$peer" curl -sS -m 0.5 --limit-rate 100k -o /dev/null http://10.77.0.2/ 2>"$work/slow"
check "a_slow_client_that_gives_up" "$? == 28"
netns_in "$peer" curl -sS -m 0.5 --limit-rate 100k -T "$work/other" http://10.77.0.2/ 2>"$work/slow"
check "a_slow_upload_that_is_broken_off" "$? == 28"
for _ in 1 2 3 4 5 6 7 8; do
    rm -f "$work/got"
    netns_in "$peer" curl -sS -m 10 -o "$work/got" http://10.77.0.2/ || break
done
check "leave_all_slots_free" "$(same "$work/file" "$work/got")"
netns_stop "$server"
netns_done
