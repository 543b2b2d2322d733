# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Network namespaces for the interop scripts; to be sourced first of all:
#
#     . "$(dirname "$0")/netns.sh"
#     netns_enter "$@"
#
# netns_enter starts the script again inside namespaces of its own (mount, network, processes; as an
# ordinary user also a user namespace). So nothing the script makes can be seen outside, no frame
# leaves it, and all of it goes with its last process, however the script ends. Where that is not
# possible the script says why and exits with 77, which ctest reports as skipped.
#
# The programs are found in INTEROP_BIN (interop_host, interop_bridge) and CORADIO (the command).
set -uo pipefail

NETNS_SKIPPED=77
NETNS_SECONDS=${NETNS_SECONDS:-60} # bound of the whole script

netns_skip() {
    echo "skipped: $*"
    exit "$NETNS_SKIPPED"
}

# netns_need PROGRAM PACKAGE: the script is skipped where a program is not installed.
netns_need() {
    command -v "$1" >/dev/null || netns_skip "$1 is not installed (apt-get install $2)"
}

netns_enter() {
    [ -n "${NETNS_INSIDE:-}" ] && { netns_begin; return; }
    netns_need ip iproute2
    netns_need unshare util-linux
    netns_need nsenter util-linux
    [ -c /dev/net/tun ] || netns_skip "no /dev/net/tun: the kernel has no TUN/TAP driver"
    [ -r /dev/net/tun ] && [ -w /dev/net/tun ] ||
        netns_skip "no permission for /dev/net/tun; run as root, or chmod 0666 it"
    local user=() proc=(--mount-proc)
    [ "$(id -u)" -eq 0 ] || user=(--user --map-root-user)
    if ! unshare "${user[@]}" --net --mount --pid --fork "${proc[@]}" true 2>/dev/null; then
        # Where /proc is partly covered, a user may not mount it again; the leak check needs it.
        proc=()
        unshare "${user[@]}" --net --mount --pid --fork true 2>/dev/null ||
            netns_skip "no new network namespace: run as root, or allow user namespaces"
        export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
    fi
    # timeout is the first process inside: when it ends, or this one is killed, all the others are.
    NETNS_INSIDE=1 exec unshare "${user[@]}" --net --mount --pid --fork --kill-child \
        "${proc[@]}" timeout --foreground --kill-after=2 "$NETNS_SECONDS" bash "$0" "$@"
}

netns_begin() {
    # Ours alone: iproute2 keeps the names of namespaces there.
    mount -t tmpfs tmpfs /run && mkdir /run/netns /run/interop ||
        netns_skip "cannot mount a folder of our own over /run"
    NETNS_RUN=$$-$RANDOM
    NETNS_WORK=/run/interop
    NETNS_PASSED=0 NETNS_FAILED=0
    NETNS_PIDS=()
    trap netns_end EXIT
}

netns_end() {
    local code=$?
    exec 2>/dev/null # the shell names each process it has killed
    [ ${#NETNS_PIDS[@]} -gt 0 ] && kill -KILL "${NETNS_PIDS[@]}" 2>/dev/null
    local name
    for name in /run/netns/*; do
        [ -e "$name" ] && ip netns del "$(basename "$name")" 2>/dev/null
    done
    exit "$code"
}

# netns_make VAR: a namespace with a name of this run; the name goes into VAR. The sysctls make the
# kernel's TCP of one run independent of the run before and still.
netns_make() {
    local name="interop-$1-$NETNS_RUN"
    ip netns add "$name" || netns_skip "cannot make the network namespace $name"
    netns_in "$name" sh -c '
        ip link set lo up
        cd /proc/sys/net
        echo 1 >ipv6/conf/all/disable_ipv6
        echo 1 >ipv4/tcp_no_metrics_save
        echo 0 >ipv4/icmp_ratelimit' 2>/dev/null
    printf -v "$1" %s "$name"
}

# netns_in NAME COMMAND...: runs in the namespace. Unlike `ip netns exec` it mounts nothing.
netns_in() {
    local name=$1
    shift
    nsenter --net="/run/netns/$name" -- "$@"
}

# netns_tap NAME DEVICE ADDRESS/BITS: a TAP device there that is up.
netns_tap() {
    netns_in "$1" ip tuntap add dev "$2" mode tap &&
        netns_in "$1" ip address add "$3" dev "$2" &&
        netns_in "$1" ip link set dev "$2" up ||
        netns_skip "cannot make the TAP device $2"
}

# netns_start VAR LOG COMMAND...: in the background; the process id goes into VAR, output into LOG.
netns_start() {
    local variable=$1 log=$2
    shift 2
    : >"$log"  # now: netns_await must not find what an earlier program wrote
    "$@" >"$log" 2>&1 &
    NETNS_PIDS+=($!)
    printf -v "$variable" %s $!
}

# netns_start_in VAR LOG NAME COMMAND...: the same in the namespace; the process is the command's.
netns_start_in() {
    local variable=$1 log=$2 name=$3
    shift 3
    : >"$log"
    nsenter --net="/run/netns/$name" -- "$@" >"$log" 2>&1 &
    NETNS_PIDS+=($!)
    printf -v "$variable" %s $!
}

# netns_await LOG TEXT: waits until the text stands in the file; 5 s at most.
netns_await() {
    local _
    for _ in $(seq 250); do
        grep -qs -- "$2" "$1" && return 0
        sleep 0.02
    done
    echo "  '$2' did not come; there is:"
    sed 's/^/    /' "$1"
    return 1
}

# netns_stop PID: asks it to end and waits until it has written its results.
netns_stop() {
    kill -TERM "$1" 2>/dev/null
    wait "$1"
}

# value NAME FILE: of a report with lines "name value".
value() {
    awk -v name="$1" '$1 == name { print $2; found = 1; exit } END { if (!found) print "none" }' "$2"
}

# json_value NAME FILE: the first number or text of that name in JSON with one field a line.
json_value() {
    awk -v name="\"$1\":" '$1 == name { gsub(/[,"]/, "", $2); print $2; found = 1; exit }
        END { if (!found) print "none" }' "$2"
}

# megabits BPS: with two places.
megabits() {
    awk -v bps="$1" 'BEGIN { printf "%.2f", bps / 1e6 }'
}

# check NAME EXPRESSION: a test case; the expression is awk's, of numbers and texts.
check() {
    if awk "BEGIN { exit !($2) }"; then
        echo "ok   $1"
        NETNS_PASSED=$((NETNS_PASSED + 1))
    else
        echo "FAIL $1: not true: $2"
        NETNS_FAILED=$((NETNS_FAILED + 1))
    fi
}

# The last line of a script; its exit code is that of the test.
netns_done() {
    echo "$NETNS_PASSED passed, $NETNS_FAILED failed"
    [ "$NETNS_FAILED" -eq 0 ] && [ "$NETNS_PASSED" -gt 0 ]
    exit $?
}
