"""Writes docs/performance.md and its charts from the results. The text of the last section is kept."""
import os
import platform

from benchmark import growth
from benchmark.inputs import ROOT
from benchmark.table import SECTIONS, Line, markdown

PAGE = ROOT / "docs" / "performance.md"
CHARTS = ROOT / "docs" / "images" / "scaling.png"
BUSY = 0.5    # maximum number of waiting processes per core on a machine that counts as idle
NOTES_HEADING = "## What the figures mean"


def machine(results):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    drivers = sorted({kept["driver"] for kept in results.rows.values() if kept["driver"]})
    return (f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GiB of memory, {platform.system()}, frames drawn by "
            f"{' and '.join(drivers) or 'nobody'}; CPython {platform.python_version()}")


def notes():
    """Returns the last section of the existing page, which is written by hand."""
    written = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return written[written.index(NOTES_HEADING):] if NOTES_HEADING in written else NOTES_HEADING + "\n"


def kept_lines(results, names):
    return [Line(**results.rows[name]["figures"]) for name in names if name in results.rows and results.rows[name]["figures"]]


def tables(results):
    return "\n\n".join(f"### {section}\n\n{markdown(lines)}" for section, names in SECTIONS.items() if (lines := kept_lines(results, names)))


def growth_rows(results):
    return [results.rows[name]["figures"] for name, _ in growth.steps() if name in results.rows]


def summary(results):
    lines = [line for names in SECTIONS.values() for line in kept_lines(results, names)]
    missing = [name for names in SECTIONS.values() for name in names if name not in results.rows]
    text = f"{sum(line.met is True for line in lines)} rows meet their budget, {sum(line.met is False for line in lines)} miss it."
    return text + (f" Not measured: {', '.join(missing)}." if missing else "")


def circumstances(results):
    """Describes the commits of the rows, and whether the machine had other load."""
    commits = sorted({kept["commit"] for kept in results.rows.values()})
    loads = [kept["load"] for kept in results.rows.values()]
    at = f"at {', '.join(commits)}"
    if max(loads, default=0) < BUSY * os.cpu_count():
        return at
    return f"{at}. The machine was not quiet (load {min(loads):.0f} to {max(loads):.0f} when rows began), so times are longer than they need be"


def growth_section(rows):
    if not rows:
        return ""
    return f"""## How cost grows

![time to open, memory, frame, look-up and queries from {rows[0]['events']:,} to {rows[-1]['events']:,} events](images/scaling.png)

{growth.table(rows)}

"""


def text(results):
    return f"""# Performance

How long does it take, and how much memory? `scripts/bench.py` writes this page: it makes its inputs and measures
everything anew. With `--only` it measures some rows and keeps the others. The last section is written by hand.

Measured on {machine(results)}, {circumstances(results)}. Every figure is the best of several runs, taken in
turns with the rival's. A frame is the whole window's, from the first widget to the last pixel, at 1600 x 900 unless the
row says otherwise. Frames are those of the walk of `snapviewer_bench`: all of the picture, in 12 stops down to single
steps, across, out again, and along one axis, over steps and over time. The empty frame is the same window without a
file, measured in between.

{summary(results)}

## Budgets and rivals

{tables(results)}

{growth_section(growth_rows(results))}{notes()}"""


def write(results):
    rows = growth_rows(results)
    if len(rows) > 1:
        growth.draw(rows, CHARTS)
    PAGE.write_text(text(results), encoding="utf-8")
