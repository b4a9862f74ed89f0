"""Runs info, query and export on the sample and on a small file of each other kind under Valgrind's memcheck: no reads of uninitialized
memory or out of bounds, and no leaks."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "tests" / "fuzz")]
from harness import AT_FAULT, BINARY, DONE, SAMPLE, CommandLine, headless_environment, main  # noqa: E402
import make_corpus  # noqa: E402

FOUND = 99
MEMCHECK = ["valgrind", "--quiet", f"--error-exitcode={FOUND}", "--leak-check=full", "--errors-for-leak-kinds=definite", "--num-callers=30"]
KINDS = {"pickle": ["two_devices_cpp", "out_of_memory", "worst_case_0", "worst_case_2"], "json": ["out_of_memory", "timeline_events", "timeline_totals"],
         "page": ["out_of_memory"], "packed": [f"worst_case{ending}" for ending in (".gz", ".xz", ".lzma", ".bz2", ".zst", "_8.zip", "_12.zip", "_14.zip")]}
QUERY = "SELECT a.*, s.text FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id ORDER BY a.size DESC"


class Valgrind(CommandLine):
    def run_checked(self, *arguments):
        """Runs the program under Valgrind, which generates machine code at run time and so cannot be in the program's sandbox."""
        done = subprocess.run([*MEMCHECK, BINARY, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=1200, env={**headless_environment(self.home), "SNAPVIEWER_SANDBOX": "off"})
        self.assertIn(done.returncode, (DONE, AT_FAULT), done.stderr[:6000])
        return done.returncode

    def check(self, path, exports):
        with self.subTest(path.name):
            began = time.monotonic()
            self.assertEqual(self.run_checked("info", path), DONE)
            self.assertEqual(self.run_checked("query", path, QUERY, "--format", "csv"), DONE)
            for out in exports:
                self.run_checked("export", path, "--out", out)      # refused if there is nothing to draw
            print(f"{path.name}: {time.monotonic() - began:.0f} s", file=sys.stderr)

    def test_a_load(self):
        """The part that every test run includes."""
        self.assertEqual(self.run_checked("info", make_corpus_file(self, "pickle", "out_of_memory")), DONE)

    def test_the_sample(self):
        self.check(SAMPLE, ["out.zip", "out/", "out.db", "out.csv", "out.json"])

    def test_what_we_write_ourselves(self):
        for out in ("out.zip", "out/", "out.db"):
            self.succeed("export", make_corpus_file(self, "pickle", "out_of_memory"), "--out", out)
            self.check(self.folder / out, [])

    def test_other_snapshots(self):
        for kind, names in KINDS.items():
            for name in names:
                self.check(make_corpus_file(self, kind, name), ["new.db", "new.zip"])

    def test_databases(self):
        folder = corpus(self, "database")
        whole = sorted(path for path in folder.iterdir() if path.suffix != ".db")     # some files are cut short deliberately
        self.assertGreaterEqual(len(whole), 8)
        for path in whole:
            self.check(path, ["new.db"])

    def test_a_mistake_is_found(self):
        """Checks that memcheck reports an error, with a program that reads uninitialized memory."""
        source = self.write("mistake.c", "#include <stdlib.h>\nint main(void) { volatile int *p = malloc(4); return *p ? 1 : 0; }\n")
        program = self.folder / "mistake"
        if subprocess.run(["cc", "-g", "-O0", "-o", program, source], capture_output=True).returncode:
            raise unittest.SkipTest("no C compiler")
        self.assertEqual(subprocess.run([*MEMCHECK, program], capture_output=True).returncode, FOUND)


def corpus(test, kind):
    folder = Path(tempfile.mkdtemp())
    test.addCleanup(shutil.rmtree, folder)
    make_corpus.make(folder / kind, kind)
    return folder / kind


def make_corpus_file(test, kind, name):
    return corpus(test, kind) / name


if __name__ == "__main__":
    if shutil.which("valgrind") is None:
        print("valgrind is absent")
        sys.exit(77)
    main()
