"""Fleets with Spark, on a cluster with separate worker processes: the same tables and answers as on one machine, even if a worker dies."""
import importlib.util
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import readers
from module import BINARY, MODULE, ROOT, SAMPLE, main

import snapviewer as sv
from snapviewer.fleet._tables import partition

MISSING = [package for package in ("pyspark", "pyarrow", "pandas", "duckdb") if importlib.util.find_spec(package) is None]
MISSING += [] if shutil.which("java") else ["java"]
MAX_BYTES = 400 << 10
# Replaces the program. When it first reads the named file, the worker that started it dies.
KILLER = """#!{python}
import os, sys
from pathlib import Path
mark = Path({mark!r})
if {file!r} in sys.argv[-1] and "--write" in sys.argv and not mark.exists():
    pid = os.getppid()
    while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{{pid}}/cmdline").read_bytes():
        pid = int(Path(f"/proc/{{pid}}/stat").read_text().rsplit(")", 1)[1].split()[1])
    mark.write_text(str(pid))
    os.kill(pid, 9)
os.execv({binary!r}, [{binary!r}, *sys.argv[1:]])
"""


def spark_session(folder):
    """Starts Spark with two executors, each a process with one core."""
    import pyspark
    from pyspark.sql import SparkSession
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    # As in a virtual environment that is not activated, the first python3 on the PATH lacks the modules that workers need.
    os.environ.pop("PYSPARK_PYTHON", None)
    other = folder / "other" / "python3"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\nexit 1\n")
    other.chmod(0o755)
    os.environ["PATH"] = f"{other.parent}{os.pathsep}{os.environ['PATH']}"
    os.environ["PYTHONPATH"] = str(MODULE)
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
                "spark.sql.shuffle.partitions": "4", "spark.local.dir": str(folder), "spark.log.level": "FATAL",
                "spark.hadoop.fs.viewfs.mounttable.elsewhere.link./jobs": f"file://{folder}",
                # Makes Spark notice a lost worker sooner.
                "spark.network.timeout": "60s"}
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("snapviewer tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def sorted_table(folder, table, columns=None):
    """Reads a table with pyarrow, including its partition columns."""
    import pyarrow
    import pyarrow.dataset
    places = [(name, pyarrow.string() if name == "run" else pyarrow.int64()) for name in partition(table)]
    parts = pyarrow.dataset.partitioning(pyarrow.schema(places), flavor="hive")
    read = pyarrow.dataset.dataset(folder / table, partitioning=parts).to_table()
    names = columns or sorted(read.schema.names)
    return read.select(names).sort_by([(name, "ascending") for name in names])


@unittest.skipIf(MISSING, f"needs {' and '.join(MISSING)}")
class Spark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="snapviewer-spark-test-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.ranks = cls.folder / "job"
        subprocess.run([sys.executable, ROOT / "tests" / "oracles" / "gen_fleet.py", cls.ranks, "--ranks", "14"], check=True)
        truth = json.loads((cls.ranks / ".truth.json").read_text())
        cls.damaged = truth["damaged"]
        whole = next(path for path in sorted(cls.ranks.glob("rank*.pickle")) if path.name not in cls.damaged)
        (cls.ranks / "again").mkdir()
        shutil.copy(whole, cls.ranks / "again" / whole.name)              # a second file of the same rank, which becomes another run
        shutil.copy(whole, cls.ranks / "unnamed.pickle")                    # a rank that is numbered by the order of names
        shutil.copy(SAMPLE, cls.ranks / "rank90.pickle")                    # too large
        mark, killer = cls.folder / "killed", cls.folder / "killer"
        killer.write_text(KILLER.format(python=sys.executable, mark=str(mark), file="unnamed.pickle", binary=BINARY))
        killer.chmod(0o755)
        os.environ["SNAPVIEWER_BINARY"] = str(killer)
        cls.addClassCleanup(os.environ.__setitem__, "SNAPVIEWER_BINARY", BINARY)
        cls.spark = spark_session(cls.folder)
        cls.addClassCleanup(cls.spark.stop)
        options = {"max_file": MAX_BYTES, "also": ["allocations", "events"]}
        cls.by_spark = sv.fleet.summarize(cls.ranks, cls.folder / "by_spark", "spark", spark=cls.spark, **options)
        cls.killed_pid = int(mark.read_text())
        cls.local = sv.fleet.summarize(cls.ranks, cls.folder / "local", **options)

    def test_every_table_is_the_local_engines(self):
        self.assertEqual(self.by_spark.tables, (*sv.fleet.TABLES, *sv.fleet.TABLES_ON_REQUEST))
        for table in self.by_spark.tables:
            with self.subTest(table):
                expected, made = (sorted_table(each.folder, table) for each in (self.local, self.by_spark))
                self.assertGreater(expected.num_rows, 8)
                self.assertEqual(made.schema.remove_metadata(), expected.schema.remove_metadata())
                self.assertTrue(made.equals(expected), "other rows")

    def test_a_worker_died_in_the_middle(self):
        self.assertFalse(Path(f"/proc/{self.killed_pid}").exists())
        rows = self.by_spark.query("SELECT rank_from, error FROM ranks WHERE file LIKE '%unnamed.pickle'")
        self.assertEqual(rows, [{"rank_from": "order of names", "error": None}])

    def test_what_could_not_be_read_and_what_was_given_up(self):
        failed = {Path(row["file"]).name: row for row in self.by_spark.query("SELECT * FROM ranks WHERE error IS NOT NULL")}
        self.assertEqual(sorted(failed), sorted([*self.damaged, "rank90.pickle"]))
        given_up = failed["rank90.pickle"]
        self.assertEqual((given_up["rank"], given_up["file_bytes"], given_up["peak_bytes"]), (90, os.path.getsize(SAMPLE), None))
        self.assertIn("more than the 400.0 KiB", given_up["error"])

    def test_runs_are_told_apart(self):
        runs = {row["run"] for row in self.by_spark.query("SELECT run FROM ranks")}
        self.assertEqual(runs, {"job", "job#2"})

    def test_questions_have_the_same_answers(self):
        for question in sv.fleet.QUERIES:
            with self.subTest(question):
                expected = self.local.ask(question)
                self.assertTrue(expected)
                self.assertEqual(self.by_spark.ask(question), expected)
                self.assertEqual(self.by_spark.ask(question, "spark", spark=self.spark), expected)
        with self.assertRaises(sv.QueryError):
            self.by_spark.query("SELECT nothing FROM nowhere", "spark", spark=self.spark)

    def test_spark_reads_what_either_wrote(self):
        for table in self.local.tables:
            expected = readers.by_duckdb(self.local, table)
            for dataset in (self.local, self.by_spark):
                with self.subTest(table):
                    self.assertEqual(readers.by_spark(dataset, table, self.spark), expected)

    def test_the_program_opens_what_was_written(self):
        said = [json.loads(subprocess.run([BINARY, "fleet", each.database, "--json"], check=True, capture_output=True, text=True).stdout)
                for each in (self.local, self.by_spark)]
        self.assertEqual(said[1], said[0])

    def test_files_of_another_filesystem(self):
        made = sv.fleet.summarize("viewfs://elsewhere/jobs/job", self.folder / "fetched", "spark", spark=self.spark, max_file=MAX_BYTES,
                                  also=["allocations"])
        for table in made.tables:
            with self.subTest(table):
                columns = [name for name in sorted(sorted_table(self.local.folder, table).schema.names) if name != "file"]
                self.assertTrue(sorted_table(made.folder, table, columns).equals(sorted_table(self.local.folder, table, columns)), "other rows")
        files = {row["file"] for row in made.query("SELECT file FROM ranks")}
        self.assertEqual(files, {f"viewfs://elsewhere/jobs/{path.relative_to(self.folder)}" for path in self.ranks.rglob("*.pickle")})

    def test_nothing_can_be_read(self):
        nothing = self.folder / "nothing"
        nothing.mkdir()
        for name in ("rank0.pickle", "rank1.pickle"):
            (nothing / name).write_bytes(pickle.dumps([name]))
        with self.assertRaisesRegex(sv.FileError, "rank0.pickle: .*the other 1 cannot be read either"):
            sv.fleet.summarize(nothing, self.folder / "none", "spark", spark=self.spark)
        self.assertFalse((self.folder / "none").exists())
        self.assertEqual([path.name for path in self.folder.glob(".none*")], [])


if __name__ == "__main__":
    main()
