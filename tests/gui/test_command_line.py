"""The command that the window offers for its current view, run in a shell."""
import shlex
import shutil
import subprocess
import unittest

from driver import BINARY, SAMPLE, WindowTest, window_only


class CommandLine(WindowTest):
    def copied(self, window, command="edit_copy_command", begin="snapviewer render"):
        """Copies the command to the clipboard, like a user, and returns it."""
        window.click("menu_file")
        window.click(f"menu_{command}")
        window.wait("the command", lambda s: "clipboard" in s["said"])
        window.open_query_pane()
        window.click("query_input")
        window.key("ctrl+a", "ctrl+v")
        return window.wait("it in the input", lambda s: s["query"]["sql"].startswith(begin))["query"]["sql"]

    @window_only("a page gives its own address, which tests/web looks at")
    def test_another_window_opens_the_same_place(self):
        window = self.open_on_start(SAMPLE)
        window.key("ctrl+f")
        window.rect("search_field")
        window.fresh()
        window.type("size > 1 KiB")
        window.wait("the search", lambda s: s["search"]["text"] == "size > 1 KiB" and s["search"]["hits"] is not None)
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        window.wheel(left + 0.7 * (right - left), top + 0.6 * (bottom - top), 4)
        window.click_at(left + 0.5 * (right - left), top + 0.8 * (bottom - top))
        window.wait("a selection", lambda s: s["timeline"]["selected"])
        window.answer("SELECT 'it''s' || 1")
        before = window.fresh()
        words = shlex.split(self.copied(window, "file_copy_link", f"snapviewer {SAMPLE}"))
        self.assertEqual(words[:3], ["snapviewer", str(SAMPLE), "--show"])
        window.close()
        other = self.start(*words[1:])
        other.wait("the query of the link", lambda s: s["query"]["ran_sql"] == "SELECT 'it''s' || 1" and not s["query"]["running"])
        after = other.fresh()
        self.assertEqual(after["query"]["first_rows"], [["it's1"]])
        for what in ("view", "axis", "selected"):
            self.assertEqual(after["timeline"][what], before["timeline"][what], what)
        self.assertEqual(after["search"]["text"], before["search"]["text"])

    def test_another_picture_on_another_axis(self):
        window = self.start(SAMPLE, "--show", "shows=segments&axis=time&view=0:1000")
        window.wait("segments", lambda s: s["timeline"] and s["timeline"]["shows"] == "segments" and s["timeline"]["view"][:2] == [0, 1000])
        self.assertEqual(window.fresh()["timeline"]["axis"], "time")

    def drawn(self, name, *arguments):
        path = self.folder / name
        subprocess.run([BINARY, "render", SAMPLE, "--out", path, "--remembered", *arguments], check=True, capture_output=True,
                       env=self.window.environment)
        return path.read_bytes()

    def test_it_draws_what_is_on_the_screen(self):
        path = self.folder / "sample.pickle"
        shutil.copy(SAMPLE, path)
        window = self.open_on_start(path)
        window.click("menu_picture")
        window.click("menu_colour")
        window.click("menu_colour_Size")
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        window.wheel(left + 0.7 * (right - left), top + 0.6 * (bottom - top), 4)
        state = window.fresh()
        words = shlex.split(self.copied(window))
        self.assertEqual(words[:3], ["snapviewer", "render", window.named(path)])
        subprocess.run([BINARY, *words[1:]], check=True, cwd=self.folder, capture_output=True, env=window.environment)
        drawn = (self.folder / "picture.png").read_bytes()
        x_begin, x_end, y_begin, y_end = state["timeline"]["view"]
        view = f"--view={x_begin}:{x_end},{y_begin}:{y_end}"
        self.assertEqual(drawn, self.drawn("wanted.png", "--axis", "steps", "--colour-by", "size", view))
        self.assertNotEqual(drawn, self.drawn("all.png", "--axis", "steps", "--colour-by", "size"))
        self.assertNotEqual(drawn, self.drawn("stacks.png", "--axis", "steps", "--colour-by", "stack", view))


if __name__ == "__main__":
    unittest.main()
