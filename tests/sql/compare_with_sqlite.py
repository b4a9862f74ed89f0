#!/usr/bin/env python3
"""Runs the same queries on the same files with `snapviewer query` and Python's SQLite, and compares the rows.

    compare_with_sqlite.py --snapviewer BINARY --files generated|shared [--shared FOLDER]

"generated" are newly made snapshots and the bundled sample, whose exports are compared, too; "shared" are the real files of a folder,
skipped (exit status 77) if there are none. Lifetimes and totals come from the reference timeline.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from cases import FILE_CASES, TIMELINE_CASES  # noqa: E402
from own_tables import OwnTables  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import snapshots  # noqa: E402

SKIPPED = 77


def ask_snapviewer(binary, path, sql):
    done = subprocess.run([binary, "query", path, sql, "--format", "json", "--limit", "10000000"], capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return [tuple(row.values()) for row in json.loads(done.stdout)]


def first_difference(ours, expected):
    for place, (mine, theirs) in enumerate(zip(ours, expected)):
        if mine != theirs:
            return f"row {place} is {mine!r:.2000}, expected {theirs!r:.2000}"
    return f"{len(ours)} rows, expected {len(expected)}"


def check_file(binary, path, reference):
    tables = OwnTables(path, reference)
    failures = rows = 0
    cases = FILE_CASES + TIMELINE_CASES
    for sql in cases:
        try:
            expected = tables.connection.execute(sql).fetchall()
            ours = ask_snapviewer(binary, path, sql)
            if ours != expected:
                raise AssertionError(first_difference(ours, expected))
            rows += len(ours)
        except AssertionError as error:
            failures += 1
            print(f"{path.name}: {sql}\n    {error}")
    print(f"{path.name}: {len(cases) - failures} of {len(cases)} questions answered alike, {rows} rows")
    return failures


def check_exports(binary, path):
    """Compares the exported .db and .zip with the program's own answers."""
    failures = 0
    questions = ["SELECT idx, size, start_time, end_time, callstack FROM allocs ORDER BY idx"]
    with tempfile.TemporaryDirectory() as folder:
        for name, some in [("copy.db", questions + FILE_CASES + TIMELINE_CASES), ("copy.zip", questions)]:
            out = pathlib.Path(folder) / name
            subprocess.run([binary, "export", path, "--out", out], check=True)
            for sql in some:
                expected = ask_snapviewer(binary, path, sql)
                ours = ask_python(out, sql) if name.endswith(".db") else ask_snapviewer(binary, out, sql)
                if ours != expected:
                    failures += 1
                    print(f"{path.name} as {name}: {sql}\n    {first_difference(ours, expected)}")
    return failures


def ask_python(path, sql):
    import sqlite3
    with sqlite3.connect(path) as connection:
        return connection.execute(sql).fetchall()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snapviewer", required=True)
    parser.add_argument("--files", choices=["generated", "shared"], required=True)
    parser.add_argument("--shared", type=pathlib.Path, default=snapshots.ROOT.parent / "shared")
    args = parser.parse_args()
    reference = snapshots.oracle("reference_timeline")
    with tempfile.TemporaryDirectory() as folder:
        if args.files == "generated":
            files = snapshots.generated(pathlib.Path(folder))
            failures = check_exports(args.snapviewer, snapshots.SAMPLE)
        else:
            files = snapshots.real(args.shared)
            failures = 0
        if not files:
            print(f"skipped: no snapshots under {args.shared}")
            return SKIPPED
        failures += sum(check_file(args.snapviewer, path, reference) for path in files)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
