"""Shared code of the tests of the Python module: its folder, the sample, and the function that runs a test file."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
MODULE = ROOT / "python"
SAMPLE = str(ROOT / "assets" / "sample.pickle")
BINARY = os.environ.get("SNAPVIEWER_BINARY", str(ROOT / "build" / "release" / "snapviewer"))
os.environ.setdefault("SNAPVIEWER_LIBRARY", str(ROOT / "build" / "release" / "core" / "capi" / "libsnapviewer.so"))
os.environ["SNAPVIEWER_BINARY"] = BINARY
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.path.insert(0, str(MODULE))
SKIPPED = 77


def run_python(code, **options):
    """Runs code in a new Python process that finds the module."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*options.pop("path", []), str(MODULE)])}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, **options)


def main():
    """Runs the tests of the calling file; exits with 77 if all were skipped."""
    if sys.version_info < (3, 9):
        print("the module needs Python 3.9")
        sys.exit(SKIPPED)
    result = unittest.main(exit=False).result
    if result.wasSuccessful() and result.testsRun and len(result.skipped) == result.testsRun:
        sys.exit(SKIPPED)
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
