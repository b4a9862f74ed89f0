#!/usr/bin/env python3
"""Checks the Python module and the wheel's build script with mypy --strict. Skipped if mypy is not installed."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

MODULE = Path(__file__).resolve().parents[2] / "python"
SKIPPED = 77


def main():
    # Prefers the distribution's mypy, which scripts/setup.sh installs.
    mypy = shutil.which("mypy", path="/usr/bin" + os.pathsep + os.environ.get("PATH", ""))
    if mypy is None:
        print("skipped: mypy is not installed")
        sys.exit(SKIPPED)
    common = [mypy, "--strict", "--cache-dir", os.devnull]
    statuses = [subprocess.run([*common, "--python-version", version, *what], cwd=MODULE).returncode
                for version, what in (("3.10", ["-p", "snapviewer"]), ("3.11", ["backend/wheel_backend.py"]))]
    sys.exit(1 if any(statuses) else 0)


if __name__ == "__main__":
    main()
