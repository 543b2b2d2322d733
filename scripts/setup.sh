#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing from Debian and npm: setup.sh GROUP..., groups as in
# scripts/packages.txt.
# Says what it installs; does nothing, quickly, when all of it is there. Root or sudo.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
for group in "$@"; do
    while read -r package; do
        # A Node.js that is there is kept, with the npm it came with.
        case $package in nodejs | npm) command -v node >/dev/null && continue ;; esac
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || missing+=("$package")
    done < <(awk -v group="$group" '$1 == group { print $2 }' scripts/packages.txt)
done

if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "setup: not root and no sudo; as root: apt-get install ${missing[*]}" >&2
            exit 3
        }
        as_root=(sudo)
    fi
    echo "setup: installing from Debian: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! { "${as_root[@]}" apt-get -q update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -q -y --no-install-recommends install "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "setup: apt-get failed; see above" >&2
        exit 3
    fi
fi
scripts/fetch-lwip.sh
# Without npm's packages everything runs but the tests of the reports, whose figures stay still.
if ! scripts/fetch-npm.sh; then
    case " $* " in *" test "*) exit 3 ;; esac
    echo "setup: going on without them: reports will have still pictures" >&2
fi
