#!/usr/bin/env python3
"""The packages for arm64 from the folder SNAPVIEWER_RELEASE, in a Debian 12 of that processor with only Python. QEMU runs everything, so
it takes minutes longer. Needs root, debootstrap and a kernel that starts QEMU for such programs (Debian: qemu-user-static)."""
import shutil
import unittest
from pathlib import Path

import made
import test_bare_root


class Wheel(test_bare_root.Debian12):
    processor = "arm64"

    @classmethod
    def put_wheel(cls):
        return Path(shutil.copy(made.released("snapviewer-*_aarch64.whl"), cls.made.trial))


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bare = made.BareRoot(cls, processor="arm64")
        deb = shutil.copy(made.released("snapviewer_*_arm64.deb"), cls.bare.trial)
        cls.bare.inside("apt-get", "update")
        cls.bare.install(f"/trial/{Path(deb).name}")

    def test_1_the_command_answers(self):
        rows = self.bare.inside("snapviewer", "query", "/trial/sample.pickle", made.SQL, "--format", "csv")
        self.assertEqual(rows, made.result(made.PROGRAM, "query", made.SAMPLE, made.SQL, "--format", "csv"))
        self.assertIn('"findings"', self.bare.inside("snapviewer", "report", "/trial/sample.pickle", "--json"))

    def test_2_it_goes_without_a_trace(self):
        self.bare.inside("apt-get", "purge", "--yes", "snapviewer")
        self.assertEqual(self.bare.inside("find", "/usr", "-name", "*snapviewer*"), "")


if __name__ == "__main__":
    made.skip_without_release()
    made.skip_without_roots()
    if not Path("/proc/sys/fs/binfmt_misc/qemu-aarch64").exists():
        made.skip("the kernel starts no emulator for programs of arm64")
    unittest.main()
