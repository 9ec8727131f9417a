#!/usr/bin/env bash
# Trains the systems of the five papers and the network of ann.yaml on MEDDOCAN and on
# CoNLL-2003, predicts the splits for development, and compares each system with the
# network: docs/results/papers.md. It takes some three hours of one core, and can be
# interrupted and started again.
#
#   LETHE_CORPORA=/data LETHE_VECTORS=/vectors LETHE_GAZETTEERS=/lists LETHE_RESOURCES=/resources scripts/results/papers.sh OUT
#
# The headers of the configurations say which files they need. Times are those of one
# core, in seconds of CPU time, so that other programs affect them little.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: LETHE_CORPORA=DIR LETHE_VECTORS=DIR LETHE_GAZETTEERS=DIR LETHE_RESOURCES=DIR scripts/results/papers.sh OUT" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")/../.."
go build -o "$out/lethe" ./cmd/lethe
SYSTEMS=${SYSTEMS-ann szarvas2006 zuccon2014 dehghan2015 dernoncourt2016 dernoncourt2016-letters-digits liu2017}
CORPORA=${CORPORA-meddocan conll2003}

# cpu FILE COMMAND... runs a command and writes its CPU seconds to a file.
cpu() {
	local file=$1 TIMEFORMAT='%U'
	shift
	{ time "$@" >/dev/null 2>"$file.log"; } 2>"$file"
}

for corpus in $CORPORA; do
	splits=(dev)
	settings=()
	if [ "$corpus" = meddocan ]; then
		splits=(dev dev_hard dev_swapped)
		settings=("--set=corpus.splits.dev_swapped=$LETHE_CORPORA/meddocan/dev_swapped/xml")
	fi
	for system in $SYSTEMS; do
		run=$out/$corpus-$system
		own=()
		if [[ $system = *-letters-digits ]]; then
			[ "$corpus" = meddocan ] || continue
			own=(--set=system.ann.tokenizer=letters-digits)
		fi
		if [ ! -e "$run.train" ]; then
			rm -rf "$run"
			cpu "$run.train.new" "$out/lethe" train experiments/configs/$corpus/${system%-letters-digits}.yaml --out "$run" --workers 1 "${settings[@]}" "${own[@]}"
			mv "$run.train.new" "$run.train"
		fi
		for split in "${splits[@]}"; do
			[ -e "$run.$split.cpu" ] || cpu "$run.$split.cpu" "$out/lethe" predict "$run" --split "$split" --workers 1
			[ -e "$run.$split.json" ] || [ ! -e "$out/$corpus-ann.$split.cpu" ] ||
				"$out/lethe" significance "$out/$corpus-ann" "$run" --split "$split" --metric strict --metric binary_token --json >"$run.$split.json"
		done
	done
done
go run ./scripts/results/papers "$out"
