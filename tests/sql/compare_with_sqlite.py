#!/usr/bin/env python3
"""Asks `snapviewer query` and Python's own SQLite the same questions about the same files.

    compare_with_sqlite.py --snapviewer BINARY --files sample|shared [--shared FOLDER]

"sample" is the snapshot in assets/ and needs nothing else; "shared" are the real files in a folder that also holds the
reference timeline, and is skipped (status 77) where that is absent.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def ask_snapviewer(binary, path, sql):
    done = subprocess.run([binary, "query", path, sql, "--format", "json", "--limit", "10000000"], capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode(errors="replace").strip())
    return [tuple(row.values()) for row in json.loads(done.stdout)]


def first_difference(ours, expected):
    for place, (mine, theirs) in enumerate(zip(ours, expected)):
        if mine != theirs:
            return f"row {place} is {mine!r:.2000}, expected {theirs!r:.2000}"
    return f"{len(ours)} rows, expected {len(expected)}"


def check_file(binary, path, reference):
    tables = OwnTables(path, reference)
    failures = rows = 0
    cases = FILE_CASES + (TIMELINE_CASES if reference else [])
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
    """The .db and the .zip hold what the program itself answers."""
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
    parser.add_argument("--files", choices=["sample", "shared"], required=True)
    parser.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    args = parser.parse_args()
    if args.files == "sample":
        sample = ROOT / "assets" / "sample.pickle"
        return 1 if check_file(args.snapviewer, sample, None) + check_exports(args.snapviewer, sample) else 0
    if not (args.shared / "tools" / "reference_timeline.py").exists():
        print(f"skipped: {args.shared} holds no reference timeline")
        return SKIPPED
    sys.path.insert(0, str(args.shared / "tools"))
    import reference_timeline
    files = sorted(path for path in (args.shared / "data").iterdir() if path.suffix in (".pickle", ".pkl"))
    failures = sum(check_file(args.snapviewer, path, reference_timeline) for path in [*files, ROOT / "assets" / "sample.pickle"])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
