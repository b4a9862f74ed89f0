#!/usr/bin/env python3
"""The wheel in a Debian with only Python: no compiler, no X11, no OpenGL. Needs root and debootstrap, takes minutes."""
import unittest

import made


class Debian12(unittest.TestCase):
    suite, processor = "bookworm", None

    @classmethod
    def setUpClass(cls):
        cls.made = made.BareRoot(cls, cls.suite, cls.processor)
        cls.root, cls.status, cls.inside, cls.install = cls.made.folder, cls.made.status, cls.made.inside, cls.made.install
        cls.wheel = cls.put_wheel()
        cls.inside("python3", "-m", "venv", "/trial/venv")
        cls.inside("/trial/venv/bin/pip", "install", "--no-index", "--quiet", f"/trial/{cls.wheel.name}")

    @classmethod
    def put_wheel(cls):
        return made.make_wheel(cls.made.trial)

    def test_1_it_is_bare(self):
        for tool in ("gcc", "cc", "cmake", "Xorg"):
            self.assertNotEqual(self.status("which", tool).returncode, 0, tool)
        for name in made.DESKTOP_LIBRARIES:
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
        self.install("libegl1", "libgl1-mesa-dri")
        done = self.status("snapviewer", "render", "/trial/sample.pickle", "--out", "/trial/picture.png")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"libGL\.so\.1.*install libegl1, libgl1 ")
        self.install("libgl1")
        self.inside("snapviewer", "render", "/trial/sample.pickle", "--out", "/trial/picture.png")
        self.assertEqual((self.root / "trial/picture.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


class Debian13(Debian12):
    """With glibc 2.41 and Python 3.13."""
    suite = "trixie"


@unittest.skipUnless(made.PORTABLE, "only the portable wheel runs there")
class Debian11(Debian12):
    """With glibc 2.31 and Python 3.9."""
    suite = "bullseye"


if __name__ == "__main__":
    made.skip_without_roots("patchelf")
    unittest.main()
