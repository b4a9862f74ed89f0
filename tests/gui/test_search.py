"""Search and lists agree with a simple count over the file's own events."""
import re
import unittest

import reference
from driver import SAMPLE, WindowTest


def stack_lines(event):
    return [f"{frame['filename']}:{frame['line']}:{frame['name']}".lower() for frame in event.get("frames", [])]


def commonest_function():
    """Returns (name, number of alloc events with it on their stack) for a common name that not all of them have."""
    events = [event for event in reference.load(SAMPLE)["device_traces"][0] if event["action"] == "alloc"]
    uses = {}
    for event in events:
        for name in {frame["name"] for frame in event.get("frames", [])}:
            uses[name] = uses.get(name, 0) + 1
    plain = {name: count for name, count in uses.items() if name.isalpha() and len(name) > 4 and count < len(events)}
    name = max(plain, key=plain.get)
    return name, sum(any(name.lower() in line for line in stack_lines(event)) for event in events)


class Search(WindowTest):
    def setUp(self):
        super().setUp()
        self.opened = self.open(SAMPLE)

    def find(self, text):
        self.opened.key("ctrl+f")
        self.opened.wait("the search bar", lambda s: s["search"] and s["rects"]["search_field"])
        self.opened.fresh()
        self.opened.type(text)
        return self.opened.wait(f"a search for {text}", lambda s: s["search"]["text"] == text and s["search"]["hits"] is not None)

    def canvas_colours(self):
        left, top, right, bottom = self.opened.fresh()["timeline"]["canvas"]
        return self.opened.display.colours_in(left + 5, (top + bottom) / 2, right - 5, bottom - 5)

    def test_hits_are_those_of_the_file_and_a_bit_for_each_allocation_is_sent(self):
        name, expected = commonest_function()
        before = self.opened.fresh()
        found = self.find(name.upper())
        self.assertGreaterEqual(found["search"]["hits"], expected)  # frees of older allocations also have stacks
        self.assertLess(found["search"]["hits"], before["timeline"]["allocations"])
        words = -(-before["timeline"]["allocations"] // 32)
        tables, rest = divmod(found["uploaded_bytes"] - before["uploaded_bytes"], 4 * words)
        self.assertEqual(rest, 0, "whole tables of what stands out and nothing else")
        self.assertTrue(1 <= tables <= len(name), "at most one a letter")

    def test_what_is_not_found_is_grey_and_escape_ends_it(self):
        coloured = self.canvas_colours()
        found = self.find("nowhere to be found")
        self.assertEqual(found["search"]["hits"], 0)
        grey = self.canvas_colours()
        self.assertLess(grey, coloured)
        self.opened.key("Escape")
        self.opened.wait("no search", lambda s: s["search"] is None)
        self.assertEqual(self.canvas_colours(), coloured)

    def test_enter_goes_from_hit_to_hit_and_back(self):
        name, _ = commonest_function()
        self.find(name)
        selected = []
        for keys in ("Return", "Return", "shift+Return"):
            last = selected[-1] if selected else None
            self.opened.key(keys)
            state = self.opened.wait("another selection", lambda s: s["timeline"]["selected"]["id"] != last)
            selected.append(state["timeline"]["selected"]["id"])
        self.assertLess(selected[0], selected[1])
        self.assertEqual(selected[0], selected[2])

    def seen_px(self, timeline):
        """Returns width and height of the selected allocation on the screen."""
        x_begin, x_end, y_begin, y_end = timeline["view"]
        left, top, right, bottom = timeline["canvas"]
        done = self.opened.answer(f"SELECT alloc_step, coalesce(free_step, (SELECT max(steps) FROM devices)) FROM allocations "
                                  f"WHERE id = {timeline['selected']['id']}")
        begin, end = map(float, done["first_rows"][0])
        return (end - begin) / (x_end - x_begin) * (right - left), timeline["selected"]["size"] / (y_end - y_begin) * (bottom - top)

    def test_sizes_and_expressions_are_understood(self):
        sizes, _ = reference.allocations(SAMPLE)
        limit = sorted(sizes)[len(sizes) // 2]
        self.assertEqual(self.find(f"> {limit} B")["search"]["hits"], sum(size > limit for size in sizes))
        self.opened.key("Escape")
        self.opened.wait("no search", lambda s: s["search"] is None)
        wanted = re.compile(r"model\.py:\d*[02468]:[a-z]+\.forward$", re.IGNORECASE)
        events = [event for event in reference.load(SAMPLE)["device_traces"][0] if event["action"] == "alloc"]
        expected = sum(any(wanted.search(line) for line in stack_lines(event)) for event in events)
        self.assertTrue(0 < expected < len(events))
        self.assertEqual(self.find(r"re:MODEL\.py:\d*[02468]:[a-z]+\.forward$")["search"]["hits"], expected)

    def test_what_is_wrong_is_said_and_greys_nothing(self):
        self.opened.key("ctrl+f")
        self.opened.wait("the search bar", lambda s: s["search"] and s["rects"]["search_field"])
        coloured = self.canvas_colours()
        self.opened.type("size > huge")
        state = self.opened.wait("the error", lambda s: s["search"]["text"] == "size > huge" and s["search"]["error"])
        self.assertIn("size needs a number", state["search"]["error"])
        self.assertIsNone(state["search"]["hits"])
        self.assertEqual(self.canvas_colours(), coloured)
        self.opened.key("ctrl+a")
        self.opened.type("> 1")
        self.opened.wait("hits", lambda s: s["search"]["error"] == "" and s["search"]["hits"])

    def test_escape_ends_it_beside_a_window_without_the_keyboard(self):
        self.find("> 1 KiB")
        self.opened.key("F1")
        self.opened.wait("the window of keys", lambda s: s["actions"])
        left, top, _, _ = self.opened.fresh()["timeline"]["canvas"]
        self.opened.click_at(left + 3, top + 3)
        self.opened.fresh()
        self.opened.key("Escape")
        state = self.opened.wait("no search", lambda s: s["search"] is None)
        self.assertTrue(state["actions"], "the window stays")

    def test_which_of_the_hits_it_is(self):
        count = self.find("> 1 KiB")["search"]["hits"]
        for keys, place in (("Return", 1), ("Return", 2), ("shift+Return", 1), ("shift+Return", count)):
            self.opened.key(keys)
            self.opened.wait(f"hit {place}", lambda s: s["search"]["place"] == place)

    def test_a_small_hit_is_marked_come_near_to_and_pointed_at(self):
        smallest = min(reference.allocations(SAMPLE)[0])
        whole = self.opened.fresh()["timeline"]
        left, top, right, bottom = whole["canvas"]
        state = self.find(f"size = {smallest}")
        self.assertLess(smallest / (whole["view"][3] - whole["view"][2]) * (bottom - top), 1, "it can be seen already")
        state = self.opened.wait("marks", lambda s: s["search"]["marked_columns"])
        columns = state["search"]["marked_columns"]
        left, top, right, bottom = state["timeline"]["canvas"]
        self.opened.fresh()
        screen = self.opened.display.screen()[2]
        unmarked = next(x for x in range(1, int(right - left)) if not {x - 1, x, x + 1, x - 2} & set(columns))

        def colour(column):
            x, y = round(left) + column, round(top) + 3
            return screen[y][3 * x:3 * x + 3]
        self.assertNotEqual(colour(columns[0]), colour(unmarked))
        self.opened.key("Return")
        state = self.opened.wait("a hit", lambda s: s["search"]["place"] == 1 and s["rects"]["hit_pointer"])
        self.assertEqual(state["timeline"]["selected"]["size"], smallest)
        self.assertNotEqual(state["timeline"]["view"], whole["view"])
        pointer = state["rects"]["hit_pointer"]
        self.assertTrue(top <= pointer[1] and pointer[3] <= bottom, pointer)
        width_px, height_px = self.seen_px(state["timeline"])
        self.assertGreaterEqual(width_px, 4)
        self.assertGreaterEqual(height_px, 4)
        self.opened.click("canvas")
        self.opened.key("BackSpace")
        self.opened.wait("the view before", lambda s: s["timeline"]["view"] == whole["view"])

    def test_as_sql_and_as_a_list(self):
        for text in ("forward > 1 KiB", r"re:forward$"):
            hits = self.find(text)["search"]["hits"]
            self.assertGreater(hits, 0)
            self.opened.click("search_sql")
            query = self.opened.wait("its rows", lambda s: s["query"]["rows"] == hits and not s["query"]["running"])["query"]
            self.assertIsNone(query["error"])
            self.opened.click("search_close")
            self.opened.wait("no search", lambda s: s["search"] is None)
        hits = self.find("> 1 MiB")["search"]["hits"]
        self.opened.click("search_list")
        self.opened.wait("the table", lambda s: s["table"]["only_hits"] and s["table"]["rows"] == hits)

    def test_an_example_of_what_may_be_typed_is_tried_by_a_click(self):
        self.opened.key("ctrl+f")
        self.opened.click("search_help")
        self.opened.click("search_example_3")
        self.opened.wait("the example", lambda s: s["search"]["text"] == "> 100 MiB" and s["search"]["hits"] is not None)

    def test_the_live_list_is_the_peak_until_a_click_and_a_row_shows_its_stack(self):
        self.opened.click("tab_live")
        state = self.opened.wait("the list", lambda s: s["live"]["first_rows"])
        self.assertEqual(state["live"]["bytes"], state["timeline"]["peak_bytes"])
        rows = [row["bytes"] for row in state["live"]["first_rows"]]
        self.assertEqual(rows, sorted(rows, reverse=True))
        self.opened.click("live_row_1")
        found = self.opened.wait("a stack that stands out", lambda s: s["search"]["stack"] is not None)
        self.assertEqual(found["search"]["peak_bytes"], rows[1])
        self.opened.click("live_row_1")
        self.opened.wait("nothing stands out", lambda s: s["search"] is None)
        left, top, right, bottom = state["timeline"]["canvas"]
        self.opened.click_at(right - 3, top + 3)
        self.opened.wait("another moment", lambda s: s["live"]["step"] > state["live"]["step"])


if __name__ == "__main__":
    unittest.main()
