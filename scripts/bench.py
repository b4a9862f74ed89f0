#!/usr/bin/env python3
"""Measures snapviewer against its budgets and its rivals, and writes docs/performance.md and docs/images/scaling.png.

    bench.py [--binary build/release/snapviewer] [--scratch build/bench] [--largest 10000000] [--runs 3] [--only TEXT ...] [--print-only]

Inputs are made by the generators of tests/oracles and kept in the scratch folder (6 GB; with --largest 100000000, 13 GB). Some repeat
the real training run of ../shared; if that is absent, they repeat a simulated one of the same length. Results are kept in the scratch
folder, too, so that the page can be filled piece by piece: --only measures the rows whose section or name contains one of the texts,
and --list prints all rows. Every figure is the best of several runs, which alternate with those of the rival, so that other load of
the machine affects both. Needs snapviewer_bench beside the program, and Xvfb for the rows about the window. `--only none` only writes
the page, from kept results. --quick measures everything on files a hundredth as large, and writes no page.

    bench.py --against REVISION [--only FILE ...]    compares this build with that of an earlier commit, alternately; before each release
"""
import argparse
import dataclasses
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
from benchmark import against, growth, inputs, meter, page, table
from benchmark import opening, windows, remote, frames, queries  # noqa: F401  their rows come in this order

ROOT = Path(__file__).resolve().parents[1]


class Bench:
    """The arguments of all measurements."""

    def __init__(self, options):
        self.inputs = inputs.Inputs(options.scratch, options.binary, options.quick)
        self.meter = meter.Meter(options.binary, options.runs)
        self.largest = options.largest
        self._remembered = {}

    def remember(self, key, measure):
        """Returns the result of `measure`, which is called once per key, for figures that several rows share."""
        if key not in self._remembered:
            self._remembered[key] = measure()
        return self._remembered[key]


class Results:
    """Maps each row to its figures, their commit, the load of the machine before, and the graphics driver; stored in a file."""

    def __init__(self, path):
        self._path = path
        self.rows = self._read()
        described = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
        self._commit = described.stdout.strip() or "no commit"

    def _read(self):
        return json.loads(self._path.read_text(encoding="utf-8")) if self._path.exists() else {}

    def keep(self, name, figures, load, driver):
        self.rows = self._read()    # another process may have added rows
        self.rows[name] = {"figures": figures, "commit": self._commit, "load": load, "driver": driver}
        self._path.write_text(json.dumps(self.rows, indent=1), encoding="utf-8")


def line_of(measure):
    def figures(bench):
        line = measure(bench)
        return dataclasses.asdict(line) if line else None
    return figures


def all_rows(largest):
    """Returns (section, name, function(bench) that returns the data to store) for each row."""
    rows = [(section, name, line_of(measure)) for section, named in table.SECTIONS.items() for name, measure in named.items()]
    return rows + [("Growth", name, lambda bench, events=events: growth.measure(bench, events)) for name, events in growth.steps(largest)]


def is_wanted(section, name, only):
    return not only or any(text in f"{section}: {name}" for text in only)


def measure_rows(bench, results, rows):
    """Measures the rows. A row that cannot be measured keeps its old figures. Returns the number of these rows."""
    failed = 0
    load = os.getloadavg()[0]
    for _, name, measure in rows:
        try:
            figures = measure(bench)
        except (subprocess.CalledProcessError, RuntimeError, OSError):
            traceback.print_exc()
            failed += 1
            continue
        results.keep(name, figures, load, bench.meter.driver)
        if figures and "ours" in figures:
            print(table.markdown([table.Line(**figures)]).splitlines()[-1], flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "snapviewer")
    parser.add_argument("--scratch", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument("--largest", type=int, default=10**7, help="events in the largest file")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="measure the rows with one of these in their section or name")
    parser.add_argument("--against", metavar="REVISION", help="compare with the program of another commit, which is built; changes nothing in docs/")
    parser.add_argument("--list", action="store_true", help="say which rows there are")
    parser.add_argument("--quick", action="store_true", help="small files, to try it; implies --print-only")
    parser.add_argument("--print-only", action="store_true", help="change nothing in docs/")
    options = parser.parse_args()
    rows = [row for row in all_rows(options.largest) if is_wanted(row[0], row[1], options.only)]
    if options.list:
        print("\n".join(f"{section}: {name}" for section, name, _ in rows))
        return 0
    bench = Bench(options)
    if options.against:
        against.compare(bench, options.against, options.only)
        return 0
    results = Results(options.scratch / ("quick-results.json" if options.quick else "results.json"))
    failed = measure_rows(bench, results, rows)
    if not options.quick and not options.print_only:
        page.write(results)
    print(page.summary(results))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
