"""The module's answers equal those of Python's SQLite, including the type of every value. Errors are exceptions with a message."""
import contextlib
import errno
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

from module import BINARY, MODULE, SAMPLE, main, run_python

import snapviewer as sv

# Expressions with the same answer in both SQLites: every kind of value, including its limits.
QUESTIONS = [
    "SELECT 9223372036854775807 AS a, -9223372036854775807 - 1 AS b, 9007199254740993 AS c",
    "SELECT 0.1 AS a, 1e308 AS b, -0.0 AS c, 1e999 AS d",
    "SELECT 'text' AS a, '' AS b, 'Grüße 漢字 🙂' AS c, NULL AS d",
    "SELECT x'00ff10' AS a, x'' AS b, CAST('ab' AS BLOB) AS c",
    "SELECT 1 AS same, 2 AS same",
    "SELECT NULL AS a UNION ALL SELECT 7 UNION ALL SELECT NULL UNION ALL SELECT -7",
    "SELECT NULL AS a UNION ALL SELECT 'x' UNION ALL SELECT NULL",
    "SELECT NULL AS a UNION ALL SELECT x'01' UNION ALL SELECT NULL",
    "SELECT NULL AS a UNION ALL SELECT 0.5 UNION ALL SELECT NULL",
    "SELECT 1 AS a WHERE 0",
    "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 150000) "
    "SELECT i, nullif(i % 7, 0) AS some, i * 0.5 AS half, 'row ' || i AS text, CAST(i AS BLOB) AS bytes FROM n",
]
ENDLESS = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


def with_types(rows):
    return [[(type(value), repr(value)) for value in row] for row in rows]


class Equality(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.snapshot = sv.open(SAMPLE)
        cls.sqlite = sqlite3.connect(":memory:")

    def test_every_kind_of_value(self):
        for sql in QUESTIONS:
            with self.subTest(sql):
                cursor = self.sqlite.execute(sql)
                result = self.snapshot.query(sql)
                self.assertEqual(list(result.columns), [column[0] for column in cursor.description])
                self.assertTrue(with_types(result.rows()) == with_types(cursor.fetchall()), "other rows")

    def test_every_table_of_the_exported_database(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sample.db"
            subprocess.run([BINARY, "export", SAMPLE, "--out", path], check=True, capture_output=True)
            exported = sqlite3.connect(path)
            own = "snapviewer_export"  # a table about the original file, which snapshots do not have
            names = [name for name, in exported.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name <> ?", [own])]
            self.assertGreater(len(names), 10)
            compared = 0
            for name in names:
                columns = ", ".join(row[1] for row in exported.execute(f"PRAGMA table_info({name})"))
                expected = exported.execute(f"SELECT {columns} FROM {name}").fetchall()
                with self.subTest(name):
                    rows = self.snapshot.query(f"SELECT {columns} FROM {name}").rows()
                    # Without ORDER BY, SQLite chooses the order, and only one of the databases has indexes.
                    self.assertTrue(sorted(with_types(rows), key=repr) == sorted(with_types(expected), key=repr), "other rows")
                compared += len(expected)
            self.assertGreater(compared, 20_000)
            exported.close()

    def test_parameters(self):
        sql = "SELECT :a, :b, :c, :d, :a"
        values = {"a": 2**53 + 1, "b": 0.1, "c": "O'Neill \n 漢", "d": None}
        self.assertEqual(self.snapshot.query(sql, **values).rows(), self.sqlite.execute(sql, values).fetchall())
        self.assertEqual(self.snapshot.query("SELECT ?, ?", [1, "x"]).rows(), [(1, "x")])
        for sql, given, text in (("SELECT :a", {}, ":a has no value"), ("SELECT 1", {"a": 1}, "no parameter called a"),
                                 ("SELECT :a", {"a": 2**63}, "signed 64-bit")):
            with self.subTest(sql), self.assertRaisesRegex(sv.QueryError, text):
                self.snapshot.query(sql, **given)
        with self.assertRaisesRegex(TypeError, "not bytes"):
            self.snapshot.query("SELECT :a", a=b"x")
        with self.assertRaises(TypeError):
            self.snapshot.query("SELECT :a, ?", [1], a=1)

    def test_what_the_file_is(self):
        snapshot = self.snapshot
        (expected,), = snapshot.query("SELECT max(allocated) FROM totals").rows()
        self.assertEqual(snapshot.peak_bytes, expected)
        (events,), = snapshot.query("SELECT count(*) FROM events").rows()
        self.assertEqual(snapshot.devices[0]["events"], events)
        self.assertEqual(len(snapshot.ooms), 1)
        self.assertIn("allocations", {table["name"] for table in snapshot.tables()})
        self.assertEqual(snapshot.report()["devices"][0]["findings"], snapshot.findings())


class Use(unittest.TestCase):
    def setUp(self):
        self.snapshot = sv.open(SAMPLE)

    def test_each_use_starts_anew(self):
        result = self.snapshot.query("SELECT id FROM allocations LIMIT 3")
        self.assertEqual(result.rows(), [(0,), (1,), (2,)])
        self.assertEqual(list(result), result.rows())
        self.assertIn("<td", result._repr_html_())
        self.assertEqual(len(result.rows()), 3)

    def test_queries_within_a_query(self):
        seen = 0
        for number, in self.snapshot.query("SELECT id FROM allocations LIMIT 50"):
            self.assertEqual(self.snapshot.query("SELECT :n + 1", n=number).rows(), [(number + 1,)])
            seen += 1
        self.assertEqual(seen, 50)

    def test_a_result_that_is_not_read_to_its_end(self):
        for _ in range(100):
            for _row in self.snapshot.query("SELECT a.id FROM allocations a, allocations b"):
                break

    def test_threads(self):
        counts = []

        def count():
            counts.append(len(self.snapshot.query("SELECT * FROM events").rows()))
        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counts, [self.snapshot.devices[0]["events"]] * 4)

    def test_closed(self):
        result = self.snapshot.query("SELECT id FROM allocations")
        with self.snapshot as same:
            self.assertIs(same, self.snapshot)
        self.assertGreater(len(result.rows()), 1000)   # started before the close
        for use in (result.rows, self.snapshot.tables, lambda: self.snapshot.query("SELECT 1")):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()
        self.snapshot.close()

    def test_errors(self):
        with self.assertRaises(sv.QueryError) as caught:
            self.snapshot.query("SELECT nonsense FROM allocations")
        self.assertEqual(caught.exception.offset, 7)
        with self.assertRaisesRegex(sv.QueryError, "0.1 s"):
            self.snapshot.query(ENDLESS, max_seconds=0.1)
        with self.assertRaisesRegex(sv.QueryError, "mixed holds integers before row 100000"):
            list(self.snapshot.query("WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
                                     "SELECT CASE i WHEN 100000 THEN 'late' ELSE i END AS mixed FROM n"))
        with self.assertRaisesRegex(sv.FileError, "no/such.pickle"):
            sv.open("no/such.pickle")
        with self.assertRaises(sv.FileError) as caught:
            sv.open(__file__)
        self.assertIsInstance(caught.exception, sv.Error)

    def test_a_pipe_is_no_file(self):
        """Runs in a process of its own, which can be killed, because opening a FIFO waits for its writer."""
        with tempfile.TemporaryDirectory() as folder:
            pipe, database = os.path.join(folder, "pipe"), os.path.join(folder, "a.db")
            os.mkfifo(pipe)
            with contextlib.closing(sqlite3.connect(database)) as connection:
                connection.execute("CREATE TABLE weight_entries (a)")
            for call in (f"open({pipe!r})", f"open({database!r}, beside={pipe!r})", f"check({pipe!r}, max_peak=1)"):
                done = run_python(f"import snapviewer as sv\ntry: sv.{call}\nexcept sv.FileError as error: print(error)")
                self.assertIn("not a regular file", done.stdout, f"{call}: {done.stderr}")

    def test_progress_and_its_exception(self):
        stages = []
        sv.open(SAMPLE, progress=lambda stage, fraction: stages.append((stage, fraction))).close()
        self.assertTrue(stages and all(isinstance(stage, str) and 0 <= fraction <= 1 for stage, fraction in stages))

        def give_up(stage, fraction):
            raise ZeroDivisionError
        with self.assertRaises(ZeroDivisionError):
            sv.open(SAMPLE, progress=give_up)

    def test_picture(self):
        try:
            picture = self.snapshot.picture(size=(400, 300))
        except sv.ProgramError as error:
            self.skipTest(str(error))
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual((int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")), (400, 300))
        self.assertEqual(self.snapshot._repr_png_()[:4], b"\x89PNG")
        self.assertIn("sample.pickle", self.snapshot._repr_html_())

    def test_no_more_processes(self):
        refused = BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        with unittest.mock.patch("subprocess.run", side_effect=refused), self.assertRaisesRegex(sv.ProgramError, f"{BINARY} cannot be started.*raise the limit"):
            self.snapshot.picture()


class Interruption(unittest.TestCase):
    def test_ctrl_c_ends_a_query(self):
        code = (f"import snapviewer as sv\ns = sv.open({SAMPLE!r})\nprint('ready', flush=True)\n"
                f"try:\n    s.query({ENDLESS!r})\nexcept KeyboardInterrupt:\n    print('interrupted', s.query('SELECT 5').rows())")
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "PYTHONPATH": str(MODULE)})
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=10)[0], "interrupted [(5,)]\n")


if __name__ == "__main__":
    main()
