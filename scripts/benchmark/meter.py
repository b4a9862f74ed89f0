"""Runs snapviewer and its rivals. Results are cached for the lifetime of the process."""
import functools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmark.inputs import progress

RIVALS = Path(__file__).with_name("rivals.py")
DRIVERS = {"llvmpipe": {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"},
           "zink": {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "zink"}}


def output_of(*command, text=None, environment=None):
    return subprocess.run([str(part) for part in command], check=True, input=text, stdout=subprocess.PIPE, text=True, env=environment).stdout


def rival(name, path, text=None):
    return json.loads(output_of(sys.executable, "-B", RIVALS, name, path, text=text))


def bench_command(binary):
    """Returns the command that starts the benchmarks of a build: the program beside `binary`, or, in version 1.0, a subcommand of it."""
    beside = Path(binary).with_name("snapviewer_bench")
    return [beside] if beside.exists() else [binary, "bench"]


class Meter:
    """Measures the best of `runs` runs. Runs of a rival alternate with ours, so that other load of the machine affects both."""

    def __init__(self, binary, runs):
        self.binary, self.runs = binary, runs
        self.driver = None    # the graphics driver, known after frames were measured

    @functools.cache
    def opening(self, path, rival_name=None):
        """Returns the best output of `info`, and the rival's best figures or None."""
        progress(f"opening {path.name}")
        ours, theirs = [], []
        for _ in range(self.runs):
            ours.append(json.loads(output_of(self.binary, "info", path, "--json")))
            if rival_name:
                theirs.append(rival(rival_name, path))
        best = min(ours, key=lambda info: info["timings_ms"]["total"])
        return best, {key: min(figures[key] for figures in theirs) for key in theirs[0]} if theirs else None

    def bench(self, path, *options, driver=None, runs=None):
        """Returns the JSON that `snapviewer_bench` prints, for each run."""
        return self._bench(path, options, driver, runs or self.runs)

    @functools.cache
    def _bench(self, path, options, driver, runs):
        progress(f"bench {path.name} {' '.join(options)} {driver or ''}")
        environment = {**os.environ, **DRIVERS[driver]} if driver else None
        measured = [json.loads(output_of(*bench_command(self.binary), path, "--json", *options, environment=environment)) for _ in range(runs)]
        if driver is None:
            self.driver = measured[0].get("driver", self.driver)
        return measured

    def only(self, part, path):
        return self.bench(path, "--only", part)

    @functools.cache
    def cost(self, *command):
        """Runs our program. Returns the shortest time in seconds and the smallest peak memory in bytes."""
        def once():
            began = time.perf_counter()
            process = subprocess.Popen([str(part) for part in (self.binary, *command)], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                raise subprocess.CalledProcessError(process.returncode, process.args)
            return time.perf_counter() - began, 1024 * usage.ru_maxrss
        progress(f"{command[0]} {Path(command[1]).name}")
        return tuple(map(min, zip(*(once() for _ in range(self.runs)))))

    def beyond_opening_s(self, *command):
        """Returns the seconds that a command takes, minus those of a process that only opens the file."""
        return self.cost(*command)[0] - self.cost("query", command[1], "SELECT 1")[0]
