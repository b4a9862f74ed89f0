"""Rows about frames: offscreen measurements of `snapviewer_bench`, from the first widget to the last pixel."""
from benchmark.table import Line, at_most, microseconds, milliseconds, row, size_text

SECTION = "Frames"
MOVING, STILL = 5.0, 1.5    # maximum duration of a frame, as a multiple of an empty frame's
MAX_MS = 50                 # a longer frame is noticed as a stop
LAYOUT_MS = 1               # maximum CPU time of the main thread
WHOLE_PAGE_MS = 1000
LARGE_SCREEN, LARGE_SCREEN_MS = "3840x2160", 33


def best(bench, make, options, ratio, of_icicle=False, driver=None, runs=None):
    """Of several runs, returns the one with the smallest ratio to its own empty frames."""
    runs = bench.meter.bench(make(bench.inputs), "--only", "frames", *options, driver=driver, runs=runs)
    return min((figures["icicle"] if of_icicle else figures for figures in runs), key=ratio)


def moving_ratio(figures):
    return figures["frame_ms"]["p95"] / figures["empty_frame_ms"]["median"]


def still_ratio(figures):
    return figures["still_frame_ms"]["median"] / figures["empty_frame_ms"]["median"]


def ratio_line(what, on, took, figures, most):
    base = figures["empty_frame_ms"]["median"]
    return Line(what, on, f"{took:.1f} ms = {took / base:.2f} x empty ({base:.1f} ms)", f"{most:g} x empty", took <= most * base)


def moving(bench, on, make, options=(), of_icicle=False):
    figures = best(bench, make, options, moving_ratio, of_icicle)
    return ratio_line("frame while moving, p95", on, figures["frame_ms"]["p95"], figures, MOVING)


def still(bench, on, make, options=(), of_icicle=False):
    figures = best(bench, make, options, still_ratio, of_icicle)
    return ratio_line("frame while still, hovering, median", "same", figures["still_frame_ms"]["median"], figures, STILL)


def longest(bench, on, make, options=(), of_icicle=False):
    """Uses the smallest maximum of all runs, because a delay that only one run has is not caused by the program."""
    figures = best(bench, make, options, lambda figures: figures["frame_ms"]["max"], of_icicle)
    return at_most("longest frame while moving", "same", figures["frame_ms"]["max"], MAX_MS, milliseconds)


def layout(bench, on, make, options=(), of_icicle=False):
    figures = best(bench, make, options, lambda figures: figures["layout_ms"]["median"], of_icicle)
    return at_most("of that, laid out by the main thread, median", "same", figures["layout_ms"]["median"], LAYOUT_MS, milliseconds)


FILES = [
    ("220 MB", lambda inputs: inputs.repeated(50)),
    ("10 M events", lambda inputs: inputs.generated(10**7)),
    ("first in, first out", lambda inputs: inputs.worst_case("fifo", 15_000, 3_000)),
    ("random order", lambda inputs: inputs.worst_case("random", 15_500, 1_000)),
    ("SnapViewer zip", lambda inputs: inputs.zipped(2)),
    ("Ascend profile, 1 M rows", lambda inputs: inputs.ascend(10**6)),
    ("the same, all tracks open", lambda inputs: inputs.ascend(10**6), ("--all-tracks",)),
    ("memory report, 0.1 M rows", lambda inputs: inputs.memory_report(10**5)),
    ("its icicle", lambda inputs: inputs.memory_report(10**5), (), True),
    ("icicle of a run time report, 0.1 M rows", lambda inputs: inputs.run_time_report(10**5), (), True)]
LARGE_SCREEN_FILES = [FILES[0], FILES[1], FILES[6]]

for file in FILES:
    row(SECTION, f"frame moving {file[0]}", *file)(moving)
    row(SECTION, f"frame layout {file[0]}", *file)(layout)
    row(SECTION, f"frame longest {file[0]}", *file)(longest)
    row(SECTION, f"frame still {file[0]}", *file)(still)


def on_large_screen(bench, on, make, options=()):
    figures = best(bench, make, ("--size", LARGE_SCREEN, *options), moving_ratio, runs=1)
    took = figures["frame_ms"]["p95"]
    return at_most(f"frame while moving at {LARGE_SCREEN}, p95", on, took, LARGE_SCREEN_MS, milliseconds,
                   f" = {1000 / took:.0f} a second (empty {figures['empty_frame_ms']['median']:.1f} ms, still "
                   f"{figures['still_frame_ms']['median']:.1f} ms)")


for file in LARGE_SCREEN_FILES:
    row(SECTION, f"frame large screen {file[0]}", *file)(on_large_screen)


@row(SECTION, "frame ten times")
def ten_times(bench):
    small, large = (min((figures["frame_ms"]["median"] / figures["empty_frame_ms"]["median"])
                        for figures in bench.meter.only("frames", bench.inputs.repeated(copies))) for copies in (5, 50))
    return at_most("ten times the events: frame, median", "0.12 M -> 1.2 M events", large / small, 1.2, lambda value: f"{value:.2f} x")


def slowest_page(bench, make, figure):
    """Returns name and figure of the slowest page, and the number of pages. The figure is the minimum over all runs, because a delay
    that only one run has is not caused by the program. The what-if pages are left out: a replay takes as long as the recording has
    events, and can be cancelled."""
    runs = [figures["page_ms"] for figures in bench.meter.only("pages", make(bench.inputs))]
    least = {name: min(pages[name][figure] for pages in runs) for name in runs[0] if not name.startswith("What if")}
    return max(least.items(), key=lambda page: page[1]), len(least)


def page(bench, on, make):
    (name, took), count = slowest_page(bench, make, "whole")
    return at_most("page, window, sorted or filtered list, typed letter: until all of it is there", f"{on}, {count} of them", took, WHOLE_PAGE_MS,
                   milliseconds, f" ({name.lower().rstrip('…')})")


def page_frame(bench, on, make):
    (name, took), _ = slowest_page(bench, make, "longest_frame")
    return at_most("longest frame meanwhile", "same", took, MAX_MS, milliseconds, f" ({name.lower().rstrip('…')})")


for file in [*FILES[:2], ("fleet of 10,000 ranks", lambda inputs: inputs.fleet(10**4))]:
    row(SECTION, f"page {file[0]}", *file)(page)
    row(SECTION, f"page frame {file[0]}", *file)(page_frame)


def sent(bench, on, make):
    figures = bench.meter.only("frames", make(bench.inputs))[0]
    return Line("geometry sent per frame", on, f"{figures['uploaded_bytes_per_frame']:.0f} bytes, at most {figures['vertices_per_frame']:,} vertices "
                f"in {figures['draw_calls_per_frame']} draw calls", "0 bytes", figures["uploaded_bytes_per_frame"] == 0)


for file in FILES[:4]:
    row(SECTION, f"frame sends {file[0]}", *file)(sent)


@row(SECTION, "frame near view")
def near_view(bench):
    """The widest view around the peak that is drawn from the mesh, drawn alternately from the mesh and from the index."""
    runs = bench.meter.only("frames", bench.inputs.repeated(5))
    mesh_ms, index_ms = (min(run["near_view"][source]["median"] for run in runs) for source in ("mesh_ms", "index_ms"))
    return Line("near view, the picture alone, from the triangle mesh, median", f"22 MB, {runs[0]['near_view']['records']:,} records in view",
                milliseconds(mesh_ms), rival=f"from the index: {milliseconds(index_ms)}")


@row(SECTION, "mesh build")
def mesh_build(bench):
    runs = bench.meter.only("frames", bench.inputs.repeated(5))
    mesh = runs[0]["triangle_mesh"]
    return Line("triangle mesh, built after the first picture", f"same, {mesh['records']:,} records, {size_text(mesh['bytes'])}",
                milliseconds(min(run["triangle_mesh"]["build_ms"] for run in runs)))


def other_driver(bench, driver, on, make):
    figures = best(bench, make, (), moving_ratio, driver=driver, runs=1)
    base = figures["empty_frame_ms"]["median"]
    took, rest = figures["frame_ms"]["p95"], figures["still_frame_ms"]["median"]
    return Line(f"frame while moving, p95; still, median: {driver}", f"{on}; {figures['driver']}",
                f"{took:.1f} ms = {took / base:.2f} x empty ({base:.1f} ms); {rest:.1f} ms = {rest / base:.2f} x")


for driver in ("llvmpipe", "zink"):
    for file in FILES[:2]:
        row("Another driver", f"frame {driver} {file[0]}", driver, *file)(other_driver)


LOOKUPS = [("under the cursor, p95", "pick_us", 50), ("live at a step, p95", "live_at_us", 1000), ("the same by stack, p95", "live_totals_us", 1000)]


def lookup(bench, what, figure, limit_us, on, make):
    found = min((figures[figure] for figures in bench.meter.only("lookups", make(bench.inputs))), key=lambda taken: taken["p95"])
    return at_most(what, on, found["p95"], limit_us, microseconds, f" (median {microseconds(found['median'])})")


for file in FILES[:4]:
    for what, figure, limit_us in LOOKUPS:
        row("Look-ups", f"{figure} {file[0]}", what, figure, limit_us, *file)(lookup)
