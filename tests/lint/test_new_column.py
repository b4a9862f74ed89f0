#!/usr/bin/env python3
"""Adds a column to an answer with the one line that CONTRIBUTING.md describes, and compiles the changed file.

    test_new_column.py --compiler CXX --includes DIR:DIR:...

Fails if the manual names a file or list that does not exist, or if its line does not compile there.
"""
import argparse
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def example():
    """Returns the file, the list and the line that the manual adds to it."""
    manual = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = manual.split("## A new column", 1)[1].split("\n## ", 1)[0]
    names = re.search(r"adds this line to `(\w+)` in (\S+\.cpp)", " ".join(section.split()))
    return names.group(2), names.group(1), re.search(r"^    (\{\".*\},)$", section, re.MULTILINE).group(1)


class NewColumn(unittest.TestCase):
    def test_one_line_compiles(self):
        path, name, line = example()
        text = (ROOT / path).read_text(encoding="utf-8")
        beginning = re.search(rf"^const DeviceFields<.*> {name} = {{\n", text, re.MULTILINE)
        self.assertIsNotNone(beginning, f"{path} has no list {name}")
        # Names in a list are unique.
        self.assertNotIn(line.split(",")[0], text[beginning.end():].split("}};", 1)[0])
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / Path(path).name
            copy.write_text(text[:beginning.end()] + f"    {line}\n" + text[beginning.end():], encoding="utf-8")
            command = [OPTIONS.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}"]
            command += [f"-I{include}" for include in OPTIONS.includes.split(":") if include]
            compiled = subprocess.run([*command, str(copy)], capture_output=True, text=True)
            self.assertEqual(compiled.returncode, 0, compiled.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--includes", required=True)
    OPTIONS = parser.parse_args()
    unittest.main(argv=["test_new_column.py"])
