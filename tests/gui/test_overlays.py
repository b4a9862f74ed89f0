"""Parts over and below the picture: legend, markers, tracks, colours with names."""
import pickle
import re
import unittest

from driver import SAMPLE, WindowTest


class Overlays(WindowTest):
    def setUp(self):
        super().setUp()
        self.opened = self.open_on_start(SAMPLE)

    def test_the_legend_switches_and_is_remembered(self):
        state = self.opened.fresh()
        self.assertTrue(state["overlays"]["shown"]["reserved"])
        whole, pictures = state["timeline"]["view"], state["drawn_pictures"]
        self.opened.click("legend_allocated")
        state = self.opened.wait("allocated shown", lambda s: s["overlays"]["shown"]["allocated"])
        self.assertEqual(state["drawn_pictures"], pictures, "the picture under a curve is not drawn again")
        self.opened.click("legend_reserved")
        state = self.opened.wait("reserved hidden", lambda s: not s["overlays"]["shown"]["reserved"])
        self.assertLess(state["timeline"]["view"][3], whole[3], "all of the picture no longer includes it")
        self.assertEqual(self.opened.close(), 0)
        again = self.open_on_start(SAMPLE).fresh()
        self.assertTrue(again["overlays"]["shown"]["allocated"])
        self.assertFalse(again["overlays"]["shown"]["reserved"])

    def test_keys_go_from_marker_to_marker(self):
        markers = self.opened.fresh()["overlays"]["markers"]
        self.assertIn("peak", [marker["kind"] for marker in markers])
        last = len(markers) - 1
        for key, expected in (("n", 0), ("n", min(1, last)), ("shift+n", 0), ("shift+n", last)):
            self.opened.key(key)
            self.opened.wait(f"marker {expected} after {key}", lambda s: s["overlays"]["current_marker"] == expected)
        self.opened.key("p")
        state = self.opened.wait("the peak", lambda s: markers[s["overlays"]["current_marker"]]["kind"] == "peak")
        peak = next(marker for marker in markers if marker["kind"] == "peak")
        begin, end = state["timeline"]["view"][:2]
        self.assertTrue(begin < peak["step"] < end)

    def test_a_band_is_selected_and_zoomed_to(self):
        state = self.opened.wait("the tracks", lambda s: s["rects"]["band_0_1"])
        whole = state["timeline"]["view"]
        self.opened.click("band_0_1")
        state = self.opened.wait("a selected band", lambda s: s["overlays"]["selected_band"])
        band = state["overlays"]["selected_band"]
        self.opened.point_at("band_0_1")
        state = self.opened.double_click("the band in view", lambda s: s["timeline"]["view"][:2] != whole[:2])
        begin, end = state["timeline"]["view"][:2]
        self.assertAlmostEqual((begin + end) / 2, sum(band["steps"]) / 2, delta=0.02 * (end - begin))
        self.assertLess(band["steps"][1] - band["steps"][0], end - begin)
        self.assertGreater((band["steps"][1] - band["steps"][0]) * 1.2, end - begin)
        self.assertEqual(state["timeline"]["view"][2:], whole[2:])
        self.assertEqual(self.opened.fresh()["overlays"]["selected_band"], band)
        self.opened.key("Escape")
        self.opened.wait("no band", lambda s: s["overlays"]["selected_band"] is None)

    def test_a_track_folds_and_stays_so(self):
        name = self.opened.fresh()["overlays"]["tracks"][0]["name"]
        self.opened.click(f"track_label_{name}")
        self.opened.wait("a folded track", lambda s: s["overlays"]["folded"] == [name])
        self.assertEqual(self.opened.close(), 0)
        self.assertEqual(self.open_on_start(SAMPLE).fresh()["overlays"]["folded"], [name])

    def test_a_name_in_the_legend_of_colours_stands_out(self):
        self.opened.click("menu_picture")
        self.opened.click("menu_colour")
        self.opened.click("menu_colour_Stream")
        state = self.opened.wait("streams", lambda s: s["overlays"]["groups"] and s["rects"]["group_0"])
        groups = state["overlays"]["groups"]
        self.assertEqual(sum(group["count"] for group in groups), state["timeline"]["allocations"])
        self.opened.click("group_0")
        self.opened.wait("its allocations", lambda s: s["search"]["hits"] == groups[0]["count"])


def event(action, addr, size, **more):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "frames": [], **more}


class OutOfMemory(WindowTest):
    """Device 0 has most events; device 1 runs out of memory at its peak. There 1000 bytes are allocated at step 0 and 500 at step 1,
    which is the peak. Then a request for 700 fails, and the 1000 are freed at step 2. With 40,000 visible steps, the two flags
    have the same pixel."""
    def setUp(self):
        super().setUp()
        long = [event("alloc", 4096 * i, 8) for i in range(1, 50_000)]
        short = [event("alloc", 4096, 1000), event("alloc", 8192, 500), event("oom", 0, 700, device_free=64),
                 event("free_requested", 4096, 1000), event("free_completed", 4096, 1000)]
        small = [event(action, 1 << 30, 1) for _ in range(4000) for action in ("alloc", "free_requested", "free_completed")]
        path = self.folder / "oom.pickle"
        path.write_bytes(pickle.dumps({"segments": [], "device_traces": [long, short + small]}))
        self.opened = self.open_on_start(path)

    def test_the_file_opens_where_memory_ran_out_and_says_so(self):
        timeline = self.opened.fresh()["timeline"]
        self.assertEqual(timeline["device"], 1)
        self.assertTrue(timeline["device_title"].startswith("device 1, out of memory: "), timeline["device_title"])
        self.opened.click("device")
        self.opened.click("device_0")
        state = self.opened.wait("the other device", lambda s: s["timeline"]["device"] == 0)
        self.assertNotIn("out of memory", state["timeline"]["device_title"])
        self.opened.wait("how much there is to say of it", lambda s: re.search(r", peak 390\.6 KiB, [0-9]+ findings?$", s["timeline"]["device_title"]))

    def test_its_flag_is_on_top_and_a_click_selects_the_moment(self):
        state = self.opened.fresh()
        self.assertEqual([marker["kind"] for marker in state["overlays"]["markers"]], ["peak", "oom"])
        self.opened.click_on_canvas(state["timeline"], 0.75 * state["timeline"]["view"][1], 250)
        state = self.opened.wait("the 500 bytes selected", lambda s: s["timeline"]["selected"]["size"] == 500)
        self.assertIn(state["live"]["bytes"], (500, 501), "the one byte comes and goes at every second step")
        left, top, right, bottom = self.opened.rect("marker_1")
        self.assertIn(bytes((0xff, 0x7b, 0x72)), self.opened.display.colours(left, top, right, bottom))
        self.opened.click("marker_1")
        state = self.opened.wait("the moment", lambda s: s["overlays"]["current_marker"] == 1)
        self.assertEqual((state["live"]["step"], state["live"]["bytes"]), (1, 1500))
        self.assertIsNone(state["timeline"]["selected"])
        self.opened.click("marker_1")
        self.opened.wait("no marker", lambda s: s["overlays"]["current_marker"] is None)

    def test_keys_go_on_across_devices_and_the_list_follows(self):
        """Device 0 only has its peak, when everything is live."""
        for key, device, marker, live_bytes in (("n", 1, 0, 1500), ("n", 1, 1, 1500), ("n", 0, 0, 49_999 * 8), ("n", 1, 0, 1500),
                                                ("shift+n", 0, 0, 49_999 * 8), ("shift+n", 1, 1, 1500)):
            self.opened.key(key)
            state = self.opened.wait(f"marker {marker} of device {device}",
                                     lambda s: (s["timeline"]["device"], s["overlays"]["current_marker"]) == (device, marker))
            begin, end = state["timeline"]["view"][:2]
            self.assertTrue(begin <= state["overlays"]["markers"][marker]["step"] <= end)
            self.assertEqual(state["live"]["bytes"], live_bytes)


if __name__ == "__main__":
    unittest.main()
