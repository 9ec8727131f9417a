#!/usr/bin/env bash
# Compares decision trees and AdaBoost.M1 with WEKA's J48 and AdaBoostM1.
#
#   pip install scikit-learn
#   LETHE_CORPORA=/data scripts/peers/weka/run.sh RESULTS.jsonl
#   scripts/peers/weka/table.py RESULTS.jsonl
#
# Fetches WEKA with Maven, and requires a JDK of version 11 or later. LETHE_CORPORA may
# be absent: then the set of words is left out. Appends lines to RESULTS.jsonl.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: [LETHE_CORPORA=DIR] scripts/peers/weka/run.sh RESULTS.jsonl" >&2; exit 2; }
PYTHON=${PYTHON-python3} # an interpreter with scikit-learn
WEKA=${WEKA-nz.ac.waikato.cms.weka:weka-stable:3.8.6}
SETS=${SETS-} # names of data sets; empty: all
NICE=${NICE:-nice -n 0} # prefix of the commands to measure

results=$(realpath "$1")
cd "$(dirname "$0")/../../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/pom.xml" <<POM
<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
<dependencies><dependency><groupId>${WEKA%%:*}</groupId>
<artifactId>$(cut -d: -f2 <<<"$WEKA")</artifactId><version>${WEKA##*:}</version></dependency></dependencies></project>
POM
mvn -q -B -f "$tmp/pom.xml" dependency:copy-dependencies -DoutputDirectory="$tmp/lib" >&2
CGO_ENABLED=0 go build -o "$tmp/lethe" ./scripts/peers/weka
"$PYTHON" scripts/peers/weka/data.py "$tmp"

scripts/peers/machine.py >>"$results"
for train in "$tmp"/*.train.arff; do
	name=$(basename "$train" .train.arff)
	[ -z "$SETS" ] || grep -qw "$name" <<<"$SETS" || continue
	echo "$name" >&2
	test=$tmp/$name.test.arff
	$NICE "$tmp/lethe" "$train" "$test" >>"$results"
	# WEKA reports missing native libraries on its error stream, which it can do without.
	$NICE java -Xmx2g -cp "$tmp/lib/*" scripts/peers/weka/Driver.java "$train" "$test" 2>"$tmp/java.log" >>"$results" ||
		{ cat "$tmp/java.log" >&2; exit 1; }
done
