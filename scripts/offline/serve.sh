#!/bin/sh
# Run "lethe serve" in a network namespace that has nothing but loopback, use each of its endpoints once, and fail if it ever
# opened a connection or sent a datagram to anywhere. Requires Linux, unshare, ip, strace and curl, but no privileges.
#
#   scripts/offline/serve.sh ./lethe [FLAGS OF SERVE...]
set -eu

if [ "${INSIDE:-}" != 1 ]; then
	INSIDE=1 exec unshare --map-root-user --net "$0" "$@"
fi
lethe=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ip link set lo up
url=http://127.0.0.1:5002
echo "Mrs. Oda Lund was seen by Dr. Vega on 03/04/2031." >"$dir/note.txt"
"$lethe" review sample "$dir/note.txt" --notes 1 --readers anna --output "$dir/ward" 2>"$dir/log"

# The connections of curl are not in the trace, which is only of Lethe.
strace -f -qq -e trace=connect,sendto,sendmsg,sendmmsg -o "$dir/trace" "$lethe" serve --review "$dir/ward" "$@" 2>"$dir/log" &
tracer=$!
for _ in $(seq 100); do
	if curl -sf "$url/readyz" >/dev/null; then break; fi
	sleep 0.2
done

failed=0
check() { # NAME, EXPECTED PART OF THE ANSWER, ARGUMENTS OF CURL
	name=$1 part=$2
	shift 2
	if curl -s --max-time 60 "$@" | grep -qF "$part"; then
		echo "ok      $name"
	else
		echo "FAILED  $name"
		failed=1
	fi
}
note='{"text":"Seen by Dr. Vega on 03/04/2031."}'
check "note" 'on 2031.' --json "$note" "$url/v1/deidentify"
check "stream" 'on 2031.' -H 'Content-Type: application/x-ndjson' --data-binary "$note" "$url/v1/deidentify"
check "page" '<html' "$url/"
check "analyze" '"start"' --json '{"text":"Seen by Dr. Vega on 03/04/2031.","language":"en"}' "$url/analyze"
check "anonymize" '<PERSON>' --json '{"text":"Oda","analyzer_results":[{"start":0,"end":3,"score":1,"entity_type":"PERSON"}]}' "$url/anonymize"
check "deanonymize" 'Oda' --json '{"text":"Oda","anonymizer_results":[{"start":0,"end":3,"entity_type":"PERSON"}],"deanonymizers":{"DEFAULT":{"type":"deanonymize_keep"}}}' "$url/deanonymize"
for names in recognizers supportedentities anonymizers deanonymizers; do
	check "$names" '["' "$url/$names?language=en"
done
check "health" 'is up' "$url/health"
config='<View><Labels name="label" toName="text"><Label value="PHI"/></Labels><Text name="text" value="$text"/></View>'
config=$(echo "$config" | sed 's/"/\\"/g')
check "Label Studio" 'UP' "$url/label-studio/health"
check "Label Studio, setup" 'model_version' --json "{\"schema\":\"$config\"}" "$url/label-studio/setup"
check "Label Studio, predictions" '"start"' --json "{\"label_config\":\"$config\",\"tasks\":[{\"id\":1,\"data\":{\"text\":\"Seen by Dr. Vega on 03/04/2031.\"}}]}" "$url/label-studio/predict"
check "INCEpTION" 'does not learn' --json '{}' "$url/inception/en/train"
check "review" '"readers"' "$url/v1/review"
check "review, note" '"spans"' "$url/v1/review/notes/1?reader=anna"
check "review, correction" '"version"' -X PUT --json '{"spans":[],"done":true,"version":0}' "$url/v1/review/notes/1?reader=anna"
check "review, bound" '"' "$url/v1/review/bound"
check "description" '"openapi"' "$url/openapi.json"
check "models" '"models"' "$url/v1/models"
check "metrics" 'lethe_build_info' "$url/metrics"

kill "$(pgrep -P "$tracer" | head -1)"
wait "$tracer" || { echo "FAILED  the service ended with an error"; failed=1; }
if grep -E 'connect\(|send(to|msg|mmsg)\(' "$dir/trace"; then
	echo "FAILED  the service opened connections, or sent datagrams: see above"
	failed=1
else
	echo "ok      no connection and no datagram to anywhere"
fi
exit $failed
