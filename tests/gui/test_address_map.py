"""The address map agrees with the output of `layout` for the same event, and is linked with the picture."""
import json
import pickle
import subprocess
import unittest

from driver import BINARY, SAMPLE, WindowTest
import snapshots


def layout_of(path, event):
    done = subprocess.run([BINARY, "layout", str(path), "--event", str(event), "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def holes_of(segment):
    """Returns the free parts of a segment as (begin, end), and the blocks that bound each."""
    at, before, holes = segment["address"], None, []
    for block in sorted(segment["blocks"], key=lambda block: block["address"]) + [None]:
        begin = segment["address"] + segment["size"] if block is None else block["address"]
        if begin > at:
            holes.append((at, begin, [edge["address"] for edge in (before, block) if edge]))
        if block is not None:
            at, before = block["address"] + block["size"], block
    return holes


class AddressMap(WindowTest):
    def open_map(self, path=SAMPLE):
        window = self.open_on_start(path)
        window.wait("the findings", lambda s: s["findings"]["state"] == "ready")
        window.key("m")
        state = window.wait("the map", lambda s: s["address_map"] and s["address_map"]["lines"] > 0)
        return window, state

    def check_moment(self, path, map_state):
        layout = layout_of(path, map_state["moment"] - 1)
        self.assertEqual((map_state["reserved"], map_state["segments"], map_state["blocks"]),
                         (layout["reserved"], len(layout["segments"]), sum(len(s["blocks"]) for s in layout["segments"])))
        return layout

    def test_it_follows_the_mouse_as_layout_says(self):
        window, state = self.open_map()
        self.check_moment(SAMPLE, state["address_map"])
        left, top, right, bottom = state["timeline"]["canvas"]
        seen = set()
        for part in (0.1, 0.35, 0.6, 0.95):
            before = window.state()["address_map"]["moment"]
            window.point(left + part * (right - left), (top + bottom) / 2)
            state = window.wait("another moment", lambda s: s["address_map"]["moment"] != before)
            self.check_moment(SAMPLE, state["address_map"])
            seen.add(state["address_map"]["moment"])
        self.assertEqual(len(seen), 4)

    def test_a_held_moment_stays(self):
        window, state = self.open_map()
        window.click("map_hold")
        held = window.wait("the hold", lambda s: s["address_map"]["held"])["address_map"]["moment"]
        left, top, right, bottom = state["timeline"]["canvas"]
        window.point(left + 0.2 * (right - left), (top + bottom) / 2)
        self.assertEqual(window.fresh()["address_map"]["moment"], held)

    def test_a_click_on_a_hole_names_its_pins(self):
        path = self.folder / "oom-fragmentation.pickle"
        snapshots.make("gen_planted.py", self.folder, "oom-fragmentation")
        window, state = self.open_map(path)
        left, top, right, bottom = state["timeline"]["canvas"]
        window.point(left + 0.95 * (right - left), (top + bottom) / 2)    # near the end of the recording, where there are holes
        window.click("map_free")
        state = window.wait("the hole", lambda s: s["address_map"]["hole"])["address_map"]
        self.assertTrue(state["held"])
        layout = self.check_moment(path, state)
        holes = {(begin, end): pins for segment in layout["segments"] for begin, end, pins in holes_of(segment)}
        chosen = state["hole"]
        self.assertIn((chosen["begin"], chosen["end"]), holes)
        pins = holes[chosen["begin"], chosen["end"]]
        self.assertEqual(sorted(chosen["pins"]), sorted(pins))
        self.assertEqual(len(chosen["sentences"]), 1 + len(pins))

    def test_a_click_on_a_block_selects_its_allocation(self):
        window, _ = self.open_map()
        window.click("map_block")
        state = window.wait("a selection", lambda s: s["timeline"]["selected"])
        layout = layout_of(SAMPLE, state["address_map"]["moment"] - 1)
        sizes = {block["allocation"]: block["requested"] for segment in layout["segments"] for block in segment["blocks"]}
        self.assertIn(state["timeline"]["selected"]["id"], sizes)

    def test_it_comes_nearer_and_goes_away(self):
        window, state = self.open_map()
        lines = state["address_map"]["lines"]
        for _ in range(3):
            window.click("map_nearer")
        window.wait("more lines", lambda s: s["address_map"]["lines"] > 2 * lines)
        left, top, right, bottom = window.rect("map")
        window.wheel((left + right) / 2, (top + bottom) / 2, -6, "ctrl")
        window.wait("all of it again", lambda s: s["address_map"]["lines"] == lines)
        window.key("m")
        window.wait("no map", lambda s: s["address_map"] is None)

    def test_a_file_without_segments_says_why_there_is_none(self):
        with open(SAMPLE, "rb") as file:
            snapshot = pickle.load(file)
        snapshot["segments"] = []
        snapshot["device_traces"] = [[event for event in trace if not event["action"].startswith("segment")]
                                     for trace in snapshot["device_traces"]]
        path = self.folder / "no-segments.pickle"
        path.write_bytes(pickle.dumps(snapshot))
        window = self.open_on_start(path)
        window.wait("the findings", lambda s: s["findings"]["state"] == "ready")
        window.key("m")
        window.wait("why", lambda s: s["address_map"] and "segment" in s["address_map"]["why_empty"])
        self.assertIn("segment", window.fresh()["address_map"]["why_empty"], "said once, and gone in the next frame")

    def test_a_file_without_history_opens_on_its_addresses(self):
        with open(SAMPLE, "rb") as file:
            snapshot = pickle.load(file)
        snapshot["device_traces"] = [[] for _ in snapshot["device_traces"]]
        path = self.folder / "no-history.pickle"
        path.write_bytes(pickle.dumps(snapshot))
        window = self.open_on_start(path)
        state = window.wait("the map", lambda s: s["address_map"] and s["address_map"]["lines"] > 0)
        self.assertEqual(state["address_map"]["segments"], len(snapshot["segments"]))
        window.key("m")
        window.wait("no map", lambda s: s["address_map"] is None)


class Pins(WindowTest):
    def sole_blocks(self, event):
        """Returns (bytes of the block, bytes of the segment) for each segment with one block and idle memory."""
        segments = layout_of(SAMPLE, event)["segments"]
        self.assertFalse(any(segment["expandable"] for segment in segments))
        return sorted(((segment["blocks"][0]["size"], segment["size"]) for segment in segments
                       if len(segment["blocks"]) == 1 and segment["blocks"][0]["size"] < segment["size"]),
                      key=lambda pair: -pair[1])

    def test_the_worst_moment_is_one_click_away_and_its_pins_are_those_of_layout(self):
        window = self.open_on_start(SAMPLE)
        window.wait("the findings", lambda s: s["findings"]["state"] == "ready")
        window.click("tab_pins")
        state = window.wait("the pins", lambda s: s["pins"] and s["pins"]["title"])
        if state["pins"]["step"] != state["pins"]["worst_step"]:
            window.click("pins_worst")
            state = window.wait("the worst moment", lambda s: s["pins"] and s["pins"]["step"] == s["pins"]["worst_step"])
        self.assertEqual(state["live"]["step"], state["pins"]["step"], "one moment in the whole window")
        window.key("m")
        moment = window.wait("the map", lambda s: s["address_map"] and s["address_map"]["lines"] > 0)["address_map"]["moment"]
        expected = self.sole_blocks(moment - 1)
        pinning = {pin for segment in layout_of(SAMPLE, moment - 1)["segments"] for _, _, pins in holes_of(segment) for pin in pins}
        self.assertEqual(state["pins"]["count"], len(pinning))
        listed = [(row["size"], row["released"]) for row in state["pins"]["rows"]]
        self.assertEqual(sorted(listed[:len(expected)]), sorted(expected[:20]), "those that give memory back come first")
        self.assertTrue(all(released == 0 for _, released in listed[len(expected):]))
        self.assertTrue(expected)
        self.assertTrue(all(row["name"] for row in state["pins"]["rows"]), "each has a name")
        window.click("pins_row_0")
        state = window.wait("its block", lambda s: s["timeline"]["selected"])
        self.assertIsNotNone(state["pins"], "the page stays")

    def test_of_a_file_that_is_cut_off_nothing_is_said(self):
        with open(SAMPLE, "rb") as file:
            whole = file.read()
        path = self.folder / "cut.pickle"
        path.write_bytes(whole[:len(whole) * 3 // 5])
        window = self.open_on_start(path)
        window.wait("the findings", lambda s: s["findings"]["state"] == "ready")
        window.click("tab_pins")
        state = window.wait("why", lambda s: s["pins"] and s["pins"]["why_empty"])
        self.assertIn("cut off", state["pins"]["why_empty"])
        self.assertEqual(state["pins"]["count"], 0)


if __name__ == "__main__":
    unittest.main()
