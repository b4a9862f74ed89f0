"""The state that the window restores after a restart."""
import unittest

from driver import SAMPLE, WindowTest


class Layout(WindowTest):
    def centre(self, window, name):
        left, top, right, bottom = window.rect(name)
        return round((left + right) / 2), round((top + bottom) / 2)

    def test_splitters_are_where_they_were_left(self):
        window = self.open_on_start(SAMPLE)
        x, y = self.centre(window, "details_splitter")
        window.drag(x, y, x - 170, y)
        x, y = self.centre(window, "query_splitter")
        window.drag(x, y, x, y - 90)
        moved = {name: self.centre(window, name) for name in ("details_splitter", "query_splitter")}
        self.assertEqual(window.close(), 0)

        window = self.open_on_start(SAMPLE)
        for name, (x, y) in moved.items():
            now_x, now_y = self.centre(window, name)
            self.assertAlmostEqual(now_x, x, delta=2, msg=name)
            self.assertAlmostEqual(now_y, y, delta=2, msg=name)

    def test_size_of_the_window_and_hidden_pane(self):
        window = self.start()
        window.xdotool("windowsize", "--sync", window.window_id, 1230, 777)
        window.key("ctrl+j")
        window.wait("the query pane to go", lambda s: "query_input" not in s["rects"])
        self.assertEqual(window.close(), 0)
        window = self.start()
        self.assertNotIn("query_input", window.fresh()["rects"])
        size = window.xdotool("getwindowgeometry", "--shell", window.window_id)
        self.assertIn("WIDTH=1230\nHEIGHT=777", size)


if __name__ == "__main__":
    unittest.main()
