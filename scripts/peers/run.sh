#!/usr/bin/env bash
# Compares the speed of Lethe with PyTorch, and of its products with OpenBLAS, in one
# run on this machine. Every round measures each program once, so that drift affects
# all of them equally.
#
#   LETHE_CORPORA=/data TORCH_PYTHONS="/usr/bin/python3 venv/bin/python" scripts/peers/run.sh RESULTS.jsonl
#   scripts/peers/table.py RESULTS.jsonl
#
# Appends lines to RESULTS.jsonl. The machine should be otherwise idle.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: LETHE_CORPORA=DIR scripts/peers/run.sh RESULTS.jsonl" >&2; exit 2; }
: "${LETHE_CORPORA:?the folder that holds meddocan/train/xml}"
TORCH_PYTHONS=${TORCH_PYTHONS-python3} # interpreters that have torch; empty: none
ROUNDS=${ROUNDS:-5}
SECONDS_EACH=${SECONDS_EACH:-2} # of training, and of each prediction
BATCHES=${BATCHES:-1 16 32 64}  # of PyTorch
THREADS=${THREADS:-1 2}         # of PyTorch

results=$(realpath "$1")
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LETHE_CORPORA
unset LETHE_KERNEL
# An OpenBLAS older than the processor mistakes it for an old one and does not use
# AVX-512. (Debian's PyTorch uses OpenBLAS, too.)
if [ -z "${OPENBLAS_CORETYPE-}" ] && grep -qw avx512dq /proc/cpuinfo; then
	export OPENBLAS_CORETYPE=SkylakeX
fi

config=scripts/peers/meddocan-lines.yaml
sed 's/cell: coupled/cell: standard/' $config >"$tmp/standard.yaml"
CGO_ENABLED=0 go build -o "$tmp/lethe" ./cmd/lethe
go run ./scripts/peers $config >"$tmp/train.conll"
go test -c -o "$tmp/own" ./nn/kernel
CGO_ENABLED=1 go test -c -tags openblas -o "$tmp/openblas" ./nn/kernel ||
	echo "run.sh: no OpenBLAS to compare with" >&2

# record KEY=VALUE... appends the JSON objects on stdin, with these keys.
record() {
	python3 -c '
import json, sys
text, decoder = sys.stdin.read().strip(), json.JSONDecoder()
keys = dict(a.split("=", 1) for a in sys.argv[1:])
while text:
    found, end = decoder.raw_decode(text)
    print(json.dumps(keys | found), flush=True)
    text = text[end:].strip()
' "round=$round" "$@" >>"$results"
}

round=0
scripts/peers/machine.py $TORCH_PYTHONS | record program=machine

lethe() { # CELL CONFIG BATCH WORKERS
	"$tmp/lethe" bench --config "$2" --batch "$3" --workers "$4" --seconds "$SECONDS_EACH" --json |
		record program=lethe "cell=$1"
}

products() { # NAME
	[ -x "$tmp/$1" ] || return 0
	"$tmp/$1" -test.run '^$' -test.bench Mul -test.benchtime 0.2s |
		awk '/^BenchmarkMul/ { sub(/-[0-9]+$/, "", $1); split($1, name, "/")
			print "{\"size\": \"" name[2] "\", \"product\": \"" name[3] "\", \"gflops\": " $(NF-1) "}" }' |
		record program=product "kernel=$1"
}

for round in $(seq "$ROUNDS"); do
	echo "round $round of $ROUNDS" >&2
	products own
	products openblas
	for setting in "1 1" "16 1" "16 2" "32 2"; do
		# shellcheck disable=SC2086
		lethe coupled $config $setting
	done
	lethe standard "$tmp/standard.yaml" 1 1
	lethe standard "$tmp/standard.yaml" 32 2
	LETHE_KERNEL=generic lethe coupled $config 1 1
	for python in $TORCH_PYTHONS; do
		# shellcheck disable=SC2086
		"$python" scripts/peers/torch_bilstm_crf.py "$tmp/train.conll" --batch $BATCHES --threads $THREADS \
			--seconds "$SECONDS_EACH" --seed "$round" | record program=torch
	done
done
