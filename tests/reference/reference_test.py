#!/usr/bin/env python3
"""Compares snapviewer with the reference timeline on whole files, device by device: allocations, and segments if no mapping of an
expandable segment was recorded, which the reference does not support.

    reference_test.py --snapviewer BINARY --files generated|shared [--shared FOLDER]

"generated" are newly made snapshots and the bundled sample; "shared" are the real ones of a folder, skipped (exit status 77) if there
are none. The reference (tests/oracles/reference_timeline.py) is quadratic and simple. The program's answers come from its commands:
polygons, points and stacks from `export`, origins and ends from `query`, totals from `info`.
"""
import argparse
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import snapshots

REFERENCE = snapshots.ORACLES / "reference_timeline.py"
SKIPPED = 77


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"refused: {module}.{name}")


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def load(path):
    with open(path, "rb") as file:
        return PlainUnpickler(file).load()


def has_mappings(snapshot, device):
    traces = snapshot["device_traces"]
    events = traces[device] if device < len(traces) else []
    return any(event["action"] in ("segment_map", "segment_unmap") for event in events)


def devices_of(snapshot):
    traced = {i for i, trace in enumerate(snapshot["device_traces"]) if trace}
    return sorted(traced | {segment.get("device", 0) for segment in snapshot["segments"]})


def our_polygons(snapviewer, path, device, folder, picture="allocations"):
    out = folder / "export.zip"
    run([snapviewer, "export", path, "--out", out, "--device", device, "--picture", picture])
    with zipfile.ZipFile(out) as archive:
        polygons = json.loads(archive.read("allocations.json"))
        elements = json.loads(archive.read("elements.json"))
    if len(polygons) != len(elements):
        raise AssertionError(f"{len(polygons)} polygons, {len(elements)} elements")
    return [{"addr": element["addr"], "size": polygon["size"], "stream": element["stream"],
             "start": polygon["timesteps"][0], "end": polygon["timesteps"][-1],
             "stack": [(f["filename"], f["line"], f["name"]) for f in element["frames"]],
             "timesteps": polygon["timesteps"], "offsets": polygon["offsets"]} for polygon, element in zip(polygons, elements)]


def our_elements(snapviewer, path, device, folder):
    elements = our_polygons(snapviewer, path, device, folder)
    rows = json.loads(run([snapviewer, "query", path,
                           "SELECT origin, alloc_step, free_step, s.raw FROM (SELECT origin, alloc_step, free_step, stream AS raw, id "
                           f"FROM allocations WHERE device = {device}) AS s ORDER BY id", "--format", "json"]))
    if len(elements) != len(rows):
        raise AssertionError(f"{len(elements)} elements, {len(rows)} rows")
    return [dict(element, kind=row["origin"], row=row) for element, row in zip(elements, rows)]


def compare(ours, expected, keys):
    if len(ours) != len(expected["elements"]):
        raise AssertionError(f"{len(ours)} elements, expected {len(expected['elements'])}")
    for index, (mine, theirs) in enumerate(zip(ours, expected["elements"])):
        theirs["stack"] = [(f["filename"], f["line"], f["name"]) for f in theirs["stack"]]
        for key in keys:
            if mine[key] != theirs[key]:
                raise AssertionError(f"element {index}: {key} is {mine[key]!r}, expected {theirs[key]!r}")


def check_segments(snapviewer, path, device, folder):
    expected = json.loads(run([sys.executable, REFERENCE, path, "--device", device, "--points", "--segments"]))
    ours = our_polygons(snapviewer, path, device, folder, "segments")
    compare(ours, expected, ("addr", "size", "stream", "start", "end", "stack", "timesteps", "offsets"))
    return len(ours)


def check_device(snapviewer, path, device, info, folder):
    expected = json.loads(run([sys.executable, REFERENCE, path, "--device", device, "--points"]))
    ours = our_elements(snapviewer, path, device, folder)
    compare(ours, expected, ("addr", "size", "stream", "kind", "start", "end", "stack", "timesteps", "offsets"))
    for index, (mine, theirs) in enumerate(zip(ours, expected["elements"])):
        if mine["row"]["alloc_step"] not in (theirs["start"], None) or mine["row"]["free_step"] not in (theirs["end"], None):
            raise AssertionError(f"allocation {index}: SQL says {mine['row']}, expected {theirs['start']} .. {theirs['end']}")
    summary = next(d for d in info["devices"] if d["device"] == device)
    points = sum(len(e["timesteps"]) for e in expected["elements"])
    wanted = {"allocations": len(expected["elements"]), "steps": expected["steps"], "peak_bytes": expected["peak_bytes"],
              "live_bytes_at_end": expected["live_bytes_at_end"], "path_points": points}
    for key, value in wanted.items():
        if summary[key] != value:
            raise AssertionError(f"info: {key} is {summary[key]}, expected {value}")
    return len(ours), points


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snapviewer", required=True, type=pathlib.Path)
    parser.add_argument("--files", choices=["generated", "shared"], required=True)
    parser.add_argument("--shared", type=pathlib.Path, default=snapshots.ROOT.parent / "shared")
    args = parser.parse_args()
    failed = passed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = snapshots.generated(folder) if args.files == "generated" else snapshots.real(args.shared)
        if not files:
            print(f"skipped: no snapshots under {args.shared}")
            return SKIPPED
        for path in files:
            info = json.loads(run([args.snapviewer, "info", path, "--json"]))
            snapshot = load(path)
            for device in devices_of(snapshot):
                try:
                    allocations, points = check_device(args.snapviewer, path, device, info, folder)
                    segments = "mappings, no segments compared"
                    if not has_mappings(snapshot, device):
                        segments = f"{check_segments(args.snapviewer, path, device, folder)} segments"
                    print(f"ok      {path.name} device {device}: {allocations} allocations, {points} points, {segments}")
                    passed += 1
                except AssertionError as problem:
                    print(f"FAILED  {path.name} device {device}: {problem}")
                    failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
