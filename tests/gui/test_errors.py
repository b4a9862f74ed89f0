"""Files that cannot be opened, and cancelled loading: the previous file stays open."""
import os
import unittest

from driver import SAMPLE, WindowTest, window_only
from large_snapshot import write_large_snapshot


class Trouble(WindowTest):
    def test_bad_files_open_a_dialog_and_leave_the_old_file(self):
        sample = SAMPLE.read_bytes()
        bad = {"empty.pickle": b"", "text.txt": b"This is no snapshot.\n" * 40, "cut.pickle": sample[:40],
               "call.pickle": b"cos\nsystem\n(S'true'\ntR."}
        window = self.open_on_start(SAMPLE)
        allocations = window.state()["timeline"]["allocations"]
        for name, content in bad.items():
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(content)
                window.drop(path)
                state = window.wait(f"a dialog about {name}", lambda s: s["error"]["file"] == str(path) and s["rects"]["error_ok"])
                self.assertTrue(state["error"]["text"])
                self.assertEqual(state["file"], str(SAMPLE))
                self.assertEqual(state["timeline"]["allocations"], allocations)
                window.click("error_ok")
                window.wait("the dialog to go", lambda s: s["error"] is None and "error_ok" not in s["rects"])

    def test_a_file_cut_short_is_shown_up_to_the_cut(self):
        path = self.folder / "cut.pickle"
        sample = SAMPLE.read_bytes()
        path.write_bytes(sample[:len(sample) // 2])
        window = self.open_on_start(SAMPLE)
        whole = window.state()["timeline"]["allocations"]
        window.drop(path)
        state = window.wait("what is left of it", lambda s: s["file"] == str(path) and s["rects"]["import_log"])
        self.assertTrue(0 < state["timeline"]["allocations"] < whole)
        self.assertIn("cut_off", [marker["kind"] for marker in state["overlays"]["markers"]])
        self.assertIn(", cut off: ", state["timeline"]["device_title"])
        self.assertIn(", peak at least ", state["timeline"]["device_title"])
        left, top, right, bottom = state["rects"]["import_log"]
        self.assertIn(bytes((0xff, 0x7b, 0x72)), self.display.colours(left, top, right, bottom), "the banner says so in red")
        self.assertIsNone(state["error"])

    @window_only("the browser does not read a file that was changed")
    def test_a_file_that_shrinks_while_it_is_read_leaves_the_old_file(self):
        large = self.folder / "large.pickle"
        write_large_snapshot(large)
        window = self.open_on_start(SAMPLE)
        window.drop(large)
        window.wait("the load to begin", lambda s: s["loading"]["file"] == str(large) and s["loading"]["fraction"] > 0)
        os.truncate(large, 4096)
        state = window.wait("a dialog", lambda s: s["error"]["file"] == str(large) and s["rects"]["error_ok"])
        self.assertIn("shorter while it was being read", state["error"]["text"])
        self.assertEqual(state["file"], str(SAMPLE))

    def test_an_empty_folder_dropped_leaves_what_is_open(self):
        (self.folder / "empty").mkdir()
        window = self.open_on_start(SAMPLE)
        window.drop(self.folder / "empty")
        state = window.wait("why there is no fleet", lambda s: s["fleet"]["is_shown"] and s["fleet"]["error"])
        self.assertEqual((state["file"], state["error"]), (str(SAMPLE), None))
        window.key("Escape")
        window.wait("the window to go", lambda s: not s["fleet"]["is_shown"] and s["file"] == str(SAMPLE))

    def test_loading_can_be_cancelled(self):
        large = self.folder / "large.pickle"
        write_large_snapshot(large)
        window = self.open_on_start(SAMPLE)
        window.drop(large)
        state = window.wait("the load to begin", lambda s: s["loading"]["file"] == str(large) and s["rects"]["load_cancel"])
        self.assertEqual(state["file"], str(SAMPLE), "the old file stays meanwhile")
        first = window.wait("a preview", lambda s: s["loading"]["preview_samples"] > 0 and s["rects"]["load_preview"])
        window.wait("the reading to go on", lambda s: s["loading"]["fraction"] > first["loading"]["fraction"])
        left, top, right, bottom = first["rects"]["load_preview"]
        self.assertGreater(self.display.colours_in(left + 2, top + 2, right - 2, bottom - 2), 2, "a curve on its ground")
        window.click("load_cancel")
        state = window.wait("the load to end", lambda s: s["loading"] is None, 10)
        self.assertEqual(state["file"], str(SAMPLE))
        self.assertIsNone(state["error"])

    @window_only("a page is sent no signals")
    def test_a_signal_to_end_keeps_the_settings(self):
        window = self.open_on_start(SAMPLE)
        window.click("legend_allocated")
        window.wait("allocated shown", lambda s: s["overlays"]["shown"]["allocated"])
        window.process.terminate()
        self.assertEqual(window.process.wait(10), 0)
        self.assertTrue(self.open_on_start(SAMPLE).fresh()["overlays"]["shown"]["allocated"])

    @window_only("a page writes no crash reports")
    def test_a_crash_of_before_is_spoken_of_once(self):
        report = self.folder / "state" / "snapviewer" / "crash-20260101-000000-1.new.txt"
        report.parent.mkdir(parents=True)
        report.write_text("snapviewer was ended by SIGSEGV\n")
        kept = report.with_name("crash-20260101-000000-1.txt")
        window = self.open_on_start(SAMPLE)
        self.assertIn(str(kept), window.state()["notice"])
        self.assertIn(str(kept), window.said())
        self.assertEqual(window.close(), 0)
        self.assertEqual(kept.read_text(), "snapviewer was ended by SIGSEGV\n")
        self.assertEqual(self.open_on_start(SAMPLE).state()["notice"], "")

    def test_broken_settings_are_set_aside_and_said_so(self):
        settings = self.folder / "config" / "snapviewer" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text("{ broken")
        window = self.start()
        self.assertIn("settings.json.broken", window.state()["notice"])
        self.assertIn("settings.json.broken", window.said())
        self.assertEqual(window.close(), 0)
        self.assertEqual((settings.parent / "settings.json.broken").read_text(), "{ broken")


if __name__ == "__main__":
    unittest.main()
