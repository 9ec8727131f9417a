#!/usr/bin/env bash
# Makes the models that come with the program, checkpoints/en and checkpoints/es, from nothing. It takes
# about two hours of two cores, and can be interrupted at any point and started again; the same inputs
# give the same bits.
#
#   LETHE_CORPORA=/data LETHE_GAZETTEERS=/lists LETHE_TEXT=/text scripts/models/make.sh OUT [en] [es]
#
# OUT is a folder for everything in between. LETHE_TEXT contains the folders en-clinical, en-general, es-clinical and
# es-general, with a folder for each source; only the sources that are named here are used, whose licences
# permit it: see checkpoints/en/NOTICE and checkpoints/es/NOTICE.
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: LETHE_CORPORA=DIR LETHE_GAZETTEERS=DIR LETHE_TEXT=DIR scripts/models/make.sh OUT [en] [es]" >&2; exit 2; }
mkdir -p "$1"
export LETHE_BOX=$(realpath "$1")
shift
languages=${*:-en es}
cd "$(dirname "$0")/../.."
out=$LETHE_BOX
if [ ! -e "$out/lethe" ]; then # once: another binary would not resume to the same bits
	go build -o "$out/corpus" ./scripts/models/corpus
	go build -o "$out/asqphi" ./scripts/asqphi
	go build -o "$out/lethe.new" ./cmd/lethe
	mv "$out/lethe.new" "$out/lethe"
fi
lethe=$out/lethe
recipes=$(realpath scripts/models)

# sources LANGUAGE KIND NAME... prints the folders of sources.
sources() {
	local from=$LETHE_TEXT/$1-$2
	shift 2
	printf "$from/%s\n" "$@"
}

# once FILE COMMAND... runs a command that makes FILE, unless there is one. FILE is the last argument of the command.
once() {
	local file=$1
	shift
	[ -e "$file" ] || { mkdir -p "$(dirname "$file")" && "$@"; }
}

# learn RUN COMMAND... trains, or goes on with an interrupted training.
learn() {
	local run=$out/$1
	shift
	[ ! -e "$run.done" ] || return 0
	local resume=()
	if [ -e "$run/config.yaml" ]; then resume=(--resume); else rm -rf "$run"; fi
	"$lethe" "$@" --out "$run" "${resume[@]}"
	touch "$run.done"
}

# ship RUN NAME copies a model into checkpoints, next to its NOTICE and card, and measures its operating points on the files of dev.
ship() {
	rm -rf "$out/$2.packed"
	"$lethe" models pack "$out/$1" --output "$out/$2.packed"
	"$lethe" calibrate "$out/$2.packed" --input "$out/$2/dev" --format "$3"
	cp "checkpoints/$2/NOTICE" "$recipes/$2.md" "$out/$2.packed/"
	mv "$out/$2.packed/$2.md" "$out/$2.packed/README.md"
	rm -rf "checkpoints/$2"
	mv "$out/$2.packed" "checkpoints/$2"
}

english() {
	local clinical general
	mapfile -t clinical < <(sources en clinical medquad codiesp_en_machine_translated e3c_en_ccby_docs craft_fulltext aci_bench mts_dialog casimedicos_en primock57 pubmedqa)
	mapfile -t general < <(sources en general litbank_gutenberg_novels common_voice_en nltk_state_union nltk_inaugural wnut17 sec_filings wikigold)
	once "$out/en.w2v.bin" "$lethe" vectors train --tokenizer letters-digits --zero-digits --output "$out/en.w2v.bin" "${clinical[@]}" "${general[@]}"

	# Generated notes, from which the teacher learns.
	once "$out/en/generated/train.jsonl" "$lethe" synth --corpus en --notes 6000 --seed 1 --format jsonl --output "$out/en/generated/train.jsonl"
	once "$out/en/dev/generated.jsonl" "$lethe" synth --corpus en --split test --notes 400 --seed 2 --format jsonl --output "$out/en/dev/generated.jsonl"
	learn en-teacher train "$recipes/en.yaml" --set corpus.splits.train="$out/en/generated"

	# Notes in which the teacher decides what the marks leave open.
	local asq=$LETHE_CORPORA/asq-phi/synthetic_clinical_queries.first630.txt names=$LETHE_CORPORA/english-names
	once "$out/en/asq.jsonl" sh -c "$out/asqphi '$asq' >'$out/en/asq.new' && mv '$out/en/asq.new' '$out/en/asq.jsonl'"
	once "$out/en/asq-train.jsonl" sh -c "awk -F'\"' '\$4 <= 450' '$out/en/asq.jsonl' >'$out/en/asq-train.jsonl'"
	once "$out/en/asq-dev.jsonl" sh -c "awk -F'\"' '\$4 > 450 && \$4 <= 500' '$out/en/asq.jsonl' >'$out/en/asq-dev.jsonl'"
	mkdir -p "$out/en/train"
	cp "$out/en/generated/train.jsonl" "$out/en/train/generated.jsonl"
	label() { once "$out/en/$1" "$out/corpus" --teacher "$out/en-teacher" "${@:2}"; }
	label train/queries.jsonl queries --output "$out/en/train/queries.jsonl" "$out/en/asq-train.jsonl"
	label dev/queries.jsonl queries --output "$out/en/dev/queries.jsonl" "$out/en/asq-dev.jsonl"
	label train/names.jsonl names --output "$out/en/train/names.jsonl" "$names/wikigold/CONLL-format/data/wikigold.conll.txt" \
		"$names/WNUT17/CONLL-format/data/train/wnut17train.conll" "$names/SEC-filings/CONLL-format/data/train/FIN5.txt"
	mapfile -t clinical < <(sources en clinical aci_bench mts_dialog primock57 e3c_en_ccby_docs)
	label train/prose.jsonl carriers --number 3000 --notes "$out/en/generated/train.jsonl" --output "$out/en/train/prose.jsonl" "${clinical[@]}"
	learn en train "$recipes/en.yaml"
	ship en en jsonl
}

spanish() {
	local clinical general
	mapfile -t clinical < <(sources es clinical cantemist_background cantemist_gold meddoprof_sentences livingner_sentences spaccc_pharmaconer casimedicos_es codiesp_fulltext)
	mapfile -t general < <(sources es general legalize_ar_decretos legalize_ar_leyes conha19_novels legalize_pe cligs_textbox_spanish fakenews_corpus_es_news common_voice_es)
	once "$out/es.w2v.bin" "$lethe" vectors train --tokenizer letters-digits --zero-digits --output "$out/es.w2v.bin" "${clinical[@]}" "${general[@]}"

	# MEDDOCAN's training notes with invented values in place of all of its own.
	once "$out/key" sh -c "echo 'The values that these models learn are public.' >'$out/key'"
	once "$out/es/train" sh -c "'$lethe' deidentify --quiet --marked --format meddocan --key-file '$out/key' --output '$out/es/train.new' '$LETHE_CORPORA/meddocan/train/xml' &&
		'$lethe' synth --corpus es --notes 1500 --seed 1 --format meddocan --output '$out/es/generated' && mv '$out/es/generated'/* '$out/es/train.new' && mv '$out/es/train.new' '$out/es/train'"
	once "$out/es/dev" sh -c "'$lethe' deidentify --quiet --marked --format meddocan --key-file '$out/key' --output '$out/es/dev.new' '$LETHE_CORPORA/meddocan/dev/xml' &&
		'$lethe' synth --corpus es --split test --notes 100 --seed 2 --format meddocan --output '$out/es/generated' && mv '$out/es/generated'/* '$out/es/dev.new' && mv '$out/es/dev.new' '$out/es/dev'"
	learn es-teacher train "$recipes/es.yaml"
	learn es distill "$recipes/es.yaml" "${clinical[@]:0:2}" --teacher "$out/es-teacher" --notes 6000
	ship es es meddocan
}

for language in $languages; do
	case $language in
	en) english ;;
	es) spanish ;;
	*) echo "no model $language (have en, es)" >&2; exit 2 ;;
	esac
done
