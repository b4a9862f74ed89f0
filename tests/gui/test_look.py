"""The window's appearance: its theme, its size, its notices, and changes of the desktop's preferences while it runs."""
import json
import os
import subprocess
import unittest

from driver import SAMPLE, WindowTest, window_only
from settings_portal import SettingsPortal

XSETTINGS_MANAGER = os.environ.get("SNAPVIEWER_XSETTINGS_MANAGER", "")


class SettingsManager:
    """The desktop's settings manager, which tells programs the theme."""

    def __init__(self, window):
        self.process = subprocess.Popen([XSETTINGS_MANAGER], env=window.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, theme, dots_per_inch):
        self.process.stdin.write(f"{theme} {dots_per_inch}\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "ok\n":
            raise RuntimeError("the settings manager ended")

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


class Look(WindowTest):
    def pixel(self, x, y):
        row = self.display.screen()[2][round(y)]
        return tuple(row[3 * round(x):3 * round(x) + 3])

    def ground(self, window):
        """Returns the brightness of the menu bar's background, left of its texts."""
        window.fresh()
        return sum(self.pixel(2, 2)) / 3

    def settings(self):
        return json.loads((self.folder / "config" / "snapviewer" / "settings.json").read_text(encoding="utf-8"))

    def choose_theme(self, window, name):
        window.click("menu_view")
        window.point_at("menu_theme")
        window.click(f"menu_theme_{name}")
        window.wait("the menu to close", lambda s: f"menu_theme_{name}" not in s["rects"])

    def manager(self, window):
        manager = SettingsManager(window)
        self.addCleanup(manager.stop)
        return manager

    def test_a_theme_is_chosen_and_remembered(self):
        window = self.open_on_start(SAMPLE)
        self.assertEqual(window.state()["look"]["theme"], "dark")
        self.assertLess(self.ground(window), 60)
        uploaded = window.state()["uploaded_bytes"]
        self.choose_theme(window, "light")
        window.wait("the light theme", lambda s: s["look"]["theme"] == "light")
        self.assertGreater(self.ground(window), 200)
        # The picture's background is light, too; the colours of allocations are the same.
        left, top, right, bottom = window.state()["timeline"]["canvas"]
        self.assertGreater(min(self.pixel(left + 6, top + 6)), 200)
        self.assertEqual(window.state()["uploaded_bytes"], uploaded)
        self.assertEqual(window.close(), 0)
        self.assertEqual(self.settings()["theme"], "light")
        window = self.open_on_start(SAMPLE)
        self.assertEqual(window.state()["look"]["theme"], "light")
        self.choose_theme(window, "dark")
        window.wait("the dark theme", lambda s: s["look"]["theme"] == "dark")
        self.assertLess(self.ground(window), 60)

    def test_what_does_not_stand_out_is_grey_in_both(self):
        window = self.open_on_start(SAMPLE)
        window.key("ctrl+f")
        window.rect("search_field")
        window.type("nowhere to be found")
        window.wait("no hit", lambda s: s["search"]["hits"] == 0 and s["search"]["text"] == "nowhere to be found")

        def middle():
            left, top, right, bottom = window.fresh()["timeline"]["canvas"]
            column = [self.pixel(left + 0.9 * (right - left), bottom - 0.3 * (bottom - top) + y) for y in range(15)]
            return sorted(column, key=sum)[7]  # a pixel of neither an edge nor a stripe
        dark = middle()
        self.assertLess(max(dark), 80)
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"])
        window.type("Theme Light")
        window.wait("its match", lambda s: s["palette"]["typed"] == "Theme Light" and s["palette"]["first_matches"])
        window.key("Return")
        window.wait("the light theme", lambda s: s["look"]["theme"] == "light")
        light = middle()
        self.assertGreater(min(light), 190)
        self.assertLess(max(light) - min(light), 12)

    @window_only("the browser follows the desktop")
    def test_the_desktop_is_followed(self):
        window = self.start()
        self.assertEqual(window.state()["look"]["theme"], "dark")
        manager = self.manager(window)
        manager.say("Adwaita", 96)
        window.wait("a light desktop", lambda s: s["look"]["theme"] == "light")
        manager.say("Adwaita-dark", 96)
        window.wait("a dark desktop", lambda s: s["look"]["theme"] == "dark")
        manager.say("Yaru-light", 96)
        window.wait("a light desktop again", lambda s: s["look"]["theme"] == "light")
        self.choose_theme(window, "dark")
        window.wait("the user's choice", lambda s: s["look"]["theme"] == "dark")
        self.choose_theme(window, "system")
        window.wait("the desktop's", lambda s: s["look"]["theme"] == "light")
        manager.stop()
        window.wait("nobody to say", lambda s: s["look"]["theme"] == "dark")
        self.assertEqual(window.close(), 0)

    @unittest.skipUnless(SettingsPortal.is_possible(), "needs dbus-daemon")
    def test_the_settings_portal_is_followed(self):
        portal = SettingsPortal(2)
        self.addCleanup(portal.stop)
        window = self.start(environment=portal.environment)
        window.wait("a light desktop", lambda s: s["look"]["theme"] == "light")
        portal.say(1)
        window.wait("a dark desktop", lambda s: s["look"]["theme"] == "dark")
        # The portal takes precedence over the settings manager, unless it has no preference.
        self.manager(window).say("Adwaita", 96)
        window.fresh()
        self.assertEqual(window.state()["look"]["theme"], "dark")
        portal.say(0)
        window.wait("the manager's theme", lambda s: s["look"]["theme"] == "light")
        portal.say(1)
        window.wait("a dark desktop again", lambda s: s["look"]["theme"] == "dark")
        self.assertEqual(window.close(), 0)

    @window_only("the browser follows the desktop")
    def test_gtks_settings_are_followed(self):
        folder = self.folder / "config" / "gtk-3.0"
        folder.mkdir(parents=True)
        (folder / "settings.ini").write_text("[Settings]\ngtk-theme-name=Breeze\n", encoding="utf-8")
        window = self.start()
        self.assertEqual(window.state()["look"]["theme"], "light")
        (folder / "settings.ini").write_text("[Settings]\ngtk-theme-name=Breeze\ngtk-application-prefer-dark-theme=1\n", encoding="utf-8")
        window.wait("dark is preferred", lambda s: s["look"]["theme"] == "dark")

    @window_only("the browser follows the desktop")
    def test_the_monitors_scale_is_followed(self):
        window = self.open_on_start(SAMPLE)
        before = window.fresh()
        manager = self.manager(window)
        manager.say("Adwaita-dark", 96)
        window.fresh()
        self.assertEqual(window.state()["look"]["line_px"], before["look"]["line_px"])
        manager.say("Adwaita-dark", 192)
        state = window.wait("twice the size", lambda s: s["look"]["line_px"] == 2 * before["look"]["line_px"])
        state = window.fresh()
        heights = [s["rects"]["menu_file"][3] - s["rects"]["menu_file"][1] for s in (before, state)]
        self.assertAlmostEqual(heights[1], 2 * heights[0], delta=2)
        manager.say("Adwaita-dark", 120)
        window.wait("a quarter more", lambda s: s["look"]["line_px"] == 1.25 * before["look"]["line_px"])
        self.assertEqual(window.state()["gl"]["errors"], 0)

    def test_the_interface_is_scaled(self):
        window = self.open_on_start(SAMPLE)
        usual = window.state()["look"]["line_px"]
        window.key("ctrl+plus")
        window.wait("larger", lambda s: s["look"]["scale"] > 1 and s["look"]["line_px"] > usual)
        window.key("ctrl+plus", "ctrl+plus", "ctrl+plus")
        state = window.wait("three steps more", lambda s: s["look"]["scale"] == 1.75)
        window.wait("letters of that size", lambda s: s["look"]["line_px"] == 1.75 * usual)
        self.assertIn("Interface at 175 %", state["said"])
        window.key("ctrl+minus")
        window.wait("a step less", lambda s: s["look"]["scale"] == 1.5)
        # The keys for the size also work while a text field has the keyboard.
        window.key("ctrl+f")
        window.rect("search_field")
        window.fresh()
        window.key("ctrl+minus")
        state = window.wait("another", lambda s: s["look"]["scale"] == 1.25)
        self.assertEqual(state["search"]["text"], "")
        self.assertEqual(window.close(), 0)
        self.assertEqual(self.settings()["interface_scale"], 1.25)
        window = self.open_on_start(SAMPLE)
        self.assertEqual(window.state()["look"], {"theme": "dark", "scale": 1.25, "line_px": 1.25 * usual})
        textures = window.fresh()["gl"]["objects"]["textures"]
        window.key("ctrl+0")
        window.wait("the usual size", lambda s: s["look"]["scale"] == 1 and s["look"]["line_px"] == usual)
        self.assertEqual(window.fresh()["gl"]["objects"]["textures"], textures)
        self.assertEqual(window.state()["gl"]["errors"], 0)

    def test_a_notice_goes_by_itself(self):
        window = self.open_on_start(SAMPLE)
        self.choose_theme(window, "light")
        window.click("menu_file")
        window.click("menu_edit_copy_command")
        state = window.wait("the notice", lambda s: s["toasts"] and s["rects"]["toast_0"])
        self.assertEqual(state["toasts"], ["The command for this picture copied to the clipboard"])
        left, top, right, bottom = state["rects"]["toast_0"]
        canvas = state["timeline"]["canvas"]
        self.assertGreaterEqual(left, canvas[0])
        self.assertLessEqual(right, canvas[2])
        window.wait("it to go", lambda s: not s["toasts"] and "toast_0" not in s["rects"])

    def tooltips(self, window, names):
        for name in names:
            window.point_at(name)
            state = window.wait(f"what is told of {name}", lambda s: s["rects"]["tooltip"])
            yield name, window.rect(name), state["rects"]["tooltip"]

    def test_tooltips_are_narrow_and_beside(self):
        window = self.open_on_start(SAMPLE)
        window.wait("findings", lambda s: s["findings"]["state"] == "ready")
        window.click("tab_live")
        window.rect("live_row_2")
        names = ["legend_reserved", "legend_peak_line", "live_row_0", "live_row_2", "shows", "track_label_" + window.state()["overlays"]["tracks"][0]["name"]]
        for name, described, told in self.tooltips(window, names):
            with self.subTest(name):
                self.assertLessEqual(told[2] - told[0], 360)
                apart = told[2] <= described[0] or told[0] >= described[2] or told[3] <= described[1] or told[1] >= described[3]
                self.assertTrue(apart, (described, told))
                self.assertGreaterEqual(min(told), 0)


if __name__ == "__main__":
    unittest.main()
