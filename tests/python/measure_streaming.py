#!/usr/bin/env python3
"""Measures reading whole tables as an Arrow stream, alternating with Python's sqlite3 on the same rows of the exported database.

    SNAPVIEWER_LIBRARY=libsnapviewer.so measure_streaming.py SNAPSHOT [--binary snapviewer] [--rounds 3] [--database EXPORTED.db]

Opening is not measured. Uses the best round of each by CPU time; `memory` is the memory for streaming in addition to the open file."""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from module import BINARY, run_python

QUESTIONS = ["SELECT size FROM events", "SELECT id, size, address, time_us FROM events", "SELECT id, size, alloc_step, free_step FROM allocations",
             "SELECT id, action, size FROM events", "SELECT id, size FROM allocations WHERE size > 4096 ORDER BY size",
             "SELECT count(*) FROM events", "SELECT sum(size) FROM allocations", "SELECT stack_id, count(*) FROM allocations GROUP BY stack_id"]
MEASURED = """import json, time
def memory(what): return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(what))
{opened}
rows, before = 0, memory("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # the peak counts from here on
begin, begin_cpu = time.perf_counter(), time.process_time()
{read}
print(json.dumps({{"rows": rows, "s": time.perf_counter() - begin, "cpu_s": time.process_time() - begin_cpu, "memory": memory("VmHWM") - before}}))
"""


def by_stream(path, sql):
    return MEASURED.format(opened=f"import snapviewer\ns = snapviewer.open({path!r})\ns.query('SELECT 1').rows()",
                           read=f"for batch in s.query({sql!r})._stream().batches(): rows += batch.length")


def by_sqlite(database, sql):
    return MEASURED.format(opened=f"import sqlite3\nc = sqlite3.connect({database!r})",
                           read=f"for row in c.execute({sql!r}): rows += 1")


def measured(code):
    done = run_python(code)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("snapshot")
    arguments.add_argument("--binary", default=BINARY)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--database")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = given.database or str(Path(folder) / "exported.db")
        if not Path(database).exists():
            subprocess.run([given.binary, "export", given.snapshot, "--out", database], check=True, stdout=subprocess.DEVNULL)
        print("| query | rows | as a stream | rows of sqlite3 | times as fast | memory |\n| --- | --- | --- | --- | --- | --- |")
        for sql in QUESTIONS:
            rounds = [(measured(by_stream(given.snapshot, sql)), measured(by_sqlite(database, sql))) for _ in range(given.rounds)]
            ours, theirs = (min(each, key=lambda run: run["cpu_s"]) for each in zip(*rounds))
            assert ours["rows"] == theirs["rows"], sql
            memory = max(run["memory"] for run, _ in rounds)
            print(f"| {sql} | {ours['rows']:,} | {ours['cpu_s']:.2f} s ({ours['s']:.2f} by the clock) | {theirs['cpu_s']:.2f} s ({theirs['s']:.2f}) "
                  f"| {theirs['cpu_s'] / ours['cpu_s']:.1f} ({theirs['s'] / ours['s']:.1f}) | {memory / 1e6:.0f} MB |", flush=True)


if __name__ == "__main__":
    main()
