#!/bin/sh
# Run the commands that read notes in a network namespace without even loopback, and fail if one of them ever asked for a socket.
# serve.sh does the same for the service. Requires Linux, unshare and strace, but no privileges.
#
#   scripts/offline/commands.sh ./lethe
set -eu

if [ "${INSIDE:-}" != 1 ]; then
	INSIDE=1 exec unshare --map-root-user --net "$0" "$@"
fi
lethe=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
failed=0

run() { # NAME, ARGUMENTS OF LETHE
	name=$1
	shift
	if ! strace -f -qq -e trace=%network -e signal=none -o trace "$lethe" "$@" >out 2>log; then
		echo "FAILED  $name: $(tail -n 1 log)"
		failed=1
	elif [ -s trace ]; then
		echo "FAILED  $name used the network: $(head -n 1 trace)"
		failed=1
	else
		echo "ok      $name"
	fi
}

head -c 24 /dev/urandom | base64 >key
echo "Mrs. Oda Lund was seen by Dr. Vega on 03/04/2031." >note.txt
cat >ward.yaml <<'END'
name: ward
corpus:
  format: jsonl
  types: i2b2-2014
  splits: {train: train.jsonl, dev: dev.jsonl, test: test.jsonl}
system: {ann: {network: {character_lstm: 5, token_lstm: 10}, training: {epochs: 1}}}
END
run "synth, train" synth --notes 40 --seed 1 --format jsonl --output train.jsonl
run "synth, dev" synth --notes 10 --seed 2 --split test --format jsonl --output dev.jsonl
run "synth, test" synth --notes 10 --seed 3 --split test --format jsonl --output test.jsonl
run "check" check ward.yaml
run "train" train ward.yaml --out run
run "predict" predict run --split test
run "report" report run --output report.html
run "calibrate" calibrate run
run "models" models
run "version" version --json
run "deidentify" deidentify note.txt --output clean.txt --audit audit.jsonl
run "deidentify, surrogates" deidentify note.txt --replace surrogate --key-file key --output other.txt
run "deidentify, run" deidentify note.txt --model run --output third.txt
run "attack" attack dev.jsonl --marked --output suspects.jsonl
run "evidence" evidence --audit audit.jsonl --model auto --output evidence.pdf --output evidence.html
run "memory" memory run
exit $failed
