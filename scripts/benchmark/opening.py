"""Rows about opening files, until everything is ready for drawing and queries."""
import zipfile

from benchmark.table import Line, against, at_most, milliseconds, row, size_text

SECTION = "Opening"
MB, GB = 1e6, 1e9
HUGE, TENTH_OF_HUGE = 10**8, 10**7
PICKLE, JSON = "CPython pickle.load", "json.load"


def described(path, info):
    device = info["devices"][0]
    return f"{size_text(path.stat().st_size)}, {device['events'] / 1e6:.2f} M events, {device['path_points'] / 1e6:.0f} M path points"


def opening_of(bench, path, most):
    info, theirs = bench.meter.opening(path, "unpickle")
    times = info["timings_ms"]
    parts = ", ".join(f"{name} {times[name]:.0f}" for name in ("parse", "timeline", "mesh", "database"))
    return against("pickle -> ready to draw and query", described(path, info), times["total"], theirs["ms"], most, PICKLE, more=f" ({parts})")


def memory_of(bench, path, limit):
    info, theirs = bench.meter.opening(path, "unpickle")
    taken, events = info["peak_rss_bytes"], info["devices"][0]["events"]
    return at_most("peak memory of that", "same", taken, limit, size_text, f", {taken / events:.0f} bytes an event",
                   f"{PICKLE}: {size_text(theirs['bytes'])}")


@row(SECTION, "opening 220 MB")
def opening_220_mb(bench):
    return opening_of(bench, bench.inputs.repeated(50), 0.04)


@row(SECTION, "memory 220 MB")
def memory_220_mb(bench):
    path = bench.inputs.repeated(50)
    return memory_of(bench, path, 0.7 * path.stat().st_size)


@row(SECTION, "ten times 220 MB")
def ten_times(bench):
    small, large = (bench.meter.opening(bench.inputs.repeated(copies), "unpickle")[0] for copies in (5, 50))
    times = large["timings_ms"]["total"] / small["timings_ms"]["total"]
    return at_most("ten times the events: opening", "0.12 M -> 1.2 M events", times, 12, lambda value: f"{value:.1f} x")


@row(SECTION, "opening 10 M")
def opening_10_m(bench):
    return opening_of(bench, bench.inputs.generated(TENTH_OF_HUGE), 0.10)


@row(SECTION, "memory 10 M")
def memory_10_m(bench):
    return memory_of(bench, bench.inputs.generated(TENTH_OF_HUGE), 1.0 * GB)


@row(SECTION, "opening 100 M")
def opening_100_m(bench):
    if bench.largest < HUGE:
        return None
    path = bench.inputs.generated(HUGE)
    info, _ = bench.meter.opening(path)
    tenth = bench.meter.opening(bench.inputs.generated(TENTH_OF_HUGE), "unpickle")[0]["timings_ms"]["total"]
    return against("pickle -> ready to draw and query", described(path, info), info["timings_ms"]["total"], 10 * tenth, 1.2,
                   "ten times our 10 M events")


@row(SECTION, "memory 100 M")
def memory_100_m(bench):
    if bench.largest < HUGE:
        return None
    info, _ = bench.meter.opening(bench.inputs.generated(HUGE))
    taken, events = info["peak_rss_bytes"], info["devices"][0]["events"]
    return at_most("peak memory of that", "same", taken, 90 * events, size_text, f", {taken / events:.0f} bytes an event")


@row(SECTION, "opening zip")
def opening_zip(bench):
    path = bench.inputs.zipped(2)
    info, theirs = bench.meter.opening(path, "parse_json")
    with zipfile.ZipFile(path) as archive:
        text_bytes = sum(entry.file_size for entry in archive.infolist() if entry.filename.endswith(".json"))
    on = f"{size_text(text_bytes)} of JSON, {info['devices'][0]['allocations']:,} allocations"
    return against("SnapViewer zip -> ready", on, info["timings_ms"]["total"], theirs["ms"], 0.15, JSON,
                   more=f", {size_text(info['peak_rss_bytes'])}; {JSON}: {size_text(theirs['bytes'])}")


def ascend_opening(bench):
    path = bench.inputs.ascend(10**6)
    info, _ = bench.meter.opening(path)
    return path, info


@row(SECTION, "opening Ascend")
def opening_ascend(bench):
    path, info = ascend_opening(bench)
    return at_most("Ascend profile of a million rows -> ready", size_text(path.stat().st_size), info["timings_ms"]["total"], 1000, milliseconds)


@row(SECTION, "memory Ascend")
def memory_ascend(bench):
    _, info = ascend_opening(bench)
    return at_most("peak memory of that", "same", info["peak_rss_bytes"], 450 * MB, size_text)


def wrong_order(bench, order, allocations, live, name, limit_ms, most_bytes):
    path = bench.inputs.worst_case(order, allocations, live)
    info, theirs = bench.meter.opening(path, "unpickle")
    took, taken = info["timings_ms"]["total"], info["peak_rss_bytes"]
    on = f"{name}: {allocations:,} allocations, {live:,} live, {info['devices'][0]['path_points'] / 1e6:.0f} M path points"
    met = took <= limit_ms and taken <= most_bytes if limit_ms else None
    budget = f"{milliseconds(limit_ms)}, {size_text(most_bytes)}" if limit_ms else "-"
    return Line("wrong-order frees: opening", on, f"{milliseconds(took)}, {size_text(taken)}", budget, met, f"{PICKLE}: {milliseconds(theirs['ms'])}")


row(SECTION, "opening fifo", "fifo", 15_000, 3_000, "first in, first out", 500, 700 * MB)(wrong_order)
row(SECTION, "opening random", "random", 15_500, 1_000, "random order", None, None)(wrong_order)
