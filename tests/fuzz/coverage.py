#!/usr/bin/env python3
"""Prints the percentage of core's lines that the kept inputs of all fuzz targets reach together.

    cmake --preset coverage && cmake --build --preset coverage
    coverage.py CORPUS [--build FOLDER]        CORPUS as fuzz.py keeps it
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import make_corpus  # noqa: E402

ROOT = make_corpus.ROOT
TOOLS = "16"   # version of clang in the preset


def lines_by_folder(report):
    """Returns a dict from each folder of core to (lines reached, lines)."""
    found = {}
    for file in report["data"][0]["files"]:
        parts = pathlib.Path(os.path.relpath(file["filename"], ROOT)).parts
        if parts[0] == "core":
            reached, whole = found.get(parts[1], (0, 0))
            lines = file["summary"]["lines"]
            found[parts[1]] = reached + lines["covered"], whole + lines["count"]
    return {folder: (reached, whole) for folder, (reached, whole) in found.items() if whole}   # a folder may contain only declarations


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "coverage")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for kind in make_corpus.SEEDS:
            programs.append(options.build / f"fuzz_{kind}")
            subprocess.run([programs[-1], options.corpus / kind], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "TMPDIR": folder, "LLVM_PROFILE_FILE": f"{folder}/{kind}.profraw"}, check=True)
        merged = f"{folder}/merged"
        subprocess.run([f"llvm-profdata-{TOOLS}", "merge", "-o", merged, *pathlib.Path(folder).glob("*.profraw")], check=True)
        objects = [argument for program in programs[1:] for argument in ("-object", program)]
        report = subprocess.run([f"llvm-cov-{TOOLS}", "export", "-summary-only", "-instr-profile", merged, programs[0], *objects], check=True,
                                stdout=subprocess.PIPE).stdout
    for name, (reached, whole) in sorted(lines_by_folder(json.loads(report)).items()):
        print(f"core/{name}: {100 * reached / whole:.0f} % of {whole} lines")


if __name__ == "__main__":
    sys.exit(main())
