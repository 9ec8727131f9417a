#!/usr/bin/env bash
# Measures models, the rules alone and Presidio on texts that no model has seen, as docs/results/box.md shows:
#
#   LETHE_CORPORA=/data PRESIDIO_PYTHON=venv/bin/python scripts/results/box.sh MODEL...
#
# LETHE_CORPORA contains asq-phi and presidio-research. PRESIDIO_PYTHON is an interpreter that has presidio-analyzer 2.2.366;
# without it, Presidio is left out. The tables of types and kinds of notes are those of the first model.
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: LETHE_CORPORA=DIR scripts/results/box.sh MODEL..." >&2; exit 2; }
: "${LETHE_CORPORA:?the folder that contains asq-phi and presidio-research}"
arguments=(--rules)
for model; do
	[ ! -e "$model" ] || model=$(realpath "$model") # otherwise it is the name of a model in the box
	arguments+=(--model "$model")
done
[ -z "${PRESIDIO_PYTHON-}" ] || PRESIDIO_PYTHON=$(realpath --no-symlinks "$PRESIDIO_PYTHON")
LETHE_CORPORA=$(realpath "$LETHE_CORPORA")
export LETHE_CORPORA
project=$(realpath "$(dirname "$0")/../..")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
go build -C "$project" -o "$tmp/box" ./scripts/box
cd "$tmp"
texts=(--testdata "$project/checkpoints/testdata")
if [ -n "${PRESIDIO_PYTHON-}" ]; then
	./box "${texts[@]}" --write texts
	for threshold in 0 0.4; do
		"$PRESIDIO_PYTHON" "$project/scripts/peers/presidio/spans.py" texts "presidio-$threshold" --threshold "$threshold" 2>presidio.log ||
			{ cat presidio.log >&2; exit 1; }
		arguments+=(--spans "presidio-$threshold")
	done
fi
./box "${texts[@]}" "${arguments[@]}"
