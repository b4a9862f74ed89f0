#!/usr/bin/env python3
"""The Debian package: lintian accepts it, the desktop recognises its files, and its manual contains every option."""
import gzip
import pickle
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import made

MIME_TYPE = "application/x-pytorch-memory-snapshot"


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="snapviewer-deb-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.deb = made.make_deb(cls.folder)
        cls.root = cls.folder / "root"
        made.result("dpkg-deb", "--extract", cls.deb, cls.root)
        cls.share = cls.root / "usr/share"

    @unittest.skipIf(shutil.which("lintian") is None, "needs lintian")
    def test_lintian_finds_nothing(self):
        done = made.run("lintian", self.deb)
        self.assertEqual([line for line in done.stdout.splitlines() if line[:2] in ("E:", "W:")], [])

    def test_it_depends_on_no_desktop(self):
        fields = made.result("dpkg-deb", "--field", self.deb)
        depends = re.search(r"^Depends: (.*)$", fields, flags=re.MULTILINE).group(1)
        self.assertIn("libsqlite3-0", depends)
        for package in ("libglfw3", "libegl1", "libgl1", "libx11-6", "libfontconfig1"):
            self.assertNotIn(package, depends)
        self.assertIn("libglfw3", re.search(r"^Recommends: (.*)$", fields, flags=re.MULTILINE).group(1))

    def test_the_program_is_the_same(self):
        program = self.root / "usr/bin/snapviewer"
        self.assertEqual(made.result(program, "query", made.SAMPLE, made.SQL), made.result(made.PROGRAM, "query", made.SAMPLE, made.SQL))

    def test_the_sample_is_inside(self):
        self.assertEqual((self.share / "snapviewer/sample.pickle").read_bytes(), made.SAMPLE.read_bytes())

    def test_the_page_is_inside(self):
        made.check_export(self, self.root / "usr/bin/snapviewer", self.folder)

    def test_the_manual_tells_every_option(self):
        page = gzip.decompress((self.share / "man/man1/snapviewer.1.gz").read_bytes()).decode().replace("\\-", "-")
        main_help = made.result(made.PROGRAM, "--help")
        commands = re.findall(r"^  ([a-z]+) ", main_help.split("Subcommands:")[1], flags=re.MULTILINE)
        self.assertGreater(len(commands), 8)
        for command in commands:
            part = page.split(f".SS snapviewer {command} ")[1].split(".SS ")[0]
            for option in re.findall(r"^  (--[a-z-]+)", made.result(made.PROGRAM, command, "--help"), flags=re.MULTILINE):
                self.assertRegex(part, rf"(?m)^\.B {option}\b")
        if shutil.which("man"):
            done = made.run("man", "--warnings", "-l", self.share / "man/man1/snapviewer.1.gz")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipIf(shutil.which("desktop-file-validate") is None, "needs desktop-file-utils")
    def test_the_desktop_entry_is_valid(self):
        self.assertEqual(made.result("desktop-file-validate", self.share / "applications/snapviewer.desktop"), "")

    @unittest.skipIf(shutil.which("appstreamcli") is None, "needs appstream")
    def test_software_centres_can_show_it(self):
        found = made.run("appstreamcli", "validate", "--no-net", *self.share.glob("metainfo/*.xml"))
        self.assertEqual(found.returncode, 0, found.stdout)
        tree = made.run("appstreamcli", "validate-tree", "--no-net", self.root)   # includes the desktop entry that the metadata names
        self.assertEqual(tree.returncode, 0, tree.stdout)

    @unittest.skipIf(shutil.which("update-mime-database") is None or shutil.which("gio") is None, "needs shared-mime-info and gio")
    def test_snapshots_are_told_by_their_bytes(self):
        made.result("update-mime-database", self.share / "mime")
        others = {"other.pickle": pickle.dumps({"weights": [1]}), "segments.pickle": pickle.dumps(["segments"] * 9),
                  "text.pickle": b"segments\n"}
        snapshots = {"sample.pickle": made.SAMPLE.read_bytes(), "no ending": made.SAMPLE.read_bytes(),
                     "old.pickle": pickle.dumps({"segments": [], "device_traces": []}, protocol=2),
                     "traces.pickle": pickle.dumps({"device_traces": [], "segments": []})}
        for name, data in {**others, **snapshots}.items():
            (self.folder / name).write_bytes(data)
            told = made.result("gio", "info", "-a", "standard::content-type", self.folder / name,
                               env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "XDG_DATA_DIRS": f"{self.share}:/usr/share"})
            self.assertEqual(MIME_TYPE in told, name in snapshots, f"{name}: {told}")


if __name__ == "__main__":
    if shutil.which("dpkg-deb") is None:
        made.skip("no Debian")
    unittest.main()
