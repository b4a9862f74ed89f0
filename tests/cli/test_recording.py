"""Completeness of recordings: what `info` and `report` say about handmade snapshots that each lack something."""
import json
import pickle

from harness import AT_FAULT, SAMPLE, CommandLine, main
from test_info import FRAME, event

CPP = {"filename": "??", "line": 0, "name": "at::empty"}


class Recording(CommandLine):
    def recording(self, name, snapshot):
        self.path = self.write(name, snapshot if isinstance(snapshot, bytes) else pickle.dumps(snapshot, 4))
        return [device["recording"] for device in json.loads(self.succeed("info", self.path, "--json"))["devices"]]

    def said(self):
        """Returns the first sentence about it, which both commands must print alike."""
        report = self.succeed("report", self.path)
        self.assertLess(report.index("recording: "), report.index("The peak is"))
        return self.succeed("info", self.path), report

    def test_complete(self):
        trace = [event("alloc", 4096, 1000, frames=[CPP, FRAME], time_us=1_000_000), event("alloc", 8192, 500, time_us=2_000_000),
                 event("free_completed", 4096, 1000, time_us=3_500_000)]
        facts, = self.recording("complete.pickle", {"segments": [], "device_traces": [trace]})
        self.assertEqual(facts, {"state": "complete", "events": 3, "seconds": 2.5, "max_entries": None, "cut_at": None,
                                 "peak_is_lower_bound": False, "unplaced_bytes": 0,
                                 "peak_bytes_from_before": 0, "stacks": "Python and C++ stacks", "allocs_without_stack": 1,
                                 "allocator_settings": None, "next_time": "",
                                 "sentence": "3 events over 2.50 s; Python and C++ stacks, "
                                             "missing on 1 alloc"})
        for text in self.said():
            self.assertNotIn("next time", text)

    def test_starts_mid_run(self):
        # 600 bytes are freed that were allocated before the recording: together with the 400 they are the peak.
        trace = [event("alloc", 8192, 400, frames=[FRAME]), event("free_completed", 4096, 600)]
        facts, = self.recording("mid.pickle", {"segments": [], "device_traces": [trace]})
        self.assertEqual((facts["state"], facts["peak_bytes_from_before"]), ("starts_mid_run", 600))
        self.assertIn("600 B (60 %) of the peak predates it", facts["sentence"])
        self.assertIn("before the model is built", facts["next_time"])
        for text in self.said():
            self.assertIn("starts mid-run", text)
            self.assertIn("_record_memory_history(", text)

    def test_ring_buffer_full(self):
        trace = [event("alloc", 4096 * i, 100, frames=[FRAME]) for i in range(1, 4)]
        settings = {"trace_alloc_max_entries": 3}
        facts, = self.recording("ring.pickle", {"segments": [], "device_traces": [trace], "allocator_settings": settings})
        self.assertEqual((facts["state"], facts["max_entries"]), ("ring_buffer_full", 3))
        self.assertIn("max_entries=1000000", facts["next_time"])
        facts, = self.recording("room.pickle", {"segments": [], "device_traces": [trace], "allocator_settings": {"trace_alloc_max_entries": 4}})
        self.assertEqual(facts["state"], "complete")

    def test_allocator_settings(self):
        snapshot = {"segments": [], "device_traces": [[event("alloc", 4096, 400, frames=[FRAME])]]}
        for settings, told, ending in [({"PYTORCH_CUDA_ALLOC_CONF": ""}, "", "; default allocator settings"),
                                       ({"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:64"}, "max_split_size_mb:64", "; allocator settings max_split_size_mb:64"),
                                       ({"PYTORCH_CUDA_ALLOC_CONF": "a:1", "last_allocator_settings": "a:2"}, "a:2", "; allocator settings a:2"),
                                       ({"max_split_size": -1}, None, "Python stacks"),
                                       ({"PYTORCH_CUDA_ALLOC_CONF": "a\nrecording: complete"}, "a\nrecording: complete", "; allocator settings a recording: complete"),
                                       ({"PYTORCH_CUDA_ALLOC_CONF": "x" * 9000}, "x" * 9000, "xxx")]:
            facts, = self.recording("settings.pickle", {**snapshot, "allocator_settings": settings})
            self.assertEqual(facts["allocator_settings"], told)
            self.assertTrue(facts["sentence"].endswith(ending), facts["sentence"][-100:])
            self.assertLess(len(facts["sentence"]), 400)

    def test_cut_off(self):
        content = SAMPLE.read_bytes()[:60_000]
        facts, = self.recording("cut.pickle", content)
        self.assertEqual(facts["state"], "cut_off")
        self.assertLessEqual(facts["cut_at"], len(content))
        self.assertGreater(facts["cut_at"], len(content) - 1000)
        self.assertIsNone(facts["peak_bytes_from_before"], "what is lost may be the allocation, the free or both")
        for text in self.said():
            self.assertIn("cut off", text)
            self.assertIn("at least", text)

    def cut_snapshot(self, name="cut.pickle"):
        """900 bytes are live at the end, 400 of them from before the recording. 200 and 1000 are allocated, 1000 and then 200 are freed,
        and 200 are allocated again at the same address, with 300 more: the peak is 1600. The file is cut off after the second alloc,
        so the allocation of 700 bytes at the end is unknown."""
        block = {"state": "active_allocated", "frames": [FRAME]}
        segment = {"address": 4096, "total_size": 2 << 20, "stream": 0, "segment_type": "small", "device": 0,
                   "blocks": [{"size": 512, "requested_size": 400, **block}, {"size": 512, "requested_size": 200, **block},
                              {"size": 512, "requested_size": 300, **block}]}
        other = [event("alloc", 1 << 30, 50), event("free_completed", 1 << 30, 50)]
        lost = {**FRAME, "name": "what_is_lost"}
        trace = [event("alloc", 4608, 200, frames=[FRAME], time_us=1000), event("alloc", 8192, 1000, frames=[FRAME], time_us=2000),
                 event("free_completed", 8192, 1000, frames=[lost]), event("alloc", 5120, 300, frames=[FRAME])]
        whole = pickle.dumps({"segments": [{**segment, "device": 1}], "device_traces": [other, trace, [dict(each) for each in other]]}, 4)
        return whole, self.write(name, whole[:whole.index(b"what_is_lost")])

    def test_a_cut_file_gives_lower_bounds(self):
        whole, cut = self.cut_snapshot()
        before, after, = json.loads(self.succeed("info", cut, "--json"))["devices"]
        self.assertEqual((before["peak_bytes"], before["recording"]["peak_is_lower_bound"], before["recording"]["state"]), (50, False, "complete"),
                         "its events are all there")
        self.assertEqual((after["peak_bytes"], after["live_bytes_at_end"]), (1200, 900))
        facts = after["recording"]
        self.assertEqual((facts["state"], facts["unplaced_bytes"], facts["peak_is_lower_bound"]), ("cut_off", 700, True))
        self.assertIn("700 B in use at the end were allocated at an unknown time", facts["sentence"])
        device = json.loads(self.succeed("info", self.write("whole.pickle", whole), "--json"))["devices"][1]
        self.assertEqual((device["peak_bytes"], device["recording"]["peak_is_lower_bound"], device["live_bytes_at_end"]), (1600, False, 900))
        bounds = json.loads(self.succeed("query", cut, "SELECT peak_is_lower_bound FROM devices", "--format", "json"))
        self.assertEqual([row["peak_is_lower_bound"] for row in bounds], [0, 1])

    def test_what_cannot_be_placed_stands_behind_the_last_event(self):
        cut = self.cut_snapshot()[1]
        rows = json.loads(self.succeed("query", cut, "SELECT size, origin, alloc_step, free_step, state FROM allocations WHERE device = 1 "
                                                     "ORDER BY id", "--format", "json"))
        # 200 at step 0, 1000 at step 1; the last event ends at step 2. After a gap of one step, at step 3, the 1000 are freed, and
        # the 400 and the 300 are allocated.
        self.assertEqual([tuple(row.values()) for row in rows],
                         [(200, "alloc", 0, None, "live"), (1000, "alloc", 1, 3, "freed"), (400, "unplaced", 3, None, "live"),
                          (300, "unplaced", 3, None, "live")])
        moments = json.loads(self.succeed("query", cut, "SELECT kind FROM markers WHERE device = 1 ORDER BY step", "--format", "json"))
        self.assertEqual([row["kind"] for row in moments], ["peak", "cut_off"])
        copy = self.home / "copy.db"
        self.succeed("export", cut, "--out", copy)
        again = json.loads(self.succeed("query", copy, "SELECT size, origin, alloc_step, free_step, state FROM allocations "
                                                       "WHERE device = 1 ORDER BY id", "--format", "json"))
        self.assertEqual(again, rows)

    def test_a_limit_is_not_kept_by_a_cut_file(self):
        cut = self.cut_snapshot()[1]
        for limit, status in [("1100", 4), ("1500", 5), ("1700", 5)]:
            with self.subTest(limit):
                done = self.run_program("check", cut, "--device", 1, "--max-peak", limit)
                self.assertEqual(done.returncode, status, done.stdout)
                self.assertIn("The peak is at least 1.2 KiB", done.stdout)

    def test_a_comparison_says_which_peak_is_a_lower_bound(self):
        whole, cut = self.cut_snapshot()
        text = self.succeed("compare", self.write("whole.pickle", whole), cut, "--device", 1, "--device2", 1)
        self.assertIn("peak 1.6 KiB -> at least 1.2 KiB (-400 B)", text)
        self.assertIn("A part of B is missing", text)
        self.assertIn("Its peak is at least what is shown.", text)

    def test_every_command_says_first_that_a_file_is_cut_off(self):
        whole, cut = self.cut_snapshot()
        at = f"cut off at byte {len(whole[:whole.index(b'what_is_lost')]):,}"[:-4]     # start of the broken instruction
        other = self.write("whole.pickle", whole)
        commands = [["info", cut], ["info", cut, "--json"], ["report", cut], ["report", cut, "--json"], ["query", cut, "SELECT 1"],
                    ["render", cut, "--out", "x.png"], ["export", cut, "--out", "x.db"], ["tree", cut, "--device", 1], ["compare", cut, other],
                    ["check", cut, "--max-peak", "1"], ["replay", cut, "--device", 1], ["layout", cut, "--event", 3, "--device", 1]]
        for command in commands:
            with self.subTest(command[0]):
                done = self.run_program(*command)
                first = (done.stderr or done.stdout).splitlines()[0]
                self.assertIn(at, first)
                self.assertIn("at least", first)

    def test_no_layout_of_a_cut_device(self):
        cut = self.cut_snapshot()[1]
        for command in [["layout", cut, "--event", 3, "--device", 1], ["query", cut, "SELECT * FROM layout(3)"], ["query", cut, "SELECT * FROM pins(3)"]]:
            done = self.run_program(*command)
            self.assertEqual((done.returncode, done.stdout), (AT_FAULT, ""))
            self.assertIn("the memory layout after an event is unknown", done.stderr)
        self.succeed("layout", cut, "--event", 0, "--device", 0)

    def test_cut_anywhere_no_number_is_larger_than_it_was(self):
        content = SAMPLE.read_bytes()
        whole, = json.loads(self.succeed("info", SAMPLE, "--json"))["devices"]
        for percent in range(25, 100, 5):
            with self.subTest(percent=percent):
                path = self.write("part.pickle", content[:len(content) * percent // 100])
                device, = json.loads(self.succeed("info", path, "--json"))["devices"]
                self.assertLessEqual(device["peak_bytes"], whole["peak_bytes"])
                self.assertEqual(device["live_bytes_at_end"], whole["live_bytes_at_end"], "the segments tell")
                highest, = json.loads(self.succeed("query", path, "SELECT max(allocated) AS most FROM totals", "--format", "json"))
                self.assertEqual(highest["most"], device["peak_bytes"])

    def test_no_history(self):
        block = {"address": 4096, "size": 512, "requested_size": 500, "state": "active_allocated", "frames": [FRAME]}
        segment = {"address": 4096, "total_size": 2 << 20, "stream": 0, "segment_type": "small", "device": 0, "blocks": [block]}
        facts, = self.recording("bare.pickle", {"segments": [segment], "device_traces": [[]]})
        self.assertEqual((facts["state"], facts["events"], facts["peak_bytes_from_before"]), ("no_history", 0, 500))
        self.assertTrue(facts["peak_is_lower_bound"])
        for text in [self.succeed("info", self.path), self.succeed("report", self.path)]:
            self.assertNotIn("peak is", text)
            self.assertIn("at the end", text)
        report = json.loads(self.succeed("report", self.path, "--json"))["devices"][0]
        self.assertEqual((report["peak_bytes"], report["peak_is_lower_bound"]), (500, True))
        compared = json.loads(self.succeed("compare", self.path, SAMPLE, "--json"))
        self.assertEqual((compared["peak_a_is_lower_bound"], compared["peak_b_is_lower_bound"]), (True, False))
        self.assertTrue(self.succeed("compare", self.path, SAMPLE).splitlines()[2].startswith("at the end 500 B -> peak "))

    def states(self, segments, traces, settings=None):
        return [(facts["state"], facts["peak_is_lower_bound"])
                for facts in self.recording("states.pickle", {"segments": segments, "device_traces": traces, "allocator_settings": settings or {}})]

    def test_a_ring_of_one_event(self):
        """A block with a stack was recorded, so the ring buffer kept only one event."""
        def segment(*blocks):
            return {"address": 4096, "total_size": 2 << 20, "stream": 0, "segment_type": "small", "device": 0, "blocks": list(blocks)}
        with_stack = {"address": 4096, "size": 512, "requested_size": 500, "state": "active_allocated", "frames": [FRAME]}
        bare = {"address": 4608, "size": 512, "requested_size": 400, "state": "active_allocated", "frames": []}
        last = event("segment_alloc", 1 << 30, 2 << 20)
        self.assertEqual(self.states([segment(with_stack, bare)], [[last]]), [("no_history", True)])
        self.assertEqual(self.states([segment(with_stack)], [[event("alloc", 8192, 100, frames=[FRAME])]]), [("no_history", True)])
        self.assertEqual(self.states([segment()], [[event("alloc", 8192, 100)]], {"trace_alloc_max_entries": 1}), [("no_history", True)])
        facts, = self.recording("ring.pickle", {"segments": [segment(with_stack)], "device_traces": [[last]]})
        self.assertIn('_record_memory_history("all"', facts["next_time"])
        finding, = [each for each in json.loads(self.succeed("report", self.path, "--json"))["devices"][0]["findings"] if each["code"] == "before_recording"]
        self.assertIn('"all"', finding["hint"])
        # Nothing proves that a recording without stacks was running before.
        self.assertEqual(self.states([segment(bare)], [[last]]), [("starts_mid_run", True)])
        # With more events, only the state before the first one is uncertain.
        self.assertEqual(self.states([segment(with_stack)], [[last, dict(last)]]), [("starts_mid_run", True)])
        self.assertEqual(self.states([segment(with_stack)], [[event("alloc", 8192, 100), event("free_completed", 8192, 100)]]), [("starts_mid_run", False)])
        self.assertEqual(self.states([segment()], [[event("alloc", 4096, 100)]]), [("complete", False)])

    def test_a_device_that_was_not_used_has_no_peak_to_doubt(self):
        used = [event("alloc", 4096, 100), event("free_completed", 4096, 100)]
        unused = [[event("snapshot", 0, 0) for _ in range(count)] for count in (1, 2)]
        self.assertEqual(self.states([], [used, *unused]), [("complete", False)] * 3)

    def test_before_the_first_event_kept(self):
        """Blocks with a stack were recorded, so they are not from before the recording."""
        def sentence(frames):
            block = {"address": 4096, "size": 512, "requested_size": 500, "state": "active_allocated", "frames": frames}
            segment = {"address": 4096, "total_size": 2 << 20, "stream": 0, "segment_type": "small", "device": 0, "blocks": [block]}
            events = [event("alloc", 8192, 100, frames=[FRAME]), event("free_completed", 8192, 100, frames=[FRAME])]
            facts, = self.recording("before.pickle", {"segments": [segment], "device_traces": [events]})
            finding, = [each for each in json.loads(self.succeed("report", self.path, "--json"))["devices"][0]["findings"]
                        if each["code"] == "before_recording"]
            return finding["sentence"] + facts["sentence"]
        for frames, is_kept in [([FRAME], True), ([], False)]:
            text = sentence(frames)
            self.assertEqual(("the first event kept" in text, "before the recording began" in text), (is_kept, not is_kept), text)

    def test_the_state_behind_a_cut_is_not_the_peak(self):
        """The recorded part reaches 1200 B. At the end there are 2900 B, which no recorded event allocated."""
        block = {"state": "active_allocated", "frames": [FRAME]}
        segment = {"address": 4096, "total_size": 2 << 20, "stream": 0, "segment_type": "small", "device": 0,
                   "blocks": [{"size": 512, "requested_size": 200, **block}, {"size": 3072, "requested_size": 2700, **block}]}
        lost = {**FRAME, "name": "what_is_lost"}
        forward = {"filename": "model.py", "line": 3, "name": "forward"}
        trace = [event("alloc", 4096, 200, frames=[FRAME]), event("alloc", 8192, 1000, frames=[forward]),
                 event("free_completed", 8192, 1000, frames=[lost]), event("alloc", 4608, 2700, frames=[FRAME])]
        whole = pickle.dumps({"segments": [segment], "device_traces": [trace]}, 4)
        cut = self.write("cut.pickle", whole[:whole.index(b"what_is_lost")])
        device, = json.loads(self.succeed("report", cut, "--json"))["devices"]
        holders, = [each for each in device["findings"] if each["code"] == "peak_holders"]
        self.assertEqual((device["peak_bytes"], device["peak_is_lower_bound"], device["peak_event"]), (2900, True, None))
        self.assertEqual((holders["bytes"], holders["lines"], holders["allocations"], holders["event"]), (2900, [], [], None))
        self.assertEqual([value for value in holders["phase"].values() if value is not None], [])
        done = self.run_program("check", cut, "--max-peak", "2000")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (4, 1), "no line of code is blamed")

    def test_polygons_alone_do_not_tell(self):
        out = self.home / "polygons.zip"
        self.succeed("export", SAMPLE, "--out", out)
        facts, = [device["recording"] for device in json.loads(self.succeed("info", out, "--json"))["devices"]]
        self.assertEqual((facts["state"], facts["peak_bytes_from_before"]), ("not_told", None))
        self.assertNotIn("predates", facts["sentence"])

    def test_without_stacks(self):
        trace = [event("alloc", 4096, 1000)]
        facts, = self.recording("bare-stacks.pickle", {"segments": [], "device_traces": [trace]})
        self.assertEqual((facts["state"], facts["stacks"]), ("complete", "no stacks"))
        self.assertIn('context="all", stacks="all"', facts["next_time"])

    def test_each_device_has_its_own(self):
        whole = [event("alloc", 4096, 1000, frames=[FRAME])]
        late = [event("free_completed", 4096, 600), event("alloc", 4096, 1000, frames=[FRAME])]
        facts = self.recording("two.pickle", {"segments": [], "device_traces": [whole, late]})
        self.assertEqual([each["state"] for each in facts], ["complete", "starts_mid_run"])


if __name__ == "__main__":
    main()
