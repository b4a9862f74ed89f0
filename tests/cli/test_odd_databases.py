"""Malformed Ascend databases, made from tests/databases: what is drawn nevertheless, and what is reported."""
import contextlib
import sqlite3

from harness import ROOT, CommandLine, main

SCRIPT = (ROOT / "tests" / "databases" / "ascend.sql").read_text(encoding="utf-8")
MSPROF = (ROOT / "tests" / "databases" / "msprof.sql").read_text(encoding="utf-8")
T0_US = 1_700_000_000_000_000
DAY_NS = 86_400_000_000_000
REBUILD = "CREATE TABLE odd AS SELECT {} FROM {name}; DROP TABLE {name}; ALTER TABLE odd RENAME TO {name};"


class OddDatabases(CommandLine):
    def make(self, change="", name="odd.db", script=SCRIPT):
        return self.write_database(name, script + change)

    def blocks(self, path):
        """Returns everything drawn: device, name, bytes, first and last microsecond since the profile began."""
        return self.ask(path, f"SELECT a.device, s.text, a.size, a.alloc_time_us - {T0_US}, a.free_time_us - {T0_US} FROM allocations a "
                              "LEFT JOIN stacks s ON s.id = a.stack_id ORDER BY a.id")

    def block(self, path, start_us):
        found = [row for row in self.blocks(path) if row[3] == start_us]
        return found[0] if len(found) == 1 else found

    def check_same(self, change, codes=()):
        expected, same = self.make(name="even.db"), self.make(change)
        self.assertEqual(self.blocks(same), self.blocks(expected))
        found = self.info_and_entries(same)[1]
        self.assertEqual(set(found), {*self.info_and_entries(expected)[1], *codes})
        return found

    def test_msprof_rows_without_the_number_of_their_device(self):
        columns = "operatorName, addr, type, size, timestampNs, globalTid, totalAllocate, totalReserve, component"
        expected = self.blocks(self.make(name="even.db", script=MSPROF))
        same = self.blocks(self.make(REBUILD.format(columns, name="NPU_OP_MEM"), script=MSPROF))
        self.assertEqual(len(expected), 24)
        self.assertEqual([row[1:] for row in same], [row[1:] for row in expected])

    def test_numbers_as_texts_and_reals(self):
        columns = ("name, CAST(size AS REAL) AS size, CAST(allocationTime AS TEXT) AS allocationTime, CAST(releaseTime AS TEXT) AS releaseTime, "
                   "activeReleaseTime, CAST(allocationTotalAllocated AS REAL) AS allocationTotalAllocated, streamPtr, CAST(deviceId AS TEXT) AS deviceId")
        totals = "component, CAST(timestamp AS TEXT) AS timestamp, CAST(totalAllocated AS TEXT) AS totalAllocated, totalReserved, totalActive, deviceId"
        self.check_same(REBUILD.format(columns, name="OP_MEMORY") + REBUILD.format(totals, name="MEMORY_RECORD"))

    def test_views_in_place_of_tables_and_more_than_expected(self):
        self.check_same("ALTER TABLE OP_MEMORY RENAME TO hidden; CREATE VIEW OP_MEMORY AS SELECT 1 AS first, * FROM hidden;"
                        "ALTER TABLE MEMORY_RECORD ADD extra TEXT; CREATE INDEX often ON MEMORY_RECORD (timestamp); CREATE TABLE more (x);"
                        "CREATE TRIGGER t AFTER INSERT ON MEMORY_RECORD BEGIN DELETE FROM MEMORY_RECORD; END;")

    def test_clocks_that_were_set(self):
        row = "INSERT INTO OP_MEMORY (name, size, allocationTime, deviceId) SELECT name, size, allocationTime + {}, 0 FROM OP_MEMORY LIMIT 1;"
        record = "INSERT INTO MEMORY_RECORD SELECT component, timestamp + {}, 0, 0, 0, 2, 0 FROM MEMORY_RECORD LIMIT 1;"
        for change in (row.format(30 * DAY_NS), row.format(-400 * DAY_NS), record.format(3 * DAY_NS)):
            with self.subTest(change=change):
                self.assertEqual(self.check_same(change, {"times_far_off"})["times_far_off"], 1)

    def test_identical_rows_are_drawn_once(self):
        self.assertEqual(self.check_same("INSERT INTO OP_MEMORY SELECT * FROM OP_MEMORY WHERE rowid IN (3, 8);",
                                         {"duplicate_rows"})["duplicate_rows"], 2)

    def test_steps_without_length(self):
        self.check_same("UPDATE STEP_TIME SET endNs = startNs;", {"range_without_length"})

    def test_ends_that_are_none(self):
        # The first block: aten::linear of 5 MiB, from 1300 us on; drawn until its return to the pool.
        start, size = 1300, 5 << 20
        linear = (0, "aten::linear", size, start)
        self.assertEqual(self.block(self.make(), start), (*linear, 15299))
        where = " WHERE allocationTime = 1700000000001300000;"
        set_ends = "UPDATE OP_MEMORY SET releaseTime = {}, activeReleaseTime = {}" + where
        for release, active, end in (("NULL", "NULL", None), ("0", "0", None), ("-1", "-1", None), ("releaseTime", "NULL", 15300),
                                     ("NULL", "activeReleaseTime", 15299), ("allocationTime - 1000", "NULL", None)):
            with self.subTest(release=release, active=active):
                path = self.make(set_ends.format(release, active))
                self.assertEqual(self.block(path, start), (*linear, end))
                self.assertEqual("released_before_allocated" in self.info_and_entries(path)[1], "-" in release and release != "-1")

    def test_rows_that_cannot_be_drawn(self):
        where = " WHERE allocationTime = 1700000000001300000;"
        for change, code in (("size = 0", "rows_not_drawn"), ("size = NULL", "rows_not_drawn"), ("size = 'lots'", "rows_not_drawn"),
                             ("allocationTime = NULL", "rows_not_drawn"), ("size = 9223372036854775807", "size_impossible"),
                             ("size = -size, allocationTime = NULL", "release_without_allocation")):
            with self.subTest(change=change):
                path = self.make(f"UPDATE OP_MEMORY SET {change}{where}")
                self.assertEqual(self.info_and_entries(path)[1].get(code), 1)
                self.assertEqual(self.block(path, 1300), [])
                self.assertEqual(self.ask(path, "SELECT count(*) FROM OP_MEMORY"), [(55,)])

    def test_sums_beyond_any_number(self):
        path = self.make("UPDATE OP_MEMORY SET size = 1 << 50;")
        info, codes = self.info_and_entries(path)
        self.assertGreater(max(device["peak_bytes"] for device in info["devices"]), 1 << 50)
        self.assertIn("totals_mismatch:0", codes)
        self.succeed("render", path, "--out", self.home / "x.png", "--size", "300x200")

    def test_names_that_are_not_there(self):
        path = self.make("UPDATE OP_MEMORY SET name = 123456789 WHERE allocationTime = 1700000000001300000; DELETE FROM STRING_IDS WHERE value = 'aten::mm';")
        names = {row[1] for row in self.blocks(path)}
        self.assertLessEqual({"#123456789", "(unknown)", "aten::linear"}, names)
        self.assertNotIn("aten::mm", names)

    def test_devices_are_kept_apart(self):
        path = self.make("UPDATE OP_MEMORY SET deviceId = NULL WHERE allocationTime = 1700000000001300000; INSERT INTO RANK_DEVICE_MAP VALUES (-1, 1);"
                         "INSERT INTO MEMORY_RECORD SELECT component, timestamp, totalAllocated, totalReserved, totalActive, streamPtr, 1 FROM MEMORY_RECORD;")
        devices = {device["device"]: device for device in self.info_and_entries(path)[0]["devices"]}
        self.assertEqual(sorted(number for number in devices if number >= 0), [0, 1])
        self.assertEqual((devices[0]["rank"], devices[1]["rank"]), ("3", "?"))
        lone = [number for number, device in devices.items() if device["allocations"] == 1]
        self.assertEqual(len(lone), 1)
        self.assertLess(lone[0], 0)
        self.assertEqual([row[2] for row in self.blocks(path) if row[0] == lone[0]], [5 << 20])

    def test_another_program_is_writing(self):
        path = self.make()
        expected = self.blocks(path)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("PRAGMA cache_size = 1")
            writer.execute("BEGIN EXCLUSIVE")
            writer.execute("DELETE FROM OP_MEMORY")
            self.assertEqual(self.blocks(path), expected, "what is not committed is not there")
            writer.execute("ROLLBACK")
        self.assertEqual(self.blocks(path), expected)

    def test_what_is_no_database(self):
        data = self.make().read_bytes()
        head = b"SQLite format 3\0"
        cases = {"head.db": head, "zeros.db": head + bytes(4096), "noise.db": head + bytes((7 * i) % 251 for i in range(8192)),
                 "page.db": data[:100] + bytes(len(data) - 100)}
        for name, content in cases.items():
            with self.subTest(name=name):
                self.refuse("info", self.write(name, content), mentions=[name])


if __name__ == "__main__":
    main()
