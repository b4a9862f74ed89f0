"""A window in which nothing happens costs nothing."""
import os
import time
import unittest
from pathlib import Path

from driver import SAMPLE, WindowTest

WATCHED_S = 8.0
MOST_SHARE = 0.01  # of a core; about 0.0005 on two busy ones


class Idle(WindowTest):
    def cpu_seconds(self, window):
        fields = Path(f"/proc/{window.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def frames_at_rest(self, window):
        """How many frames it had drawn when what the last input set in motion, which takes its time on a busy machine, was over."""
        seen = []
        for _ in range(20):
            seen.append(window.state()["frames"])
            if seen[-4:] == [seen[-1]] * 4:
                return seen[-1]
            time.sleep(1)
        raise AssertionError(f"still drawing after 20 s: {seen}")

    def assert_rests(self, window):
        frames, spent = self.frames_at_rest(window), self.cpu_seconds(window)
        time.sleep(WATCHED_S)
        share = (self.cpu_seconds(window) - spent) / WATCHED_S
        print(f"{share:.4f} of a core")
        self.assertEqual(window.state()["frames"], frames, "nothing changed, so nothing is drawn")
        self.assertLess(share, MOST_SHARE)

    def test_an_idle_picture(self):
        self.assert_rests(self.open_on_start(SAMPLE))

    def test_the_mouse_over_an_allocation(self):
        window = self.open_on_start(SAMPLE)
        window.point_at("canvas")
        self.assert_rests(window)

    def test_the_welcome_screen(self):
        self.assert_rests(self.start())

    def test_a_caret_comes_to_rest(self):
        window = self.open_on_start(SAMPLE)
        window.key("ctrl+f")
        frames = window.wait("the search", lambda s: s["search"])["frames"]
        window.wait("the caret to blink", lambda s: s["frames"] > frames + 8, 9)
        time.sleep(11)
        self.assert_rests(window)

    def test_a_click_is_seen_whenever_it_comes(self):
        """Also in the moment in which a sleeping window looks about by itself, once a second."""
        window = self.open_on_start(SAMPLE)
        window.point_at("legend_allocated")
        is_shown = window.state()["overlays"]["shown"]["allocated"]
        for late_ms in range(0, 400, 25):
            with self.subTest(late_ms):
                time.sleep(0.9 + late_ms / 1000)
                window.press_button()
                is_shown = not is_shown
                window.wait("the click to count", lambda s: s["overlays"]["shown"]["allocated"] == is_shown, 3)


if __name__ == "__main__":
    unittest.main()
