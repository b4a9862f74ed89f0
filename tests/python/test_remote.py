"""Files that are not paths on this machine: over ssh, and open files."""
import gzip
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from module import ROOT, SAMPLE, main

import snapviewer as sv

sys.path.insert(0, str(ROOT / "tests"))
from ssh_server import SshServer  # noqa: E402


class Remote(unittest.TestCase):
    def test_over_ssh(self):
        with SshServer() as server:
            before = os.environ["PATH"]
            self.addCleanup(os.environ.__setitem__, "PATH", before)
            os.environ.update(server.environment(os.environ))
            with sv.open(SAMPLE) as local, sv.open(f"node:{SAMPLE}") as fetched:
                self.assertEqual(fetched.info(), local.info())
                self.assertEqual(fetched.query("SELECT count(*) FROM events").rows(), local.query("SELECT count(*) FROM events").rows())
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "a.pickle"
                path.write_bytes(b"just text")
                with self.assertRaisesRegex(sv.FileError, "cannot be opened together"):
                    sv.open(f"node:{path}", beside=SAMPLE)
                path.write_bytes(Path(SAMPLE).read_bytes())
                with sv.open(f"node:{path}") as fetched:
                    self.assertEqual(fetched.kind, "pytorch_pickle", "the file as it is now")
            with self.assertRaisesRegex(sv.FileError, "no such file on that machine"):
                sv.open("node:/nothing.pickle")

    def test_an_open_file(self):
        content = Path(SAMPLE).read_bytes()
        with sv.open(SAMPLE) as local:
            for file in (io.BytesIO(content), gzip.open(io.BytesIO(gzip.compress(content, 1)))):
                with sv.open(file) as snapshot:
                    self.assertEqual(snapshot.info(), local.info())
                    path = snapshot.path
                    self.assertTrue(os.path.exists(path), "for picture() and show()")
                del snapshot
                self.assertFalse(os.path.exists(path))
            with open(SAMPLE, "rb") as file:
                self.assertEqual(sv.open(file).info(), local.info())
            for of_file in (content, bytearray(content), memoryview(content), os.fsencode(SAMPLE)):
                with self.subTest(kind=type(of_file)), sv.open(of_file) as snapshot:
                    self.assertEqual(snapshot.info(), local.info())
            self.assertEqual(sv.open(os.fsencode(SAMPLE)).path, SAMPLE, "bytes that are the name of a file")
        with self.assertRaises(sv.FileError):
            sv.open(io.BytesIO(b"just text"))
        with self.assertRaises(sv.FileError):
            sv.open(b"just text")
        with self.assertRaises((TypeError, AttributeError)):
            sv.open(7)

    def test_pack(self):
        with tempfile.TemporaryDirectory() as folder, sv.open(SAMPLE) as snapshot:
            out = Path(folder) / "a.pickle.zst"
            snapshot.pack(out)
            self.assertLess(out.stat().st_size * 10, Path(SAMPLE).stat().st_size)
            self.assertEqual(subprocess.run(["zstd", "-dc", out], capture_output=True, check=True).stdout, Path(SAMPLE).read_bytes())
            with self.assertRaises(sv.ProgramError):
                snapshot.pack(Path(folder) / "a.pickle")


if __name__ == "__main__":
    main()
