"""`-` is standard input for every command that reads one file. The answers equal those for the file, if the output format allows."""
import contextlib
import gzip
import json
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import time

from containers import containers_of, load_plain, snapviewer_members, snapviewer_trace, zip_bytes, zstd_frames
from harness import AT_FAULT, BINARY, DONE, SAMPLE, WRONG_USAGE, CommandLine, main

RUN_DEPENDENT_KEYS = ("timings_ms", "peak_rss_bytes")
PATIENCE_S = 60


class StandardInput(CommandLine):
    def given(self, content, *arguments, status=DONE):
        """Runs a command that reads bytes from a pipe, and returns its output."""
        done = subprocess.run([BINARY, *map(str, arguments)], cwd=self.folder, env=self.environment_for(arguments), input=content,
                              capture_output=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertNotIn(b"/dev/stdin", done.stdout + done.stderr)
        return (done.stdout or done.stderr).decode().replace("\r\n", "\n")

    def start(self, *arguments, **options):
        process = subprocess.Popen([BINARY, *map(str, arguments)], cwd=self.folder, env=self.environment_for(arguments), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def files_of_all_kinds(self):
        yield from ((name, content) for name, content, _, _ in containers_of(load_plain(SAMPLE)))
        polygons, elements = snapviewer_trace([{"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": []}])
        yield "snapviewer.zip", zip_bytes(snapviewer_members(polygons, elements))
        self.succeed("export", SAMPLE, "--out", "exported.db")
        yield "exported.db", (self.folder / "exported.db").read_bytes()
        script = self.write_database("other.db", "CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        yield "other.db", script.read_bytes()

    def info_of(self, text):
        info = json.loads(text)
        for key in RUN_DEPENDENT_KEYS:
            del info[key]
        return info

    def test_answers_as_for_the_file(self):
        for name, content in self.files_of_all_kinds():
            with self.subTest(name=name):
                path = self.write(name, content)
                self.assertEqual(self.info_of(self.given(content, "info", "-", "--json")), self.info_of(self.succeed("info", path, "--json")))
                if name == "other.db":      # this file has nothing to report
                    self.assertEqual(self.given(content, "query", "-", "SELECT a FROM t", "--format", "csv"), "a\n7\n")
                    continue
                self.assertEqual(self.given(content, "report", "-", "--json"), self.succeed("report", path, "--json"))

    def test_a_file_and_a_pipe_are_the_same(self):
        for name in ("a.pickle", "a.zip"):
            content = SAMPLE.read_bytes() if name == "a.pickle" else zip_bytes({"a.pickle": SAMPLE.read_bytes()})
            path = self.write(name, content)
            with open(path, "rb") as file:
                done = subprocess.run([BINARY, "info", "-", "--json"], cwd=self.folder, env=self.environment_for([]), stdin=file,
                                      capture_output=True, timeout=PATIENCE_S)
            self.assertEqual((done.returncode, done.stderr), (DONE, b""))
            self.assertEqual(self.info_of(done.stdout), self.info_of(self.given(content, "info", "-", "--json")))

    def test_every_command(self):
        plain = SAMPLE.read_bytes()
        path = self.write("run.pickle", plain)
        for command in (["report", "-"], ["layout", "-", "--event", 5, "--json"], ["tree", "-"], ["replay", "-", "--json"],
                        ["check", "-", "--max-peak", "1TiB"], ["check", "-", "--max-peak", "1MiB"], ["check", "-", "--baseline", SAMPLE],
                        ["check", SAMPLE, "--baseline", "-"], ["query", "-", "SELECT * FROM events", "--format", "csv"],
                        ["query", SAMPLE, "SELECT count(*) FROM b.events", "--compare", "-"], ["compare", "-", SAMPLE],
                        ["compare", SAMPLE, "-"], ["fleet", "-"], ["render", "-", "--out", "a.svg"]):
            with self.subTest(command=command):
                expected = self.run_program(*(path if word == "-" else word for word in command))
                found = self.given(plain, *command, status=expected.returncode)
                for name in (str(path), path.name):
                    expected.stdout, expected.stderr = (text.replace(name, "standard input") for text in (expected.stdout, expected.stderr))
                self.assertEqual(found, expected.stdout or expected.stderr)
        for out in ("a.db", "a.csv", "a.zip", "a/"):
            self.given(plain, "export", "-", "--out", out)
            self.succeed("export", SAMPLE, "--out", f"b{out}")
        with contextlib.closing(sqlite3.connect(self.folder / "a.db")) as one, contextlib.closing(sqlite3.connect(self.folder / "ba.db")) as other:
            self.assertEqual(list(one.iterdump()), list(other.iterdump()))
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "ba.csv").read_bytes())
        self.given(gzip.compress(plain), "pack", "-", "--out", "a.zst")
        self.assertEqual(zstd_frames.decompress((self.folder / "a.zst").read_bytes(), len(plain)), plain)

    def test_is_called_standard_input(self):
        text = self.given(SAMPLE.read_bytes(), "info", "-")
        self.assertTrue(text.startswith("standard input: pytorch_pickle\n"), text[:200])
        self.assertIn("snapviewer: standard input: is not a file that snapviewer can read", self.given(b"just text", "info", "-", status=AT_FAULT))
        self.assertIn("of standard input\n", self.given(SAMPLE.read_bytes(), "pack", "-", "--out", "a.zst"))

    def test_a_writer_that_takes_its_time(self):
        plain = SAMPLE.read_bytes()
        for name, content in [("plain", plain), ("zst", zstd_frames.compress(plain)), ("zip", zip_bytes({"a.pickle": plain}))]:
            with self.subTest(name=name):
                process = self.start("info", "-", "--json")
                for at in range(0, 300):
                    process.stdin.write(content[at:at + 1])
                    process.stdin.flush()
                time.sleep(0.3)
                self.assertIsNone(process.poll(), "ended before all was written")
                out, err = process.communicate(content[300:], timeout=PATIENCE_S)
                self.assertEqual((process.returncode, err), (DONE, b""))
                self.assertEqual(json.loads(out)["devices"][0]["events"], 6500)

    def test_a_writer_that_stops_in_the_middle(self):
        plain = SAMPLE.read_bytes()
        for name, content in [("plain", plain[:300_000]), ("gz", gzip.compress(plain)[:30_000]), ("zst", zstd_frames.compress(plain)[:30_000])]:
            with self.subTest(name=name):
                path = self.write(name, content)
                text = self.given(content, "info", "-", "--json")
                self.assertEqual(self.info_of(text), self.info_of(self.succeed("info", path, "--json")))
                self.assertIn("cut_short", [entry["code"] for entry in json.loads(text)["import_log"]])
                self.assertIn("standard input: pytorch_pickle", self.given(content, "info", "-"))

    def test_nothing_at_all(self):
        self.assertIn("standard input: is empty", self.given(b"", "info", "-", status=AT_FAULT))
        self.refuse("info", "-", mentions=["standard input: is empty"])    # standard input is the null device

    def test_a_standard_input_that_is_closed(self):
        done = subprocess.run(["sh", "-c", '"$0" info - <&-', BINARY], cwd=self.folder, env=self.environment_for([]), capture_output=True, text=True,
                              timeout=PATIENCE_S)
        self.assertEqual(done.returncode, AT_FAULT, done.stdout)
        self.assertRegex(done.stderr, r"\Asnapviewer: standard input: [^\n]+\n\Z")

    def test_a_terminal_is_refused_at_once(self):
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        done = subprocess.run([BINARY, "info", "-"], cwd=self.folder, env=self.environment_for([]), stdin=follower, capture_output=True, text=True,
                              timeout=PATIENCE_S)
        os.close(follower)
        self.assertEqual((done.returncode, done.stdout), (AT_FAULT, ""))
        self.assertIn("standard input: is a terminal; expected", done.stderr)

    def test_ctrl_c_while_it_waits(self):
        for command in (["info", "-"], ["pack", "-", "--out", "a.zst"]):
            process = self.start(*command)
            process.stdin.write(SAMPLE.read_bytes()[:1000])
            process.stdin.flush()
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=PATIENCE_S), -signal.SIGINT)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_cannot_be(self):
        for arguments in (["compare", "-", "-"], ["query", "-", "SELECT 1", "--compare", "-"], ["check", "-", "--baseline", "-"], ["fleet", "-", "-"],
                          ["info", "-", "--with", "-"], ["-", "-"]):
            with self.subTest(arguments=arguments):
                self.refuse(*arguments, status=WRONG_USAGE, mentions=["given twice", "read only once"])
        database = self.write_database("a.db", "CREATE TABLE t (a)")
        self.refuse("info", "-", "--with", database, mentions=["standard input: cannot be opened together"])
        self.refuse("pack", "-", status=WRONG_USAGE, mentions=["--out"])
        with open(self.write("a.zst", SAMPLE.read_bytes()), "rb") as file:
            done = subprocess.run([BINARY, "pack", "-", "--out", "a.zst"], cwd=self.folder, env=self.environment_for([]), stdin=file,
                                  capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, WRONG_USAGE)
        self.assertIn("cannot be the output", done.stderr)

    def test_a_file_called_like_it(self):
        shutil.copy(SAMPLE, self.folder / "-")
        self.assertEqual(self.info_of(self.succeed("info", "./-", "--json")), self.info_of(self.succeed("info", SAMPLE, "--json")))


if __name__ == "__main__":
    main()
