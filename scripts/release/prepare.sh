#!/usr/bin/env bash
# Makes what every released archive contains besides the program, in release-files: manual pages, completions of shells,
# and the texts of all licences. SOURCE_DATE_EPOCH dates the manual pages; by default it is the time of the last commit.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/release-files
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

rm -rf "$out"
mkdir -p "$out/man" "$out/completions"
LETHE_MAN=$out/man go test -count=1 -run '^TestManPages$' ./cmd/lethe
gzip --best --no-name "$out"/man/*.1
CGO_ENABLED=0 go build -o "$out/lethe" ./cmd/lethe
for shell in bash zsh fish powershell; do
	"$out/lethe" completion "$shell" >"$out/completions/lethe.$shell"
done
rm "$out/lethe"
go run ./scripts/release/licenses --texts >"$out/LICENSES.txt"
