#!/usr/bin/env python3
"""Writes the tables of the database that MindStudio Insight makes of a memory snapshot.

    make_insight_db.py SNAPSHOT.pickle OUT.db

For each device N that has events: trace_entry_N, the events with the totals after each, and the segments that existed at the start,
as events with negative ids; block_N, every block with its alloc and free events, -1 if there is none. Actions and states are numbers,
which the table dictionary explains. The rows are computed by undoing the events one by one, from the segments at the end.
"""
import contextlib
import itertools
import pathlib
import pickle
import sqlite3
import sys

ACTIONS = ["segment_map", "segment_unmap", "segment_alloc", "segment_free", "alloc", "free_requested", "free_completed",
           "workspace_snapshot"]
STATES = {"inactive": -1, "active_allocated": 1, "active_pending_free": 0}
EVENT_COLUMNS = "id INTEGER PRIMARY KEY, action INTEGER, address INTEGER, size INTEGER, stream INTEGER, allocated INTEGER, " \
                "active INTEGER, reserved INTEGER, callstack TEXT"
BLOCK_COLUMNS = "id INTEGER PRIMARY KEY, address INTEGER, size INTEGER, requestedSize INTEGER, state INTEGER DEFAULT 99, " \
                "allocEventId INTEGER, freeEventId INTEGER"


def callstack(frames):
    return "\n".join(f"{frame['filename']}:{frame['line']} {frame['name']}" for frame in reversed(frames or []))


class Segments:
    """The reserved memory as pieces [address, size, stream, is_expandable, frames]."""

    def __init__(self, listed):
        self.pieces = [[s["address"], s["total_size"], s["stream"], bool(s.get("is_expandable")), s.get("frames", [])] for s in listed]

    def add(self, event, is_expandable):
        new = [event["addr"], event["size"], event["stream"], is_expandable, event.get("frames", [])]
        for other in list(self.pieces) if is_expandable else []:
            if other[3] and other[2] == new[2] and (other[0] + other[1] == new[0] or new[0] + new[1] == other[0]):
                self.pieces.remove(other)
                lower = other if other[0] < new[0] else new
                new[0], new[1], new[4] = lower[0], new[1] + other[1], lower[4]
        self.pieces.append(new)

    def remove(self, event):
        begin, end, rest = event["addr"], event["addr"] + event["size"], []
        for address, size, *more in self.pieces:
            if begin >= address + size or end <= address:
                rest.append([address, size, *more])
                continue
            if address < begin:
                rest.append([address, begin - address, *more])
            if end < address + size:
                rest.append([end, address + size - end, *more])
        self.pieces = rest

    def reserved(self):
        return sum(piece[1] for piece in self.pieces)


def device_rows(events, segments, event_ids, block_ids):
    """Returns the rows of the two tables of one device."""
    reserved = Segments(segments)
    live = {}
    for segment in segments:
        address = segment["address"]
        for block in segment["blocks"]:
            if block["state"] != "inactive":
                live[address] = [block["size"], block.get("requested_size", block["size"]), block["state"], -1]
            address += block["size"]
    entries, blocks = [], []
    held = {state: sum(block[0] for block in live.values() if block[2] == state) for state in STATES}
    for number in reversed(range(len(events))):
        event = events[number]
        action, address, size = event["action"], event.get("addr", 0), event["size"]
        allocated, active = held["active_allocated"], held["active_allocated"] + held["active_pending_free"]
        entries.append((number, ACTIONS.index(action) if action in ACTIONS else action, address, size, event["stream"], allocated, active,
                        reserved.reserved(), callstack(event.get("frames"))))
        if action == "free_completed":
            live[address] = [size, size, "active_pending_free", number]
            held["active_pending_free"] += size
        elif action == "free_requested" and address in live:
            held[live[address][2]] -= live[address][0]
            live[address][2] = "active_allocated"
            held["active_allocated"] += live[address][0]
        elif action == "alloc" and address in live:
            block = live.pop(address)
            held[block[2]] -= block[0]
            blocks.append((number, address, block[0], block[1], STATES[block[2]], number, block[3]))
        elif action in ("segment_free", "segment_unmap"):
            reserved.add(event, action == "segment_unmap")
        elif action in ("segment_alloc", "segment_map"):
            reserved.remove(event)
    for address, block in live.items():
        blocks.append((next(block_ids), address, block[0], block[1], STATES[block[2]], -1, block[3]))
    for address, size, stream, is_expandable, frames in reserved.pieces:
        action = ACTIONS.index("segment_map" if is_expandable else "segment_alloc")
        entries.append((next(event_ids), action, address, size, stream, held["active_allocated"], held["active_allocated"] +
                        held["active_pending_free"], reserved.reserved(), callstack(frames)))
    return entries, blocks


def write(snapshot, path):
    event_ids, block_ids = itertools.count(-1, -1), itertools.count(-1, -1)
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("CREATE TABLE dictionary (`table` TEXT, `column` TEXT, `key` TEXT, `value` TEXT)")
        for device, events in enumerate(snapshot["device_traces"]):
            if not events:
                continue
            entry_table, block_table = f"trace_entry_{device}", f"block_{device}"
            database.execute(f"CREATE TABLE {entry_table} ({EVENT_COLUMNS})")
            database.execute(f"CREATE TABLE {block_table} ({BLOCK_COLUMNS})")
            words = [(entry_table, "action", key, word) for key, word in enumerate(ACTIONS)]
            words += [(block_table, "state", key, word) for word, key in STATES.items()]
            database.executemany("INSERT INTO dictionary VALUES (?, ?, ?, ?)", words)
            segments = [segment for segment in snapshot["segments"] if segment.get("device", 0) == device]
            entries, blocks = device_rows(events, segments, event_ids, block_ids)
            database.executemany(f"INSERT INTO {entry_table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", entries)
            database.executemany(f"INSERT INTO {block_table} VALUES (?, ?, ?, ?, ?, ?, ?)", blocks)


if __name__ == "__main__":
    source, target = map(pathlib.Path, sys.argv[1:3])
    target.unlink(missing_ok=True)
    write(pickle.loads(source.read_bytes()), target)
