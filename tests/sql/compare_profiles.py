#!/usr/bin/env python3
"""Compares Ascend profiles with plain SQL in Python's SQLite: the recipes return the same rows in `snapviewer query`, and curves, tracks
and details of blocks agree with the recipes.

    compare_profiles.py --snapviewer BINARY --dump DUMP_PROFILE --files generated|shared [--shared FOLDER]

"generated" are the databases of tests/databases and one of the generator; "shared" are the real ones of a folder beside the
repository, skipped (exit status 77) if there are none.
"""
import argparse
import contextlib
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import recipes  # noqa: E402
from compare_with_sqlite import SKIPPED, ask_snapviewer, first_difference, snapshots  # noqa: E402

DATABASES = snapshots.ROOT / "tests" / "databases"
NO_STRING = 4294967295
COUNTERS = {  # track -> columns, and the column that distinguishes ports
    "ROCE": (["rxByteRate", "txByteRate"], "funcId"), "NIC": (["rxByteRate", "txByteRate"], "funcId"),
    "HCCS": (["rxThroughput", "txThroughput"], "0"),
    "PCIE": (["txPostAvg", "txPostMin", "txPostMax", "rxPostAvg", "rxPostMin", "rxPostMax"], "0")}


def one_line(text):
    return re.sub(r"[\x00-\x1f]+", " ", text)


def steps_of(rows):
    """Returns the changes of a value that holds until the next row, as (microseconds, value)."""
    points = []
    for time_ns, value in rows:
        if not points or points[-1][1] != value:
            points.append((time_ns // 1000, value))
    return points


class Profile:
    def __init__(self, path, snapviewer, dump):
        self.path, self.snapviewer = path, snapviewer
        self.connection = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        self.tables = {name for name, in self.rows("SELECT name FROM sqlite_master")}
        done = subprocess.run([dump, path], capture_output=True, check=True)
        self.devices = {device["device"]: device for device in json.loads(done.stdout)}
        self.checks = self.failures = 0

    def rows(self, sql):
        return self.connection.execute(sql).fetchall()

    def check(self, what, ours, expected):
        self.checks += 1
        if ours != expected:
            self.failures += 1
            lists = isinstance(ours, list) and isinstance(expected, list)
            print(f"{self.path.name}: {what}: {first_difference(ours, expected) if lists else f'{ours!r}, expected {expected!r}'}")

    def check_recipe(self, name, sql):
        self.check(name, ask_snapviewer(self.snapviewer, self.path, sql), self.rows(sql))

    def recipes(self, *names):
        for name in names:
            self.check_recipe(name, getattr(recipes, name))

    # --- curves and tracks ---

    def expected_curves(self, device):
        totals = {}
        for component, time, allocated, active, reserved, of_device in self.rows(recipes.TOTALS):
            if of_device == device:
                totals.setdefault(component, []).append((time, allocated, active, reserved))
        names = {"PTA+GE": "Operators"} if "PTA+GE" in totals else {"PTA": "Operators"}
        if "GE" in totals:
            names.update({"PTA": "PTA", "GE": "GE"})
        curves = {}
        for component, name in names.items():
            for place, amount in ((1, "Allocated"), (2, "Active"), (3, "Reserved")):
                points = steps_of([(row[0], row[place]) for row in totals.get(component, [])])
                if points and (component != "GE" or amount != "Active"):
                    curves[f"{name} {amount}"] = points
        process = [(time, value) for time, value, of_device in (self.rows(recipes.PROCESS) if "NPU_MEM" in self.tables else [])
                   if of_device == device]
        if process:
            curves["App Reserved"] = steps_of(process)
        return curves

    def check_curves(self):
        for device in self.devices:
            if device < 0:
                continue
            ours = {curve["name"]: list(zip(curve["times_us"], curve["values"])) for curve in self.devices[device]["curves"]}
            expected = self.expected_curves(device)
            self.check("names of curves", sorted(ours), sorted(expected))
            table = {}
            for name, time, value in ask_snapviewer(self.snapviewer, self.path,
                                                    f"SELECT curve, time_us, bytes FROM memory_curves WHERE device = {device}"):
                table.setdefault(name, []).append((time, value))
            self.check("memory_curves", table, expected)
            for name in expected.keys() & ours.keys():
                self.check(name, ours[name], expected[name])

    def track(self, device, name):
        return next((track for track in self.devices[device]["tracks"] if track["name"] == name), {"ranges": [], "series": [], "note": ""})

    def check_steps(self, device, with_table):
        if with_table:
            rows = [(f"Step {number}", start, end) for number, start, end in self.rows("SELECT id, startNs, endNs FROM STEP_TIME ORDER BY 2")]
        else:
            rows = [("Step " + name.split("#")[1], start, end) for name, start, end in self.rows(recipes.STEPS)]
        self.check("steps", self.track(device, "Steps")["ranges"], [[name, start // 1000, end // 1000] for name, start, end in rows])
        return len(rows)

    def check_collections(self, device):
        rows = self.rows("SELECT startNs, endNs FROM GC_RECORD ORDER BY 1") if "GC_RECORD" in self.tables else []
        self.check("collections", self.track(device, "Python GC")["ranges"], [["collecting", start // 1000, end // 1000] for start, end in rows])

    def check_modules(self, device):
        expected = {}
        for name, time, value, of_device in self.rows(recipes.MODULES) if "NPU_MODULE_MEM" in self.tables else []:
            if of_device == device:
                expected.setdefault(name if isinstance(name, str) else f"module {name}", []).append([time // 1000, value])
        ours = {one["name"]: [list(point) for point in zip(one["times_us"], one["values"])]
                for one in self.track(device, "Modules")["series"]}
        self.check("names of modules", sorted(ours), sorted(expected))
        for name in expected.keys() & ours.keys():
            self.check(f"module {name}", ours[name], expected[name])

    def check_counters(self, device):
        """Each port has a track. Columns that never change are determined per port."""
        for table, (columns, port) in COUNTERS.items():
            if table not in self.tables:
                continue
            ports = {}
            for column in columns:
                for key, time, value in self.rows(f"SELECT {port}, timestampNs, {column} FROM {table} WHERE deviceId = {device} ORDER BY 2"):
                    ports.setdefault(key, {}).setdefault(column, []).append([time // 1000, value])
            for key, series in ports.items():
                name = table if len(ports) == 1 else f"{table} port {key}"
                track = self.track(device, name)
                if all(value == points[0][1] for points in series.values() for _, value in points):
                    self.check(f"{name} never changes", (track["series"], bool(track["note"])), ([], True))
                else:
                    ours = [[list(point) for point in zip(one["times_us"], one["values"])] for one in track["series"]]
                    self.check(name, sorted(ours), sorted(series.values()))

    # --- details of a block ---

    def name_of(self, key, value):
        return value if value is not None else "(unknown)" if key == NO_STRING else f"#{key}"

    def expected_details(self, name, time_ns):
        """Returns the expected sections about operations for a block that an operation of that name allocated."""
        running = self.rows(recipes.OPERATIONS_AT.format(time_ns))
        owner = next((place for place in reversed(range(len(running))) if running[place][1] == name), None)
        path = running if owner is None else [row for row in running[:owner + 1] if row[5] == running[owner][5]]
        if not path:
            return {}
        sections = {"Operations, outermost first": [["", one_line(row[1])] for row in path]}
        if path[-1][2] is not None:
            title, chain = "Stack, innermost first", path[-1][2]
        else:
            numbers = [row[3] for row in reversed(path) if row[4] and row[3] is not None and row[3] >= 0]
            forward = self.rows(recipes.FORWARD.format(numbers[0])) if numbers else []
            title, chain = (f"Forward stack ({forward[0][1]}), innermost first", forward[0][2]) if forward else ("", None)
        stack = [["", one_line(text)] for text, in self.rows(recipes.STACK.format(chain))] if chain is not None else []
        if stack:
            sections[title] = stack
        for row in reversed(path):
            kernels = self.rows(recipes.KERNELS.format(row[0]))
            if kernels:
                sections[f"Kernels of {one_line(row[1])}"] = [
                    [one_line(kernel), f"stream {stream}, {(end - start) / 1e6:.3f} ms, {(start - time_ns) / 1e6:.3f} ms after the allocation"]
                    for start, end, stream, kernel in kernels[:50]]
                break
        return sections

    def check_details(self):
        blocks = {row[0]: row for row in self.rows(recipes.ALLOCATIONS)}
        keys = dict(self.rows("SELECT rowid, name FROM OP_MEMORY"))
        told = 0
        for device in self.devices.values():
            for sections in device["details"]:
                facts = dict(map(tuple, sections.pop("Profiled memory", [])))
                if not facts:
                    self.check("a block without a row", list(sections), ["Before the profile"])
                    continue
                block = blocks[int(facts["row of OP_MEMORY"])]
                name = self.name_of(keys[block[0]], block[1])
                self.check("operation", facts["operation"], one_line(name))
                ours = {title: rows for title, rows in sections.items() if not title.startswith("Inputs of")}
                self.check(f"details of row {block[0]}", ours, self.expected_details(name, block[3]))
                told += 1
        return told


def check_profile(path, args):
    profile = Profile(path, args.snapviewer, args.dump)
    profile.recipes("ALLOCATIONS", "COMPONENTS", "TOTALS", "STEPS")
    for table, name in (("NPU_MEM", "PROCESS"), ("NPU_MODULE_MEM", "MODULES"), ("NPU_OP_MEM", "GRAPH_ENGINE")):
        if table in profile.tables:
            profile.recipes(name)
    row, time = profile.rows("SELECT rowid, allocationTime FROM OP_MEMORY ORDER BY rowid LIMIT 1 OFFSET 3")[0]
    profile.check_recipe("OPERATIONS_AT", recipes.OPERATIONS_AT.format(time))
    for name, column in (("STACK", "callchainId"), ("FORWARD", "sequenceNumber"), ("KERNELS", "rowid")):
        values = profile.rows(f"SELECT max({column}) FROM PYTORCH_API WHERE connectionId IS NOT NULL")[0]
        profile.check_recipe(name, getattr(recipes, name).format(*values))
    profile.check_curves()
    steps = 0
    for device in (device for device in profile.devices if device >= 0):
        steps += profile.check_steps(device, True)
        profile.check_collections(device)
        profile.check_counters(device)
        profile.check_modules(device)
    told = profile.check_details()
    print(f"{path.name}: {profile.checks - profile.failures} of {profile.checks} alike; {steps} steps, {told} blocks told of")
    return profile.failures


def check_annotated_steps(path, folder, args, change):
    """If the table of steps is missing or useless, as in this copy, steps come from annotations."""
    copy = folder / f"no-steps-{path.name}"
    copy.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        target.execute(change)
        target.commit()
    profile = Profile(copy, args.snapviewer, args.dump)
    steps = sum(profile.check_steps(device, False) for device in profile.devices if device >= 0)
    print(f"{path.name}: {steps} annotated steps")
    return profile.failures


def check_graph_engine(path, args):
    """Compares blocks and addresses of a file without PyTorch."""
    profile = Profile(path, args.snapviewer, args.dump)
    profile.recipes("GRAPH_ENGINE")
    expected = [(address, size, start // 1000, end and end // 1000) for _, address, size, start, end in profile.rows(recipes.GRAPH_ENGINE)]
    sql = "SELECT address, size, alloc_time_us, free_time_us FROM allocations ORDER BY alloc_time_us, address"
    profile.check("blocks of the graph engine", ask_snapviewer(args.snapviewer, path, sql), expected)
    print(f"{path.name}: {len(expected)} blocks")
    return profile.failures


def make_database(script, folder):
    path = folder / (script.stem + ".db")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(script.read_text(encoding="utf-8"))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snapviewer", required=True)
    parser.add_argument("--dump", required=True)
    parser.add_argument("--files", choices=["generated", "shared"], required=True)
    parser.add_argument("--shared", type=pathlib.Path, default=snapshots.ROOT.parent / "shared")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if args.files == "generated":
            snapshots.make("make_profiler_dbs.py", "--out", folder, "--kinds", "ascend", "--scale", 300)
            paths = [make_database(DATABASES / "ascend.sql", folder), *folder.glob("ascend_pytorch*.db")]
        else:
            paths = sorted((args.shared / "data" / "ascend").glob("level*.db"))
        if not paths:
            print(f"skipped: no databases under {args.shared}")
            return SKIPPED
        failures = sum(check_profile(path, args) + check_annotated_steps(path, folder, args, "DROP TABLE STEP_TIME") for path in paths)
        failures += check_annotated_steps(paths[-1], folder, args, "UPDATE STEP_TIME SET endNs = startNs - 5")
        failures += check_graph_engine(make_database(DATABASES / "msprof.sql", folder), args)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
