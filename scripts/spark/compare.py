"""The steps of compare.sh that are easier in Python."""

import argparse
import json
import os
import random
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq


def prepare(folder):
    """Makes of the lines in synth.jsonl a table in random order (notes.parquet) and the same rows sorted by patient
    (sorted.jsonl)."""
    rows = []
    with open(f"{folder}/synth.jsonl", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            note = json.loads(line)
            rows.append({"note_id": note["id"], "person_id": note["patient"], "ward": f"ward {number % 7}", "note_text": note["text"]})
    rows.sort(key=lambda row: (row["person_id"], row["note_id"]))
    with open(f"{folder}/sorted.jsonl", "w", encoding="utf-8") as out:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False), file=out)
    random.Random(1).shuffle(rows)
    os.makedirs(f"{folder}/notes.parquet")
    files = 8
    for i in range(files):
        pq.write_table(pa.Table.from_pylist(rows[i::files]), f"{folder}/notes.parquet/part-{i}.parquet")


def equal(jsonl, parquet):
    """Compares all rows and columns, in the order of the ids."""
    with open(jsonl, encoding="utf-8") as lines:
        one = sorted((json.loads(line) for line in lines), key=lambda row: row["note_id"])
    table = pq.read_table(parquet)
    other = sorted(table.to_pylist(), key=lambda row: row["note_id"])
    different = sum(a != b for a, b in zip(one, other))
    print(f"{len(one)} rows, {len(other)} rows, {different} different")
    if len(one) != len(other) or different:
        sys.exit(1)


def presidio(parquet, notes):
    """Replaces what the patterns of Presidio find, in a Python function of Spark, and prints the seconds."""
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.appName("presidio").getOrCreate()
    table = spark.read.parquet(parquet).limit(notes).repartition(4 * spark.sparkContext.defaultParallelism).cache()
    table.count()

    def clean(batches):
        import presidio_udf
        for batch in batches:
            texts = pa.array([presidio_udf.clean(text) for text in batch.column("note_text").to_pylist()], pa.string())
            yield batch.set_column(batch.schema.get_field_index("note_text"), "note_text", texts)

    spark.range(1000).repartition(4).mapInArrow(lambda batches: (b for b in batches if __import__("presidio_udf").clean("Warm")), "id long").count()
    began = time.monotonic()
    table.mapInArrow(clean, table.schema).write.format("noop").mode("overwrite").save()
    print(f"{time.monotonic() - began:.1f}")
    spark.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("prepare").add_argument("folder")
    two = commands.add_parser("equal")
    two.add_argument("jsonl")
    two.add_argument("parquet")
    peer = commands.add_parser("presidio")
    peer.add_argument("parquet")
    peer.add_argument("notes", type=int)
    args = vars(parser.parse_args())
    globals()[args.pop("command")](**args)
