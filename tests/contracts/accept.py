#!/usr/bin/env python3
"""Writes the contracts of the current program, and prints the changes.

    accept.py PROGRAM [--removing]      PROGRAM is a built snapviewer; --removing is for a new major version only

A promised interface is removed or changed only in a new major version, after a minor version announced it: see docs/compatibility.md.
"""
import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import contracts  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--removing", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        program = contracts.Program(arguments.program.resolve(), Path(folder), environment)
        new = {name: contracts.now(name, program) for name in contracts.CONTRACTS}
    gone = [line for name in new for line in contracts.promised(name) if line not in new[name]]
    if gone and not arguments.removing:
        sys.exit("\n".join(["These were promised, and nothing was written:", *gone, contracts.WHAT_TO_DO]))
    for name, lines in new.items():
        added = set(lines) - set(contracts.promised(name))
        print(f"{name}: {len(lines)} lines, {len(added)} new")
        contracts.path_of(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
