#!/usr/bin/env python3
"""Makes databases like those of Ascend's msMemScope and msLeaks, with Python's standard library only.

    make_memscope_dbs.py --out FILE [--spelling new|old] [--events N] [--insight] [--seed S] [--no-stacks] [--truth FILE.json]

--spelling new: table memscope_dump, "Event Type", "Timestamp(ns)", hexadecimal addresses, stacks, attributes as JSON of texts;
--spelling old: table leaks_dump, eventType, timestamp in microseconds, decimal addresses, frees of HAL on device 'N/A', sizes of
  frees negative, all rows of a block written when it is freed.
--insight adds the tables memory_block, memory_allocation and status_info that MindStudio Insight leaves in a file it has opened.
--events is about the number of rows. The same seed gives the same file.

Two processes train on one device each. --truth writes the lifetimes from the simulation, not derived from the rows ({"blocks":
[{"type", "device", "address", "size", "start_ns", "end_ns" or null, "owner", "stack"}], "ranges": [[name, device, start_ns, end_ns]],
"marks": [[name, device, time_ns]], "launches": [[name, device, time_ns]], "end_ns", "totals": [[type, device, time_ns, bytes]]})
which are also the source of Insight's tables.
"""
import argparse
import json
import random
import sqlite3
from pathlib import Path

T0_NS = 1_779_862_930_549_834_990
MIB = 1 << 20
NEW = ("memscope_dump", ["ID", "Event", "Event Type", "Name", "Timestamp(ns)", "Process Id", "Thread Id", "Device Id", "Ptr", "Attr",
                         "Call Stack(Python)", "Call Stack(C)"])
OLD = ("leaks_dump", ["id", "event", "eventType", "name", "timestamp", "processId", "threadId", "deviceId", "ptr", "attr"])
INTEGERS = {"id", "timestamp(ns)", "timestamp", "process id", "thread id", "processid", "threadid"}
C_STACK = "/opt/msmemscope/lib64/libleaks_ascend_hal_hook.so(halMemAlloc+0x118) [0xf79b279760c8]\n/usr/lib/libruntime.so(+0x3e1214) [0xf79abf7d1214]\n"
LAYERS = ["embedding", "attention", "mlp", "norm", "head", "loss"]
FRAMEWORK = "/usr/lib/python3.11/site-packages/torch/_ops.py(841): __call__\n"


class Simulation:
    def __init__(self, seed, events, with_stacks=True):
        self.random = random.Random(seed)
        self.wanted, self.with_stacks = events, with_stacks
        self.now, self.rows = T0_NS, []
        self.blocks, self.ranges, self.marks, self.launches, self.totals = [], [], [], [], []
        self.used, self.reserved, self.last_id, self.range_ids = {}, {}, {}, {}
        self.next_address = {"HAL": 0x12C0_4000_0000, "PTA": 0x12C1_0000_0000, "ATB": 0x12C2_0000_0000,
                             "PTA_WORKSPACE": 0x12C3_0000_0000, "HOST_PINNED": 0x12C0_8000_0000}
        self.free_addresses = {}

    # Adds a row: (event, type, name, time, pid, device, address or None, attributes, python stack, c stack, block).
    def row(self, event, kind, pid, device, name="N/A", address=None, attributes=None, stack="", c_stack="", block=None):
        self.now += self.random.randrange(900, 4200)
        self.last_id[pid] = self.last_id.get(pid, 0) + 1
        self.rows.append((self.last_id[pid], event, kind, name, self.now, pid, pid, device, address, attributes or {}, stack, c_stack, block))

    def stack(self, layer):
        return f"{FRAMEWORK}/home/user/model/{layer}.py({20 + len(layer)}): forward\n/home/user/train.py(88): <module>\n" if self.with_stacks else ""

    def malloc(self, kind, pid, device, size, layer="train", owner=""):
        place = (kind, device, size)
        free = self.free_addresses.setdefault(place, [])
        if free:
            address = free.pop()
        else:
            address = self.next_address[kind]
            self.next_address[kind] += max(size, 512)
        key = (kind, device)
        self.used[key] = self.used.get(key, 0) + size
        self.reserved[key] = max(self.reserved.get(key, 0), -(-self.used[key] // (20 * MIB)) * 20 * MIB)
        block = {"id": len(self.blocks) + 1, "type": kind, "device": device, "address": address, "size": size, "end_ns": None, "owner": owner,
                 "stack": self.stack(layer), "pid": pid}
        self.blocks.append(block)
        self.row("MALLOC", kind, pid, device, address=address, attributes=self.attributes(block, size, True), stack=block["stack"],
                 c_stack=C_STACK if self.with_stacks else "", block=block["id"])
        block["start_ns"] = self.now
        self.totals.append([kind, device, self.now, self.used[key]])
        return block

    def free(self, block):
        key = (block["type"], block["device"])
        self.used[key] -= block["size"]
        self.row("FREE", block["type"], block["pid"], block["device"], address=block["address"],
                 attributes=self.attributes(block, block["size"], False), stack=self.stack("loss"), block=block["id"])
        block["end_ns"] = self.now
        self.free_addresses[(*key, block["size"])].append(block["address"])
        self.totals.append([*key, self.now, self.used[key]])

    def attributes(self, block, size, is_malloc):
        key = (block["type"], block["device"])
        found = {"allocation_id": block["id"], "addr": block["address"], "size": size}
        if block["type"] not in ("HAL", "HOST_PINNED"):
            found.update(total=self.reserved[key], used=self.used[key])
        if is_malloc and block["owner"]:
            found["owner"] = block["owner"]
        if is_malloc and block["type"] == "HAL":
            found.update(page_type="huge", alloc_type="alloc")
        return found

    def run(self):
        devices = [("0", 4001), ("1", 4002)]
        self.row("SYSTEM", "START_TRACE", 4001, "N/A")
        kept = []
        for device, pid in devices:
            self.row("SYSTEM", "ACL_INIT", pid, "N/A")
            for size in (20 * MIB, 40 * MIB):
                kept.append(self.malloc("HAL", pid, device, size, owner="CANN@RUNTIME"))
            for layer in LAYERS[:5]:
                kept.append(self.malloc("PTA", pid, device, self.random.randrange(1, 9) * 512 * 1024, layer, f"PTA@model@weight@{layer}"))
            kept.append(self.malloc("HOST_PINNED", pid, "cpu", 6356992))
            self.row("MSTX", "Mark", pid, device, '"------training start-----"')
            self.marks.append(["------training start-----", device, self.now])
        step = 0
        while len(self.rows) < self.wanted:
            for device, pid in devices:
                self.step(step, device, pid)
            step += 1
        self.row("SYSTEM", "STOP_TRACE", 4001, "N/A")
        self.end_ns = self.now
        return self

    def step(self, number, device, pid):
        r = self.random
        self.row("MSTX", "Range_start", pid, device, '"step start"')
        self.range_ids[pid] = self.range_ids.get(pid, 0) + 1
        step = ["step start", device, self.now, None]
        self.ranges.append(step)
        alive, segment = [], None
        for layer in LAYERS:
            self.row("OP_LAUNCH", "ATEN_START", pid, device, f"aten::{layer}")
            for _ in range(r.randrange(1, 4)):
                alive.append(self.malloc("PTA", pid, device, r.randrange(1, 64) * 512, layer, f"PTA@model@activation@{layer}"))
                self.row("KERNEL_LAUNCH", "KERNEL_LAUNCH", pid, device, f"{layer}Kernel", attributes={"streamId": 2, "taskId": len(self.rows)})
                self.launches.append([f"{layer}Kernel", device, self.now])
                self.row("ACCESS", r.choice(["READ", "WRITE"]), pid, device, f"aten::{layer}", alive[-1]["address"],
                         {"dtype": "float", "shape": "[2, 3]", "size": 24, "allocation_id": alive[-1]["id"]})
            self.row("OP_LAUNCH", "ATEN_END", pid, device, f"aten::{layer}")
            if r.random() < 0.3:
                self.free(self.malloc("PTA_WORKSPACE", pid, device, 65536, layer))
        if number % 3 == 1:
            segment = self.malloc("HAL", pid, device, 2 * MIB, owner="CANN@RUNTIME")
        if number % 4 == 0:
            self.free(self.malloc("ATB", pid, device, 4096, "head"))
        for block in r.sample(alive, len(alive)) if number % 2 else reversed(alive):
            self.free(block)
        if segment:
            self.free(segment)
        self.row("MSTX", "Range_end", pid, device, f'"Range end from id {self.range_ids[pid]}"')
        step[3] = self.now

    # --- writing the database ---

    def attribute_text(self, row, is_new):
        kind, attributes = row[2], dict(row[9])
        if not attributes:
            return ""
        if is_new:
            if "addr" in attributes:
                attributes["addr"] = f"0x{attributes['addr']:016x}"
            return json.dumps({key: str(value) for key, value in attributes.items()}, separators=(",", ":"))
        if row[1] in ("MALLOC", "FREE"):
            attributes.pop("allocation_id")
            attributes.setdefault("owner", "")
            if row[1] == "FREE" and kind != "HAL":
                attributes["size"] = -attributes["size"]
            if kind == "HAL":
                attributes["MID"] = 7 if row[1] == "MALLOC" else -1
        return json.dumps({key: str(value) for key, value in attributes.items()})

    def written_rows(self, is_new):
        rows = self.rows
        if not is_new:  # with the old spelling, all rows of a block are written when it is freed, or at the end
            ends = {row[12]: place for place, row in enumerate(rows) if row[1] == "FREE"}
            order = sorted(range(len(rows)), key=lambda place: (ends.get(rows[place][12], len(rows)) if rows[place][12] else place, place))
            rows = [rows[place] for place in order]
        for row in rows:
            number, event, kind, name, time, pid, tid, device, address, _, stack, c_stack, _ = row
            if not is_new and event == "FREE" and kind == "HAL":
                device = "N/A"
            if not is_new and device == "cpu":
                device = "host"
            pointer = "N/A" if address is None else f"0x{address:016x}" if is_new else str(address)
            common = (number, event, kind, name, time if is_new else time // 1000, pid, tid, device, pointer, self.attribute_text(row, is_new))
            yield common + (stack, c_stack) if is_new else common

    def write(self, path, spelling="new", insight=False):
        path = Path(path)
        path.unlink(missing_ok=True)
        table, columns = NEW if spelling == "new" else OLD
        connection = sqlite3.connect(path)
        connection.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;")
        typed = ", ".join(f'"{name}" {"INTEGER" if name.lower() in INTEGERS else "TEXT"}' for name in columns)
        connection.execute(f"CREATE TABLE {table} ({typed})")
        marks = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", self.written_rows(spelling == "new"))
        if insight:
            self.write_insight(connection)
        connection.commit()
        connection.close()
        return path

    def write_insight(self, connection):
        connection.executescript("""
            CREATE TABLE status_info (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, value TEXT);
            INSERT INTO status_info (key, value) VALUES ('MEM_SCOPE_PARSE_STATUS', 'FINISH');
            CREATE TABLE memory_allocation (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, timestamp integer, totalSize integer,
              optimized integer, deviceId text(255), eventType text(255));
            CREATE TABLE memory_block (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, deviceId text(255), addr TEXT(255), size integer,
              startTimestamp integer, endTimestamp integer, eventType text(255), owner text(255), attr TEXT(255), processId integer,
              threadId integer, firstAccessTimestamp integer, lastAccessTimestamp integer, maxAccessInterval integer);""")
        connection.executemany("INSERT INTO memory_allocation (timestamp, totalSize, optimized, deviceId, eventType) VALUES (?, ?, 0, ?, ?)",
                               [(time, size, device, kind) for kind, device, time, size in self.totals])
        ended = sorted((b for b in self.blocks if b["end_ns"]), key=lambda b: b["end_ns"])
        lasting = [b for b in self.blocks if not b["end_ns"]]
        connection.executemany(
            "INSERT INTO memory_block (deviceId, addr, size, startTimestamp, endTimestamp, eventType, owner, attr, processId, threadId, "
            "firstAccessTimestamp, lastAccessTimestamp, maxAccessInterval) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, -1, -1, 0)",
            [(b["device"], f"0x{b['address']:016x}", b["size"], b["start_ns"], b["end_ns"] or self.end_ns, b["type"], b["owner"],
              json.dumps({"allocation_id": b["id"]}), b["pid"], b["pid"]) for b in ended + lasting])

    def truth(self):
        return {"blocks": self.blocks, "ranges": self.ranges, "marks": self.marks, "launches": self.launches, "totals": self.totals,
                "end_ns": self.end_ns}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--spelling", choices=["new", "old"], default="new")
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--insight", action="store_true")
    parser.add_argument("--no-stacks", action="store_true")
    parser.add_argument("--truth")
    args = parser.parse_args()
    simulation = Simulation(args.seed, args.events, not args.no_stacks).run()
    simulation.write(args.out, args.spelling, args.insight)
    if args.truth:
        Path(args.truth).write_text(json.dumps(simulation.truth()))


if __name__ == "__main__":
    main()
