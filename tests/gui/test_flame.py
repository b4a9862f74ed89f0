"""The flame graph of a moment agrees with `tree`, and its bars and the timeline's allocations are one selection."""
import json
import subprocess
import unittest

import reference
from driver import BINARY, SAMPLE, WindowTest


def tree_at_the_peak(frames):
    done = subprocess.run([BINARY, "tree", str(SAMPLE), "--frames", frames, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


class Flame(WindowTest):
    def open_flame(self):
        window = self.open(SAMPLE)
        window.key("g")
        state = window.wait("the flame graph", lambda s: s["icicle"] and s["icicle"]["shown"] == "flame graph")
        return window, state

    def test_it_is_the_tree_of_the_moment(self):
        window, state = self.open_flame()
        nodes = {}
        for frames in ("filtered", "own"):
            window.click(f"flame_{frames}")
            tree = tree_at_the_peak(frames)
            nodes[frames] = len(tree["nodes"])
            state = window.wait(frames, lambda s: s["icicle"]["nodes"] == len(tree["nodes"]))
            self.assertEqual(state["icicle"]["total"], tree["bytes"])
        self.assertLess(nodes["own"], nodes["filtered"])

    def test_a_bar_lights_up_what_it_stands_for(self):
        window, state = self.open_flame()
        left, top, right, bottom = window.rect("icicle")
        window.click_at(left + 0.1 * (right - left), top + 1.5 * state["icicle"]["row_px"])
        state = window.wait("a bar", lambda s: s["icicle"]["selected"])
        bar = state["icicle"]["selected"]
        self.assertEqual(bar["depth"], 1)
        self.assertEqual(state["search"]["hits"], bar["entries"])
        window.key("g")
        window.wait("the timeline", lambda s: s["icicle"] is None)

    def test_it_follows_live_and_turns_around(self):
        window, state = self.open_flame()
        total = state["icicle"]["total"]
        window.click("picture_timeline")
        window.wait("the timeline", lambda s: s["icicle"]["shown"] is None)
        window.click("tab_live")
        window.wait("the list of the peak", lambda s: s["live"])
        state = window.fresh()  # the row of tabs moves the picture down
        left, top, right, bottom = state["timeline"]["canvas"]
        window.click_at(left + 0.1 * (right - left), top + 3)
        state = window.wait("another moment", lambda s: s["icicle"] and s["live"]["step"] != state["live"]["step"])
        window.click("picture_flame graph")
        state = window.wait("its graph", lambda s: s["icicle"]["shown"] == "flame graph" and s["icicle"]["total"] != total)
        self.assertEqual(state["icicle"]["total"], state["live"]["bytes"])
        nodes = state["icicle"]["nodes"]
        window.click("flame_callees")
        state = window.wait("the other way round", lambda s: s["icicle"]["nodes"] != nodes)
        self.assertEqual(state["icicle"]["total"], state["live"]["bytes"])

    def select_bar(self, window, depth, across=0.1):
        state = window.fresh()
        left, top, right, bottom = window.rect("icicle")
        row_px, first_row = state["icicle"]["row_px"], state["icicle"]["window"][2]
        place = left + across * (right - left), top + (depth - first_row + 0.5) * row_px
        window.click_at(*place)
        state = window.wait("a bar", lambda s: s["icicle"]["selected"] and s["icicle"]["selected"]["depth"] == depth)
        return place, state["icicle"]["selected"]

    def passing_through(self, file, function):
        """Returns the live bytes at the peak with a frame of the function on their stack, and the number of places that call it first."""
        folded = subprocess.run([BINARY, "tree", str(SAMPLE), "--frames", "all", "--folded"], check=True, capture_output=True, text=True)
        total, callers = 0, set()
        for line in folded.stdout.splitlines():
            stack, size = line.rsplit(" ", 1)
            frames = stack.split(";")
            calls = [n for n, frame in enumerate(frames) if frame.startswith(f"{file}:") and frame.endswith(f":{function}")]
            if calls:
                total += int(size)
                callers.update(frames[:calls[0]][-1:])
        return total, len(callers)

    def test_callers_and_callees_of_a_function_and_the_way_back(self):
        window, state = self.open_flame()
        window.click("flame_all")
        whole = window.wait("all frames", lambda s: s["icicle"]["nodes"] > state["icicle"]["nodes"])["icicle"]
        place, bar = self.select_bar(window, 4)
        function = bar["label"].split("  ")[0]
        expected, callers = self.passing_through(bar["file"], function)
        ways = {"the key": lambda: window.key("c"), "the button": lambda: window.click("flame_around"), "the menu": lambda: self.by_menu(window, place)}
        for way, go in ways.items():
            with self.subTest(way):
                go()
                state = window.wait("its callers", lambda s: s["icicle"]["root_row"] > 0)
                self.assertEqual(state["icicle"]["total"], expected)
                self.assertIn("flame_all_calls", state["rects"])
                _, root = self.select_bar(window, state["icicle"]["root_row"])
                self.assertEqual((root["width"], root["label"].split("  ")[0]), (expected, function))
                window.click("flame_all_calls")
                window.wait("all calls", lambda s: s["icicle"]["root_row"] == 0 and s["icicle"]["total"] == whole["total"])
                place, _ = self.select_bar(window, 4)
        window.key("c")
        window.wait("its callers", lambda s: s["icicle"]["root_row"] > 0)
        state = window.fresh()
        above = [self.select_bar(window, state["icicle"]["root_row"] - 1, across)[1]["node"] for across in (0.02, 0.98)]
        self.assertEqual(len(set(above)) > 1, callers > 1)
        window.key("Escape", "Escape")
        window.wait("Esc comes back as well", lambda s: s["icicle"]["root_row"] == 0)

    def by_menu(self, window, place):
        window.point(*place)
        window.fresh()
        window.press_button(3)
        window.wait("the menu", lambda s: "bar_callers" in s["rects"])
        window.click("bar_callers")

    def test_it_is_of_a_range_while_the_ruler_is_there(self):
        window = self.open(SAMPLE)
        ruler = window.measure(0.2, 0.6)["ruler"]
        window.key("g")
        state = window.wait("what the range allocated", lambda s: s["icicle"] and s["icicle"]["shown"] and s["icicle"]["total"] == ruler["made_bytes"])
        window.click("flame_left")
        begin, end = ruler["steps"]
        state = window.wait("what it left", lambda s: s["icicle"]["total"] < ruler["made_bytes"])
        tree = subprocess.run([BINARY, "query", str(SAMPLE), "SELECT sum(size) FROM allocations WHERE alloc_step > "
                               f"{begin} AND alloc_step <= {end} AND coalesce(free_step, 1e18) > {end}", "--format", "csv"],
                              check=True, capture_output=True, text=True)
        self.assertEqual(state["icicle"]["total"], int(tree.stdout.split()[1]))
        window.click("flame_live")
        window.wait("the peak", lambda s: s["icicle"]["total"] == s["timeline"]["peak_bytes"])

    def test_it_is_saved_as_folded_stacks(self):
        window, _ = self.open_flame()
        window.click("flame_own")
        window.wait("own lines", lambda s: s["icicle"]["nodes"] == len(tree_at_the_peak("own")["nodes"]))
        window.click("flame_save")
        window.wait("the field", lambda s: "flame_save_path" in s["rects"])
        path = self.folder / "sample.folded"
        window.click("flame_save_path")
        window.key("ctrl+a")
        window.type(window.named(path))
        window.fresh()
        window.click("flame_save_text")
        window.wait_saved(path)
        done = subprocess.run([BINARY, "tree", str(SAMPLE), "--frames", "own", "--folded"], check=True, capture_output=True, text=True)
        self.assertEqual(path.read_text(encoding="utf-8"), done.stdout)


if __name__ == "__main__":
    unittest.main()
