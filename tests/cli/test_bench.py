"""`snapviewer bench`: every figure is there and makes sense. No figure is judged by its size."""
import json

from harness import SAMPLE, CommandLine, main


class Bench(CommandLine):
    def test_measures_everything_and_sends_nothing_while_moving(self):
        figures = json.loads(self.succeed("bench", SAMPLE, "--json"))
        for name in ("frame_ms", "empty_frame_ms", "still_frame_ms", "pick_us", "live_at_us", "live_totals_us", "search_ms"):
            with self.subTest(name):
                self.assertLessEqual(figures[name]["median"], figures[name]["p95"])
                self.assertLessEqual(figures[name]["p95"], figures[name]["max"])
        self.assertGreaterEqual(figures["frame_ms"]["count"], 120)
        self.assertEqual(figures["uploaded_bytes_per_frame"], 0)
        self.assertGreater(figures["vertices_per_frame"], 0)
        self.assertGreater(figures["draw_calls_per_frame"], 0)
        self.assertIn(figures["slowest_stop"]["stop"], [stop["stop"] for stop in figures["stops"]])
        for name in ("steps", "growth", "kinds", "holes", "findings", "layout", "pins", "call tree", "callers and callees"):
            self.assertLessEqual(0, figures["answer_ms"][name]["median"], name)
            self.assertEqual(figures["answer_ms"][name]["once"], figures["answer_ms"][name]["count"] == 1, name)
        for name in ("alive at T", "stack contains X", "largest first"):
            self.assertGreater(figures["query_ms"][name]["rows"], 0, name)


if __name__ == "__main__":
    main()
