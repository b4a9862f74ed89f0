#!/usr/bin/env python3
"""Compares the recipe of docs/sql.md for memory left behind by each profiler step with the times of the events.

    range_recipe.py --snapviewer BINARY --files generated|shared [--shared FOLDER]

A copy of each file gets hundreds of profiler steps at random moments: between events, at events, before the first and after the last,
including empty steps. Python then adds up the allocations during each step that were not freed before its end. "shared" is skipped
(exit status 77) if that folder is absent.
"""
import argparse
import json
import pathlib
import pickle
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from own_tables import load  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import snapshots  # noqa: E402

SKIPPED = 77
STEPS_PER_DEVICE = 300


def recipe():
    text = (snapshots.ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
    sql = re.search(r"What each profiler step left behind:\n\n```sql\n(.*?);\n```", text, re.DOTALL)[1]
    in_bytes = sql.replace("SELECT r.name, human(total(a.size))", "SELECT r.name, total(a.size)")
    if in_bytes == sql:
        raise AssertionError("the recipe no longer begins as this test expects")
    return in_bytes


def with_random_steps(snapshot):
    chance = random.Random(8)
    marks = []
    for device, trace in enumerate(snapshot["device_traces"]):
        times = [event["time_us"] for event in trace if event.get("time_us")]
        if not times:
            continue
        moments = [*times, min(times) - 7, max(times) + 1, max(times) + 9]
        for number in range(STEPS_PER_DEVICE):
            ends = sorted(chance.choice(moments) + chance.choice((-1, 0, 0, 1)) for _ in range(2))
            for stage, time_us in zip(("START", "END"), ends):
                marks.append({"stage": stage, "name": f"ProfilerStep#{device}.{number}", "device": device, "time_us": time_us})
    return {**snapshot, "external_annotations": sorted(marks, key=lambda mark: mark["time_us"])}


def lifetimes(trace):
    """Returns (size, time of the alloc, time of the free or None) of each allocation with a recorded alloc."""
    alive, all_of_them = {}, []
    for event in trace:
        if event["action"] == "alloc":
            alive[event["addr"]] = [event["size"], event.get("time_us"), None]
            all_of_them.append(alive[event["addr"]])
        elif event["action"] == "free_completed" and event["addr"] in alive:
            alive.pop(event["addr"])[2] = event.get("time_us")
    return all_of_them


def expected_rows(snapshot):
    lives = [lifetimes(trace) for trace in snapshot["device_traces"]]
    steps = {}
    for mark in snapshot["external_annotations"]:
        steps.setdefault((mark["device"], mark["name"]), {})[mark["stage"]] = mark["time_us"]
    return {name: sum(size for size, born, died in lives[device]
                      if step["START"] <= born < step["END"] and (died is None or died >= step["END"]))
            for (device, name), step in steps.items()}


def check_file(binary, path, folder):
    snapshot = with_random_steps(load(path))
    if not snapshot["external_annotations"]:
        print(f"{path.name}: has no times")
        return 0
    expected = expected_rows(snapshot)
    copy = folder / "steps.pickle"
    copy.write_bytes(pickle.dumps(snapshot, 4))
    done = subprocess.run([binary, "query", copy, recipe(), "--format", "json"], capture_output=True, text=True, check=True)
    ours = {name: held for name, held in (row.values() for row in json.loads(done.stdout))}
    wrong = [name for name in expected if ours.get(name) != expected[name]]
    for name in wrong[:3]:
        print(f"{path.name}: {name} left {ours.get(name)}, expected {expected[name]}")
    print(f"{path.name}: {len(expected) - len(wrong)} of {len(expected)} steps alike, {sum(map(bool, expected.values()))} left something")
    return len(wrong) + abs(len(ours) - len(expected))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snapviewer", required=True)
    parser.add_argument("--files", choices=["generated", "shared"], required=True)
    parser.add_argument("--shared", type=pathlib.Path, default=snapshots.ROOT.parent / "shared")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = snapshots.generated(folder) if args.files == "generated" else snapshots.real(args.shared)
        if not files:
            print(f"skipped: no snapshots under {args.shared}")
            return SKIPPED
        return 1 if sum(check_file(args.snapviewer, path, folder) for path in files) else 0


if __name__ == "__main__":
    sys.exit(main())
