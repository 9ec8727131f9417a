#!/usr/bin/env bash
# Measures what a network that was trained on generated notes contributes to one for 10 to 100
# annotated clinical queries of ASQ-PHI, as docs/results/transfer.md shows:
#
#   scripts/results/transfer.sh synthetic_clinical_queries.txt FOLDER
#
# FOLDER is created and kept; after an interruption the same command continues. The tables are
# printed, and written to FOLDER/table.md. Everything runs on one core. Requires Go and jq.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: scripts/results/transfer.sh QUERIES FOLDER" >&2; exit 2; }
queries=$(realpath "$1")
mkdir -p "$2"
dir=$(realpath "$2")
cd "$(dirname "$0")/../.."
sizes="10 25 50 100"
seeds="1 2 3 4 5"
configs=experiments/configs/transfer
lethe=$dir/lethe
CGO_ENABLED=0 go build -trimpath -o "$lethe" ./cmd/lethe
list() { echo "${*// /,}"; }

# The queries 1 to 500 are for training, of which the configuration holds 100 back as dev; 501 to
# 630 are for testing.
export LETHE_CORPORA=$dir
mkdir -p "$dir/asq-phi"
[ -e "$dir/asq-phi/test.jsonl" ] || {
	go run ./scripts/asqphi "$queries" >"$dir/queries.jsonl"
	jq -c 'select((.id | tonumber) <= 500)' "$dir/queries.jsonl" >"$dir/asq-phi/train.jsonl"
	jq -c 'select((.id | tonumber) > 500 and (.id | tonumber) <= 630)' "$dir/queries.jsonl" >"$dir/asq-phi/test.jsonl"
}

# rename gives the spans of generated notes the types of ASQ-PHI, which has no type for ages,
# professions and web addresses, and drops these.
rename() {
	jq -c '{
		PATIENT: "NAME", DOCTOR: "NAME", DATE: "DATE",
		HOSPITAL: "GEOGRAPHIC_LOCATION", DEPARTMENT: "GEOGRAPHIC_LOCATION", ROOM: "GEOGRAPHIC_LOCATION",
		ORGANIZATION: "GEOGRAPHIC_LOCATION", STREET: "GEOGRAPHIC_LOCATION", CITY: "GEOGRAPHIC_LOCATION",
		STATE: "GEOGRAPHIC_LOCATION", COUNTRY: "GEOGRAPHIC_LOCATION", ZIP: "GEOGRAPHIC_LOCATION",
		"LOCATION-OTHER": "GEOGRAPHIC_LOCATION",
		MEDICALRECORD: "MEDICAL_RECORD_NUMBER", HEALTHPLAN: "HEALTH_PLAN_BENEFICIARY_NUMBER",
		SSN: "SOCIAL_SECURITY_NUMBER", ACCOUNT: "ACCOUNT_NUMBER", LICENSE: "CERTIFICATE_LICENSE_NUMBER",
		PHONE: "PHONE_NUMBER", FAX: "PHONE_NUMBER", EMAIL: "EMAIL_ADDRESS", IPADDR: "IP_ADDRESS",
		IDNUM: "UNIQUE_IDENTIFIER", USERNAME: "UNIQUE_IDENTIFIER", VEHICLE: "UNIQUE_IDENTIFIER",
		DEVICE: "UNIQUE_IDENTIFIER", BIOID: "UNIQUE_IDENTIFIER"
	} as $to | .spans |= [.[] | .type = $to[.type] | select(.type)]'
}

# train trains a source network unless it is complete: NAME CONFIG
train() {
	[ -e "$dir/$1/evaluation/dev.json" ] && return
	rm -rf "${dir:?}/$1"
	"$lethe" train "$2" --workers 1 --out "$dir/$1" >/dev/null
}

# curve trains a network for each number of queries and each seed: NAME SETTING...
curve() {
	local out=$dir/$1 resume=
	shift
	[ -e "$out/table.json" ] && return
	[ -e "$out/study.yaml" ] && resume=--resume
	"$lethe" curve $configs/asq-phi.yaml --workers 1 --by document --split test --metric strict --metric binary_token \
		--sizes "$(list "$sizes")" --seeds "$(list "$seeds")" --out "$out" $resume "$@" >/dev/null
}

# The source networks: with the types of i2b2 2014, and with those of ASQ-PHI.
for split in "train 1600" "dev 100"; do
	set -- $split
	"$lethe" synth --split "$1" --notes "$2" --notes-per-patient 5 --format jsonl --output - | rename >"$dir/generated-$1.jsonl"
done
{
	printf 'name: transfer-renamed\ncorpus:\n  format: jsonl\n  types: any\n  splits: {train: "%s", dev: "%s"}\n' \
		"$dir/generated-train.jsonl" "$dir/generated-dev.jsonl"
	sed -n '/^system:/,$p' $configs/generated.yaml
} >"$dir/renamed.yaml"
train i2b2 $configs/generated.yaml
train renamed "$dir/renamed.yaml"

start=system.ann.start=$dir/renamed
layers=system.ann.transfer.layers
curve scratch
curve tuned --set "$start"
curve types --set "system.ann.start=$dir/i2b2"
curve lower --set "$start" --set "$layers=[characters, token_embedding, token_lstm]"
curve lowest --set "$start" --set "$layers=[characters, token_embedding]"
curve frozen --set "$start" --set "system.ann.transfer.freeze=[characters, token_embedding]"

# pool joins predictions of all seeds into one corpus, in which each query occurs once per seed:
# NAME FILE, in which SEED stands for the number. The query is the patient, so that a test by
# patient swaps or draws a query with all its seeds.
pool() {
	for seed in $seeds; do
		sed "s/^{\"id\":\"/&$seed-/" "${2/SEED/$seed}"
	done >"$dir/pooled/$1.jsonl"
}

# compare tests two pooled systems: A B. The comparison with a system that finds nothing yields the
# interval of B's own score.
compare() {
	"$lethe" significance --gold "$dir/pooled/gold.jsonl" --a "$dir/pooled/$1.jsonl" --b "$dir/pooled/$2.jsonl" \
		--format jsonl --by patient --metric strict --metric binary_token --workers 1 --json >"$dir/pooled/$1+$2.json"
}

# numbers prints numbers of a JSON file with four digits: FORMAT FILTER FILE
numbers() {
	# shellcheck disable=SC2046,SC2059
	LC_ALL=C printf "$1" $(jq -r "$2 | @tsv" "$3")
}

# score prints the mean and range over the seeds, and the interval: METRIC SCORE NAME SIZE
score() {
	numbers "%.4f (%.4f to %.4f)" ".metrics[] | select(.metric == \"$1\") | .points[] | select(.documents == $4) |
		[.mean.$2, ([.runs[].$2] | min, max)]" "$dir/$3/table.json"
	numbers " [%.4f, %.4f]" ".metrics[] | select(.metric == \"$1\") | [.$2.low, .$2.high]" "$dir/pooled/none+$3-$4.json"
}

# difference prints B - A, its interval and p: METRIC SCORE A B
difference() {
	numbers "%+.4f [%+.4f, %+.4f] | %.4f" ".metrics[] | select(.metric == \"$1\") | .$2 | [.difference, .low, .high, .p]" "$dir/pooled/$3+$4.json"
}

table() { # METRIC SCORE
	echo "| queries | from scratch: mean (range) [interval] | fine-tuned: mean (range) [interval] | difference [interval] | p |"
	echo "|---:|---|---|---|---:|"
	echo "| 0 | | $(numbers "%.4f [%.4f, %.4f]" ".metrics[] | select(.metric == \"$1\") | .$2 | [.b, .low, .high]" "$dir/pooled/none+untuned.json") | | |"
	for n in $sizes; do
		echo "| $n | $(score "$1" "$2" scratch "$n") | $(score "$1" "$2" tuned "$n") | $(difference "$1" "$2" "scratch-$n" "tuned-$n") |"
	done
}

variants() { # METRIC SCORE
	echo "| variant | queries | mean (range) [interval] | difference to fine-tuned [interval] | p |"
	echo "|---|---:|---|---|---:|"
	for v in types lower lowest frozen; do
		for n in $sizes; do
			echo "| $v | $n | $(score "$1" "$2" $v "$n") | $(difference "$1" "$2" "tuned-$n" "$v-$n") |"
		done
	done
}

mkdir -p "$dir/pooled"
[ -e "$dir/untuned.jsonl" ] ||
	"$lethe" predict "$dir/renamed" --input "$dir/asq-phi/test.jsonl" --format jsonl --output "$dir/untuned.jsonl" --workers 1
jq -c '.spans = []' "$dir/asq-phi/test.jsonl" >"$dir/none.jsonl"
pool gold "$dir/asq-phi/test.jsonl"
pool none "$dir/none.jsonl"
pool untuned "$dir/untuned.jsonl"
compare none untuned
for n in $sizes; do
	for v in scratch tuned types lower lowest frozen; do
		pool "$v-$n" "$dir/$v/runs/documents-$n/seed-SEED/predictions/test/corpus.jsonl"
		compare none "$v-$n"
		case $v in
		scratch) ;;
		tuned) compare "scratch-$n" "tuned-$n" ;;
		*) compare "tuned-$n" "$v-$n" ;;
		esac
	done
done
{
	printf 'Strict F1\n\n'
	table strict f1
	printf '\nRecall of binary tokens\n\n'
	table binary_token recall
	printf '\nVariants, strict F1\n\n'
	variants strict f1
	printf '\nVariants, recall of binary tokens\n\n'
	variants binary_token recall
} | tee "$dir/table.md"
