"""`query`: three formats that agree, a limit that holds, and nothing but reading."""
import csv
import io
import json
import signal
import subprocess
import time

from harness import BINARY, SAMPLE, CommandLine, headless_environment, main, numbers

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

    def test_table_is_the_default(self):
        self.assertEqual(self.succeed("query", SAMPLE, "SELECT 7 AS seven"),
                         self.succeed("query", SAMPLE, "SELECT 7 AS seven", "--format", "table"))

    def test_no_rows(self):
        self.assertEqual(self.rows("SELECT id FROM allocations WHERE size < 0"), [])
        self.assertEqual(self.succeed("query", SAMPLE, "SELECT id FROM allocations WHERE size < 0", "--format", "csv").split(), ["id"])

    def test_limit(self):
        self.assertEqual(self.rows(ENDLESS + "SELECT n FROM t", "--limit", 5), [{"n": n} for n in range(1, 6)])

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
