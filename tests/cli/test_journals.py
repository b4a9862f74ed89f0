"""Databases with journals beside them, valid and hostile ones: what is read, and that only unnamed temporary files are written.

strace records the system calls of every run.
"""
import contextlib
import os
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import time
import unittest

from harness import AT_FAULT, BINARY, DONE, CommandLine, headless_environment, main

MAGIC = bytes.fromhex("d9d505f920a163d7")
PAGE = 1024
CHANGES = re.compile(r"^(unlink|rename|link|symlink|mkdir|rmdir|mknod|chmod|fchmod|chown|fchown|lchown|truncate|utime|futimes|setxattr)")
WATCHED = "trace=%file,write,pwrite64,writev,pwritev,pwritev2,ftruncate,fallocate,fchmod,fchown,copy_file_range,sendfile"
CALL = re.compile(r"^(?:\d+ +)?([a-z0-9_]+)\((.*)")


def strace_works():
    return shutil.which("strace") and subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True).returncode == 0


def super_journal_record(name):
    """Returns the record that a transaction over several databases appends to each journal, as documented in SQLite's pager.c."""
    path = os.fsencode(name)
    return struct.pack(">I", (1 << 30) // PAGE + 1) + path + struct.pack(">II", len(path), sum(path)) + MAGIC


class Journals(CommandLine):
    def setUp(self):
        super().setUp()
        self.temporary = self.home / "tmp"
        self.temporary.mkdir()
        self.path = self.folder / "a.db"

    def environment(self):
        return {**headless_environment(self.home), "TMPDIR": str(self.temporary)}

    def leave(self, journal_mode):
        """Writes a database with rows 1 and 2 as left by a crashed program. In WAL mode, row 3 is committed and row 4 is not; a rollback
        journal has to undo row 3 and later rows."""
        made = self.home / "made.db"
        made.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as writer:
            writer.executescript(f"PRAGMA page_size = {PAGE}; PRAGMA journal_mode = {journal_mode}; PRAGMA wal_autocheckpoint = 0;"
                                 "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; CREATE TABLE T (id, v); INSERT INTO T VALUES (1, 'a'), (2, 'b');"
                                 "CREATE TABLE filler (v); INSERT INTO filler SELECT hex(zeroblob(400)) FROM pragma_function_list LIMIT 30;")
            if journal_mode == "wal":
                writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                writer.execute("INSERT INTO T VALUES (3, hex(zeroblob(9000)))")
            writer.execute("BEGIN")
            writer.execute("UPDATE T SET v = 'unfinished'")
            writer.execute("UPDATE filler SET v = 'unfinished'")
            for i in range(60):
                writer.execute("INSERT INTO T VALUES (?, hex(zeroblob(900)))", (4 + i,))
            for ending in ("", "-journal", "-wal", "-shm"):
                if os.path.exists(f"{made}{ending}"):
                    shutil.copy(f"{made}{ending}", f"{self.path}{ending}")
            writer.execute("ROLLBACK")
        self.assertGreater(os.path.getsize(self.beside("-wal" if journal_mode == "wal" else "-journal")), 5000)

    def beside(self, ending):
        return self.folder / f"a.db{ending}"

    def watch(self, *arguments):
        """Runs the program. Fails if it changes or writes a file outside of the folder of temporary files, or leaves one there."""
        before = {path: (path.lstat().st_mtime_ns, path.lstat().st_mode, path.lstat().st_size) for path in self.folder.rglob("*")}
        trace = self.home / "trace"
        # If holes were copied by mistake, this limit would keep them from filling the disk.
        command = ["prlimit", "--fsize=67108864", "strace", "-f", "-y", "-s", "4096", "-e", WATCHED, "-o", str(trace), "timeout", "-s", "KILL", "30",
                   BINARY, *map(str, arguments)]
        # AddressSanitizer cannot look for leaks in a traced program.
        environment = {**self.environment(), "ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60)
        self.calls = [call.groups() for line in trace.read_text(errors="replace").splitlines() if (call := CALL.match(line))]
        self.assertTrue(any(name in ("openat", "open") for name, _ in self.calls), "strace saw nothing")
        for name, arguments_text in self.calls:
            self.check_call(name, arguments_text)
        after = {path: (path.lstat().st_mtime_ns, path.lstat().st_mode, path.lstat().st_size) for path in self.folder.rglob("*")}
        self.assertEqual(after, before)
        self.assertEqual(list(self.temporary.iterdir()), [], "left behind")
        return done

    def check_call(self, name, text):
        own = str(self.temporary) + "/"
        if CHANGES.match(name):
            for folder, path in re.findall(r'(?:<([^<>]*)>, )?"([^"]*)"', text) or [("", text)]:
                self.assertTrue(os.path.join(folder, path).startswith(own), f"{name}({text}")
        elif name in ("open", "openat", "creat") and re.search("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", text):
            path = re.search(r'"([^"]*)"', text).group(1) + "/" * ("O_TMPFILE" in text)
            self.assertTrue(path.startswith(own) or path == os.devnull, f"{name}({text}")
        elif re.match("p?writev?|ftruncate|fallocate|copy_file_range|sendfile", name):
            target = re.match(r"(\d+)(?:<(.*?)>(?:\(deleted\))?)?[,)]", text)
            # A memfd is no file of the user: libseccomp writes its filter there.
            is_output = target.group(1) in ("1", "2") or re.match("(pipe|socket|anon_inode|/memfd):", target.group(2) or "")
            self.assertTrue(is_output or target.group(2).startswith(own), f"{name}({text[:200]}")

    def opened(self, text):
        return [call for call in self.calls if call[0] in ("open", "openat") and text in call[1]]

    def copies(self):
        """Returns the calls that opened temporary files. Calls with O_PATH are left out, because they open nothing for reading or
        writing; the sandbox uses one to name the permitted folder."""
        return [call for call in self.opened(str(self.temporary)) if "O_PATH" not in call[1]]

    def rows(self):
        done = self.watch("query", self.path, "SELECT id, substr(v, 1, 9) AS v FROM T ORDER BY id", "--format", "csv")
        self.assertEqual(done.returncode, DONE, done.stderr)
        return [tuple(line.split(",")) for line in done.stdout.split()[1:]]

    def test_a_database_alone(self):
        with contextlib.closing(sqlite3.connect(self.path)) as writer:
            writer.executescript("PRAGMA journal_mode = wal; CREATE TABLE T AS SELECT 1 AS id, 'x' AS v;")
        self.assertEqual(self.rows(), [("1", "x")])

    def test_an_honest_journal_is_rolled_back(self):
        self.leave("delete")
        self.assertEqual(self.rows(), [("1", "a"), ("2", "b")])

    def test_an_honest_wal_is_read_up_to_what_was_committed(self):
        self.leave("wal")
        self.assertTrue(self.beside("-shm").exists())
        self.assertEqual(self.rows(), [("1", "a"), ("2", "b"), ("3", "000000000")])
        self.assertNotEqual(self.copies(), [], "what is read from must be a copy")

    def test_a_journal_that_names_a_file_deletes_nothing(self):
        victim = self.home / "precious.txt"
        for content in (b"", b"precious", os.fsencode(self.path) + b"-other\0"):
            with self.subTest(content=content):
                victim.write_bytes(content)
                self.leave("delete")
                with open(self.beside("-journal"), "ab") as journal:
                    journal.write(super_journal_record(victim))
                for command in (("info", self.path), ("query", self.path, "SELECT count(*) FROM T")):
                    done = self.watch(*command)
                    self.assertEqual(victim.read_bytes(), content)
                    self.assertEqual([call for call in self.calls if "precious" in call[1] and not call[0].startswith("write")], [])
                    self.assertEqual(done.returncode, AT_FAULT)
                    self.assertIn("journal", done.stderr)
                    self.assertIn("precious.txt", done.stderr)

    def test_links_and_pipes_are_neither_followed_nor_waited_for(self):
        for ending, mode in (("-journal", "delete"), ("-wal", "wal"), ("-shm", "wal")):
            for kind in ("link", "pipe", "folder"):
                with self.subTest(ending=ending, kind=kind):
                    self.leave(mode)
                    other = self.home / "elsewhere"
                    shutil.move(self.beside(ending), other)
                    if kind == "link":
                        self.beside(ending).symlink_to(other)
                    elif kind == "pipe":
                        os.mkfifo(self.beside(ending))
                    else:
                        self.beside(ending).mkdir()
                    done = self.watch("info", self.path)
                    self.assertEqual(self.opened("elsewhere"), [])
                    if ending != "-shm" and done.returncode == DONE:
                        self.assertIn(ending, done.stdout, "nobody is told that it was left out")
                    for path in [*self.folder.iterdir(), other]:
                        shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_a_link_to_a_database_finds_what_lies_beside_its_target(self):
        self.leave("wal")
        inner = self.folder / "inner"
        inner.mkdir()
        for ending in ("", "-wal", "-shm"):
            shutil.move(self.beside(ending), inner / f"b.db{ending}")
        self.path.symlink_to(inner / "b.db")
        self.assertEqual(len(self.rows()), 3)

    def test_a_wal_of_holes_costs_nothing(self):
        for mode, ending in (("wal", "-wal"), ("delete", "-journal")):
            with self.subTest(ending=ending):
                self.leave(mode)
                with open(self.beside(ending), "r+b") as journal:
                    journal.truncate(1 << 40)
                expected = 3 if mode == "wal" else 2
                started = time.monotonic()
                self.assertEqual(len(self.rows()), expected)
                with open(self.beside(ending), "wb") as journal:
                    journal.truncate(1 << 40)
                self.watch("info", self.path)
                self.assertLess(time.monotonic() - started, 20)
                self.assertEqual(self.copies(), [], "a copy for nothing")

    def test_a_database_of_holes_is_copied_as_such(self):
        self.leave("wal")
        with open(self.path, "r+b") as database:
            database.truncate(1 << 36)
        self.watch("info", self.path)
        written = [text for name, text in self.calls if name.startswith("pwrite")]
        self.assertLess(len(written), 1000)

    def test_nothing_stays_behind_whatever_ends_the_program(self):
        self.leave("wal")
        slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n, (SELECT count(*) FROM T)"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(signal=number.name):
                running = subprocess.Popen([BINARY, "query", str(self.path), slow], cwd=self.folder, env=self.environment(),
                                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    self.assertTrue(self.has_copy_within(running.pid, 10), "no copy was made")
                    running.send_signal(number)
                    running.wait(20)
                finally:
                    running.kill()
                    running.wait()
                self.assertEqual(list(self.temporary.iterdir()), [])

    def has_copy_within(self, pid, seconds):
        """True if a process opens a file in the folder of temporary files within some seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for link in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    if os.readlink(f"/proc/{pid}/fd/{link}").startswith(str(self.temporary)):
                        return True
            time.sleep(0.02)
        return False


if __name__ == "__main__":
    if not strace_works():
        Journals = unittest.skip("strace cannot watch programs here")(Journals)
    main()
