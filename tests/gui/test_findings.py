"""The page of findings agrees with `report --json`, and leads to the picture and to SQL. tests/reference checks the report; the expected
values here come from the pickle or from the generator's own state."""
import json
import pickle
import subprocess
import unittest

from driver import BINARY, SAMPLE, WindowTest
from large_snapshot import write_large_snapshot
import snapshots


def report_of(path):
    done = subprocess.run([BINARY, "report", str(path), "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["devices"]


def what_is_said(findings):
    return [(f["severity"], f["code"], f["sentence"], f["hint"] or "", f["bytes"], f["sql"] or "") for f in findings]


def write_fragmented(path, segments=5):
    """Writes segments that each have a block of 16 MiB and 48 MiB of free memory, too little for the final request of 80 MiB."""
    mib = 1 << 20
    trace, listed = [], []

    def event(action, address, size):
        trace.append({"action": action, "addr": address, "size": size, "stream": 0, "frames": []})

    def block(address, size, state):
        return {"address": address, "size": size, "requested_size": size, "state": state, "frames": []}
    for i in range(segments):
        begin = (i + 1) << 32
        event("segment_alloc", begin, 64 * mib)
        event("alloc", begin, 48 * mib)
        event("alloc", begin + 48 * mib, 16 * mib)
        listed.append({"device": 0, "address": begin, "total_size": 64 * mib, "stream": 0, "segment_type": "large",
                       "blocks": [block(begin, 48 * mib, "inactive"), block(begin + 48 * mib, 16 * mib, "active_allocated")]})
    for segment in listed:
        event("free_requested", segment["address"], 48 * mib)
        event("free_completed", segment["address"], 48 * mib)
    begin = (segments + 1) << 32
    event("segment_alloc", begin, 80 * mib)
    event("alloc", begin, 80 * mib)
    listed.append({"device": 0, "address": begin, "total_size": 80 * mib, "stream": 0, "segment_type": "large",
                   "blocks": [block(begin, 80 * mib, "active_allocated")]})
    path.write_bytes(pickle.dumps({"segments": listed, "device_traces": [trace]}))


class Findings(WindowTest):
    def wait_ready(self, window):
        return window.wait("the findings", lambda s: s["findings"]["state"] == "ready")

    def open_with_findings(self, path):
        window = self.open(path)
        return window, self.wait_ready(window)

    def test_the_page_says_what_the_report_says(self):
        for name in ("leak-steps", "oom-fragmentation", "no-leak"):
            with self.subTest(name):
                path = self.planted(name)
                window, state = self.open_with_findings(path)
                self.assertEqual(state["findings"]["page"], "findings", "the first page after opening")
                expected = what_is_said(report_of(path)[0]["findings"])
                self.assertEqual(what_is_said(state["findings"]["rows"]), expected)
                self.assertEqual(state["findings"]["recording"], report_of(path)[0]["recording"]["state"])

    def test_a_click_copies_the_call_that_would_have_recorded_the_rest(self):
        window, state = self.open_with_findings(SAMPLE)
        self.assertEqual(state["findings"]["recording"], "starts_mid_run")
        window.click("recording_card")
        window.wait("the call copied", lambda s: s["said"].startswith("The call copied to the clipboard"))

    def test_nothing_is_told_of_a_bar_that_a_window_covers(self):
        window, _ = self.open_with_findings(SAMPLE)
        window.click("menu_help")
        window.click("menu_help_about")
        title_left, title_top, _, _ = window.rect("about_version")
        window.point_at("oom_bar")  # waits until the layout is stable
        left, top, _, bottom = window.rect("oom_bar")
        x, y = title_left + 60, title_top - 24
        window.drag(x, y, x + left - title_left + 20, y + top - title_top)
        state = window.point(left + 40, (top + bottom) / 2)
        self.assertLess(state["rects"]["about_version"][0], left + 40)
        window.fresh()
        self.assertNotIn("tooltip", window.fresh()["rects"])
        window.key("Escape")
        window.wait("what is told of the bar", lambda s: s["rects"]["tooltip"])

    def test_every_device_has_findings_of_its_own(self):
        path = self.folder / "two.pickle"
        snapshots.make_run("two-devices", path)
        devices = report_of(path)
        window, state = self.open_with_findings(path)
        shown = state["timeline"]["device_index"]
        self.assertEqual(what_is_said(state["findings"]["rows"]), what_is_said(devices[shown]["findings"]))
        other = what_is_said(devices[1 - shown]["findings"])
        self.assertNotEqual(what_is_said(state["findings"]["rows"]), other)
        counts = [f", {len(device['findings'])} finding{'s' * (len(device['findings']) != 1)}" for device in devices]
        window.wait("those of all devices counted in their list",
                    lambda s: all(title.endswith(count) for title, count in zip(s["timeline"]["device_titles"], counts)))
        window.click("device")
        window.click(f"device_{1 - shown}")
        window.wait("those of the other", lambda s: what_is_said(s["findings"]["rows"]) == other)

    def test_the_card_of_an_oom_is_the_books_of_the_machine(self):
        for name in ("oom-pending", "oom-private-pool"):
            with self.subTest(name):
                path = self.planted(name)
                books = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["oom"]
                window, state = self.open_with_findings(path)
                row = state["findings"]["rows"][0]
                self.assertEqual(row["severity"], "error")
                parts = {part["name"]: part["bytes"] for part in row["card"]["parts"]}
                in_books = {"allocated": books["allocated"], "freed, waiting for another stream": books["pending"],
                            "idle in the default pool": books["idle_default"], "idle in private pools": books["idle_private"]}
                for part, size in in_books.items():
                    self.assertEqual(parts.get(part, 0), size, part)
                self.assertEqual(row["card"]["cause"], books["cause"])
                trace = pickle.loads(path.read_bytes())["device_traces"][0]
                oom = next(event for event in trace if event["action"] == "oom")
                self.assertEqual(row["card"]["demand"], oom["size"])
                self.assertEqual(parts.get("free on the device", 0), oom["device_free"])
                self.assertIn("oom_bar", state["rects"])

    def test_a_click_on_an_oom_goes_there(self):
        window, _ = self.open_with_findings(self.planted("oom-fragmentation"))
        window.key("plus", "plus")
        window.click("finding_0")
        state = window.wait("the oom", lambda s: s["findings"]["chosen"] == 0)
        marker = state["overlays"]["markers"][state["overlays"]["current_marker"]]
        self.assertEqual(marker["kind"], "oom")
        begin, end = state["timeline"]["view"][:2]
        self.assertTrue(begin <= marker["step"] <= end)
        self.assertEqual(state["live"]["step"], marker["step"])

    def test_a_click_on_a_leak_shows_all_that_its_line_made(self):
        path = self.planted("leak-steps")
        window, state = self.open_with_findings(path)
        rows = state["findings"]["rows"]
        leak = next(i for i, row in enumerate(rows) if row["code"] == "leak")
        window.click(f"finding_{leak}")
        state = window.wait("what leaks", lambda s: s["findings"]["chosen"] == leak and s["search"]["hits"])
        line = rows[leak]["sentence"].split(" grows by ")[0]

        def made_by(event):
            return event["action"] == "alloc" and any(
                frame["name"] == line.split("@")[0] and line.endswith(f"{frame['filename'].split('/')[-1]}:{frame['line']}")
                for frame in event["frames"])
        trace = pickle.loads(path.read_bytes())["device_traces"][0]
        self.assertEqual(state["search"]["hits"], sum(map(made_by, trace)))
        self.assertLessEqual(state["timeline"]["view"][0], 0)
        self.assertEqual(state["findings"]["page"], "findings", "it stays in front")

    def test_a_click_highlights_what_the_sentence_sums_up(self):
        """The highlighted bytes are those of the finding."""
        # Findings whose bytes are a difference, idle memory or a failed request, and so not those of the allocations.
        of_other_bytes = {"leak", "first_step_state", "pinned_segments", "kinds"}
        seen = set()
        for name in ("leak-steps", "leak-wrapped", "oom-pending", "late-zero-grad", "peak-bare"):
            path = self.planted(name)
            window, state = self.open_with_findings(path)
            peak = state["timeline"]["peak_bytes"]
            for index, row in enumerate(state["findings"]["rows"]):
                window.click(f"finding_{index}")
                state = window.wait("the finding", lambda s: s["findings"]["chosen"] == index)  # noqa: B023
                if row["code"] == "kinds":
                    self.assertEqual(state["search"]["bytes"], peak)
                elif state["search"] and row["code"] not in of_other_bytes:
                    with self.subTest(f"{name}: {row['sentence']}"):
                        self.assertEqual(state["search"]["bytes"], row["bytes"])
                        seen.add(row["code"])
        self.assertLessEqual({"peak_holders", "before_recording", "wrapped", "pending_frees", "late_zero_grad", "no_stacks", "churn"}, seen)

    def test_a_click_on_idle_memory_shows_where_it_is(self):
        """Shows the address map at the report's moment."""
        path = self.folder / "fragmented.pickle"
        write_fragmented(path)
        window, state = self.open_with_findings(path)
        self.assertIsNone(state["address_map"])
        index = next(i for i, row in enumerate(state["findings"]["rows"]) if row["code"] == "fragmentation")
        window.click(f"finding_{index}")
        state = window.wait("the map", lambda s: s["address_map"] and s["address_map"]["held"])
        event = report_of(path)[0]["findings"][index]["event"]
        self.assertEqual(state["address_map"]["moment"] - 1, event)
        layout = subprocess.run([BINARY, "layout", str(path), "--event", str(event), "--json"], check=True, capture_output=True, text=True)
        self.assertEqual(state["address_map"]["reserved"], json.loads(layout.stdout)["reserved"])

    def test_as_sql_gives_the_same_bytes(self):
        window, state = self.open_with_findings(self.planted("leak-steps"))
        index, row = next((i, r) for i, r in enumerate(state["findings"]["rows"]) if r["sql"])
        window.click(f"finding_sql_{index}")
        state = window.wait("the answer", lambda s: s["query"]["ran_sql"] == row["sql"] and s["query"]["rows"] == 1)
        self.assertEqual(state["query"]["sql"], row["sql"])
        self.assertEqual(state["query"]["columns"], ["bytes", "size"])
        (found, words), = state["query"]["first_rows"]
        self.assertEqual(found, str(row["bytes"]))
        number, unit = words.split()
        self.assertAlmostEqual(float(number) * 1024 ** ["B", "KiB", "MiB", "GiB"].index(unit), row["bytes"], delta=row["bytes"] / 50)
        self.assertGreater(len(row["sql"].splitlines()), 2)

    def test_it_works_after_the_picture_and_can_be_stopped(self):
        path = self.folder / "large.pickle"
        write_large_snapshot(path)
        window = self.start(path)
        state = window.wait("the work", lambda s: s["findings"]["state"] == "working" and s["findings"]["status"])
        self.assertGreater(state["drawn_pictures"], 0, "the picture goes first")
        window.click("findings_stop")
        state = window.wait("the end of it", lambda s: s["findings"]["state"] == "stopped")
        self.assertEqual(state["findings"]["rows"], [])
        window.click("findings_restart")
        state = self.wait_ready(window)
        self.assertEqual(what_is_said(state["findings"]["rows"]), what_is_said(report_of(path)[0]["findings"]))

    def test_a_file_without_history_says_so(self):
        block = {"address": 4096, "size": 1 << 20, "requested_size": 1 << 20, "state": "active_allocated", "frames": []}
        segment = {"device": 0, "address": 4096, "total_size": 2 << 20, "stream": 0, "segment_type": "small",
                   "blocks": [block, {**block, "address": 4096 + (1 << 20), "state": "inactive", "requested_size": 0}]}
        path = self.folder / "no-history.pickle"
        path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [[]]}))
        window, state = self.open_with_findings(path)
        self.assertIn("no history", state["findings"]["not_told"])
        self.assertIn("before_recording", [row["code"] for row in state["findings"]["rows"]])
        segment["blocks"] = [{**block, "state": "inactive", "size": 2 << 20, "requested_size": 0}]
        path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [[]]}))
        _, state = self.open_with_findings(path)
        self.assertEqual(state["findings"]["count"], 0, "nothing was allocated")

    def test_a_click_in_the_picture_brings_what_is_alive_to_the_front(self):
        window, state = self.open_with_findings(self.planted("no-leak"))
        left, top, right, _ = state["timeline"]["canvas"]
        window.click_at(right - 3, top + 3)
        window.wait("Live", lambda s: s["findings"]["page"] == "live")
        window.click("tab_findings")
        window.wait("the findings again", lambda s: s["findings"]["page"] == "findings")
        begin, end, _, high = state["timeline"]["view"]
        window.click_on_canvas(state["timeline"], (begin + end) / 2, high / 1000)
        window.wait("its page", lambda s: s["timeline"]["selected"] and s["findings"]["page"] == "allocation")


if __name__ == "__main__":
    unittest.main()
