"""The window of other settings agrees with `snapviewer replay`, which tests/reference checks."""
import json
import subprocess
import unittest

from driver import BINARY, WindowTest
from large_snapshot import write_large_snapshot
import snapshots

MODES = ("carried", "rebuilt")


def replayed(path, *settings, more=()):
    asked = [part for setting in settings for part in ("--set", setting)]
    done = subprocess.run([BINARY, "replay", str(path), "--json", *asked, *more], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def said_of(answer):
    """Returns the window's texts for an answer of the report."""
    modes = [answer["what_if"][mode] for mode in MODES]
    return {"verdict": answer["what_if"]["verdict"],
            "peaks": [mode.get("peak_reserved", 0) for mode in modes],
            "ranges": [mode["peak_range"] for mode in modes],
            "failures": [mode["oom"]["event"] if mode.get("oom") else None for mode in modes],
            "recorded": [answer["what_if"]["peak_as_recorded"][mode] for mode in MODES]}


def shown(answer):
    modes = answer["modes"]
    return {"verdict": answer["verdict"], "peaks": [mode["peak_reserved"] for mode in modes],
            "ranges": [mode["peak_range"] for mode in modes], "failures": [mode["oom_event"] for mode in modes],
            "recorded": answer["peak_as_recorded"]}


class WhatIf(WindowTest):
    def open_what_if(self, path):
        window = self.open_on_start(path)
        window.click("menu_panels")
        window.click("menu_tools_what_if")
        return window

    def wait_answer(self, window, settings):
        return window.wait(f"the answer to {settings}", lambda s: s["what_if"]["answer"]["settings"] == settings)["what_if"]

    def wait_done(self, window):
        return window.wait("everything", lambda s: s["what_if"]["answer"] and not s["what_if"]["status"] and
                           s["what_if"]["to_try"] == len(s["what_if"]["tried"]))["what_if"]

    def test_the_palette_opens_it_with_the_keyboard_and_escape_closes_it(self):
        window = self.open_on_start(self.planted("oom-fragmentation"))
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"])
        window.type("what if")
        window.wait("its row", lambda s: s["palette"] and any("What if" in match["words"] for match in s["palette"]["first_matches"][:1]))
        window.key("Return")
        window.wait("the window", lambda s: s["what_if"])
        window.fresh()
        window.key("Escape")
        window.wait("no window", lambda s: not s["what_if"])

    def test_it_answers_as_the_command_does(self):
        path = self.planted("oom-fragmentation")
        window = self.open_what_if(path)
        page = self.wait_done(window)
        self.assertEqual(page["answer"]["settings"], {})
        self.assertIn("36 of 36 allocations get their recorded address", page["agreement"])
        usual = replayed(path, more=["--usual"])
        self.assertEqual(shown(page["answer"]), said_of(usual))
        self.assertEqual([(one["name"], one["value"], one["verdict"], one["change"]) for one in page["tried"]],
                         [(one["name"], one["value"], one["verdict"], [one[mode]["change"] for mode in MODES])
                          for one in usual["usual"]])
        self.assertGreater(len(page["tried"]), 3)
        window.click("what_if_switch_expandable_segments")
        page = self.wait_answer(window, {"expandable_segments": "true"})
        self.assertEqual(shown(page["answer"]), said_of(replayed(path, "expandable_segments=true")))
        self.assertEqual(page["answer"]["verdict"], "fits")

    def test_a_smaller_card_and_the_way_to_the_request_that_fails(self):
        path = self.planted("leak-steps")
        window = self.open_what_if(path)
        page = self.wait_done(window)
        self.assertEqual(page["answer"]["verdict"], "no card size known")
        window.click("what_if_value_capacity_bytes")
        window.key("ctrl+a")
        window.type("100M")
        page = self.wait_answer(window, {"capacity_bytes": "100M"})
        expected = said_of(replayed(path, "capacity_bytes=100M"))
        self.assertEqual(shown(page["answer"]), expected)
        self.assertEqual(expected["verdict"], "does not fit")
        window.click("what_if_failure_0")
        state = window.wait("its moment", lambda s: s["findings"]["page"] == "live")
        begin, end = state["timeline"]["view"][:2]
        self.assertTrue(begin <= state["live"]["step"] <= end)
        steps = subprocess.run([BINARY, "query", str(path), "--format", "csv",
                                f"SELECT alloc_step FROM allocations WHERE alloc_event = {expected['failures'][0]}"],
                               check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(state["live"]["step"], int(steps[1]))

    # --- by address ---

    def wait_map(self, window, what, condition=lambda mapped: True):
        return window.wait(f"the map {what}", lambda s: s["what_if"]["map"] and not s["what_if"]["status"] and condition(s["what_if"]["map"]))["what_if"]["map"]

    def test_under_the_recorded_settings_the_replay_has_every_block_where_it_was(self):
        """Two ways to compute the same addresses: from the recorded events, and with the model of the allocator."""
        path = self.planted("leak-steps")
        window = self.open_what_if(path)
        self.wait_done(window)
        mapped = self.wait_map(window, "of the peak")
        report = replayed(path, more=["--usual"])["what_if"]["carried"]
        self.assertEqual((mapped["mode"], mapped["failed"]), ("carried", None))
        self.assertEqual(mapped["moment"], report["peak_event"] + 1)
        self.assertEqual(mapped["replayed"]["reserved"], report["peak_reserved"])
        self.assertGreater(len(mapped["recorded"]["blocks"]), 10)
        self.assertTrue(all(block[2] is not None for block in mapped["recorded"]["blocks"]))
        self.assertEqual(mapped["replayed"], mapped["recorded"])

    def test_the_map_has_what_the_command_counts(self):
        path = self.planted("leak-steps")
        window = self.open_what_if(path)
        self.wait_done(window)
        window.click("what_if_switch_expandable_segments")
        self.wait_answer(window, {"expandable_segments": "true"})
        report = replayed(path, "expandable_segments=true")["what_if"]
        for mode in MODES:
            window.click(f"what_if_map_{mode}")
            mapped = self.wait_map(window, mode, lambda m, mode=mode: m["mode"] == mode)
            self.assertEqual(mapped["replayed"]["reserved"], report[mode]["peak_reserved"])
            self.assertEqual(sum(size for _, size in mapped["replayed"]["ranges"]), report[mode]["peak_reserved"])
            for begin, size, _ in mapped["replayed"]["blocks"]:
                self.assertTrue(any(at <= begin and begin + size <= at + length for at, length in mapped["replayed"]["ranges"]))

    def test_the_map_is_of_the_request_that_fails_or_of_the_moment_that_was_clicked(self):
        path = self.planted("leak-steps")
        window = self.open_what_if(path)
        self.wait_done(window)
        window.click("what_if_value_capacity_bytes")
        window.key("ctrl+a")
        window.type("100M")
        self.wait_answer(window, {"capacity_bytes": "100M"})
        oom = replayed(path, "capacity_bytes=100M")["what_if"]["carried"]["oom"]
        mapped = self.wait_map(window, "of the failure", lambda m: m["failed"] is not None)
        self.assertEqual((mapped["failed"], mapped["moment"]), (oom["event"], oom["event"] + 1))
        self.assertEqual(mapped["replayed"]["reserved"], oom["reserved"])
        left, top, right, bottom = window.rect("what_if_curves")
        window.click_at(left + 0.04 * (right - left), (top + bottom) / 2)
        clicked = self.wait_map(window, "of another moment", lambda m: m["failed"] is None)
        events = int(subprocess.run([BINARY, "query", str(path), "--format", "csv", "SELECT count(*) FROM events"],
                                    check=True, capture_output=True, text=True).stdout.split()[1])
        self.assertAlmostEqual(clicked["moment"], 0.04 * events, delta=0.01 * events + 2)
        window.click("what_if_map_back")
        self.wait_map(window, "of the failure again", lambda m: m["failed"] == oom["event"])
        window.click("what_if_map")
        window.wait("no map", lambda s: s["what_if"]["map"] is None)

    def test_a_recording_that_is_not_repeated_is_refused_with_the_reason(self):
        path = self.folder / "fifo.pickle"
        snapshots.make_run("fifo", path)
        window = self.open_what_if(path)
        state = window.wait("the refusal", lambda s: s["what_if"]["answer"]["refused"] and not s["what_if"]["status"])
        page = state["what_if"]
        self.assertIsNone(page["answer"]["verdict"])
        self.assertEqual(page["tried"], [])
        self.assertEqual(page["answer"]["refused"], replayed(path, "expandable_segments=true")["refused"])
        self.assertIn("No answer: only 0.0 % of the segment events", page["answer"]["sentence"])
        self.assertIn("not in the file: whether segments were allocated", page["agreement"])

    def test_a_value_that_makes_no_sense_is_not_asked(self):
        window = self.open_what_if(self.planted("leak-steps"))
        self.wait_done(window)
        window.click("what_if_value_max_split_size_mb")
        window.key("ctrl+a")
        window.type("1")
        window.click("what_if_switch_expandable_segments")
        self.wait_answer(window, {"expandable_segments": "true"})

    def test_a_row_of_the_table_is_asked_by_a_click(self):
        window = self.open_what_if(self.planted("oom-fragmentation"))
        page = self.wait_done(window)
        one = page["tried"][1]
        window.point_at("what_if_curves")
        window.xdotool("click", "--repeat", "30", "5")
        window.click("what_if_tried_1")
        answer = self.wait_answer(window, {one["name"]: one["value"]})["answer"]
        self.assertEqual(answer["verdict"], one["verdict"])

    def test_it_can_be_stopped_and_goes_on(self):
        path = self.folder / "large.pickle"
        write_large_snapshot(path, pairs=1_800_000)  # two seconds of work, because a click takes a large part of one
        window = self.open_what_if(path)
        window.wait("the work", lambda s: s["what_if"]["status"])
        window.click("what_if_stop")
        window.wait("the end of it", lambda s: s["what_if"]["is_stopped"] and not s["what_if"]["status"])
        window.click("what_if_restart")
        window.wait("it to go on, or to be done", lambda s: not s["what_if"]["is_stopped"] and (s["what_if"]["status"] or s["what_if"]["answer"]))
        window.key("Escape")
        window.wait("the window to close", lambda s: s["what_if"] is None)


if __name__ == "__main__":
    unittest.main()
