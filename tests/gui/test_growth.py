"""The page of growth agrees with `report --json` and finds the planted leak, and a click highlights all allocations of the stack."""
import json
import pickle
import subprocess
import unittest

from driver import BINARY, WindowTest


def growth_of(path):
    done = subprocess.run([BINARY, "report", str(path), "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["devices"][0]["growth"]


class Growth(WindowTest):
    def open_growth(self, name):
        self.path = self.planted(name)
        window = self.open(self.path)
        window.click("tab_growth")
        return window, window.wait("what grows", lambda s: s["growth"] and s["findings"]["page"] == "growth")

    def test_rows_are_those_of_the_report_and_the_planted_leak_is_first(self):
        window, state = self.open_growth("leak-steps")
        report = growth_of(self.path)
        expected = [(row["source"], row["state"], row["held"]) for row in report["suspects"] + report["settled"]]
        rows = state["growth"]["rows"]
        self.assertEqual([(row["source"], row["state"], row["held"]) for row in rows], expected)
        books = json.loads(self.path.with_suffix(".json").read_text(encoding="utf-8"))["growth"]["leaks"]
        leaks = {row["source"]: row["slope"] for row in rows if row["state"] == "leak"}
        self.assertEqual(leaks.keys(), books.keys())
        for source, slope in books.items():
            self.assertAlmostEqual(leaks[source], slope, delta=512)
        self.assertGreaterEqual(window.rect("growth_row_0")[1], window.rect("growth_all")[3], "the rows are below the sum")

    def test_a_click_lets_all_that_its_stack_made_stand_out(self):
        window, state = self.open_growth("leak-steps")
        window.key("plus", "plus")
        window.click("growth_row_0")
        state = window.wait("its allocations", lambda s: s["growth"]["chosen"] == 0 and s["search"]["hits"])
        name, place = state["growth"]["rows"][0]["source"].split("@")

        def made_by(event):
            return event["action"] == "alloc" and any(
                frame["name"] == name and place == f"{frame['filename'].split('/')[-1]}:{frame['line']}"
                for frame in event["frames"])
        trace = pickle.loads(self.path.read_bytes())["device_traces"][0]
        self.assertEqual(state["search"]["hits"], sum(map(made_by, trace)))
        self.assertLessEqual(state["timeline"]["view"][0], 0)
        self.assertEqual(state["findings"]["page"], "growth", "it stays in front")

    def test_steps_are_bands_in_the_picture_while_the_page_is_in_front(self):
        window, _ = self.open_growth("leak-stacks")
        done = subprocess.run([BINARY, "report", str(self.path), "--json"], check=True, capture_output=True, text=True)
        steps = json.loads(done.stdout)["devices"][0]["steps"]["steps"]
        self.assertGreater(len(steps), 8)
        state = window.wait("the bands", lambda s: "step_0" in s["rects"])
        begin, end = state["timeline"]["view"][:2]
        left, _, right, _ = state["timeline"]["canvas"]
        for index, step in enumerate(steps):
            band = state["rects"][f"step_{index}"]
            for place, px in (("begin_step", band[0]), ("end_step", band[2])):
                self.assertAlmostEqual(px, left + (step[place] - begin) / (end - begin) * (right - left), delta=1.5)
        window.click("tab_live")
        window.wait("no bands", lambda s: "step_0" not in s["rects"])

    def born_between(self, begin, end):
        """Returns the bytes and number of allocations between two steps of the axis that are never freed."""
        window = self.opened
        rows = window.answer("SELECT coalesce(sum(size), 0), count(*) FROM allocations WHERE free_step IS NULL "
                             f"AND alloc_step > {begin} AND alloc_step <= {end}")["first_rows"]
        return [int(cell) for cell in rows[0]]

    def test_flags_can_be_moved_and_tell_what_was_born_between_them(self):
        self.opened, state = self.open_growth("leak-steps")
        window = self.opened
        report = growth_of(self.path)
        window.click("growth_by_flags")
        state = window.wait("the flags", lambda s: s["generation"] and "generation_flag_1" in s["rects"])
        # The flags are first placed around the examined steps, so the memory born between them and never freed is that of the
        # report's generations.
        left = sum(sum(row["left_by_generation"][report["warmup"]:]) for row in report["suspects"] + report["settled"])
        self.assertGreaterEqual(state["generation"]["left"]["bytes"], 0.9 * left)
        self.assertEqual([state["generation"]["left"][key] for key in ("bytes", "count")], self.born_between(*state["generation"]["steps"]))
        before = state["generation"]["steps"]
        canvas = state["timeline"]["canvas"]
        foot = [(window.rect("generation_flag_1")[at] + window.rect("generation_flag_1")[at + 2]) / 2 for at in (0, 1)]
        window.drag(*foot, canvas[0] + 0.51 * (canvas[2] - canvas[0]), foot[1])
        state = window.wait("a flag elsewhere", lambda s: s["generation"]["steps"][1] < before[1])
        self.assertEqual(state["generation"]["steps"][0], before[0])
        self.assertEqual([state["generation"]["left"][key] for key in ("bytes", "count")], self.born_between(*state["generation"]["steps"]))
        view = state["timeline"]["view"]
        self.assertAlmostEqual(state["generation"]["steps"][1], view[0] + 0.51 * (view[1] - view[0]), delta=0.02 * (view[1] - view[0]))
        window.click("generation_row_0")
        window.wait("its allocations", lambda s: s["search"] and s["search"]["hits"] == state["generation"]["left"]["rows"][0]["count"])
        window.click("growth_by_step")
        window.wait("the steps again", lambda s: s["generation"] is None and "growth_row_0" in s["rects"])

    def test_without_steps_flags_still_tell(self):
        self.opened, _ = self.open_growth("oom-fragmentation")
        self.opened.click("growth_by_flags")
        state = self.opened.wait("the flags", lambda s: s["generation"])
        self.assertEqual([state["generation"]["left"][key] for key in ("bytes", "count")], self.born_between(*state["generation"]["steps"]))

    def test_without_steps_it_says_why_nothing_can_be_told(self):
        _, state = self.open_growth("oom-fragmentation")
        self.assertIn("No step boundaries found", state["growth"]["sentence"])
        self.assertEqual(state["growth"]["rows"], [])


if __name__ == "__main__":
    unittest.main()
