"""Rows about files on another machine: read over ssh from a server on this machine, through a simulated slow connection."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

from benchmark import window
from benchmark.inputs import ROOT, progress
from benchmark.table import Line, row, size_text

sys.path.insert(0, str(ROOT / "tests"))
from ssh_server import SshServer  # noqa: E402

SECTION = "Over ssh"
LINE = Path(__file__).with_name("slow_line.py")
MBIT_PER_SECOND, DELAY_MS = 100, 20  # delay in each direction
MOST = 1.3


def seconds(value):
    return f"{value:.2f} s"


def fetched(bench, path):
    """Returns seconds from the start of the process until the file was read, seconds until it was read again from the disk, and
    bytes transferred."""
    with tempfile.TemporaryDirectory() as folder:
        count = Path(folder) / "count"
        proxy = f"{sys.executable} {LINE} 127.0.0.1 %p {MBIT_PER_SECOND} {DELAY_MS} {count}"
        with SshServer(proxy=proxy) as server:
            environment = server.environment(dict(os.environ))
            whole = window.first_pictures_s(bench.meter.binary, f"node:{path}", bench.meter.runs, environment)[1]
        local = window.first_pictures_s(bench.meter.binary, path, bench.meter.runs)[1]
        return whole, local, int(count.read_text(encoding="utf-8"))


def over_ssh(bench, copies):
    path = bench.inputs.repeated(copies)
    what = f"{MBIT_PER_SECOND} Mbit/s, {DELAY_MS} ms each way: all of it"
    on = f"{size_text(path.stat().st_size)} (pickle)"
    if not window.is_possible():
        return Line(what, on, "not measured: no Xvfb")
    progress(f"{path.name} over ssh")
    try:
        whole, local, line_bytes = bench.remember(("over ssh", path), lambda: fetched(bench, path))
    except unittest.SkipTest:
        return Line(what, on, "not measured: no ssh server")
    line_s = line_bytes * 8 / (MBIT_PER_SECOND * 1e6)
    more = f" = {whole / (line_s + local):.2f} x; {size_text(line_bytes)} take {seconds(line_s)}, opening here {seconds(local)}"
    return Line(what, on, seconds(whole) + more, f"{MOST} x both", whole <= MOST * (line_s + local))


for copies, name in ((50, "220 MB"), (155, "683 MB")):
    row(SECTION, f"over ssh {name}: all of it", copies)(over_ssh)
