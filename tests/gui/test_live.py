"""The list of live allocations, and the line at its moment."""
import unittest

from driver import SAMPLE, WindowTest


class Live(WindowTest):
    def open_live(self):
        window = self.open_on_start(SAMPLE)
        window.click("tab_live")
        window.wait("the list and its line", lambda s: s["live"] and "live_line" in s["rects"])
        return window

    def foot(self, window):
        left, top, right, bottom = window.rect("live_line")
        return (left + right) / 2, (top + bottom) / 2

    def test_the_line_stands_at_the_moment_and_is_dragged(self):
        window = self.open_live()
        state = window.fresh()
        x, y = self.foot(window)
        at_peak, _ = window.place_on_canvas(state["timeline"], state["live"]["step"], 0)
        self.assertAlmostEqual(x, at_peak, delta=1.5)
        before = state["live"]
        to_x, _ = window.place_on_canvas(state["timeline"], 3000, 0)
        state = window.drag(x, y, to_x, y)
        self.assertAlmostEqual(state["live"]["step"], 3000, delta=40)
        self.assertNotEqual(state["live"]["bytes"], before["bytes"])
        answer = window.answer("SELECT sum(size) FROM allocations WHERE alloc_step <= :step AND coalesce(free_step, 1e9) > :step")
        self.assertEqual(answer["first_rows"], [[str(state["live"]["bytes"])]])
        self.assertAlmostEqual(self.foot(window)[0], to_x, delta=3)

    def test_another_page_has_no_line(self):
        window = self.open_live()
        window.click("tab_findings")
        window.wait("the line to go", lambda s: "live_line" not in s["rects"])


if __name__ == "__main__":
    unittest.main()
