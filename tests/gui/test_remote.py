"""The window with a file on another machine, read over ssh from a private server."""
import json
import os
import re
import shutil
import sys
import time
import unittest

from driver import BINARY, SAMPLE, WindowTest
from large_snapshot import write_slow_snapshot

from ssh_server import TOOLS, SshServer

ADDRESS = f"node:{SAMPLE}"
SOON_S = 5
# Slows the transfer to a given rate until the file HURRY exists.
SLOWLY = """
import os, subprocess, sys, time
asked = subprocess.Popen(["sh", "-c", os.environ["SSH_ORIGINAL_COMMAND"]], stdout=subprocess.PIPE)
while piece := asked.stdout.read(20000):
    sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    if not os.path.exists("HURRY"):
        time.sleep(0.1)
"""


class Remote(WindowTest):
    def serve(self, **options):
        self.server = SshServer(**options)
        self.server.__enter__()
        self.addCleanup(self.server.__exit__, None, None, None)

    def start_beside_server(self, *arguments):
        return self.start(*arguments, environment=self.server.environment({"PATH": os.environ["PATH"]}))

    def test_open_by_name_in_the_dialog(self):
        self.serve()
        window = self.start_beside_server()
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.type(ADDRESS)
        window.key("Return")
        state = window.wait_drawn(ADDRESS)
        self.assertEqual((state["timeline"]["allocations"], state["error"]), (2846, None))
        time.sleep(1.5)     # the window checks a file once per second
        self.assertEqual(window.fresh()["on_disk"], "unchanged")
        self.assertEqual(window.xdotool("getwindowname", window.window_id), f"{SAMPLE.name} - snapviewer")
        loads = state["loads"] if "loads" in state else None
        window.key("F5")
        window.wait("it to be fetched again", lambda s: s["loading"] or s.get("loads") != loads)
        window.wait_drawn(ADDRESS)
        self.assertEqual(window.close(), 0)
        settings = json.loads((self.folder / "config" / "snapviewer" / "settings.json").read_text())
        self.assertEqual(settings["recent_files"], [ADDRESS])
        again = self.start_beside_server()
        again.key("ctrl+o")
        again.click("file_dialog_elsewhere_0")
        again.rect("file_dialog_path_takes_letters")
        again.type(SAMPLE.name)
        again.key("Return")
        self.assertEqual(again.wait_drawn(ADDRESS)["timeline"]["allocations"], 2846)

    def test_the_totals_grow_while_the_file_is_fetched(self):
        slow = self.folder / "slow.pickle"
        events = write_slow_snapshot(slow, repeats=40, pack=bytes)
        script = self.folder / "forced.py"
        hurry = self.folder / "hurry"
        script.write_text(SLOWLY.replace("HURRY", str(hurry)))
        self.serve(forced=f"{sys.executable} {script}")
        window = self.start_beside_server(f"node:{slow}")
        first = window.wait("totals of the first part", lambda s: s["loading"] and s["loading"]["preview_samples"] > 0)
        self.assertLess(first["loading"]["fraction"], 1)
        hurry.touch()
        self.assertEqual(window.wait_drawn(f"node:{slow}")["timeline"]["allocations"], events // 2)

    def test_a_folder_is_a_fleet(self):
        self.serve(tools=[*TOOLS, BINARY])
        ranks = self.folder / "ranks"
        ranks.mkdir()
        for rank in (0, 1):
            (ranks / f"rank{rank}.pickle").write_bytes(SAMPLE.read_bytes())
        window = self.start_beside_server(f"node:{ranks}/")
        fleet = window.wait("the ranks", lambda s: s["fleet"]["shown"] and s["fleet"]["shown"]["ranks"] == 2 and not s["fleet"]["status"])["fleet"]
        self.assertEqual((fleet["error"], fleet["files_read"]), ("", 2))
        window.click("fleet_choose_0")
        window.wait("its curve, of its own file", lambda s: s["fleet"]["curves"] and not s["fleet"]["curves_error"])
        window.click("fleet_row_1")
        window.wait("the cursor there", lambda s: s["fleet"]["cursor"])
        window.click("fleet_open")
        self.assertEqual(window.wait_drawn(f"node:{ranks}/rank1.pickle")["timeline"]["allocations"], 2846)

    def test_a_folder_is_followed(self):
        """Without snapviewer on the other machine, one connection is used, and only new or changed files are transferred."""
        self.serve()
        fetched = self.server.count_of_tool("zstd")
        ranks = self.folder / "ranks"
        ranks.mkdir()
        for rank in (0, 1):
            (ranks / f"rank{rank}.pickle").write_bytes(SAMPLE.read_bytes())
        window = self.start_beside_server(f"node:{ranks}/")
        window.wait("the ranks", lambda s: s["fleet"]["shown"] and s["fleet"]["shown"]["ranks"] == 2 and not s["fleet"]["status"])
        self.assertEqual((len(self.server.connections()), fetched()), (1, 2))
        (ranks / "rank2.pickle").write_bytes(b"broken")
        window.wait("the new rank", lambda s: s["fleet"]["shown"]["ranks"] == 3 and s["fleet"]["shown"]["failed"] and not s["fleet"]["status"])
        (ranks / "rank2.pickle").write_bytes(SAMPLE.read_bytes())
        window.wait("it to be whole", lambda s: s["fleet"]["shown"]["failed"] == [] and not s["fleet"]["status"])
        self.assertEqual((len(self.server.connections()), fetched()), (1, 4))
        self.server.cut()
        window.wait("it to be noticed", lambda s: "no longer followed" in s["fleet"]["error"])
        (ranks / "rank0.pickle").unlink()
        window.key("F5")
        window.wait("a new connection", lambda s: s["fleet"]["shown"]["ranks"] == 2 and not s["fleet"]["status"] and not s["fleet"]["error"])
        self.assertEqual((len(self.server.connections()), fetched()), (1, 4))

    def test_reading_a_folder_can_be_stopped(self):
        """Stops in the middle of a file without waiting for its rest."""
        self.serve(tools=[tool for tool in TOOLS if tool not in ("zstd", "gzip")])
        cat = self.server.folder / "tools" / "cat"
        cat.unlink()
        cat.write_text("#!/bin/sh\nhead -c 1000\nsleep 60\n")
        cat.chmod(0o755)
        ranks = self.folder / "ranks"
        ranks.mkdir()
        for rank in (0, 1):
            (ranks / f"rank{rank}.pickle").write_bytes(SAMPLE.read_bytes())
        window = self.start_beside_server(f"node:{ranks}/")
        window.wait("the first file to be begun", lambda s: re.fullmatch(r"0 of 2 files, [\d.]+ [KMG]?i?B over the network", s["fleet"]["status"]))
        window.click("fleet_stop")
        window.wait("it to rest", lambda s: s["fleet"]["is_stopped"] and not s["fleet"]["status"])
        began = time.monotonic()
        while self.server.connections() and time.monotonic() < began + SOON_S:
            time.sleep(0.05)
        self.assertEqual(self.server.connections(), [])
        cat.write_text(f"#!/bin/sh\nexec {shutil.which('cat')}\n")
        window.click("fleet_restart")
        window.wait("the ranks", lambda s: s["fleet"]["shown"] and s["fleet"]["shown"]["ranks"] == 2 and not s["fleet"]["status"])
        self.assertEqual(window.state()["fleet"]["shown"]["failed"], [])

    def test_waiting_can_be_given_up(self):
        script = self.folder / "forced.sh"
        script.write_text("sleep 60\n")
        self.serve(forced=f"sh {script}")
        window = self.start_beside_server(ADDRESS)
        window.wait("ssh to be connected", lambda s: self.server.connections())
        window.click("load_cancel")
        began = time.monotonic()
        window.wait("the load to be gone", lambda s: s["loading"] is None)
        while self.server.connections() and time.monotonic() < began + SOON_S:
            time.sleep(0.05)
        self.assertEqual(self.server.connections(), [])
        self.assertIsNone(window.state()["file"])
        self.assertEqual(window.close(), 0)

    def test_closing_the_window_ends_ssh(self):
        script = self.folder / "forced.sh"
        script.write_text("sleep 60\n")
        self.serve(forced=f"sh {script}")
        window = self.start_beside_server(ADDRESS)
        window.wait("ssh to be connected", lambda s: self.server.connections())
        self.assertEqual(window.close(), 0)
        began = time.monotonic()
        while self.server.connections() and time.monotonic() < began + SOON_S:
            time.sleep(0.05)
        self.assertEqual(self.server.connections(), [])

    def test_what_cannot_be_reached(self):
        self.serve()
        for address, mentions in [("nowhere.invalid:/a.pickle", "Could not resolve hostname"), (f"wrong-key:{SAMPLE}", "Permission denied"),
                                  ("node:/nothing.pickle", "no such file on that machine")]:
            window = self.start_beside_server(address)
            state = window.wait("the error", lambda s: s["error"])
            self.assertIn(mentions, state["error"]["text"])
            window.click("error_ok")
            window.wait("it to go", lambda s: s["error"] is None)
            window.stop()


if __name__ == "__main__":
    unittest.main()
