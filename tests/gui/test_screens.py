"""Windows of any size, displays that disappear, drivers without some features, and an environment without a home folder."""
import json
import os
import subprocess
import unittest

from driver import BINARY, Display, SAMPLE, Window, WindowTest

ENVIRONMENT_STATUS = 3


class Screens(WindowTest):
    def test_a_window_of_one_pixel_and_back(self):
        window = self.open_on_start(SAMPLE)
        for width, height in ((1, 1), (3000, 1), (1, 900), (40, 30)):
            window.xdotool("windowsize", window.window_id, width, height)
            window.fresh()
        window.xdotool("windowsize", window.window_id, 1200, 800)
        state = window.wait("its picture", lambda s: s["timeline"]["canvas"][2] > 500)
        left, top, right, bottom = state["timeline"]["canvas"]
        window.fresh()
        self.assertGreater(self.display.colours_in(left + 5, top + 5, right - 5, bottom - 5), 10)
        self.assertEqual(window.state()["gl"]["errors"], 0)

    def test_a_window_that_is_resized_all_the_time(self):
        """The window's sizes in pixels and in units are queried one after the other, and it may be resized in between."""
        window = self.open_on_start(SAMPLE)
        usual = window.state()["look"]
        narrow_and_wide = [part for width in range(2, 102) for part in ("windowsize", window.window_id, width, 500, "sleep", 0.002,
                                                                        "windowsize", window.window_id, 1400, 900, "sleep", 0.003)]
        for _ in range(5):
            window.xdotool(*narrow_and_wide)
            self.assertEqual(window.fresh()["look"], usual)
        self.assertEqual(window.close(), 0)

    def test_a_window_out_of_sight(self):
        window = self.open_on_start(SAMPLE)
        window.xdotool("windowunmap", "--sync", window.window_id)
        large = self.folder / "other.pickle"
        large.write_bytes(SAMPLE.read_bytes())
        window.drop(large)
        window.wait_drawn(large)
        window.xdotool("windowmap", "--sync", window.window_id)
        window.take_keyboard()
        state = window.fresh()
        left, top, right, bottom = state["timeline"]["canvas"]
        self.assertGreater(self.display.colours_in(left + 5, top + 5, right - 5, bottom - 5), 10)
        self.assertEqual(window.close(), 0)

    def test_a_window_of_8k(self):
        display = Display("7680x4320")
        self.addCleanup(display.stop)
        window = Window(display, self.folder, ["--size", "7680x4320", SAMPLE])
        self.addCleanup(window.stop)
        state = window.wait_drawn(SAMPLE)
        left, top, right, bottom = state["timeline"]["canvas"]
        self.assertGreater(right - left, 4500)
        self.assertGreater(display.colours_in(right - 400, bottom - 300, right - 5, bottom - 5), 3)
        window.wheel((left + right) / 2, (top + bottom) / 2, 3)
        self.assertEqual(window.state()["gl"]["errors"], 0)
        self.assertEqual(window.close(), 0)

    def settings(self):
        return json.loads((self.folder / "config" / "snapviewer" / "settings.json").read_text(encoding="utf-8"))

    def lose(self, take_away):
        """Removes the display while the window has an unsaved change."""
        display = Display()
        self.addCleanup(display.stop)
        window = Window(display, self.folder, [SAMPLE])
        self.addCleanup(window.stop)
        window.wait_drawn(SAMPLE)
        window.click("legend_allocated")
        window.wait("allocated shown", lambda s: s["overlays"]["shown"]["allocated"])
        take_away(display, window)
        status = window.process.wait(10)
        self.assertEqual(status, ENVIRONMENT_STATUS, window.said())
        self.assertIn("snapviewer: the connection to the display was lost; preferences have been saved", window.said())
        self.assertNotIn("could not be saved", window.said())
        self.assertTrue(self.settings()["overlays"]["allocated"], (window.said(), self.settings()))
        self.assertEqual(self.settings()["recent_files"], [str(SAMPLE)])
        self.assertEqual(sorted(os.listdir(self.folder / "config" / "snapviewer")), ["settings.json"])
        self.assertFalse((self.folder / "state").exists(), "no report of a crash")

    def test_a_display_that_ends(self):
        self.lose(lambda display, window: display.process.terminate())

    def test_a_display_that_is_killed(self):
        self.lose(lambda display, window: display.process.kill())

    def test_a_window_that_is_taken_away(self):
        self.lose(lambda display, window: window.xdotool("windowkill", window.window_id))

    def run_without_window(self, **changes):
        """Runs the program where it cannot open a window; returns status and output."""
        environment = {**os.environ, "DISPLAY": self.display.name, "LIBGL_ALWAYS_SOFTWARE": "1", "HOME": str(self.folder),
                       "XDG_CONFIG_HOME": str(self.folder / "config"), "XDG_STATE_HOME": str(self.folder / "state"), **changes}
        environment.pop("WAYLAND_DISPLAY", None)
        done = subprocess.run([BINARY, SAMPLE], env=environment, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stderr

    def test_a_driver_that_is_too_old(self):
        for version in ("2.1", "3.0", "3.2", "4.0"):
            with self.subTest(version):
                status, said = self.run_without_window(MESA_GL_VERSION_OVERRIDE=version, MESA_GLSL_VERSION_OVERRIDE="120")
                self.assertEqual(status, ENVIRONMENT_STATUS, said)
                self.assertIn("could not open a window with OpenGL 4.1", said)

    def test_a_driver_without_what_is_needed(self):
        for lack in ({"MESA_GLSL_VERSION_OVERRIDE": "330"}, {"MESA_EXTENSION_OVERRIDE": "-GL_ARB_gpu_shader5"},
                     {"MESA_EXTENSION_OVERRIDE": "-GL_ARB_sample_shading"}):
            with self.subTest(lack):
                status, said = self.run_without_window(**lack)
                self.assertEqual(status, ENVIRONMENT_STATUS, said)
                self.assertIn("could not open a window with OpenGL 4.1", said)

    def test_no_display(self):
        status, said = self.run_without_window(DISPLAY=":4711")
        self.assertEqual(status, ENVIRONMENT_STATUS, said)
        self.assertIn("there is no display to open a window on", said)

    def test_a_display_without_glx(self):
        display = Display(extensions=["-extension", "GLX"])
        self.addCleanup(display.stop)
        status, said = self.run_without_window(DISPLAY=display.name)
        self.assertEqual(status, ENVIRONMENT_STATUS, said)
        for way_out in ("+extension GLX", "vglrun", "snapviewer render FILE --out picture.png", "snapviewer report FILE"):
            self.assertIn(way_out, said)

    def test_no_home(self):
        window = self.start(SAMPLE, environment={"HOME": None, "XDG_CONFIG_HOME": None, "XDG_STATE_HOME": None,
                                                 "XDG_CACHE_HOME": None, "XDG_DATA_HOME": None})
        window.wait_drawn(SAMPLE)
        self.assertEqual(window.answer("SELECT 7")["first_rows"], [["7"]])
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.key("Escape")
        window.wait("the dialog to go", lambda s: "file_dialog_path" not in s["rects"])
        self.assertEqual(window.close(), 0)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["state-stderr.txt", "state.json"])


if __name__ == "__main__":
    unittest.main()
