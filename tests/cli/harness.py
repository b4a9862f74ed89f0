"""What the command-line tests share: running the program, and judging how it refuses.

The program is named by SNAPVIEWER_BINARY; SNAPVIEWER_SHARED names the folder with real snapshots and may be absent.
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
UNSYNCED = "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;\n"  # a database of a test need not survive a power cut
DRAWING = {"render"}   # Mesa leaves 112 bytes when it is unloaded, and LeakSanitizer cannot tell whose they were
DONE, AT_FAULT, WRONG_USAGE, ENVIRONMENT = 0, 1, 2, 3


def real_files(*names):
    """Paths of real files in the shared folder; skips the test where they are absent. Without names: the real snapshots."""
    paths = [SHARED / "data" / name for name in names] if names else snapshots.real(SHARED)
    if not paths or not all(path.exists() for path in paths):
        raise unittest.SkipTest(f"{SHARED / 'data'} holds no {' '.join(names) or 'snapshots'}")
    return paths


@functools.cache
def is_sanitized():
    """Whether the program was built with a sanitizer, which slows it down and makes system calls of its own."""
    content = Path(BINARY).read_bytes()
    return b"__asan_init" in content or b"__tsan_init" in content


def headless_environment(home):
    """No display, and a home of its own: nothing of the user's is read or written."""
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return {**environment, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CACHE_HOME": str(home),
            "XDG_STATE_HOME": str(home), "XDG_RUNTIME_DIR": str(home)}


class CommandLine(unittest.TestCase):
    """Each test has an empty folder of its own, self.folder, which is the working directory of what it runs."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name) / "work"
        self.home = Path(holder.name) / "home"
        self.folder.mkdir()
        self.home.mkdir()

    def environment_for(self, arguments):
        """Of a run of the program with these arguments."""
        leaks = {"LSAN_OPTIONS": "leak_check_at_exit=0"} if arguments and arguments[0] in DRAWING else {}
        return {**headless_environment(self.home), **leaks}

    def run_program(self, *arguments, program=BINARY, **options):
        return subprocess.run([program, *map(str, arguments)], cwd=self.folder, env=self.environment_for(arguments),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **options)

    def succeed(self, *arguments, **options):
        """Standard output of a run that must end well."""
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, DONE, done.stderr)
        return done.stdout

    def refuse(self, *arguments, status=AT_FAULT, mentions=(), **options):
        """Runs what must fail with one line on standard error, nothing on standard output and no file changed."""
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
        """Exports to out.zip and returns the two members as Python reads them."""
        out = self.folder / "out.zip"
        self.succeed("export", path, "--out", out, *options)
        with zipfile.ZipFile(out) as archive:
            if archive.testzip() or sorted(archive.namelist()) != ["allocations.json", "elements.json"]:
                self.fail("not SnapViewer's layout, or damaged")
            return tuple(json.loads(archive.read(name)) for name in ["allocations.json", "elements.json"])

    def ask(self, path, sql):
        """The rows of a query, as tuples."""
        return [tuple(row.values()) for row in self.ask_named(path, sql)]

    def ask_named(self, path, sql):
        """The rows of a query, as a dict each."""
        return json.loads(self.succeed("query", path, sql, "--format", "json", "--limit", "1000000"))

    def info_and_entries(self, path):
        """What `info` says, and of the import log how often which code."""
        info = json.loads(self.succeed("info", path, "--json"))
        return info, {entry["code"]: entry["count"] for entry in info["import_log"]}

    def write_database(self, name, script):
        """A database of its own, in place of one of the same name."""
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
    """Runs the tests of the calling file. Its exit status says "skipped" if one of them could not run."""
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else SKIPPED if result.skipped else 0)
