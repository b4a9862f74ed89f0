#!/usr/bin/env python3
"""Runs clang-tidy with .clang-tidy's checks over core, render, app and tools, as compiled in a build folder.

    check_tidy.py BUILD_FOLDER [FILE...]        exits with 1 if there is a finding, with 77 (skipped) without clang-tidy

Takes twenty minutes on two cores, so it is run by hand: `ctest --test-dir build/dev -C tidy -L tidy`. The folder must compile each
file alone, as the preset dev does.
"""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77


def main():
    tool = shutil.which("clang-tidy-16") or shutil.which("clang-tidy")
    if not tool:
        print("skipped: clang-tidy is not installed")
        return SKIPPED
    build = Path(sys.argv[1])
    compiled = {Path(entry["file"]) for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))}
    chosen = [Path(name).resolve() for name in sys.argv[2:]] or [ROOT / folder for folder in ("core", "render", "app", "tools")]
    files = sorted(path for path in compiled if any(path.is_relative_to(part) for part in chosen))

    def check(path):
        # The compile commands are for GCC, and clang does not know all of its warnings.
        return subprocess.run([tool, "-p", str(build), "--quiet", "--warnings-as-errors=*", "--extra-arg=-Wno-unknown-warning-option", str(path)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, done in zip(files, pool.map(check, files)):
            if done.returncode:
                failed += 1
                print(done.stdout or f"{path}: clang-tidy failed", flush=True)
    print(f"{len(files)} files, {failed} with findings")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
