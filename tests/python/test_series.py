"""`sv.series` agrees with the command, and its tables with those that Python's SQLite reads."""
import contextlib
import json
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from module import BINARY, ROOT, main

import snapviewer as sv

sys.path.insert(0, str(ROOT / "tests"))
import snapshots  # noqa: E402

TABLES = ["series_samples", "series_pools", "series_sizes", "series_growth", "series_gaps", "series_dumps", "series_failed"]


class OfAJob(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.job = Path(holder.name) / "job"
        snapshots.make("gen_series.py", cls.job, "--blocks", 8, "--ranks", 4)
        cls.database = Path(holder.name) / "series.db"
        done = subprocess.run([BINARY, "series", str(cls.job), "--json", "--db", str(cls.database)], capture_output=True, check=True)
        cls.said = json.loads(done.stdout)

    def test_facts_and_every_table(self):
        with sv.series(self.job) as series, contextlib.closing(sqlite3.connect(self.database)) as database:
            self.assertEqual(series.facts, self.said)
            for table in TABLES:
                rows = [tuple(row) for row in series.query(f"SELECT * FROM {table}").rows()]
                self.assertEqual(rows, database.execute(f"SELECT * FROM {table}").fetchall(), table)
            self.assertEqual(series.query("SELECT count(*) FROM series_samples WHERE rank = :rank", rank=1).rows()[0][0], 20)

    def test_the_newest_dump_opens(self):
        with sv.series(self.job) as series:
            newest = series.newest_dump()
            self.assertTrue(newest["file"].endswith("oom1.pickle"))
            with sv.open(newest["file"]) as snapshot:
                self.assertEqual(len(snapshot.devices), 1)

    def test_its_database_is_gone_after_it(self):
        series = sv.series(sorted((self.job / "series").iterdir())[:20])
        folder = Path(series._folder.name)
        self.assertTrue((folder / "series.db").exists())
        series.close()
        self.assertFalse(folder.exists())
        with self.assertRaises(ValueError):
            series.query("SELECT 1")

    def test_what_is_no_series(self):
        with tempfile.TemporaryDirectory() as empty, self.assertRaises(sv.FileError):
            sv.series(empty)
        with self.assertRaises(ValueError):
            sv.series([])


if __name__ == "__main__":
    main()
