"""Rows about the real window: its start, its first pictures, and its idle state."""
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


def ten_million(inputs):
    return inputs.generated(10**7)


@row(SECTION, "first curve 10 M")
def first_curve(bench):
    what = "from the start of the process to the curve of totals, moving"
    path = ten_million(bench.inputs)
    on = f"{size_text(path.stat().st_size)} ({path.suffix[1:]})"
    if not window.is_possible():
        return Line(what, on, "not measured: no Xvfb", seconds(0.3))
    progress(f"first curve of {path.name}")
    curve, whole = window.first_pictures_s(bench.meter.binary, path, bench.meter.runs)
    return at_most(what, on, curve or whole, 0.3, seconds, ", the picture at " + seconds(whole))


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
row(SECTION, "idle Ascend", "Ascend profile, tracks", lambda inputs: [inputs.ascend(10**6)])(idle)
row(SECTION, "idle empty", "no file", lambda inputs: [])(idle)


@row(SECTION, "run.sh")
def first_run(bench):
    """Clones the commit and builds it, as a new user would, but with all packages installed already."""
    repository = Path(__file__).resolve().parents[2]
    progress("scripts/run.sh on a clone, some 80 s")
    with tempfile.TemporaryDirectory() as place:
        clone = Path(place, "clone")
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        begun = time.monotonic()
        subprocess.run(["git", "clone", "--quiet", repository, clone], check=True)
        subprocess.run([clone / "scripts/run.sh"], env=environment | {"CCACHE_DIR": f"{place}/ccache"}, stdout=subprocess.DEVNULL, check=True)
        return at_most("from a clone to the first picture", "packages there, ccache empty, no display", time.monotonic() - begun, 90, seconds)
