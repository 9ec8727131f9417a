#!/usr/bin/env bash
# Compares Lethe's support vector machine (taggers/ensemble/svm) with LIBSVM on the same
# files of numbers, at the default tolerance and at a tight one.
#
#   pip install libsvm-official scikit-learn
#   LETHE_CORPORA=/data scripts/peers/svm/run.sh RESULTS.jsonl
#   scripts/peers/svm/table.py RESULTS.jsonl
#
# Appends lines to RESULTS.jsonl.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: LETHE_CORPORA=DIR scripts/peers/svm/run.sh RESULTS.jsonl" >&2; exit 2; }
: "${LETHE_CORPORA:?the folder that holds meddocan/train/xml}"
PYTHON=${PYTHON-python3} # an interpreter with libsvm-official and scikit-learn

results=$(realpath "$1")
cd "$(dirname "$0")/../../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LETHE_CORPORA

CGO_ENABLED=0 go build -o "$tmp/svm" ./scripts/peers/svm
"$PYTHON" scripts/peers/svm/peer.py data "$tmp"
"$tmp/svm" features scripts/peers/svm/meddocan.yaml "$tmp/ensemble.csv"
scripts/peers/machine.py >>"$results"
for epsilon in 1e-3 1e-6; do
	for file in "$tmp"/*.csv; do
		"$PYTHON" scripts/peers/svm/peer.py compare "$tmp/svm" $epsilon "$file" >>"$results"
	done
done
