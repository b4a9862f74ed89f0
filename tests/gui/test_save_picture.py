"""The picture on the screen, saved from the window."""
import functools
import operator
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from driver import BINARY, SAMPLE, WindowTest, window_only

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import png  # noqa: E402

# Margins around the canvas in pictures of `render`, without lines of text, at a scale of 1.
LEFT, RIGHT, ABOVE, BELOW = 104, 14, 14 + 9 + 12, 30

class SavePicture(WindowTest):
    def save(self, window, path, size="640x400"):
        window.click("menu_file")
        window.click("menu_file_save_picture")
        window.rect("save_picture_path")
        if path.suffix == ".svg":
            window.click("save_picture_svg")
        for field, text in (("save_picture_path", window.named(path)), ("save_picture_size", size)):
            window.click(field)
            window.key("ctrl+a")
            window.type(text)
        window.click("save_picture_save")

    def wait_saved(self, window, path):
        window.wait_saved(path)
        window.wait("its window to go", lambda s: "save_picture_path" not in s["rects"])

    def drawn(self, state, name):
        x_begin, x_end, y_begin, y_end = state["timeline"]["view"]
        path = self.folder / name
        subprocess.run([BINARY, "render", SAMPLE, "--out", path, "--size", "640x400", "--axis", "steps", "--colour-by", "stack",
                        "--remembered", f"--view={x_begin}:{x_end},{y_begin}:{y_end}"], check=True, capture_output=True,
                       env=self.window.environment)
        return path.read_bytes()

    @window_only("a browser's driver draws edges in its own way, for which tests/web has tolerances")
    def test_it_is_what_render_draws_of_the_view(self):
        window = self.open_on_start(SAMPLE)
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        state = window.wheel(left + 0.7 * (right - left), top + 0.6 * (bottom - top), 4)
        window.key("ctrl+s")
        window.rect("save_picture_path")
        window.key("Escape")
        for name in ("saved.png", "saved.svg"):
            path = self.folder / name
            self.save(window, path)
            self.wait_saved(window, path)
            self.assertEqual(path.read_bytes(), self.drawn(state, f"wanted{path.suffix}"))
        ElementTree.parse(self.folder / "saved.svg")

    def canvas_on_screen(self, window):
        """Returns the rows of pixels of the canvas on the screen, with the mouse elsewhere."""
        window.point(3, 3)
        window.wait("what was said to go", lambda s: not s["toasts"])
        left, top, right, bottom = (round(edge) for edge in window.fresh()["timeline"]["canvas"])
        return [row[3 * left:3 * right] for row in self.display.screen()[2][top:bottom]]

    def canvas_saved(self, window, name):
        """Returns the rows of pixels of a saved picture whose canvas has the same size."""
        state = window.fresh()
        left, top, right, bottom = (round(edge) for edge in state["timeline"]["canvas"])
        above = ABOVE + 2 * round(state["look"]["line_px"])
        size = f"{right - left + LEFT + RIGHT}x{bottom - top + above + BELOW}"
        self.save(window, self.folder / name, size)
        self.wait_saved(window, self.folder / name)
        channels, rows = png.decode((self.folder / name).read_bytes())
        rows = rows[above:above + bottom - top]
        kept = []
        for row in rows:
            row = row[channels * LEFT:channels * (LEFT + right - left)]
            rgb = bytearray(3 * (right - left))
            for part in range(3):
                rgb[part::3] = row[part::channels]
            kept.append(bytes(rgb))
        return kept

    def share_alike(self, one, other):
        """Returns the share of equal pixels in two pictures of the same size."""
        alike = 0
        for row, line in zip(one, other, strict=True):
            self.assertEqual(len(row), len(line))
            difference = (int.from_bytes(row, "big") ^ int.from_bytes(line, "big")).to_bytes(len(row), "big")
            parts = (int.from_bytes(difference[part::3], "big") for part in range(3))
            alike += functools.reduce(operator.or_, parts).to_bytes(len(row) // 3, "big").count(0)
        return 3 * alike / sum(map(len, one))

    def test_it_looks_as_the_window_does(self):
        """Compares highlight, selection, a note and hidden tracks with the pixels on the screen."""
        window = self.start(SAMPLE)
        window.xdotool("windowsize", window.window_id, 1000, 700)
        window.wait_drawn(SAMPLE)
        window.click("menu_picture")
        window.click("menu_view_tracks")
        window.wait("the tracks to go, here and in what is saved", lambda s: "track_annotations" not in s["rects"])
        plain = self.canvas_on_screen(window)
        self.assertGreater(self.share_alike(plain, self.canvas_saved(window, "plain.png")), 0.97)

        window.key("ctrl+f")
        window.rect("search_field")
        window.type("size > 400 MiB")
        window.wait("the hits", lambda s: s["search"]["hits"])
        window.key("Return")
        window.wait("one selected", lambda s: s["timeline"]["selected"] and s["search"]["place"])
        found = self.canvas_on_screen(window)
        saved = self.canvas_saved(window, "found.png")
        self.assertGreater(self.share_alike(found, saved), 0.97)
        self.assertLess(self.share_alike(plain[:len(found)], saved), 0.9, "the check tells a picture without it apart")

        window.key("Escape", "Escape", "Escape")
        window.wait("neither search nor selection", lambda s: s["search"] is None and s["timeline"]["selected"] is None)
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        window.point(left + 0.4 * (right - left), top + 0.3 * (bottom - top))
        before = self.canvas_saved(window, "before.png")
        window.point(left + 0.4 * (right - left), top + 0.3 * (bottom - top))
        window.key("k")
        window.wait("the window of a note", lambda s: s["notes"]["edited"] is not None and "note_text" in s["rects"])
        window.fresh()
        window.type("here it grows")
        window.key("Return")
        window.wait("the note", lambda s: s["notes"]["list"] and s["notes"]["edited"] is None)
        flag = window.rect("note_0")
        with_note = self.canvas_saved(window, "note.png")
        changed = [(x, y) for y, (row, line) in enumerate(zip(before, with_note))
                   for x in range(len(row) // 3) if row[3 * x:3 * x + 3] != line[3 * x:3 * x + 3]]
        self.assertGreater(len(changed), 50, "the flag and its words")
        foot = (flag[0] - left, flag[3] - top)
        self.assertLess(min(abs(x - foot[0]) + abs(y - foot[1]) for x, y in changed), 6, "at the place of the note")
        self.assertTrue(all(abs(y - foot[1]) < 40 for _, y in changed), "and nowhere else")

    @window_only("a browser saves what it is given")
    def test_what_goes_wrong_is_said(self):
        window = self.open_on_start(SAMPLE)
        self.save(window, self.folder / "nowhere" / "x.png")
        state = window.wait("why not", lambda s: "nowhere" in s["notice"])
        self.assertIn("save_picture_path", state["rects"], "the window stays for another place")


if __name__ == "__main__":
    unittest.main()
