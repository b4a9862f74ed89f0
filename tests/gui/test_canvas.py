"""Tests of pointing and clicking in the picture."""
import json
import subprocess
import sys
import unittest

from driver import SAMPLE, WindowTest, snapshots


class Canvas(WindowTest):
    def setUp(self):
        super().setUp()
        self.opened = self.open(SAMPLE)

    def place(self, state, x, y):
        """Returns the step and bytes under a pixel."""
        left, top, right, bottom = state["timeline"]["canvas"]
        x_begin, x_end, y_begin, y_end = state["timeline"]["view"]
        return (x_begin + (x - left) / (right - left) * (x_end - x_begin),
                y_begin + (bottom - y) / (bottom - top) * (y_end - y_begin))

    def middle(self, state, x=0.5, y=0.5):
        left, top, right, bottom = state["timeline"]["canvas"]
        return round(left + (right - left) * x), round(top + (bottom - top) * y)

    def assert_same_place(self, before, after, view):
        self.assertAlmostEqual(before[0], after[0], delta=1e-6 * (view[1] - view[0]))
        self.assertAlmostEqual(before[1], after[1], delta=1e-6 * (view[3] - view[2]))

    def test_hover_and_click_find_the_allocation_that_is_drawn_there(self):
        tool = snapshots.ORACLES / "reference_timeline.py"
        done = subprocess.run([sys.executable, str(tool), str(SAMPLE), "--points"], capture_output=True, check=True, timeout=120)
        elements = json.loads(done.stdout)["elements"]
        by_area = sorted(range(len(elements)), reverse=True,
                         key=lambda i: elements[i]["size"] * (elements[i]["end"] - elements[i]["start"]))
        state = self.opened.fresh()
        for index in by_area[:3]:
            element = elements[index]
            steps, offsets = element["timesteps"], element["offsets"]
            # The middle of its longest horizontal part.
            at = max(range(len(steps) - 1), key=lambda i: (offsets[i] == offsets[i + 1]) * (steps[i + 1] - steps[i]))
            x, y = self.opened.place_on_canvas(state["timeline"], (steps[at] + steps[at + 1]) / 2, offsets[at] + element["size"] / 2)
            self.opened.point(x, y)
            hovered = self.opened.wait(f"element {index} under the mouse", lambda s: s["timeline"]["hovered"]["id"] == index)
            self.assertEqual(hovered["timeline"]["hovered"]["size"], element["size"])
            self.opened.press_button()
            selected = self.opened.wait(f"element {index} selected", lambda s: s["timeline"]["selected"]["id"] == index)
            self.assertEqual(selected["timeline"]["selected"]["size"], element["size"])

    def test_near_views_are_drawn_from_the_triangle_mesh(self):
        state = self.opened.fresh()
        self.assertGreater(state["triangle_mesh"]["records"], 0)
        self.assertEqual(state["drawn_from"], "index")
        self.opened.wheel(*self.middle(state), 40, "ctrl")
        near = self.opened.wait("a near view", lambda s: s["drawn_from"] == "mesh")
        self.assertEqual(near["uploaded_bytes"], state["uploaded_bytes"])

    def test_escape_clears_the_selection(self):
        state = self.opened.fresh()
        self.opened.click_at(*self.middle(state, 0.5, 0.95))
        self.opened.wait("a selection", lambda s: s["timeline"]["selected"])
        self.opened.key("Escape")
        self.opened.wait("no selection", lambda s: s["timeline"]["selected"] is None)

    def test_a_click_on_empty_ground_leads_back_to_live(self):
        state = self.opened.fresh()
        self.opened.click_at(*self.middle(state, 0.5, 0.95))
        self.opened.wait("its page", lambda s: s["timeline"]["selected"] and s["findings"]["page"] == "allocation")
        self.opened.point(*self.middle(state, 0.03, 0.05))   # above everything that is live so early
        self.opened.wait("nothing under the mouse", lambda s: s["timeline"]["hovered"] is None)
        self.opened.press_button()
        self.opened.wait("what is alive", lambda s: s["timeline"]["selected"] is None and s["findings"]["page"] == "live")

    def test_wheel_keeps_the_point_under_the_cursor(self):
        state = self.opened.fresh()
        x, y = self.middle(state, 0.4, 0.6)
        before = self.place(state, x, y)
        for notches in (3, 10, -4):
            narrow = state["timeline"]["view"][1] - state["timeline"]["view"][0]
            state = self.opened.wheel(x, y, notches)
            view = state["timeline"]["view"]
            self.assertEqual(view[1] - view[0] < narrow, notches > 0)
            self.assert_same_place(before, self.place(state, x, y), view)

    def test_wheel_with_a_modifier_zooms_one_axis(self):
        state = self.opened.fresh()
        x, y = self.middle(state)
        view = state["timeline"]["view"]
        after = self.opened.wheel(x, y, 3, "ctrl")["timeline"]["view"]
        self.assertLess(after[1] - after[0], view[1] - view[0])
        self.assertEqual(after[2:], view[2:])
        last = self.opened.wheel(x, y, 3, "shift")["timeline"]["view"]
        self.assertEqual(last[:2], after[:2])
        self.assertLess(last[3] - last[2], after[3] - after[2])

    def test_drag_moves_the_picture_with_the_mouse_and_uploads_nothing(self):
        x, y = self.middle(self.opened.fresh())
        state = self.opened.wheel(x, y, 8)
        before, uploaded, pictures = self.place(state, x, y), state["uploaded_bytes"], state["drawn_pictures"]
        state = self.opened.drag(x, y, x + 120, y - 60)
        self.assert_same_place(before, self.place(state, x + 120, y - 60), state["timeline"]["view"])
        self.assertGreater(state["drawn_pictures"], pictures)
        self.assertEqual(state["uploaded_bytes"], uploaded)
        self.assertIsNone(state["timeline"]["selected"], "a drag is no click")

    def test_keys_pan_and_fit_and_upload_nothing(self):
        state = self.opened.fresh()
        whole, uploaded = state["timeline"]["view"], state["uploaded_bytes"]
        self.opened.wheel(*self.middle(state), 6)
        for key, axis, sign in (("d", 0, 1), ("a", 0, -1), ("w", 2, 1), ("s", 2, -1), ("Right", 0, 1), ("Up", 2, 1)):
            before = self.opened.fresh()["timeline"]["view"]
            self.opened.key(key)
            self.opened.wait(f"{key} to move the picture",
                             lambda s: (s["timeline"]["view"][axis] - before[axis]) * sign > 0)
        self.opened.key("f")
        state = self.opened.wait("all of the picture", lambda s: s["timeline"]["view"] == whole)
        self.assertEqual(state["uploaded_bytes"], uploaded)

    def test_nothing_loses_the_picture(self):
        state = self.opened.fresh()
        x, y = self.middle(state)
        self.opened.wheel(x, y, -60)
        for target in ((x + 700, y), (x, y + 300)):
            state = self.opened.drag(x, y, *target)
        x_begin, x_end, y_begin, y_end = state["timeline"]["view"]
        self.assertGreater(x_end, 0)
        self.assertGreater(y_end, 0)
        self.assertLess(y_begin, state["timeline"]["peak_bytes"])
        self.assertLess(x_end - x_begin, 1e7)


if __name__ == "__main__":
    unittest.main()
