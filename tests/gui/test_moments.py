"""Changes between the two ends of the ruler agree with the file's events, and are linked with the picture."""
import unittest

import reference
from driver import SAMPLE, WindowTest


def alive_after(events, ticks):
    """Returns number and size of the live allocations after the first `ticks` allocs and frees."""
    alive, number = {}, 0
    for event in [e for e in events if e["action"] in ("alloc", "free_completed")][:ticks]:
        if event["action"] == "alloc":
            alive[event["addr"]] = (number, event["size"])
        else:
            alive.pop(event["addr"], None)
        number += 1
    return dict(alive.values())


def total(sizes):
    return {"bytes": sum(sizes), "count": len(sizes)}


class Moments(WindowTest):
    def setUp(self):
        super().setUp()
        self.window = self.open(SAMPLE)
        self.window.wait("the findings", lambda s: s["findings"]["state"] == "ready")

    def sums(self, moments):
        return {kind: {key: moments[kind][key] for key in ("bytes", "count")} for kind in ("came", "went", "stayed")}

    def test_the_page_comes_with_the_ruler_and_tells_what_the_events_tell(self):
        state = self.window.measure(0.3, 0.7)
        moments = state["moments"]
        events = reference.load(SAMPLE)["device_traces"][0]
        first, last = (alive_after(events, moments[end]) for end in ("first_tick", "last_tick"))
        expected = {"came": total([last[n] for n in last.keys() - first.keys()]),
                    "went": total([first[n] for n in first.keys() - last.keys()])}
        sums = self.sums(moments)
        stayed = sums.pop("stayed")
        self.assertEqual(sums, expected)
        # Memory from before the recording has no alloc and stays the same, in addition.
        self.assertGreaterEqual(stayed["bytes"], sum(last[n] for n in last.keys() & first.keys()))
        for kind in ("came", "went", "stayed"):
            rows = moments[kind]["rows"]
            self.assertEqual(sum(row["bytes"] for row in rows), moments[kind]["bytes"])
            self.assertEqual([row["bytes"] for row in rows], sorted((row["bytes"] for row in rows), reverse=True))
        left, top, right, bottom = state["timeline"]["canvas"]
        self.window.click_at(left + 0.1 * (right - left), top + 3)
        self.window.wait("no ruler and another page", lambda s: s["ruler"] is None and s["moments"] is None and s["findings"]["page"] == "live")

    def test_a_click_lights_up_what_it_counts(self):
        moments = self.window.measure(0.3, 0.7)["moments"]
        for kind in ("went", "stayed", "came"):
            self.window.click(f"moments_{kind}")
            self.window.wait(kind, lambda s: s["search"] and s["search"]["hits"] == moments[kind]["count"])
        self.window.click("moments_row_0")
        row = moments["came"]["rows"][0]
        self.window.wait("one stack of it", lambda s: s["search"]["hits"] == row["count"] and s["search"]["hits"] < moments["came"]["count"])
        state = self.window.fresh()
        self.assertEqual(state["findings"]["page"], "moments", "it stays in front")
        self.assertIsNotNone(state["ruler"])

    def test_without_a_ruler_there_is_no_such_page(self):
        state = self.window.fresh()
        self.assertNotIn("tab_moments", state["rects"])
        self.assertIsNone(state["moments"])


if __name__ == "__main__":
    unittest.main()
