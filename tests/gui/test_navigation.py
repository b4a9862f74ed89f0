"""Ways to a place in the picture and back: boxes, the ruler, double clicks, previous views, the command palette."""
import unittest

from driver import SAMPLE, WindowTest


class Navigation(WindowTest):
    def setUp(self):
        super().setUp()
        self.opened = self.open(SAMPLE)
        self.whole = self.opened.fresh()["timeline"]["view"]

    def canvas(self, x, y):
        left, top, right, bottom = self.opened.state()["timeline"]["canvas"]
        return left + (right - left) * x, top + (bottom - top) * y

    def view(self):
        return self.opened.fresh()["timeline"]["view"]

    def drag(self, begin, end, button, modifier=None):
        window = self.opened
        window.point(*begin)
        if modifier:
            window.xdotool("keydown", modifier)
        window.fresh()
        window.xdotool("mousedown", button)
        window.fresh()
        for part in (0.4, 1.0):
            window.point(begin[0] + (end[0] - begin[0]) * part, begin[1] + (end[1] - begin[1]) * part)
        window.xdotool("mouseup", button)
        state = window.fresh()
        if modifier:
            window.xdotool("keyup", modifier)
        return state

    def assert_near(self, view, expected):
        for got, wanted, extent in zip(view, expected, (self.whole[1],) * 2 + (self.whole[3],) * 2):
            self.assertAlmostEqual(got, wanted, delta=extent / 300)

    def test_a_right_drag_zooms_into_its_box(self):
        x_begin, x_end, y_begin, y_end = self.whole
        state = self.drag(self.canvas(0.25, 0.25), self.canvas(0.5, 0.75), 3)
        wide, high = x_end - x_begin, y_end - y_begin
        self.assert_near(state["timeline"]["view"], [x_begin + wide * 0.25, x_begin + wide * 0.5,
                                                     y_begin + high * 0.25, y_begin + high * 0.75])
        self.assertIsNone(state["timeline"]["selected"])

    def test_a_right_drag_with_shift_takes_the_steps_alone(self):
        x_begin, x_end, y_begin, y_end = self.whole
        state = self.drag(self.canvas(0.5, 0.4), self.canvas(0.25, 0.41), 3, "shift")
        wide = x_end - x_begin
        self.assert_near(state["timeline"]["view"], [x_begin + wide * 0.25, x_begin + wide * 0.5, y_begin, y_end])

    def test_back_and_forward_by_key_and_by_mouse_button(self):
        window = self.opened
        views = [self.whole]
        self.drag(self.canvas(0.2, 0.2), self.canvas(0.7, 0.7), 3)
        views.append(self.view())
        window.key("p")
        views.append(window.wait("the peak", lambda s: s["timeline"]["view"] != views[-1])["timeline"]["view"])
        window.wheel(*self.canvas(0.5, 0.5), 5)  # five notches are one movement
        views.append(self.view())
        self.assertEqual(len({tuple(view) for view in views}), 4)
        for expected in reversed(views[:-1]):
            window.key("BackSpace")
            window.wait("the view before", lambda s: s["timeline"]["view"] == expected)
        for expected in views[1:]:
            window.key("shift+BackSpace")
            window.wait("the view after", lambda s: s["timeline"]["view"] == expected)
        window.point(*self.canvas(0.5, 0.5))
        window.press_button(8)
        window.wait("the view before", lambda s: s["timeline"]["view"] == views[2])
        window.press_button(9)
        window.wait("the view after", lambda s: s["timeline"]["view"] == views[3])

    def test_the_strip_of_the_whole_recording_moves_the_view(self):
        window = self.opened
        x_begin, x_end, y_begin, y_end = self.whole
        wide = x_end - x_begin
        left, top, right, bottom = window.rect("minimap")
        row = (top + bottom) / 2

        def at(share):
            return left + (right - left) * share
        # Everything is visible. Drags the right edge to the middle, then the left edge.
        self.assert_near([*window.rect("minimap_window")[::2], 0, 0], [left, right, 0, 0])
        self.drag((right - 2, row), (at(0.5), row), 1)
        self.assert_near(self.view(), [x_begin, x_begin + wide * 0.5, y_begin, y_end])
        self.drag((left + 1, row), (at(0.3), row), 1)
        self.assert_near(self.view(), [x_begin + wide * 0.3, x_begin + wide * 0.5, y_begin, y_end])
        shown = window.fresh()["rects"]["minimap_window"]
        self.assertAlmostEqual(shown[0], at(0.3), delta=3)
        self.assertAlmostEqual(shown[2], at(0.5), delta=3)
        # Dragged at its middle, the window moves without changing its size, and not beyond the recording.
        self.drag((at(0.4), row), (at(0.6), row), 1)
        self.assert_near(self.view(), [x_begin + wide * 0.5, x_begin + wide * 0.7, y_begin, y_end])
        self.drag((at(0.6), row), (right + 40, row), 1)
        self.assert_near(self.view(), [x_begin + wide * 0.8, x_end, y_begin, y_end])
        window.click_at(at(0.25), row)
        window.wait("that place in the middle", lambda s: abs(s["timeline"]["view"][0] - (x_begin + wide * 0.15)) < wide / 200)
        # Each drag is one movement.
        for _ in range(5):
            window.key("BackSpace")
            window.fresh()
        self.assert_near(self.view(), self.whole)
        window.key("o")
        window.wait("no strip", lambda s: not s["minimap"] and "minimap_window" not in s["rects"])
        self.assertLess(window.fresh()["timeline"]["canvas"][1], bottom + 60)

    def test_back_finds_the_axis_again(self):
        window = self.opened
        window.key("t")
        times = window.wait("the time axis", lambda s: s["timeline"]["axis"] == "time")["timeline"]["view"]
        window.key("BackSpace")
        window.wait("steps as before", lambda s: s["timeline"]["axis"] == "steps" and s["timeline"]["view"] == self.whole)
        window.key("shift+BackSpace")
        window.wait("times again", lambda s: s["timeline"]["axis"] == "time" and s["timeline"]["view"] == times)

    def test_ctrl_drag_measures_and_moves_nothing(self):
        window = self.opened
        state = self.drag(self.canvas(0.2, 0.8), self.canvas(0.6, 0.3), 1, "ctrl")
        self.assertEqual(state["timeline"]["view"], self.whole)
        ruler = window.wait("the ruler", lambda s: s["ruler"])["ruler"]
        begin, end = ruler["steps"]
        rows = window.answer(f"SELECT sum(size) FROM allocations WHERE alloc_step > {begin} AND alloc_step <= {end}")["first_rows"]
        self.assertEqual(rows, [[str(ruler["made_bytes"])]])
        rows = window.answer(f"SELECT sum(size) FROM allocations WHERE free_step > {begin} AND free_step <= {end}")["first_rows"]
        self.assertEqual(rows, [[str(ruler["freed_bytes"])]])
        self.assertEqual(ruler["net_bytes"], ruler["made_bytes"] - ruler["freed_bytes"])
        x_begin, x_end, _, _ = self.whole
        self.assertAlmostEqual(end - begin, 0.4 * (x_end - x_begin), delta=0.02 * (x_end - x_begin))
        self.assertIn("ruler", window.fresh()["rects"])
        window.click_at(*self.canvas(0.9, 0.02))
        window.wait("no ruler", lambda s: s["ruler"] is None)

    def test_a_double_click_shows_the_life_of_an_allocation(self):
        window = self.opened
        query = window.answer("SELECT id, alloc_step, free_step, size FROM allocations WHERE free_step IS NOT NULL "
                              "AND free_step > alloc_step + 100 ORDER BY size DESC LIMIT 1")
        id, begin, end, size = map(int, query["first_rows"][0])
        middle = (begin + end) // 2
        below = window.answer(f"SELECT total(size) FROM allocations WHERE id < {id} AND alloc_step <= {middle} "
                              f"AND (free_step IS NULL OR free_step > {middle})")["first_rows"][0][0]
        state = window.fresh()
        window.point(*window.place_on_canvas(state["timeline"], middle, float(below) + size / 2))
        window.wait("it under the mouse", lambda s: s["timeline"]["hovered"]["id"] == id)
        state = window.double_click("its life", lambda s: s["timeline"]["selected"] and s["timeline"]["selected"]["id"] == id
                                    and s["timeline"]["view"][1] - s["timeline"]["view"][0] < 2 * (end - begin) + 20)
        x_begin, x_end, y_begin, y_end = state["timeline"]["view"]
        self.assertLess(x_begin, begin)
        self.assertGreater(x_end, end)
        self.assertGreater(y_end - y_begin, size)


class Palette(WindowTest):
    def open_palette(self, window, typed):
        window.wait("the one before to close", lambda s: s["palette"] is None)
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"])
        window.type(typed)
        return window.wait(f"what answers {typed}", lambda s: s["palette"]["typed"] == typed)["palette"]

    def test_commands_stacks_markers_and_queries_are_found(self):
        window = self.open(SAMPLE)
        self.open_palette(window, "time axis")
        window.wait("the command first", lambda s: s["palette"]["first_matches"][0]["words"] == "Time axis")
        window.key("Return")
        window.wait("the time axis", lambda s: s["timeline"]["axis"] == "time" and s["palette"] is None)

        function = window.answer("SELECT function FROM frames WHERE file LIKE '%.py' AND file NOT LIKE '%torch%' LIMIT 1")
        self.open_palette(window, function["first_rows"][0][0])
        window.wait("a stack", lambda s: any(each["kind"] == "stack" for each in s["palette"]["first_matches"]))
        place = [each["kind"] for each in window.state()["palette"]["first_matches"]].index("stack")
        window.key(*["Down"] * place, "Return")
        window.wait("it to stand out", lambda s: s["search"] and s["search"]["stack"] is not None)

        self.open_palette(window, "peak")
        kinds = {each["kind"] for each in window.state()["palette"]["first_matches"]}
        self.assertLessEqual({"", "marker"}, kinds)
        window.key("Escape")
        window.wait("no palette", lambda s: s["palette"] is None)

        ran = window.state()["query"]["ran_sql"]
        self.open_palette(window, "largest")
        place = [each["kind"] for each in window.state()["palette"]["first_matches"]].index("query")
        window.key(*["Down"] * place, "Return")
        window.wait("a query that ran", lambda s: s["query"]["ran_sql"] != ran and s["query"]["rows"])

    def test_a_click_chooses_and_nothing_is_an_answer(self):
        window = self.open(SAMPLE)
        palette = self.open_palette(window, "qqqzz")
        window.wait("nothing", lambda s: s["palette"]["first_matches"] == [])
        window.key("Return")
        self.assertIsNotNone(window.fresh()["palette"], "Enter chooses nothing where there is nothing")
        window.key("ctrl+a")
        window.type("allocator settings")
        window.wait("the command", lambda s: s["palette"]["first_matches"])
        window.click("palette_0")
        window.wait("the window instead of the palette", lambda s: s["palette"] is None and "settings_filter" in s["rects"])
        self.assertEqual(palette["typed"], "qqqzz")
        window.fresh()  # the new window has the keyboard from its second frame on
        window.key("Escape")
        window.wait("no window", lambda s: "settings_filter" not in s["rects"])

    def test_each_command_has_a_place_of_its_own_in_its_menu(self):
        window = self.open(SAMPLE)
        window.key("F1")
        actions = window.wait("the list", lambda s: s["actions"])["actions"]
        places = [(each["menu"], each["place"]) for each in actions]
        self.assertGreater(len(places), 50)
        self.assertEqual(len(places), len(set(places)))


if __name__ == "__main__":
    unittest.main()
