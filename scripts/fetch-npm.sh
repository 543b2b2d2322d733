#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what package-lock.json lists into node_modules/: uPlot for the reports, and what tests
# drive. Takes the Node.js that is there; scripts/setup.sh installs Debian's where there is none.
# Does nothing, quickly, when it has been done.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=node_modules/.coradio-lock
if [ -e "$stamp" ] && cmp -s package-lock.json "$stamp"; then
    exit 0
fi
command -v npm >/dev/null || {
    echo "fetch-npm: node is there but npm is not; install the npm of that Node.js" >&2
    exit 3
}
echo "fetch-npm: installing from npm: $(node -p \
    'const p = require("./package.json"); Object.keys({...p.dependencies, ...p.devDependencies}).join(" ")')"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! npm ci --ignore-scripts >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "fetch-npm: npm ci failed; see above" >&2
    exit 3
fi
cp package-lock.json "$stamp"
