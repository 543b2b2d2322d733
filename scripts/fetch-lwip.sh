#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fetches lwIP's source from Debian's source package into deps/lwip, for the twin's peer.
# The machine's apt lists stay as they are: list, state and cache are folders of our own, and the
# mirror is the one the machine's apt already uses. Needs dpkg-dev. Quick when it is already there.
set -euo pipefail
cd "$(dirname "$0")/.."

version=2.1.3+dfsg1-2
target=deps/lwip
if [ "$(cat "$target/.debian-version" 2>/dev/null)" = "$version" ]; then
    exit 0
fi
command -v dpkg-source >/dev/null || {
    echo "fetch-lwip: dpkg-source is missing; install dpkg-dev (./test and ./demo do it)" >&2
    exit 3
}

# The sources of Debian proper that this machine reads binary packages from.
mirrors=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(ORIGIN)' 'Created-By: Packages' |
    awk '$3 == "Debian" && $2 !~ /security/ { print $1, $2 }' | sort -u)
[ -n "$mirrors" ] || mirrors=$(
    sed -nE 's/^deb( \[[^]]*\])? +([^ ]+) +([^ ]+) .*/\2 \3/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | grep -v security
    awk '/^URIs:/ { uri = $2 } /^Suites:/ { for (i = 2; i <= NF; i++) print uri, $i }' \
        /etc/apt/sources.list.d/*.sources 2>/dev/null | grep -v security
) || true
[ -n "$mirrors" ] || {
    echo "fetch-lwip: this machine's apt names no Debian mirror" >&2
    exit 3
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/parts"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
options=""
[ -e "$keyring" ] && options="[signed-by=$keyring] "
while read -r uri suite; do
    echo "deb-src ${options}${uri} ${suite} main"
done <<<"$mirrors" >"$work/sources.list"
apt_options=(-o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts="$work/parts"
    -o Dir::State="$work/state" -o Dir::State::Lists="$work/state/lists"
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root)
echo "fetch-lwip: lwIP $version from Debian's source package"
apt-get "${apt_options[@]}" -qq update
(cd "$work" && apt-get "${apt_options[@]}" -qq source "lwip=$version" >/dev/null)
tree=$(find "$work" -maxdepth 1 -type d -name 'lwip-*' | head -n 1)
[ -f "$tree/src/core/tcp.c" ] || {
    echo "fetch-lwip: the source package did not unpack as expected" >&2
    exit 3
}
rm -rf "$target"
mkdir -p deps
mv "$tree" "$target"
printf '%s\n' "$version" >"$target/.debian-version"
