"""Text with characters that the built-in font lacks."""
import os
import pickle
import shutil
import subprocess
import unittest
from unittest import mock

from driver import WindowTest, window_only

FONTS = subprocess.run(["fc-list", ":charset=5185 524d 53cd", "file"], capture_output=True, check=False).stdout if shutil.which("fc-list") else b""
HAS_CHINESE = bool(FONTS)


class Languages(WindowTest):
    def make(self, function):
        path = self.folder / "内存快照.pickle"
        frames = [{"filename": "训练.py", "line": 7, "name": function}]
        trace = [{"action": "alloc", "addr": 4096, "size": 1000, "stream": 0, "frames": frames}]
        path.write_bytes(pickle.dumps({"segments": [], "device_traces": [trace]}))
        return path

    def row_of(self, function):
        """Returns the pixels of the first row of the list of live allocations, which contains the function's name."""
        window = self.open_on_start(self.make(function))
        window.click("tab_live")
        left, top, right, bottom = (round(side) for side in window.rect("live_row_0"))
        state = window.fresh()
        rows = self.display.screen()[2]
        window.stop()
        return state["fonts"], [rows[y][3 * left:3 * right] for y in range(top, bottom)]

    @unittest.skipUnless(HAS_CHINESE, "no font with Chinese")
    def test_names_in_chinese_are_read(self):
        fonts, forward = self.row_of("前向传播")
        self.assertEqual(fonts["missing"], 0)
        self.assertTrue(fonts["system"])
        self.assertNotEqual(forward, self.row_of("反向传播")[1], "one character differs")
        self.assertEqual(forward, self.row_of("前向传播")[1], "and nothing else does")

    @window_only("a browser draws something for every character")
    def test_without_such_a_font_there_is_a_mark_instead(self):
        config = self.folder / "no_fonts.conf"
        config.write_text("<fontconfig></fontconfig>")
        with mock.patch.dict(os.environ, FONTCONFIG_FILE=str(config)):
            fonts, forward = self.row_of("前向传播")
            self.assertEqual(fonts["system"], [])
            self.assertGreater(fonts["missing"], 0)
            self.assertEqual(forward, self.row_of("反向传播")[1])


if __name__ == "__main__":
    unittest.main()
