#!/usr/bin/env bash
# Makes the models that come with the program, checkpoints/en and checkpoints/es, from nothing. It takes
# about an hour and a half of two cores, and can be interrupted at any point and started again; the same inputs
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
out=$(realpath "$1")
shift
languages=${*:-en es}
cd "$(dirname "$0")/../.."
if [ ! -e "$out/lethe" ]; then # once: another binary would not resume to the same bits
	go build -o "$out/corpus" ./scripts/models/corpus
	go build -o "$out/asqphi" ./scripts/asqphi
	go build -o "$out/presidio" ./scripts/presidio
	go build -o "$out/lethe.new" ./cmd/lethe
	mv "$out/lethe.new" "$out/lethe"
fi
lethe=$out/lethe
recipes=$(realpath scripts/models)
ln -sfn "$(realpath "$LETHE_GAZETTEERS")" "$out/lists"

# once FILE COMMAND... runs a command that makes FILE, unless there is one.
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
	(cd "$out" && LETHE_BOX=. LETHE_GAZETTEERS=lists "$lethe" "$@" --out "$run" "${resume[@]}") # relative paths, because the model keeps them
	touch "$run.done"
}

# ship NAME DEFAULT [FLAGS OF models pack] copies a model into checkpoints, beside its NOTICE and card, and measures its operating points on the files of dev, with a
# probability as default that was chosen on these and scripts/models/dev.
ship() {
	rm -rf "$out/$1.packed"
	"$lethe" models pack "$out/$1" --output "$out/$1.packed" "${@:3}"
	cp "$recipes/$1.md" "$out/$1.packed/README.md"
	cp "checkpoints/$1/NOTICE" "$out/$1.packed/"
	"$lethe" calibrate "$out/$1.packed" --input "$out/$1.dev" --format jsonl --default "$2"
	rm -rf "checkpoints/$1"
	mv "$out/$1.packed" "checkpoints/$1"
}

# terms FILE RULE... makes a list for the features of a model from lists of the generated notes.
terms() {
	local file=$1 rule
	shift
	for rule; do
		awk -v rule="=, $rule" '/^=[=,|] /{on = $0 == rule; next} on' data/synth/grammar/en/terms.txt
	done | tr ',' '\n' | sed 's/^ *//; s/ *$//; /^$/d' | LC_ALL=C sort -u >"$file.new"
	mv "$file.new" "$file"
}

# words FILE TEXT... makes a list of the words of prose that are written in lower case four times or more.
words() {
	local file=$1
	shift
	find -L "$@" -type f -exec cat {} + | LC_ALL=C.UTF-8 grep -ohE '\b[a-záéíóúüñ]{3,}\b' | LC_ALL=C sort | LC_ALL=C uniq -c | awk '$1 >= 4 {print $2}' >"$file.new"
	mv "$file.new" "$file"
}

# label FILE KIND... makes a file of notes for the model en or es, of which the teacher decides what the marks leave open.
label() {
	local file=$1 language=${1%%.*} types=i2b2-2014
	shift
	[ "$language" = en ] || types=meddocan
	once "$out/$file" "$out/corpus" --types $types --teacher "$out/$language-teacher" "$1" --output "$out/$file" "${@:2}"
}

# renamed NAME FILE COPY copies notes, with ids that begin with NAME.
renamed() {
	sed "s/^{\"id\":\"[a-z]*-/{\"id\":\"$1-/" "$2" >"$3.new"
	mv "$3.new" "$3"
}

english() {
	local text=$LETHE_TEXT/en-clinical general=$LETHE_TEXT/en-general
	local prose=("$text"/{medquad,codiesp_en_machine_translated,e3c_en_ccby_docs,craft_fulltext,aci_bench,mts_dialog,casimedicos_en,primock57,pubmedqa}
		"$general"/{litbank_gutenberg_novels,common_voice_en,nltk_state_union,nltk_inaugural,wnut17,sec_filings,wikigold})
	once "$out/en.w2v.bin" "$lethe" vectors train --tokenizer letters-digits --zero-digits --output "$out/en.w2v.bin" "${prose[@]}"

	once "$out/en.terms/names.txt" terms "$out/en.terms/names.txt" eponym.single eponym.many scale device.brand
	once "$out/en.terms/drugs.txt" terms "$out/en.terms/drugs.txt" drug.generic drug.brand
	once "$out/en.terms/words.txt" words "$out/en.terms/words.txt" "${prose[@]}"

	local list
	for list in eponyms products abbreviations; do
		once "$out/en.terms/$list.txt" cp "$recipes/lists/$list.txt" "$out/en.terms/$list.txt"
	done

	# Generated notes, from which the teacher learns. The names in those of dev are others.
	local notes=$out/en.train/generated.jsonl
	once "$notes" "$lethe" synth --corpus en --notes 10000 --seed 1 --format jsonl --output "$notes"
	once "$out/en.dev/generated.jsonl" "$lethe" synth --corpus en --split test --notes 120 --seed 2 --format jsonl --output "$out/en.dev/generated.jsonl"
	once "$out/en.dev/written.jsonl" "$out/corpus" written --output "$out/en.dev/written.jsonl" "$recipes/dev/notes/en"
	learn en-teacher train "$recipes/en.yaml" --set corpus.splits.train="$notes" --set system.second_pass.system.ann.training.epochs=5

	local names=$LETHE_CORPORA/english-names marked=$out/en.marked
	if [ ! -e "$marked" ]; then
		mkdir -p "$marked.new"
		"$out/asqphi" "$LETHE_CORPORA/asq-phi/synthetic_clinical_queries.first630.txt" >"$marked.new/queries.jsonl"
		awk -F'"' '$4 <= 450' "$marked.new/queries.jsonl" >"$marked.new/queries.train.jsonl"
		awk -F'"' '$4 > 450 && $4 <= 500' "$marked.new/queries.jsonl" >"$marked.new/queries.dev.jsonl"
		"$out/presidio" "$LETHE_CORPORA/presidio-research/synth_dataset_v2.json" >"$marked.new/presidio.jsonl"
		mv "$marked.new" "$marked"
	fi
	label en.train/queries.jsonl queries "$marked/queries.train.jsonl"
	local copy
	for copy in 2 3; do # because they are few
		once "$out/en.train/queries-$copy.jsonl" renamed queries-$copy "$out/en.train/queries.jsonl" "$out/en.train/queries-$copy.jsonl"
	done
	label en.dev/queries.jsonl queries "$marked/queries.dev.jsonl"
	label en.train/presidio.jsonl sentences "$marked/presidio.jsonl"
	label en.train/names.jsonl names "$names/wikigold/CONLL-format/data/wikigold.conll.txt" "$names/WNUT17/CONLL-format/data/train/wnut17train.conll" \
		"$names/SEC-filings/CONLL-format/data/train/FIN5.txt"
	label en.train/aci_bench.jsonl carriers --number 400 --seed 1 --notes "$notes" "$text/aci_bench"
	label en.train/mts_dialog.jsonl carriers --number 400 --seed 2 --notes "$notes" "$text/mts_dialog"
	label en.train/e3c.jsonl carriers --number 400 --seed 3 --notes "$notes" "$text/e3c_en_ccby_docs"
	label en.train/fragments.jsonl fragments --number 6000 --notes "$notes" "$text"/{medquad,pubmedqa,craft_fulltext,casimedicos_en,codiesp_en_machine_translated}

	# Hand-written notes and phrases.
	local written=$out/en.train/written.jsonl
	once "$written" "$out/corpus" written --copies 4 --notes "$notes" --output "$written" "$recipes/train/notes/en"
	once "$out/en.train/phrases.jsonl" "$out/corpus" fragments --number 16000 --seed 2 --notes "$written" --output "$out/en.train/phrases.jsonl" "$recipes/train/phrases-en.txt"
	learn en-first train "$recipes/en.yaml"
	local network=system.second_pass.system.ann # whose learning rate falls to 0 in six more epochs
	learn en train "$recipes/en.yaml" --set $network.start=en-first/model/best/members/first --set $network.training.epochs=6 \
		--set $network.optimizer.learning_rate=0.0008 --set $network.optimizer.decay=1 --set $network.optimizer.schedule.method=linear
	ship en 0.3 --words 39500 --int8 # so that it is smaller than 10 MB
}

spanish() {
	local text=$LETHE_TEXT/es-clinical general=$LETHE_TEXT/es-general
	once "$out/es.w2v.bin" "$lethe" vectors train --tokenizer letters-digits --zero-digits --output "$out/es.w2v.bin" \
		"$text"/{cantemist_background,cantemist_gold,meddoprof_sentences,livingner_sentences,spaccc_pharmaconer,casimedicos_es,codiesp_fulltext} \
		"$general"/{legalize_ar_decretos,legalize_ar_leyes,conha19_novels,legalize_pe,cligs_textbox_spanish,fakenews_corpus_es_news,common_voice_es}

	once "$out/es.terms/words.txt" words "$out/es.terms/words.txt" "$text"/{cantemist_background,cantemist_gold,meddoprof_sentences,livingner_sentences,spaccc_pharmaconer,casimedicos_es,codiesp_fulltext} \
		"$general"/{legalize_ar_decretos,conha19_novels,cligs_textbox_spanish}
	local list
	for list in eponyms products; do
		once "$out/es.terms/$list.txt" cp "$recipes/lists/$list.txt" "$out/es.terms/$list.txt"
	done

	# MEDDOCAN's notes with invented values in place of all of its own: three different ones for train. The values are no
	# secret, and neither is the key that they follow from.
	local key split
	for key in 1 2 3; do
		echo "The values that these models learn are public: $key." >"$out/key-$key"
		for split in train dev; do
			[ $split = train ] || [ $key = 1 ] || continue
			once "$out/es.swapped/$split-$key" "$lethe" deidentify --quiet --marked --format meddocan --key-file "$out/key-$key" \
				--output "$out/es.swapped/$split-$key" "$LETHE_CORPORA/meddocan/$split/xml"
			once "$out/es.$split/meddocan-$key.jsonl" "$out/corpus" --types meddocan notes --format meddocan --output "$out/es.$split/meddocan-$key.jsonl" "$out/es.swapped/$split-$key"
		done
	done
	local notes=$out/es.train/generated.jsonl
	once "$notes" "$lethe" synth --corpus es --notes 3000 --seed 1 --format jsonl --output "$notes"
	once "$out/es.dev/generated.jsonl" "$lethe" synth --corpus es --split test --notes 100 --seed 2 --format jsonl --output "$out/es.dev/generated.jsonl"
	if [ ! -e "$out/es-teacher.done" ]; then # the files that it labels come later
		learn es-teacher train "$recipes/es.yaml"
	fi
	label es.train/cantemist-1.jsonl carriers --number 400 --seed 1 --notes "$notes" "$text/cantemist_background"
	label es.train/cantemist-2.jsonl carriers --number 400 --seed 2 --notes "$notes" "$text/cantemist_gold"
	label es.train/fragments.jsonl fragments --number 3000 --notes "$notes" "$text"/{cantemist_background,casimedicos_es,spaccc_pharmaconer}

	# Hand-written notes and phrases.
	local written=$out/es.train/written.jsonl
	once "$written" "$out/corpus" --types meddocan written --copies 3 --notes "$notes" --output "$written" "$recipes/train/notes/es"
	once "$out/es.train/phrases.jsonl" "$out/corpus" --types meddocan fragments --number 6000 --seed 2 --notes "$written" --output "$out/es.train/phrases.jsonl" "$recipes/train/phrases-es.txt"
	once "$out/es.dev/written.jsonl" "$out/corpus" --types meddocan written --output "$out/es.dev/written.jsonl" "$recipes/dev/notes/es"
	learn es train "$recipes/es.yaml"
	ship es 0.35 --words 39000 --int8
}

for language in $languages; do
	case $language in
	en) english ;;
	es) spanish ;;
	*) echo "no model $language (have en, es)" >&2; exit 2 ;;
	esac
done
