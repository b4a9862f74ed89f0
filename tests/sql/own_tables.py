"""Fills SQLite tables from a pickle with simple loops, as a reference for snapviewer's tables.

Data of the file (events, segments, ...) is copied; lifetimes and totals (allocs, allocations, devices, totals) come from the
reference timeline, own lines and keys of stacks from the reference analysis. Stack ids are numbers in order of appearance and may
differ from snapviewer's.
"""
import collections
import json
import pathlib
import pickle
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "oracles"))
import reference_analysis  # noqa: E402

FILE_TABLES = """
CREATE TABLE events (id INTEGER PRIMARY KEY, device INTEGER, action TEXT, address INTEGER, size INTEGER, device_free INTEGER,
                     stream INTEGER, time_us INTEGER, stack_id INTEGER, user_metadata TEXT);
CREATE TABLE stacks (id INTEGER PRIMARY KEY, depth INTEGER, text TEXT, top_frame TEXT, key TEXT);
CREATE TABLE stack_frames (stack_id INTEGER, depth INTEGER, frame_id INTEGER);
CREATE TABLE frames (id INTEGER PRIMARY KEY, file TEXT, line INTEGER, function TEXT, is_own INTEGER, text TEXT);
CREATE TABLE segments (id INTEGER PRIMARY KEY, device INTEGER, address INTEGER, size INTEGER, allocated INTEGER, active INTEGER,
                       stream INTEGER, pool TEXT, type TEXT, is_expandable INTEGER);
CREATE TABLE blocks (id INTEGER PRIMARY KEY, segment_id INTEGER, device INTEGER, address INTEGER, size INTEGER, requested INTEGER,
                     state TEXT);
CREATE TABLE annotations (id INTEGER PRIMARY KEY, device INTEGER, name TEXT, stage TEXT, time_us INTEGER);
CREATE TABLE ranges (device INTEGER, name TEXT, start_time_us INTEGER, end_time_us INTEGER);
CREATE TABLE pools (device INTEGER, pool TEXT, segments INTEGER, reserved INTEGER, allocated INTEGER, active INTEGER, holes INTEGER,
                    hole_bytes INTEGER, largest_hole INTEGER);
CREATE TABLE streams (stream INTEGER, number INTEGER);
"""
TIMELINE_TABLES = """
CREATE TABLE allocs (idx INTEGER PRIMARY KEY, size INTEGER, start_time INTEGER, end_time INTEGER, callstack TEXT);
CREATE TABLE allocations (id INTEGER PRIMARY KEY, device INTEGER, address INTEGER, size INTEGER, stream INTEGER, origin TEXT,
                          alloc_step INTEGER, free_step INTEGER, stack_id INTEGER);
CREATE TABLE devices (device INTEGER, events INTEGER, allocations INTEGER, steps INTEGER, peak_bytes INTEGER,
                      live_bytes_at_end INTEGER);
CREATE TABLE totals (device INTEGER, step INTEGER, allocated INTEGER, reserved INTEGER);
"""
RESERVED_CHANGE = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"refused: {module}.{name}")


def load(path):
    with open(path, "rb") as file:
        snapshot = PlainUnpickler(file).load()
    return {"segments": snapshot, "device_traces": []} if isinstance(snapshot, list) else snapshot


def signed(number):
    return number - 2**64 if number is not None and number >= 2**63 else number


def known_line(line):
    """Returns NULL for PyTorch's values of an unknown line: 0, or -1 as unsigned."""
    return line if 0 < line < 2**64 - 1 else None


def frame_text(file, line, name):
    """Formats a frame; if only its function is known, as the function alone."""
    return f"{file}:{line}:{name}" if file or line else name


class OwnTables:
    def __init__(self, path, reference):
        self.path, self.snapshot = path, load(path)
        self.reference = reference
        self.path = path
        self.connection = sqlite3.connect(":memory:")
        self.stacks, self.frames = {}, {}
        self.connection.executescript(FILE_TABLES)
        self.fill_from_file()
        self.connection.executescript(TIMELINE_TABLES)
        self.fill_from_reference()
        self.fill_stacks()

    def insert(self, table, *row):
        places = ", ".join("?" * len(row))
        self.connection.execute(f"INSERT INTO {table} VALUES ({places})", row)

    def traces(self):
        return self.snapshot.get("device_traces", [])

    def devices(self):
        used = {device for device, trace in enumerate(self.traces()) if trace}
        return sorted(used | {segment.get("device", 0) for segment in self.snapshot["segments"]})

    def trace(self, device):
        return self.traces()[device] if device < len(self.traces()) else []

    def stack_id(self, frames):
        """Returns the id of a stack; NULL if no frame was recorded."""
        if not frames:
            return None
        keys = tuple((frame["filename"], frame["line"], frame["name"]) for frame in frames)
        for key in keys:
            self.frames.setdefault(key, len(self.frames))
        return self.stacks.setdefault(keys, len(self.stacks))

    def fill_stacks(self):
        lines, kept = reference_analysis.Stacks(), []      # lists are compared by identity, so they must stay alive
        for keys, number in self.stacks.items():
            text = "\n".join(frame_text(file, line, name) for file, line, name in keys)
            kept.append([{"filename": file, "line": line, "name": name} for file, line, name in keys])
            stack = lines.add(kept[-1])
            self.insert("stacks", number, len(keys), text, lines.source(stack), f"{lines.key(stack):016x}")
            for depth, key in enumerate(keys):
                self.insert("stack_frames", number, depth, self.frames[key])
        for (file, line, name), number in self.frames.items():
            self.insert("frames", number, file, known_line(line), name, int(reference_analysis.is_own((file, line, name))),
                        frame_text(file, line, name))

    def fill_from_file(self):
        number = 0
        for device in self.devices():
            for event in self.trace(device):
                metadata = event.get("user_metadata")
                self.insert("events", number, device, event["action"], signed(event.get("addr") or None), event["size"],
                            event.get("device_free"), signed(event["stream"]), event.get("time_us"),
                            self.stack_id(event.get("frames")), json.dumps(metadata) if isinstance(metadata, dict) else metadata)
                number += 1
        block_number = 0
        for number, segment in enumerate(self.snapshot["segments"]):
            pool = segment.get("segment_pool_id")
            device = segment.get("device", 0)
            self.stack_id(segment.get("frames"))
            self.insert("segments", number, device, signed(segment["address"]), segment["total_size"], segment["allocated_size"],
                        segment["active_size"], signed(segment["stream"]), pool and f"({pool[0]}, {pool[1]})",
                        segment["segment_type"], int(segment.get("is_expandable", False)))
            address = segment["address"]
            for block in segment["blocks"]:
                inactive = block["state"] == "inactive"
                history = block.get("history") if "frames" not in block else None
                requested = history[0]["real_size"] if history else block.get("requested_size", block["size"])
                self.stack_id(history[0].get("frames") if history else block.get("frames"))
                self.insert("blocks", block_number, number, device, signed(address), block["size"], None if inactive else requested,
                            block["state"])
                address += block["size"]
                block_number += 1
        for number, annotation in enumerate(self.snapshot.get("external_annotations", [])):
            self.insert("annotations", number, annotation["device"], annotation["name"], annotation["stage"], annotation["time_us"])
        self.fill_ranges()
        self.fill_pools()
        self.fill_streams()

    def fill_ranges(self):
        """An end closes the innermost open range of its name on its device."""
        open_starts = collections.defaultdict(list)
        for mark in sorted(self.snapshot.get("external_annotations", []), key=lambda mark: (mark["device"], mark["time_us"])):
            key = mark["device"], mark["name"]
            if mark["stage"] == "START":
                open_starts[key].append(mark["time_us"])
            else:
                self.insert("ranges", *key, open_starts[key].pop() if open_starts[key] else None, mark["time_us"])
        for (device, name), starts in open_starts.items():
            for start in starts:
                self.insert("ranges", device, name, start, None)

    def fill_pools(self):
        rows = {}
        for segment in self.snapshot["segments"]:
            pool = segment.get("segment_pool_id")
            row = rows.setdefault((segment.get("device", 0), pool and f"({pool[0]}, {pool[1]})"), [0] * 7)
            runs = "".join("i" if block["state"] == "inactive" else "|" for block in segment["blocks"])
            sizes, place = [], 0
            for run in runs.split("|"):
                sizes.append(sum(block["size"] for block in segment["blocks"][place:place + len(run)]))
                place += len(run) + 1
            holes = [size for size in sizes if size]
            for column, value in enumerate((1, segment["total_size"], segment["allocated_size"], segment["active_size"], len(holes),
                                            sum(holes))):
                row[column] += value
            row[6] = max([row[6], *holes])
        for key, row in rows.items():
            self.insert("pools", *key, *row)

    def fill_streams(self):
        """Numbers streams like memory_viz: first those of traces, then those of segments."""
        numbers = {0: 0}
        for entry in [*(event for trace in self.traces() for event in trace), *self.snapshot["segments"]]:
            numbers.setdefault(entry["stream"], len(numbers))
        used = {entry["stream"] for entry in [*(event for trace in self.traces() for event in trace), *self.snapshot["segments"]]}
        for stream, number in numbers.items():
            if stream in used:
                self.insert("streams", signed(stream), number)

    def fill_from_reference(self):
        number = 0
        shown = reference_analysis.Trace(str(self.path)).default_device()
        for device in self.devices():
            elements, initial, actions = self.reference.collect(self.snapshot, device, False)
            drawn, totals, live_at_end = self.reference.layout(elements, initial, actions)
            mentions = collections.Counter(actions + initial)
            ended = {index for index in mentions if mentions[index] == 2}
            for place, polygon in enumerate(drawn):
                element = elements[polygon["element"]]
                start, end = polygon["timesteps"][0], polygon["timesteps"][-1]
                stack = self.stack_id(element["stack"])
                self.insert("allocations", number, device, signed(element["addr"]), element["size"], signed(element["stream"]),
                            element["kind"], start, end if polygon["element"] in ended else None, stack)
                if device == shown:
                    text = "\n".join(frame_text(f["filename"], f["line"], f["name"]) for f in element["stack"])
                    self.insert("allocs", place, element["size"], start, end, text or None)
                number += 1
            steps = {polygon["element"]: (polygon["timesteps"][0], polygon["timesteps"][-1]) for polygon in drawn}
            self.fill_totals(device, elements, initial, actions, steps, len(totals))
            self.insert("devices", device, len(self.trace(device)), len(drawn), len(totals), max(totals, default=0), live_at_end)

    def fill_totals(self, device, elements, initial, actions, steps, end):
        reserved = self.reserved_at_actions(device, len(actions))
        known = self.reserved_known(device)
        if known != "throughout":
            reserved = [None] * (len(reserved) - 1) + [reserved[-1] if known == "end" else None]
        total = sum(elements[index]["size"] for index in initial)
        self.insert("totals", device, 0, total, reserved[0])
        live = set(initial)
        for place, index in enumerate(actions):
            size = elements[index]["size"]
            total += -size if index in live else size
            self.insert("totals", device, steps[index][1 if index in live else 0], total, reserved[place + 1])
            live ^= {index}
        self.insert("totals", device, end, total, reserved[-1])

    def reserved_known(self, device):
        """Returns whether reserved memory is known "throughout", at the "end" only, or not at all."""
        known = reference_analysis.Trace(str(self.path)).devices.get(device)
        return reference_analysis.Layout(known).known() if known else "no"

    def reserved_at_actions(self, device, action_count):
        """Returns the reserved bytes before the first event, after each alloc and free, and at the end; NULL if unknown."""
        sizes = [segment["total_size"] for segment in self.snapshot["segments"] if segment.get("device", 0) == device]
        changes = [RESERVED_CHANGE.get(event["action"], 0) * event["size"] for event in self.trace(device)]
        now = sum(sizes) - sum(changes)
        after = [now]
        for event, change in zip(self.trace(device), changes):
            now += change
            if event["action"] in ("alloc", "free_completed"):
                after.append(now)
        after += [sum(sizes)] * (action_count + 2 - len(after))
        return after if sizes and min(after) >= 0 else [None] * len(after)
