"""The commands `snapviewer report` and `layout`. tests/reference checks their numbers."""
import json
import pickle

from harness import WRONG_USAGE, CommandLine, main, snapshots


class Report(CommandLine):
    def planted(self, name):
        snapshots.make("gen_planted.py", self.folder, name)
        return self.folder / f"{name}.pickle"

    def test_text_says_why_memory_ran_out_first(self):
        text = self.succeed("report", self.planted("oom-pending"))
        self.assertIn("out of memory at event", text)
        self.assertIn("pending", text)
        self.assertIn("may still be in use on another stream", text)

    def test_json_names_its_version_and_every_device(self):
        snapshots.make_run("two-devices", self.folder / "two.pickle")
        report = json.loads(self.succeed("report", self.folder / "two.pickle", "--json"))
        self.assertEqual((report["version"], [d["device"] for d in report["devices"]]), (1, [0, 1]))
        one = json.loads(self.succeed("report", self.folder / "two.pickle", "--json", "--device", 1))
        self.assertEqual(one["devices"], report["devices"][1:])

    def test_what_the_device_has_can_be_said(self):
        path = self.planted("oom-outside")
        total = json.loads(self.succeed("report", path, "--json"))["devices"][0]["oom"]["verdicts"][0]
        could_have = total["reserved"] + total["device_free"]
        for size, wanted in [("80GiB", 80 << 30), ("81920M", 80 << 30), (str(80 << 30), 80 << 30)]:
            verdict = json.loads(self.succeed("report", path, "--json", "--device-total", size))["devices"][0]["oom"]["verdicts"][0]
            self.assertEqual((verdict["outside"], verdict["outside_basis"]), (wanted - could_have, "given"))
        for size in ["", "much", "-1", "80XB", "1e400"]:
            self.refuse("report", path, "--device-total", size, status=WRONG_USAGE)

    def test_a_run_that_went_on_is_told_so(self):
        path = self.planted("oom-recovered")
        device = json.loads(self.succeed("report", path, "--json"))["devices"][0]
        self.assertEqual([verdict["recovered"] for verdict in device["oom"]["verdicts"]], [True, True])
        self.assertEqual([f["severity"] for f in device["findings"] if f["code"].startswith("oom")], ["notice"] * 2)
        self.assertEqual(self.ask(path, "SELECT recovered FROM markers WHERE kind = 'oom'"), [(1,), (1,)])
        self.assertEqual([oom["recovered"] for oom in json.loads(self.succeed("info", path, "--json"))["oom"]], [True, True])
        self.assertEqual(self.succeed("info", path).count("the run went on"), 2)
        ended = self.planted("oom-and-cleanup")
        device = json.loads(self.succeed("report", ended, "--json"))["devices"][0]
        self.assertEqual([f["severity"] for f in device["findings"] if f["code"].startswith("oom")], ["error"])
        self.assertEqual(self.ask(ended, "SELECT recovered FROM markers WHERE kind = 'oom'"), [(0,)])

    def test_the_card_is_guessed_only_if_an_allocation_was_refused(self):
        guess = lambda name, *more: json.loads(self.succeed("report", self.planted(name), "--json", *more))["devices"][0]["oom"]["capacity"]["guess"]
        self.assertEqual(guess("card-full")["name"], "16 GB")
        self.assertIsNone(guess("card-not-refused"))
        self.assertIsNone(guess("card-full", "--device-total", "16GiB"))

    def test_layout_of_the_beginning_and_the_end(self):
        path = self.planted("oom-capacity")
        start = json.loads(self.succeed("layout", path, "--event", -1, "--json"))
        self.assertIsNone(start["event"])
        last = self.ask(path, "SELECT max(id) FROM events")[0][0]
        end = json.loads(self.succeed("layout", path, "--event", last, "--json"))
        # Uses the file's own list of segments and blocks.
        segments = self.ask(path, "SELECT address, size FROM segments ORDER BY address")
        self.assertEqual([(s["address"], s["size"]) for s in end["segments"]], segments)
        blocks = self.ask(path, "SELECT address, size FROM blocks WHERE state <> 'inactive' ORDER BY address")
        self.assertEqual([(b["address"], b["size"]) for s in end["segments"] for b in s["blocks"]], blocks)
        self.refuse("layout", path, "--event", last + 1, mentions=[last + 1, last])
        self.refuse("layout", path, "--event", -2, status=WRONG_USAGE)

    def test_one_thing_is_not_several(self):
        block = {"address": 1 << 30, "size": 2 << 20, "requested_size": 2 << 20, "state": "active_allocated", "frames": []}
        segment = {"device": 0, "address": 1 << 30, "total_size": 2 << 20, "allocated_size": 2 << 20, "active_size": 2 << 20, "stream": 0,
                   "segment_type": "large", "blocks": [block]}
        trace = [{"action": "alloc", "addr": 1 << 30, "size": 2 << 20, "stream": 0, "frames": []}]
        path = self.write("one.pickle", pickle.dumps({"segments": [segment], "device_traces": [trace]}))
        for command in (["info", path], ["report", path], ["tree", path], ["compare", path, path], ["replay", path, "--set", "max_split_size_mb=64"],
                        ["query", path, "SELECT 1 UNION SELECT 2", "--limit", 1]):
            with self.subTest(command[0]):
                done = self.run_program(*command)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotRegex(done.stdout + done.stderr, r"(?<![\d,.])1 (events|allocations|segments|rows|requests|steps|stacks|blocks|times)\b")

    def rows(self, path, sql):
        return json.loads(self.succeed("query", path, sql, "--format", "json", "--limit", 0))

    def test_the_query_of_each_finding_gives_the_table_behind_its_sentence(self):
        snapshots.make("gen_planted.py", self.folder, "kinds", "kinds-wrapped", "standing", "oom-capacity", "oom-pending", "two-devices")
        seen = set()
        for path in sorted(self.folder.glob("*.pickle")):
            for device in json.loads(self.succeed("report", path, "--json"))["devices"]:
                for finding in device["findings"]:
                    with self.subTest(file=path.name, device=device["device"], code=finding["code"]):
                        rows = self.rows(path, finding["sql"])
                        self.assertEqual(sum(row["bytes"] for row in rows), finding["bytes"])
                        seen.add(self.check_table(finding, device, rows))
        self.assertGreaterEqual(seen, {"peak_holders", "kinds", "churn", "oom"})

    def check_table(self, finding, device, rows):
        """Checks rows against the JSON of the same report."""
        code = finding["code"]
        if code == "peak_holders":
            of_lines = {row["source"]: row["bytes"] for row in rows}
            self.assertEqual(finding["bytes"], device["peak_bytes"])
            self.assertEqual(of_lines.pop("(no stack)", 0), finding["no_stack"])
            for line in finding["lines"]:
                self.assertEqual(of_lines[line["source"]], line["bytes"])
        elif code == "kinds":
            self.assertEqual(finding["bytes"], device["peak_bytes"])
            self.assertEqual({row["kind"]: (row["bytes"], row["count"]) for row in rows},
                             {kind: (each["bytes"], each["count"]) for kind, each in device["kinds"]["at_peak"].items() if each["count"]})
        elif code == "churn":
            churn = {row["stack_key"]: (row["bytes"], row["count"], row["source"]) for row in device["growth"]["churn"]["by_stack"]}
            listed = {row["stack_key"] or "0" * 16: (row["bytes"], row["count"], row["source"]) for row in rows}
            self.assertEqual({key: listed[key] for key in churn}, churn)
        elif code.startswith("oom_"):
            verdict, = (each for each in device["oom"]["verdicts"] if each["event"] == finding["event"])
            self.assertEqual([{key: row[key] for key in ("bytes", "device_free", "reserved", "cause", "sentence", "hint")} for row in rows],
                             [{"bytes": verdict["demand"], **{key: verdict[key] for key in ("device_free", "reserved", "cause", "sentence", "hint")}}])
            return "oom"
        return code

    def test_an_event_has_one_number_in_every_answer(self):
        path = self.folder / "two.pickle"
        snapshots.make_run("two-devices", path)
        for device in json.loads(self.succeed("report", path, "--json"))["devices"]:
            with self.subTest(device=device["device"]):
                number, of_device = device["peak_event"], ["--device", device["device"]]
                self.assertEqual(self.ask(path, f"SELECT device FROM events WHERE id = {number}"), [(device["device"],)])
                layout = json.loads(self.succeed("layout", path, "--event", number, *of_device))
                self.assertEqual((layout["event"], sum(b["requested"] for s in layout["segments"] for b in s["blocks"])), (number, device["peak_bytes"]))
                self.assertEqual(json.loads(self.succeed("tree", path, "--event", number, "--json", *of_device))["bytes"], device["peak_bytes"])
                self.assertEqual(self.ask(path, f"SELECT sum(requested) FROM layout({number})"), [(device["peak_bytes"],)])
                replayed = json.loads(self.succeed("replay", path, "--set", "max_split_size_mb=64", "--json", *of_device))["what_if"]["carried"]["peak_event"]
                self.assertEqual(self.ask(path, f"SELECT device FROM events WHERE id = {replayed}"), [(device["device"],)])

    def test_an_event_of_another_device_is_refused_with_that_device(self):
        path = self.folder / "two.pickle"
        snapshots.make_run("two-devices", path)
        (first, last), = self.ask(path, "SELECT min(id), max(id) FROM events WHERE device = 1")
        for command in (["layout"], ["tree"], ["tree", "--since", 0]):
            self.refuse(*command[:1], path, *command[1:], "--event", first, "--device", 0, mentions=["--device 1", first])
            self.refuse(*command[:1], path, *command[1:], "--event", first - 1, "--device", 1, mentions=["--device 0", first - 1])
            self.refuse(*command[:1], path, *command[1:], "--event", last + 1, "--device", 1, mentions=[last + 1, first, last])

    def test_sql_asks_for_a_moment(self):
        path = self.planted("oom-capacity")
        last = self.ask(path, "SELECT max(id) FROM events")[0][0]
        held = self.ask(path, f"SELECT sum(size) FROM layout({last}) WHERE state <> 'hole'")
        self.assertEqual(held, self.ask(path, "SELECT sum(size) FROM blocks WHERE state <> 'inactive'"))
        # The sizes of blocks and holes add up to those of the segments.
        self.assertEqual(self.ask(path, f"SELECT sum(size) FROM layout({last})"), self.ask(path, "SELECT sum(size) FROM segments"))
        two = self.ask(path, f"SELECT a.n, b.n FROM (SELECT count(*) AS n FROM layout(-1)) a, (SELECT count(*) AS n FROM layout({last})) b")
        self.assertEqual([(n,) for n in two[0]], self.ask(path, "SELECT count(*) FROM layout(-1)") + self.ask(path, f"SELECT count(*) FROM layout({last})"))
        self.refuse("query", path, "SELECT * FROM layout", mentions=["layout(17)"])
        self.refuse("query", path, "SELECT * FROM pins('x')", mentions=["pins(17)"])
        self.refuse("query", path, f"SELECT * FROM layout({last + 1})", mentions=[last + 1])

    def test_sql_tells_the_cause_of_each_oom(self):
        path = self.planted("oom-private-pool")
        self.assertEqual(self.ask(path, "SELECT cause, sentence LIKE '%private pools%', hint IS NOT NULL FROM markers WHERE kind = 'oom'"), [("private_pools", 1, 1)])
        self.assertEqual(self.ask(path, "SELECT count(*) FROM markers WHERE kind <> 'oom' AND cause IS NOT NULL"), [(0,)])
        self.assertEqual(self.ask(path, "SELECT count(*) FROM markers WHERE cause = 'private_pools' AND kind = 'oom'"), [(1,)])

    def test_a_request_that_waited_is_told_by_its_events(self):
        path = self.planted("oom-pending")
        rows = self.ask(path, "SELECT r.action, c.action, r.address = a.address FROM pending_frees p JOIN allocations a ON a.id = p.allocation_id "
                              "JOIN events r ON r.id = p.requested_event LEFT JOIN events c ON c.id = p.completed_event")
        self.assertGreater(len(rows), 0)
        for requested, completed, same in rows:
            self.assertEqual((requested, same), ("free_requested", 1))
            self.assertIn(completed, ("free_completed", None))


if __name__ == "__main__":
    main()
