"""A DAG of Airflow that de-identifies a file of notes, one shard per task, and checks the shards.

Set the variables of Airflow lethe_notes (a file), lethe_clean (a folder) and lethe_key (a file) to paths that all workers of
Airflow have. A task that is killed is tried again, and writes the same rows.
"""

import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

SHARDS = 8

with DAG("lethe_deidentify", schedule=None, start_date=datetime.datetime(2026, 1, 1), catchup=False):
    deidentify = BashOperator.partial(
        task_id="deidentify",
        retries=3,
        # Exit code 3 means that some notes cannot be examined, which another try cannot change: the task is marked as skipped, and
        # its audit names the notes.
        skip_on_exit_code=3,
        bash_command="""
            lethe deidentify --shard $SHARD --resume --quiet --format jsonl --model en --replace surrogate --key-file "$KEY" \
                --output "$CLEAN/part-${SHARD%/*}.jsonl" --audit "$CLEAN/audit-${SHARD%/*}.jsonl" "$NOTES"
        """,
        append_env=True,
    ).expand(
        env=[
            {"SHARD": f"{i}/{SHARDS}", "NOTES": "{{ var.value.lethe_notes }}", "CLEAN": "{{ var.value.lethe_clean }}", "KEY": "{{ var.value.lethe_key }}"}
            for i in range(1, SHARDS + 1)
        ]
    )
    check = BashOperator(
        task_id="check",
        trigger_rule="none_failed",
        bash_command="""test "$(jq -r '[.config, .model, (.shard / "/")[1]] | @tsv' "$CLEAN"/audit-*.jsonl | sort -u | wc -l)" -eq 1""",
        env={"CLEAN": "{{ var.value.lethe_clean }}"},
        append_env=True,
    )
    deidentify >> check
