"""Arrow streams of ten million rows of a join and of a whole table: complete, and with little memory. measure_streaming.py measures the
time compared with Python's sqlite3, by hand."""
import contextlib
import json
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from module import BINARY, ROOT, SAMPLE, main, run_python

sys.path.insert(0, str(ROOT / "tests"))
import snapshots  # noqa: E402

ROWS_AT_LEAST = 10**7
BUDGET_BYTES = 200 * 10**6
SQL = "SELECT a.id, a.size, a.alloc_step, a.free_step FROM allocations a JOIN (SELECT id FROM events LIMIT 3514) b"
STREAMED = """import json, resource, snapviewer
print(json.dumps({{"rows": sum(batch.length for batch in {result}._stream().batches()),
                   "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}}))
"""


def streamed(result):
    done = run_python(STREAMED.format(result=result))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Streaming(unittest.TestCase):
    def export(self, folder, path):
        exported = Path(folder) / "exported.db"
        subprocess.run([BINARY, "export", path, "--out", exported], check=True, capture_output=True)
        return contextlib.closing(sqlite3.connect(exported))

    def test_ten_million_rows(self):
        with tempfile.TemporaryDirectory() as folder, self.export(folder, SAMPLE) as database:
            expected, = database.execute(f"SELECT count(*) FROM ({SQL})").fetchone()
        stream = streamed(f"snapviewer.open({SAMPLE!r}).query({SQL!r})")
        self.assertEqual(stream["rows"], expected)
        self.assertGreaterEqual(stream["rows"], ROWS_AT_LEAST)
        self.assertLess(stream["peak_bytes"], BUDGET_BYTES)

    def test_a_whole_table(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long.pickle"
            snapshots.make("gen_snapshot.py", path, "--events", 50_000)
            with self.export(folder, path) as database:
                expected, = database.execute("SELECT count(*) FROM totals").fetchone()
            self.assertEqual(streamed(f"snapviewer.open({str(path)!r}).table('totals')")["rows"], expected)
        self.assertGreater(expected, 30_000)


if __name__ == "__main__":
    main()
