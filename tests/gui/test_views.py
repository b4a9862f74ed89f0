"""The parts of a device that can be shown: allocations, segments, pools."""
import pickle
import unittest

import reference
from driver import SAMPLE, WindowTest, snapshots

# The handmade case of tests/unit/collect_pools_test.cpp: a pool of 1000 bytes and one other block.
POOL_PIECES = [300, 700, 50, 200, 500, 300, 100, 400]
POOL_PEAK = 1050


def pool_snapshot():
    def event(action, addr, size):
        return {"action": action, "addr": addr, "size": size, "stream": 0, "frames": []}

    def segment(address, pool, sizes):
        blocks = [{"size": size, "requested_size": size, "state": "active_allocated", "frames": []} for size in sizes]
        return {"device": 0, "address": address, "total_size": sum(sizes), "allocated_size": sum(sizes),
                "active_size": sum(sizes), "stream": 0, "segment_type": "small", "segment_pool_id": pool, "blocks": blocks,
                "frames": []}
    events = [event("segment_alloc", 0x1000, 1000), event("alloc", 0x1000, 300), event("alloc", 0x9000, 50),
              event("alloc", 0x1200, 200), event("free_completed", 0x1000, 300), event("alloc", 0x1000, 100)]
    return {"segments": [segment(0x9000, (0, 0), [512]), segment(0x1000, (0, 1), [512, 488])], "device_traces": [events]}


def reference_segments(path):
    """Returns (sizes, peak in bytes) of the reference timeline."""
    oracle = snapshots.oracle("reference_timeline")
    elements, initial, actions = oracle.collect(oracle.load(path), 0, True)
    _, totals, _ = oracle.layout(elements, initial, actions)
    return [element["size"] for element in elements], max(totals)


class Views(WindowTest):
    def shown(self, window, kind):
        return window.wait(f"the picture of {kind}", lambda s: s["timeline"]["shows"] == kind)["timeline"]

    def open_pools(self):
        path = self.folder / "pools.pickle"
        path.write_bytes(pickle.dumps(pool_snapshot()))
        return self.open(path)

    def test_segments_are_those_of_the_reference_and_back(self):
        path = self.folder / "training.pickle"
        snapshots.make_run("training", path)
        sizes, peak_bytes = reference_segments(path)
        window = self.open(path)
        before = self.shown(window, "allocations")
        self.assertEqual(before["can_show"], ["allocations", "segments"])
        window.click("menu_picture")
        window.click("menu_view_segments")
        timeline = self.shown(window, "segments")
        self.assertEqual((timeline["allocations"], timeline["peak_bytes"]), (len(sizes), peak_bytes))
        window.key("v")
        timeline = self.shown(window, "allocations")
        self.assertEqual((len(timeline), timeline["allocations"], timeline["peak_bytes"], timeline["view"]),
                         (len(before), before["allocations"], before["peak_bytes"], before["view"]))

    def test_buttons_above_the_picture(self):
        window = self.open(SAMPLE)
        for size in (None, (800, 500), (1280, 720)):
            if size:
                window.xdotool("windowsize", "--sync", window.window_id, *size)
            state = window.fresh()
            canvas = state["rects"]["canvas"]
            for name in ("button_colour", "button_view_flame", "button_view_address_map"):
                left, _, right, bottom = window.rect(name)
                self.assertTrue(left >= canvas[0] - 10 and right <= canvas[2] and bottom <= canvas[1], (size, name))
        window.click("button_colour")
        window.click("button_colour_Kind")
        window.wait("the kinds", lambda s: "activation" in [group["name"] for group in s["overlays"]["groups"]])
        window.click("button_view_address_map")
        window.wait("the map", lambda s: s["address_map"] and s["address_map"]["lines"] > 0)
        window.click("button_view_flame")
        window.wait("the flame graph", lambda s: "canvas" not in s["rects"])

    def test_escape_closes_a_menu_and_nothing_else(self):
        window = self.open(SAMPLE)
        left, top, right, bottom = window.rect("canvas")
        window.click_at((left + right) / 2, bottom - 30)
        selected = window.wait("a selection", lambda s: s["timeline"]["selected"])["timeline"]["selected"]
        for menu, item in (("view", "view_fit"), ("picture", "view_names"), ("panels", "tools_table"), ("help", "help_about")):
            window.click(f"menu_{menu}")
            window.rect(f"menu_{item}")
            window.key("Escape")
            window.wait(f"{menu} to close", lambda s: f"menu_{item}" not in s["rects"])
        window.click("menu_picture")
        window.point_at("menu_colour")
        window.rect("menu_colour_Size")
        window.key("Escape")
        window.wait("both menus to close", lambda s: "menu_colour_Size" not in s["rects"] and "menu_view_names" not in s["rects"])
        self.assertEqual(window.fresh()["timeline"]["selected"], selected)

    def test_escape_before_a_menu_is_drawn(self):
        """A menu that opens when the mouse moves from an open one appears one frame late. Escape comes in that frame, in one
        of these attempts."""
        window = self.open(SAMPLE)
        left, top, right, bottom = window.rect("menu_view")
        beside = round((left + right) / 2), round((top + bottom) / 2)
        for pause_s in (0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06):
            window.click("menu_file")
            window.rect("menu_file_open")
            window.xdotool("mousemove", *beside, "sleep", pause_s, "key", "Escape")
            window.wait("no menu", lambda s: "menu_file_open" not in s["rects"] and "menu_view_fit" not in s["rects"])

    def test_pages_come_from_the_menu_of_panels(self):
        window = self.open(SAMPLE)
        for item, page in (("page_live", "live"), ("page_allocation", "allocation"), ("tools_growth", "growth"), ("tools_findings", "findings")):
            window.click("menu_panels")
            window.click(f"menu_{item}")
            window.wait(page, lambda s: s["findings"]["page"] == page)
        window.click("menu_panels")
        window.click("menu_log_show")
        window.wait("the window", lambda s: "menu_log_show" not in s["rects"])

    def test_a_segment_is_picked_and_is_called_one(self):
        window = self.open(SAMPLE)
        window.click("shows")
        window.click("shows_segments")
        self.shown(window, "segments")
        timeline = window.fresh()["timeline"]
        window.click_on_canvas(timeline, 0.5, timeline["peak_bytes"] / 50)
        selected = window.wait("a segment", lambda s: s["timeline"]["selected"])["timeline"]["selected"]
        self.assertEqual(selected["what"], "segment")
        segments = reference.load(SAMPLE)["segments"]
        self.assertIn(selected["size"], [segment["total_size"] for segment in segments])
        window.key("v")
        self.shown(window, "allocations")
        window.wait("a selection of its own", lambda s: s["timeline"]["selected"] is None)
        window.key("v")
        window.wait("the segment again", lambda s: s["timeline"]["selected"] == selected)

    def test_pools_say_what_they_do_not_use(self):
        window = self.open_pools()
        window.key("v")
        self.shown(window, "segments")
        window.key("v")
        timeline = self.shown(window, "pools")
        self.assertEqual((timeline["allocations"], timeline["peak_bytes"]), (len(POOL_PIECES), POOL_PEAK))
        window.click_on_canvas(timeline, 6, 750)
        selected = window.wait("a piece", lambda s: s["timeline"]["selected"])["timeline"]["selected"]
        self.assertEqual((selected["size"], selected["what"]), (500, "unused capacity of pool (0, 1)"))
        window.key("t")
        window.wait("no time axis", lambda s: "its own steps" in s["notice"])
        window.key("v")
        self.assertEqual(self.shown(window, "allocations")["allocations"], 4)

    def test_a_row_of_a_query_shows_the_allocations(self):
        window = self.open_pools()
        window.key("v")
        self.shown(window, "segments")
        window.open_query_pane()
        window.click("query_input")
        window.key("ctrl+a")
        window.type("SELECT id, size FROM allocations WHERE size = 200")
        window.key("ctrl+Return")
        window.wait("a row", lambda s: s["query"]["rows"] == 1)
        window.click("query_row_0")
        self.assertEqual(self.shown(window, "allocations")["selected"]["size"], 200)

    def test_a_part_of_a_device_is_chosen(self):
        """Pinned host memory beside the GPU's: allocations and a free at steps 0, 1 and 2, then the 500 bytes move down;
        step 6 is the end."""
        def event(action, addr, size):
            return {"action": action, "addr": addr, "size": size, "stream": 0, "frames": []}
        host = [event("alloc", 0x7000, 3000), event("alloc", 0x9000, 500), event("free_completed", 0x7000, 3000)]
        path = self.folder / "host.pickle"
        path.write_bytes(pickle.dumps({"segments": [], "device_traces": [[event("alloc", 0x1000, 100)]], "host_traces": [host]}))
        window = self.open(path)
        state = window.wait("the GPU, though the host's trace is longer", lambda s: s["timeline"]["device"] == 0)
        window.click("device")
        window.click("device_1")
        state = window.wait("the host", lambda s: s["timeline"]["device"] == -1)
        self.assertEqual((state["timeline"]["devices"], state["timeline"]["peak_bytes"]), (2, 3500))
        window.click_on_canvas(state["timeline"], 1.5, 3200)
        window.wait("what lies on top", lambda s: s["timeline"]["selected"]["size"] == 500)
        window.click("device")
        window.click("device_0")
        state = window.wait("the GPU", lambda s: s["timeline"]["device"] == 0)
        self.assertEqual((state["timeline"]["allocations"], state["timeline"]["peak_bytes"]), (1, 100))
        window.click("device")
        window.click("device_1")
        state = window.wait("the host again", lambda s: s["timeline"]["device"] == -1)
        self.assertEqual(state["timeline"]["selected"]["size"], 500, "each keeps its selection")

    def test_another_device_shows_the_moments_that_were_in_view(self):
        """Allocations every 100 us on device 0. On device 1, whose trace begins 1000 us later, every 50 us."""
        def trace(begin_us, every_us):
            return [{"action": "alloc", "addr": 0x1000 * (i + 1), "size": 100, "stream": 0, "frames": [],
                     "time_us": 1_700_000_000_000_000 + begin_us + i * every_us} for i in range(100)]
        path = self.folder / "two.pickle"
        path.write_bytes(pickle.dumps({"segments": [], "device_traces": [trace(0, 100), trace(1000, 50)]}))
        window = self.open(path)
        window.key("t")
        window.wait("the time axis", lambda s: s["timeline"]["axis"] == "time")
        for _ in range(3):
            window.key("equal")
        begin, end = window.fresh()["timeline"]["view"][:2]
        self.assertTrue(1000 < begin < end < 9900)
        other = 1 - window.fresh()["timeline"]["device"]
        window.click("device")
        window.click(f"device_{other}")
        timeline = window.wait("the other device", lambda s: s["timeline"]["device"] == other)["timeline"]
        shift = -1000 if other == 1 else 1000
        self.assertEqual(timeline["axis"], "time")
        self.assertAlmostEqual(timeline["view"][0], begin + shift, delta=2)
        self.assertAlmostEqual(timeline["view"][1], end + shift, delta=2)


if __name__ == "__main__":
    unittest.main()
