#!/usr/bin/env bash
# Trains everything behind docs/results/accuracy.md: the word vectors, meddocan/best.yaml, and the
# student that learns from what it finds in unannotated text, with several seeds, and the
# steps in between with the first seed. It takes some two hours of
# two cores for three seeds, and can be interrupted at any point and started again.
#
#   LETHE_CORPORA=/data LETHE_GAZETTEERS=/lists scripts/results/accuracy.sh CLINICAL GENERAL OUT [SEED...]
#
# CLINICAL and GENERAL are Spanish texts without annotations: files, folders of .txt files or
# .tar.gz archives; in CLINICAL, an empty line ends a case. No case may be of the articles of
# dev or test. Both are text for the vectors; if LETHE_VECTORS is set, its es.w2v.bin is used.
set -euo pipefail

[ $# -ge 3 ] || { echo "usage: LETHE_CORPORA=DIR LETHE_GAZETTEERS=DIR scripts/results/accuracy.sh CLINICAL GENERAL OUT [SEED...]" >&2; exit 2; }
clinical=$(realpath "$1") general=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
shift 3
seeds=(${@:-1 2 3})
cd "$(dirname "$0")/../.."
if [ ! -e "$out/lethe" ]; then # once: another binary would not resume to the same bits
	go build -o "$out/lethe.new" ./cmd/lethe
	mv "$out/lethe.new" "$out/lethe"
fi
lethe=$out/lethe
configs=experiments/configs/meddocan
swapped=--set=corpus.splits.dev_swapped=$LETHE_CORPORA/meddocan/dev_swapped/xml

if [ -z "${LETHE_VECTORS-}" ]; then
	export LETHE_VECTORS=$out
	[ -e "$out/es.w2v.bin" ] || "$lethe" vectors train --config $configs/ann.yaml --output "$out/es.w2v.bin" "$clinical" "$general"
fi

# learn RUN COMMAND... runs lethe train or lethe distill, or goes on with an interrupted run, and scores the run on three
# versions of dev.
learn() {
	local run=$out/$1
	shift
	[ ! -e "$run.done" ] || return 0
	local resume=()
	if [ -e "$run/config.yaml" ]; then resume=(--resume); else rm -rf "$run"; fi
	"$lethe" "$@" "$swapped" --out "$run" "${resume[@]}" >/dev/null
	for split in dev dev_hard dev_swapped; do
		"$lethe" predict "$run" --split $split >"$run.$split.txt"
	done
	touch "$run.done"
}

for seed in "${seeds[@]}"; do
	learn best-$seed train $configs/best.yaml --set=seed=$seed
	learn student-$seed distill $configs/student.yaml "$clinical" --teacher "$out/best-$seed" --set=seed=$seed
done

# The steps from ann-features.yaml, which the first seed shows. vectors is nearly the first network of best.yaml.
seed=${seeds[0]}
renewed=(--set=seed=$seed --set=corpus.copies='{number: 1, renew: true, drop_labels: 0.5, swap_values: 0.4, invent_values: 0.6, typos: 0.001, capitals: 0.02, unaccented: 0.03}')
learn features-$seed train $configs/ann-features.yaml --set=seed=$seed
learn copies-$seed train $configs/ann-copies.yaml --set=seed=$seed
learn renewed-$seed train $configs/ann-copies.yaml "${renewed[@]}" --set=system.ann.training.epochs=20
learn vectors-$seed train $configs/ann-copies.yaml "${renewed[@]}" --set=system.ann.training.epochs=20 --set=system.ann.vectors="{file: \"$LETHE_VECTORS/es.w2v.bin\"}"

before=features-$seed
for after in copies-$seed renewed-$seed vectors-$seed student-$seed best-$seed; do
	for split in dev dev_hard dev_swapped; do
		echo "== $before, $after, $split"
		"$lethe" significance "$out/$before" "$out/$after" --split $split --metric strict
	done
	before=$after
done
for seed in "${seeds[@]}"; do
	for run in best student; do
		for split in dev dev_hard dev_swapped; do
			echo "$run-$seed $split $(grep '^strict ' "$out/$run-$seed.$split.txt")"
		done
	done
	"$lethe" calibrate "$out/best-$seed" --split dev_swapped --json >"$out/best-$seed.swapped.json"
	"$lethe" calibrate "$out/best-$seed" # last, because the model keeps the result
	"$lethe" bench --model "$out/student-$seed" --corpus "$LETHE_CORPORA/meddocan/dev/xml" --format meddocan
done
