"""The picture coloured by kind: the legend agrees with the kinds in the generator's own state."""
import json
import pickle
import subprocess
import unittest
from collections import Counter

from driver import BINARY, WindowTest
import snapshots


def truth_at_peak(path):
    """Returns the bytes by kind at the peak, from the trace and the generator's kind of each allocation."""
    trace = pickle.loads(path.read_bytes())["device_traces"][0]
    kind_of = dict(map(tuple, json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["kinds"]["truth"]))
    live, total, peak, at_peak = {}, 0, 0, Counter()
    for index, event in enumerate(trace):
        if event["action"] == "alloc":
            live[event["addr"]] = (event["size"], kind_of.get(index, "unknown"))
            total += event["size"]
        elif event["action"] == "free_completed":
            total -= live.pop(event["addr"], (0, ""))[0]
        if total > peak:
            peak, at_peak = total, Counter()
            for size, kind in live.values():
                at_peak[kind] += size
    return at_peak


class Kinds(WindowTest):
    def setUp(self):
        super().setUp()
        snapshots.make("gen_planted.py", self.folder, "kinds")
        self.path = self.folder / "kinds.pickle"
        self.opened = self.open_on_start(self.path)

    def colour_by_kind(self):
        self.opened.click("menu_picture")
        self.opened.click("menu_colour")
        self.opened.click("menu_colour_Kind")
        self.opened.wait("kinds", lambda s: any(g["name"] == "parameter" for g in s["overlays"]["groups"]))
        self.opened.point(5, 5)  # away from the picture, the legend shows the peak, one frame later
        return self.opened.wait("the peak", lambda s: self.legend_bytes(s) == s["timeline"]["peak_bytes"])

    def legend_bytes(self, state):
        return sum(group["bytes"] for group in state["overlays"]["groups"])

    def groups(self, state):
        return {group["name"].replace(" ", "_"): group for group in state["overlays"]["groups"]}

    def test_the_legend_is_what_the_file_was_written_for(self):
        state = self.colour_by_kind()
        groups = self.groups(state)
        self.assertIn("unknown", groups, "it is always listed")
        self.assertEqual(sum(group["count"] for group in groups.values()), state["timeline"]["allocations"])
        truth = truth_at_peak(self.path)
        right = sum(min(size, groups.get(kind, {"bytes": 0})["bytes"]) for kind, size in truth.items())
        self.assertGreaterEqual(right, 0.98 * (state["timeline"]["peak_bytes"] - truth["input"]))

    def test_the_legend_tells_the_moment_under_the_mouse(self):
        state = self.colour_by_kind()
        left, top = state["timeline"]["canvas"][:2]
        self.opened.click_at(left + 12, top + 4)
        self.opened.wait("that moment", lambda s: s["live"]["bytes"] < s["timeline"]["peak_bytes"] / 2 and
                         self.legend_bytes(s) == s["live"]["bytes"])

    def test_a_kind_stands_out_and_is_remembered(self):
        state = self.colour_by_kind()
        self.opened.click("group_1")
        self.opened.wait("its allocations", lambda s: s["search"]["hits"] == state["overlays"]["groups"][1]["count"])
        self.assertEqual(self.opened.close(), 0)
        again = self.open_on_start(self.path)
        again.wait("the same colours", lambda s: [g["count"] for g in s["overlays"]["groups"]] ==
                   [g["count"] for g in state["overlays"]["groups"]])

    def give_rules(self, window, text):
        window.click("menu_panels")
        window.click("menu_tools_kind_rules")
        window.click("kind_rules_text")
        window.key("ctrl+a", "Delete")
        window.type(text)
        window.wait("the text", lambda s: s["kind_rules"]["text"] == text)
        window.click("kind_rules_use")
        window.point(5, 5)

    def test_own_rules_come_first_and_are_remembered(self):
        rules = '[{"kind": "activation", "frame": "optim"}]'  # the only activation at the peak
        (self.folder / "rules.json").write_text(rules, encoding="utf-8")
        told = subprocess.run([BINARY, "report", self.path, "--rules", self.folder / "rules.json", "--json"], check=True,
                              capture_output=True, text=True).stdout
        expected = {kind: each["bytes"] for kind, each in json.loads(told)["devices"][0]["kinds"]["at_peak"].items() if each["bytes"]}

        def agrees(state):
            return {name: group["bytes"] for name, group in self.groups(state).items() if group["bytes"]} == expected

        window = self.opened
        without = self.groups(self.colour_by_kind())
        self.assertEqual(without["activation"]["bytes"], 0)
        self.give_rules(window, '[{"kind": "cash", "frame": "optim"}]')
        window.wait("what is wrong with it", lambda s: "rule 1" in s["kind_rules"]["error"])
        window.key("Escape")
        window.wait("no window", lambda s: s.get("kind_rules") is None)
        window.point(5, 5)
        window.wait("the kinds of before", lambda s: self.groups(s) == without)
        self.give_rules(window, rules)
        window.wait("the rules in the legend", agrees)
        self.assertEqual(window.close(), 0)
        again = self.open_on_start(self.path)
        again.point(5, 5)
        again.wait("the same rules", agrees)
        self.give_rules(again, "")
        again.wait("no rules", lambda s: self.groups(s) == without)


if __name__ == "__main__":
    unittest.main()
