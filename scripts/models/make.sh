#!/usr/bin/env bash
# Makes the models that come with the program, checkpoints/en and checkpoints/es, from nothing. It takes
# about ten hours of two cores, and can be interrupted at any point and started again; the same inputs
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

# The functions below read variables of english and spanish: the model's name and types, the place of its network in the experiment and in a model folder (member), its words and
# its threshold when it is packed, and lists of flags: paragraphs, of the stages before
# the network read whole notes, with many of them in a batch, early, of those before it read line ends and spaces, and dropout.

# packed STAGE makes a model of the run of a stage, which is small enough for checkpoints, and measures its operating points on the notes of dev and those that came later, with a
# probability as default that was chosen on scripts/models/dev.
packed() {
	local run=$out/$name-$1
	[ ! -e "$run.packed/operating.json" ] || return 0
	rm -rf "$run.packed"
	"$lethe" models pack "$run" --output "$run.packed" --words "$words" --int8
	cp "$recipes/$name.md" "$run.packed/README.md"
	cp "checkpoints/$name/NOTICE" "$run.packed/"
	measured
	"$lethe" calibrate "$run.packed" --input "$out/$name.measured" --format jsonl --default "$from"
}

# measured makes the folder of the notes of dev and those that came later.
measured() {
	mkdir -p "$out/$name.measured"
	cp "$out/$name.dev"/*.jsonl "$out/$name.measured/"
	once "$out/$name.measured/later.jsonl" "$out/corpus" --types "$types" written --output "$out/$name.measured/later.jsonl" "$recipes/dev/later/$name"
}

# further STAGE BEFORE EPOCHS PHRASES [FLAGS OF train] trains the network of the packed model of the stage BEFORE further, with the notes of the writers who joined in
# STAGE, and packs it. A batch has some 600 tokens, whether it is of paragraphs or of notes.
further() {
	written "$1" 2 "$4"
	learn "$name-$1" train "$recipes/$name.yaml" --set "corpus.splits.train=$name.$1" --set "$network.start=$name-$2.packed/$member" --set "$network.vectors=null" \
		--set "$network.training.epochs=$3" --set "$network.training.batch=6" --set "$network.training.pool=16" \
		--set "$network.optimizer.learning_rate=0.0015" --set "$network.optimizer.decay=1" --set "$network.optimizer.schedule.method=linear" "${@:5}"
	packed "$1"
}

# others STAGE BEFORE copies the files of notes of the stage BEFORE, except those that change with the writers.
others() {
	local file
	for file in "$out/$name.$2"/*.jsonl; do
		case $(basename "$file") in
		written.jsonl | phrases.jsonl) ;;
		*) once "$out/$name.$1/$(basename "$file")" cp "$file" "$out/$name.$1/" ;;
		esac
	done
}

# written STAGE COPIES PHRASES makes the files of hand-written notes and phrases of a stage, of the writers who had come by then.
written() {
	local notes=$out/$name.$1.notes phrases=$out/$name.$1.phrases.txt folder=$out/$name.$1
	rm -rf "$notes"
	mkdir -p "$notes"
	ln -s "$recipes/train/notes/$name"/*.txt "$notes/"
	local stage writer
	for stage in ${stages#*"$1"}; do
		for writer in ${writers[$name-$stage]-}; do rm "$notes/$writer"-*.txt; done
	done
	once "$phrases" eval "head -n ${phrases_by[$name-$1]:--0} $recipes/train/phrases-$name.txt >$phrases"
	once "$folder/written.jsonl" "$out/corpus" --types "$types" written --copies "$2" --notes "$folder/generated.jsonl" --output "$folder/written.jsonl" "$notes"
	once "$folder/phrases.jsonl" "$out/corpus" --types "$types" fragments --number "$3" --seed 2 --notes "$folder/written.jsonl" --output "$folder/phrases.jsonl" "$phrases"
}

# ship STAGE copies a packed model into checkpoints.
ship() {
	rm -rf "checkpoints/$name"
	cp -r "$out/$name-$1.packed" "checkpoints/$name"
	UPDATE_GOLDEN=1 go test -count=1 -run TestArchive ./checkpoints >/dev/null
}

# The writers came one after another: those of a stage here, and the others before the first. So did the phrases, of which a stage has the first ones. The last stage has all.
stages="first second third fourth fifth sixth seventh eighth ninth tenth eleventh"
declare -A writers=(
	[en-third]="commonwealth inpatient lives outside speech structured"
	[en-fourth]="american community consults letters long overseas printouts procedures questions records short shorthand"
	[en-fifth]="acute brief charts cueless dense families identifiers layouts papers practices reports scribes social"
	[en-sixth]="colleagues fractions hospitals livelihoods offices ordinary plain realms requests sceptic sentences spoken transcribed"
	[en-eighth]="calendar clinics crown employers elsewhere histories hurried margins signatures specialities staff varied"
	[en-ninth]="abroad acronyms backgrounds boards codes curios exports fields figures handouts heartland isles misnomers narratives oddments pastimes quiet regions rounds scraps services signatories tongues voices"
	[en-tenth]="almanac counters gazette ledger mercy ohio parlour scrawl textbook verandah"
	[en-eleventh]="anvil ferry foundry harbor lantern meadow orchard pewter quarry quill sundial tidewater"
	[es-second]="americas hospitales"
	[es-third]="espana latinoamerica paises peninsula"
	[es-fourth]="breves casas comunidades consultas continente corrientes densos escritos identificadores ocultos ordenados"
	[es-fifth]="colegas esceptico frases hablados impresos llanos naciones ordinarios varios vidas"
	[es-sixth]="cifras entornos servicios"
	[es-seventh]="andes apretados barrio ecos historias planta septentrion sur"
	[es-eighth]="apellidos biografias cordillera cotidianos meridianos numeros rarezas unidades"
	[es-ninth]="altiplano espejismos llanura memorias ribera ventanillas"
	[es-tenth]="alameda salinas"
)
declare -A phrases_by=([en-first]=10937 [en-third]=12977 [en-fourth]=17318 [en-fifth]=21348 [en-sixth]=25095 [en-seventh]=25095 [en-eighth]=27905 [en-ninth]=36344 [en-tenth]=40447 [es-first]=4311 [es-second]=4901 [es-third]=6225 [es-fourth]=8324 [es-fifth]=10670 [es-sixth]=11368 [es-seventh]=11924 [es-eighth]=14368 [es-ninth]=16021)

without_space='[{family: shape}, {family: gazetteer, window: 1}, {family: rule, window: 1}]'

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

# label FILE KIND... makes a file of notes, of which the teacher, a run or model in OUT, decides what the marks leave open.
label() {
	local file=$1
	shift
	once "$out/$file" "$out/corpus" --types "$types" --teacher "$out/$teacher" "$1" --output "$out/$file" "${@:2}"
}

# renamed NAME FILE COPY copies notes, with ids that begin with NAME.
renamed() {
	sed "s/^{\"id\":\"[a-z]*-/{\"id\":\"$1-/" "$2" >"$3.new"
	mv "$3.new" "$3"
}

english() {
	local name=en types=i2b2-2014 words=38500 from=0.33 # so many words that the model is smaller than 10 MB
	local network=system.second_pass.system.ann member=members/first
	local paragraphs=(--set "$network.sentences=blank-line")
	local early=("${paragraphs[@]}" --set "$network.features.families=$without_space") many=(--set "$network.training.batch=24" --set "$network.training.pool=1")
	local text=$LETHE_TEXT/en-clinical general=$LETHE_TEXT/en-general
	local prose=("$text"/{medquad,codiesp_en_machine_translated,e3c_en_ccby_docs,craft_fulltext,aci_bench,mts_dialog,casimedicos_en,primock57,pubmedqa}
		"$general"/{litbank_gutenberg_novels,common_voice_en,nltk_state_union,nltk_inaugural,wnut17,sec_filings,wikigold})
	once "$out/en.w2v.bin" "$lethe" vectors train --tokenizer letters-digits --zero-digits --output "$out/en.w2v.bin" "${prose[@]}"

	once "$out/en.terms/names.txt" terms "$out/en.terms/names.txt" eponym.single eponym.many scale device.brand
	once "$out/en.terms/drugs.txt" terms "$out/en.terms/drugs.txt" drug.generic drug.brand
	once "$out/en.terms/words.txt" words "$out/en.terms/words.txt" "${prose[@]}"

	local list
	for list in eponyms products goods abbreviations organizations hospitals occupations; do
		once "$out/en.terms/$list.txt" cp "$recipes/lists/$list.txt" "$out/en.terms/$list.txt"
	done

	# Generated notes, from which the teacher learns. The names in those of dev are others.
	local notes=$out/en.first/generated.jsonl
	once "$notes" "$lethe" synth --corpus en --notes 10000 --seed 1 --format jsonl --output "$notes"
	once "$out/en.dev/generated.jsonl" "$lethe" synth --corpus en --split test --notes 120 --seed 2 --format jsonl --output "$out/en.dev/generated.jsonl"
	once "$out/en.dev/written.jsonl" "$out/corpus" written --output "$out/en.dev/written.jsonl" "$recipes/dev/notes/en"
	learn en-teacher train "$recipes/en.yaml" "${early[@]}" --set corpus.splits.train="$notes" --set $network.training.epochs=5

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
	english_notes first "$notes"
	written first 4 16000
	learn en-first train "$recipes/en.yaml" "${early[@]}"
	# The learning rate falls to 0 in six more epochs.
	learn en-second train "$recipes/en.yaml" "${early[@]}" --set $network.start=en-first/model/best/$member --set $network.training.epochs=6 \
		--set $network.optimizer.learning_rate=0.0008 --set $network.optimizer.decay=1 --set $network.optimizer.schedule.method=linear
	packed second

	teacher=en-second.packed
	once "$out/en.third/generated.jsonl" cp "$notes" "$out/en.third/"
	english_notes third "$notes"
	further third second 5 20000 "${early[@]}" "${many[@]}"
	local dropout=(--set "$network.network.dropout=0.35" --set "$network.network.word_dropout=0.15")
	others fourth third
	further fourth third 6 26000 "${early[@]}" "${many[@]}" "${dropout[@]}"
	others fifth fourth
	further fifth fourth 8 32000 "${paragraphs[@]}" "${many[@]}" "${dropout[@]}"
	others sixth fifth
	further sixth fifth 7 36000 "${dropout[@]}" # it stops after six, because those after the third are no better on dev
	others seventh sixth
	further seventh sixth 2 36000 "${dropout[@]}" --set "$network.optimizer.learning_rate=0.0009"
	others eighth seventh
	further eighth seventh 5 40000 "${dropout[@]}" --set "$network.optimizer.learning_rate=0.0012"
	# A better teacher, and the epoch is chosen on more notes.
	local late=("${dropout[@]}" --set "$network.optimizer.learning_rate=0.0012" --set "$network.training.patience=10" --set "corpus.splits.dev=en.measured")
	teacher=en-eighth.packed
	once "$out/en.ninth/generated.jsonl" cp "$notes" "$out/en.ninth/"
	english_notes ninth "$notes"
	further ninth eighth 6 52000 "${late[@]}"
	others tenth ninth
	further tenth ninth 8 60000 "${late[@]}"
	others eleventh tenth
	further eleventh tenth 8 68000 "${late[@]}"
	ship eleventh
}

# english_notes STAGE NOTES makes the files of notes of a stage that the teacher labels, with parts of the generated NOTES.
english_notes() {
	local marked=$out/en.marked text=$LETHE_TEXT/en-clinical names=$LETHE_CORPORA/english-names copy
	label "$name.$1/queries.jsonl" queries "$marked/queries.train.jsonl"
	for copy in 2 3; do # because they are few
		once "$out/$name.$1/queries-$copy.jsonl" renamed queries-$copy "$out/$name.$1/queries.jsonl" "$out/$name.$1/queries-$copy.jsonl"
	done
	label "$name.$1/presidio.jsonl" sentences "$marked/presidio.jsonl"
	label "$name.$1/names.jsonl" names "$names/wikigold/CONLL-format/data/wikigold.conll.txt" "$names/WNUT17/CONLL-format/data/train/wnut17train.conll" \
		"$names/SEC-filings/CONLL-format/data/train/FIN5.txt"
	label "$name.$1/aci_bench.jsonl" carriers --number 400 --seed 1 --notes "$2" "$text/aci_bench"
	label "$name.$1/mts_dialog.jsonl" carriers --number 400 --seed 2 --notes "$2" "$text/mts_dialog"
	label "$name.$1/e3c.jsonl" carriers --number 400 --seed 3 --notes "$2" "$text/e3c_en_ccby_docs"
	label "$name.$1/fragments.jsonl" fragments --number 6000 --notes "$2" "$text"/{medquad,pubmedqa,craft_fulltext,casimedicos_en,codiesp_en_machine_translated}
}

spanish() {
	local name=es types=meddocan words=39000 from=0.4
	local network='system.second_pass.system.corrected.system.ensemble.members[0].system.ann' member=members/first/members/corrected/members/network
	local paragraphs=(--set "$network.sentences=blank-line")
	local early=("${paragraphs[@]}" --set "$network.features.families=$without_space") many=(--set "$network.training.batch=24" --set "$network.training.pool=1")
	local text=$LETHE_TEXT/es-clinical general=$LETHE_TEXT/es-general
	once "$out/es.w2v.bin" "$lethe" vectors train --tokenizer letters-digits --zero-digits --output "$out/es.w2v.bin" \
		"$text"/{cantemist_background,cantemist_gold,meddoprof_sentences,livingner_sentences,spaccc_pharmaconer,casimedicos_es,codiesp_fulltext} \
		"$general"/{legalize_ar_decretos,legalize_ar_leyes,conha19_novels,legalize_pe,cligs_textbox_spanish,fakenews_corpus_es_news,common_voice_es}

	once "$out/es.terms/words.txt" words "$out/es.terms/words.txt" "$text"/{cantemist_background,cantemist_gold,meddoprof_sentences,livingner_sentences,spaccc_pharmaconer,casimedicos_es,codiesp_fulltext} \
		"$general"/{legalize_ar_decretos,conha19_novels,cligs_textbox_spanish}
	local list
	for list in eponyms products organizations-es hospitals-es occupations-es; do
		once "$out/es.terms/$list.txt" cp "$recipes/lists/$list.txt" "$out/es.terms/$list.txt"
	done

	# MEDDOCAN's notes with invented values in place of all of its own: three different ones for train. The values are no
	# secret, and neither is the key that they follow from.
	local key split folder
	for key in 1 2 3; do
		echo "The values that these models learn are public: $key." >"$out/key-$key"
		for split in train dev; do
			[ $split = train ] || [ $key = 1 ] || continue
			once "$out/es.swapped/$split-$key" "$lethe" deidentify --quiet --marked --format meddocan --key-file "$out/key-$key" \
				--output "$out/es.swapped/$split-$key" "$LETHE_CORPORA/meddocan/$split/xml"
			folder=$out/es.${split/train/first}
			once "$folder/meddocan-$key.jsonl" "$out/corpus" --types "$types" notes --format meddocan --output "$folder/meddocan-$key.jsonl" "$out/es.swapped/$split-$key"
		done
	done
	local notes=$out/es.first/generated.jsonl
	once "$notes" "$lethe" synth --corpus es --notes 3000 --seed 1 --format jsonl --output "$notes"
	once "$out/es.dev/generated.jsonl" "$lethe" synth --corpus es --split test --notes 100 --seed 2 --format jsonl --output "$out/es.dev/generated.jsonl"
	if [ ! -e "$out/es-teacher.done" ]; then # the files that it labels come later
		learn es-teacher train "$recipes/es.yaml" "${early[@]}"
	fi
	local teacher=es-teacher
	spanish_notes first "$notes"
	once "$out/es.dev/written.jsonl" "$out/corpus" --types "$types" written --output "$out/es.dev/written.jsonl" "$recipes/dev/notes/es"
	written first 3 6000
	learn es-first train "$recipes/es.yaml" "${early[@]}"
	packed first

	teacher=es-first.packed
	for key in 1 2; do
		once "$out/es.second/meddocan-$key.jsonl" cp "$out/es.first/meddocan-$key.jsonl" "$out/es.second/"
	done
	once "$out/es.second/generated.jsonl" cp "$notes" "$out/es.second/"
	spanish_notes second "$notes"
	further second first 3 8000 "${early[@]}" "${many[@]}"
	others third second
	further third second 3 10000 "${early[@]}" "${many[@]}"
	others fourth third
	further fourth third 4 13000 "${paragraphs[@]}" "${many[@]}"
	others fifth fourth
	once "$out/es.fifth/meddocan-3.jsonl" cp "$out/es.first/meddocan-3.jsonl" "$out/es.fifth/"
	further fifth fourth 5 16000
	others sixth fifth
	further sixth fifth 4 17000 --set "$network.optimizer.learning_rate=0.0012"
	others seventh sixth
	further seventh sixth 2 18000 --set "$network.optimizer.learning_rate=0.0009"
	# A better teacher, and the epoch is chosen on more notes.
	local late=(--set "$network.optimizer.learning_rate=0.0012" --set "$network.network.dropout=0.4" --set "$network.training.patience=10" --set "corpus.splits.dev=es.measured")
	teacher=es-seventh.packed
	for key in 1 2 3; do
		once "$out/es.eighth/meddocan-$key.jsonl" cp "$out/es.first/meddocan-$key.jsonl" "$out/es.eighth/"
	done
	once "$out/es.eighth/generated.jsonl" cp "$notes" "$out/es.eighth/"
	spanish_notes eighth "$notes"
	further eighth seventh 4 22000 "${late[@]}"
	others ninth eighth
	further ninth eighth 6 26000 "${late[@]}"
	others tenth ninth
	further tenth ninth 6 28000 "${late[@]}"
	ship tenth
}

# spanish_notes STAGE NOTES makes the files of notes of a stage that the teacher labels, with parts of the generated NOTES.
spanish_notes() {
	local text=$LETHE_TEXT/es-clinical
	label "$name.$1/cantemist-1.jsonl" carriers --number 400 --seed 1 --notes "$2" "$text/cantemist_background"
	label "$name.$1/cantemist-2.jsonl" carriers --number 400 --seed 2 --notes "$2" "$text/cantemist_gold"
	label "$name.$1/fragments.jsonl" fragments --number 3000 --notes "$2" "$text"/{cantemist_background,casimedicos_es,spaccc_pharmaconer}
}

for language in $languages; do
	case $language in
	en) english ;;
	es) spanish ;;
	*) echo "no model $language (have en, es)" >&2; exit 2 ;;
	esac
done
