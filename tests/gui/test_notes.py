"""Notes at places of the picture: saved, edited, deleted, undone, found again, and merged between windows."""
import json
import shutil
import unittest

from driver import SAMPLE, WindowTest, window_only


class Notes(WindowTest):
    def texts(self, state):
        return sorted(note["text"] for note in state["notes"]["list"])

    def inside(self, window, across, up):
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        return left + across * (right - left), bottom - up * (bottom - top)

    def note(self, window, across, up, text):
        """Adds a note with the keyboard, at a fraction of the picture's size."""
        window.point(*self.inside(window, across, up))
        window.key("k")
        window.wait("the window of a note", lambda s: s["notes"]["edited"] is not None and "note_text" in s["rects"])
        window.fresh()
        window.type(text)
        window.wait("the text", lambda s: s["notes"]["edited"] == text)
        window.key("Return")
        return window.wait("the note", lambda s: text in self.texts(s) and s["notes"]["edited"] is None)

    def test_a_note_stays_where_it_was_put(self):
        window = self.open_on_start(SAMPLE)
        x, y = self.inside(window, 0.4, 0.5)
        view, (left, top, right, bottom) = window.state()["timeline"]["view"], window.state()["timeline"]["canvas"]
        note = self.note(window, 0.4, 0.5, "the spike")["notes"]["list"][0]
        self.assertAlmostEqual(note["step"], view[0] + (x - left) / (right - left) * (view[1] - view[0]), delta=(view[1] - view[0]) / 500)
        self.assertAlmostEqual(note["bytes"], view[3] - (y - top) / (bottom - top) * (view[3] - view[2]), delta=(view[3] - view[2]) / 300)
        self.assertEqual(window.close(), 0)
        # The same content under another name in another folder.
        moved = self.folder / "elsewhere" / "other.pickle"
        moved.parent.mkdir()
        shutil.copy(SAMPLE, moved)
        again = self.open_on_start(moved)
        state = again.wait("the note again", lambda s: self.texts(s) == ["the spike"] and "note_0" in s["rects"])
        again.point_at("note_0")
        again.wait("its text", lambda s: "tooltip" in s["rects"])
        box = state["rects"]["note_0"]
        self.assertAlmostEqual(box[3], y, delta=3)
        again.key("ctrl+w")
        again.wait("nothing open", lambda s: s["file"] is None)
        self.assertEqual(again.fresh()["notes"]["list"], [])

    def test_it_is_edited_deleted_and_undone(self):
        window = self.open(SAMPLE)
        self.note(window, 0.4, 0.5, "one")
        window.click("note_0")
        window.wait("its text to edit", lambda s: s["notes"]["edited"] == "one")
        window.fresh()
        window.key("ctrl+a")
        window.type("two")
        window.click("note_keep")
        window.wait("the other text", lambda s: self.texts(s) == ["two"])
        window.click("note_0")
        window.wait("its text to edit", lambda s: s["notes"]["edited"] == "two")
        window.click("note_delete")
        window.wait("no note", lambda s: self.texts(s) == [] and "note_0" not in s["rects"])
        for texts in (["two"], ["one"], []):
            window.key("ctrl+z")
            window.wait(f"{texts}", lambda s, texts=texts: self.texts(s) == texts)
        self.assertEqual(window.state()["notes"]["changes"], 0)

    def test_esc_keeps_nothing(self):
        window = self.open(SAMPLE)
        window.point(*self.inside(window, 0.4, 0.5))
        window.key("k")
        window.wait("the window of a note", lambda s: s["notes"]["edited"] is not None and "note_text" in s["rects"])
        window.fresh()
        window.type("never")
        window.wait("the text", lambda s: s["notes"]["edited"] == "never")
        window.key("Escape")
        window.key("Escape")
        window.wait("no window", lambda s: s["notes"]["edited"] is None)
        self.assertEqual(window.fresh()["notes"]["list"], [])

    def test_the_palette_leads_to_it(self):
        window = self.open(SAMPLE)
        self.note(window, 0.9, 0.5, "look here")
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        window.wheel(left + 10, bottom - 10, 20)
        window.wait("it out of view", lambda s: "note_0" not in s["rects"])
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"])
        window.type("look here")
        window.wait("it", lambda s: s["palette"]["first_matches"][0]["words"] == "look here")
        self.assertEqual(window.state()["palette"]["first_matches"][0]["kind"], "note")
        window.key("Return")
        window.wait("it in view", lambda s: "note_0" in s["rects"])

    @window_only("each browser has notes of its own")
    def test_two_windows_join_their_notes(self):
        first = self.open_on_start(SAMPLE)
        second = self.start(SAMPLE, name="second")
        second.wait_drawn(SAMPLE)
        first.take_keyboard()
        self.note(first, 0.3, 0.4, "of the first")
        second.take_keyboard()
        state = self.note(second, 0.6, 0.4, "of the second")
        self.assertEqual(self.texts(state), ["of the first", "of the second"])
        files = list((self.folder / "config" / "snapviewer" / "notes").iterdir())
        self.assertEqual(len(files), 1)
        kept = json.loads(files[0].read_text(encoding="utf-8"))["notes"]
        self.assertEqual(sorted(note["text"] for note in kept), ["of the first", "of the second"])


if __name__ == "__main__":
    unittest.main()
