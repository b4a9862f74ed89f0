#!/usr/bin/env python3
"""Writes files that contain false data or cause far more work than their size, and the expected outcome of each.

    hostile_files.py FOLDER [PART OF A NAME]...

Writes 400 files of at most a few megabytes to FOLDER/NAME, and FOLDER/outcomes.txt with one line per file. The files are made by hand
and by Python's own modules, never by the tested program.
"""
import pathlib
import sys

import hostile_containers
import hostile_crossings
import hostile_databases
import hostile_pickles


def files():
    """Yields (name, bytes, outcome) of one file after another."""
    for module in (hostile_pickles, hostile_containers, hostile_databases, hostile_crossings):
        yield from module.files()


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2:]
    with open(folder / "outcomes.txt", "w", encoding="utf-8") as outcomes:
        for name, content, outcome in files():
            if wanted and not any(part in name for part in wanted):
                continue
            (folder / name).write_bytes(content)
            print(name, outcome, sep="\t", file=outcomes)


if __name__ == "__main__":
    main()
