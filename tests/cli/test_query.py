"""`query`: its three formats agree, its limits hold, and it cannot write."""
import csv
import io
import json
import pickle
import os
import resource
import signal
import subprocess
import time

from harness import BINARY, SAMPLE, CommandLine, headless_environment, is_sanitized, main, numbers

ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) "


class Query(CommandLine):
    def rows(self, sql, *options):
        return json.loads(self.succeed("query", SAMPLE, sql, "--format", "json", *options))

    def test_formats_agree(self):
        sql = "SELECT id, size, stream, alloc_step AS step, free_step FROM allocations ORDER BY size DESC, id LIMIT 20"
        from_json = self.rows(sql)
        self.assertEqual(len(from_json), 20)
        self.assertEqual(list(from_json[0]), ["id", "size", "stream", "step", "free_step"])
        from_csv = list(csv.DictReader(io.StringIO(self.succeed("query", SAMPLE, sql, "--format", "csv"), newline="")))
        self.assertEqual(from_csv, [{k: "" if v is None else str(v) for k, v in row.items()} for row in from_json])
        lines = self.succeed("query", SAMPLE, sql, "--format", "table").splitlines()
        self.assertEqual(lines[0].split(), list(from_json[0]))
        for row in from_json:
            self.assertTrue(any(str(row["size"]) in line.replace(",", "") for line in lines))

    def test_difficult_values(self):
        sql = """SELECT 'a,"b"' AS quoted, 'two\nlines' AS lines, NULL AS empty, 1.5 AS real, 9007199254740993 AS large, 'ä' AS umlaut"""
        row = self.rows(sql)[0]
        self.assertEqual(row, {"quoted": 'a,"b"', "lines": "two\nlines", "empty": None, "real": 1.5,
                               "large": 9007199254740993, "umlaut": "ä"})
        text = self.succeed("query", SAMPLE, sql, "--format", "csv")
        self.assertEqual(list(csv.reader(io.StringIO(text, newline="")))[1],
                         ['a,"b"', "two\nlines", "", "1.5", "9007199254740993", "ä"])

    def test_csv_for_spreadsheets(self):
        sql = "SELECT '=HYPERLINK(1)' AS \"=a\", '-2' AS b, -2 AS c, '@x' AS d, 'plain' AS e"
        self.assertEqual(self.succeed("query", SAMPLE, sql, "--format", "csv", "--safe-csv").splitlines(), ["'=a,b,c,d,e", "'=HYPERLINK(1),'-2,-2,'@x,plain"])
        self.assertEqual(self.succeed("query", SAMPLE, sql, "--format", "csv").splitlines(), ["=a,b,c,d,e", "=HYPERLINK(1),-2,-2,@x,plain"])
        frames = [{"filename": "=cmd|x", "line": 1, "name": "f"}]
        path = self.write("a.pickle", pickle.dumps({"segments": [], "device_traces": [[
            {"action": "alloc", "addr": 1, "size": 512, "stream": 0, "frames": frames}]]}))
        for options, beginning in (["--safe-csv"], "'="), ([], "="):
            self.succeed("export", path, "--out", self.folder / "x.csv", *options)
            row = list(csv.DictReader(io.StringIO((self.folder / "x.csv").read_text(encoding="utf-8"), newline="")))[0]
            self.assertEqual(row["callstack"], f"{beginning}cmd|x:1:f")

    def test_table_is_the_default(self):
        self.assertEqual(self.succeed("query", SAMPLE, "SELECT 7 AS seven"),
                         self.succeed("query", SAMPLE, "SELECT 7 AS seven", "--format", "table"))

    def test_no_rows(self):
        self.assertEqual(self.rows("SELECT id FROM allocations WHERE size < 0"), [])
        self.assertEqual(self.succeed("query", SAMPLE, "SELECT id FROM allocations WHERE size < 0", "--format", "csv").split(), ["id"])

    def test_limit(self):
        self.assertEqual(self.rows(ENDLESS + "SELECT n FROM t", "--limit", 5), [{"n": n} for n in range(1, 6)])

    def test_every_row_in_bounded_memory(self):
        count = 1_000_000
        little, _, _ = self.measure("query", SAMPLE, "SELECT 1", "--format", "csv")
        sql = f"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT {count}) SELECT n, 'a text of some length' AS text FROM t"
        for options in [("--format", "csv"), ("--format", "csv", "--limit", "0"), ("--format", "csv", "--limit", "999999999999"), ("--format", "json")]:
            with self.subTest(options=options):
                kib, lines, last = self.measure("query", SAMPLE, sql, *options)
                self.assertEqual(lines, count + (1 if "csv" in options else 2))
                self.assertIn(str(count).encode() if "csv" in options else b"]", last)
                self.assertLess(kib, little + 30_000, "KiB of memory for rows that go straight on")

    def test_a_table_of_any_limit_takes_bounded_memory(self):
        """The format "table" needs all rows to determine the widths of columns, so it ends with an error if that takes too much memory."""
        kib, lines, _ = self.measure("query", SAMPLE, ENDLESS + "SELECT n, n, n FROM t", "--limit", "999999999999",
                                     "--time-limit", "0", errors=rb"\A[^\n]*stopped after [\d,]+ rows, but there are more[^\n]*\n\Z")
        self.assertGreater(lines, 1_000_000)
        self.assertLess(kib, 800_000)

    def measure(self, *arguments, errors=rb"\A\Z"):
        """Returns the peak memory of a run in KiB, the number of lines it wrote, and the last lines."""
        environment = {**headless_environment(self.home), "ASAN_OPTIONS": "quarantine_size_mb=1"}    # AddressSanitizer keeps freed memory
        process = subprocess.Popen([BINARY, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        lines, last = 0, b""
        for last in process.stdout:
            lines += 1
        process.stdout.close()
        said = process.stderr.read()
        process.stderr.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, said)
        self.assertRegex(said, errors)
        return usage.ru_maxrss, lines, last

    def test_a_table_ends_and_says_so(self):
        sql = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT {}) SELECT n FROM t"
        done = self.run_program("query", SAMPLE, sql.format(100_001))
        self.assertEqual(len(done.stdout.splitlines()), 2 + 100_000)
        self.assertRegex(done.stderr, r"\A[^\n]*100,000 rows[^\n]*--format[^\n]*\n\Z")
        for rows, options in [(100_000, []), (100_001, ["--limit", "0"]), (100_001, ["--limit", "100001"])]:
            done = self.run_program("query", SAMPLE, sql.format(rows), *options)
            self.assertEqual((len(done.stdout.splitlines()), done.stderr), (2 + rows, ""))

    def test_an_error_gives_no_rows(self):
        for form in ["table", "csv", "json"]:
            self.refuse("query", SAMPLE, "SELECT abs(column1) FROM (VALUES (1), (-9223372036854775807 - 1))", "--format", form, mentions=["overflow"])

    def test_nobody_reads_to_the_end(self):
        process = subprocess.Popen([BINARY, "query", SAMPLE, ENDLESS + "SELECT n FROM t", "--format", "csv"], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, env=headless_environment(self.home))
        self.assertEqual(process.stdout.readline(), b"n\r\n")
        process.stdout.close()
        self.assertNotEqual(process.wait(timeout=10), 0)

    def test_limit_is_said_on_standard_error(self):
        done = self.run_program("query", SAMPLE, ENDLESS + "SELECT n FROM t", "--format", "csv", "--limit", 5)
        self.assertEqual(done.stdout.split(), ["n", "1", "2", "3", "4", "5"])
        self.assertIn(5, numbers(done.stderr))

    def test_syntax_error_has_a_place(self):
        for sql, word in [("SELECT id FRM allocations WHERE 1", "allocations"), ("SELECT id FROM nowhere", "nowhere"),
                          ("SELECT nothing FROM allocations", "nothing")]:
            with self.subTest(sql=sql):
                place = sql.index(word)
                text = self.refuse("query", SAMPLE, sql, mentions=[word])
                self.assertTrue({place, place + 1} & set(numbers(text)) or "no such table" in text, text)

    def test_time_limit(self):
        """The time limit ends a query between rows, and between calls of slow functions; a sanitizer makes each start and end slow. The
        long text has few long parts, because a sanitizer needs a microsecond per inserted part."""
        late_s = 3 if is_sanitized() else 1
        for sql in (ENDLESS + "SELECT count(*) FROM t",
                    ENDLESS + f"SELECT count(*) FROM t WHERE replace(hex(zeroblob(2000)), '00', '{'ab' * 50}') LIKE "
                              "'%' || replace(hex(zeroblob(100)), '0', 'ab') || n || 'c'"):
            for limit_s in (1, 2):
                with self.subTest(sql=sql, limit_s=limit_s):
                    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                    said = self.refuse("query", SAMPLE, sql, "--time-limit", limit_s)
                    used_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
                    self.assertIn("took longer than", said)
                    self.assertLess(used_s, limit_s + late_s, "of the processor")

    def test_only_reading(self):
        for sql in ["DELETE FROM allocations", "UPDATE allocations SET size = 0", "INSERT INTO allocations(id) VALUES (1)",
                    "DROP TABLE allocations", "CREATE TABLE mine (a)", "CREATE TEMP TABLE mine (a)", "ATTACH 'other.db' AS other",
                    "VACUUM INTO 'other.db'", "PRAGMA journal_mode = WAL", "SELECT load_extension('x')", "BEGIN"]:
            with self.subTest(sql=sql):
                self.refuse("query", SAMPLE, sql)

    def test_interrupt_ends_an_endless_query(self):
        process = subprocess.Popen([BINARY, "query", SAMPLE, ENDLESS + "SELECT count(*) FROM t"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=headless_environment(self.home))
        time.sleep(1)
        self.assertIsNone(process.poll(), "it should still be counting")
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail("still counting 5 s after the interrupt")
        self.assertNotEqual(process.returncode, 0)


if __name__ == "__main__":
    main()
