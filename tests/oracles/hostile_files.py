#!/usr/bin/env python3
"""Writes files that lie, or that ask for far more than their size, and beside them what each must come to.

    hostile_files.py FOLDER [PART OF A NAME]...

Some 400 files of at most a few megabytes: FOLDER/NAME for each, and FOLDER/outcomes.txt with a line for each. Made by hand and
by Python's own modules, never by the program that they are for.
"""
import pathlib
import sys

import hostile_containers
import hostile_crossings
import hostile_databases
import hostile_pickles


def files():
    """(name, bytes, outcome) of each; made one after another."""
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
