#!/usr/bin/env bash
# Measures the products of a transformer encoder on one core: Lethe's of float32 and of 8-bit integers,
# OpenBLAS's by NumPy, and PyTorch's (oneDNN, and its dynamic quantization), and Lethe's functions of rows.
#
#   pip install numpy torch
#   scripts/peers/products/run.sh RESULTS.jsonl
#   scripts/peers/products/table.py RESULTS.jsonl
#
# Appends lines to RESULTS.jsonl. Each number is that of the fastest repetition by the processor time of
# the thread, so the machine need not be idle.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: scripts/peers/products/run.sh RESULTS.jsonl" >&2; exit 2; }
PYTHON=${PYTHON-python3} # an interpreter with numpy and torch
ROUNDS=${ROUNDS-3}
KERNELS=${KERNELS-avx512 avx2}

results=$(realpath "$1")
cd "$(dirname "$0")/../../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

CGO_ENABLED=0 go test -c -o "$tmp/kernel" ./nn/kernel
scripts/peers/machine.py "$PYTHON" >>"$results"
for _ in $(seq "$ROUNDS"); do
	for kernel in $KERNELS; do
		LETHE_KERNEL=$kernel "$tmp/kernel" -test.run '^$' -test.bench 'Encoder|Row' -test.benchtime 0.3s |
			"$PYTHON" scripts/peers/products/peer.py lethe "$kernel" >>"$results"
	done
	OPENBLAS_NUM_THREADS=1 "$PYTHON" scripts/peers/products/peer.py openblas >>"$results"
	OMP_NUM_THREADS=1 "$PYTHON" -W ignore scripts/peers/products/peer.py torch >>"$results"
done
