#!/usr/bin/env bash
# The whole road on generated notes: train a network, let it tag the held-out
# notes, score it, and take the PHI out of one note. Writes to demo-out/.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; "$@"; }

rm -rf demo-out

# The corpus is made from a seed as the experiment says; nothing is downloaded.
step ./lethe train experiments/configs/demo.yaml --out demo-out

# No name, street or hospital of these notes was seen in training.
step ./lethe predict demo-out --split test --output demo-out/system --output-format i2b2

step ./lethe evaluate --gold demo-out/gold/test --system demo-out/system --format i2b2

# One note in on stdin, the same note out with [TYPE] in the place of PHI.
step ./lethe deidentify --model demo-out/model/best --replace tag - <<'NOTE'
Record date: 2081-03-14

CARDIOLOGY CONSULT

Patient: Quillfeather, Tamsin      MRN: 4471902

Ms. Quillfeather is a 67 year old retired baker from Easthaven who was seen by
Dr. Alder Birch at Marrow Creek Hospital on 03/12/2081 for chest pain. BP 140/90,
troponin 0.02. Her daughter can be reached at 555-014-2230.
NOTE
