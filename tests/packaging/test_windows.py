#!/usr/bin/env python3
"""The packages for Windows from the folder SNAPVIEWER_RELEASE, under Wine: the unpacked zip, installing and uninstalling, and the
wheel's program. Needs the packages of `scripts/setup.sh --port windows`. Python's module is tested by the label python, see
docs/testing.md."""
import os
import shutil
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

import made

WINE = "/usr/lib/wine/wine64"
UNINSTALL = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\snapviewer"
PATIENCE_S = 60
OPEN_WITH = r"HKCU\Software\Classes\snapviewer.snapshot\shell\open\command"


class Windows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="snapviewer-windows-test-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.drive = cls.folder / "wine/drive_c"
        cls.environment = {**os.environ, "WINEPREFIX": str(cls.folder / "wine"), "WINEDEBUG": "-all"}
        cls.screen = ["xvfb-run", "--auto-servernum", "--server-args=-screen 0 1280x800x24"]
        cls.wine("wineboot", "--init")
        cls.addClassCleanup(made.run, "/usr/lib/wine/wineserver64", "--kill", env=cls.environment)

    @classmethod
    def wine(cls, *command):
        """Runs a Windows program that must succeed; returns its output."""
        return made.result(*cls.screen, WINE, *command, env=cls.environment)

    def check_program(self, program, draws=True):
        sample = program.parent / "my sample.pickle"
        shutil.copy(made.SAMPLE, sample)
        inside = f"Z:{sample}"
        rows = self.wine(program, "query", inside, made.SQL, "--format", "csv")
        self.assertEqual(rows, made.result(made.PROGRAM, "query", made.SAMPLE, made.SQL, "--format", "csv"))
        self.assertIn('"findings"', self.wine(program, "report", inside, "--json"))
        if draws:
            self.wine(program, "render", inside, "--out", f"Z:{program.parent}/picture.png")
            self.assertEqual((program.parent / "picture.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        sample.unlink()

    def test_the_zip(self):
        with zipfile.ZipFile(made.released("snapviewer-*-windows-x86_64.zip")) as archive:
            archive.extractall(self.folder / "un zipped")
        folder, = (self.folder / "un zipped").iterdir()
        self.assertTrue((folder / "LICENSE.txt").exists() and any((folder / "licenses").iterdir()))
        self.check_program(folder / "snapviewer.com")

    def test_the_installer(self):
        self.wine(made.released("snapviewer-*-windows-x86_64-setup.exe"), "/S")
        folder, = self.drive.glob("users/*/AppData/Local/Programs/snapviewer")
        self.check_program(folder / "snapviewer.com")
        self.assertIn("snapviewer", self.wine("reg", "query", UNINSTALL, "/v", "UninstallString"))
        self.assertIn("snapviewer.exe", self.wine("reg", "query", OPEN_WITH))
        (folder / "picture.png").rename(folder / "of the user.png")

        self.wine(folder / "uninstall.exe", "/S")
        until = time.monotonic() + PATIENCE_S   # the uninstaller continues as a copy in another folder, so that it can remove itself
        while (left := [path.name for path in folder.iterdir()]) != ["of the user.png"] and time.monotonic() < until:
            time.sleep(0.2)
        self.assertEqual(left, ["of the user.png"])
        for key in (UNINSTALL, OPEN_WITH):
            self.assertNotEqual(made.run(*self.screen, WINE, "reg", "query", key, env=self.environment).returncode, 0, key)

    def test_the_wheel(self):
        with zipfile.ZipFile(made.released("snapviewer-*-win_amd64.whl")) as archive:
            archive.extractall(self.folder / "wheel")
        self.check_program(self.folder / "wheel/snapviewer/bin/snapviewer.exe", draws=False)


if __name__ == "__main__":
    made.skip_without_release()
    if not Path(WINE).exists() or shutil.which("xvfb-run") is None:
        made.skip("needs wine64 and xvfb-run")
    unittest.main()
