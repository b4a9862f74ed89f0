"""The flame graph of a moment: its bars are what `tree` says, and its bars and the timeline's allocations are one selection."""
import json
import subprocess
import unittest

from driver import BINARY, SAMPLE, WindowTest


def tree_at_the_peak(frames):
    done = subprocess.run([BINARY, "tree", str(SAMPLE), "--frames", frames, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


class Flame(WindowTest):
    def open_flame(self):
        window = self.open_on_start(SAMPLE)
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
        state = window.fresh()  # the picture is below the row of tabs
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


if __name__ == "__main__":
    unittest.main()
