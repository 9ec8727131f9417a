#!/usr/bin/env bash
# Trains variants of the network of experiments/configs/meddocan/ann.yaml on 500, 100 and
# 25 notes, and predicts dev, dev_hard and dev_swapped: docs/results/network.md. It takes
# some two hours of one core, and can be interrupted and started again.
#
#   LETHE_CORPORA=/data LETHE_GAZETTEERS=/lists scripts/results/network.sh PRETRAINED OUT
#
# PRETRAINED is the folder of
#   lethe pretrain experiments/configs/meddocan/ann.yaml TEXT... --out PRETRAINED --epochs 3 --batch 512 --rate 0.005 --workers 1
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: LETHE_CORPORA=DIR LETHE_GAZETTEERS=DIR scripts/results/network.sh PRETRAINED OUT" >&2; exit 2; }
pretrained=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")/../.."
go build -o "$out/lethe" ./cmd/lethe
configs=experiments/configs/meddocan

variant() { # NAME CONFIG NOTES SEED SETTING...
	local run=$out/$1-$3-$4 config=$configs/$2 notes=$3 seed=$4 settings=()
	shift 4
	[ ! -e "$run.done" ] || return 0
	case $notes in
	500) settings=(epochs=30 patience=8) ;;
	100) settings=(epochs=60 patience=16 evaluate_every=2) ;;
	*) settings=(epochs=100 patience=16 evaluate_every=2) ;;
	esac
	settings=("${settings[@]/#/system.ann.training.}" "seed=$seed" "corpus.splits.dev_swapped=$LETHE_CORPORA/meddocan/dev_swapped/xml" "$@")
	[ "$notes" = 500 ] || settings+=("corpus.subset={documents: $notes, by: document, seed: $seed}")
	rm -rf "$run"
	"$out/lethe" train $config --out "$run" --workers 1 "${settings[@]/#/--set=}" >/dev/null
	for split in dev dev_hard dev_swapped; do
		"$out/lethe" predict "$run" --split $split >"$run.$split.txt"
	done
	touch "$run.done"
}

for notes in 100 25 500; do
	for seed in 1 2 3; do
		variant base ann.yaml $notes $seed
		variant features ann-features.yaml $notes $seed
		variant layers ann.yaml $notes $seed "system.ann.network.token_lstm=[100, 100]"
		variant pretrained ann.yaml $notes $seed "system.ann.start=$pretrained"
		variant pretrained-all ann.yaml $notes $seed "system.ann.start=$pretrained" "system.ann.transfer.layers=[characters, token_embedding, token_lstm]"
	done
done
for run in "$out"/*.done; do
	run=${run%.done}
	name=${run##*/}
	[[ $name != base-* ]] || continue
	for split in dev dev_hard dev_swapped; do
		echo "== $name, $split"
		"$out/lethe" significance "$out/base-$(grep -o '[0-9]*-[0-9]*$' <<<"$name")" "$run" --split $split --metric strict
	done
done
