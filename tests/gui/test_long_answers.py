"""Snapshots whose answers are far larger than their files (tests/oracles/hostile_answers.py), in the window's panels: each panel shows
an answer, says what it omits, and uses limited memory."""
import unittest

from driver import WindowTest, snapshots

snapshots.oracle("hostile_outcome")
FILES = {name: content for name, content, _ in snapshots.oracle("hostile_answers").files()}

MAX_LINES = 1024 + 1  # lines of a stack, plus one with the number of omitted ones
MAX_BYTES, MAX_BYTES_PER_BYTE = 300 * 10**6, 12


class LongAnswers(WindowTest):
    def open_all_panels(self, name, noted=True):
        path = self.folder / name
        path.write_bytes(FILES[name])
        window = self.open_on_start(path)
        at_rest = window.resident_bytes()
        window.click("tab_live")
        window.wait("what is alive", lambda s: s["live"])
        window.answer("SELECT id FROM allocations ORDER BY id DESC LIMIT 5")
        window.click("query_row_0")
        state = window.wait("the details", lambda s: "details_copy_all" in s["rects"] and (s["stack"] or not noted))
        window.click("details_copy_all")
        window.wait("all of it", lambda s: s["said"] == "All of it copied to the clipboard")
        window.key("ctrl+l")
        window.wait("the table", lambda s: s["table"])
        window.key("ctrl+l", "g")
        window.wait("the flame graph", lambda s: s["icicle"] and s["icicle"]["shown"] == "flame graph")
        # The graphics driver's use of main memory does not depend on the file.
        self.assertLess(window.resident_bytes() - at_rest, MAX_BYTES + MAX_BYTES_PER_BYTE * len(FILES[name]))
        return state

    def test_a_very_deep_stack(self):
        state = self.open_all_panels("a_very_deep_stack.pickle")
        self.assertLessEqual(state["stack"]["frames"], MAX_LINES)
        self.assertEqual(state["stack"]["rows"][-1], "\u2026 198,976 more frames")

    def test_deep_stacks_that_share_frames(self):
        self.assertEqual(self.open_all_panels("frames_shared_by_deep_stacks.pickle")["stack"]["frames"], MAX_LINES)

    def test_long_names_in_deep_stacks(self):
        self.assertLess(self.open_all_panels("deep_stacks_of_long_names.pickle")["stack"]["frames"], MAX_LINES)

    def test_a_long_note_of_every_allocation(self):
        self.open_all_panels("one_user_metadata_for_all.pickle", noted=False)


if __name__ == "__main__":
    unittest.main()
