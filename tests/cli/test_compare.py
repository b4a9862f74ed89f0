"""`snapviewer compare` and `tree`, compared with the reference analyses."""
import collections
import itertools
import json
import pickle

from harness import ROOT, SAMPLE, WRONG_USAGE, CommandLine, main, snapshots

reference = snapshots.oracle("reference_analysis")
ASCEND = (ROOT / "tests" / "databases" / "ascend.sql").read_text(encoding="utf-8")


class AgainstReference(CommandLine):
    def setUp(self):
        super().setUp()
        snapshots.make("gen_planted.py", self.folder, "compare-a", "compare-b")
        self.a, self.b = self.folder / "compare-a.pickle", self.folder / "compare-b.pickle"

    def assert_same_json(self, ours, theirs):
        theirs = json.loads(json.dumps(theirs, default=str))
        different = [key for key in sorted({*ours, *theirs}) if ours.get(key) != theirs.get(key)]
        self.assertTrue(not different, "; ".join(f"{key}: {str(ours.get(key))[:300]} is not {str(theirs.get(key))[:300]}"
                                                 for key in different))

    def default_device(self, path):
        trace = reference.Trace(path)
        return trace.devices[trace.default_device()]


def planted_at_peak(machine):
    """Returns the bytes at the peak by the purpose that the generator recorded."""
    purposes, live, total, peak, at_peak = dict(machine.truth), {}, 0, 0, {}
    for event, entry in enumerate(machine.trace):
        if entry["action"] == "alloc":
            live[entry["addr"]] = (purposes.get(event), entry["size"])
            total += entry["size"]
        elif entry["action"] == "free_completed":
            total -= live.pop(entry["addr"])[1]
        if total > peak:
            peak, at_peak = total, collections.Counter()
            for purpose, size in live.values():
                at_peak[purpose] += size
    return at_peak


class Compare(AgainstReference):
    def test_every_way_to_compare(self):
        a, b = self.default_device(self.a), self.default_device(self.b)
        for by, basis in itertools.product(["stack", "function", "python", "source"], ["all", "recorded", "alone"]):
            with self.subTest(by=by, basis=basis):
                ours = json.loads(self.succeed("compare", self.a, self.b, "--json", "--by", by, "--basis", basis))
                self.assertEqual(ours.pop("limits"), [])
                self.assert_same_json(ours, reference.analyse_compare(a, b, by, basis))
                self.assertEqual(ours["delta"], ours["peak_b"] - ours["peak_a"])
                self.assertEqual(sum(group["delta"] for group in ours["groups"].values()), ours["delta"])

    def kinds_at_peak(self, path):
        device = json.loads(self.succeed("report", path, "--json"))["devices"][0]
        return {kind: each for kind, each in device["kinds"]["at_peak"].items() if each["count"]}

    def test_by_kind_it_has_the_totals_of_both_reports(self):
        ours = json.loads(self.succeed("compare", self.a, self.b, "--json", "--by", "kind"))
        of_a, of_b = self.kinds_at_peak(self.a), self.kinds_at_peak(self.b)
        rows = [row for box in ("only_a", "both", "only_b") for row in ours["rows"][box]]
        self.assertEqual({row["key"]: {"bytes": row["bytes_a"], "count": row["count_a"]} for row in rows if row["count_a"]}, of_a)
        self.assertEqual({row["key"]: {"bytes": row["bytes_b"], "count": row["count_b"]} for row in rows if row["count_b"]}, of_b)
        self.assertEqual({row["key"] for row in ours["rows"]["both"]}, set(of_a) & set(of_b))
        self.assertEqual(sum(row["delta"] for row in rows), ours["delta"])
        self.assertEqual(ours["delta"], ours["peak_b"] - ours["peak_a"])
        for row in rows:
            self.assertEqual(row["source"], row["key"])

    def test_by_kind_it_has_what_was_planted(self):
        """Compares with the memory that the planted program allocated for each purpose, counted at the peak in plain Python."""
        planted = snapshots.oracle("gen_planted")
        ours = json.loads(self.succeed("compare", self.a, self.b, "--json", "--by", "kind", "--basis", "recorded"))
        told = {row["key"]: (row["bytes_a"], row["bytes_b"]) for box in ours["rows"].values() for row in box}
        of_a, of_b = (planted_at_peak(planted.SCENES[name]()[0]) for name in ("compare-a", "compare-b"))
        untold = {"input", None}  # batches and allocations without a purpose: no stack shows what they are for
        for kind in (set(of_a) | set(of_b)) - untold:
            self.assertEqual(told.pop(kind), (of_a[kind], of_b[kind]), kind)
        self.assertEqual(told, {"unknown": tuple(sum(of[kind] for kind in untold) for of in (of_a, of_b))})
        self.assertGreater(of_b["activation"], of_a["activation"])

    def test_two_files_in_one_connection(self):
        """The comparison's rows equal those of a SQL query over both files."""
        ours = json.loads(self.succeed("compare", self.a, self.b, "--json"))
        held = """SELECT '{0}' AS file, s.key, x.size FROM {0}.devices d JOIN {0}.allocations x ON x.device = d.device
                  JOIN {0}.stacks s ON s.id = x.stack_id WHERE x.alloc_step <= d.peak_step AND (x.free_step IS NULL OR x.free_step > d.peak_step)"""
        rows = self.ask_both(f"""SELECT key, ifnull(sum(size) FILTER (WHERE file = 'a'), 0) AS bytes_a, count(*) FILTER (WHERE file = 'a') AS count_a,
                                 ifnull(sum(size) FILTER (WHERE file = 'b'), 0) AS bytes_b, count(*) FILTER (WHERE file = 'b') AS count_b
                                 FROM ({held.format("a")} UNION ALL {held.format("b")}) GROUP BY key""")
        compared = [{key: row[key] for key in ("key", "bytes_a", "count_a", "bytes_b", "count_b")} for box in ours["rows"].values() for row in box]
        self.assertEqual(sorted(rows, key=lambda row: row["key"]), sorted(compared, key=lambda row: row["key"]))

    def test_each_side_of_the_connection_is_its_file(self):
        for table in ("allocations", "events", "stacks", "segments", "findings", "steps", "layout(17)", "call_tree(500, 'all')"):
            columns = "*" if table != "findings" else "code, bytes"
            alone = [json.loads(self.succeed("query", path, f"SELECT {columns} FROM {table}", "--format", "json")) for path in (self.a, self.b)]
            with self.subTest(table=table):
                self.assertTrue(alone[0])
                for prefix, rows in ("", alone[0]), ("a.", alone[0]), ("b.", alone[1]):
                    self.assertEqual(self.ask_both(f"SELECT {columns} FROM {prefix}{table}"), rows, prefix)

    def test_the_connection_is_as_closed_as_any(self):
        for sql in ("CREATE TABLE a.t(x)", "DELETE FROM b.allocations", "ATTACH ':memory:' AS c", "DETACH b", "DROP TABLE b.stacks", "PRAGMA b.user_version = 3"):
            self.refuse("query", self.a, "--compare", self.b, sql, mentions=["read-only"])
        self.refuse("query", self.a, "--compare", self.b, "SELECT 1 FROM c.allocations", mentions=["no such table"])
        self.refuse("query", self.a, "SELECT 1 FROM b.allocations", mentions=["no such table"])
        self.refuse("query", self.a, "--compare", "nowhere.pickle", "SELECT 1", mentions=["nowhere.pickle"])
        self.refuse("query", self.a, "--compare", self.b, "--device2", 9, "SELECT 1", mentions=["has no device 9"])
        self.refuse("query", self.a, "--compare", self.b, "--time-limit", 1, "--format", "csv",
                    "SELECT count(*) FROM a.events x, b.events y, a.events z, b.events w", mentions=["took longer than 1 s"])

    def ask_both(self, sql):
        return json.loads(self.succeed("query", self.a, "--compare", self.b, "--format", "json", sql))

    def write_padded(self):
        """Writes a snapshot of torch_npu's allocator: a request of 512 bytes takes 1,024, because 32 are added before rounding."""
        blocks = [{"size": 1024, "requested_size": 512, "state": "active_allocated", "frames": []} for _ in range(4)]
        blocks.append({"size": (2 << 20) - 4096, "requested_size": 0, "state": "inactive", "frames": []})
        segment = {"device": 0, "address": 1 << 30, "total_size": 2 << 20, "allocated_size": 4096, "active_size": 4096, "stream": 0,
                   "segment_type": "small", "blocks": blocks}
        trace = [{"action": "alloc", "addr": (1 << 30) + 1024 * i, "size": 512, "stream": 0, "frames": []} for i in range(4)]
        return self.write("padded.pickle", pickle.dumps({"segments": [segment], "device_traces": [trace]}))

    def test_how_far_the_comparison_goes_is_said(self):
        wrapped = self.folder / "wrapped.pickle"
        snapshots.make("gen_planted.py", self.folder, "kinds", "kinds-wrapped")
        (self.folder / "kinds-wrapped.pickle").rename(wrapped)
        whole, padded = self.folder / "kinds.pickle", self.write_padded()

        def limits(a, b):
            told = json.loads(self.succeed("compare", a, b, "--json"))["limits"]
            text = self.succeed("compare", a, b)
            for limit in told:
                self.assertIn(f"note: {limit}\n", text)
            return " ".join(told)
        self.assertIn("A's adds 32 B to every request", limits(padded, whole))
        self.assertIn("B's adds 32 B to every request", limits(whole, padded))
        self.assertIn("In B, ", limits(whole, wrapped))
        self.assertIn("In A, ", limits(wrapped, whole))
        self.assertNotIn("In A, ", limits(whole, wrapped))
        self.assertEqual(limits(whole, whole), "")
        database = self.write_database("ascend.db", ASCEND)
        self.assertIn("They count different things as memory", limits(database, padded))

    def write_run(self, name, way_through_cpp, size):
        """Writes twelve allocations by four lines. Runs with different precisions differ in the C++ frames between a line
        and the allocator."""
        python = [{"filename": "/job/train.py", "line": 9, "name": "main"}]
        trace = [{"action": "alloc", "addr": (1 << 30) + 2 * size * i, "size": size, "stream": 0,
                  "frames": [{"filename": "??", "line": 0, "name": each} for each in way_through_cpp] +
                            [{"filename": "/job/model.py", "line": 20 + i % 4, "name": "forward"}] + python} for i in range(12)]
        return self.write(name, pickle.dumps({"segments": [], "device_traces": [trace]}))

    def test_two_precisions_are_matched_by_source(self):
        full = self.write_run("full.pickle", ["at::native::empty_cuda", "at::_ops::mm::call"], 4 << 20)
        half = self.write_run("half.pickle", ["at::native::empty_cuda", "at::native::to", "at::autocast::WrapFunction_", "at::_ops::mm::call"], 2 << 20)
        for by, is_hinted in [("stack", True), ("function", True), ("python", False), ("source", False)]:
            with self.subTest(by):
                found = json.loads(self.succeed("compare", full, half, "--by", by, "--json"))
                hints = [limit for limit in found["limits"] if "--by source" in limit]
                self.assertEqual((len(hints), found["groups"]["both"]["rows"]), (1, 0) if is_hinted else (0, 4), found["limits"])
        self.assertEqual(json.loads(self.succeed("compare", full, full, "--json"))["limits"], [])

    def test_lines_that_moved_are_said_where_lines_tell_rows_apart(self):
        """lines-b is lines-a with inserted lines: all of the 144 MiB comes from the same code at other lines."""
        snapshots.make("gen_planted.py", self.folder, "lines-a", "lines-b")
        for by, is_said in [("source", True), ("stack", True), ("python", True), ("function", False), ("kind", False)]:
            with self.subTest(by):
                found = json.loads(self.succeed("compare", self.folder / "lines-a.pickle", self.folder / "lines-b.pickle", "--by", by, "--json"))
                moved = [limit for limit in found["limits"] if limit.startswith("144.0 MiB of what only one file holds is the same code")]
                self.assertEqual(len(moved), is_said, found["limits"])

    def test_text_names_the_difference(self):
        ours = json.loads(self.succeed("compare", self.a, self.b, "--json"))
        text = self.succeed("compare", self.a, self.b)
        self.assertIn(f"A: {self.a}", text)
        self.assertIn(ours["rows"]["only_b"][0]["source"] if ours["rows"]["only_b"] else ours["rows"]["both"][0]["source"], text)

    def test_what_cannot_be_compared(self):
        self.refuse("compare", self.a, status=WRONG_USAGE)
        self.refuse("compare", self.a, self.b, "--by", "colour", status=WRONG_USAGE)
        self.refuse("compare", self.a, "nowhere.pickle", mentions=["nowhere.pickle"])
        self.refuse("compare", self.a, self.b, "--device2", 9, mentions=["has no device 9"])


class Tree(AgainstReference):
    def test_trees_of_moments(self):
        for path in self.a, SAMPLE:
            device = self.default_device(path)
            for event, mode in itertools.product([None, -1, 0, 40, len(device.events) - 1], ["all", "filtered", "python", "own"]):
                with self.subTest(path=path.name, event=event, mode=mode):
                    moment = [] if event is None else ["--event", event]
                    tree = reference.analyse_tree(device, event, mode)
                    ours = json.loads(self.succeed("tree", path, "--json", "--frames", mode, *moment))
                    self.assertEqual((ours["bytes"], ours["count"], ours["nodes"]),
                                     tuple(json.loads(json.dumps([tree["bytes"], tree["count"], tree["nodes"]]))))
                    folded = self.succeed("tree", path, "--folded", "--frames", mode, *moment).splitlines()
                    self.assertEqual(folded, [f"{stack} {size}" for stack, size in tree["folded"]])

    def test_trees_of_ranges(self):
        device = self.default_device(self.a)
        last = len(device.events) - 1
        for since, event in ((-1, last), (10, 60), (last // 3, last)):
            made = [a for a in device.allocations if a.alloc is not None and since < a.alloc <= event]
            left = [a for a in made if a.free is None or a.free > event]
            for options, counted in ((["--with-freed"], made), ([], left)):
                with self.subTest(since=since, event=event, options=options):
                    ours = json.loads(self.succeed("tree", self.a, "--json", "--since", since, "--event", event, *options))
                    self.assertEqual((ours["bytes"], ours["count"]), (sum(a.size for a in counted), len(counted)))
        self.refuse("tree", self.a, "--since", 60, "--event", 10, mentions=["--since"])

    def test_two_moments_that_are_none(self):
        for call, words in (("(1)", "two events"), ("('a', 2)", "two events"), ("(1, 99999999)", "99999999")):
            self.refuse("query", self.a, f"SELECT * FROM changes_between{call}", mentions=[words])

    def test_the_interpreter_and_launchers_are_left_out_unless_asked_for(self):
        names = ["cudaMalloc", "forward", "PyMethod_New", "main", "_run_code", "_run_module_as_main", "Py_RunMain", "__libc_start_main", "_start"]
        files = {"forward": "/job/model.py", "main": "/job/train.py", "_run_code": "<frozen runpy>", "_run_module_as_main": "<frozen runpy>"}
        frames = [{"filename": files.get(name, "??"), "line": 1, "name": name} for name in names]
        trace = [{"action": "alloc", "addr": 1 << 30, "size": 512, "stream": 0, "frames": frames}]
        path = self.write("launched.pickle", pickle.dumps({"segments": [], "device_traces": [trace]}))
        self.assertEqual(self.succeed("tree", path, "--folded"), "/job/train.py:1:main;/job/model.py:1:forward 512\n")
        whole = self.succeed("tree", path, "--folded", "--frames", "all")
        self.assertEqual([part.rsplit(":", 1)[1].split(" ")[0] for part in whole.split(";")], names[::-1])

    def test_names_of_several_lines_are_one_line_of_folded_stacks(self):
        frames = [{"filename": "/job/a.py", "line": 1, "name": "first\nsecond 7"}]
        trace = [{"action": "alloc", "addr": 1 << 30, "size": 512, "stream": 0, "frames": frames}]
        path = self.write("lines.pickle", pickle.dumps({"segments": [], "device_traces": [trace]}))
        for mode in ("all", "filtered", "python", "own"):
            self.assertEqual(self.succeed("tree", path, "--folded", "--frames", mode), "/job/a.py:1:first\\nsecond 7 512\n")

    def test_a_moment_that_is_not_there(self):
        last = len(self.default_device(self.a).events) - 1
        self.refuse("tree", self.a, "--event", last + 1, mentions=[last + 1, last])
        self.refuse("tree", self.a, "--event", -2, status=WRONG_USAGE)


if __name__ == "__main__":
    main()
