"""Removes PHI from a table of notes with Spark. See README.md.

    spark-submit --py-files lethe_worker.py deidentify.py --lethe ./lethe --ship key \\
        --input notes.parquet --output clean.parquet --failed failed.parquet \\
        --column note_text --id note_id --patient person_id -- --replace surrogate --key-file key
"""

import argparse
import os
import re
import sys
import time

import pyarrow as pa
from pyspark import SparkFiles, StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

import lethe_worker

ERROR = "lethe_error"  # a column that the output does not have
RESERVED = ["error", "hello", "line", "notes", ERROR]  # keys of the worker's protocol, which columns cannot have
MARK = "lethe worker failed: "  # begins the message in Spark's traceback that the user should see


def arguments():
    given, after = sys.argv[1:], []
    if "--" in given:
        given, after = given[:given.index("--")], given[given.index("--") + 1:]
    parser = argparse.ArgumentParser(description="Remove PHI from a table of notes with Spark.", epilog="All arguments after -- are options of lethe worker, such as --model, --policy, --replace or --key-file.")
    parser.add_argument("--input", required=True, help="path or URL of the table")
    parser.add_argument("--output", required=True, help="path or URL of the table without PHI; must not exist")
    parser.add_argument("--failed", required=True, help="path or URL of a table with the ids of the notes that could not be examined, and the reasons; must not exist")
    parser.add_argument("--format", default="parquet", help="format of the input: parquet (default), json, orc, delta, ...")
    parser.add_argument("--output-format", help="format of both outputs (default that of the input)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of Spark's reader, such as header=true for csv; repeatable")
    parser.add_argument("--column", action="append", required=True, help="name of a column with notes; repeatable")
    parser.add_argument("--id", required=True, help="name of the column with the id of the note")
    parser.add_argument("--patient", required=True, help="name of the column that identifies the patient; its values are set to null")
    parser.add_argument("--keep-patient", action="store_true", help="keep the values of --patient")
    parser.add_argument("--lethe", default="lethe", help="the program: a file that Spark copies to the executors, or local:/path for a file that every executor has (default: lethe in the PATH of the executors)")
    parser.add_argument("--ship", action="append", default=[], metavar="FILE", help="file that Spark copies to the executors; an option of lethe worker with this path gets the path of the copy; repeatable")
    parser.add_argument("--partitions", type=int, help="number of partitions by patient (default 4 per core)")
    args = parser.parse_args(given)
    for name in args.column + [args.id, args.patient]:
        if "." in name or name in RESERVED:
            parser.error(f"a column with the name {name!r} is not supported: rename it")
    args.options = after
    return args


def main():
    args = arguments()
    spark = SparkSession.builder.appName("lethe").getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")  # failed tasks are in the web interface; the error that ends the job is printed below
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 1000)  # so that Python and the worker work at the same time
    try:
        run(spark, args)
    except Stop as stop:
        sys.exit(f"deidentify.py: {stop}")
    except Exception as error:
        line = next((line for line in str(error).splitlines() if MARK in line), None)
        if line is None:
            raise
        sys.exit("deidentify.py: " + line[line.index(MARK) + len(MARK):].strip())
    finally:
        spark.stop()


class Stop(Exception):
    """An error with one line for the user."""


def run(spark, args):
    notes = spark.read.format(args.format).options(**dict(option.split("=", 1) for option in args.option)).load(args.input)
    for name in args.column + [args.id, args.patient]:
        if name not in notes.columns:
            raise Stop(f"{args.input}: no column {name!r} (have {', '.join(notes.columns)})")
    for name in args.column:
        if not isinstance(notes.schema[name].dataType, StringType):
            raise Stop(f"{args.input}: the column {name!r} has the type {notes.schema[name].dataType.simpleString()}, not string")
    for path in args.output, args.failed:
        if exists(spark, path):
            raise Stop(f"{path}: already exists")
    command = ship(spark, args)
    hello = check_executors(spark, command)
    print(f"lethe {hello['version']}, model {hello['model']}, options {hello['config']}", file=sys.stderr)

    began = time.monotonic()
    schema = StructType([StructField(f.name, f.dataType, True) for f in notes.schema] + [StructField(ERROR, StringType())])
    partitions = args.partitions or 4 * spark.sparkContext.defaultParallelism
    # A note without a patient goes by its id, so that such notes are not all in one partition.
    whose = F.coalesce(F.col(args.patient).cast("string"), F.col(args.id).cast("string"))
    sorted_notes = notes.repartition(partitions, whose).sortWithinPartitions(args.patient, args.id)
    clean = sorted_notes.mapInArrow(Cleaner(args, command, hello), schema)
    clean = clean.persist(StorageLevel.DISK_ONLY)  # both tables are made of it
    clean.filter(F.col(ERROR).isNull()).drop(ERROR).write.format(args.output_format or args.format).save(args.output)
    clean.filter(F.col(ERROR).isNotNull()).select(args.id, F.col(ERROR).alias("error")).write.format(args.output_format or args.format).save(args.failed)
    count(spark, args, notes, time.monotonic() - began)


def exists(spark, path):
    path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(path)
    return path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).exists(path)


def ship(spark, args):
    """Copies the files to the executors, and returns the command of the worker. Each part of it that names a copy begins with
    a mark, because the executors have the copies in different folders."""
    def add(path):
        if not os.path.isfile(path):
            raise Stop(f"{path}: no such file")
        spark.sparkContext.addFile(os.path.abspath(path))
        return "copy:" + os.path.basename(path)
    copies = {path: add(path) for path in args.ship}
    if args.lethe.startswith("local:"):
        program = args.lethe.removeprefix("local:").replace("//", "")
    else:
        program = args.lethe if args.lethe == "lethe" else add(args.lethe)
    command = [program, "worker", "--workers", "1", "--id", args.id, "--patient", args.patient]
    for name in args.column:
        command += ["--column", name]
    return command + [copies.get(option, option) for option in args.options]


def local(command):
    """Returns the command with the paths of the copies on this executor."""
    return [SparkFiles.get(part.removeprefix("copy:")) if part.startswith("copy:") else part for part in command]


def check_executors(spark, command):
    """Starts workers on the executors, and returns what they say. It is an error if one cannot start, or if they differ."""
    def hello(_):
        try:
            return [lethe_worker.worker(local(command)).hello]
        except lethe_worker.WorkerFailed as failed:
            return [str(failed)]
    n = 4 * spark.sparkContext.defaultParallelism
    answers = spark.sparkContext.parallelize(range(n), n).mapPartitions(hello).collect()
    for answer in answers:
        if isinstance(answer, str):
            raise Stop(answer)
        if answer != answers[0]:
            raise Stop(f"the executors have different programs, models or options: {answers[0]} and {answer}")
    return answers[0]


class Cleaner:
    """The function of mapInArrow: de-identifies the rows of a partition, which are sorted by patient."""

    def __init__(self, args, command, hello):
        self.columns, self.id, self.patient, self.keep_patient = args.column, args.id, args.patient, args.keep_patient
        self.command, self.hello = command, hello

    def __call__(self, batches):
        command = local(self.command)
        try:
            worker = lethe_worker.worker(command)
            if worker.hello != self.hello:
                raise lethe_worker.WorkerFailed(f"another program, model or options than on the other executors: {worker.hello}")
            # While the worker processes some patients, the next ones are read.
            ahead = None
            for table in whole_patients(batches, self.patient):
                requests = list(self.requests(table))
                worker.send(request for request, _ in requests)
                if ahead:
                    yield from self.answers(worker, *ahead)
                ahead = table, requests
            if ahead:
                yield from self.answers(worker, *ahead)
        except lethe_worker.WorkerFailed as failed:
            lethe_worker.discard(command)
            raise RuntimeError(MARK + str(failed)) from None
        except BaseException:  # also if Spark stops reading: answers to requests are then still to come
            lethe_worker.discard(command)
            raise

    def requests(self, table):
        """Yields the requests for a table, each with the number of its rows: one per patient, or per note without a patient."""
        notes = table.select(dict.fromkeys([self.id, *self.columns])).to_pylist()
        patients = table.column(self.patient).cast(pa.string()).to_pylist()
        from_ = 0
        while from_ < len(notes):
            to = from_ + 1
            while patients[from_] is not None and to < len(notes) and patients[to] == patients[from_]:
                to += 1
            rows = [{name: value if name in self.columns else text(value) for name, value in note.items()} for note in notes[from_:to]]
            yield ({**rows[0], self.patient: None} if patients[from_] is None else {"patient": patients[from_], "notes": rows}), to - from_
            from_ = to

    def answers(self, worker, table, requests):
        notes = []
        for request, n in requests:
            answer = worker.receive()
            if "notes" in request:
                answer = answer.get("notes") or [answer] * n
            else:
                answer = [answer]
            if len(answer) != n:
                raise lethe_worker.WorkerFailed(f"{len(answer)} answers to {n} notes")
            notes += answer
        errors = [None if self.columns[0] in note else re.sub(r"^stdin:\d+: ", "", note["error"]) for note in notes]
        columns = {}
        for name in table.column_names:
            column = table.column(name)
            if name in self.columns:
                column = pa.array([None if error else note[name] for note, error in zip(notes, errors)], column.type)
            elif name == self.patient and not self.keep_patient:
                column = pa.nulls(len(table), column.type)
            columns[name] = column
        columns[ERROR] = pa.array(errors, pa.string())
        yield from pa.table(columns).combine_chunks().to_batches()


def text(value):
    """Returns an id as lethe compares it."""
    return None if value is None else str(value)


def whole_patients(batches, patient):
    """Yields tables of consecutive rows. All rows of a patient are in one table."""
    rest = []
    for batch in batches:
        if batch.num_rows == 0:
            continue
        keys = batch.column(batch.schema.get_field_index(patient)).to_pylist()
        at = len(keys)
        while at > 0 and keys[at - 1] is not None and keys[at - 1] == keys[-1]:
            at -= 1
        # Rows up to at end with a complete patient. A row without a patient is complete, so then at is len(keys).
        if at > 0:
            yield pa.Table.from_batches(rest + [batch.slice(0, at)])
            rest = []
        if at < len(keys):
            rest.append(batch.slice(at))
    if rest:
        yield pa.Table.from_batches(rest)


def count(spark, args, notes, seconds):
    """Checks that no note was lost or doubled."""
    def rows(path):
        return spark.read.format(args.output_format or args.format).load(path).count()
    total, clean, failed = notes.count(), rows(args.output), rows(args.failed)
    print(f"{total} notes: {clean} in {args.output}, {failed} in {args.failed}, {seconds:.0f} s, {total / seconds:.0f} notes/s", file=sys.stderr)
    if clean + failed != total:
        raise Stop(f"{total} notes in the input, but {clean + failed} in the outputs: did the input change meanwhile?")


if __name__ == "__main__":
    main()
