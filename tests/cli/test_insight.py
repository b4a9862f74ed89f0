"""MindStudio Insight's database of a snapshot shows the same as the snapshot, and malformed ones are survived."""
import contextlib
import json
import pickle
import sqlite3

from harness import ROOT, SAMPLE, CommandLine, main, snapshots

SCRIPT = (ROOT / "tests" / "databases" / "insight.sql").read_text(encoding="utf-8")
MIB = 1 << 20
ALLOCATIONS = "SELECT a.device, a.address, a.size, a.stream, a.origin, a.alloc_step, a.free_step, a.state, a.alloc_event, a.free_event, " \
              "CASE WHEN a.origin <> 'standing' THEN s.text END AS stack FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id ORDER BY a.id"
EVENTS = "SELECT e.id, e.device, e.action, e.address, e.size, e.stream, s.text FROM events e LEFT JOIN stacks s ON s.id = e.stack_id ORDER BY e.id"
SEGMENTS = "SELECT device, address, size, allocated, active, requested, stream, is_expandable FROM segments ORDER BY device, address"
BLOCKS = "SELECT device, address, size, requested, state FROM blocks ORDER BY device, address"
TOTALS = "SELECT device, step, allocated, reserved FROM totals"
SAME = (ALLOCATIONS, EVENTS, SEGMENTS, BLOCKS, TOTALS)
REBUILD = "CREATE TABLE odd AS SELECT {} FROM {name} {order}; DROP TABLE {name}; ALTER TABLE odd RENAME TO {name};"


class InsightDatabases(CommandLine):
    def convert(self, snapshot):
        path = self.folder / (snapshot.name + ".db")
        snapshots.make("make_insight_db.py", snapshot, path)
        return path

    def make(self, change="", name="a.pkl.db", script=SCRIPT):
        return self.write_database(name, script + change)

    def test_shows_what_the_snapshot_shows(self):
        for snapshot in snapshots.generated(self.folder):
            if not any(snapshots.oracle("reference_timeline").load(snapshot)["device_traces"]):
                continue        # the database has tables only for devices with events
            with self.subTest(snapshot=snapshot.name):
                path = self.convert(snapshot)
                for sql in SAME:
                    self.assertEqual(self.ask(path, sql), self.ask(snapshot, sql), sql)
                info, expected = self.info_and_entries(path)[0], self.info_and_entries(snapshot)[0]
                self.assertEqual((info["kind"], info["container"]), ("insight_snapshot", ""))
                for device in info["devices"] + expected["devices"]:
                    del device["stacks"]        # the database lacks the stacks of blocks from before the recording
                    del device["recording"]     # the times in the database are not those of the events
                self.assertEqual(info["devices"], expected["devices"])
                self.assertEqual([[oom[key] for key in ("device", "event", "step", "demand_bytes")] for oom in info["oom"]],
                                 [[oom[key] for key in ("device", "event", "step", "demand_bytes")] for oom in expected["oom"]])

    def test_recorded_totals_are_ours(self):
        """The recorded reserved bytes after each event equal those computed from the segments."""
        snapshots.make_run("training", self.folder / "training.pickle")
        path = self.convert(self.folder / "training.pickle")
        with contextlib.closing(sqlite3.connect(path)) as database:
            recorded = database.execute("SELECT reserved FROM trace_entry_0 WHERE id >= 0 AND action IN (4, 6) ORDER BY id").fetchall()
        self.assertGreater(len(set(recorded)), 5)
        self.assertEqual(self.ask(path, "SELECT reserved FROM totals WHERE device = 0")[-1 - len(recorded):-1], recorded)

    def test_a_case_by_hand(self):
        path = self.make()
        forward, grow = "model.py:20:forward\ntrain.py:10:main", "C:\\model files\\m.py:21:grow(int, int)\ntrain.py:10:main"
        self.assertEqual(self.ask(path, "SELECT a.address, a.size, a.stream, a.origin, a.alloc_step, a.free_step, s.text FROM allocations a "
                                        "LEFT JOIN stacks s ON s.id = a.stack_id ORDER BY a.id"),
                         [(0x10000000, 3 * MIB - 100, 0, "standing", 0, None, None), (0x10400000, 4 * MIB, 0, "alloc", 0, 3, forward),
                          (0x20000000, 5 * MIB, 3, "alloc", 1, None, grow), (0x10400000, 2 * MIB, 0, "alloc", 6, None, None)])
        self.assertEqual(self.ask(path, SEGMENTS), [(0, 0x10000000, 20 * MIB, 5 * MIB, 5 * MIB, 5 * MIB - 100, 0, 0),
                                                    (0, 0x20000000, 8 * MIB, 5 * MIB, 5 * MIB, 5 * MIB, 3, 0)])
        self.assertEqual(self.ask(path, "SELECT address, size, state FROM blocks ORDER BY id"),
                         [(0x10000000, 3 * MIB, "active_allocated"), (0x10300000, 1 * MIB, "inactive"), (0x10400000, 2 * MIB, "active_allocated"),
                          (0x10600000, 14 * MIB, "inactive"), (0x20000000, 5 * MIB, "active_allocated"), (0x20500000, 3 * MIB, "inactive")])
        self.assertEqual(self.ask(path, "SELECT count(*) FROM trace_entry_0 WHERE id < 0"), [(1,)], "its own tables answer, too")

    def check_same(self, change, codes=(), queries=SAME):
        expected, same = self.make(name="even.db"), self.make(change)
        for sql in queries:
            self.assertEqual(self.ask(same, sql), self.ask(expected, sql), sql)
        self.assertEqual(set(self.info_and_entries(same)[1]), {*self.info_and_entries(expected)[1], *codes})

    def test_numbers_as_texts_in_any_order(self):
        columns = ("CAST(id AS TEXT) AS id, CAST(action AS TEXT) AS action, CAST(address AS TEXT) AS address, CAST(size AS REAL) AS size, "
                   "CAST(stream AS TEXT) AS stream, callstack")
        self.check_same(REBUILD.format(columns, name="trace_entry_0", order="ORDER BY id DESC") +
                        REBUILD.format("CAST(address AS TEXT) AS address, CAST(size AS TEXT) AS size, CAST(requestedSize AS REAL) AS requestedSize, "
                                       "CAST(state AS TEXT) AS state, CAST(allocEventId AS TEXT) AS allocEventId, CAST(freeEventId AS TEXT) AS freeEventId",
                                       name="block_0", order="ORDER BY address DESC"))

    def test_other_spellings_views_and_more_than_expected(self):
        self.check_same(REBUILD.format("id AS ID, action AS Action, address AS addr, size, stream, callstack AS callStack", name="trace_entry_0", order="") +
                        REBUILD.format("address AS addr, size, requestedSize AS requested_size, state, allocEventId AS alloc_event_id, "
                                       "freeEventId AS free_event_id", name="block_0", order=""))
        self.check_same("ALTER TABLE trace_entry_0 RENAME TO hidden; CREATE VIEW TRACE_ENTRY_0 AS SELECT 1 AS first, * FROM hidden;"
                        "ALTER TABLE block_0 ADD extra TEXT; CREATE TABLE trace_entry_x (y); CREATE TABLE leaks (x);")

    def test_the_first_versions_had_no_number_in_the_names(self):
        self.check_same("ALTER TABLE trace_entry_0 RENAME TO trace_entry; ALTER TABLE block_0 RENAME TO block;")

    def test_actions_and_states_without_their_dictionary(self):
        self.check_same("DROP TABLE dictionary;", {"snapshot_table_missing:dictionary"})

    def test_a_dictionary_of_its_own(self):
        self.check_same("UPDATE dictionary SET key = key + 40 WHERE `column` = 'action'; UPDATE trace_entry_0 SET action = action + 40;")

    def test_actions_that_are_not_known(self):
        path = self.make("INSERT INTO trace_entry_0 VALUES (6, 77, 0, 0, 0, 0, 0, 0, ''), (7, 'oom', 0, 900, 0, 0, 0, 0, '');")
        self.assertEqual(self.ask(path, "SELECT id, action, size FROM events WHERE id > 5"), [(6, "77", 0), (7, "oom", 900)])
        info, codes = self.info_and_entries(path)
        self.assertEqual(codes["unknown_action"], 1)
        self.assertEqual([oom["demand_bytes"] for oom in info["oom"]], [900])

    def test_frees_without_an_allocation(self):
        path = self.make("INSERT INTO trace_entry_0 VALUES (6, 6, 0x10800000, 1000, 0, 0, 0, 0, 'a.py:1 f');")
        self.assertEqual(self.ask(path, "SELECT address, size, alloc_step FROM allocations WHERE origin = 'freed'"), [(0x10800000, 1000, 0)])
        self.assertIn("freed_before_seen", self.info_and_entries(path)[1])

    def test_missing_blocks_columns_and_tables(self):
        drawn = [0x10400000, 0x20000000, 0x10400000]
        for change, code in (("DROP TABLE block_0;", "snapshot_table_missing:block_0"),
                             ("ALTER TABLE block_0 DROP COLUMN freeEventId;", "snapshot_column_missing:block_0.freeEventId")):
            with self.subTest(change=change):
                path = self.make(change)
                self.assertEqual([row[0] for row in self.ask(path, "SELECT address FROM allocations ORDER BY id")], drawn)
                self.assertEqual(set(self.info_and_entries(path)[1]) - {"alloc_without_stack"}, {code})
        for column in ("stream", "callstack", "reserved", "id"):
            with self.subTest(column=column):
                path = self.make(REBUILD.format(", ".join({"id": "0 AS other", "stream": "id", "callstack": "id, stream", "reserved": "id"}[column].split(", ") +
                                                          ["action", "address", "size"]), name="trace_entry_0", order="WHERE id >= 0"))
                self.assertEqual(len(self.ask(path, "SELECT id FROM allocations WHERE origin = 'alloc'")), 3)
        for column in ("action", "address", "size"):
            with self.subTest(column=column):
                info, codes = self.info_and_entries(self.make(f"ALTER TABLE trace_entry_0 DROP COLUMN {column};"))
                self.assertEqual((info["devices"], set(codes)), ([], {f"snapshot_column_missing:trace_entry_0.{column}"}))

    def test_rows_that_cannot_be(self):
        path = self.make("INSERT INTO block_0 VALUES (-2, 0x99990000, 512, 512, 1, -1, -1), (-3, 0x10000200, 512, 512, 1, -1, -1);"
                         "INSERT INTO trace_entry_0 VALUES (6, 4, -1, -5, 0, 0, 0, 0, ''), (7, 2, -100, 1 << 62, 0, 0, 0, 0, ''), (8, NULL, NULL, NULL, NULL, 0, 0, 0, NULL);")
        codes = self.info_and_entries(path)[1]
        self.assertEqual((codes["block_outside_segments"], codes["negative_size"]), (2, 1))
        self.succeed("render", path, "--out", self.home / "x.png", "--size", "300x200")

    def test_a_file_cut_short(self):
        whole = self.convert(SAMPLE).read_bytes()
        for share in (0.1, 0.4, 0.7, 0.95):
            path = self.write("cut.db", whole[:int(len(whole) * share)])
            done = self.run_program("info", path, "--json")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode != 0:
                continue
            info = json.loads(done.stdout)
            self.assertIn("file_cut_short", [entry["code"] for entry in info["import_log"]])
            for device in info["devices"]:
                self.assertTrue(device["recording"]["peak_is_lower_bound"], share)
                self.assertEqual(self.ask(path, "SELECT count(*) FROM findings WHERE code = 'cached_idle'"), [(0,)], "idle only if nothing was lost")

    def test_expandable_segments(self):
        """Expandable segments that grow and shrink with pieces adjoining in every way."""
        def event(action, addr, size, stream=0):
            return {"action": action, "addr": addr, "size": size, "stream": stream, "frames": []}

        events = [event("segment_map", 100 * MIB, 2 * MIB), event("segment_map", 104 * MIB, 2 * MIB), event("segment_map", 102 * MIB, 2 * MIB),
                  event("alloc", 100 * MIB, MIB), event("segment_map", 106 * MIB, 2 * MIB, 7), event("segment_unmap", 102 * MIB, 2 * MIB),
                  event("segment_map", 98 * MIB, 2 * MIB), event("segment_unmap", 98 * MIB, MIB)]
        blocks = [[("inactive", MIB), ("active_allocated", MIB), ("inactive", MIB)], [("inactive", 2 * MIB)], [("inactive", 2 * MIB)]]
        segments = [{"device": 0, "address": address, "total_size": size, "allocated_size": 0, "active_size": 0, "stream": stream, "segment_type": "large",
                     "is_expandable": True, "frames": [], "blocks": [{"size": s, "requested_size": s, "state": state, "frames": []} for state, s in row]}
                    for address, size, stream, row in ((99 * MIB, 3 * MIB, 0, blocks[0]), (104 * MIB, 2 * MIB, 0, blocks[1]), (106 * MIB, 2 * MIB, 7, blocks[2]))]
        snapshot = self.write("a.pickle", pickle.dumps({"segments": segments, "device_traces": [events]}))
        path = self.convert(snapshot)
        self.assertEqual([row[1:3] for row in self.ask(path, SEGMENTS)], [(99 * MIB, 3 * MIB), (104 * MIB, 2 * MIB), (106 * MIB, 2 * MIB)])
        for sql in (TOTALS, BLOCKS, ALLOCATIONS):
            self.assertEqual(self.ask(path, sql), self.ask(snapshot, sql), sql)


if __name__ == "__main__":
    main()
