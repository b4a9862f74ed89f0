"""Ascend databases on the command line, compared with Python's sqlite3: generated ones, including malformed ones. The expected values
are computed here from the tables. Real ones are tested in test_shared.py."""
import json
import sqlite3

from harness import CommandLine, main, snapshots

NO_STRING = 4294967295


def connect(path):
    return sqlite3.connect(f"file:{path}?immutable=1", uri=True)


def names_of(con):
    names = {}
    for key, value in con.execute("SELECT id, value FROM STRING_IDS ORDER BY rowid"):
        names.setdefault(key, value)
    return names


def components(con):
    """Rule R2: the component of each row of OP_MEMORY, derived from the totals at its allocation."""
    found = {}
    for row, value in con.execute(
            "SELECT o.rowid, c.value FROM OP_MEMORY o LEFT JOIN (SELECT DISTINCT m.timestamp t, m.deviceId d, m.totalAllocated a, "
            "s.value FROM MEMORY_RECORD m JOIN STRING_IDS s ON s.id = m.component WHERE s.value <> 'PTA+GE') c "
            "ON c.t = o.allocationTime AND c.d = o.deviceId AND c.a = o.allocationTotalAllocated"):
        found[row] = value
    return found


def expected_blocks(con):
    """Rule R1, without the WORKSPACE rows that only record growth: (name, bytes, start, end or None, component), times in microseconds."""
    names, component = names_of(con), components(con)
    blocks = []
    for row, name, size, start, release, active in con.execute(
            "SELECT rowid, name, size, allocationTime, releaseTime, activeReleaseTime FROM OP_MEMORY"):
        end = next((t for t in (active, release) if t is not None and t > start), None)
        if component[row] == "WORKSPACE" and end is None:
            continue
        text = names.get(name, "(unknown)" if name == NO_STRING else f"#{name}")
        blocks.append((text, size, start // 1000, None if end is None else end // 1000, component[row]))
    return sorted(blocks, key=repr)


def expected_baseline(con):
    """Memory from before the profile: sizes of old blocks and the times at which they were freed, None for blocks that remain."""
    component = components(con)
    events = []
    for row, size, start, release, active in con.execute(
            "SELECT rowid, size, allocationTime, releaseTime, activeReleaseTime FROM OP_MEMORY"):
        if component[row] == "PTA":
            events.append((start, size))
            end = active if active is not None else release
            if end is not None:
                events.append((end, -size))
    events.sort()
    level, at, tracked, found = None, 0, 0, []
    for time, active in con.execute("SELECT m.timestamp, m.totalActive FROM MEMORY_RECORD m JOIN STRING_IDS s ON s.id = m.component "
                                    "WHERE s.value = 'PTA' ORDER BY m.timestamp, m.rowid"):
        while at < len(events) and events[at][0] <= time:
            tracked += events[at][1]
            at += 1
        beyond = active - tracked
        if level is not None and beyond < level:
            found.append((level - beyond, time // 1000))
        level = beyond
    return sorted(found + ([(level, None)] if level else []), key=repr)


class Profiles(CommandLine):
    """Checks that work for any Ascend file."""

    def state(self):
        return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in self.folder.iterdir()}

    def check_blocks(self, path):
        con = connect(path)
        rows = self.ask_named(path, "SELECT s.text AS name, a.size, a.alloc_time_us, a.free_time_us, a.category, a.origin FROM allocations a "
                              "LEFT JOIN stacks s ON s.id = a.stack_id")
        drawn = [(r["name"], r["size"], r["alloc_time_us"], r["free_time_us"], r["category"]) for r in rows if r["origin"] == "alloc"]
        self.assertEqual(sorted(drawn, key=repr), expected_blocks(con))
        derived = sorted(((r["size"], r["free_time_us"]) for r in rows if r["origin"] == "derived"), key=repr)
        self.assertEqual(derived, expected_baseline(con))

    def check_details(self, path):
        """Checks that memory_details has every row of OP_MEMORY with its numbers."""
        con = connect(path)
        names = names_of(con)
        first = min(con.execute("SELECT min(allocationTime) FROM OP_MEMORY").fetchone()[0],
                    con.execute("SELECT min(timestamp) FROM MEMORY_RECORD").fetchone()[0])
        expected = sorted(((names.get(n), s / 1024, (t - first) / 1e6, None if r is None else (r - first) / 1e6,
                            None if v is None else v / 1048576, d)
                           for n, s, t, r, v, d in con.execute("SELECT name, size, allocationTime, releaseTime, "
                                                               "releaseTotalReserved, deviceId FROM OP_MEMORY")), key=repr)
        rows = self.ask_named(path, "SELECT name, size_kb, allocation_time_ms, release_time_ms, release_total_reserved_mb, device FROM memory_details")
        self.assertEqual(sorted((tuple(r.values()) for r in rows), key=repr), expected)

    def check_outline(self, path):
        """The highest drawn total equals the recorded one if only PTA is drawn; otherwise it includes GE's memory at that moment."""
        con = connect(path)
        info = json.loads(self.succeed("info", path, "--json"))
        self.assertEqual(info["kind"], "ascend_profiler")
        self.assertNotIn("totals_mismatch", str(info["import_log"]))
        highest = con.execute("SELECT max(totalActive) FROM MEMORY_RECORD").fetchone()[0]
        in_ge = con.execute("SELECT coalesce(max(totalAllocated), 0) FROM MEMORY_RECORD m JOIN STRING_IDS s ON s.id = m.component "
                            "WHERE s.value = 'GE'").fetchone()[0]
        peaks = [device["peak_bytes"] for device in info["devices"] if "part" not in device]
        self.assertEqual(len(peaks), 1)
        self.assertGreaterEqual(peaks[0], highest)
        self.assertLessEqual(peaks[0], highest + in_ge)


class Ascend(Profiles):
    def generate(self, *options):
        snapshots.make("make_profiler_dbs.py", "--out", self.folder, *options)

    def test_a_generated_file(self):
        self.generate("--kinds", "ascend", "--scale", "300")
        path = self.folder / "ascend_pytorch_profiler_0.db"
        self.check_blocks(path)
        self.check_details(path)
        self.check_outline(path)

    def test_odd_files(self):
        self.generate("--kinds", "edge")
        expected = {  # number of devices, codes that must be reported
            "ascend_bad_rows.db": (3, {"rows_not_drawn", "size_impossible", "duplicate_rows", "released_before_allocated",
                                       "release_without_allocation", "component_unknown", "range_without_length", "totals_mismatch:0"}),
            "ascend_curves_only.db": (2, {"no_blocks"}),
            "ascend_empty_tables.db": (1, {"no_blocks"}),
            "ascend_insight_touched.db": (2, set()),
            "ascend_msprof_only.db": (1, {"graph_engine_only"}),
            "ascend_no_memory.db": (1, {"no_blocks"}),
            "ascend_no_strings.db": (1, {"component_unknown"}),
            "ascend_old_2024.db": (2, set()),
            "ascend_strings_no_pk.db": (2, set()),
            "ascend_truncated.db": (1, {"file_cut_short"}),
            "ascend_two_devices.db": (4, {"before_profile:0", "before_profile:1"}),
            "ascend_wal_clean.db": (2, set()),
            "ascend_wal_hot.db": (2, {"read_from_copy"}),
        }
        before = self.state()
        self.assertEqual({name for name in before if name.startswith("ascend") and name.endswith(".db")}, set(expected))
        for name, (devices, codes) in expected.items():
            with self.subTest(name=name):
                info = json.loads(self.succeed("info", self.folder / name, "--json"))
                self.assertEqual(len(info["devices"]), devices)
                self.assertLessEqual(codes, {entry["code"] for entry in info["import_log"]})
                self.ask_named(self.folder / name, "SELECT count(*) AS n FROM allocs")
        self.assertEqual(self.state(), before, "a file or the folder changed")

        self.succeed("render", self.folder / "ascend_curves_only.db", "--out", self.home / "curves.png")
        same = [json.loads(self.succeed("info", self.folder / name, "--json"))["devices"] for name in
                ("ascend_wal_clean.db", "ascend_wal_hot.db", "ascend_old_2024.db", "ascend_strings_no_pk.db", "ascend_insight_touched.db")]
        for devices in same[1:]:
            self.assertEqual([d["peak_bytes"] for d in devices], [d["peak_bytes"] for d in same[0]])
        steps = self.ask_named(self.folder / "ascend_wal_hot.db", "SELECT count(*) AS n FROM STEP_TIME WHERE id >= 100")
        self.assertGreater(steps[0]["n"], 0, "what is in the -wal alone is missing")

    def test_a_database_of_another_program(self):
        path = self.folder / "shop.db"
        with sqlite3.connect(path) as con:
            con.execute("CREATE TABLE orders (id INTEGER, price REAL)")
            con.execute("INSERT INTO orders VALUES (1, 2.5)")
        con.close()
        info = json.loads(self.succeed("info", path, "--json"))
        self.assertEqual((info["kind"], info["devices"]), ("sqlite", []))
        self.assertEqual(self.ask_named(path, "SELECT price FROM orders"), [{"price": 2.5}])
        self.refuse("render", path, "--out", self.folder / "x.png", mentions=["only tables"])
        self.refuse("export", path, "--out", self.folder / "x.csv", mentions=["only tables"])


if __name__ == "__main__":
    main()
