#!/usr/bin/env bash
# Checks that the program can be reproduced: it is built twice from the same commit, in clones at different paths with caches of
# their own, and the two must be equal, byte for byte. With a file, it must be equal to that one, too: this is how you check that a
# binary was built from the source that it claims, with the same version of Go (lethe version).
#
#   scripts/release/reproduce.sh [COMMIT [BINARY]]
#
# GOOS and GOARCH choose the system, as for go build.
set -euo pipefail
binary=${2:+$(realpath "$2")}
cd "$(dirname "$0")/../.."
commit=$(git rev-parse --verify "${1:-HEAD}^{commit}")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

for builder in one another/with/a/longer/path; do
	mkdir -p "$work/$builder"
	git clone --quiet . "$work/$builder/lethe"
	git -C "$work/$builder/lethe" checkout --quiet --detach "$commit"
	GOCACHE=$work/$builder/cache make --silent --directory "$work/$builder/lethe" build
	sha256sum <"$work/$builder/lethe/lethe" | cut -d' ' -f1
done | {
	read -r one
	read -r two
	echo "first build:  $one"
	echo "second build: $two"
	[ "$one" = "$two" ] || { echo "reproduce.sh: the two builds differ" >&2; exit 1; }
	if [ -n "$binary" ]; then
		given=$(sha256sum <"$binary" | cut -d' ' -f1)
		echo "given:        $given"
		[ "$one" = "$given" ] || { echo "reproduce.sh: the given program differs from what this source builds" >&2; exit 1; }
	fi
}
