#!/usr/bin/env python3
"""Checks that assets/sample.pickle is the output of scripts/make_sample.py, and that its segments follow from its trace."""
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "assets" / "sample.pickle"


class Sample(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.snapshot = pickle.loads(SAMPLE.read_bytes())
        cls.events = cls.snapshot["device_traces"][0]
        cls.blocks = {b["address"]: b for s in cls.snapshot["segments"] for b in s["blocks"]}

    def test_is_what_the_generator_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            again = Path(folder) / "again.pickle"
            subprocess.run([sys.executable, ROOT / "scripts" / "make_sample.py", again], check=True)
            self.assertEqual(again.read_bytes(), SAMPLE.read_bytes())

    def test_what_the_trace_leaves_open_is_in_the_segments(self):
        live = {}
        for event in self.events:
            if event["action"] == "alloc":
                self.assertNotIn(event["addr"], live, "an alloc at an address still open")
                live[event["addr"]] = event["size"]
            elif event["action"] == "free_completed":
                live.pop(event["addr"], None)
        for address, size in live.items():
            self.assertEqual(self.blocks[address]["requested_size"], size)
            self.assertNotEqual(self.blocks[address]["state"], "inactive")

    def test_segments_are_full_of_blocks(self):
        for segment in self.snapshot["segments"]:
            at = segment["address"]
            for block in segment["blocks"]:
                self.assertEqual(block["address"], at)
                at += block["size"]
            self.assertEqual(at, segment["address"] + segment["total_size"])

    def test_allocations_never_overlap(self):
        ends = sorted((b["address"], b["address"] + b["size"]) for b in self.blocks.values())
        for (_, end), (begin, _) in zip(ends, ends[1:]):
            self.assertLessEqual(end, begin)

    def test_ends_out_of_memory(self):
        actions = [event["action"] for event in self.events]
        self.assertEqual(actions[-2:], ["oom", "snapshot"])
        self.assertLess(self.events[-2]["device_free"], self.events[-2]["size"])


if __name__ == "__main__":
    unittest.main()
