"""Content of a file never controls the terminal that shows it. Files and pipes receive it unchanged, as valid CSV and JSON."""
import csv
import io
import json
import os
import pickle
import pty
import sqlite3
import subprocess
import unicodedata

from containers import html_page, zip_bytes
from harness import BINARY, SAMPLE, CommandLine, headless_environment, main

BIDI = [c for c in map(chr, range(0x10000)) if unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")]
CONTROLS = [c for c in map(chr, range(256)) if unicodedata.category(c) == "Cc"]
HOSTILE = CONTROLS + BIDI + ["\u200e", "\u200f", "\u061c", "\u2028", "\u2029"]
EVIL = "a\x1b]0;owned\x07b\x9b31mc\u202ed\x7fe\x08f"
ALL_OF_THEM = f"SELECT 'x' || char({','.join(str(ord(c)) for c in HOSTILE)}) || 'y' AS text"
INVALID = "SELECT CAST(x'41ff1b5b33316dc3' AS TEXT) AS text"


class Terminal(CommandLine):
    def run_bytes(self, *arguments):
        return subprocess.run([BINARY, *arguments], cwd=self.folder, env=headless_environment(self.home), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120)

    def on_terminal(self, *arguments):
        """Returns the output on a terminal, where lines end in CR LF."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([BINARY, *map(str, arguments)], cwd=self.folder, env=headless_environment(self.home),
                                   stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        sent = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            sent += piece
        os.close(ours)
        process.wait(timeout=60)
        return sent.replace(b"\r\n", b"\n")

    def check_harmless(self, sent):
        text = sent.decode("utf-8")    # raises an exception if the output is not UTF-8
        self.assertEqual([hex(ord(c)) for c in text if c != "\n" and c in HOSTILE], [])
        return text

    def hostile_page(self):
        """Makes a page with a hostile name of its view, which the import log quotes."""
        return self.write("page.html", html_page(SAMPLE.read_bytes(), EVIL))

    def test_tables(self):
        for sql in [ALL_OF_THEM, INVALID, f"SELECT 1 AS \"{EVIL}\""]:
            for sent in [self.run_bytes("query", SAMPLE, sql).stdout, self.on_terminal("query", SAMPLE, sql)]:
                with self.subTest(sql=sql):
                    self.assertEqual(len(self.check_harmless(sent).splitlines()), 3)
        text = self.run_bytes("query", SAMPLE, "SELECT char(27, 10, 127, 155, 8238)").stdout.decode()
        for spelled in ["\\u001b", "\\n", "\\u007f", "\\u009b", "\\u202e"]:
            self.assertIn(spelled, text)
        self.assertIn("A\\xff\\u001b[31m\\xc3", self.run_bytes("query", SAMPLE, INVALID).stdout.decode())

    def test_csv_and_json_on_a_terminal(self):
        for form in ["csv", "json"]:
            for sql in [ALL_OF_THEM, INVALID]:
                with self.subTest(form=form, sql=sql):
                    self.check_harmless(self.on_terminal("query", SAMPLE, sql, "--format", form))

    def test_csv_and_json_keep_the_data(self):
        # CSV readers may treat an unquoted CR as the end of a line.
        expected = "x" + "".join(HOSTILE) + "y"
        sent = self.run_bytes("query", SAMPLE, ALL_OF_THEM, "--format", "csv").stdout.decode()
        self.assertEqual(sent, "text\r\n\"" + expected + "\"\r\n")
        plain = ALL_OF_THEM.replace("(0,", "(")     # Python's csv module before 3.11 rejects NUL
        sent = self.run_bytes("query", SAMPLE, plain, "--format", "csv").stdout.decode()
        self.assertEqual(list(csv.reader(io.StringIO(sent, newline=""))), [["text"], [expected.replace("\0", "")]])
        sent = self.run_bytes("query", SAMPLE, ALL_OF_THEM, "--format", "json").stdout
        self.assertEqual(json.loads(sent), [{"text": expected}])
        self.check_harmless(sent)
        for form, read in [("csv", lambda text: text.split("\r\n")[1].strip('"')), ("json", lambda text: json.loads(text)[0]["text"])]:
            sent = self.run_bytes("query", SAMPLE, INVALID, "--format", form).stdout.decode("utf-8")
            self.assertEqual(read(sent), b"A\xff\x1b[31m\xc3".decode("utf-8", "replace"))

    def test_info_and_import_log(self):
        page = self.hostile_page()
        self.assertIn("owned", self.check_harmless(self.run_bytes("info", page).stdout))
        sent = self.run_bytes("info", page, "--json").stdout
        self.check_harmless(sent)
        self.assertIn(f"'{EVIL}'", "".join(entry["message"] for entry in json.loads(sent)["import_log"]))
        members = self.write("two.zip", zip_bytes({"a.pickle": SAMPLE.read_bytes(), "b\x9b31m owned\u202e.pickle": SAMPLE.read_bytes()}))
        for arguments in [["info", members], ["query", members, "SELECT 1"], ["query", members, "SELECT message FROM import_log"]]:
            done = self.run_bytes(*arguments)
            self.assertIn("owned", self.check_harmless(done.stdout + done.stderr))

    def test_one_entry_is_one_line(self):
        members = self.write("two.zip", zip_bytes({"a.pickle": SAMPLE.read_bytes(), "b\nforged line.pickle": SAMPLE.read_bytes()}))
        self.assertFalse([line for line in self.run_bytes("info", members).stdout.decode().splitlines() if line.startswith("forged")])

    def test_file_names_and_errors(self):
        bad = self.folder / os.fsdecode(b"bad\xff\x1b[31m\xc2\x9b\n.pickle")
        bad.write_bytes(b"nothing")
        good = self.folder / os.fsdecode(b"good\xff\x1b[31m\xc2\x9b\nx.pickle")
        good.write_bytes(SAMPLE.read_bytes())
        for arguments in [["info", bad], ["info", good], ["query", bad, "SELECT 1"], ["query", good, "SELECT 1", "--limit", "0"],
                          ["query", good, f"SELECT '{EVIL}' FROM \"{EVIL}\""], ["export", good, "--out", EVIL + "/x.zip"],
                          ["export", good, "--out", f"x.{EVIL}"], ["query", good, "SELECT 1", "--format", EVIL],
                          ["render", good, "--out", EVIL + "/x.png"], ["info", good, f"--{EVIL}"], [bad], [EVIL],
                          ["query", good, "SELECT n FROM (SELECT 1 AS n UNION SELECT 2)", "--limit", "1"]]:
            with self.subTest(arguments=arguments):
                done = self.run_bytes(*map(os.fsencode, arguments))
                self.check_harmless(done.stdout + done.stderr)
        self.assertEqual(self.run_bytes("info", bad).stderr.count(b"\n"), 1)

    def test_exports_are_valid(self):
        frame = b"X\x05\0\0\0\xff\x1bab\xc3"   # five bytes that are not UTF-8
        trace = [{"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": [{"filename": "PLACE", "line": 1, "name": "f"}]}]
        data = pickle.dumps({"segments": [], "device_traces": [trace]}, 2).replace(b"X\x05\0\0\0PLACE", frame)
        self.assertIn(frame, data)
        path = self.write("old.pickle", data)
        expected = b"\xff\x1bab\xc3".decode("utf-8", "replace")
        _, elements = self.export(path)
        self.assertEqual(elements[0]["frames"][0]["filename"], expected)
        for name in ["out.json", "out.csv"]:
            self.succeed("export", path, "--out", name)
        self.assertIn(expected, json.loads((self.folder / "out.json").read_text("utf-8"))[0]["callstack"])
        with open(self.folder / "out.csv", newline="", encoding="utf-8") as file:
            self.assertIn(expected, list(csv.DictReader(file))[0]["callstack"])

    def test_a_strangers_database(self):
        database = sqlite3.connect(self.folder / "own.db")
        database.execute(f"CREATE TABLE \"t{EVIL}\" (\"c{EVIL}\" TEXT)")
        database.execute(f"INSERT INTO \"t{EVIL}\" VALUES (?)", [EVIL])
        database.commit()
        database.close()
        for arguments in [["info", "own.db"], ["query", "own.db", f"SELECT * FROM \"t{EVIL}\""], ["query", "own.db", "SELECT nothing"],
                          ["query", "own.db", "SELECT sql FROM file.sqlite_schema"]]:
            done = self.run_bytes(*arguments)
            self.check_harmless(done.stdout + done.stderr)


if __name__ == "__main__":
    main()
