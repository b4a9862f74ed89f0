#!/usr/bin/env python3
"""Runs the fuzz targets, one after another, and keeps what they learn.

    cmake --preset fuzz && cmake --build --preset fuzz
    fuzz.py CORPUS [--build FOLDER] [--minutes M] [KIND]...

CORPUS/KIND holds the inputs, made by make_corpus.py at first, and is minimised after each run; finds go to CORPUS/finds/KIND. Prints, of each
kind, executions, inputs kept and finds; coverage.py says what they reach.
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
MOST_BYTES = {"database": 200_000, "sql": 2000, "analyses": 5000, "timeline": 3000}
LIMITS = ["-timeout=60", "-rss_limit_mb=3000", "-malloc_limit_mb=3000"]


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("kinds", nargs="*", metavar="KIND", default=list(make_corpus.SEEDS))
    options = parser.parse_intermixed_args()
    for kind in options.kinds:
        corpus, finds = options.corpus / kind, options.corpus / "finds" / kind
        finds.mkdir(parents=True, exist_ok=True)
        make_corpus.make(corpus, kind)
        executions = run(options.build, corpus, finds, kind, round(60 * options.minutes))
        minimise(options.build, corpus, kind)
        count = sum(path.name != "log.txt" for path in finds.iterdir())
        print(f"{kind}: {executions} executions, {len(list(corpus.iterdir()))} inputs, {count} finds", flush=True)


if __name__ == "__main__":
    sys.exit(main())
