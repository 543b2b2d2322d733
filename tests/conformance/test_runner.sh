#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shows that the runner and the reference check can fail: test_runner.sh RUN_SCRIPTS ROOT.
set -euo pipefail
run=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# expect NAME TEXT: the script on stdin must fail and say TEXT.
expect() {
    cat >"$work/a.tcp"
    if found=$("$run" "$work/a.tcp" 2>&1); then
        echo "FAIL $1: no failure"
        failed=$((failed + 1))
    elif ! grep -qF -- "$2" <<<"$found"; then
        printf 'FAIL %s: "%s" is not in\n%s\n' "$1" "$2" "$found"
        failed=$((failed + 1))
    else
        echo "ok   $1"
        passed=$((passed + 1))
    fi
}

# play NAME TEXT: a case of the steps on stdin, one a line, must fail and say TEXT.
play() { expect "$1" "$2" < <(echo 'case a: RFC 9293 3.5'; sed 's/^/    /'); }

expect no_file_is_empty 'a.tcp:1: there is no case' </dev/null
expect citation_is_wanted 'a.tcp:1: the case cites no RFC' <<<'case a: because'
expect colon_is_wanted 'a.tcp:1: case NAME' <<<'case a RFC 9293 3.5'
expect case_has_steps 'a.tcp:1: the case has no steps' <<<'case a: RFC 9293 3.5'
expect names_differ 'a.tcp:3: two cases of one name' < <(
    printf 'case a: RFC 9293 3.5\n    connect\ncase a: RFC 9293 3.5\n')
expect step_is_in_a_case 'a.tcp:1: a step outside' <<<'connect'
play unknown_verb 'a.tcp:2: not a verb: "conect"' <<<'conect'
play unknown_word 'a.tcp:2: not a word of a segment: "sek=1"' <<<'inject ACK sek=1 ack=1'
play ack_without_number 'a.tcp:2: ACK and ack= go together' <<<'expect ACK seq=1'
play number_without_ack 'a.tcp:2: ACK and ack= go together' <<<'expect FIN seq=1 ack=1'
play sequence_number_is_wanted 'a.tcp:2: no seq=' <<<'inject ACK ack=1'
play time_is_a_time 'a.tcp:2: not a time: "@5x"' <<<'@5x connect'
play range_is_a_range 'a.tcp:2: a range of times' <<<'@5s..1s expect SYN'
play value_is_a_value 'a.tcp:2: not a value' <<<'check mss=big'
play unknown_steps 'a.tcp:2: no steps of this name' <<<'use nothing'
play unknown_setting 'a.tcp:2: there is no setting' <<<'set colour=1'
play unknown_value 'a.tcp:3: there is no value' < <(echo open; echo check colour=1)
play unknown_counter 'a.tcp:3: there is no counter' < <(echo open; echo counter colour=1)
play blocks_are_blocks 'a.tcp:2: not a word of a segment' <<<'inject ACK seq=1 ack=1 sack=1-2'

play flags_are_compared 'a.tcp:3: flags: at 0.000 ms "SYN seq=0' < <(
    echo connect; echo expect FIN seq=0)
play numbers_are_compared 'a.tcp:4: seq: at 10.000 ms' < <(
    echo open; echo write 10; echo expect ACK seq=2 ack=1 len=10)
play acks_are_compared 'a.tcp:4: ack:' < <(
    echo open; echo write 10; echo expect ACK seq=1 ack=2 len=10)
play lengths_are_compared 'a.tcp:4: len:' < <(
    echo open; echo write 10; echo expect ACK seq=1 ack=1 len=11)
play windows_are_compared 'a.tcp:3: win:' < <(echo connect; echo expect SYN win=1)
play options_are_compared 'a.tcp:3: mss:' < <(echo connect; echo expect SYN mss=1000)
play options_must_be_there 'a.tcp:3: options:' < <(echo connect; echo expect SYN ts)
play options_must_not_be_there 'a.tcp:3: options:' < <(echo connect; echo expect SYN -mss)
play blocks_are_compared 'a.tcp:6: sack:' < <(
    echo set receive_ring=9000; echo open sackok
    echo inject ACK seq=11 ack=1 len=10; echo '# nothing'
    echo expect ACK seq=1 ack=1 sack=11..22)
play pushes_are_compared_if_named 'a.tcp:4: flags:' < <(
    echo open; echo write 10; echo expect ACK -PSH seq=1 ack=1 len=10)
play too_late_is_found 'it is too early' < <(
    echo connect; echo expect SYN; echo @1001ms expect SYN)
play too_early_is_found 'a.tcp:4: nothing was sent' < <(
    echo connect; echo expect SYN; echo @999999us expect SYN)
play silence_is_checked 'a.tcp:4: no line expects this' < <(
    echo connect; echo expect SYN; echo nothing until @2s)
play the_end_is_checked 'the case ends, but' <<<connect
play states_are_compared 'a.tcp:3: state is ESTABLISHED' < <(echo open; echo state CLOSED)
play results_are_compared 'a.tcp:3: returned E_STATE' < <(echo open; echo connect)
play bytes_are_counted 'a.tcp:3: the application has 0 bytes' < <(echo open; echo received 1)
play past_times_are_found 'a.tcp:3: the time is past' < <(echo open; echo @1ms)
play other_ends_are_told_apart 'a.tcp:3: not a segment of this connection' < <(
    echo connect; echo b: expect SYN)
play a_mark_that_is_wrong 'passes, and is marked as missing' < <(
    echo missing something; echo connect; echo expect SYN)

# The reference page: a row with a name that does not exist, and a MUST left out.
sed -e 's/cor_tcp_emit`/cor_tcp_omit`/' -e '/^| MUST-5 /d' \
    -e 's/syn_sent.tcp:connect_to_a_group/syn_sent.tcp:connect_to_a_groop/' \
    "$root/docs/reference/tcp.md" >"$work/tcp.md"
found=$("$(dirname "$0")/test_reference.sh" "$root" "$work/tcp.md" || true)
for text in 'no function cor_tcp_omit' 'no case connect_to_a_groop' 'MUST-5 stands there 0 times'; do
    if grep -qF "$text" <<<"$found"; then
        passed=$((passed + 1))
    else
        echo "FAIL reference: $text"
        failed=$((failed + 1))
    fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
