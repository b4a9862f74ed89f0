"""The command that the window gives for what it shows, run in a shell."""
import shlex
import subprocess
import unittest

from driver import BINARY, SAMPLE, WindowTest


class CommandLine(WindowTest):
    def copied(self, window):
        """Through the clipboard, as a user would get at it."""
        window.click("menu_file")
        window.click("menu_edit_copy_command")
        window.wait("the command", lambda s: "clipboard" in s["said"])
        window.open_query_pane()
        window.click("query_input")
        window.key("ctrl+a", "ctrl+v")
        return window.wait("it in the input", lambda s: s["query"]["sql"].startswith("snapviewer render"))["query"]["sql"]

    def drawn(self, name, *arguments):
        path = self.folder / name
        subprocess.run([BINARY, "render", SAMPLE, "--out", path, "--remembered", *arguments], check=True, capture_output=True,
                       env=self.window.environment)
        return path.read_bytes()

    def test_it_draws_what_is_on_the_screen(self):
        window = self.open_on_start(SAMPLE)
        window.click("menu_picture")
        window.click("menu_colour")
        window.click("menu_colour_Size")
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        window.wheel(left + 0.7 * (right - left), top + 0.6 * (bottom - top), 4)
        state = window.fresh()
        words = shlex.split(self.copied(window))
        self.assertEqual(words[:3], ["snapviewer", "render", str(SAMPLE)])
        subprocess.run([BINARY, *words[1:]], check=True, cwd=self.folder, capture_output=True, env=window.environment)
        drawn = (self.folder / "picture.png").read_bytes()
        x_begin, x_end, y_begin, y_end = state["timeline"]["view"]
        view = f"--view={x_begin}:{x_end},{y_begin}:{y_end}"
        self.assertEqual(drawn, self.drawn("wanted.png", "--axis", "steps", "--colour-by", "size", view))
        self.assertNotEqual(drawn, self.drawn("all.png", "--axis", "steps", "--colour-by", "size"))
        self.assertNotEqual(drawn, self.drawn("stacks.png", "--axis", "steps", "--colour-by", "stack", view))


if __name__ == "__main__":
    unittest.main()
