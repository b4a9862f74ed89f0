#!/usr/bin/env python3
"""Runs scripts/release.sh in two clones of this repository: the files are equal, their checksums are correct, and invalid states are
refused. The program is built once, in the folder that SNAPVIEWER_BUILD names; docs/packaging.md describes a comparison of two builds."""
import hashlib
import os
import shutil
import tarfile
import tempfile
import unittest
from pathlib import Path

import made


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        parts = ["source", *(["deb"] if shutil.which("dpkg-shlibdeps") else []), *(["wheel"] if shutil.which("patchelf") else [])]
        cls.made = [cls.release(cls.folder / name, ",".join(parts)) for name in ("one", "folder/of/another/length")]

    @classmethod
    def release(cls, clone, parts):
        made.result("git", "clone", "--quiet", made.ROOT, clone)
        out = clone.parent / f"{clone.name}-out"
        made.result(clone / "scripts" / "release.sh", "--only", parts, out, env={**os.environ, "SNAPVIEWER_BUILD": str(made.BUILD)})
        return {path.name: path.read_bytes() for path in out.iterdir()}

    def test_the_same_bytes_from_two_folders(self):
        first, second = self.made
        self.assertEqual(set(first), set(second))
        self.assertEqual([name for name in first if first[name] != second[name]], [])

    def test_the_sums_are_true(self):
        files = dict(self.made[0])
        sums = dict(reversed(line.split("  ")) for line in files.pop("SHA256SUMS").decode().splitlines())
        self.assertEqual(sums, {name: hashlib.sha256(content).hexdigest() for name, content in files.items()})

    def test_the_sources_know_their_commit(self):
        path, = (self.folder / "one-out").glob("snapviewer-*.tar.gz")
        with tarfile.open(path) as archive:
            text = archive.extractfile(f"{path.name.removesuffix('.tar.gz')}/app/build_facts.cmake").read().decode()
        self.assertIn(f'set(commit "{made.result("git", "-C", made.ROOT, "rev-parse", "--short=12", "HEAD").strip()}")', text)

    def test_what_it_refuses(self):
        script = self.folder / "one" / "scripts" / "release.sh"
        for arguments, words in [([], "usage"), (["--only", "rpm", "x"], "no part 'rpm'"), (["--fast"], "usage")]:
            done = made.run(script, *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        (self.folder / "one" / "new file").touch()
        self.assertIn("no commit has", made.run(script, self.folder / "x").stderr)


if __name__ == "__main__":
    unittest.main()
