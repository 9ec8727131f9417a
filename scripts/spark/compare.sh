#!/bin/sh
# Compares a Spark cluster on this machine with one run of lethe deidentify:
#
#   scripts/spark/compare.sh NOTES FOLDER
#
# NOTES generated notes of FOLDER/notes.parquet are de-identified with surrogates
#
#   - by lethe deidentify, on the same rows sorted by patient, with one worker and with two
#   - by a cluster with one worker of one core, and with two
#   - by a cluster with two workers, while a process of lethe and then an executor are killed
#   - a tenth of them, by a Python function with the patterns of Presidio, on two workers
#
# All outputs of Lethe must be equal, row by row. The comparison is printed; FOLDER keeps the tables, the logs and results.tsv.
# It takes some minutes for 5,000 notes. MODEL is the model (default en), and CORPUS the kind of notes that lethe synth generates (default en). FOLDER must be
# new, except for its venv.
set -eu

[ $# = 2 ] || { echo "usage: compare.sh NOTES FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
notes=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
model=${MODEL:-en}
[ ! -e "$folder/results.tsv" ] || { echo "compare.sh: $folder already has results" >&2; exit 2; }
if [ ! -x "$folder/venv/bin/python" ]; then
	python3 -m venv "$folder/venv"
	"$folder/venv/bin/pip" install --quiet pyspark pyarrow 'pandas<3' presidio-analyzer==2.2.366
fi
python=$folder/venv/bin/python
export SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON="$python"
trap '"$here/cluster.sh" stop "$folder/cluster"' EXIT
mkdir -p "$folder/cluster"
ln -sfn "$folder/venv" "$folder/cluster/venv"

(cd "$here/../.." && CGO_ENABLED=0 go build -trimpath -o "$folder/lethe" ./cmd/lethe)
echo 'a key for the comparison' >"$folder/key"
"$folder/lethe" synth --corpus "${CORPUS:-en}" --notes "$notes" --split test --seed 4 --format jsonl --output "$folder/synth.jsonl"
"$python" "$here/compare.py" prepare "$folder"

# result NAME SECONDS NOTES NOTE prints a row and keeps it.
result() {
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >>"$folder/results.tsv"
	awk -v name="$1" -v s="$2" -v n="$3" -v note="$4" 'BEGIN { printf "| %s | %.0f | %.0f | %s |\n", name, s, n / s, note }'
}

echo "| $notes notes | seconds | notes/s | rows |"
echo "|---|---:|---:|---|"

for workers in 1 2; do
	began=$(date +%s.%N)
	"$folder/lethe" deidentify --format jsonl --column note_text --id note_id --patient person_id --model "$model" --replace surrogate \
		--key-file "$folder/key" --workers $workers --quiet --output "$folder/one$workers.jsonl" "$folder/sorted.jsonl"
	result "lethe deidentify --workers $workers" "$(awk "BEGIN { print $(date +%s.%N) - $began }")" "$notes" ""
done
cmp "$folder/one1.jsonl" "$folder/one2.jsonl"

# submit NAME runs the job. Its seconds are those of reading, de-identifying and writing, without the start of Spark.
submit() {
	"$folder/venv/bin/spark-submit" --master "$url" --py-files "$here/lethe_worker.py" "$here/deidentify.py" --lethe "$folder/lethe" --ship "$folder/key" \
		--input "$folder/notes.parquet" --output "$folder/$1.parquet" --failed "$folder/$1-failed.parquet" --column note_text --id note_id --patient person_id \
		-- --model "$model" --replace surrogate --key-file "$folder/key" >"$folder/$1.log" 2>&1 || { tail -3 "$folder/$1.log" >&2; exit 1; }
}

# seconds NAME prints the seconds of a job.
seconds() { sed -n 's/.* in .*, \([0-9]*\) s, .*/\1/p' "$folder/$1.log"; }

# report NAME TITLE compares the output of a job with that of one machine.
report() { result "$2" "$(seconds "$1")" "$notes" "$("$python" "$here/compare.py" equal "$folder/one1.jsonl" "$folder/$1.parquet")"; }

url=$("$here/cluster.sh" start "$folder/cluster" 1)
submit spark1
report spark1 "Spark, one worker"
"$here/cluster.sh" stop "$folder/cluster"

url=$("$here/cluster.sh" start "$folder/cluster" 2)
submit spark2
report spark2 "Spark, two workers"

# process NAME prints the ids of the processes with this name that executors of the cluster run in their folders.
process() {
	for dir in /proc/[0-9]*; do
		case $(readlink "$dir/cwd" 2>/dev/null) in
		"$folder"/cluster/work*) [ "$(cat "$dir/comm" 2>/dev/null)" != "$1" ] || basename "$dir" ;;
		esac
	done
}

# kill_one NAME kills one of these processes.
kill_one() {
	victim=$(process "$1" | head -1)
	[ -n "$victim" ] || { echo "compare.sh: no process $1 to kill" >&2; exit 1; }
	kill -9 "$victim"
	echo "killed $1 ($victim)" >>"$folder/kills.log"
}

submit killed &
job=$!
while [ "$(process lethe | wc -l)" -lt 2 ]; do
	sleep 1
	kill -0 $job || exit 1
done
part=$(($(seconds spark2) / 3 + 1))
sleep $part
kill_one lethe
sleep $part
kill_one java
wait $job
report killed "Spark, two workers, a process of lethe and an executor killed"

sample=$((notes / 10))
"$folder/venv/bin/spark-submit" --master "$url" --py-files "$here/presidio_udf.py,$here/../peers/presidio/spans.py" "$here/compare.py" presidio \
	"$folder/notes.parquet" $sample >"$folder/presidio.out" 2>"$folder/presidio.log" || { tail -3 "$folder/presidio.log" >&2; exit 1; }
result "Spark, two workers, Presidio's patterns in Python" "$(tail -1 "$folder/presidio.out")" $sample "$sample rows"
