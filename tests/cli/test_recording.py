"""Whether a file is whole: what `info` and `report` say of snapshots made by hand that lack something, each in its own way."""
import json
import pickle

from harness import SAMPLE, CommandLine, main
from test_info import FRAME, event

CPP = {"filename": "??", "line": 0, "name": "at::empty"}


class Recording(CommandLine):
    def recording(self, name, snapshot):
        self.path = self.write(name, snapshot if isinstance(snapshot, bytes) else pickle.dumps(snapshot, 4))
        return [device["recording"] for device in json.loads(self.succeed("info", self.path, "--json"))["devices"]]

    def said(self):
        """The first thing that both commands say of it."""
        report = self.succeed("report", self.path)
        self.assertLess(report.index("recording: "), report.index("The peak is"))
        return self.succeed("info", self.path), report

    def test_complete(self):
        trace = [event("alloc", 4096, 1000, frames=[CPP, FRAME], time_us=1_000_000), event("alloc", 8192, 500, time_us=2_000_000),
                 event("free_completed", 4096, 1000, time_us=3_500_000)]
        facts, = self.recording("complete.pickle", {"segments": [], "device_traces": [trace]})
        self.assertEqual(facts, {"state": "complete", "events": 3, "seconds": 2.5, "max_entries": None, "cut_at": None,
                                 "peak_bytes_from_before": 0, "stacks": "Python and C++ stacks", "allocs_without_stack": 1, "next_time": "",
                                 "sentence": "3 events over 2.50 s; 0 B (0 %) of the peak predates it; Python and C++ stacks, "
                                             "missing on 1 alloc"})
        for text in self.said():
            self.assertNotIn("next time", text)

    def test_starts_mid_run(self):
        # 600 bytes are freed whose allocation nobody saw: with the 400 they are the peak.
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

    def test_no_history(self):
        block = {"address": 4096, "size": 512, "requested_size": 500, "state": "active_allocated", "frames": [FRAME]}
        segment = {"address": 4096, "total_size": 2 << 20, "stream": 0, "segment_type": "small", "device": 0, "blocks": [block]}
        facts, = self.recording("bare.pickle", {"segments": [segment], "device_traces": [[]]})
        self.assertEqual((facts["state"], facts["events"], facts["peak_bytes_from_before"]), ("no_history", 0, 500))

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
