"""Compares this build with that of an earlier commit. Runs of both alternate, so that other load of the machine affects both.
Reports only ratios."""
import json
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmark.inputs import progress
from benchmark.meter import bench_command, output_of

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "220 MB": lambda inputs: inputs.repeated(50),
    "1 M events": lambda inputs: inputs.generated(10**6),
    "first in, first out": lambda inputs: inputs.worst_case("fifo", 15_000, 3_000),
    "SnapViewer zip": lambda inputs: inputs.zipped(2),
    "Ascend profile, 1 M rows": lambda inputs: inputs.ascend(10**6)}
# Name of the figure, the command that prints it, and its keys in that command's JSON.
FIGURES = [
    ("opening", "info", ("timings_ms", "total")),
    ("memory when open", "info", ("peak_rss_bytes",)),
    ("frame while moving, p95", "bench", ("frame_ms", "p95")),
    ("frame while still, median", "bench", ("still_frame_ms", "median")),
    ("frame of an empty window", "bench", ("empty_frame_ms", "median")),
    ("under the cursor, p95", "bench", ("pick_us", "p95")),
    ("search", "bench", ("search_ms", "median")),
    ('"alive at T"', "bench", ("query_ms", "alive at T", "median")),
    ('"stack contains X"', "bench", ("query_ms", "stack contains X", "median")),
    ("findings", "bench", ("answer_ms", "findings", "median"))]


@dataclass
class Comparison:
    """One figure of one file, with a ratio for each pair of runs; above 1 if this build needs more."""
    figure: str
    file: str
    ratios: list[float]

    def line(self):
        low, middle, high = min(self.ratios), statistics.median(self.ratios), max(self.ratios)
        return f"| {self.figure} | {self.file} | {middle:.2f} x | {low:.2f} to {high:.2f} |"


def build_of(revision, scratch):
    """Returns the program of another commit. It is built once, with its benchmarks, in the scratch folder."""
    commit = output_of("git", "-C", ROOT, "rev-parse", "--short", f"{revision}^{{commit}}").strip()
    source = scratch / f"source-{commit}"
    if not source.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, source], check=True)
        subprocess.run(["git", "-C", source, "checkout", "--quiet", commit], check=True)
    progress(f"building {commit}")
    targets = ["snapviewer", "snapviewer_bench"] if (source / "tools" / "bench").exists() else ["snapviewer"]
    subprocess.run([source / "scripts" / "build.sh", *targets], check=True, stdout=subprocess.DEVNULL)
    return source / "build" / "release" / "snapviewer"


def value_at(said, place):
    for name in place:
        said = said.get(name) if said else None
    return said


def said_by(binary, path):
    commands = {"info": [binary, "info"], "bench": bench_command(binary)}
    return {name: json.loads(output_of(*command, path, "--json")) for name, command in commands.items()}


def compare_file(name, path, here, there, turns):
    pairs = []
    for turn in range(turns):
        progress(f"{name}, turn {turn + 1} of {turns}")
        order = (here, there) if turn % 2 == 0 else (there, here)
        said = {binary: said_by(binary, path) for binary in order}
        pairs.append((said[here], said[there]))
    for figure, command, place in FIGURES:
        values = [(value_at(ours[command], place), value_at(theirs[command], place)) for ours, theirs in pairs]
        if all(ours and theirs for ours, theirs in values):   # missing in an older program, or not a result of this file
            yield Comparison(figure, name, [ours / theirs for ours, theirs in values])


def compare(bench, revision, only):
    there = build_of(revision, bench.inputs.scratch)
    print(f"| what | on | this build, of {revision} | in {bench.meter.runs} turns |\n| --- | --- | --- | --- |", flush=True)
    for name, make in FILES.items():
        if only and not any(text in name for text in only):
            continue
        for comparison in compare_file(name, make(bench.inputs), bench.meter.binary, there, bench.meter.runs):
            print(comparison.line(), flush=True)
