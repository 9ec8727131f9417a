#!/usr/bin/env bash
# Makes the models that come with the program, checkpoints/en and checkpoints/es, from nothing. It takes
# about four hours of two cores, and can be interrupted at any point and started again; the same inputs
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

# packed NAME RUN DEFAULT [FLAGS OF models pack] makes a model of the run of a language, RUN.packed, which is small enough for checkpoints, and measures its operating points
# on the files of dev, with a probability as default that was chosen on these and scripts/models/dev.
packed() {
	rm -rf "$out/$2.packed"
	"$lethe" models pack "$out/$2" --output "$out/$2.packed" "${@:4}"
	cp "$recipes/$1.md" "$out/$2.packed/README.md"
	cp "checkpoints/$1/NOTICE" "$out/$2.packed/"
	"$lethe" calibrate "$out/$2.packed" --input "$out/$1.dev" --format jsonl --default "$3"
}

# further NAME STAGE BEFORE NETWORK MEMBER EPOCHS [FLAGS OF train] trains the network of the packed model of the stage BEFORE, which is at MEMBER in it,
# further on the notes of the folder of the stage. NETWORK is its place in the experiment.
further() {
	learn "$1-$2" train "$recipes/$1.yaml" --set "corpus.splits.train=$1.$2" --set "$4.start=$1-$3.packed/$5" --set "$4.vectors=null" \
		--set "$4.training.epochs=$6" --set "$4.training.batch=24" \
		--set "$4.optimizer.learning_rate=0.0015" --set "$4.optimizer.decay=1" --set "$4.optimizer.schedule.method=linear" "${@:7}"
}

# others FROM TO copies the files of notes of a stage, except those that change with the writers.
others() {
	local file
	mkdir -p "$2"
	for file in "$1"/*.jsonl; do
		case $(basename "$file") in
		written.jsonl | phrases.jsonl) ;;
		*) once "$2/$(basename "$file")" cp "$file" "$2/" ;;
		esac
	done
}

# ship NAME RUN moves a packed model into checkpoints.
ship() {
	rm -rf "checkpoints/$1"
	mv "$out/$2.packed" "checkpoints/$1"
}

# without DIR FOLDER NAME... makes a folder of links to the notes in another one, without those whose files begin with these names.
without() {
	local name
	rm -rf "$1"
	mkdir -p "$1"
	ln -s "$2"/*.txt "$1/"
	for name in "${@:3}"; do rm "$1/$name"-*.txt; done
}

# The writers of these notes, and of the phrases after the first ones, came when the models had been trained, and the latest when they had been trained
# further. Their texts join in stages of the training: see further.
later_en="commonwealth inpatient lives outside speech structured" later_es="americas hospitales"
latest_en="american community consults letters long overseas printouts procedures questions records short shorthand"
latest_es="espana latinoamerica paises peninsula"
first_phrases_en=10937 first_phrases_es=4311
later_phrases_en=12977 later_phrases_es=4901

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

# label FILE KIND... makes a file of notes for the model en or es, of which the teacher, a run or model in OUT, decides what the marks leave open.
label() {
	local file=$1 types=i2b2-2014
	shift
	case $file in es*) types=meddocan ;; esac
	once "$out/$file" "$out/corpus" --types $types --teacher "$out/$teacher" "$1" --output "$out/$file" "${@:2}"
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

	local marked=$out/en.marked teacher
	if [ ! -e "$marked" ]; then
		mkdir -p "$marked.new"
		"$out/asqphi" "$LETHE_CORPORA/asq-phi/synthetic_clinical_queries.first630.txt" >"$marked.new/queries.jsonl"
		awk -F'"' '$4 <= 450' "$marked.new/queries.jsonl" >"$marked.new/queries.train.jsonl"
		awk -F'"' '$4 > 450 && $4 <= 500' "$marked.new/queries.jsonl" >"$marked.new/queries.dev.jsonl"
		"$out/presidio" "$LETHE_CORPORA/presidio-research/synth_dataset_v2.json" >"$marked.new/presidio.jsonl"
		mv "$marked.new" "$marked"
	fi
	teacher=en-teacher
	label en.dev/queries.jsonl queries "$marked/queries.dev.jsonl"
	english_notes en.train "$notes"
	without "$out/en.first" "$recipes/train/notes/en" $later_en $latest_en
	once "$out/en.first.txt" eval "head -n $first_phrases_en $recipes/train/phrases-en.txt >$out/en.first.txt"
	english_written en.train 4 16000 "$out/en.first" "$out/en.first.txt"
	learn en-first train "$recipes/en.yaml"
	local network=system.second_pass.system.ann # whose learning rate falls to 0 in six more epochs
	learn en-second train "$recipes/en.yaml" --set $network.start=en-first/model/best/members/first --set $network.training.epochs=6 \
		--set $network.optimizer.learning_rate=0.0008 --set $network.optimizer.decay=1 --set $network.optimizer.schedule.method=linear
	[ -e "$out/en-second.packed/operating.json" ] || packed en en-second 0.3 --words 39500 --int8 # so that it is smaller than 10 MB

	# Two stages with the texts of later writers. The model of the stages before is the teacher.
	teacher=en-second.packed
	once "$out/en.third/generated.jsonl" cp "$notes" "$out/en.third/generated.jsonl"
	english_notes en.third "$notes"
	without "$out/en.later" "$recipes/train/notes/en" $latest_en
	once "$out/en.later.txt" eval "head -n $later_phrases_en $recipes/train/phrases-en.txt >$out/en.later.txt"
	english_written en.third 2 20000 "$out/en.later" "$out/en.later.txt"
	further en third second "$network" members/first 5
	[ -e "$out/en-third.packed/operating.json" ] || packed en en-third 0.25 --words 39500 --int8

	others "$out/en.third" "$out/en.fourth"
	english_written en.fourth 2 26000 "$recipes/train/notes/en" "$recipes/train/phrases-en.txt"
	further en fourth third "$network" members/first 6 --set "$network.network.dropout=0.35" --set "$network.network.word_dropout=0.15"
	packed en en-fourth 0.25 --words 39500 --int8
	ship en en-fourth
}

# english_notes FOLDER NOTES makes the files of notes that a teacher labels.
english_notes() {
	local marked=$out/en.marked text=$LETHE_TEXT/en-clinical names=$LETHE_CORPORA/english-names copy
	label "$1/queries.jsonl" queries "$marked/queries.train.jsonl"
	for copy in 2 3; do # because they are few
		once "$out/$1/queries-$copy.jsonl" renamed queries-$copy "$out/$1/queries.jsonl" "$out/$1/queries-$copy.jsonl"
	done
	label "$1/presidio.jsonl" sentences "$marked/presidio.jsonl"
	label "$1/names.jsonl" names "$names/wikigold/CONLL-format/data/wikigold.conll.txt" "$names/WNUT17/CONLL-format/data/train/wnut17train.conll" \
		"$names/SEC-filings/CONLL-format/data/train/FIN5.txt"
	label "$1/aci_bench.jsonl" carriers --number 400 --seed 1 --notes "$2" "$text/aci_bench"
	label "$1/mts_dialog.jsonl" carriers --number 400 --seed 2 --notes "$2" "$text/mts_dialog"
	label "$1/e3c.jsonl" carriers --number 400 --seed 3 --notes "$2" "$text/e3c_en_ccby_docs"
	label "$1/fragments.jsonl" fragments --number 6000 --notes "$2" "$text"/{medquad,pubmedqa,craft_fulltext,casimedicos_en,codiesp_en_machine_translated}
}

# english_written FOLDER COPIES NUMBER NOTES PHRASES makes the files of hand-written notes and phrases.
english_written() {
	local written=$out/$1/written.jsonl
	once "$written" "$out/corpus" written --copies "$2" --notes "$out/$1/generated.jsonl" --output "$written" "$4"
	once "$out/$1/phrases.jsonl" "$out/corpus" fragments --number "$3" --seed 2 --notes "$written" --output "$out/$1/phrases.jsonl" "$5"
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
	local teacher=es-teacher
	spanish_notes es.train "$notes"
	once "$out/es.dev/written.jsonl" "$out/corpus" --types meddocan written --output "$out/es.dev/written.jsonl" "$recipes/dev/notes/es"
	without "$out/es.first" "$recipes/train/notes/es" $later_es $latest_es
	once "$out/es.first.txt" eval "head -n $first_phrases_es $recipes/train/phrases-es.txt >$out/es.first.txt"
	spanish_written es.train 3 6000 "$out/es.first" "$out/es.first.txt"
	learn es-first train "$recipes/es.yaml"
	[ -e "$out/es-first.packed/operating.json" ] || packed es es-first 0.35 --words 39000 --int8

	# Two stages with the texts of later writers. The model of the stage before is the teacher.
	teacher=es-first.packed
	for key in 1 2; do
		once "$out/es.second/meddocan-$key.jsonl" cp "$out/es.train/meddocan-$key.jsonl" "$out/es.second/meddocan-$key.jsonl"
	done
	once "$out/es.second/generated.jsonl" cp "$notes" "$out/es.second/generated.jsonl"
	spanish_notes es.second "$notes"
	without "$out/es.later" "$recipes/train/notes/es" $latest_es
	once "$out/es.later.txt" eval "head -n $later_phrases_es $recipes/train/phrases-es.txt >$out/es.later.txt"
	spanish_written es.second 2 8000 "$out/es.later" "$out/es.later.txt"
	local network='system.second_pass.system.corrected.system.ensemble.members[0].system.ann'
	further es second first "$network" members/first/members/corrected/members/network 3
	[ -e "$out/es-second.packed/operating.json" ] || packed es es-second 0.35 --words 39000 --int8

	others "$out/es.second" "$out/es.third"
	spanish_written es.third 2 10000 "$recipes/train/notes/es" "$recipes/train/phrases-es.txt"
	further es third second "$network" members/first/members/corrected/members/network 3
	packed es es-third 0.35 --words 39000 --int8
	ship es es-third
}

# spanish_notes FOLDER NOTES makes the files of notes that a teacher labels.
spanish_notes() {
	local text=$LETHE_TEXT/es-clinical
	label "$1/cantemist-1.jsonl" carriers --number 400 --seed 1 --notes "$2" "$text/cantemist_background"
	label "$1/cantemist-2.jsonl" carriers --number 400 --seed 2 --notes "$2" "$text/cantemist_gold"
	label "$1/fragments.jsonl" fragments --number 3000 --notes "$2" "$text"/{cantemist_background,casimedicos_es,spaccc_pharmaconer}
}

# spanish_written FOLDER COPIES NUMBER NOTES PHRASES makes the files of hand-written notes and phrases.
spanish_written() {
	local written=$out/$1/written.jsonl
	once "$written" "$out/corpus" --types meddocan written --copies "$2" --notes "$out/$1/generated.jsonl" --output "$written" "$4"
	once "$out/$1/phrases.jsonl" "$out/corpus" --types meddocan fragments --number "$3" --seed 2 --notes "$written" --output "$out/$1/phrases.jsonl" "$5"
}

for language in $languages; do
	case $language in
	en) english ;;
	es) spanish ;;
	*) echo "no model $language (have en, es)" >&2; exit 2 ;;
	esac
done
