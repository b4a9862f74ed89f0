#!/usr/bin/env python3
"""The Debian package on a bare Debian 12: installed by dpkg, and a snapshot opened with xdg-open, like from a file manager. Needs root
and debootstrap, takes minutes. SNAPVIEWER_SCREEN=FILE saves the screen as a picture for inspection.
"""
import os
import shutil
import struct
import subprocess
import time
import unittest
import zlib
from pathlib import Path

import made

MIME_TYPE = "application/x-pytorch-memory-snapshot"
PATIENCE_S = 120
DISPLAY = ":77"


class Desktop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = made.BareRoot(cls)
        deb = made.make_deb(cls.root.trial)
        # Installs the dependencies and recommendations first, because dpkg does not.
        fields = made.result("dpkg-deb", "--field", deb, "Depends", "Recommends")
        needs = [each.split()[0] for line in fields.splitlines() for each in line.split(":", 1)[1].split(",")]
        cls.root.install(*needs, "xdg-utils", "libglib2.0-bin", "libfile-mimeinfo-perl", "shared-mime-info", "desktop-file-utils", "xvfb", "xdotool")
        cls.root.inside("dpkg", "--install", f"/trial/{deb.name}")
        cls.screen = subprocess.Popen(cls.root.command("Xvfb", DISPLAY, "-screen", "0", "1280x720x24", "-nolisten", "tcp", "-noreset", "-fbdir", "/trial"),
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.screen.wait)
        cls.addClassCleanup(cls.screen.terminate)
        shutil.copy(made.SAMPLE, cls.root.trial / "no ending")

    def test_the_program_is_there(self):
        self.assertIn("snapviewer", self.root.inside("snapviewer", "--version"))
        self.assertIn('"findings"', self.root.inside("snapviewer", "report", "/trial/sample.pickle", "--json"))
        self.assertEqual(self.root.status("dpkg", "--audit").stdout, "")

    def test_the_desktop_knows_the_type_and_who_opens_it(self):
        for name in ("sample.pickle", "no ending"):
            for desktop in ("GNOME", "generic"):
                told = self.root.inside("xdg-mime", "query", "filetype", f"/trial/{name}", XDG_CURRENT_DESKTOP=desktop)
                self.assertEqual(told.strip(), MIME_TYPE, f"{name}, {desktop}")
        self.assertEqual(self.root.inside("xdg-mime", "query", "default", MIME_TYPE).strip(), "snapviewer.desktop")

    def windows(self, title):
        found = self.root.status("xdotool", "search", "--name", title, DISPLAY=DISPLAY)
        return found.stdout.split()

    def wait_for_window(self, title, is_there):
        end = time.monotonic() + PATIENCE_S
        while bool(self.windows(title)) != is_there:
            if time.monotonic() > end:
                self.fail(f"after {PATIENCE_S} s there is {'no' if is_there else 'still a'} window called {title}")
            time.sleep(0.2)

    def test_xdg_open_opens_the_window(self):
        for desktop, name in (("GNOME", "sample.pickle"), ("generic", "no ending")):
            with self.subTest(desktop):
                opening = subprocess.Popen(self.root.command("xdg-open", f"/trial/{name}", DISPLAY=DISPLAY, XDG_CURRENT_DESKTOP=desktop),
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.wait_for_window(name, True)
                self.keep_screen()
                self.root.inside("xdotool", "search", "--onlyvisible", "--name", name, "windowfocus", "--sync", DISPLAY=DISPLAY)
                # In the same command as the search, xdotool sends the keys to the window itself, and fails if the window closes
                # before their release. The next window then closes at once or not at all.
                self.root.inside("xdotool", "key", "ctrl+q", DISPLAY=DISPLAY)
                self.wait_for_window(name, False)
                self.assertEqual(opening.wait(PATIENCE_S), 0)

    def keep_screen(self):
        """Saves the screen. Xvfb's framebuffer is a file in the format of xwd: a header of 32-bit words, a table of
        colours, pixels as BGRX."""
        target = os.environ.get("SNAPVIEWER_SCREEN")
        if not target:
            return
        time.sleep(10)      # time until the picture and the findings are visible, for the saved screen
        data = Path(self.root.trial, "Xvfb_screen0").read_bytes()
        words = struct.unpack(">25I", data[:100])
        width, height, line = words[4], words[5], words[12]
        pixels = data[words[0] + 12 * words[19]:]
        rows = bytearray()
        for y in range(height):
            bgrx, rgb = pixels[y * line:y * line + 4 * width], bytearray(3 * width)
            rgb[0::3], rgb[1::3], rgb[2::3] = bgrx[2::4], bgrx[1::4], bgrx[0::4]
            rows += b"\0" + rgb

        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        Path(target).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                                 chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b""))


if __name__ == "__main__":
    made.skip_without_roots()
    unittest.main()
