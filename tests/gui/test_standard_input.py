"""The window with `-`: the picture of another program's output."""
import json
import os
import subprocess
import time
import unittest

from driver import SAMPLE, WindowTest
from large_snapshot import write_slow_snapshot

PATH = "/dev/stdin"     # the program's internal name of standard input
CANCEL_S = 2


class StandardInput(WindowTest):
    def start_with_pipe(self):
        """Starts a window that reads a pipe; returns it and the write end."""
        read_end, write_end = os.pipe()
        window = self.start("-", stdin=read_end)
        os.close(read_end)
        writer = os.fdopen(write_end, "wb", buffering=0)
        self.addCleanup(writer.close)
        return window, writer

    def test_shows_the_picture(self):
        with subprocess.Popen(["cat", SAMPLE], stdout=subprocess.PIPE) as cat:
            window = self.start("-", stdin=cat.stdout)
            state = window.wait_drawn(PATH)
        self.assertEqual((state["timeline"]["allocations"], state["error"]), (2846, None))
        left, top, right, bottom = state["timeline"]["canvas"]
        self.assertGreater(self.display.colours_in(left + 5, top + 5, right - 5, bottom - 5), 10, "a picture on the screen")
        self.assertEqual(window.xdotool("getwindowname", window.window_id), "standard input - snapviewer")
        time.sleep(1.5)     # the window checks a file once per second
        window.key("F5")
        state = window.fresh()
        self.assertEqual((state["file"], state["on_disk"], state["loading"], state["error"]), (PATH, "unchanged", None, None))
        self.assertEqual(window.close(), 0)
        settings = json.loads((self.folder / "config" / "snapviewer" / "settings.json").read_text())
        self.assertEqual(settings.get("recent_files", []), [])

    def test_the_totals_grow_while_it_is_written(self):
        slow = self.folder / "slow.pickle.bz2"
        events = write_slow_snapshot(slow, repeats=40)
        content = slow.read_bytes()
        window, writer = self.start_with_pipe()
        written, step, state = 0, len(content) // 100, window.state()
        while written < len(content) * 3 // 4 and not (state["loading"] and state["loading"]["preview_samples"]):
            writer.write(content[written:written + step])
            written += step
            time.sleep(0.1)
            state = window.state()
        self.assertEqual(state["loading"]["file"], PATH)
        self.assertGreater(state["loading"]["preview_samples"], 0)
        writer.write(content[written:])
        writer.close()
        self.assertEqual(window.wait_drawn(PATH)["timeline"]["allocations"], events // 2)

    def test_waiting_can_be_given_up(self):
        window, writer = self.start_with_pipe()
        writer.write(SAMPLE.read_bytes()[:1000])
        window.click("load_cancel")
        began = time.monotonic()
        window.wait("the load to be gone", lambda s: s["loading"] is None)
        self.assertLess(time.monotonic() - began, CANCEL_S)
        self.assertIsNone(window.state()["file"])
        self.assertEqual(window.close(), 0)

    def test_what_is_no_snapshot(self):
        window, writer = self.start_with_pipe()
        writer.write(b"just text")
        writer.close()
        state = window.wait("the error", lambda s: s["error"])
        self.assertIn("is not a file that snapviewer can read", state["error"]["text"])
        window.click("error_ok")
        window.wait("it to go", lambda s: s["error"] is None)


if __name__ == "__main__":
    unittest.main()
