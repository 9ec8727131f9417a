#!/usr/bin/env bash
# Demonstrates all steps: remove the PHI from a note with the model that comes with the program; then, on generated notes, train a network, tag unseen notes, score
# the result, and remove the PHI from one note. Writes the run to demo-out/. Fails if strict F1 on the unseen notes is below 0.95.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*" >&2; "$@"; }

# Remove demo-out only if this script created it.
if [ -e demo-out ]; then
	grep -qx 'name: demo' demo-out/config.yaml 2>/dev/null ||
		{ echo "scripts/demo.sh: demo-out is not a run of this demonstration: move it away" >&2; exit 2; }
	rm -rf demo-out
fi

# One note, with the model that comes with the program.
echo 'Mr. Roe, 93 years old, was seen by Dr. Amundsen on 03/04/2071.' | step ./lethe deidentify

# The notes are generated from a seed, as in the experiment; nothing is
# downloaded. The table shows the scores on dev.
step ./lethe train experiments/configs/demo.yaml --out demo-out

# No name, street or hospital of the test notes occurs in training.
step ./lethe predict demo-out --split test >/dev/null

# Write the same notes to files, to score against and to look at.
step ./lethe synth --notes 100 --seed 1 --split test --output demo-out/gold
step ./lethe evaluate --gold demo-out/gold --system demo-out/predictions/test --min-f1 0.95

# Read one note from stdin and print it with [TYPE] instead of PHI.
./lethe synth --notes 1 --seed 2 --split test --format text --output - |
	step ./lethe deidentify --model demo-out/model/best
