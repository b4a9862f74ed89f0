"""Ten million rows as an Arrow stream: the memory that takes, and the time beside rows through Python's sqlite3 on the exported database."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from module import BINARY, SAMPLE, main, run_python

ROWS_AT_LEAST = 10**7
BUDGET_BYTES = 200 * 10**6
# Measured is more (docs/performance.md); this much must be left on a machine that does other things, too.
LEAST_SPEEDUP = 1.5
SQL = "SELECT a.id, a.size, a.alloc_step, a.free_step FROM allocations a JOIN (SELECT id FROM events LIMIT 3514) b"
MEASURED = """import json, resource, time
begin, begin_cpu = time.perf_counter(), time.process_time()
rows = 0
{read}
print(json.dumps({{"rows": rows, "s": time.perf_counter() - begin, "cpu_s": time.process_time() - begin_cpu,
                   "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}}))
"""
BY_STREAM = f"""import snapviewer
for batch in snapviewer.open({SAMPLE!r}).query({SQL!r})._stream().batches():
    rows += batch.length"""
BY_SQLITE = f"""import sqlite3
for row in sqlite3.connect("{{path}}").execute({SQL!r}):
    rows += 1"""


def measured(read):
    done = run_python(MEASURED.format(read=read))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Streaming(unittest.TestCase):
    def test_ten_million_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sample.db"
            subprocess.run([BINARY, "export", SAMPLE, "--out", path], check=True, capture_output=True)
            # Each twice, in turns: the better one counts.
            runs = [(measured(BY_STREAM), measured(BY_SQLITE.format(path=path))) for _ in range(2)]
        stream, rows = (min(each, key=lambda run: run["s"]) for each in zip(*runs))
        self.assertEqual(stream["rows"], rows["rows"])
        self.assertGreaterEqual(stream["rows"], ROWS_AT_LEAST)
        self.assertLess(max(run["peak_bytes"] for run, _ in runs), BUDGET_BYTES)
        print(f"{stream['rows']:,} rows as a stream: {stream['s']:.2f} s ({stream['cpu_s']:.2f} of processor), {stream['peak_bytes'] / 1e6:.0f} MB; "
              f"as rows of sqlite3: {rows['s']:.2f} s ({rows['cpu_s']:.2f})", file=sys.stderr)
        self.assertGreater(rows["cpu_s"] / stream["cpu_s"], LEAST_SPEEDUP)


if __name__ == "__main__":
    main()
