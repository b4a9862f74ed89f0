#!/usr/bin/env python3
"""The wheel, installed into an empty virtual environment: the command, the module, its content and its requirements."""
import base64
import csv
import hashlib
import io
import os
import re
import shutil
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import made

IMPORT_BUDGET_MS = 50
WHEEL_BUDGET_BYTES = (24 if made.PAGE.is_dir() else 15) << 20
GLIBC_PROMISED = (2, 17) if made.PORTABLE else (2, 34)      # as promised in docs/packaging.md, if it is built on Debian 12
BUNDLED = () if made.PORTABLE else ("libzip", "libsqlite3", "libfmt", "libre2", "libseccomp")
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith(("SNAPVIEWER", "PYTHON"))}


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="snapviewer-wheel-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.wheel = made.make_wheel(cls.folder)
        made.result(sys.executable, "-m", "venv", cls.folder / "venv")
        made.result(cls.folder / "venv/bin/pip", "install", "--no-index", "--no-deps", "--quiet", cls.wheel)
        cls.python = cls.folder / "venv/bin/python"
        cls.command = cls.folder / "venv/bin/snapviewer"
        cls.package = next(cls.folder.glob("venv/lib/python*/site-packages/snapviewer"))

    def binaries(self):
        return [path for path in self.package.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]

    def test_the_command_answers_as_the_program_does(self):
        for arguments in (["--version"], ["query", made.SAMPLE, made.SQL, "--format", "csv"], ["report", made.SAMPLE, "--json"]):
            self.assertEqual(made.result(self.command, *arguments, env=CLEAN), made.result(made.PROGRAM, *arguments))

    def test_the_command_gives_the_status_of_the_program(self):
        self.assertEqual(made.run(self.command, "info", "/nowhere", env=CLEAN).returncode, 1)
        self.assertEqual(made.run(self.command, "--nothing", env=CLEAN).returncode, 2)

    def test_the_module_answers_from_the_wheel_alone(self):
        code = (f"import snapviewer as sv\ns = sv.open({str(made.SAMPLE)!r})\nprint(len(s.query({made.SQL!r}).rows()))\n"
                "print(open('/proc/self/maps').read())")
        count, maps = made.result(self.python, "-c", code, env=CLEAN).split("\n", 1)
        expected = made.result(made.PROGRAM, "query", made.SAMPLE, made.SQL, "--format", "csv").count("\n") - 1
        self.assertEqual(int(count), expected)
        loaded = set(re.findall(r"/\S+\.so\S*", maps))
        self.assertIn(str(self.package / "libsnapviewer.so"), loaded)
        for name in BUNDLED:
            self.assertTrue(any(str(self.package) in path and name in path for path in loaded), name)
        self.assertEqual([path for path in loaded if os.path.basename(path).startswith(made.DESKTOP_LIBRARIES)], [])

    def test_the_program_starts_without_a_desktop(self):
        loaded = made.result(self.package / "bin/snapviewer", env={**CLEAN, "LD_TRACE_LOADED_OBJECTS": "1"})
        for name in BUNDLED:
            self.assertRegex(os.path.normpath(loaded.replace("bin/../", "")), rf"{self.package}/lib/{name}")
        for name in made.DESKTOP_LIBRARIES:
            self.assertNotIn(name, loaded)

    def test_it_draws_where_there_is_egl(self):
        picture = self.folder / "picture.png"
        made.result(self.command, "render", made.SAMPLE, "--out", picture, "--size", "320x200", env=CLEAN)
        expected = self.folder / "expected.png"
        made.result(made.PROGRAM, "render", made.SAMPLE, "--out", expected, "--size", "320x200")
        self.assertEqual(picture.read_bytes(), expected.read_bytes())

    def test_the_sample_is_inside(self):
        self.assertEqual((self.package / "share/snapviewer/sample.pickle").read_bytes(), made.SAMPLE.read_bytes())

    def test_the_page_is_inside(self):
        made.check_export(self, self.command, self.folder, env=CLEAN)
        self.assertTrue(any((self.package / "share/snapviewer/page/licenses").iterdir()))

    def test_the_tag_is_true(self):
        major, minor = map(int, re.search(r"-manylinux_(\d+)_(\d+)_", self.wheel.name).groups())
        asked = [made.result("objdump", "-T", path) for path in self.binaries()]
        glibc = max(tuple(map(int, version)) for text in asked for version in re.findall(r"GLIBC_(\d+)\.(\d+)", text))
        self.assertLessEqual(glibc, (major, minor))
        if made.PORTABLE or os.confstr("CS_GNU_LIBC_VERSION") == "glibc 2.36":
            self.assertLessEqual((major, minor), GLIBC_PROMISED)
        if shutil.which("auditwheel"):
            self.assertIn(f'"manylinux_{major}_{minor}_', made.result("auditwheel", "show", self.wheel))

    def test_every_file_is_what_the_record_says(self):
        with zipfile.ZipFile(self.wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
            rows = list(csv.reader(io.StringIO(archive.read(name).decode())))
            self.assertEqual(sorted(row[0] for row in rows), sorted(archive.namelist()))
            for path, digest, size in rows:
                if path != name:
                    data = archive.read(path)
                    self.assertEqual(int(size), len(data))
                    self.assertEqual(digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode())
            self.assertTrue(any(path.endswith("licenses/LICENSE") for path, _, _ in rows))
            self.assertTrue(any("/licenses/libzip" in path for path, _, _ in rows))

    def test_it_is_small_and_says_how_quickly_it_is_imported(self):
        self.assertLess(self.wheel.stat().st_size, WHEEL_BUDGET_BYTES)
        code = "import time\nt = time.perf_counter()\nimport snapviewer\nprint((time.perf_counter() - t) * 1000)"
        best_ms = min(float(made.result(self.python, "-c", code, env=CLEAN)) for _ in range(7))
        print(f"{self.wheel.name}: {self.wheel.stat().st_size / 2**20:.1f} MiB, import {best_ms:.1f} of {IMPORT_BUDGET_MS} ms")


if __name__ == "__main__":
    if shutil.which("patchelf") is None:
        made.skip("patchelf is not installed")
    unittest.main()
