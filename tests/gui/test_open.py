"""Ways to open a file in the window."""
import gzip
import json
import os
import pickle
import re
import shutil
import sqlite3
import subprocess
import unittest
import zipfile
from pathlib import Path

import reference
from driver import BINARY, OBSERVED, SAMPLE, SHARED, WindowTest, window_only, snapshots


class Open(WindowTest):
    def assert_shows(self, window, sizes, peak_bytes):
        state = window.fresh()
        self.assertEqual(state["timeline"]["allocations"], len(sizes))
        self.assertEqual(state["timeline"]["peak_bytes"], peak_bytes)
        self.assertIsNone(state["error"])
        self.assertGreater(state["uploaded_bytes"], 0)
        left, top, right, bottom = state["timeline"]["canvas"]
        self.assertGreater(self.display.colours_in(left + 5, top + 5, right - 5, bottom - 5), 10, "a picture on the screen")

    def test_menu_and_typed_path(self):
        window = self.start()
        self.assertIsNone(window.state()["file"])
        window.click("menu_file")
        window.click("menu_file_open")
        window.choose_file(SAMPLE)
        window.wait_drawn(SAMPLE)
        window.wait("the dialog to go", lambda s: "file_dialog_path" not in s["rects"])
        self.assert_shows(window, *reference.allocations(SAMPLE))

    def test_dialog_by_keyboard_alone(self):
        runs = self.folder / "runs with spaces"
        runs.mkdir()
        (runs / "a first.txt").write_text("no snapshot")
        shutil.copy(SAMPLE, runs / "b second.pickle")
        window = self.start()
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.key("ctrl+a")
        window.type("~/run")
        window.key("Tab")      # completes the folder's name
        window.key("Down", "Down", "Return")
        window.wait_drawn(runs / "b second.pickle")

    def test_escape_and_cancel_close_the_dialog(self):
        window = self.start()
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.key("Escape")
        window.wait("the dialog to go", lambda s: "file_dialog_path" not in s["rects"])
        window.key("ctrl+o")
        window.click("file_dialog_cancel")
        window.wait("the dialog to go", lambda s: "file_dialog_path" not in s["rects"])
        self.assertIsNone(window.state()["file"])

    def test_a_path_that_is_not_there_keeps_the_dialog_open(self):
        window = self.start()
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.key("ctrl+a")
        window.type("/nowhere/at/all.pickle")
        window.key("Return")
        state = window.fresh()
        self.assertIn("file_dialog_path", state["rects"])
        self.assertIsNone(state["file"])
        self.assertIsNone(state["error"])

    def test_dropped_zip(self):
        path = SHARED / "data/snapviewer-zips/inference-128-json.zip"
        if not path.exists():
            path = self.folder / "exported.zip"
            subprocess.run([BINARY, "export", str(SAMPLE), "--out", str(path)], check=True, timeout=60)
        window = self.start()
        window.drop(path)
        window.wait_drawn(path)
        self.assert_shows(window, *reference.zip_allocations(path))

    def test_dropped_file_with_an_awkward_name(self):
        path = self.folder / "100% \u00e4 #1.pickle"
        shutil.copy(SAMPLE, path)
        window = self.start()
        window.drop(path)
        window.wait_drawn(path)

    def trace_folder(self, shard_size):
        """Writes the sample as SnapViewer's folder: polygons, and elements in shards."""
        path = self.folder / "exported.zip"
        subprocess.run([BINARY, "export", str(SAMPLE), "--out", str(path)], check=True, timeout=60)
        folder = self.folder / "a trace"
        with zipfile.ZipFile(path) as archive:
            archive.extract("allocations.json", folder)
            elements = json.loads(archive.read("elements.json"))
        shards = [elements[at:at + shard_size] for at in range(0, len(elements), shard_size)]
        self.assertGreater(len(shards), 1)
        (folder / f"{len(shards)}.meta").touch()
        for number, shard in enumerate(shards):
            (folder / f"elements_{number}.json").write_text(json.dumps(shard))
        return folder, reference.zip_allocations(path)

    def test_dropped_folder_of_shards(self):
        folder, expected = self.trace_folder(1000)
        before = sorted(path.name for path in folder.iterdir())
        window = self.start()
        window.drop(folder)
        window.wait_drawn(folder)
        self.assert_shows(window, *expected)
        self.assertEqual(sorted(path.name for path in folder.iterdir()), before)

    def test_dropped_folder_with_a_database(self):
        folder, expected = self.trace_folder(1000)
        for path in [*folder.glob("elements_*.json"), *folder.glob("*.meta")]:
            path.unlink()
        with sqlite3.connect(folder / "elements.db") as connection:
            connection.execute("CREATE TABLE allocs (idx INTEGER PRIMARY KEY, size INTEGER, start_time INTEGER, end_time INTEGER, "
                               "callstack TEXT)")
            connection.executemany("INSERT INTO allocs VALUES (?, ?, 0, 0, '(0) a.py:1:f')", enumerate(expected[0]))
        connection.close()
        window = self.start()
        window.drop(folder)
        window.wait_drawn(folder)
        self.assert_shows(window, *expected)

    def test_folder_from_the_dialog(self):
        folder, expected = self.trace_folder(1000)
        window = self.start()
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.key("ctrl+a")
        window.type("~/a")
        window.key("Down", "Return")   # the folder's row
        window.wait_drawn(folder)
        self.assert_shows(window, *expected)
        window.key("ctrl+w")
        window.wait("nothing to be open", lambda s: s["file"] is None)
        window.key("ctrl+o")
        window.rect("file_dialog_path")
        window.key("ctrl+a")
        window.type("~/a trace/")      # inside the folder, before a choice
        window.key("Return")
        window.wait_drawn(folder)

    def drop_database(self, script):
        path = self.folder / "a.db"
        with sqlite3.connect(path) as connection:
            connection.executescript(script)
        connection.close()
        before = path.read_bytes(), path.stat().st_mtime_ns, sorted(p.name for p in self.folder.iterdir() if p.name.startswith("a.db"))
        window = self.start()
        window.drop(path)
        window.wait("the database", lambda s: s["file"] == str(path))
        after = path.read_bytes(), path.stat().st_mtime_ns, sorted(p.name for p in self.folder.iterdir() if p.name.startswith("a.db"))
        self.assertEqual(before, after)
        return window

    def test_dropped_profile(self):
        # 4096 bytes are from before the profile. Two blocks are allocated, and one of them is freed.
        window = self.drop_database("""
            CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
            INSERT INTO STRING_IDS VALUES (1, 'aten::mm'), (2, 'PTA');
            CREATE TABLE OP_MEMORY (name, size, allocationTime, releaseTime, activeReleaseTime, allocationTotalAllocated, deviceId);
            INSERT INTO OP_MEMORY VALUES (1, 1024, 1000001000, 1000003000, 1000002900, 5120, 0), (1, 512, 1000004000, NULL, NULL, 4608, 0);
            CREATE TABLE MEMORY_RECORD (component, timestamp, totalAllocated, totalReserved, totalActive, deviceId);
            INSERT INTO MEMORY_RECORD VALUES (2, 1000000000, 4096, 8192, 4096, 0), (2, 1000001000, 5120, 8192, 5120, 0),
              (2, 1000002900, 4096, 8192, 4096, 0), (2, 1000004000, 4608, 8192, 4608, 0);""")
        state = window.fresh()
        self.assertEqual((state["timeline"]["allocations"], state["timeline"]["peak_bytes"], state["timeline"]["axis"]), (3, 5120, "time"))

    def test_dropped_database_of_insight(self):
        window = self.drop_database((snapshots.ROOT / "tests" / "databases" / "insight.sql").read_text(encoding="utf-8"))
        state = window.fresh()
        # First 3 MiB minus 100 bytes are live. 4 and 5 MiB are allocated, the 4 are freed, and 2 are allocated.
        self.assertEqual((state["timeline"]["allocations"], state["timeline"]["peak_bytes"], state["timeline"]["axis"]), (4, (12 << 20) - 100, "steps"))

    def test_dropped_export_is_the_file_it_came_from(self):
        path = self.folder / "exported.db"
        subprocess.run([BINARY, "export", SAMPLE, "--out", path], check=True)
        window = self.start()
        shown = []
        for each in (SAMPLE, path):
            window.drop(each)
            window.wait_drawn(each)
            # The name of the device changes once the findings are known.
            shown.append(window.wait("the findings", lambda s: s["findings"]["state"] == "ready")["timeline"])
        self.assertEqual(*shown)

    def test_dropped_msmemscope(self):
        # 2048 bytes are from before the recording. Two blocks are allocated, and one of them is freed. The driver has
        # its own picture.
        window = self.drop_database("""
            CREATE TABLE leaks_dump (id, event, eventType, name, timestamp, processId, threadId, deviceId, ptr, attr);
            INSERT INTO leaks_dump VALUES (1, 'MALLOC', 'HAL', 'N/A', 1746006014000000, 7, 7, '0', '90', '{"size":"8192"}'),
              (2, 'MALLOC', 'PTA', 'N/A', 1746006014001000, 7, 7, '0', '100', '{"size":"1024","total":"8192","used":"3072"}'),
              (3, 'MALLOC', 'PTA', 'N/A', 1746006014002000, 7, 7, '0', '200', '{"size":"512","total":"8192","used":"3584"}'),
              (4, 'FREE', 'PTA', 'N/A', 1746006014003000, 7, 7, '0', '100', '{"size":"-1024","total":"8192","used":"2560"}');""")
        state = window.fresh()
        self.assertEqual((state["timeline"]["allocations"], state["timeline"]["peak_bytes"], state["timeline"]["axis"]), (3, 3584, "time"))

    def test_dropped_database_without_a_picture(self):
        window = self.drop_database("CREATE TABLE orders (price); INSERT INTO orders VALUES (7)")
        state = window.fresh()
        self.assertIsNone(state["timeline"])
        self.assertIsNone(state["error"])

    def test_dropped_memory_timeline(self):
        # Half of the memory is parameters, which are always live; activations are added in the second half.
        mib = 1 << 20
        totals = [[1_700_000_000_000_000 + 1000 * i for i in range(5)],
                  [[0, 100 * mib, 0, 0, 0, 100 * mib if i >= 2 else 0, 0, 0, 0] for i in range(5)]]
        path = self.folder / "timeline.json.gz"
        path.write_bytes(gzip.compress(json.dumps(totals).encode()))
        window = self.start()
        window.drop(path)
        window.wait("the timeline", lambda s: s["file"] == str(path) and "legend_Activation" in s["rects"])
        state = window.fresh()
        self.assertIsNone(state["error"])
        self.assertEqual((state["timeline"]["allocations"], state["timeline"]["axis"]), (0, "time"))
        left, top, right, bottom = state["timeline"]["canvas"]
        middle, height = (left + right) // 2, bottom - top

        def colour_at(x, share):
            row = self.display.screen()[2][round(bottom - share * height)]
            return row[3 * round(x):3 * round(x) + 3]

        at_the_bottom = colour_at(middle + 40, 0.2)
        self.assertEqual(colour_at(left + 40, 0.2), at_the_bottom, "parameters throughout")
        activations = colour_at(middle + 40, 0.7)
        self.assertNotEqual(activations, at_the_bottom)
        self.assertNotEqual(colour_at(left + 40, 0.7), activations, "not yet")
        window.click("legend_Activation")
        window.wait("the area to go", lambda s: colour_at(middle + 40, 0.7) != activations)

    def write_snapshot(self, path, sizes):
        """Replaces the file by renaming a new one, as careful programs do."""
        events = [{"action": "alloc", "addr": 1 << 20 << i, "size": size, "stream": 0, "frames": []} for i, size in enumerate(sizes)]
        unfinished = path.with_suffix(".part")
        unfinished.write_bytes(pickle.dumps({"segments": [], "device_traces": [events]}))
        unfinished.rename(path)

    @window_only("the browser does not read a file that was changed")
    def test_a_file_that_changes_on_the_disk(self):
        path = self.folder / "a.pickle"
        self.write_snapshot(path, [100])
        window = self.open_on_start(path)
        self.assertEqual(window.state()["on_disk"], "unchanged")
        self.write_snapshot(path, [100, 200])
        window.click("reload")
        state = window.wait("the new picture", lambda s: s["timeline"]["allocations"] == 2)
        self.assertEqual(state["timeline"]["peak_bytes"], 300)
        window.wait("the offer to go", lambda s: s["on_disk"] == "unchanged" and "reload" not in s["rects"])
        self.write_snapshot(path, [100, 200, 400])
        window.click("reload_dismiss")
        window.wait("the offer to go", lambda s: s["on_disk"] == "unchanged" and "reload" not in s["rects"])
        self.assertEqual(window.state()["timeline"]["allocations"], 2)
        path.unlink()
        state = window.wait("that it is gone", lambda s: s["on_disk"] == "gone")
        self.assertNotIn("reload", state["rects"])
        self.assertEqual(state["timeline"]["allocations"], 2)

    def test_the_sample_that_came_with_the_program(self):
        installed = self.folder / "bin" / "snapviewer", self.folder / "share" / "snapviewer" / "sample.pickle"
        for path, source in zip(installed, (OBSERVED, SAMPLE), strict=True):
            path.parent.mkdir(parents=True)
            shutil.copy(source, path)
        window = self.start(program=installed[0])
        window.click("welcome_sample")
        window.wait("the sample", lambda s: (s["file"] or "").endswith("share/snapviewer/sample.pickle") and s["drawn_pictures"] > 0)
        window.click("menu_file")
        window.click("menu_file_close")
        window.wait("the welcome", lambda s: s["file"] is None)
        window.click("menu_help")
        window.click("menu_help_sample")
        window.wait("it once more", lambda s: (s["file"] or "").endswith("share/snapviewer/sample.pickle"))

    @window_only("a page names its sample otherwise")
    def test_the_sample_of_a_program_that_was_not_installed(self):
        window = self.start()
        window.click("welcome_sample")
        state = window.wait("the sample", lambda s: s["file"] and s["drawn_pictures"] > 0)
        self.assertEqual(Path(state["file"]).read_bytes(), SAMPLE.read_bytes())

    @window_only("a page always has it")
    def test_no_sample(self):
        alone = self.folder / "bin" / "snapviewer"
        alone.parent.mkdir()
        shutil.copy(OBSERVED, alone)
        window = self.start(program=alone)
        self.assertNotIn("welcome_sample", window.fresh()["rects"])

    @window_only("a page has no welcome screen that waits for a key")
    def test_the_program_on_the_welcome_screen_is_that_of_the_docs(self):
        docs = (snapshots.ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
        programs = [each for each in re.findall(r"```python\n(.*?)```", docs, re.DOTALL) if "out_of_memory_observer" in each]
        self.assertEqual(len(programs), 1)
        window = self.start()
        window.click("welcome_copy")
        window.wait("the program in the clipboard", lambda s: "clipboard" in s["said"])
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        window.open_query_pane()
        window.key("ctrl+v")
        window.wait("the program", lambda s: s["query"]["sql"] == programs[0])

    @window_only("a page opens no file by its path")
    def test_a_recent_file_whose_name_is_not_utf_8(self):
        path = self.folder / os.fsdecode(b"sn\xe4pshot 100%41.pickle")
        shutil.copy(SAMPLE, path)
        for button in (None, "welcome_recent_0", "welcome_recent_0"):
            window = self.start(*([path] if button is None else []))
            if button:
                window.click(button)
            state = window.wait("the file", lambda s: s["file"] and s["drawn_pictures"] > 0)
            self.assertRegex(state["file"], r"/sn.pshot 100%41\.pickle$")
            self.assertEqual(window.close(), 0)

    @window_only("a page opens no file by its path")
    def test_recent_file_on_the_welcome_screen(self):
        window = self.open_on_start(SAMPLE)
        self.assertEqual(window.close(), 0)
        window = self.start()
        self.assertIsNone(window.state()["file"])
        window.click("welcome_recent_0")
        window.wait_drawn(SAMPLE)


if __name__ == "__main__":
    unittest.main()
