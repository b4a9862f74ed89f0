"""Idle memory that is pinned by blocks, and the advice about it, compared with an allocator that is asked to release it."""
import json
import pickle

from harness import DONE, CommandLine, main, snapshots

BROKEN = 4
MIB = 1 << 20
allocators = snapshots.oracle("gen_allocator")
replays = snapshots.oracle("reference_allocator")
reference = snapshots.oracle("reference_analysis")
EXPANDABLE = {"expandable_segments": "true"}


def rows_and_columns(expandable=False, filler=0):
    """Holes of 5 MiB between blocks of 5 MiB, followed by blocks of 40 MiB, which fit into no hole under any setting."""
    a = allocators.Allocator(expandable)
    if filler:
        a.malloc(filler)
    rows = [a.malloc(5 * MIB) for _ in range(40)]
    for row in rows[1::2]:
        a.free(row)
    for _ in range(5):
        a.malloc(40 * MIB)
    return a


def two_sizes(expandable=False, odd_blocks=0):
    """A block of 12 MiB in a freed range of 100 MiB, so that 120 MiB need a new segment. Before that, blocks of 13 MiB, each with
    14 MiB reserved."""
    a = allocators.Allocator(expandable)
    for _ in range(odd_blocks):
        a.malloc(13 * MIB)
    a.free(a.malloc(100 * MIB))
    a.malloc(12 * MIB)
    a.malloc(120 * MIB)
    return a


def scattered():
    """Before the recording, one of five blocks of a segment remains; during the recording, all of the segment is used. Returns the index
    of the first event to keep."""
    a = allocators.Allocator()
    blocks = [a.malloc(4 * MIB) for _ in range(50)]
    for number, block in enumerate(blocks):
        if number % 5:
            a.free(block)
    before = len(a.trace)
    used = [a.malloc(16 * MIB) for _ in range(9)]
    for block in used:
        a.free(block)
    return a, before


class IdleMemory(CommandLine):
    def save(self, allocator, keep=None, **changes):
        path = self.folder / "scene.pickle"
        path.write_bytes(pickle.dumps({**allocator.snapshot(keep), **changes}, protocol=4))
        return path

    def device(self, path, *options):
        return json.loads(self.succeed("report", path, "--json", *options))["devices"][0]

    def finding(self, path, code="fragmentation"):
        return next((f for f in self.device(path)["findings"] if f["code"] == code), None)

    def replay(self, path, *options):
        return json.loads(self.succeed("replay", path, "--json", *options))

    def check(self, status, path, percent):
        done = self.run_program("check", path, "--max-fragmentation", f"{percent:.4f}%")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)

    def test_pinned_is_what_empty_cache_does_not_return(self):
        for expandable in (True, False):
            for seed in range(3):
                def program(steps):
                    runner = allocators.Program(allocators.Allocator(expandable), f"idle {seed}")
                    runner.waits = 0
                    runner.act(steps, grows=0.6)
                    return runner.a
                path = self.save(program(160))
                rows = {event: (reserved, idle, pinned) for event, reserved, idle, pinned in
                        self.ask(path, "SELECT event_id, reserved, idle, idle_pinned FROM holes")}
                most = 0
                for steps in range(1, 161, 7):
                    a = program(steps)
                    event, reserved, used = len(a.trace) - 1, a.reserved, sum(block.size for block in a.live.values())
                    a.empty_cache()
                    self.assertEqual(rows[event], (reserved, reserved - used, a.reserved - used), (expandable, seed, steps))
                    most = max(most, reserved - a.reserved)
                self.assertGreater(most, 0, "empty_cache() returned nothing in this scene")
                layout = reference.Layout(reference.Trace(path).devices[0])
                self.assertEqual(self.device(path)["holes"]["blocks"], reference.analyse_holes(layout.device)["blocks"])

    def test_pins_and_their_segments_count_the_same(self):
        a = allocators.Program(allocators.Allocator(True), "pins").a
        held = [a.malloc(size * MIB) for size in (30, 25, 8, 50, 3, 44)]
        for block in held[1::2]:
            a.free(block)
        path = self.save(a)
        end = self.device(path)["holes"]
        used = sum(block.size for block in a.live.values())
        without = {}
        for address in held[::2]:
            b = allocators.Program(allocators.Allocator(True), "pins").a
            again = [b.malloc(size * MIB) for size in (30, 25, 8, 50, 3, 44)]
            self.assertEqual(again, held)
            for block in [*held[1::2], address]:
                b.free(block)
            b.empty_cache()
            without[address] = b.reserved
        a.empty_cache()
        self.assertEqual(end["end"]["idle_pinned"], a.reserved - used)
        self.assertEqual(end["end"]["event"], end["at"]["event"])
        self.assertEqual(sum(segment["idle"] for segment in end["segments"]), a.reserved - used)
        pins = self.ask(path, f"SELECT address, released FROM pins({end['end']['event']})")
        self.assertEqual(dict(pins), {address: a.reserved - reserved for address, reserved in without.items()})

    def test_a_free_tail_is_cached_and_not_fragmented(self):
        a = allocators.Allocator(True)
        held = [a.malloc(20 * MIB) for _ in range(20)]
        hole = a.malloc(8 * MIB)
        held += [a.malloc(20 * MIB) for _ in range(20)]
        a.free(a.malloc(1500 * MIB))
        a.free(hole)
        before = len(a.trace)
        for _ in range(3):
            a.malloc(30 * MIB)
        reserved, used = a.reserved, sum(block.size for block in a.live.values())
        path = self.save(a, len(a.trace) - before)
        self.assertIsNone(self.finding(path))
        a.empty_cache()
        percent = 100 * (a.reserved - used) / reserved
        self.assertLess(percent, 2)
        self.assertGreater(reserved - used, 0.5 * reserved)
        self.check(DONE, path, percent + 0.01)
        self.check(BROKEN, path, percent - 0.01)

    def test_of_equally_full_moments_the_one_with_least_idle_memory_counts(self):
        a, before = scattered()
        path = self.save(a, len(a.trace) - before)
        rows = self.ask(path, "SELECT event_id, reserved, idle, idle_pinned FROM holes")
        self.assertEqual({row[1] for row in rows}, {200 * MIB})
        event, _, idle, pinned = min(rows, key=lambda row: row[2])
        self.assertEqual((idle, pinned), (16 * MIB, 16 * MIB))
        most = self.device(path)["holes"]["at_most_reserved"]
        self.assertEqual((most["event"], most["idle_pinned"]), (event, 16 * MIB))
        self.assertIsNone(self.finding(path))
        self.check(DONE, path, 8)
        self.check(BROKEN, path, 7.99)

    def promise(self, path):
        """Returns the hint about expandable segments: nothing, that they may help, or the new peak."""
        finding = self.finding(path)
        self.assertIsNotNone(finding)
        hint = finding["hint"]
        return None if not hint else "may" if " may " in hint else "promise"

    def changes(self, path):
        answer = self.replay(path, "--set", "expandable_segments=true")["what_if"]
        self.assertEqual(answer["peak_as_recorded"], replays.replay(path, 0, EXPANDABLE)["what_if"]["peak_as_recorded"])
        return [answer[mode]["peak_reserved"] / answer["peak_as_recorded"][mode] for mode in ("carried", "rebuilt")]

    def test_expandable_segments_are_promised_only_where_a_replay_confirms_it(self):
        path = self.save(rows_and_columns())
        self.assertEqual(self.changes(path), [1, 1])
        self.assertEqual(rows_and_columns(True).reserved, rows_and_columns().reserved)
        self.assertIsNone(self.promise(path))

        path = self.save(two_sizes())
        self.assertLess(max(self.changes(path)), 0.98)
        self.assertLess(two_sizes(True).reserved, 0.98 * two_sizes().reserved)
        self.assertEqual(self.promise(path), "promise")

    def test_without_a_clear_answer_they_may_help(self):
        a = two_sizes(odd_blocks=30)
        before = len(a.trace)
        for _ in range(3):
            a.free(a.malloc(10 * MIB))
        path = self.save(a, len(a.trace) - before)
        carried, rebuilt = self.changes(path)
        self.assertEqual(carried, 1)
        self.assertLess(rebuilt, 0.98)
        self.assertEqual(self.promise(path), "may")

        a = rows_and_columns()
        swapped = {}
        for event in a.trace:                                # frees the first and the third block of each segment of rows
            if event["action"] == "segment_alloc" and event["size"] == 20 * MIB:
                swapped |= {event["addr"]: event["addr"] + 10 * MIB, event["addr"] + 10 * MIB: event["addr"]}
        path = self.save(a, device_traces=[[{**e, "addr": swapped.get(e["addr"], e["addr"])} if e["action"] == "alloc" else e for e in a.trace]])
        self.assertNotIn("what_if", self.replay(path, "--set", "expandable_segments=true"))
        self.assertEqual(self.promise(path), "may")

    def test_an_advice_after_running_out_is_held_to_the_replay(self):
        for name, serves in (("oom-fragmentation", True), ("oom-mixed", None)):
            snapshots.make("gen_planted.py", self.folder, name)
            path = self.folder / f"{name}.pickle"
            verdict, = self.device(path)["oom"]["verdicts"]
            answer = replays.replay(path, 0, EXPANDABLE).get("what_if")
            runs = [answer[mode] for mode in ("carried", "rebuilt")] if answer else []
            served = [row["fits"] for run in runs for row in run["recorded_ooms"] if row["event"] == verdict["event"]]
            self.assertEqual(len(served), 2 if answer else 0)
            hint = verdict["hint"] or ""
            self.assertEqual("nothing" if not hint else "may" if " may " in hint else "promise",
                             "may" if not served or served[0] != served[1] else "promise" if served[0] else "nothing", name)
            if serves:
                self.assertEqual(served, [True, True])

    def test_without_events_there_is_no_hint(self):
        path = self.save(two_sizes(), device_traces=[[]])
        self.assertIsNone(self.promise(path))

    def test_carried_is_an_upper_bound_where_the_start_would_need_less(self):
        a, before = scattered()
        path = self.save(a, len(a.trace) - before)
        for setting, is_bound in (("expandable_segments=true", True), ("capacity_bytes=10G", False)):
            answer = self.replay(path, "--set", setting)["what_if"]
            self.assertEqual(answer["carried_is_upper_bound"], is_bound, setting)
            self.assertEqual("upper bound" in self.succeed("replay", path, "--set", setting), is_bound, setting)
        usual = {(row["name"], row["value"]): row for row in self.replay(path, "--usual")["usual"]}
        self.assertTrue(usual["expandable_segments", "true"]["carried_is_upper_bound"])
        self.assertIn("upper bound", self.succeed("replay", path, "--usual"))
        path = self.save(a)
        self.assertFalse(self.replay(path, "--set", "expandable_segments=true")["what_if"]["carried_is_upper_bound"])

    def test_segments_that_are_not_listed_are_not_contradicted(self):
        a = rows_and_columns()
        self.assertGreater(self.device(self.save(a))["holes"]["worst"]["idle_pinned"], 0)
        path = self.save(a, segments=[])
        device = self.device(path)
        self.assertEqual(device["holes"]["known"], "no")
        self.assertNotIn("contradictions", [f["code"] for f in device["findings"]])
        self.assertEqual({row[name] for row in (device["holes"][k] for k in ("worst", "at_most_reserved", "end")) for name in ("idle", "idle_pinned")}, {0})
        self.assertEqual((device["holes"]["segments"], device["holes"]["blocks"]), ([], []))
        self.assertEqual(self.ask(path, "SELECT max(idle_pinned) FROM holes"), [(0,)])
        self.assertEqual(self.ask(path, f"SELECT count(*) FROM pins({len(a.trace) - 1})"), [(0,)])
        done = self.run_program("check", path, "--max-fragmentation", "100%")
        self.assertEqual(done.returncode, 5, done.stdout)

    def test_the_text_lists_pins_from_5_percent_on_and_equal_lines_once(self):
        def listed(text):
            return [line for line in text.splitlines() if line.startswith("  without ")]
        path = self.save(rows_and_columns())
        lines = listed(self.succeed("report", path))
        event = self.device(path)["holes"]["worst"]["event"]
        kinds = self.ask(path, f"SELECT size, hole_without_it, released FROM pins({event})")
        self.assertEqual(len(kinds), 20)
        self.assertEqual(len(lines), len(set(kinds)))
        for filler, is_listed in ((1820 * MIB, False), (1780 * MIB, True)):
            path = self.save(rows_and_columns(filler=filler))
            worst = self.device(path)["holes"]["worst"]
            self.assertEqual(worst["idle_pinned"] >= 0.05 * worst["reserved"], is_listed)
            self.assertEqual(bool(listed(self.succeed("report", path))), is_listed)


if __name__ == "__main__":
    main()
