"""The picture of what is on the screen, saved from the window."""
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from driver import BINARY, SAMPLE, WindowTest


class SavePicture(WindowTest):
    def save(self, window, path, size="640x400"):
        window.key("ctrl+s")
        window.rect("save_picture_path")
        if path.suffix == ".svg":
            window.click("save_picture_svg")
        for field, text in (("save_picture_path", str(path)), ("save_picture_size", size)):
            window.click(field)
            window.key("ctrl+a")
            window.type(text)
        window.click("save_picture_save")

    def drawn(self, state, name):
        x_begin, x_end, y_begin, y_end = state["timeline"]["view"]
        path = self.folder / name
        subprocess.run([BINARY, "render", SAMPLE, "--out", path, "--size", "640x400", "--axis", "steps", "--colour-by", "stack",
                        f"--view={x_begin}:{x_end},{y_begin}:{y_end}"], check=True, capture_output=True)
        return path.read_bytes()

    def test_it_is_what_render_draws_of_the_view(self):
        window = self.open_on_start(SAMPLE)
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        state = window.wheel(left + 0.7 * (right - left), top + 0.6 * (bottom - top), 4)
        for name in ("saved.png", "saved.svg"):
            path = self.folder / name
            self.save(window, path)
            window.wait("it to be saved", lambda s: str(path) in s["said"] and "save_picture_path" not in s["rects"])
            self.assertEqual(path.read_bytes(), self.drawn(state, f"wanted{path.suffix}"))
        ElementTree.parse(self.folder / "saved.svg")

    def test_what_goes_wrong_is_said(self):
        window = self.open_on_start(SAMPLE)
        self.save(window, self.folder / "nowhere" / "x.png")
        state = window.wait("why not", lambda s: "nowhere" in s["notice"])
        self.assertIn("save_picture_path", state["rects"], "the window stays for another place")


if __name__ == "__main__":
    unittest.main()
