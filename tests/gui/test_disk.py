"""Files that are truncated, replaced, deleted or still written while they are open or being read."""
import os
import pickle
import shutil
import subprocess
import threading
import time
import unittest

from driver import BINARY, PATIENCE_S, SAMPLE, WindowTest, window_only
from large_snapshot import write_large_snapshot

UNCHANGED_S = 0.3


def write_snapshot(path, count):
    events = [{"action": "alloc", "addr": 1 << 20 << i, "size": 512, "stream": 0, "frames": []} for i in range(count)]
    path.write_bytes(pickle.dumps({"segments": [], "device_traces": [events]}))


@window_only("the browser keeps what a file held, and does not read one that was changed")
class Disk(WindowTest):
    def copy_of_sample(self):
        path = self.folder / "a.pickle"
        shutil.copy(SAMPLE, path)
        return path

    def assert_alive(self, window):
        self.assertEqual(window.answer("SELECT 7")["first_rows"], [["7"]])

    def test_an_open_file_cut_to_nothing(self):
        path = self.copy_of_sample()
        window = self.open_on_start(path)
        allocations = window.state()["timeline"]["allocations"]
        os.truncate(path, 0)
        window.wait("the offer", lambda s: s["on_disk"] == "changed" and s["rects"]["reload"])
        query = window.answer("SELECT count(*) FROM allocations")
        self.assertEqual(query["first_rows"], [[str(allocations)]])
        window.click("reload")
        state = window.wait("a dialog", lambda s: s["error"]["file"] == str(path) and s["rects"]["error_ok"])
        self.assertIn("empty", state["error"]["text"])
        self.assertEqual(state["timeline"]["allocations"], allocations, "what was open stays")

    def database(self):
        path = self.folder / "a.db"
        subprocess.run([BINARY, "export", SAMPLE, "--out", path], check=True, timeout=60)
        return path

    def assert_query_ends_well(self, window, sql):
        """The query ends with rows or with an error."""
        query = window.answer(sql)
        self.assertTrue(query["error"] or query["rows"], query)
        print(f"{sql}: {query['error'] or query['first_rows'][:1]}")
        self.assert_alive(window)

    def test_an_open_database_cut_replaced_grown_and_deleted(self):
        def cut(path):
            os.truncate(path, path.stat().st_size // 2)

        def empty(path):
            os.truncate(path, 0)

        def overwrite(path):
            with open(path, "r+b") as file:
                file.write(b"\xff" * path.stat().st_size)

        def grow(path):
            with open(path, "ab") as file:
                file.write(b"\0" * 1_000_000)

        def replace(path):
            write_snapshot(path.with_suffix(".new"), 3)
            path.with_suffix(".new").rename(path)
        path = self.database()
        good = path.read_bytes()
        window = self.start()
        for damage in (cut, empty, overwrite, grow, replace, os.unlink):
            with self.subTest(damage.__name__):
                path.unlink(missing_ok=True)
                path.write_bytes(good)
                window.drop(path)
                window.wait(f"{path} to be open",
                            lambda s: s["file"] == str(path) and not s["loading"] and s["on_disk"] == "unchanged")
                window.wait_drawn(path)
                self.assertIsNone(window.state()["error"])
                damage(path)
                self.assert_query_ends_well(window, "SELECT count(*), max(length(file)) FROM file.frames")
                canvas = window.state()["timeline"]["canvas"]
                window.click_at((canvas[0] + canvas[2]) / 2, canvas[3] - 5)
                window.fresh()
                window.key("ctrl+w")
                window.wait("nothing to be open", lambda s: s["file"] is None)

    def test_a_file_that_grows_while_it_is_read(self):
        path = self.folder / "large.pickle"
        write_large_snapshot(path, 600_000)
        window = self.open_on_start(SAMPLE)
        is_over = threading.Event()

        def append():
            with open(path, "ab", buffering=0) as file:
                while not is_over.wait(0.001):
                    file.write(b"more" * 1000)
        writer = threading.Thread(target=append)
        writer.start()
        try:
            window.drop(path)
            state = window.wait("an end of it", lambda s: not s["loading"] and (s["error"] or s["file"] == str(path)))
        finally:
            is_over.set()
            writer.join()
        self.assertTrue(state["error"] or state["timeline"]["allocations"] == 600_000)
        if state["error"]:
            window.click("error_ok")
        window.wait("that it changed", lambda s: s["on_disk"] == "changed" or s["file"] == str(SAMPLE))
        self.assert_alive(window)

    def test_a_file_deleted_or_replaced_while_it_is_read(self):
        path = self.folder / "large.pickle"
        for change, said in ((os.unlink, "gone"), (lambda p: os.replace(self.copy_of_sample(), p), "changed")):
            with self.subTest(said):
                write_large_snapshot(path, 600_000)
                window = self.start()
                window.drop(path)
                window.wait("the load to begin", lambda s: s["loading"]["file"] == str(path) and s["loading"]["fraction"] > 0)
                change(path)
                window.wait_drawn(path)
                state = window.wait("that it is so", lambda s: s["on_disk"] == said)
                self.assertEqual(state["timeline"]["allocations"], 600_000)
                self.assertIsNone(state["error"])
                self.assertEqual(window.close(), 0)

    def test_of_ten_files_dropped_in_a_row_the_last_one_wins(self):
        large = self.folder / "large.pickle"
        write_large_snapshot(large, 300_000)
        paths = []
        for number in range(1, 11):
            paths.append(self.folder / f"{number}.pickle")
            if number % 3 == 0:
                shutil.copy(large, paths[-1])
            else:
                write_snapshot(paths[-1], number)
        window = self.start()
        window.drop(paths[-1])
        window.wait_drawn(paths[-1])

        def held():
            """Returns the value once it is unchanged for some time, because preferences, for example, are written in between."""
            value, since_s, began_s = None, 0.0, time.monotonic()
            while value is None or time.monotonic() - since_s < UNCHANGED_S:
                state = window.fresh()
                now = (len(window.threads()), window.open_files(), state["gl"]["objects"])
                if now != value:
                    value, since_s = now, time.monotonic()
                self.assertLess(time.monotonic() - began_s, PATIENCE_S, "it never rests")
            return value

        def settled():
            window.wait("the work to end", lambda s: not s["loading"] and len(window.threads()) <= before[0])
            return held()
        window.wait("the findings", lambda s: s["findings"]["state"] == "ready")
        before = held()
        for _ in range(3):
            for path in paths:
                window.drop(path)
            state = window.wait("the last one", lambda s: s["file"] == str(paths[-1]) and not s["loading"])
            self.assertEqual(state["timeline"]["allocations"], 10)
            self.assertIsNone(state["error"])
            self.assertEqual(settled(), before)
        self.assertEqual(window.state()["gl"]["errors"], 0)

    def test_closing_while_a_file_is_read(self):
        path = self.folder / "large.pickle"
        write_large_snapshot(path)
        window = self.open_on_start(SAMPLE)
        for _ in range(2):
            window.drop(path)
            window.wait("the load to begin", lambda s: s["loading"]["file"] == str(path))
        self.assertEqual(window.close(), 0)


if __name__ == "__main__":
    unittest.main()
