#!/usr/bin/env bash
# Compares Lethe's CRF with CRFsuite on the same attributes, in one run on this machine.
# Every round measures each program once, so that drift affects both equally.
#
#   pip install python-crfsuite
#   LETHE_CORPORA=/data scripts/peers/crfsuite/run.sh RESULTS.jsonl
#   scripts/peers/crfsuite/table.py RESULTS.jsonl
#
# Appends lines to RESULTS.jsonl. Files with words of the notes are deleted at the end.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: LETHE_CORPORA=DIR scripts/peers/crfsuite/run.sh RESULTS.jsonl" >&2; exit 2; }
: "${LETHE_CORPORA:?the folder that holds meddocan/train/xml}"
PYTHON=${PYTHON-python3} # an interpreter with python-crfsuite
ROUNDS=${ROUNDS:-3}
ITERATIONS=${ITERATIONS:-30}
NICE=${NICE:-nice -n 0} # prefix of the commands to measure

results=$(realpath "$1")
cd "$(dirname "$0")/../../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LETHE_CORPORA

config=$tmp/meddocan.yaml
sed "s/iterations: 30/iterations: $ITERATIONS/" scripts/peers/crfsuite/meddocan.yaml >"$config"
CGO_ENABLED=0 go build -o "$tmp/lethe" ./scripts/peers/crfsuite
"$tmp/lethe" data "$config" "$tmp"

record() {
	python3 -c '
import json, sys
for line in sys.stdin:
    print(json.dumps({"round": sys.argv[1], "iterations": int(sys.argv[2])} | json.loads(line)), flush=True)
' "$round" "$ITERATIONS" >>"$results"
}

round=0
scripts/peers/machine.py | record
for round in $(seq "$ROUNDS"); do
	echo "round $round of $ROUNDS" >&2
	$NICE "$tmp/lethe" lethe "$config" "$tmp" 1 | record
	$NICE "$PYTHON" scripts/peers/crfsuite/peer.py "$tmp" | record
	$NICE "$tmp/lethe" lethe "$config" "$tmp" 2 | record
	"$tmp/lethe" score "$tmp" "$tmp"/*.labels | record
done
