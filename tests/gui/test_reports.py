"""Reports of profilers in the window: dropped, inspected, clicked, and two of one model together."""
import sqlite3
import unittest

from driver import SHARED, WindowTest

MEMORY = """
CREATE TABLE weight_entries (id INTEGER PRIMARY KEY, name TEXT, size_bytes INTEGER, grad_size_bytes INTEGER);
CREATE TABLE activation_entries (id INTEGER PRIMARY KEY, operation_name TEXT, size_bytes INTEGER);
CREATE TABLE stack_correlation (correlation_id INTEGER PRIMARY KEY, entry_id INTEGER, entry_type INTEGER);
CREATE TABLE stack_frames (correlation_id INTEGER, ordering INTEGER, file_path TEXT, line_number INTEGER);
CREATE TABLE misc_sizes (key TEXT PRIMARY KEY, size_bytes INT);
INSERT INTO weight_entries VALUES (1, 'weight', 4000, 4000);
INSERT INTO activation_entries VALUES (1, 'loss', 2000), (2, 'linear', 8000);
INSERT INTO stack_correlation VALUES (1, 1, 1), (3, 1, 2), (4, 2, 2);
INSERT INTO stack_frames VALUES (1, 0, 'net.py', 3), (3, 0, 'net.py', 9), (4, 0, 'layer.py', 5), (4, 1, 'net.py', 7);
INSERT INTO misc_sizes VALUES ('peak_usage_bytes', 20000);
"""
RUN_TIME = """
CREATE TABLE run_time_entries (id INTEGER PRIMARY KEY, operation_name TEXT, forward_ms REAL, backward_ms REAL);
CREATE TABLE stack_frames (ordering INTEGER, file_path TEXT, line_number INTEGER, entry_id INTEGER);
INSERT INTO run_time_entries VALUES (1, 'linear', 2.0, 4.0), (2, 'loss', 1.0, 3.0);
INSERT INTO stack_frames VALUES (0, 'layer.py', 5, 1), (1, 'net.py', 7, 1), (0, 'net.py', 9, 2);
"""


class Reports(WindowTest):
    def make(self, name, script):
        path = self.folder / name
        connection = sqlite3.connect(path)
        connection.executescript(script)
        connection.close()
        return path

    def wait_icicle(self, window, name):
        return window.wait(f"the icicle {name}", lambda s: s["icicle"]["shown"] == name and "icicle" in s["rects"])

    def click_bar(self, window, x, depth):
        """Clicks a bar of the icicle; x is in the icicle's unit."""
        state = window.fresh()
        left, top, right, _ = state["rects"]["icicle"]
        begin, end, top_row = state["icicle"]["window"]
        window.click_at(left + (x - begin) / (end - begin) * (right - left),
                        top + (depth - top_row + 0.5) * state["icicle"]["row_px"])

    def test_a_dropped_run_time_report(self):
        path = self.make("time.db", RUN_TIME)
        window = self.start()
        window.drop(path)
        state = self.wait_icicle(window, "execution order")
        self.assertEqual(state["file"], str(path))
        self.assertIsNone(state["timeline"])
        self.assertEqual(state["icicle"]["total"], 10)
        # Forward: linear [0, 2), loss [2, 3). Backward: loss [3, 6), linear [6, 10).
        self.click_bar(window, 7, 3)
        selected = window.wait("a selection", lambda s: s["icicle"]["selected"])["icicle"]["selected"]
        self.assertEqual((selected["label"], selected["file"], selected["line"], selected["start"], selected["width"]),
                         ("linear", "layer.py", 5, 6, 4))
        window.key("z")
        window.wait("the zoom", lambda s: s["icicle"]["window"][0] > 5.5)
        window.key("BackSpace")
        window.wait("the way back", lambda s: s["icicle"]["window"][:2] == [0, 10])
        window.click("picture_by source")
        self.wait_icicle(window, "by source")

    def test_icicle_and_iteration_show_the_same(self):
        path = self.make("memory.db", MEMORY)
        window = self.open_on_start(path)
        state = window.fresh()
        self.assertEqual((state["timeline"]["allocations"], state["timeline"]["peak_bytes"]), (5, 20000))
        window.click("picture_by source")
        self.wait_icicle(window, "by source")
        # Weights have 8000 bytes, activations 10000 (linear 8000, loss 2000), untracked 2000.
        self.click_bar(window, 12000, 1)
        state = window.wait("a selection", lambda s: s["icicle"]["selected"])
        self.assertEqual((state["icicle"]["selected"]["label"], state["icicle"]["selected"]["line"]), ("linear", 5))
        self.assertEqual((state["search"]["hits"], state["search"]["peak_bytes"]), (1, 8000))
        window.key("i")
        state = window.wait("the iteration", lambda s: s["icicle"]["shown"] is None)
        self.assertEqual(state["timeline"]["selected"]["size"], 8000)
        # Back from the other picture: the loss, at the top of the pyramid, below untracked memory.
        state = window.fresh()  # the search bar takes space
        window.click_on_canvas(state["timeline"], 3, 17000)
        window.wait("the loss", lambda s: s["timeline"]["selected"]["size"] == 2000)
        window.key("i")
        state = self.wait_icicle(window, "by source")
        self.assertEqual(state["icicle"]["selected"]["label"], "loss")

    def test_two_reports_of_one_model(self):
        memory, time = self.make("memory.db", MEMORY), self.make("time.db", RUN_TIME)
        window = self.open_on_start(memory)
        window.drop(time)
        self.wait_icicle(window, "execution order")
        window.click("pair_draw")
        state = window.wait("both", lambda s: s["timeline"]["axis"] == "time" and len(s["icicle"]["names"]) == 4)
        self.assertNotIn("pair_draw", window.fresh()["rects"])
        self.assertEqual(state["timeline"]["peak_bytes"], 20000)
        self.assertIsNone(state["error"])
        # Backward linear lasts from 6 to 10 ms and keeps 8000 bytes; both pictures show that.
        window.click("picture_time: execution order")
        self.wait_icicle(window, "time: execution order")
        self.click_bar(window, 7, 3)
        state = window.wait("what it keeps", lambda s: s["search"]["hits"] == 1)
        self.assertEqual((state["icicle"]["selected"]["label"], state["search"]["peak_bytes"]), ("linear", 8000))
        window.click("picture_bytes: by source")
        state = self.wait_icicle(window, "bytes: by source")
        self.assertEqual(state["icicle"]["selected"]["label"], "linear")
        # Back from the other picture: the loss, which is live from 3 to 6 ms, above 16000 bytes.
        window.click("picture_timeline")
        window.wait("the iteration", lambda s: s["icicle"]["shown"] is None)
        state = window.fresh()
        window.click_on_canvas(state["timeline"], 4500, 17000)
        window.wait("the loss", lambda s: s["timeline"]["selected"]["size"] == 2000)
        window.click("picture_time: by source")
        state = self.wait_icicle(window, "time: by source")
        self.assertEqual(state["icicle"]["selected"]["label"], "loss")

    def test_reports_of_different_models_are_not_offered_together(self):
        memory = self.make("memory.db", MEMORY.replace("'linear'", "'convolution'"))
        window = self.open_on_start(memory)
        window.drop(self.make("time.db", RUN_TIME))
        self.wait_icicle(window, "execution order")
        self.assertNotIn("pair_draw", window.fresh()["rects"])

    @unittest.skipUnless((SHARED / "data" / "ascend").is_dir(), "no shared data")
    def test_profiles_of_different_runs_are_not_offered_together(self):
        """The profiles are of different devices, but an hour apart."""
        window = self.open_on_start(SHARED / "data" / "ascend" / "level0-rank1.db")
        window.drop(SHARED / "data" / "ascend" / "level1-rank0.db")
        window.wait_drawn(SHARED / "data" / "ascend" / "level1-rank0.db")
        self.assertNotIn("pair_draw", window.fresh()["rects"])

    def test_of_a_pair_the_report_that_belongs_is_offered(self):
        window = self.start(self.make("time.db", RUN_TIME), self.make("memory.db", MEMORY))
        window.wait("both", lambda s: s["timeline"]["axis"] == "time" and len(s["icicle"]["names"]) == 4)
        window.drop(self.make("again.db", RUN_TIME))
        self.wait_icicle(window, "execution order")
        window.click("pair_draw")
        window.wait("both", lambda s: s["timeline"]["axis"] == "time" and len(s["icicle"]["names"]) == 4)

    def test_two_reports_on_the_command_line(self):
        window = self.start(self.make("time.db", RUN_TIME), self.make("memory.db", MEMORY))
        window.wait("both", lambda s: s["timeline"]["axis"] == "time" and len(s["icicle"]["names"]) == 4)


if __name__ == "__main__":
    unittest.main()
