#!/usr/bin/env python3
"""Runs the fuzz targets, one after another, and keeps the inputs that reach new code.

    cmake --preset fuzz && cmake --build --preset fuzz
    fuzz.py CORPUS [--build FOLDER] [--minutes M] [KIND]...

CORPUS/KIND contains the inputs and is minimised after each run. It starts with the inputs of make_corpus.py and learned.py. Inputs that fail go to
CORPUS/finds/KIND. Each kind runs for M minutes of processor time, which is comparable on a busy machine. CORPUS/spent.json sums up the time of all
runs. Prints the executions of this run and of all runs. coverage.py prints what the inputs reach, and learned.py stores them in the repository.
"""
import argparse
import fcntl
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import learned  # noqa: E402
import make_corpus  # noqa: E402

ROOT = make_corpus.ROOT
MAX_BYTES = {"database": 200_000, "sql": 2000, "analyses": 5000, "timeline": 3000, "interface": 2000, "remote": 6000, "request": 2000}
MAX_SECONDS_PER_ROUND = 300
LIMITS = ["-timeout=60", "-rss_limit_mb=3000", "-malloc_limit_mb=3000"]


def fuzzer(build, kind, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([build / f"fuzz_{kind}", *map(str, arguments)], env={**os.environ, "TMPDIR": folder}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode(errors="replace")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rounds(build, corpus, finds, kind, minutes):
    """Returns executions and seconds of processor time of each round; a busy machine needs several rounds."""
    began = done = processor_seconds()
    while (left := 60 * minutes - (done - began)) > 0:
        executions = run_round(build, corpus, finds, kind, max(1, min(MAX_SECONDS_PER_ROUND, round(left))))
        before, done = done, processor_seconds()
        yield executions, done - before


def run_round(build, corpus, finds, kind, seconds):
    """Runs for a number of seconds by the clock and returns the number of executions."""
    output = fuzzer(build, kind, "-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1", f"-max_total_time={seconds}",
                    f"-max_len={MAX_BYTES.get(kind, 60_000)}", f"-artifact_prefix={finds}/", *LIMITS, corpus)
    with open(finds / "log.txt", "a") as log:
        log.write(output)
    return int(([0] + re.findall(r"^#(\d+): cov", output, re.MULTILINE))[-1])


def minimise(build, corpus, kind):
    with tempfile.TemporaryDirectory(dir=corpus.parent) as folder:
        smaller = pathlib.Path(folder, kind)
        smaller.mkdir()
        fuzzer(build, kind, "-merge=1", *LIMITS, smaller, corpus)
        if any(smaller.iterdir()):
            corpus.rename(pathlib.Path(folder, "before"))
            smaller.rename(corpus)


def add_up(path, kind, executions, seconds):
    """Adds this run to the totals of its kind and returns them. Other kinds may run at the same time."""
    with open(path, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        everything = json.loads(file.read() or "{}")
        mine = everything.setdefault(kind, {"executions": 0, "seconds": 0})
        mine["executions"] += executions
        mine["seconds"] += round(seconds)
        file.truncate(0)
        file.write(json.dumps(everything, indent=1))
    return mine


def begin(corpus, kind):
    """Writes the inputs for the first run of a kind, and the totals of the runs that found them."""
    make_corpus.make(corpus / kind, kind)
    learned.unpack(corpus / kind, kind)
    if learned.SPENT.exists() and not (corpus / "spent.json").exists():
        shutil.copyfile(learned.SPENT, corpus / "spent.json")


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
        begin(options.corpus, kind)
        executions = seconds = 0
        for tried, took in rounds(options.build, corpus, finds, kind, options.minutes):
            executions, seconds = executions + tried, seconds + took
            whole = add_up(options.corpus / "spent.json", kind, tried, took)
        minimise(options.build, corpus, kind)
        count = sum(path.name != "log.txt" for path in finds.iterdir())
        print(f"{kind}: {executions} executions in {seconds / 60:.0f} min of processor time ({whole['executions']} in {whole['seconds'] / 60:.0f} of all runs), "
              f"{len(list(corpus.iterdir()))} inputs, {count} finds", flush=True)


if __name__ == "__main__":
    sys.exit(main())
