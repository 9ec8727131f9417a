#!/usr/bin/env bash
# The whole road on generated notes: train a network, let it tag notes it has not
# seen, score it, and take the PHI out of one note. Writes the run to demo-out/.
# Fails when strict F1 on the unseen notes is below 0.95.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*" >&2; "$@"; }

# Only a run of this script is removed.
if [ -e demo-out ]; then
	grep -qx 'name: demo' demo-out/config.yaml 2>/dev/null ||
		{ echo "scripts/demo.sh: demo-out is no run of the demonstration: move it away" >&2; exit 2; }
	rm -rf demo-out
fi

# The notes are generated from a seed, as the experiment says; nothing is
# downloaded. The table is the score on dev.
step ./lethe train experiments/configs/demo.yaml --out demo-out

# No name, street or hospital of the test notes occurs in training.
step ./lethe predict demo-out --split test >/dev/null

# The same notes as files, to score against and to look at.
step ./lethe synth --notes 100 --seed 1 --split test --output demo-out/gold
step ./lethe evaluate --gold demo-out/gold --system demo-out/predictions/test --min-f1 0.95

# One note in on stdin, the same note out with [TYPE] in the place of PHI.
./lethe synth --notes 1 --seed 2 --split test --format text --output - |
	step ./lethe deidentify --model demo-out/model/best
