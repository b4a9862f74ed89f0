"""Databases of msMemScope on the command line, compared with the simulation that made them: both spellings, the tables that MindStudio
Insight adds, and malformed rows."""
import contextlib
import sqlite3
import sys

from harness import ROOT, CommandLine, main

sys.path.insert(0, str(ROOT / "tests" / "oracles"))
from make_memscope_dbs import Simulation  # noqa: E402


def part_of(block):
    """Returns the program's name for the memory of a kind on a device; host memory is shared by both processes of the simulation."""
    kind, device = block["type"], block["device"]
    return f"{kind} of the host in process {block['pid']}" if device == "cpu" else f"{kind} of device {device}"


class Memscope(CommandLine):
    def parts(self, path):
        """Returns the names of the pictures by their number; the number of a device's own memory is that of the device."""
        def whole(number, part):
            kind, of_process, process = (part or "").partition(" in process ")
            return part if number < 0 else f"{kind} of device {number}{of_process}{process}"

        return {device["device"]: whole(device["device"], device.get("part")) for device in self.info_and_entries(path)[0]["devices"]}

    def blocks(self, path):
        """Returns the drawn allocations as the simulation describes them: part, address, bytes, first and last
        microsecond, owner, stack."""
        parts = self.parts(path)
        return sorted(((parts[device], *rest) for device, *rest in self.ask(
            path, "SELECT a.device, a.address, a.size, a.alloc_time_us, a.free_time_us, a.category, s.text FROM allocations a "
                  "LEFT JOIN stacks s ON s.id = a.stack_id WHERE a.origin = 'alloc'")), key=repr)

    @staticmethod
    def expected(simulation, with_stacks):
        def stack(text):
            lines = [line.partition("): ") for line in text.splitlines()]
            return "\n".join(place.replace("(", ":") + ":" + function for place, _, function in lines)

        return sorted(((part_of(b), b["address"], b["size"], b["start_ns"] // 1000, b["end_ns"] and b["end_ns"] // 1000,
                        b["owner"] or b["type"], stack(b["stack"]) if with_stacks else None) for b in simulation.blocks), key=repr)

    def check_ends(self, path, simulation):
        """Allocations that are never freed last until the end of the recording."""
        info, _ = self.info_and_entries(path)
        alive = sum(b["size"] for b in simulation.blocks if b["end_ns"] is None)
        self.assertEqual(info["kind"], "msmemscope")
        self.assertEqual(sum(device["live_bytes_at_end"] for device in info["devices"]), alive)

    def test_both_spellings_are_the_same_blocks(self):
        simulation = Simulation(3, 3000).run()
        new, old = simulation.write(self.folder / "new.db"), simulation.write(self.folder / "old.db", "old")
        before = self.files()
        self.assertEqual(self.blocks(new), self.expected(simulation, True))
        self.assertEqual(self.blocks(old), self.expected(simulation, False))
        for path in (new, old):
            self.check_ends(path, simulation)
            self.assertEqual(self.info_and_entries(path)[1], {})
        self.assertEqual(self.files(), before, "a file or the folder changed")

    def test_the_tables_of_insight(self):
        simulation = Simulation(5, 2500).run()
        path = simulation.write(self.folder / "insight.db", insight=True)
        parts = self.parts(path)

        # Both sides of the comparison are queries of the program, so that its tables and the file's are available together.
        ours = [(parts[device], f"0x{address:016x}", size, start, end) for device, address, size, start, end in self.ask(
            path, "SELECT device, address, size, alloc_time_us, free_time_us FROM allocations WHERE origin = 'alloc'")]
        last = simulation.end_ns // 1000
        theirs = [(part_of({"type": kind, "device": device, "pid": process}), address, size, start // 1000, end // 1000)
                  for kind, device, process, address, size, start, end in self.ask(
                      path, "SELECT eventType, deviceId, processId, addr, size, startTimestamp, endTimestamp FROM memory_block")]
        self.assertGreater(len(theirs), 300)
        self.assertEqual(sorted((part, address, size, start, last if end is None else end) for part, address, size, start, end in ours),
                         sorted(theirs))

        # The running totals equal those of memory_allocation, which does not distinguish processes.
        totals = {}
        for device, action, size, time in self.ask(path, "SELECT device, action, size, time_us FROM events ORDER BY time_us, device, id"):
            of_part = totals.setdefault(parts[device].partition(" in process ")[0], [])
            level = of_part[-1][1] if of_part else 0
            of_part.append((time, level + size if action == "alloc" else level - size))
        expected = {}
        for kind, device, time, size in self.ask(path, "SELECT eventType, deviceId, timestamp, totalSize FROM memory_allocation ORDER BY id"):
            expected.setdefault(part_of({"type": kind, "device": device, "pid": 0}).partition(" in process ")[0], []).append((time // 1000, size))
        self.assertEqual(totals, expected)

    def test_the_view_of_events_has_one_spelling(self):
        simulation = Simulation(7, 500).run()
        sql = ("SELECT event, event_type, name, time_ns / 1000, process, abs(size), CASE WHEN owner <> '' THEN owner END FROM memory_events "
               "ORDER BY 4, 1, 2, 3")
        new, old = (self.ask(simulation.write(self.folder / f"{spelling}.db", spelling), sql) for spelling in ("new", "old"))
        self.assertEqual(new, old)
        self.assertEqual(len(new), len(simulation.rows))
        self.assertIn(("MSTX", "Range_start", '"step start"'), {row[:3] for row in new})

    def change(self, path, sql, name="odd.db"):
        odd = self.folder / name
        odd.write_bytes(path.read_bytes())
        with contextlib.closing(sqlite3.connect(odd)) as connection:
            connection.executescript("PRAGMA synchronous = OFF;" + sql)
        return odd

    def test_odd_tables_are_the_same_blocks(self):
        simulation = Simulation(11, 600).run()
        path = simulation.write(self.folder / "even.db")
        expected = self.blocks(path)
        columns = '"ID", "Event", "Event Type", "Name", {}, "Process Id", "Thread Id", {}, {}, "Attr", "Call Stack(Python)", "Call Stack(C)"'
        rebuild = "CREATE TABLE odd AS SELECT {} FROM memscope_dump; DROP TABLE memscope_dump; ALTER TABLE odd RENAME TO {};"
        time, device, pointer = '"Timestamp(ns)"', '"Device Id"', '"Ptr"'
        cases = {
            "times as texts": rebuild.format(columns.format(f"CAST({time} AS TEXT) AS {time}", device, pointer), "memscope_dump"),
            "devices as numbers": rebuild.format(columns.format(time, f"CASE WHEN {device} IN ('0', '1') THEN CAST({device} AS INTEGER) ELSE "
                                                                      f"{device} END AS {device}", pointer), "memscope_dump"),
            "no addresses but in the attributes": rebuild.format(columns.format(time, device, f"NULL AS {pointer}"), "memscope_dump"),
            "the older name": rebuild.format(columns.format(time, device, pointer), "leaks_dump"),
            "no ids and no names": rebuild.format(columns.format(time, device, pointer).replace('"ID", ', "").replace('"Name", ', ""), "memscope_dump"),
            "rows in another order": "CREATE TABLE odd AS SELECT * FROM memscope_dump ORDER BY Event, rowid; DROP TABLE memscope_dump;"
                                     "ALTER TABLE odd RENAME TO memscope_dump;",
            "a view": "ALTER TABLE memscope_dump RENAME TO hidden; CREATE VIEW memscope_dump AS SELECT 1 AS first, * FROM hidden;",
            "a write-ahead header": "PRAGMA journal_mode = WAL;",
            "both tables": "CREATE TABLE leaks_dump (event, timestamp);",
            "frees without attributes": "UPDATE memscope_dump SET Attr = NULL WHERE Event = 'FREE';",
            "attributes without quotes": "UPDATE memscope_dump SET Attr = replace(Attr, char(34), '');",
        }
        for name, sql in cases.items():
            with self.subTest(name=name):
                self.assertEqual(self.blocks(self.change(path, sql)), expected)

    def test_missing_columns(self):
        path = Simulation(13, 400).run().write(self.folder / "even.db")
        expected = self.blocks(path)
        for column, same in (("Call Stack(Python)", lambda row: row[:6]), ("Device Id", lambda row: row[1:5]), ("Event Type", lambda row: row[1:5]),
                             ("Process Id", lambda row: (row[0].partition(" in process ")[0], *row[1:])), ("Thread Id", lambda row: row)):
            with self.subTest(column=column):
                odd = self.change(path, f'ALTER TABLE memscope_dump DROP COLUMN "{column}"')
                self.assertEqual(sorted(map(same, self.blocks(odd)), key=repr), sorted(map(same, expected), key=repr))
        for column in ("Event", "Timestamp(ns)", "Attr"):
            with self.subTest(column=column):
                odd = self.change(path, f'ALTER TABLE memscope_dump DROP COLUMN "{column}"')
                self.assertEqual(self.blocks(odd), [])
                self.assertIn("no_blocks", self.info_and_entries(odd)[1])
                self.assertEqual(len(self.ask(odd, "SELECT * FROM memscope_dump")), len(self.ask(path, "SELECT * FROM memscope_dump")))

    def test_processes_that_share_devices_are_not_added_up(self):
        """Adds a copy of every row with another process id: same devices, addresses and times. Each process has its own picture."""
        path = Simulation(29, 600).run().write(self.folder / "even.db")
        alone = self.blocks(path)
        shared = self.change(path, 'INSERT INTO memscope_dump SELECT "ID", "Event", "Event Type", "Name", "Timestamp(ns)", "Process Id" + 50000, '
                                   '"Thread Id" + 50000, "Device Id", "Ptr", "Attr", "Call Stack(Python)", "Call Stack(C)" FROM memscope_dump')
        pids = sorted({pid for (pid,) in self.ask(path, 'SELECT DISTINCT "Process Id" FROM memscope_dump')})
        self.assertEqual(self.info_and_entries(shared)[1], {})
        drawn = {pid: [] for pid in [*pids, *(pid + 50000 for pid in pids)]}
        for part, *rest in self.blocks(shared):
            kind, _, process = part.partition(" in process ")
            drawn[int(process)].append((kind, *rest))
        without_process = sorted(((part.partition(" in process ")[0], *rest) for part, *rest in alone), key=repr)
        for copy in (0, 50000):
            self.assertEqual(sorted((block for pid in pids for block in drawn[pid + copy]), key=repr), without_process)
        # Of the processes that share a device, one has the device's number.
        parts = self.parts(shared)
        self.assertEqual((parts[0], parts[1]), tuple(f"PTA of device {device} in process {pid}" for device, pid in enumerate(pids)))

    def test_frees_without_allocations(self):
        simulation = Simulation(17, 600).run()
        path = simulation.write(self.folder / "even.db")
        gone = [b for b in simulation.blocks if b["type"] == "PTA" and b["end_ns"]][:3]
        ids = ", ".join(f"'{b['id']}'" for b in gone)
        odd = self.change(path, f"DELETE FROM memscope_dump WHERE Event = 'MALLOC' AND json_extract(Attr, '$.allocation_id') IN ({ids})")
        self.assertEqual(self.info_and_entries(odd)[1]["freed_before_seen"], 3)
        drawn = self.ask(odd, "SELECT address, size, alloc_time_us, free_time_us FROM allocations WHERE origin = 'freed'")
        self.assertEqual(sorted(drawn), sorted((b["address"], b["size"], None, b["end_ns"] // 1000) for b in gone))

    def test_damaged_files_say_so(self):
        path = Simulation(19, 2000).run().write(self.folder / "even.db")
        whole = path.read_bytes()
        cut = self.write("cut.db", whole[:len(whole) // 2])
        self.assertIn("file_cut_short", self.info_and_entries(cut)[1])
        self.succeed("render", cut, "--out", self.home / "x.png", "--size", "300x200")
        for garbage in (0x5A, 0xFF):
            damaged = self.write("damaged.db", whole[:8192] + bytes([garbage]) * 4096 + whole[12288:])
            self.assertIn(self.run_program("info", damaged, "--json").returncode, (0, 1))
        self.refuse("info", self.write("head.db", whole[:100] + bytes(len(whole) - 100)), mentions=["head.db"])

    def test_pictures_exports_and_devices(self):
        path = Simulation(23, 800).run().write(self.folder / "even.db")
        parts = self.parts(path)
        self.assertEqual((parts[0], parts[1]), ("PTA of device 0", "PTA of device 1"))
        self.assertEqual({"HAL of device 0", "HAL of device 1", "PTA_WORKSPACE of device 0"} - set(parts.values()), set())
        for number in parts:
            self.succeed("render", path, "--device", number, "--out", self.home / "x.png", "--size", "300x200")
        self.succeed("export", path, "--device", "0", "--out", self.home / "x.csv")


if __name__ == "__main__":
    main()
