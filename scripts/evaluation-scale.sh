#!/bin/sh
# Times lethe evaluate on a generated corpus and a copy of it with mistakes, as
# docs/benchmarks/evaluation.md shows: scripts/evaluation-scale.sh FOLDER [NOTES]
# FOLDER is created and kept; another run reuses its files. Requires GNU time.
set -eu
dir=$1
notes=${2:-100000}
rounds=${ROUNDS:-3}
mkdir -p "$dir"
CGO_ENABLED=0 go build -trimpath -o "$dir/lethe" ./cmd/lethe
cd "$dir"

# In every third note no age is found, and in every fifth note doctors are mistaken
# for patients.
[ -e gold.jsonl ] || ./lethe synth --notes "$notes" --output gold.jsonl --format jsonl
[ -e system.jsonl ] || awk '
	NR % 3 == 0 { gsub(/\{"start":[0-9]+,"end":[0-9]+,"type":"AGE"\},?/, ""); gsub(/,\]/, "]") }
	NR % 5 == 0 { gsub(/"type":"DOCTOR"/, "\"type\":\"PATIENT\"") }
	{ print }' gold.jsonl >system.jsonl
[ -e gold ] || ./lethe synth --notes "$notes" --output gold
[ -e system ] || {
	mkdir system
	find gold -name '*.xml' | sort | xargs awk '
		FNR == 1 { if (out) close(out); n++; out = FILENAME; sub(/^gold/, "system", out) }
		n % 3 == 0 && /^<AGE / { next }
		n % 5 == 0 { sub(/TYPE="DOCTOR"/, "TYPE=\"PATIENT\"") }
		{ print >out }'
}

echo "spans: $(grep -o '"type"' gold.jsonl | wc -l) gold, $(grep -o '"type"' system.jsonl | wc -l) system"
round=1
while [ "$round" -le "$rounds" ]; do
	for format in ${FORMATS:-i2b2 jsonl}; do
		set -- --gold gold --system system
		[ "$format" = i2b2 ] || set -- --gold gold.jsonl --system system.jsonl --types i2b2-2014
		for script in '' i2b2 meddocan conll tokens; do
			/usr/bin/time -f "$format $script: %e s, %U s user, %S s system, %M kB at most" \
				./lethe evaluate --script "$script" --format "$format" "$@" >/dev/null 2>time.txt
			tail -n 1 time.txt
		done
	done
	round=$((round + 1))
done
