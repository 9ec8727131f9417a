#!/bin/sh
# Starts or stops a standalone Spark cluster on this machine, from the pyspark of a virtual environment:
#
#   scripts/spark/cluster.sh start FOLDER [WORKERS]   prints the URL of the master (default 2 workers of 1 core and 2 GB)
#   scripts/spark/cluster.sh stop FOLDER
#
# FOLDER gets the logs, the workers' files and, if it is not there, the virtual environment FOLDER/venv with pyspark. Java 17
# must be installed. Ports are chosen by the system, and only this machine can connect.
set -eu

usage() { echo "usage: cluster.sh start FOLDER [WORKERS] | stop FOLDER" >&2; exit 2; }
[ $# -ge 2 ] || usage
mkdir -p "$2"
folder=$(cd "$2" && pwd)
venv=$folder/venv

if [ ! -x "$venv/bin/python" ]; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet pyspark pyarrow 'pandas<3' >&2
fi
SPARK_HOME=$("$venv/bin/python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
export SPARK_HOME SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON="$venv/bin/python"

# launch NAME CLASS ARGUMENTS... starts a daemon and writes its process id.
launch() {
	name=$1
	shift
	nohup "$SPARK_HOME/bin/spark-class" "$@" >"$folder/$name.log" 2>&1 </dev/null &
	echo $! >"$folder/$name.pid"
}

# await FILE PATTERN waits until a line of a log matches.
await() {
	for _ in $(seq 60); do
		grep -qs "$2" "$1" && return
		sleep 1
	done
	echo "cluster.sh: $1 does not contain \"$2\" after 60 s" >&2
	exit 1
}

case $1 in
start)
	launch master org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0
	await "$folder/master.log" 'Starting Spark master at spark://'
	url=$(sed -n 's/.*Starting Spark master at \(spark:.*\)/\1/p' "$folder/master.log")
	for i in $(seq "${3:-2}"); do
		launch "worker$i" org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --webui-port 0 --cores 1 --memory 2g --work-dir "$folder/work$i" "$url"
		await "$folder/worker$i.log" 'Successfully registered with master'
	done
	echo "$url"
	;;
stop)
	for pid in "$folder"/*.pid; do
		[ -f "$pid" ] || continue
		kill "$(cat "$pid")" 2>/dev/null || true
		rm "$pid"
	done
	;;
*) usage ;;
esac
