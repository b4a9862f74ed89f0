#!/usr/bin/env python3
"""Checks the C++ sources against .clang-format. Exits with 77 (skipped) without the required version of clang-format."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

MAJOR_VERSION = 14   # as in Debian 12; other versions break some lines differently
SKIPPED = 77


def main():
    tool = shutil.which(f"clang-format-{MAJOR_VERSION}") or shutil.which("clang-format")
    version = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout if tool else ""
    if not re.search(rf"version {MAJOR_VERSION}\.", version):
        print(f"skipped: clang-format {MAJOR_VERSION} is not installed")
        return SKIPPED
    root = Path(__file__).resolve().parents[2]
    files = [str(path) for folder in ["core", "render", "app", "tools", "tests"] for path in sorted((root / folder).rglob("*"))
             if path.suffix in {".cpp", ".h"}]
    return subprocess.run([tool, "--dry-run", "--Werror", "--ferror-limit=1", *files]).returncode


if __name__ == "__main__":
    sys.exit(main())
