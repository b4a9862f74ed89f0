"""A fleet as Parquet files: equal to the program's database, readable by others, and with the same answers to its questions."""
import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import types
import unittest
from contextlib import closing
from pathlib import Path
from unittest import mock

import readers
from module import BINARY, MODULE, ROOT, SAMPLE, main, run_python

import snapviewer as sv
from snapviewer.fleet._tables import COLUMNS, partition

COMMAND = [sys.executable, "-m", "snapviewer.fleet"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(MODULE)}
MISSING = [package for package in ("pyarrow", "duckdb") if importlib.util.find_spec(package) is None]


class WithoutPackages(unittest.TestCase):
    """Errors that are found without the packages."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def dataset(self):
        (self.folder / "fleet.db").touch()
        return sv.fleet.Dataset(self.folder)

    def test_refuses(self):
        for wrong in ({"engine": "abacus"}, {"also": ["segments"]}):
            with self.assertRaises(ValueError):
                sv.fleet.summarize(SAMPLE, self.folder / "none", **wrong)
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

    def test_workers_of_spark_run_this_python_unless_another_is_named(self):
        from snapviewer.fleet import _spark
        for environment, expected in (({}, sys.executable), ({"PYSPARK_PYTHON": "/elsewhere/python"}, "/elsewhere/python")):
            with self.subTest(environment), mock.patch.dict(os.environ, environment):
                if not environment:
                    os.environ.pop("PYSPARK_PYTHON", None)
                context = types.SimpleNamespace(pythonExec=os.environ.get("PYSPARK_PYTHON", "python3"))      # set by Spark
                _spark._use_this_python(context)
                self.assertEqual(context.pythonExec, expected)

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
        cls.dataset = sv.fleet.summarize(cls.ranks, cls.folder / "fleet", also=["allocations", "events"])
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
                declared = {name: kind for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")}
                names = list(declared)
                self.assertEqual(declared, COLUMNS[table])
                files = pyarrow.dataset.dataset(self.dataset.folder / table, partitioning="hive")
                stored = [tuple(row[name] for name in names) for row in files.to_table().to_pylist()]
                # Files are read in the order of their names; the rows of each are in the order of the database.
                self.assertEqual(stored, sorted(rows, key=lambda row: tuple(f"{name}={row[names.index(name)]}" for name in partition(table))))
                key = lambda row: tuple((value is not None, value) for value in row)
                asked = [tuple(row[name] for name in names) for row in self.dataset.query(f"SELECT * FROM {table}")]
                self.assertEqual(sorted(asked, key=key), sorted(rows, key=key))

    def readable_ranks(self):
        return self.dataset.query("SELECT * FROM ranks WHERE error IS NULL ORDER BY rank")

    def test_allocations_and_events_are_those_of_the_files(self):
        import pyarrow.parquet
        ranks = self.readable_ranks()
        self.assertEqual(len(ranks), 24 - len(self.truth["damaged"]))
        for table in sv.fleet.TABLES_ON_REQUEST:
            for row in ranks[::5]:
                said = subprocess.run([BINARY, "query", row["file"], f"SELECT t.*, (SELECT key FROM stacks WHERE id = t.stack_id) AS stack_key FROM {table} t",
                                       "--format", "json"], check=True, capture_output=True, text=True)
                part = self.dataset.folder / table / f"run={row['run']}" / f"rank={row['rank']}" / "device-0.parquet"
                self.assertEqual(pyarrow.parquet.ParquetFile(part).read().to_pylist(), json.loads(said.stdout))

    def test_every_reader_says_the_same(self):
        kept = self.folder / "again.db"
        subprocess.run([BINARY, "fleet", self.ranks, "--write", kept, "--totals"], check=True, capture_output=True)
        names = [name for name in ("duckdb", "polars", "chdb") if importlib.util.find_spec(name)]
        print("read by", *names)
        with closing(sqlite3.connect(kept)) as connection:
            expected = {table: readers.by_sqlite(connection, table) for table in sv.fleet.TABLES}
        for name in names:
            for table, facts in expected.items():
                with self.subTest(f"{table} by {name}"):
                    self.assertEqual(getattr(readers, f"by_{name}")(self.dataset, table), facts)
        for table in sv.fleet.TABLES_ON_REQUEST:
            facts = [getattr(readers, f"by_{name}")(self.dataset, table) for name in names]
            self.assertEqual(facts, facts[:1] * len(names))
            files = [sv.open(row["file"]).query(f"SELECT count(*), sum(size) FROM {table}").rows()[0] for row in self.readable_ranks()]
            self.assertEqual((facts[0]["rows"], facts[0]["sums"]["size"]), tuple(map(sum, zip(*files))))

    @unittest.skipIf(importlib.util.find_spec("polars") is None, "needs polars")
    def test_questions_are_answered_by_polars_too(self):
        import polars
        tables = {table: polars.scan_parquet(self.dataset.folder / table / "**" / "*.parquet", hive_partitioning=True) for table in sv.fleet.TABLES}
        for question in sv.fleet.QUERIES:
            sql = (MODULE / "snapviewer" / "fleet" / "queries" / f"{question}.sql").read_text()
            self.assertEqual(polars.SQLContext(tables).execute(sql, eager=True).to_dicts(), self.dataset.ask(question), question)

    def test_a_file_given_up_for_its_size_keeps_its_figures(self):
        files = sorted(self.ranks.glob("rank*.pickle"), key=os.path.getsize)
        largest = files[-1]
        made = sv.fleet.summarize(self.ranks, self.folder / "smaller", max_file=largest.stat().st_size - 1)
        row, = made.query(f"SELECT * FROM ranks WHERE file = '{largest}'")
        self.assertEqual((row["file_bytes"], row["rank"], row["peak_bytes"]), (largest.stat().st_size, int(largest.stem[4:]), None))
        self.assertIn("allowed by --max-file", row["error"])
        self.assertEqual(len(made.ask("failed")), len(self.truth["damaged"]) + 1)
        with self.assertRaises(sv.ProgramError):
            sv.fleet.summarize(self.ranks, self.folder / "none", max_file="a lot")

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
