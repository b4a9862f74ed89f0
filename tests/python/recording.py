"""Shared code of the tests of record(): a folder, a stand-in for torch, and a new Python process for each piece of code."""
import json
import os
import shutil
import socket
import tempfile
import textwrap
import unittest
from pathlib import Path

from module import run_python

HERE = Path(__file__).resolve().parent
NAME = f"{socket.gethostname()}_rank7_device1"
ABOUT = ".about.json"


class RecorderCase(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.out = self.folder / "new" / "out"
        (self.folder / "stand-in").mkdir()
        for source, name in (("torch_stand_in.py", "torch.py"), ("torch_signatures.py", "torch_signatures.py")):
            shutil.copy(HERE / source, self.folder / "stand-in" / name)
        os.environ["RANK"] = "7"

    def run_code(self, code, path=True, version="2.15", **environment):
        code = f"import snapviewer as sv\nout = {str(self.out)!r}\n" + textwrap.dedent(code)
        os.environ.update({"TORCH_STAND_IN": version, **environment})
        try:
            done = run_python(code, cwd=self.folder, path=[str(self.folder / "stand-in")] if path else [])
        finally:
            for name in environment:
                del os.environ[name]
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def files(self, folder=""):
        return sorted(path.name for path in (self.out / folder).iterdir() if path.is_file())

    def written(self, folder=""):
        return [name for name in self.files(folder) if not name.endswith(ABOUT)]

    def about(self, name, folder=""):
        return json.loads((self.out / folder / (name + ABOUT)).read_text(encoding="utf-8"))
