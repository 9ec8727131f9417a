#!/usr/bin/env bash
# Runs every fuzz target, one after the other.
# Usage: scripts/fuzz.sh [TIME_PER_TARGET [PACKAGE...]]
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-60s}
shift || true
packages=$(go list "${@:-./...}")
for package in $packages; do
	tests=$(go test -list '^Fuzz' "$package") # on its own line: a package that does not build ends the script
	for target in $(grep '^Fuzz' <<<"$tests" || true); do
		echo "== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
	done
done
