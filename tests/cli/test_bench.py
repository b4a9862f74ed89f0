"""`snapviewer_bench` prints every figure with a plausible value. No performance is judged."""
import json
import os
import unittest
from pathlib import Path

from harness import BINARY, SAMPLE, WRONG_USAGE, CommandLine, main, snapshots
from memory_timelines import raw_events, totals_of

BENCH = str(Path(BINARY).with_name("snapviewer_bench"))
SMALL = ["--json", "--size", "640x400"]   # a small size is faster to draw, and the output does not depend on the size


class Bench(CommandLine):
    @classmethod
    def setUpClass(cls):
        if not Path(BENCH).exists():
            raise unittest.SkipTest("snapviewer_bench is absent; it is not built for another system")

    def environment_for(self, arguments):
        return super().environment_for(["render"])

    def measured(self, *arguments):
        return json.loads(self.succeed(*arguments, program=BENCH))

    def test_measures_everything_and_sends_nothing_while_moving(self):
        figures = self.measured(SAMPLE, *SMALL)
        for name in ("frame_ms", "layout_ms", "empty_frame_ms", "still_frame_ms", "pick_us", "live_at_us", "live_totals_us", "search_ms"):
            with self.subTest(name):
                self.assertLessEqual(figures[name]["median"], figures[name]["p95"])
                self.assertLessEqual(figures[name]["p95"], figures[name]["max"])
        self.assertGreaterEqual(figures["frame_ms"]["count"], 120)
        self.assertEqual(figures["uploaded_bytes_per_frame"], 0)
        self.assertGreater(figures["vertices_per_frame"], 0)
        self.assertGreater(figures["draw_calls_per_frame"], 0)
        self.assertGreater(figures["triangle_mesh"]["records"], 0)
        self.assertGreaterEqual(figures["triangle_mesh"]["bytes"], 8 * figures["triangle_mesh"]["records"])
        self.assertGreater(figures["near_view"]["records"], 0)
        for source in ("index_ms", "mesh_ms"):
            self.assertGreater(figures["near_view"][source]["count"], 0)
        for stop in figures["stops"]:
            self.assertEqual(sum(stop["frames_from"].values()), stop["frame_ms"]["count"], stop)
            if stop["stop"] == "fit" or stop["axis"] == "time":
                self.assertEqual(stop["frames_from"]["mesh"], 0, stop)
            if stop["stop"] == "zoom in 12" and stop["axis"] == "steps":
                self.assertEqual(stop["frames_from"]["index"], 0, stop)
        self.assertIn(figures["slowest_stop"]["stop"], [stop["stop"] for stop in figures["stops"]])
        for name in ("steps", "growth", "kinds", "holes", "findings", "layout", "pins", "call tree", "callers and callees"):
            self.assertLessEqual(0, figures["answer_ms"][name]["median"], name)
            self.assertEqual(figures["answer_ms"][name]["once"], figures["answer_ms"][name]["count"] == 1, name)
        for name in ("alive at T", "stack contains X", "largest first", "group by stack", "events by stack"):
            self.assertGreater(figures["query_ms"][name]["rows"], 0, name)
        for name in ("Findings", "Growth", "Live", "Address map", "What if…", "Flame graph", "table, sorted by Stack", "search, a key"):
            page = figures["page_ms"][name]
            self.assertLess(0, page["longest_frame"], name)
            self.assertLessEqual(page["longest_frame"], page["whole"], name)

    def test_one_part_in_another_size(self):
        figures = self.measured(SAMPLE, "--json", "--only", "frames", "--size", "800x600")
        self.assertGreaterEqual(figures["frame_ms"]["count"], 120)
        self.assertFalse({"pick_us", "query_ms", "answer_ms", "page_ms"} & set(figures))
        figures = self.measured(SAMPLE, "--json", "--only", "lookups", "--only", "queries")
        self.assertEqual(figures["query_ms"]["count of events"]["rows"], 1)
        self.assertFalse({"frame_ms", "answer_ms"} & set(figures))

    def make_database(self, kind, name):
        snapshots.make("make_profiler_dbs.py", "--out", self.folder, "--kinds", kind, "--scale", "300")
        return self.folder / name

    def test_the_icicles_of_a_report(self):
        figures = self.measured(self.make_database("deepview-runtime", "deepview_run_time.sqlite"), *SMALL)
        self.assertGreater(figures["icicle"]["frame_ms"]["count"], 20)
        self.assertGreater(figures["icicle"]["still_frame_ms"]["median"], 0)
        self.assertNotIn("frame_ms", figures)

    def test_a_database_of_ranks(self):
        """Only pages are measured."""
        ranks = self.folder / "ranks"
        snapshots.make("gen_fleet.py", ranks, "--ranks", "4", "--damaged", "0")
        database = self.folder / "ranks.db"
        self.succeed("fleet", ranks, "--write", database)
        figures = self.measured(database, *SMALL)
        self.assertEqual(set(figures["page_ms"]), {"fleet, opened", "fleet, sorted by peak", "fleet, sorted by note", "fleet, filtered"})
        for name, page in figures["page_ms"].items():
            self.assertLess(0, page["longest_frame"], name)
            self.assertLessEqual(page["longest_frame"], page["whole"], name)
        self.assertNotIn("frame_ms", figures)
        self.assertNotIn("page_ms", self.measured(database, *SMALL, "--only", "frames"))
        damaged = self.write("damaged.db", database.read_bytes()[:8192])
        self.refuse(damaged, program=BENCH, mentions=("damaged.db",))

    def test_a_profile_with_all_its_tracks(self):
        path = self.make_database("ascend", "ascend_pytorch_profiler_0.db")
        figures = self.measured(path, *SMALL, "--only", "frames", "--all-tracks")
        self.assertGreaterEqual(figures["frame_ms"]["count"], 240, "both axes")
        self.assertEqual(figures["uploaded_bytes_per_frame"], 0)

    def test_a_memory_timeline_as_text(self):
        path = self.write("timeline.json", json.dumps(totals_of(raw_events(500))))
        text = self.succeed(path, program=BENCH)
        for name in ("frame, moving", "under the cursor", "search", "events by stack", "findings", "per frame: "):
            self.assertIn(name, text)

    def test_wrong_usage(self):
        for arguments in ([], [SAMPLE, "--nonsense"], [SAMPLE, "--only", ""], [SAMPLE, "--size", "large"], [SAMPLE, SAMPLE]):
            with self.subTest(arguments=arguments):
                self.assertNotEqual(self.refuse(*arguments, program=BENCH, status=WRONG_USAGE), "")
        self.assertIn("FILE", self.succeed("--help", program=BENCH))

    def test_a_pipe(self):
        pipe = self.folder / "pipe.pickle"
        os.mkfifo(pipe)
        self.refuse(pipe, program=BENCH, mentions=["not a regular file"])


if __name__ == "__main__":
    main()
