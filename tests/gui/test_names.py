"""Texts in the blocks of the picture are on the blocks that they name, and nowhere else."""
import os
import pickle
import sqlite3
import unittest

from driver import SAMPLE, WindowTest
from test_reports import MEMORY


class Names(WindowTest):
    def named(self, window):
        return window.wait("names", lambda s: s["names"] and not s["loading"])

    def rest(self, window):
        """Returns the state of a view that does not move, with its texts."""
        state = window.fresh()
        for _ in range(50):
            before, state = state, window.fresh()
            if before["names"] == state["names"] and before["timeline"]["view"] == state["timeline"]["view"]:
                return state
        self.fail("the names do not come to rest")

    def check_each_is_on_its_block(self, window, state, most=8):
        """The allocation under each corner of a text is the one that it names."""
        canvas = state["timeline"]["canvas"]
        for name in state["names"][:most]:
            left, top, right, bottom = name["box"]
            self.assertGreaterEqual(left, canvas[0])
            self.assertLessEqual(right, canvas[2])
            for x, y in ((left, top + 2), (right - 1, bottom - 2)):
                hovered = window.point(x, y)["timeline"]["hovered"]
                self.assertEqual(hovered and hovered["id"], name["id"], name["text"])

    def test_each_name_stands_on_its_block_at_every_zoom(self):
        window = self.open(SAMPLE)
        self.named(window)
        self.check_each_is_on_its_block(window, self.rest(window))
        left, top, right, bottom = window.state()["timeline"]["canvas"]
        window.wheel((left + right) / 2, top + 0.8 * (bottom - top), 12)
        window.point(5, 5)
        state = self.rest(window)
        self.assertTrue(state["names"])
        self.check_each_is_on_its_block(window, state)

    def test_it_says_function_line_and_size(self):
        window = self.open(SAMPLE)
        self.named(window)
        name = self.rest(window)["names"][0]
        left, top, right, bottom = name["box"]
        window.click_at((left + right) / 2, (top + bottom) / 2)
        state = window.wait("the allocation", lambda s: s["timeline"]["selected"])
        selected = state["timeline"]["selected"]
        self.assertEqual(selected["id"], name["id"])
        rows = window.answer(f"SELECT human(size) FROM allocations WHERE id = {name['id']}")["first_rows"]
        self.assertTrue(name["text"].endswith(rows[0][0]), f"{name} {rows}")
        if "@" in selected["own_line"]:
            function, place = selected["own_line"].split("@")
            self.assertIn(name["text"].split("  ")[:2], ([function, os.path.basename(place)], [function, rows[0][0]]))

    def test_what_does_not_stand_out_is_not_named(self):
        window = self.open(SAMPLE)
        self.named(window)
        before = self.rest(window)["names"]
        left, top, right, bottom = before[0]["box"]
        window.click_at((left + right) / 2, (top + bottom) / 2)
        window.click("details_same_stack")
        window.wait("the others of its stack", lambda s: s["search"] and s["search"]["hits"])
        after = self.rest(window)["names"]
        self.assertIn(before[0]["id"], [name["id"] for name in after])
        ids = ", ".join(str(name["id"]) for name in after)
        rows = window.answer(f"SELECT count(DISTINCT stack_id), count(*) FROM allocations WHERE id IN ({ids})")["first_rows"]
        self.assertEqual(rows, [["1", str(len(after))]])

    def test_the_layers_of_a_report_bear_their_bytes(self):
        path = self.folder / "report.db"
        connection = sqlite3.connect(path)
        connection.executescript(MEMORY)
        connection.close()
        window = self.open_on_start(path)
        texts = [name["text"] for name in window.wait("names", lambda s: len(s["names"]) >= 4)["names"]]
        # Of 20,000 bytes, 4,000 each are weights and gradients, 10,000 are activations; the rest is untracked.
        for text in ("weight  3.9 KiB", "gradient  3.9 KiB", "activation  9.8 KiB", "untracked  2.0 KiB"):
            self.assertIn(text, texts)

    def test_colours_that_would_tell_nothing_say_so(self):
        """The sample's allocations have no category; its streams differ."""
        window = self.open(SAMPLE)
        window.key("F1")
        actions = {a["id"]: a["is_possible"] for a in window.wait("the list", lambda s: s["actions"])["actions"]}
        events = [e for e in pickle.loads(SAMPLE.read_bytes())["device_traces"][0] if e["action"] == "alloc"]
        self.assertEqual(actions["colour_Category"], any(event.get("category") for event in events))
        self.assertEqual(actions["colour_Stream"], len({event["stream"] for event in events}) > 1)
        self.assertTrue(actions["colour_Stack"] and actions["colour_Size"] and actions["colour_Age"])

    def test_they_can_be_switched_off(self):
        window = self.open_on_start(SAMPLE)
        self.named(window)
        window.point_at("canvas")
        window.key("b")
        window.wait("no names", lambda s: s["names"] == [])
        self.assertEqual(window.close(), 0)
        again = self.open_on_start(SAMPLE)
        self.assertEqual(self.rest(again)["names"], [])
        again.key("b")
        self.named(again)


if __name__ == "__main__":
    unittest.main()
