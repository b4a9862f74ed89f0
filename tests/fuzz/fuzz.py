#!/usr/bin/env python3
"""Runs the fuzz targets, one after another, and keeps what they learn.

    cmake --preset fuzz && cmake --build --preset fuzz
    fuzz.py CORPUS [--build FOLDER] [--minutes M] [KIND]...

CORPUS/KIND holds the inputs, made by make_corpus.py at first, and is minimised after each run; finds go to CORPUS/finds/KIND. Prints, of each
kind, executions, inputs kept, finds, and which part of core/load and core/query the inputs reach, in percent of edges.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import make_corpus  # noqa: E402

ROOT = make_corpus.ROOT
MOST_BYTES = {"database": 200_000, "sql": 2000, "timeline": 3000}
LIMITS = ["-timeout=20", "-rss_limit_mb=3000", "-malloc_limit_mb=3000"]
FOLDERS = ("core/base", "core/load", "core/trace", "core/sqlite", "core/timeline", "core/mesh", "core/query")


def fuzzer(build, kind, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([build / f"fuzz_{kind}", *map(str, arguments)], env={**os.environ, "TMPDIR": folder}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode(errors="replace")


def run(build, corpus, finds, kind, seconds):
    """Executions."""
    output = fuzzer(build, kind, "-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1", f"-max_total_time={seconds}",
                    f"-max_len={MOST_BYTES.get(kind, 60_000)}", f"-artifact_prefix={finds}/", *LIMITS, corpus)
    (finds / "log.txt").write_text(output)
    return int(([0] + re.findall(r"^#(\d+): cov", output, re.MULTILINE))[-1])


def minimise(build, corpus, kind):
    with tempfile.TemporaryDirectory(dir=corpus.parent) as folder:
        smaller = pathlib.Path(folder, kind)
        smaller.mkdir()
        fuzzer(build, kind, "-merge=1", *LIMITS, smaller, corpus)
        if any(smaller.iterdir()):
            corpus.rename(pathlib.Path(folder, "before"))
            smaller.rename(corpus)


def edges(build, corpus, kind):
    """(file, function) -> (edges reached, edges)."""
    output = fuzzer(build, kind, "-runs=0", "-print_coverage=1", *LIMITS, corpus)
    found = {}
    for hit, whole, name, file in re.findall(r"COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) (.*) (/\S+?):\d+$", output, re.MULTILINE):
        file = os.path.relpath(file, ROOT)
        found[file, name] = max(found.get((file, name), (0, 0)), (int(hit), int(whole)))
    return found


def coverage_text(found):
    parts = []
    for folder in FOLDERS:
        rows = [numbers for (file, _), numbers in found.items() if file.startswith(folder + "/")]
        if rows:
            parts.append(f"{folder} {100 * sum(hit for hit, _ in rows) / sum(whole for _, whole in rows):.0f} %")
    return ", ".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("kinds", nargs="*", metavar="KIND", default=list(make_corpus.SEEDS))
    options = parser.parse_args()
    together = {}
    for kind in options.kinds:
        corpus, finds = options.corpus / kind, options.corpus / "finds" / kind
        finds.mkdir(parents=True, exist_ok=True)
        make_corpus.make(corpus, kind)
        executions = run(options.build, corpus, finds, kind, round(60 * options.minutes))
        minimise(options.build, corpus, kind)
        reached = edges(options.build, corpus, kind)
        for place, numbers in reached.items():
            together[place] = max(together.get(place, (0, 0)), numbers)
        count = sum(path.name != "log.txt" for path in finds.iterdir())
        print(f"{kind}: {executions} executions, {len(list(corpus.iterdir()))} inputs, {count} finds; {coverage_text(reached)}", flush=True)
    print("together:", coverage_text(together))


if __name__ == "__main__":
    sys.exit(main())
