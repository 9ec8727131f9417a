#!/bin/sh
#SBATCH --job-name=lethe
#SBATCH --cpus-per-task=4
#SBATCH --mem=4G
#SBATCH --output=lethe-%A_%a.log
#
# De-identifies a file of notes with an array of Slurm, one shard per task:
#
#   SHARDS=8 sbatch --array=1-8 scripts/slurm/deidentify.sh notes.jsonl clean --model en --replace surrogate --key-file key
#
# Task 3 writes clean/part-3.jsonl and clean/audit-3.jsonl. All arguments after the first two are options of lethe deidentify.
# Submit tasks that failed again with the same SHARDS and their numbers, such as --array=3,5: complete files stay.
set -eu
: "${SHARDS:?is the number of shards, which must be that of the whole array}"
notes=$1
clean=$2
shift 2
exec lethe deidentify --shard "auto/$SHARDS" --workers "${SLURM_CPUS_PER_TASK:-1}" --resume --format jsonl \
	--output "$clean/part-$SLURM_ARRAY_TASK_ID.jsonl" --audit "$clean/audit-$SLURM_ARRAY_TASK_ID.jsonl" "$@" "$notes"
