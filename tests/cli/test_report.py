"""`snapviewer report` and `layout` as a script or a person meets them. That their numbers are right is the business of tests/reference."""
import json

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

    def test_layout_of_the_beginning_and_the_end(self):
        path = self.planted("oom-capacity")
        start = json.loads(self.succeed("layout", path, "--event", -1, "--json"))
        self.assertIsNone(start["event"])
        last = self.ask(path, "SELECT max(id) FROM events")[0][0]
        end = json.loads(self.succeed("layout", path, "--event", last, "--json"))
        # The file's own list of segments and blocks.
        segments = self.ask(path, "SELECT address, size FROM segments ORDER BY address")
        self.assertEqual([(s["address"], s["size"]) for s in end["segments"]], segments)
        blocks = self.ask(path, "SELECT address, size FROM blocks WHERE state <> 'inactive' ORDER BY address")
        self.assertEqual([(b["address"], b["size"]) for s in end["segments"] for b in s["blocks"]], blocks)
        self.refuse("layout", path, "--event", last + 1, mentions=[last + 1, last])
        self.refuse("layout", path, "--event", -2, status=WRONG_USAGE)

    def test_sql_asks_for_a_moment(self):
        path = self.planted("oom-capacity")
        last = self.ask(path, "SELECT max(id) FROM events")[0][0]
        held = self.ask(path, f"SELECT sum(size) FROM layout({last}) WHERE state <> 'hole'")
        self.assertEqual(held, self.ask(path, "SELECT sum(size) FROM blocks WHERE state <> 'inactive'"))
        # Blocks and holes together are the segments.
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
