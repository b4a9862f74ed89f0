"""Several files in one window, each in a tab."""
import unittest

from driver import SAMPLE, WindowTest
from large_snapshot import write_large_snapshot
from test_disk import write_snapshot


class Tabs(WindowTest):
    def setUp(self):
        super().setUp()
        self.paths = [self.folder / f"{name}.pickle" for name in ("first", "second", "third")]
        for count, path in enumerate(self.paths, 3):
            write_snapshot(path, count)

    def choose_for_tab(self, window, path):
        window.click("menu_file")
        window.click("menu_file_open_tab")
        window.choose_file(path)

    def open_in_tab(self, window, path):
        before = len(window.state()["tabs"]["list"])
        self.choose_for_tab(window, path)
        window.wait("another tab", lambda s: len(s["tabs"]["list"]) == before + 1)
        return window.wait_drawn(path)

    def open_all(self, *paths):
        window = self.open_on_start(paths[0])
        for path in paths[1:]:
            self.open_in_tab(window, path)
        return window

    def wait_shown(self, window, path):
        return window.wait(f"{path} in front", lambda s: s["file"] == str(path))

    def names(self, state):
        return [tab["name"] for tab in state["tabs"]["list"]]

    def test_keys_go_round(self):
        window = self.open_all(*self.paths)
        state = window.fresh()
        self.assertEqual(self.names(state), [path.name for path in self.paths])
        self.assertEqual(state["tabs"]["shown"], 2)
        for key, shown in (("ctrl+Tab", 0), ("ctrl+Tab", 1), ("ctrl+shift+Tab", 0), ("ctrl+shift+Tab", 2)):
            window.key(key)
            state = self.wait_shown(window, self.paths[shown])
            self.assertEqual(state["tabs"]["shown"], shown)
            self.assertEqual(window.fresh()["timeline"]["allocations"], shown + 3)
        title = window.xdotool("getwindowname", window.window_id)
        self.assertTrue(title.startswith("third.pickle"), title)

    def test_each_keeps_what_it_showed(self):
        window = self.open_on_start(SAMPLE)
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        window.wheel(left + 0.6 * (right - left), top + 0.7 * (bottom - top), 3)
        window.click_at(left + 0.6 * (right - left), top + 0.9 * (bottom - top))
        window.wait("a selection", lambda s: s["timeline"]["selected"])
        self.assertEqual(window.answer("SELECT 11")["first_rows"], [["11"]])
        before = window.fresh()
        self.open_in_tab(window, self.paths[0])
        other = window.fresh()
        self.assertIsNone(other["timeline"]["selected"])
        self.assertNotEqual(other["query"]["sql"], "SELECT 11")
        window.click("tab_0")
        self.wait_shown(window, SAMPLE)
        window.wait("the picture to be there again", lambda s: s["timeline"]["view"] == before["timeline"]["view"])
        after = window.fresh()
        for key in ("selected", "axis", "device"):
            self.assertEqual(after["timeline"][key], before["timeline"][key], key)
        self.assertEqual(after["query"]["sql"], "SELECT 11")
        self.assertEqual(after["query"]["first_rows"], [["11"]])
        self.assertEqual(after["views"], before["views"])
        self.assertGreater(self.display.colours_in(left + 5, top + 40, right - 5, bottom - 5), 10, "a picture on the screen")

    def test_what_is_behind_has_nothing_on_the_graphics_card(self):
        window = self.open_on_start(SAMPLE)
        one = window.fresh()["gl"]
        self.open_in_tab(window, self.paths[0])
        self.open_in_tab(window, SAMPLE)
        for place, path in ((0, SAMPLE), (1, self.paths[0]), (2, SAMPLE)):
            window.click(f"tab_{place}")
            self.wait_shown(window, path)
        many = window.wait("all of the picture", lambda s: s["gl"]["objects"] == one["objects"])["gl"]
        self.assertEqual(many["errors"], 0)

    def test_closing(self):
        window = self.open_all(*self.paths)
        window.key("ctrl+w")
        self.wait_shown(window, self.paths[1])
        window.point_at("tab_0")
        window.press_button(2)
        window.wait("one to be left", lambda s: len(s["tabs"]["list"]) == 1)
        state = window.fresh()
        self.assertEqual(state["file"], str(self.paths[1]))
        self.assertNotIn("tab_0", state["rects"])
        window.key("ctrl+w")
        window.wait("the welcome", lambda s: s["file"] is None and "welcome_open" in s["rects"])

    def test_mouse(self):
        window = self.open_all(*self.paths)
        window.click("tab_0")
        self.wait_shown(window, self.paths[0])
        window.click("tab_close_0")
        self.wait_shown(window, self.paths[1])
        window.click("tab_new")
        window.rect("file_dialog_path")
        window.key("Escape")
        window.wait("the dialog to go", lambda s: "file_dialog_path" not in s["rects"])
        self.assertEqual(len(window.fresh()["tabs"]["list"]), 2)

    def test_settings_are_those_of_the_window(self):
        window = self.open_all(*self.paths[:2])
        before = window.state()["minimap"]
        window.key("o")
        window.wait("the strip", lambda s: s["minimap"] != before)
        window.click("tab_0")
        self.assertNotEqual(self.wait_shown(window, self.paths[0])["minimap"], before)

    def test_dropped_on_the_strip(self):
        window = self.open_all(*self.paths[:2])
        left, top, right, bottom = window.rect("tab_1")
        window.drop(self.paths[2], at=((left + right) / 2, (top + bottom) / 2))
        state = window.wait_drawn(self.paths[2])
        self.assertEqual(self.names(state), [path.name for path in self.paths])
        window.drop(SAMPLE)
        state = window.wait_drawn(SAMPLE)
        self.assertEqual(self.names(state), ["first.pickle", "second.pickle", SAMPLE.name])

    def test_dropped_with_ctrl(self):
        window = self.open_on_start(self.paths[0])
        window.xdotool("keydown", "ctrl")
        self.addCleanup(window.xdotool, "keyup", "ctrl")
        window.drop(self.paths[1])
        state = window.wait_drawn(self.paths[1])
        self.assertEqual(self.names(state), ["first.pickle", "second.pickle"])
        window.xdotool("keyup", "ctrl")
        window.drop(self.paths[2])
        state = window.wait_drawn(self.paths[2])
        self.assertEqual(self.names(state), ["first.pickle", "third.pickle"])

    def begin_large(self, window):
        """Starts a slow load in a tab of its own."""
        large = self.folder / "large.pickle"
        write_large_snapshot(large)
        self.choose_for_tab(window, large)
        window.wait("the load", lambda s: s["loading"]["file"] == str(large) and s["rects"]["load_cancel"]
                    and s["tabs"]["list"][s["tabs"]["shown"]]["is_loading"])
        return large

    def test_a_load_leaves_the_others_within_reach(self):
        window = self.open_all(*self.paths[:2])
        large = self.begin_large(window)
        window.key("ctrl+Tab")
        self.wait_shown(window, self.paths[0])
        state = window.fresh()
        self.assertNotIn("load_cancel", state["rects"], "the dialog stays in its tab")
        self.assertTrue(state["tabs"]["list"][2]["is_loading"], "the load goes on")
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        view = window.state()["timeline"]["view"]
        window.wheel((left + right) / 2, (top + bottom) / 2, 3)
        window.wait("a nearer view", lambda s: s["timeline"]["view"] != view)
        window.click("tab_2")
        state = window.wait("the tab of the load", lambda s: s["tabs"]["shown"] == 2)
        if state["loading"]:  # the load may have ended meanwhile
            window.click("tab_1")
            self.wait_shown(window, self.paths[1])
            window.key("ctrl+shift+Tab")
            self.wait_shown(window, self.paths[0])
        window.wait("the load to end behind", lambda s: not s["tabs"]["list"][2]["is_loading"])
        window.click("tab_2")
        window.wait_drawn(large)

    def test_what_a_load_covers_takes_no_keys(self):
        window = self.open_all(*self.paths[:2])
        self.begin_large(window)
        minimap = window.state()["minimap"]
        window.key("o")
        window.click("tab_0")
        state = self.wait_shown(window, self.paths[0])
        self.assertEqual(state["minimap"], minimap)
        window.click("tab_2")
        state = window.wait("the tab of the load", lambda s: s["tabs"]["shown"] == 2)
        if state["loading"]:
            window.key("Escape")
            state = window.wait("its end", lambda s: s["loading"] is None)

    def test_a_recent_file_in_a_tab(self):
        window = self.open_all(*self.paths[:2])
        window.click("menu_file")
        window.point_at("menu_file_recent")
        window.point_at("menu_file_recent_1")
        window.press_button(2)
        state = window.wait("a third tab", lambda s: len(s["tabs"]["list"]) == 3 and s["file"] == str(self.paths[0]))
        self.assertEqual(state["tabs"]["shown"], 2)

    def test_a_file_that_cannot_be_read(self):
        bad = self.folder / "bad.pickle"
        bad.write_bytes(b"not a snapshot")
        window = self.open_on_start(self.paths[0])
        window.key("ctrl+t")
        window.choose_file(bad)
        window.wait("the error", lambda s: s["error"] and len(s["tabs"]["list"]) == 2)
        window.click("error_ok")
        window.wait("it to go", lambda s: s["error"] is None and "error_ok" not in s["rects"])
        window.key("ctrl+w")
        self.wait_shown(window, self.paths[0])


if __name__ == "__main__":
    unittest.main()
