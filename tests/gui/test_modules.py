"""The picture coloured by module: the legend agrees with the generator's own state."""
import json
import subprocess
import unittest
from collections import Counter

from driver import BINARY, SAMPLE, WindowTest
import snapshots


class Modules(WindowTest):
    def test_the_legend_has_what_each_module_holds(self):
        snapshots.make("gen_modules.py", self.folder / "job.pickle", "--leaks", "layers.3.attn", "--wrapped")
        truth = json.loads((self.folder / "job.json").read_text(encoding="utf-8"))
        expected = Counter()
        for path, roles in truth["own_at_peak"].items():   # four layers hold about a quarter each, so names have two parts
            name = {"-": "no module", "": "the model itself"}.get(path, ".".join(path.split(".")[:2]))
            expected[name] += sum(roles.values())
        window = self.open_on_start(self.folder / "job.pickle")
        window.click("menu_picture")
        window.click("menu_colour")
        window.click("menu_colour_Module")
        window.point(5, 5)  # away from the picture, the legend shows the peak
        legend = lambda s: {group["name"]: group["bytes"] for group in s["overlays"]["groups"] if group["bytes"]}
        state = window.wait("the modules at the peak", lambda s: legend(s) == dict(expected))
        self.assertEqual(sum(group["count"] for group in state["overlays"]["groups"]), state["timeline"]["allocations"])
        window.click("group_0")
        window.wait("what stands out", lambda s: s["search"]["hits"] == state["overlays"]["groups"][0]["count"])

    def test_the_flame_graph_has_modules_in_place_of_frames(self):
        path = self.folder / "job.pickle"
        snapshots.make("gen_modules.py", path)
        tree = json.loads(subprocess.run([BINARY, "tree", path, "--frames", "modules", "--json"], check=True, capture_output=True, text=True).stdout)
        window = self.open_on_start(path)
        window.key("g")
        window.wait("the flame graph", lambda s: s["icicle"] and s["icicle"]["shown"] == "flame graph")
        window.click("flame_modules")
        state = window.wait("modules", lambda s: s["icicle"]["nodes"] == len(tree["nodes"]))
        self.assertEqual(state["icicle"]["total"], tree["bytes"])
        left, top, right, bottom = window.rect("icicle")
        window.click_at(left + 0.1 * (right - left), top + 1.5 * state["icicle"]["row_px"])
        state = window.wait("layers", lambda s: s["icicle"]["selected"])
        self.assertEqual(state["icicle"]["selected"]["entries"], tree["nodes"][1]["count"])
        self.assertEqual(state["search"]["hits"], tree["nodes"][1]["count"], "its allocations stand out in the picture")

    def test_a_file_that_names_no_modules_is_not_coloured_by_them(self):
        window = self.open_on_start(SAMPLE)
        window.key("F1")
        actions = {a["id"]: a["is_possible"] for a in window.wait("the list", lambda s: s["actions"])["actions"]}
        self.assertFalse(actions["colour_Module"])


if __name__ == "__main__":
    unittest.main()
