#!/usr/bin/env python3
"""The wheel in a Debian 12 that has Python and nothing else: no compiler, no X11, no OpenGL. Needs root and debootstrap, takes minutes.

SNAPVIEWER_BARE_ROOT names a folder that is to be kept, and used again if it is there; nothing is installed in it.
"""
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import made


def mirror():
    """Where apt gets its packages from here."""
    sites = made.result("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages").split()
    return next((site for site in sites if "security" not in site), None)


def make_root(folder):
    made.result("debootstrap", "--variant=minbase", "--include=python3,python3-venv", "bookworm", folder, mirror())


class BareRoot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        kept = os.environ.get("SNAPVIEWER_BARE_ROOT")
        cls.root = Path(kept or tempfile.mkdtemp(prefix="snapviewer-bare-root-"))
        if not kept:
            cls.addClassCleanup(shutil.rmtree, cls.root)
        if not (cls.root / "usr/bin/python3").exists():
            make_root(cls.root)
        made.result("mount", "-t", "proc", "proc", cls.root / "proc")
        cls.addClassCleanup(made.result, "umount", cls.root / "proc")
        shutil.rmtree(cls.root / "trial", ignore_errors=True)
        (cls.root / "trial").mkdir()
        shutil.copy(made.SAMPLE, cls.root / "trial")
        cls.wheel = made.make_wheel(cls.root / "trial")
        cls.inside("python3", "-m", "venv", "/trial/venv")
        cls.inside("/trial/venv/bin/pip", "install", "--no-index", "--quiet", f"/trial/{cls.wheel.name}")

    @classmethod
    def status(cls, *command):
        clean = ["env", "-i", "PATH=/trial/venv/bin:/usr/bin:/usr/sbin:/bin:/sbin", "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
        return made.run("chroot", cls.root, *clean, *command)

    @classmethod
    def inside(cls, *command):
        done = cls.status(*command)
        if done.returncode != 0:
            raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    @classmethod
    def install(cls, *packages):
        cls.inside("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *packages)

    def test_1_it_is_bare(self):
        for tool in ("gcc", "cc", "cmake", "Xorg"):
            self.assertNotEqual(self.status("which", tool).returncode, 0, tool)
        for name in made.OF_THE_DESKTOP:
            self.assertEqual(list(self.root.glob(f"usr/lib/*/{name}.so*")), [], name)

    def test_2_the_command_answers(self):
        self.assertIn("pytorch_pickle", self.inside("snapviewer", "info", "/trial/sample.pickle", "--json"))
        rows = self.inside("snapviewer", "query", "/trial/sample.pickle", made.SQL, "--format", "csv")
        self.assertEqual(rows, made.result(made.PROGRAM, "query", made.SAMPLE, made.SQL, "--format", "csv"))
        self.assertIn('"findings"', self.inside("snapviewer", "report", "/trial/sample.pickle", "--json"))
        self.inside("snapviewer", "export", "/trial/sample.pickle", "--out", "/trial/sample.db")

    def test_3_the_module_answers(self):
        code = ("import snapviewer as sv\nwith sv.open('/trial/sample.pickle') as s:\n"
                "    print(s.peak_bytes, len(s.findings()), len(s.query('SELECT * FROM allocations').rows()))")
        peak, findings, rows = map(int, self.inside("python3", "-c", code).split())
        self.assertEqual(rows, int(made.result(made.PROGRAM, "query", made.SAMPLE, "SELECT count(*) AS n FROM allocations",
                                               "--format", "csv").split()[1]))
        self.assertGreater(peak, 0)
        self.assertGreater(findings, 0)

    def test_4_what_draws_says_what_to_install(self):
        done = self.status("snapviewer", "render", "/trial/sample.pickle", "--out", "/trial/picture.png")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"libEGL\.so\.1.*install libegl1, libgl1 and libgl1-mesa-dri")
        self.assertFalse((self.root / "trial/picture.png").exists())
        done = self.status("snapviewer", "/trial/sample.pickle")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"libX11\.so\.6.*install .*libx11-6")
        code = ("import snapviewer as sv\ntry:\n    sv.open('/trial/sample.pickle').picture()\n"
                "except sv.ProgramError as error:\n    print(error)")
        self.assertIn("libegl1", self.inside("python3", "-c", code))

    def test_5_what_it_said_is_enough_to_draw(self):
        if os.environ.get("SNAPVIEWER_BARE_ROOT"):
            self.skipTest("the root is to stay bare")
        self.install("libegl1", "libgl1-mesa-dri")
        done = self.status("snapviewer", "render", "/trial/sample.pickle", "--out", "/trial/picture.png")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"libGL\.so\.1.*install libegl1, libgl1 ")
        self.install("libgl1")
        self.inside("snapviewer", "render", "/trial/sample.pickle", "--out", "/trial/picture.png")
        self.assertEqual((self.root / "trial/picture.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("debootstrap") or not shutil.which("patchelf"):
        made.skip("needs root, debootstrap and patchelf")
    if mirror() is None:
        made.skip("apt is configured with no mirror")
    unittest.main()
