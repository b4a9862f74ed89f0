#!/usr/bin/env python3
"""Makes the databases in kept/VERSION: files written by a version, which every later version must open.

    make_kept.py PROGRAM

Run it once with the program of each major version; existing files are not changed. The two JSON files beside them contain that
version's preferences and notes with every value different from its default; tests/app/posix/kept_files_test.cpp checks those of 1.0.
"""
import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import contracts  # noqa: E402


def main():
    program = Path(sys.argv[1]).resolve()
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    kept = contracts.FOLDER / "kept" / version.rpartition(".")[0]
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        ranks = Path(folder, "job")
        ranks.mkdir()
        for rank in range(2):
            contracts.snapshots.make("gen_snapshot.py", ranks / f"rank{rank}.pickle", "--events", 120, "--layers", 1, "--seed", rank + 1)
        for name, arguments in [("fleet.db", ["fleet", "job", "--totals", "--write"]), ("export.db", ["export", "job/rank0.pickle", "--out"])]:
            packed = kept / f"{name}.gz"
            if not packed.exists():
                subprocess.run([program, *arguments, name], check=True, cwd=folder, stdout=subprocess.DEVNULL)
                packed.write_bytes(gzip.compress(Path(folder, name).read_bytes(), mtime=0))
    for path in sorted(kept.iterdir()):
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
