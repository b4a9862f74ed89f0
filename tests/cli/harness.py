"""Shared code of the command-line tests: runs the program and checks its errors.

SNAPVIEWER_BINARY is the program. SNAPVIEWER_SHARED is the folder with real snapshots and may be absent.
"""
import contextlib
import functools
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import snapshots  # noqa: E402

ROOT, SAMPLE = snapshots.ROOT, snapshots.SAMPLE
BINARY = os.environ.get("SNAPVIEWER_BINARY", str(ROOT / "build" / "release" / "snapviewer"))
SHARED = Path(os.environ.get("SNAPVIEWER_SHARED", ROOT.parent / "shared"))
SKIPPED = 77
UNSYNCED = "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;\n"  # a test's database need not survive a power failure
DRAWING = {"render"}   # Mesa leaks 112 bytes when it is unloaded, and LeakSanitizer cannot attribute them
DONE, AT_FAULT, WRONG_USAGE, ENVIRONMENT = 0, 1, 2, 3


def real_files(*names):
    """Returns paths of real files in the shared folder; without names, those of the real snapshots. Skips the test if the
    folder is absent."""
    paths = [SHARED / "data" / name for name in names] if names else snapshots.real(SHARED)
    if not paths or not all(path.exists() for path in paths):
        raise unittest.SkipTest(f"{SHARED / 'data'} holds no {' '.join(names) or 'snapshots'}")
    return paths


@functools.cache
def is_sanitized():
    """True if the program was built with a sanitizer, which slows it down and makes system calls of its own."""
    content = Path(BINARY).read_bytes()
    return b"__asan_init" in content or b"__tsan_init" in content


def headless_environment(home):
    """Returns an environment without a display and with a separate home folder, so that the user's files are not used."""
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return {**environment, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CACHE_HOME": str(home),
            "XDG_STATE_HOME": str(home), "XDG_RUNTIME_DIR": str(home)}


class CommandLine(unittest.TestCase):
    """Base class of tests. Each test has an empty folder, self.folder, which is the working directory of the programs that it runs."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name) / "work"
        self.home = Path(holder.name) / "home"
        self.folder.mkdir()
        self.home.mkdir()

    def environment_for(self, arguments):
        """Returns the environment for a run of the program with these arguments."""
        leaks = {"LSAN_OPTIONS": "leak_check_at_exit=0"} if arguments and arguments[0] in DRAWING else {}
        return {**headless_environment(self.home), **leaks}

    def run_program(self, *arguments, program=BINARY, **options):
        return subprocess.run([program, *map(str, arguments)], cwd=self.folder, env=self.environment_for(arguments),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **options)

    def succeed(self, *arguments, **options):
        """Runs the program and checks that it succeeds; returns its standard output."""
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, DONE, done.stderr)
        return done.stdout

    def refuse(self, *arguments, status=AT_FAULT, mentions=(), **options):
        """Runs a command that must fail with one line on standard error, nothing on standard output and no changed file."""
        before = self.files()
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stdout[:300]}{done.stderr[:2000]}")
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.files(), before, "a refused command changed files")
        if status != WRONG_USAGE:
            self.assertRegex(done.stderr, r"\A[^\n]+\n\Z", "not one line")
        for text in mentions:
            self.assertIn(str(text), done.stderr)
        return done.stderr

    def export(self, path, *options):
        """Exports a SnapViewer zip and returns its two members, parsed."""
        out = self.folder / "out.zip"
        self.succeed("export", path, "--out", out, *options)
        with zipfile.ZipFile(out) as archive:
            if archive.testzip() or sorted(archive.namelist()) != ["allocations.json", "elements.json"]:
                self.fail("not SnapViewer's layout, or damaged")
            return tuple(json.loads(archive.read(name)) for name in ["allocations.json", "elements.json"])

    def ask(self, path, sql):
        """Runs a query and returns its rows as tuples."""
        return [tuple(row.values()) for row in self.ask_named(path, sql)]

    def ask_named(self, path, sql):
        """Runs a query and returns its rows as dicts."""
        return json.loads(self.succeed("query", path, sql, "--format", "json", "--limit", "1000000"))

    def info_and_entries(self, path):
        """Returns the output of `info`, and the number of import log entries per code."""
        info = json.loads(self.succeed("info", path, "--json"))
        return info, {entry["code"]: entry["count"] for entry in info["import_log"]}

    def write_database(self, name, script):
        """Writes a new database, replacing one of the same name."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.executescript(UNSYNCED + script)
        return path

    def files(self):
        return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file() and os.access(path, os.R_OK)}

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


def numbers(text):
    return [int(number) for number in re.findall(r"\d+", text.replace(",", ""))]


def main():
    """Runs the tests of the calling file. The exit status is 77 if a test was skipped."""
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else SKIPPED if result.skipped else 0)
