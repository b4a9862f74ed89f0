"""Finding and listing: what the search says and shows against a plain count of the file's own events."""
import unittest

import reference
from driver import SAMPLE, WindowTest


def stack_lines(event):
    return [f"{frame['filename']}:{frame['line']}:{frame['name']}".lower() for frame in event.get("frames", [])]


def commonest_function():
    """(name, how many alloc events have it on their stack); not a name that all of them have."""
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
        self.opened = self.open_on_start(SAMPLE)

    def find(self, text):
        self.opened.key("ctrl+f")
        self.opened.wait("the search bar", lambda s: s["rects"]["search_field"])
        self.opened.fresh()
        self.opened.type(text)
        return self.opened.wait(f"a search for {text}", lambda s: s["search"]["text"] == text and s["search"]["hits"] is not None)

    def canvas_colours(self):
        left, top, right, bottom = self.opened.fresh()["timeline"]["canvas"]
        return self.opened.display.colours_in(left + 5, (top + bottom) / 2, right - 5, bottom - 5)

    def test_hits_are_those_of_the_file_and_only_colours_are_sent(self):
        name, expected = commonest_function()
        before = self.opened.fresh()
        found = self.find(name.upper())
        self.assertGreaterEqual(found["search"]["hits"], expected)  # frees of what was allocated before have stacks too
        self.assertLess(found["search"]["hits"], before["timeline"]["allocations"])
        tables, rest = divmod(found["uploaded_bytes"] - before["uploaded_bytes"], 4 * before["timeline"]["allocations"])
        self.assertEqual(rest, 0, "whole tables of colours and nothing else")
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
