"""A fleet as Parquet files: equal to what the program keeps, read by others, and its questions answered like the program's own."""
import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from contextlib import closing
from pathlib import Path

from module import BINARY, MODULE, ROOT, SAMPLE, main, run_python

import snapviewer as sv

COMMAND = [sys.executable, "-m", "snapviewer.fleet"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(MODULE)}
MISSING = [package for package in ("pyarrow", "duckdb") if importlib.util.find_spec(package) is None]


class WithoutPackages(unittest.TestCase):
    """What is wrong is said by Python alone, whether or not the packages are there."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def dataset(self):
        (self.folder / "fleet.db").touch()
        return sv.fleet.Dataset(self.folder)

    def test_refuses(self):
        with self.assertRaises(ValueError):
            sv.fleet.summarize(SAMPLE, self.folder / "none", engine="abacus")
        with self.assertRaises(sv.Error):
            sv.fleet.Dataset(self.folder)
        with self.assertRaises(ValueError):
            self.dataset().ask("anything")
        self.assertFalse((self.folder / "none").exists())

    def test_says_what_is_missing(self):
        self.dataset()
        for package, call in (("pyarrow.parquet", f"sv.fleet.summarize({SAMPLE!r}, {str(self.folder / 'none')!r})"),
                              ("duckdb", f"sv.fleet.Dataset({str(self.folder)!r}).ask('growing')")):
            done = run_python(f"import sys, snapviewer as sv\nsys.modules[{package!r}] = None\ntry:\n    {call}\nexcept ImportError as e:\n    print(e)")
            self.assertIn(f"pip install {package.split('.')[0]}", done.stdout, done.stderr)

    def test_the_command_complains_in_one_line(self):
        done = subprocess.run([*COMMAND, "ask", self.folder, "growing"], env=ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Asnapviewer\.fleet: [^\n]+\n\Z")

    def test_each_question_is_a_file_of_sql(self):
        self.assertEqual(sv.fleet.QUERIES, ("failed", "growing", "left_by_step", "out_of_memory", "outlier_stacks", "outliers"))


@unittest.skipIf(MISSING, f"needs {' and '.join(MISSING)}")
class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.ranks = cls.folder / "job"
        subprocess.run([sys.executable, ROOT / "tests" / "oracles" / "gen_fleet.py", cls.ranks, "--ranks", "24"], check=True)
        cls.truth = json.loads((cls.ranks / ".truth.json").read_text())
        cls.dataset = sv.fleet.summarize(cls.ranks, cls.folder / "fleet")
        said = subprocess.run([BINARY, "fleet", cls.ranks, "--json"], check=True, capture_output=True, text=True)
        cls.said = json.loads(said.stdout)

    def test_every_table_is_what_the_program_keeps(self):
        import pyarrow.dataset
        kept = self.folder / "kept.db"
        subprocess.run([BINARY, "fleet", self.ranks, "--write", kept, "--totals"], check=True, capture_output=True)
        with closing(sqlite3.connect(self.dataset.database)) as connection:
            self.assertEqual(connection.execute("SELECT count(*) FROM totals").fetchall(), [(0,)])
        with closing(sqlite3.connect(kept)) as connection:
            for table in sv.fleet.TABLES:
                rows = connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
                self.assertGreater(len(rows), 5, table)
                files = pyarrow.dataset.dataset(self.dataset.folder / table, partitioning="hive")
                names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
                stored = [tuple(row[name] for name in names) for row in files.to_table().to_pylist()]
                self.assertEqual(stored, rows)
                key = lambda row: tuple((value is not None, value) for value in row)
                asked = [tuple(row[name] for name in names) for row in self.dataset.query(f"SELECT * FROM {table}")]
                self.assertEqual(sorted(asked, key=key), sorted(rows, key=key))

    def test_questions_are_answered_as_by_the_program(self):
        outliers = self.dataset.ask("outliers")
        self.assertEqual({row["rank"] for row in outliers}, set(map(int, self.truth["outliers"])))
        self.assertEqual([(row["rank"], row["device"], row["peak_bytes"], row["delta_bytes"]) for row in outliers],
                         [(each["rank"], each["device"], each["peak_bytes"], each["delta_bytes"]) for each in self.said["outliers"]])
        columns = ["stack_key", "source", "bytes", "median_bytes"]
        stacks = [(row["rank"], *(row[name] for name in columns)) for row in self.dataset.ask("outlier_stacks")]
        self.assertEqual(stacks, sorted((each["rank"], *(stack[name] for name in columns)) for each in self.said["outliers"] for stack in each["stacks"]))
        self.assertEqual(self.dataset.ask("growing"), self.said["growing"])
        self.assertEqual(self.dataset.ask("failed"), self.said["failed"])
        self.assertEqual([(row["rank"], row["oom_cause"]) for row in self.dataset.ask("out_of_memory")], [(self.truth["in_pieces"], "fragmentation")])
        leak = self.truth["leak"]
        key, = (row["stack_key"] for row in self.said["growing"])
        left = [(row["ranks"], row["left_bytes"]) for row in self.dataset.ask("left_by_step") if row["stack_key"] == key]
        self.assertEqual(left, [(leak["ranks"], leak["slope"] * leak["ranks"])] * len(left))
        self.assertGreater(len(left), 4)

    def test_the_program_opens_what_was_written(self):
        said = subprocess.run([BINARY, "fleet", self.dataset.database, "--json"], check=True, capture_output=True, text=True)
        self.assertEqual(json.loads(said.stdout), self.said)

    def test_an_older_dataset_is_replaced_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for paths in ([self.ranks], [SAMPLE, SAMPLE], SAMPLE):
                made = sv.fleet.summarize(paths, folder / "out")
            self.assertEqual([row["rank"] for row in made.query("SELECT rank FROM ranks")], [0])
            self.assertEqual(os.listdir(folder), ["out"])
            (folder / "mine").mkdir()
            (folder / "mine" / "thesis.txt").write_text("years of work")
            with self.assertRaisesRegex(sv.Error, "left as it is"):
                sv.fleet.summarize(SAMPLE, folder / "mine")
            with self.assertRaises(sv.FileError):
                sv.fleet.summarize(folder / "mine" / "thesis.txt", folder / "out")
            self.assertEqual([row["rank"] for row in sv.fleet.Dataset(folder / "out").query("SELECT rank FROM ranks")], [0])
            self.assertEqual(sorted(os.listdir(folder)), ["mine", "out"])
            self.assertEqual(os.listdir(folder / "mine"), ["thesis.txt"])

    def test_what_makes_no_sense(self):
        with self.assertRaises(ValueError):
            sv.fleet.summarize([], self.folder / "none")
        with self.assertRaises(sv.QueryError):
            self.dataset.query("SELECT nothing FROM nowhere")
        with self.assertRaises(sv.Error):
            sv.fleet.Dataset(self.ranks)
        self.assertFalse((self.folder / "none").exists())

    def test_as_a_command(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*COMMAND, "summarize", str(self.ranks / "rank?.pickle"), "--out", f"{folder}/out"], env=ENVIRONMENT, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(len(sv.fleet.Dataset(f"{folder}/out").query("SELECT * FROM ranks")), 10)
            done = subprocess.run([*COMMAND, "ask", f"{self.dataset.folder}", "growing"], env=ENVIRONMENT, capture_output=True, text=True)
            self.assertIn(f"source={self.truth['leak']['source']}\t", done.stdout)


if __name__ == "__main__":
    main()
