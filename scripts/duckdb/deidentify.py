"""A function of DuckDB that de-identifies the notes of a patient with lethe worker:

    python scripts/duckdb/deidentify.py notes.duckdb clean.parquet "
        SELECT person_id, list(note_id) AS ids, list(note_text) AS texts FROM note GROUP BY person_id" -- --model en

The query returns a row per patient, with these three columns. The output has a row per note, with the columns note_id,
note_text and error, one of the last two being NULL. What follows -- are options of lethe worker. In a notebook, use register
and the query in main.
"""

import pathlib
import sys
import threading

import duckdb
import pyarrow as pa

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "spark"))
from lethe_worker import Worker


def register(connection, command):
    """Adds the function clean(patient, ids, texts) to a connection. It returns a list of structs."""
    worker, turn = Worker(command), threading.Lock()  # DuckDB calls the function from several threads

    def request(patient, ids, texts):
        return {"patient": patient, "notes": [{"id": i, "text": t} for i, t in zip(ids, texts)]}

    def clean(patients, ids, texts):
        requests = list(map(request, patients.to_pylist(), ids.to_pylist(), texts.to_pylist()))
        with turn:
            worker.send(requests)
            answers = [worker.receive() for _ in requests]
        rows = []
        for asked, answer in zip(requests, answers):
            notes = answer.get("notes", [answer] * len(asked["notes"]))
            rows.append([{"note_id": q["id"], "note_text": a.get("text"), "error": a.get("error")} for q, a in zip(asked["notes"], notes)])
        note = pa.struct([("note_id", pa.string()), ("note_text", pa.string()), ("error", pa.string())])
        return pa.array(rows, pa.list_(note))

    note = "STRUCT(note_id VARCHAR, note_text VARCHAR, error VARCHAR)[]"
    connection.create_function("clean", clean, ["VARCHAR", "VARCHAR[]", "VARCHAR[]"], note, type="arrow", null_handling="special")


def main():
    given, after = sys.argv[1:], []
    if "--" in given:
        given, after = given[:given.index("--")], given[given.index("--") + 1:]
    if len(given) != 3:
        sys.exit("usage: deidentify.py DATABASE OUTPUT QUERY [-- OPTIONS OF LETHE WORKER]")
    database, output, query = given
    connection = duckdb.connect(database, read_only=True)
    register(connection, ["lethe", "worker", *after])
    connection.sql(f"SELECT unnest(clean(person_id, ids, texts), recursive := true) FROM ({query})").write_parquet(output)


if __name__ == "__main__":
    main()
