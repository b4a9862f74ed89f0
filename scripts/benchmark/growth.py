"""Shows how costs grow with the number of events, from ten thousand on: a row of figures per file, which become a table and charts."""
from benchmark import plot
from benchmark.table import microseconds, milliseconds, size_text

FIRST_POWER, LAST_POWER = 4, 8
RIVAL_EVENTS = 10**7        # CPython needs some 500 bytes per event, so ten times as many events exceed the memory of most machines
QUERIES = {"alive at T": "alive", "stack contains X": "contains", "largest first": "largest", "group by stack": "by stack"}


def steps(largest=10**LAST_POWER):
    """Returns (name, number of events) for each file."""
    return [(f"growth {10**power}", 10**power) for power in range(FIRST_POWER, LAST_POWER + 1) if 10**power <= largest]


def measure(bench, events):
    path = bench.inputs.generated(events)
    has_rival = events <= RIVAL_EVENTS
    info, theirs = bench.meter.opening(path, "unpickle" if has_rival else None)
    parts = [word for part in ("frames", "lookups", "queries") for word in ("--only", part)]
    runs = bench.meter.bench(path, *parts, runs=None if has_rival else 1)
    frames = min(runs, key=lambda figures: figures["frame_ms"]["p95"] / figures["empty_frame_ms"]["median"])
    device = info["devices"][0]
    return {"events": device["events"], "points": device["path_points"], "file_bytes": path.stat().st_size,
            "opening_ms": info["timings_ms"]["total"], "rival_ms": theirs["ms"] if theirs else None, "memory_bytes": info["peak_rss_bytes"],
            "frame_ms": frames["frame_ms"]["median"], "frame_p95_ms": frames["frame_ms"]["p95"], "empty_ms": frames["empty_frame_ms"]["median"],
            "pick_us": min(figures["pick_us"]["p95"] for figures in runs),
            "query_ms": {name: min(figures["query_ms"][name]["median"] for figures in runs) for name in QUERIES}}


def table(rows):
    lines = ["| events | file | path points | opening | pickle.load | memory | frame, moving: median, p95 | no file | under the cursor, p95 | " +
             " | ".join(f'"{name}"' for name in QUERIES) + " |", "|" + " --- |" * (9 + len(QUERIES))]
    for figures in rows:
        cells = [f"{figures['events']:,}", size_text(figures["file_bytes"]), f"{figures['points']:,}", milliseconds(figures["opening_ms"]),
                 milliseconds(figures["rival_ms"]) if figures["rival_ms"] else "-", size_text(figures["memory_bytes"]),
                 f"{figures['frame_ms']:.1f} ms, {figures['frame_p95_ms']:.1f} ms", f"{figures['empty_ms']:.1f} ms",
                 microseconds(figures["pick_us"]), *(milliseconds(figures["query_ms"][name]) for name in QUERIES)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(rows, path):
    def line(value):
        return [(figures["events"], value(figures)) for figures in rows if value(figures)]

    def duration(ms):
        return f"{ms / 1000:g} s" if ms >= 1000 else f"{ms:g} ms" if ms >= 1 else f"{1000 * ms:g} us"

    def memory(size):
        return f"{size / 1e9:g} GB" if size >= 1e9 else f"{size / 1e6:g} MB"
    path.parent.mkdir(exist_ok=True)
    plot.draw_charts([
        plot.Chart("time to open", {"snapviewer": line(lambda row: row["opening_ms"]), "pickle.load": line(lambda row: row["rival_ms"])}, duration),
        plot.Chart("memory", {"snapviewer": line(lambda row: row["memory_bytes"]), "file": line(lambda row: row["file_bytes"])}, memory),
        plot.Chart("frame", {"moving, p95": line(lambda row: row["frame_p95_ms"]), "no file": line(lambda row: row["empty_ms"])}, duration),
        plot.Chart("under the cursor, p95", {"snapviewer": line(lambda row: row["pick_us"] / 1000)}, duration),
        plot.Chart("queries", {short: line(lambda row, name=name: row["query_ms"][name]) for name, short in QUERIES.items()}, duration),
    ], path)
