"""The ways of getting a file into the window."""
import shutil
import subprocess
import unittest

import reference
from driver import BINARY, SAMPLE, SHARED, WindowTest


class Open(WindowTest):
    def assert_shows(self, window, sizes, peak_bytes):
        state = window.fresh()
        self.assertEqual(state["timeline"]["allocations"], len(sizes))
        self.assertEqual(state["timeline"]["peak_bytes"], peak_bytes)
        self.assertIsNone(state["error"])
        self.assertGreater(state["uploaded_bytes"], 0)
        left, top, right, bottom = state["timeline"]["canvas"]
        self.assertGreater(self.display.colours_in(left + 5, top + 5, right - 5, bottom - 5), 10, "a picture on the screen")

    def test_menu_and_typed_path(self):
        window = self.start()
        self.assertIsNone(window.state()["file"])
        window.click("menu_file")
        window.click("menu_file_open")
        window.rect("file_dialog_path")
        window.key("ctrl+a")
        window.type(str(SAMPLE))
        window.key("Return")
        window.wait_drawn(SAMPLE)
        window.wait("the dialog to go", lambda s: "file_dialog_path" not in s["rects"])
        self.assert_shows(window, *reference.allocations(SAMPLE))

    def test_dialog_by_keyboard_alone(self):
        runs = self.folder / "runs with spaces"
        runs.mkdir()
        (runs / "a first.txt").write_text("no snapshot")
        shutil.copy(SAMPLE, runs / "b second.pickle")
        window = self.start()
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.key("ctrl+a")
        window.type("~/run")
        window.key("Tab")      # completes the folder
        window.key("Down", "Down", "Return")
        window.wait_drawn(runs / "b second.pickle")

    def test_escape_and_cancel_close_the_dialog(self):
        window = self.start()
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.key("Escape")
        window.wait("the dialog to go", lambda s: "file_dialog_path" not in s["rects"])
        window.key("ctrl+o")
        window.click("file_dialog_cancel")
        window.wait("the dialog to go", lambda s: "file_dialog_path" not in s["rects"])
        self.assertIsNone(window.state()["file"])

    def test_a_path_that_is_not_there_keeps_the_dialog_open(self):
        window = self.start()
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.key("ctrl+a")
        window.type("/nowhere/at/all.pickle")
        window.key("Return")
        state = window.fresh()
        self.assertIn("file_dialog_path", state["rects"])
        self.assertIsNone(state["file"])
        self.assertIsNone(state["error"])

    def test_dropped_zip(self):
        path = SHARED / "data/snapviewer-zips/inference-128-json.zip"
        if not path.exists():
            path = self.folder / "exported.zip"
            subprocess.run([BINARY, "export", str(SAMPLE), "--out", str(path)], check=True, timeout=60)
        window = self.start()
        window.drop(path)
        window.wait_drawn(path)
        self.assert_shows(window, *reference.zip_allocations(path))

    def test_dropped_file_with_an_awkward_name(self):
        path = self.folder / "100% \u00e4 #1.pickle"
        shutil.copy(SAMPLE, path)
        window = self.start()
        window.drop(path)
        window.wait_drawn(path)

    def test_recent_file_on_the_welcome_screen(self):
        window = self.open_on_start(SAMPLE)
        self.assertEqual(window.close(), 0)
        window = self.start()
        self.assertIsNone(window.state()["file"])
        window.click("welcome_recent_0")
        window.wait_drawn(SAMPLE)


if __name__ == "__main__":
    unittest.main()
