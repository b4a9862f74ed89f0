"""Measures other programs on the same bytes or rows, each in a process of its own: rivals.py NAME FILE prints figures as JSON.

Each rival imports its modules itself, so that they do not add to the memory of others.
"""
import json
import statistics
import sys
import time

QUERY_RUNS = 7   # as many runs as `snapviewer_bench` does


def clock_ms(work):
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def peak_bytes():
    import resource
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def unpickle(path):
    """CPython unpickles a snapshot into Python objects; nothing is drawn or queried."""
    import pickle
    kept = []

    def load():
        with open(path, "rb") as file:
            kept.append(pickle.load(file))
    return {"ms": clock_ms(load), "bytes": peak_bytes()}


def json_texts(path):
    import zipfile
    with zipfile.ZipFile(path) as archive:
        return [archive.read(name) for name in archive.namelist() if name.endswith(".json")]


def parse_json(path):
    """CPython reads a SnapViewer zip into Python objects."""
    import zipfile
    kept = []

    def load():
        archive = zipfile.ZipFile(path)
        kept.extend(json.load(archive.open(name)) for name in archive.namelist() if name.endswith(".json"))
    return {"ms": clock_ms(load), "bytes": peak_bytes()}


def dump_json(path):
    """json.dumps of the content of a SnapViewer zip."""
    parsed = [json.loads(text) for text in json_texts(path)]
    written = []
    return {"ms": clock_ms(lambda: written.extend(json.dumps(value) for value in parsed)), "bytes": sum(map(len, written))}


def ask(path):
    """Runs queries from standard input, pairs of a name and its SQL, on SQLite's own tables. Returns the median of
    several runs for each."""
    import sqlite3
    connection = sqlite3.connect(path)
    took = {}
    for name, sql in json.load(sys.stdin).items():
        runs = [clock_ms(lambda: connection.execute(sql).fetchall()) for _ in range(QUERY_RUNS)]
        took[name] = statistics.median(runs)
    return took


def make_tables(connection, schema):
    """A journal would only slow the rival down, and the written file is discarded."""
    connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    for sql in schema:
        connection.execute(sql)


def fill(path):
    """Copies the rows of a database into a new one in one transaction, with its indexes: with executemany on rows in memory, whose
    reading is not timed, and with INSERT ... SELECT. The LIMIT prevents SQLite from copying whole pages instead of inserting rows."""
    import os
    import sqlite3
    source = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    described = source.execute("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%'").fetchall()
    tables = {name: sql for kind, name, sql in described if kind == "table"}
    indexes = [sql for kind, _, sql in described if kind == "index"]
    new_path = f"{path}.rival"

    def into_new(write_table):
        if os.path.exists(new_path):
            os.remove(new_path)
        target = sqlite3.connect(new_path, isolation_level=None)
        make_tables(target, tables.values())
        target.execute("ATTACH ? AS source", (f"{path}",))
        target.execute("BEGIN")
        took = sum(write_table(target, name) for name in tables)
        took += sum(clock_ms(lambda: target.execute(sql)) for sql in indexes)
        took += clock_ms(lambda: target.execute("COMMIT"))
        target.close()
        os.remove(new_path)
        return took

    def many(target, name):
        rows = source.execute(f'SELECT * FROM "{name}"').fetchall()
        if not rows:
            return 0
        places = ", ".join("?" * len(rows[0]))
        return clock_ms(lambda: target.executemany(f'INSERT INTO "{name}" VALUES ({places})', rows))

    def select(target, name):
        return clock_ms(lambda: target.execute(f'INSERT INTO main."{name}" SELECT * FROM source."{name}" LIMIT -1'))
    rows = sum(source.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables)
    return {"rows": rows, "executemany_ms": into_new(many), "insert_select_ms": into_new(select)}


if __name__ == "__main__":
    print(json.dumps({rival.__name__: rival for rival in (unpickle, parse_json, dump_json, ask, fill)}[sys.argv[1]](sys.argv[2])))
