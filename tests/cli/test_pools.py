"""Memory pools: bytes at the peak and idle, and the pool's origin, compared with a reference and with planted values."""
import json
import pickle

from harness import CommandLine, main, snapshots

gen_pools = snapshots.oracle("gen_pools")
reference = snapshots.oracle("reference_pools")

GiB = 1 << 30


class Pools(CommandLine):
    def report(self):
        return json.loads(self.succeed("report", "--json", self.folder / "pools.pickle"))["devices"][0]

    def test_12_gib_idle_in_a_graph_pool_are_told_exactly(self):
        planted = gen_pools.make(self.folder)
        report = self.report()
        pools = {pool["pool"]: pool for pool in report["pools"]}
        self.assertEqual(pools["(0, 1)"]["at_end"]["idle"], 12 * GiB)
        self.assertEqual(pools["(0, 1)"]["at_peak"]["idle"], 0)
        self.assertEqual(pools["(0, 1)"]["captured_by"], "capture_model@runner.py:7")
        self.assertEqual(pools["(0, 1)"]["made_by"], "decode@model.py:20")
        finding, = [f for f in report["findings"] if f["code"] == "private_pool_idle"]
        idle = sum(sums["reserved"] - sums["used"] for pool, sums in planted["at_end"].items() if pool != "(0, 0)")
        self.assertEqual(finding["bytes"], idle)
        self.assertEqual(self.ask(self.folder / "pools.pickle", finding["sql"])[0][0], idle)
        for words in ("(0, 1)", "12.0 GiB", "capture_model@runner.py:7"):
            self.assertIn(words, finding["sentence"])

    def test_every_pool_is_what_the_reference_and_the_books_say(self):
        for seed in range(12):
            planted = gen_pools.make(self.folder, seed, idle=seed * 300 << 20, told_by=["events", "segments"][seed % 2])
            theirs = reference.pools(pickle.loads((self.folder / "pools.pickle").read_bytes()))
            ours = self.report()["pools"]
            self.assertEqual([{key: pool[key] for key in row} for pool, row in zip(ours, theirs)], theirs, seed)
            self.assertEqual(len(ours), len(theirs))
            for when in ("at_peak", "at_end"):
                books = {pool: sums for pool, sums in planted[when].items()}
                self.assertEqual({p["pool"]: {key: p[when][key] for key in ("reserved", "used")} for p in ours if p[when]["reserved"]}, books, (seed, when))
            rows = self.ask(self.folder / "pools.pickle", "SELECT pool, is_private, reserved_at_peak, used_at_peak, idle_at_peak, reserved_at_end, used_at_end, "
                                                          "idle_at_end, made_event, captured_by FROM pool_use")
            self.assertEqual(rows, [(p["pool"], int(p["private"]), *p["at_peak"].values(), *p["at_end"].values(), p["made_event"], p["captured_by"]) for p in theirs])

    def test_without_private_pools_nothing_is_said(self):
        snapshots.make("gen_planted.py", self.folder, "oom-capacity")
        report = json.loads(self.succeed("report", "--json", self.folder / "oom-capacity.pickle"))["devices"][0]
        self.assertNotIn("pools", report)
        self.assertNotIn("memory pool", self.succeed("report", self.folder / "oom-capacity.pickle"))

    def test_text_names_pools_and_who_captured(self):
        gen_pools.make(self.folder)
        text = self.succeed("report", self.folder / "pools.pickle")
        self.assertIn("captured by capture_model@runner.py:7", text)
        self.assertIn("12.0 GiB", text)


if __name__ == "__main__":
    main()
