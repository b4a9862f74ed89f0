"""An idle window uses no CPU time. Several windows are idle at the same time, each on its own display, because they do not
affect each other."""
import os
import time
import unittest
from pathlib import Path

from driver import Display, SAMPLE, WindowTest

WATCHED_S = 8.0
MAX_SHARE = 0.01  # share of a core; about 0.0005 on a busy machine with two
CARET_BLINKS_S = 10.0
WINDOWS = 4


class Idle(WindowTest):
    def start_elsewhere(self, *arguments):
        self.display = Display()
        self.addCleanup(self.display.stop)
        window = self.start(*arguments, name=f"state {self.display.name}")
        if arguments:
            window.wait_drawn(*arguments)
        return window

    def cpu_seconds(self, window):
        fields = Path(f"/proc/{window.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def frames_at_rest(self, windows):
        """Returns the number of frames of each window once they are idle, which takes some time after the last input on a busy machine."""
        seen = []
        for _ in range(20):
            seen.append([window.state()["frames"] for window in windows])
            if seen[-4:] == [seen[-1]] * 4:
                return seen[-1]
            time.sleep(1)
        raise AssertionError(f"still drawing after 20 s: {seen}")

    def window_with_a_caret(self):
        window = self.start_elsewhere(SAMPLE)
        window.key("ctrl+f")
        frames = window.wait("the search", lambda s: s["search"])["frames"]
        window.wait("the caret to blink", lambda s: s["frames"] > frames + 8, 9)
        return window

    def test_nothing_is_drawn_and_no_time_is_spent(self):
        caret = self.window_with_a_caret()
        rests_at_s = time.monotonic() + CARET_BLINKS_S
        pointed = self.start_elsewhere(SAMPLE)
        pointed.point_at("canvas")
        resting = {"an idle picture": self.start_elsewhere(SAMPLE), "the mouse over an allocation": pointed,
                   "the welcome screen": self.start_elsewhere(), "a caret that has come to rest": caret}
        time.sleep(max(0.0, rests_at_s - time.monotonic()))
        frames = self.frames_at_rest(resting.values())
        spent = [self.cpu_seconds(window) for window in resting.values()]
        time.sleep(WATCHED_S)
        for (what, window), frames_before, spent_before in zip(resting.items(), frames, spent):
            with self.subTest(what):
                share = (self.cpu_seconds(window) - spent_before) / WATCHED_S
                print(f"{what}: {share:.4f} of a core")
                self.assertEqual(window.state()["frames"], frames_before, "nothing changed, so nothing is drawn")
                self.assertLess(share, MAX_SHARE)

    def test_a_click_is_seen_whenever_it_comes(self):
        """Clicks are handled at any time, including the moment at which a sleeping window wakes up by itself, once per second."""
        windows = [self.start_elsewhere(SAMPLE) for _ in range(WINDOWS)]
        for window in windows:
            window.point_at("legend_allocated")
        is_shown = windows[0].state()["overlays"]["shown"]["allocated"]
        seen_at_s = [time.monotonic()] * WINDOWS
        for later_ms in range(0, 100, 25):
            is_shown = not is_shown
            for place, window in enumerate(windows):
                late_ms = 100 * place + later_ms
                with self.subTest(late_ms):
                    time.sleep(max(0.0, seen_at_s[place] + 0.9 + late_ms / 1000 - time.monotonic()))
                    window.press_button()
                    window.wait("the click to count", lambda s: s["overlays"]["shown"]["allocated"] == is_shown, 3)  # noqa: B023
                    seen_at_s[place] = time.monotonic()


if __name__ == "__main__":
    unittest.main()
