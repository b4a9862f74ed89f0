"""Two instances of the program at once, and preferences that cannot be saved."""
import json
import unittest

from driver import SAMPLE, Window, WindowTest, window_only
from test_disk import write_snapshot


class TwoWindows(WindowTest):
    def window_named(self, name, *arguments):
        window = Window(self.display, self.folder, arguments, name=name)
        self.addCleanup(window.stop)
        return window

    def settings_file(self):
        return self.folder / "config" / "snapviewer" / "settings.json"

    def settings(self):
        return json.loads(self.settings_file().read_text(encoding="utf-8"))

    def open_and_ask(self, window, path, sql):
        window.take_keyboard()
        write_snapshot(path, 3)
        window.drop(path)
        window.wait_drawn(path)
        window.answer(sql)

    def test_the_window_that_writes_last_wins(self):
        first, second = self.window_named("first"), self.window_named("second")
        second.wait("both to have read their preferences", lambda s: s["frames"] > 0)
        self.open_and_ask(first, self.folder / "1.pickle", "SELECT 1")
        self.open_and_ask(second, self.folder / "2.pickle", "SELECT 2")
        self.open_and_ask(first, self.folder / "3.pickle", "SELECT 3")
        first.click("legend_allocated")
        first.wait("allocated", lambda s: s["overlays"]["shown"]["allocated"])
        for window, numbers, allocated in ((first, [3, 1], True), (second, [2], None)):
            window.take_keyboard()
            self.assertEqual(window.close(), 0)
            stored = self.settings()
            self.assertEqual(stored["recent_files"], [str(self.folder / f"{number}.pickle") for number in numbers])
            self.assertEqual(stored["query_history"], [f"SELECT {number}" for number in reversed(numbers)])
            self.assertEqual(stored["overlays"].get("allocated"), allocated)

    def test_what_another_covered_is_shown_again(self):
        first = self.window_named("first", SAMPLE)
        first.wait("all to be there", lambda s: s["drawn_pictures"] > 0 and s["findings"]["state"] == "ready" and not s["toasts"])
        looks = []

        def is_still(_):
            """True if nothing changes any more; texts in blocks, for example, appear some frames later on a busy machine."""
            first.fresh()
            looks.append(self.display.screen())
            return len(looks) > 3 and looks[-4:] == [looks[-1]] * 4

        first.wait("the window to be still", is_still)
        alone = looks[-1]
        second = self.window_named("second")
        second.wait("the welcome page to cover it", lambda s: s["frames"] > 0 and self.display.screen() != alone)
        second.take_keyboard()
        self.assertEqual(second.close(), 0)
        first.wait("the screen to be as before", lambda s: self.display.screen() == alone)

    def test_what_was_asked_outlives_a_kill(self):
        window = self.window_named("first")
        self.open_and_ask(window, self.folder / "1.pickle", "SELECT 1")
        window.fresh()
        window.process.kill()
        window.process.wait()
        self.assertEqual(self.settings()["query_history"], ["SELECT 1"])
        self.assertEqual(self.settings()["recent_files"], [str(self.folder / "1.pickle")])

    @window_only("a page writes no settings to a disk")
    def test_settings_that_cannot_be_written_are_told(self):
        (self.folder / "config").write_text("a file where a folder should be")
        window = self.open_on_start(SAMPLE)
        state = window.wait("the notice", lambda s: "could not be saved" in s["notice"])
        self.assertIn("Not a directory", state["notice"])
        self.assertEqual(window.answer("SELECT 1")["first_rows"], [["1"]])
        self.assertEqual(window.close(), 0)
        self.assertIn("could not be saved", window.said())

    def test_a_settings_file_without_end_is_set_aside(self):
        self.settings_file().parent.mkdir(parents=True)
        self.settings_file().write_text('{"deep": ' + "[" * 2_000_000 + "]" * 2_000_000 + "}")
        window = self.open_on_start(SAMPLE)
        self.assertEqual(window.close(), 0)
        self.assertIn("settings.json.broken", window.said())
        self.assertNotIn("deep", self.settings())


if __name__ == "__main__":
    unittest.main()
