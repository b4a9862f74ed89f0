"""Rows about the real window: its start, first pictures, rest."""
import os
import subprocess
import tempfile
import time
from pathlib import Path

from benchmark import window
from benchmark.inputs import progress
from benchmark.table import Line, at_most, percent, row, size_text

SECTION = "The window"


def seconds(value):
    return f"{value:.2f} s"


def first_picture(bench, make, part, limit_s, what):
    """`part`: which of the three moments that window.first_pictures_s() tells."""
    path = make(bench.inputs)
    on = f"{size_text(path.stat().st_size)} ({path.suffix[1:]})"
    if not window.is_possible():
        return Line(what, on, "not measured: no Xvfb", seconds(limit_s))
    progress(f"first pictures of {path.name}")
    reached = bench.remember(("first pictures", path), lambda: window.first_pictures_s(bench.meter.binary, path, bench.meter.runs))
    shown = reached[part] if reached[part] is not None else reached[-1]
    more = ", the whole one at " + seconds(reached[-1]) if reached[part] is not None else ", nothing before the whole one"
    return at_most(what, on, shown, limit_s, seconds, more)


def ten_million(inputs):
    return inputs.generated(10**7)


def ascend(inputs):
    return inputs.ascend(10**6)


CURVE, PARTIAL = 0, 1
row(SECTION, "first curve 10 M", ten_million, CURVE, 0.3, "from the start of the process to the curve of totals, moving")(first_picture)
row(SECTION, "first picture 10 M", ten_million, PARTIAL, 1, "to a picture of what is read so far")(first_picture)
row(SECTION, "first picture Ascend", ascend, PARTIAL, 1, "to a picture of what is read so far")(first_picture)


@row(SECTION, "window start")
def window_start(bench):
    what, on = "window on the screen, no file", "Xvfb"
    if not window.is_possible():
        return Line(what, on, "not measured: no Xvfb", "0.30 s")
    progress("starts of the window")
    return at_most(what, on, window.start_s(bench.meter.binary, 5), 0.3, seconds)


def idle(bench, on, make):
    what = f"nobody touches it, for {window.WATCHED_S} s"
    if not window.is_possible():
        return Line(what, on, "not measured: no Xvfb", "0.5 % of a core")
    progress(f"an idle window, {on}")
    share = window.idle_share(bench.meter.binary, *make(bench.inputs))
    return at_most(what, on, share, 0.005, lambda value: f"{percent(value)} of a core")


row(SECTION, "idle 220 MB", "220 MB", lambda inputs: [inputs.repeated(50)])(idle)
row(SECTION, "idle Ascend", "Ascend profile, tracks", lambda inputs: [ascend(inputs)])(idle)
row(SECTION, "idle empty", "no file", lambda inputs: [])(idle)


@row(SECTION, "run.sh")
def first_run(bench):
    """What is committed, cloned and built once, as a newcomer would, but that the packages are there."""
    repository = Path(__file__).resolve().parents[2]
    progress("scripts/run.sh on a clone, some 80 s")
    with tempfile.TemporaryDirectory() as place:
        clone = Path(place, "clone")
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        begun = time.monotonic()
        subprocess.run(["git", "clone", "--quiet", repository, clone], check=True)
        subprocess.run([clone / "scripts/run.sh"], env=environment | {"CCACHE_DIR": f"{place}/ccache"}, stdout=subprocess.DEVNULL, check=True)
        return at_most("from a clone to the first picture", "packages there, ccache empty, no display", time.monotonic() - begun, 90, seconds)
