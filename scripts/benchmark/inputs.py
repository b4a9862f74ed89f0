"""The measured files, which the generators of tests/oracles make once."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ORACLES = ROOT / "tests" / "oracles"
SHARED = Path(os.environ.get("SNAPVIEWER_SHARED", ROOT.parent / "shared"))
SIMULATED_EVENTS = 22_332   # as many events as the real run
MAX_IN_MEMORY = 10**7       # maximum number of events that the generator keeps in memory; it writes longer recordings as it goes
QUICKLY = 100               # factor between the sizes of real and --quick inputs


def progress(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Inputs:
    def __init__(self, scratch, binary, is_quick):
        self.scratch, self.binary, self.is_quick = scratch, binary, is_quick
        scratch.mkdir(parents=True, exist_ok=True)

    def scaled(self, count):
        return max(1, count // QUICKLY) if self.is_quick else count

    def make(self, name, *command, inside=None):
        """Runs a command that writes the file OUT, or the file `inside` of the folder OUT."""
        path = self.scratch / name
        if path.exists():
            return path
        progress(f"making {name}")
        unfinished = self.scratch / ("unfinished-" + name)
        subprocess.run([str(unfinished if part == "OUT" else part) for part in command], check=True, stdout=subprocess.DEVNULL)
        if inside:
            (unfinished / inside).rename(path)
            shutil.rmtree(unfinished)
        else:
            unfinished.rename(path)
        return path

    def tool(self, name, script, *arguments, inside=None):
        return self.make(name, sys.executable, "-B", ORACLES / script, *arguments, inside=inside)

    def export(self, source, ending):
        """Returns the path of a file exported by snapviewer; the suffix chooses the format."""
        name = f"{source.stem}{ending}"
        return self.make(name, self.binary, "export", source, "--out", "OUT")

    def repeated(self, copies):
        """Repeats a real training run; if it is absent, a simulated one of its length. 50 repetitions have 220 MB."""
        copies = self.scaled(copies)
        source, name = SHARED / "data" / "train-medium-512.pickle", "train"
        if not source.exists():
            source, name = self.simulated(SIMULATED_EVENTS), "simulated"
        return self.tool(f"{name}-x{copies}.pickle", "repeat_snapshot.py", source, "OUT", copies)

    def simulated(self, events):
        streamed = ["--streamed"] if events > MAX_IN_MEMORY else []
        return self.tool(f"generated-{events}.pickle", "gen_snapshot.py", "OUT", "--events", events, *streamed)

    def generated(self, events):
        """Makes a simulated training run of 68 bytes per event."""
        return self.simulated(max(10_000, self.scaled(events)))

    def worst_case(self, order, allocations, live):
        return self.tool(f"{order}-{allocations}.pickle", "gen_worst_case.py", "OUT", "--allocations", allocations, "--live", live,
                         "--order", order)

    def zipped(self, copies):
        return self.export(self.repeated(copies), ".zip")

    def ascend(self, rows):
        rows = self.scaled(rows)
        return self.tool(f"ascend-{rows}.db", "make_profiler_dbs.py", "--out", "OUT", "--kinds", "ascend", "--scale", rows, "--no-stacks",
                         inside="ascend_pytorch_profiler_0.db")

    def fleet(self, ranks):
        """Makes the database of a fleet with so many ranks, by repeating forty ranks."""
        ranks = self.scaled(ranks)
        forty = self.tool("ranks-40", "gen_fleet.py", "OUT", "--ranks", 40)
        files = self.scratch / f"ranks-{ranks}"
        files.mkdir(exist_ok=True)
        for rank in range(ranks):
            link = files / f"rank{rank}.pickle"
            if not link.exists():
                link.hardlink_to(forty / f"rank{rank % 40}.pickle")
        return self.make(f"ranks-{ranks}.db", self.binary, "fleet", files, "--write", "OUT")

    def memory_report(self, rows):
        rows = self.scaled(rows)
        return self.tool(f"memory-report-{rows}.sqlite", "make_profiler_dbs.py", "--out", "OUT", "--kinds", "skyline-memory", "--scale", rows,
                         inside="skyline_memory.sqlite")

    def run_time_report(self, rows):
        rows = self.scaled(rows)
        return self.tool(f"run-time-report-{rows}.sqlite", "make_profiler_dbs.py", "--out", "OUT", "--kinds", "deepview-runtime",
                         "--scale", rows, inside="deepview_run_time.sqlite")
