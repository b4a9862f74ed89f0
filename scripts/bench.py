#!/usr/bin/env python3
"""Measures snapviewer against its budgets and its rivals, and writes docs/performance.md and docs/images/scaling.png.

    bench.py [--binary build/release/snapviewer] [--scratch build/bench] [--largest 10000000] [--runs 3] [--print-only]

Inputs are made by the generators of tests/oracles and kept in the scratch folder (3 GB; with --largest 100000000, 8 GB). Some repeat the real training run of
../shared; where that is absent, a simulated one of its length. Every figure is the best of some runs, ours and the rival's taken in
turns, so that what else the machine does hits both. Needs Xvfb for the start of the window.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

sys.dont_write_bytecode = True
import plot

ROOT = Path(__file__).resolve().parents[1]
ORACLES = ROOT / "tests" / "oracles"
SHARED = Path(os.environ.get("SNAPVIEWER_SHARED", ROOT.parent / "shared"))
PAGE = ROOT / "docs" / "performance.md"
NOTES_HEADING = "## What the figures mean"
COMPARED_COPIES, COMPARED_EVENTS = 50, 3_200_000   # 220 MB each
SIMULATED_EVENTS = 22_332   # as many as the real run has
RIVAL_EVENTS = 10**7        # CPython makes some 500 bytes of each: more than most machines have of ten times as many
MB = 1e6

PICKLE_RIVAL = """
import pickle, resource, sys, time
began = time.perf_counter()
snapshot = pickle.load(open(sys.argv[1], "rb"))
print(1000 * (time.perf_counter() - began), 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
JSON_RIVAL = """
import json, resource, sys, time, zipfile
began = time.perf_counter()
archive = zipfile.ZipFile(sys.argv[1])
parsed = [json.load(archive.open(name)) for name in archive.namelist() if name.endswith(".json")]
print(1000 * (time.perf_counter() - began), 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def progress(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


class Inputs:
    """Makes each file once."""

    def __init__(self, scratch, binary):
        self.scratch, self.binary = scratch, binary
        scratch.mkdir(parents=True, exist_ok=True)

    def make(self, name, *command):
        path = self.scratch / name
        if not path.exists():
            progress(f"making {name}")
            unfinished = self.scratch / ("unfinished-" + name)
            run(*[unfinished if part == "OUT" else part for part in command])
            unfinished.rename(path)
        return path

    def tool(self, name, script, *arguments):
        return self.make(name, sys.executable, ORACLES / script, *arguments)

    def repeated(self, copies):
        source, name = SHARED / "data" / "train-medium-512.pickle", "train"
        if not source.exists():
            source, name = self.generated(SIMULATED_EVENTS), "simulated"
        return self.tool(f"{name}-x{copies}.pickle", "repeat_snapshot.py", source, "OUT", copies)

    def worst_case(self, order, allocations, live):
        return self.tool(f"{order}-{allocations}.pickle", "gen_worst_case.py", "OUT", "--allocations", allocations, "--live",
                         live, "--order", order)

    def generated(self, events):
        streamed = ["--streamed"] if events > RIVAL_EVENTS else []    # the generator keeps the others in memory
        return self.tool(f"generated-{events}.pickle", "gen_snapshot.py", "OUT", "--events", events, *streamed)

    def zipped(self, copies):
        source = self.repeated(copies)
        return self.make(f"{source.stem}.zip", self.binary, "export", source, "--out", "OUT")


class Meter:
    def __init__(self, binary, runs):
        self.binary, self.runs = binary, runs

    def info(self, path):
        return json.loads(run(self.binary, "info", path, "--json"))

    def frames(self, path, *options):
        """The best of some runs, by the 95th percentile against the empty frames of the same run."""
        progress(f"frames of {path.name}")
        all_runs = [json.loads(run(self.binary, "bench", path, "--json", *options)) for _ in range(1 if options else self.runs)]
        return min(all_runs, key=lambda figures: figures["frame_ms"]["p95"] / figures["empty_frame_ms"]["median"])

    def load(self, path, rival):
        """Ours and the rival's best times in turns: (info, rival's milliseconds, rival's bytes), None without a rival."""
        progress(f"opening {path.name}")
        ours, theirs = [], []
        for _ in range(self.runs):
            ours.append(self.info(path))
            if rival:
                theirs.append([float(word) for word in run(sys.executable, "-c", rival, path).split()])
        best = min(ours, key=lambda info: info["timings_ms"]["total"])
        return (best, *map(min, zip(*theirs))) if rival else (best, None, None)

    def seconds(self, *command):
        began = time.perf_counter()
        run(self.binary, *command)
        return time.perf_counter() - began

    def cost(self, *command):
        """Seconds and the most bytes of one process; the best of both over some runs."""
        def once():
            began = time.perf_counter()
            process = subprocess.Popen([str(part) for part in (self.binary, *command)], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                raise subprocess.CalledProcessError(process.returncode, process.args)
            return time.perf_counter() - began, 1024 * usage.ru_maxrss
        return tuple(map(min, zip(*(once() for _ in range(self.runs)))))

    def window_start_s(self):
        """From the start of the process to its first frame on the screen; None without Xvfb."""
        read_end, write_end = os.pipe()
        try:
            screen = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
                                      pass_fds=[write_end], stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            return None
        os.close(write_end)
        try:
            with os.fdopen(read_end) as answer:
                display = ":" + answer.readline().strip()
            return min(self.one_window_start_s(display) for _ in range(5))
        finally:
            screen.terminate()
            screen.wait()

    def one_window_start_s(self, display):
        with tempfile.TemporaryDirectory() as home:
            state = Path(home) / "state.json"
            environment = {**os.environ, "DISPLAY": display, "XDG_CONFIG_HOME": home, "LIBGL_ALWAYS_SOFTWARE": "1"}
            environment.pop("WAYLAND_DISPLAY", None)
            began = time.perf_counter()
            window = subprocess.Popen([str(self.binary), "--state-file", str(state)], env=environment)
            while not state.exists() and window.poll() is None and time.perf_counter() - began < 30:
                time.sleep(0.001)
            seconds = time.perf_counter() - began
            window.terminate()
            window.wait()
            return seconds


ANSWER_BUDGETS = [  # what, the sum of which of `bench --json`'s answers, which of their figures, the budget in milliseconds
    ("holes at every event", ("address space", "holes"), "max", 500),
    ("training steps", ("steps",), "max", 300),
    ("what grows", ("growth",), "max", 300),
    ("kinds", ("kinds",), "max", 300),
    ("layout at any event, p95", ("layout",), "p95", 1),
    ("which blocks pin what, p95", ("pins",), "p95", 50),
    ("call tree of a moment, p95", ("call tree",), "p95", 50),
    ("flame graph around a function, p95", ("callers and callees",), "p95", 50),
    ("what came and went, p95", ("changes between",), "p95", 50)]


class Table:
    def __init__(self):
        self.rows = []

    def add(self, what, on, value, budget, met, rival):
        self.rows.append((what, on, value, budget, {True: "met", False: "**missed**", None: "-"}[met], rival))

    def text(self):
        head = ("what", "on", "snapviewer", "budget", "", "rival, same run")
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ("---",) * len(head), *self.rows])


def milliseconds(value):
    return f"{value / 1000:.2f} s" if value >= 1000 else f"{value:.1f} ms" if value >= 10 else f"{value:.2f} ms"


def megabytes(value):
    return f"{value / 1e9:.2f} GB" if value >= 1e9 else f"{value / MB:.0f} MB"


def add_frames(table, figures, on, flat=None):
    empty, moving, still = (figures[key] for key in ("empty_frame_ms", "frame_ms", "still_frame_ms"))
    base = empty["median"]
    flat_text = f"one flat mesh: {milliseconds(flat['median'])} a frame" if flat else "-"
    table.add("frame while moving, p95", on, f"{moving['p95']:.1f} ms = {moving['p95'] / base:.1f} x empty ({base:.1f} ms)",
              "4 x empty", moving["p95"] <= 4 * base, flat_text)
    table.add("frame while still, hovering, median", on, f"{still['median']:.1f} ms = {still['median'] / base:.2f} x empty",
              "1.2 x empty", still["median"] <= 1.2 * base, "-")
    sent = figures["uploaded_bytes_per_frame"]
    table.add("geometry sent per frame", on, f"{sent:.0f} bytes, at most {figures['vertices_per_frame']:,} vertices in "
              f"{figures['draw_calls_per_frame']} draw calls", "0 bytes", sent == 0, "-")
    pick = figures["pick_us"]
    table.add("under the cursor, p95", on, f"{pick['p95']:.1f} us (median {pick['median']:.1f})", "50 us", pick["p95"] <= 50, "-")
    for what, live in (("live at a step, p95", figures["live_at_us"]), ("the same by stack, p95", figures["live_totals_us"])):
        table.add(what, on, f"{live['p95']:.1f} us (median {live['median']:.1f})", "ms at most", live["p95"] <= 1000, "-")


def measure_budgets(inputs, meter, table):
    large, small = inputs.repeated(50), inputs.repeated(5)
    info, rival_ms, rival_bytes = meter.load(large, PICKLE_RIVAL)
    small_info, _, _ = meter.load(small, PICKLE_RIVAL)
    figures, small_figures = meter.frames(large), meter.frames(small)
    progress("one flat mesh")
    flat = json.loads(run(meter.binary, "bench", large, "--json", "--flat-mesh"))["flat_mesh_frame_ms"]
    ours, device, size = info["timings_ms"], info["devices"][0], large.stat().st_size
    on = f"{megabytes(size)}, {device['events'] / 1e6:.2f} M events, {device['path_points'] / 1e6:.0f} M path points"
    parts = ", ".join(f"{name} {ours[name]:.0f}" for name in ("parse", "timeline", "mesh", "database"))
    table.add("pickle -> ready to draw and query", on, f"{milliseconds(ours['total'])} = {ours['total'] / rival_ms:.2f} x rival ({parts})",
              "0.25 x rival", ours["total"] <= 0.25 * rival_ms, f"CPython pickle.load: {milliseconds(rival_ms)}")
    table.add("peak memory of that", "same", f"{megabytes(info['peak_rss_bytes'])} = {info['peak_rss_bytes'] / size:.1f} x the file",
              "4 x the file", info["peak_rss_bytes"] <= 4 * size, f"CPython pickle.load: {megabytes(rival_bytes)}")
    add_frames(table, figures, "same", flat)
    for name, query in figures["query_ms"].items():
        table.add(f'"{name}"', f"same, {query['rows']:,} rows", milliseconds(query["median"]), "50 ms", query["median"] <= 50, "-")
    search = figures["search_ms"]["median"]
    table.add("search of all stacks, all else greyed", "same", milliseconds(search), "50 ms", search <= 50, "-")
    times = ours["total"] / small_info["timings_ms"]["total"]
    table.add("ten times the events: opening", "120 k -> 1.2 M", f"{times:.1f} x", "12 x", times <= 12, "-")
    times = (figures["frame_ms"]["median"] / figures["empty_frame_ms"]["median"] /
             (small_figures["frame_ms"]["median"] / small_figures["empty_frame_ms"]["median"]))
    table.add("ten times the events: frame, median", "120 k -> 1.2 M", f"{times:.2f} x", "1.2 x", times <= 1.2, "-")


def add_answers(table, meter, path, has_budgets):
    """A row for each analysis; budgets are of the file that they were set for."""
    progress(f"answers of {path.name}")
    all_runs = [json.loads(run(meter.binary, "bench", path, "--json"))["answer_ms"] for _ in range(meter.runs)]
    steps = json.loads(run(meter.binary, "query", path, "SELECT count(*) AS steps FROM steps", "--format", "json"))[0]["steps"]
    on = f"{megabytes(path.stat().st_size)}, {steps:,} training steps"
    for what, names, figure, budget in ANSWER_BUDGETS:
        if not all(name in answers for answers in all_runs for name in names):
            continue    # a file without stacks has no function to go around
        took = min(sum(answers[name][figure] for name in names) for answers in all_runs)
        table.add(what, on, milliseconds(took), milliseconds(budget) if has_budgets else "-", took <= budget if has_budgets else None, "-")
        on = "same"


def measure_comparison(inputs, meter, table):
    """Two large files of different programs: what it takes beyond opening both, and the memory of both together."""
    paths = inputs.repeated(COMPARED_COPIES), inputs.generated(COMPARED_EVENTS)
    alone = [meter.cost("query", path, "SELECT 1") for path in paths]
    took, peak = meter.cost("compare", *paths, "--json")
    took -= sum(seconds for seconds, _ in alone)
    both = sum(most for _, most in alone)
    table.add("comparing two files", " and ".join(megabytes(path.stat().st_size) for path in paths),
              f"{milliseconds(1000 * took)} after opening, {megabytes(peak)}; opened alone {megabytes(both)} together",
              "3 s after opening, the memory of both", took <= 3 and peak <= both, "-")


def measure_answers(inputs, meter, table, largest):
    """The analyses, and the two commands made of them, from the start of the process to its end."""
    path = inputs.repeated(50)
    add_answers(table, meter, path, True)
    opening = min(meter.seconds("query", path, "SELECT 1") for _ in range(meter.runs))
    for what, budget, command in (("the whole report", 2, ("report", path, "--json")),
                                  ("comparing it with itself", 3, ("compare", path, path, "--json"))):
        took = min(meter.seconds(*command) for _ in range(meter.runs))
        table.add(what, "same", f"{milliseconds(1000 * took)} in all, opening one such file {milliseconds(1000 * opening)}",
                  f"{budget} s after opening", took - opening <= budget, "-")
    measure_comparison(inputs, meter, table)
    add_answers(table, meter, inputs.generated(largest), False)


def measure_worst_cases(inputs, meter, table):
    for order, allocations, live, seconds, memory in (("fifo", 15000, 3000, 0.5, 700 * MB), ("random", 15500, 1000, None, None)):
        path = inputs.worst_case(order, allocations, live)
        info, rival_ms, _ = meter.load(path, PICKLE_RIVAL)
        total, peak = info["timings_ms"]["total"], info["peak_rss_bytes"]
        name = "first in, first out" if order == "fifo" else "random order"
        on = f"{name}: {allocations:,} allocations, {live:,} live, {info['devices'][0]['path_points'] / 1e6:.0f} M path points"
        table.add("wrong-order frees: opening", on, f"{milliseconds(total)}, {megabytes(peak)}", "0.5 s, 700 MB" if seconds else "-",
                  total <= 1000 * seconds and peak <= memory if seconds else None, f"CPython pickle.load: {milliseconds(rival_ms)}")
        add_frames(table, meter.frames(path), "same")


def measure_zip(inputs, meter, table):
    path = inputs.zipped(2)
    info, rival_ms, rival_bytes = meter.load(path, JSON_RIVAL)
    total, device = info["timings_ms"]["total"], info["devices"][0]
    with zipfile.ZipFile(path) as archive:
        json_bytes = sum(entry.file_size for entry in archive.infolist() if entry.filename.endswith(".json"))
    table.add("SnapViewer zip -> ready", f"{megabytes(json_bytes)} of JSON, {device['allocations']:,} allocations, "
              f"{device['path_points'] / 1e6:.1f} M path points",
              f"{milliseconds(total)} = {total / rival_ms:.2f} x rival, {megabytes(info['peak_rss_bytes'])}", "0.5 x rival",
              total <= 0.5 * rival_ms, f"json.load: {milliseconds(rival_ms)}, {megabytes(rival_bytes)}")


def measure_window(meter, table):
    seconds = meter.window_start_s()
    table.add("window on the screen, no file", "Xvfb", "not measured: no Xvfb" if seconds is None else f"{seconds:.2f} s", "0.3 s",
              None if seconds is None else seconds <= 0.3, "-")


def measure_growth(inputs, meter, largest):
    """Rows of (events, info, frame figures, CPython's milliseconds, file size) from 10 k events on."""
    rows = []
    for events in (10**power for power in range(4, 9)):
        if events > largest:
            break
        path = inputs.generated(events)
        info, rival_ms, _ = meter.load(path, PICKLE_RIVAL if events <= RIVAL_EVENTS else None)
        rows.append((info["devices"][0]["events"], info, meter.frames(path), rival_ms, path.stat().st_size))
    return rows


def growth_text(rows):
    lines = ["| events | file | path points | opening | pickle.load | memory | frame, moving: median, p95 | no file |", "|" + " --- |" * 8]
    for events, info, figures, rival_ms, size in rows:
        frame = figures["frame_ms"]
        lines.append(f"| {events:,} | {megabytes(size)} | {info['devices'][0]['path_points']:,} | {milliseconds(info['timings_ms']['total'])} | "
                     f"{milliseconds(rival_ms) if rival_ms else '-'} | {megabytes(info['peak_rss_bytes'])} | {frame['median']:.1f} ms, {frame['p95']:.1f} ms | "
                     f"{figures['empty_frame_ms']['median']:.1f} ms |")
    return "\n".join(lines)


def draw_growth(rows, path):
    def line(value):
        return [(row[0], value(row)) for row in rows]

    def duration(ms):
        return f"{ms / 1000:g} s" if ms >= 1000 else f"{ms:g} ms"

    def memory(size):
        return f"{size / 1e9:g} GB" if size >= 1e9 else f"{size / MB:g} MB"
    path.parent.mkdir(exist_ok=True)
    plot.draw_charts([
        plot.Chart("time to open", {"snapviewer": line(lambda row: row[1]["timings_ms"]["total"]), "pickle.load": [(row[0], row[3]) for row in rows if row[3]]},
                   duration),
        plot.Chart("frame", {"moving, p95": line(lambda row: row[2]["frame_ms"]["p95"]),
                             "no file": line(lambda row: row[2]["empty_frame_ms"]["median"])}, duration),
        plot.Chart("memory", {"snapviewer": line(lambda row: row[1]["peak_rss_bytes"]), "file": line(lambda row: row[4])}, memory),
    ], path)


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GiB of memory, {platform.system()}, no GPU: "
            f"every pixel is drawn by Mesa's software rasterizer on the same cores. CPython {platform.python_version()}.")


def notes():
    """The last section of the page as it is: written by hand."""
    written = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return written[written.index(NOTES_HEADING):] if NOTES_HEADING in written else NOTES_HEADING + "\n"


def page(table, rows):
    return f"""# Performance

Written by `scripts/bench.py`, which makes its inputs and measures everything anew; the text of the last section is kept.

Measured on {machine()} Every figure is the best of several runs, taken in turns with the rival's. A frame is all of the window's at
1600 x 900, from the first widget to the last pixel, over the walk of `snapviewer bench`: all of the picture, in 12 stops down to single
steps, across, out again, and along one axis alone, on both axes of the picture. The empty frame is the same window without a file.

{table.text()}

## How cost grows with the number of events

![time to open, frame and memory from 10 thousand to 10 million events](images/scaling.png)

{growth_text(rows)}

{notes()}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "snapviewer")
    parser.add_argument("--scratch", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument("--largest", type=int, default=10**7, help="events in the largest file")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--print-only", action="store_true", help="change nothing in docs/")
    options = parser.parse_args()
    inputs, meter, table = Inputs(options.scratch, options.binary), Meter(options.binary, options.runs), Table()
    measure_window(meter, table)
    measure_budgets(inputs, meter, table)
    measure_answers(inputs, meter, table, options.largest)
    measure_worst_cases(inputs, meter, table)
    measure_zip(inputs, meter, table)
    rows = measure_growth(inputs, meter, options.largest)
    if options.print_only:
        print(table.text(), growth_text(rows), sep="\n\n")
        return
    draw_growth(rows, ROOT / "docs" / "images" / "scaling.png")
    PAGE.write_text(page(table, rows), encoding="utf-8")
    print(table.text())


if __name__ == "__main__":
    main()
