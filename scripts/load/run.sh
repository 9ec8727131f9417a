#!/bin/sh
# Measure the service, and Presidio's patterns beside it, with 200 clients. Needs Go, and Python with presidio-analyzer, flask and
# gunicorn (PYTHON), and takes twice TIME and half of it. Raw results are added to OUT.
#
#   PYTHON=venv/bin/python scripts/load/run.sh ./lethe docs/benchmarks/service.jsonl
set -eu

lethe=$1
out=$2
: "${TIME:=600}" "${CLIENTS:=200}" "${PYTHON:=python3}"
dir=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$dir"' EXIT
go build -o "$dir/load" ./scripts/load
"$lethe" synth --corpus en --split test --notes 4000 --output "$dir/notes.jsonl" --format jsonl

measure() { # NAME, URL, SECONDS, OTHER FLAGS OF load...
	name=$1 url=$2 seconds=$3
	shift 3
	for _ in $(seq 100); do
		if curl -sf "$(dirname "$url" | sed 's|/v1$||')/health" >/dev/null; then break; fi
		sleep 0.2
	done
	echo "{\"run\":\"$name\",\"date\":\"$(date +%F)\",\"cores\":$(nproc),\"load_before\":\"$(cut -d' ' -f1-3 /proc/loadavg)\"}" >>"$out"
	"$dir/load" -url "$url" -pid "$server" -clients "$CLIENTS" -for "${seconds}s" "$@" "$dir/notes.jsonl" >>"$out"
}
end() {
	kill "$server"
	wait "$server" || true
	server=
}

"$lethe" serve --model en --quiet 2>"$dir/log" &
server=$!
measure "lethe /v1/deidentify" http://127.0.0.1:5002/v1/deidentify "$TIME"
measure "lethe /analyze" http://127.0.0.1:5002/analyze $((TIME / 4))
measure "lethe /v1/deidentify, hostile" http://127.0.0.1:5002/v1/deidentify $((TIME / 4)) -hostile 10000
end
"$PYTHON" -m gunicorn --chdir scripts/load --workers "$(nproc)" --bind 127.0.0.1:5003 presidio:app >"$dir/log" 2>&1 &
server=$!
measure "presidio 2.2.366 /analyze, patterns only" http://127.0.0.1:5003/analyze $((TIME / 2))
end
