"""The window of a comparison says what `snapviewer compare` says; that this is right is the business of tests/cli."""
import json
import os
import shlex
import subprocess
import unittest

from driver import BINARY, SAMPLE, WindowTest
from large_snapshot import write_large_snapshot
import snapshots


def compared(a, b, *options):
    done = subprocess.run([BINARY, "compare", str(a), str(b), "--json", *options], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def rows_by_difference(answer):
    rows = [{**row, "box": box} for box in ("only_a", "both", "only_b") for row in answer["rows"][box]]
    return sorted(rows, key=lambda row: -abs(row["delta"]))


class Compare(WindowTest):
    def planted(self, *names):
        snapshots.make("gen_planted.py", self.folder, *names)
        paths = [self.folder / f"{name}.pickle" for name in names]
        return paths if len(paths) > 1 else paths[0]

    def choose_other(self, window, path):
        """Through File > Compare with, whose field takes a path."""
        window.click("menu_file")
        window.click("menu_file_compare")
        window.rect("file_dialog_open")
        window.fresh()
        window.key("ctrl+a")
        window.type(str(path))
        window.key("Return")

    def wait_shown(self, window, by="stack", basis="all"):
        """Once nothing moves any more: columns find their width in the frames after."""
        shown = window.wait(f"the comparison by {by} of {basis}", lambda s: s["compare"]["shown"]["by"] == by
                           and s["compare"]["shown"]["basis"] == basis and not s["compare"]["doing"]
                           and len(s["compare"]["shown"]["first_rows"]) == min(50, s["compare"]["shown"]["rows"]))["compare"]["shown"]
        window.fresh()
        return shown

    def assert_says(self, shown, answer):
        for key in ("by", "basis", "peak_a", "peak_b", "reserved_a", "reserved_b", "delta", "groups"):
            self.assertEqual(shown[key], answer[key], key)
        self.assertEqual(shown["alignment"], {key: answer["alignment"][key] for key in ("method", "points")})
        self.assertEqual([(each["key"], each["a"] and json.loads(each["a"]), each["b"] and json.loads(each["b"])) for each in shown["settings"]],
                         [(each["key"], "" if each["a"] is None else each["a"], "" if each["b"] is None else each["b"])
                          for each in answer["settings"]])
        self.assertEqual(shown["rows"], sum(len(rows) for rows in answer["rows"].values()))
        self.assertEqual(shown["first_rows"], rows_by_difference(answer)[:50])

    def test_it_says_what_the_command_says(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.open_on_start(a)
        self.choose_other(window, b)
        shown = self.wait_shown(window)
        self.assert_says(shown, compared(a, b))
        self.assertEqual((shown["curves"]["most_a"], shown["curves"]["most_b"]), (shown["peak_a"], shown["peak_b"]))
        self.assertIn("higher than A", shown["sentence"])
        for by, basis in (("function", "all"), ("function", "recorded"), ("source", "recorded")):
            for choice, value in (("by", by), ("basis", basis)):
                if shown[choice] != value:
                    window.click(f"compare_{choice}")
                    window.click(f"compare_{choice}_{value}")
            shown = self.wait_shown(window, by, basis)
            self.assert_says(shown, compared(a, b, "--by", by, "--basis", basis))

    def test_a_row_shows_its_allocations_in_the_picture_and_a_box_its_rows(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.open_on_start(a)
        self.choose_other(window, b)
        shown = self.wait_shown(window)
        answer = compared(a, b)
        window.click("compare_box_only_a")
        rows = [{**row, "box": "only_a"} for row in answer["rows"]["only_a"]]
        window.wait("the rows of A alone", lambda s: s["compare"]["shown"]["first_rows"] == rows)
        window.fresh()
        window.click("compare_row_0")
        made = subprocess.run([BINARY, "query", str(a), "--format", "csv", "SELECT count(*) FROM allocations a JOIN stacks s "
                               f"ON s.id = a.stack_id WHERE s.key = '{rows[0]['key']}'"], check=True, capture_output=True, text=True)
        state = window.wait("its allocations", lambda s: s["search"]["hits"] == int(made.stdout.split()[1]))
        self.assertEqual(state["compare"]["chosen"], rows[0]["key"])
        window.click("compare_box_only_a")
        window.wait("all rows", lambda s: s["compare"]["shown"]["first_rows"] == shown["first_rows"])
        window.click("compare_header_bytes_a")
        window.wait("the largest of A first", lambda s: [row["bytes_a"] for row in s["compare"]["shown"]["first_rows"]] ==
                    sorted((row["bytes_a"] for row in shown["first_rows"]), reverse=True))
        window.click("compare_box_only_b")
        window.wait("the rows of B alone", lambda s: {row["box"] for row in s["compare"]["shown"]["first_rows"]} == {"only_b"})
        window.fresh()
        window.click("compare_row_0")
        window.wait("nothing of A", lambda s: s["search"] is None and s["notice"].startswith("A allocated nothing there"))

    def test_two_files_that_are_dropped_together_are_compared(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.start()
        window.drop(a, b)
        window.wait_drawn(a)
        self.assert_says(self.wait_shown(window), compared(a, b))
        self.assertEqual(window.state()["compare"]["b"], str(b))
        window.key("Escape")
        window.wait("no window", lambda s: s["compare"] is None)
        window.click("menu_view")
        window.click("menu_view_compare")
        self.wait_shown(window)

    def test_another_file_in_its_place_is_compared_with_the_same_and_none_ends_it(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.start(a, b)
        self.wait_shown(window)
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        answer = compared(SAMPLE, b)
        window.wait("the other peak", lambda s: s["compare"]["shown"]["peak_a"] == answer["peak_a"])
        self.assert_says(self.wait_shown(window), answer)
        window.key("ctrl+w")
        window.wait("no file and no window", lambda s: s["file"] is None and s["compare"] is None)
        window.drop(a)
        window.wait_drawn(a)
        window.fresh()
        self.assertIsNone(window.state()["compare"])

    def test_the_command_is_copied(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.start(a, b)
        self.wait_shown(window)
        window.click("compare_by")
        window.click("compare_by_python")
        self.wait_shown(window, by="python")
        window.click("compare_copy")
        window.wait("the command", lambda s: s["notice"] == "The command is in the clipboard")
        window.key("Escape")
        window.wait("no window", lambda s: s["compare"] is None)
        window.open_query_pane()
        window.click("query_input")
        window.key("ctrl+a", "ctrl+v")
        line = window.wait("it in a field", lambda s: s["query"]["sql"].startswith("snapviewer"))["query"]["sql"]
        self.assertEqual(shlex.split(line), ["snapviewer", "compare", str(a), str(b), "--by", "python"])

    def test_with_the_keyboard_alone(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.open_on_start(a)
        window.key("ctrl+shift+o")
        window.rect("file_dialog_open")
        window.fresh()
        window.key("ctrl+a")
        window.type(str(b))
        window.key("Return")
        self.wait_shown(window)

    def test_the_palette_leads_to_the_file_dialog(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.open_on_start(a)
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"])
        window.type("compare with")
        window.wait("its row", lambda s: any("Compare with" in match["words"] for match in s["palette"]["first_matches"][:1]))
        window.key("Return")
        window.wait("the dialog alone", lambda s: not s["palette"] and s["rects"]["file_dialog_open"])
        window.fresh()
        window.key("ctrl+a")
        window.type(str(b))
        window.key("Return")
        self.assert_says(self.wait_shown(window), compared(a, b))

    def test_devices_of_the_same_file(self):
        path = self.folder / "two-devices.pickle"
        snapshots.make_run("two-devices", path)
        window = self.open_on_start(path)
        self.choose_other(window, path)
        shown = self.wait_shown(window)
        self.assertEqual((shown["delta"], shown["sentence"]), (0, "Both peak alike."))
        on_screen = window.state()["timeline"]["device"]
        for index in (1, 0):
            window.click("compare_device")
            window.click(f"compare_device_{index}")
            answer = compared(path, path, "--device", str(on_screen), "--device2", str(index))
            window.wait(f"device {index}", lambda s, answer=answer: s["compare"]["shown"]["peak_b"] == answer["peak_b"]
                        and s["compare"]["shown"]["groups"] == answer["groups"])
            self.assert_says(self.wait_shown(window), answer)

    def test_what_cannot_be_compared_is_said(self):
        a = self.planted("compare-a")
        window = self.open_on_start(a)
        self.choose_other(window, SAMPLE)
        limits = self.wait_shown(window)["limits"]
        answer = compared(a, SAMPLE)
        before = next(row for row in answer["rows"]["only_b"] if row["key"] == "before")
        self.assertGreater(before["bytes_b"], 0)
        self.assertEqual([limit for limit in limits if "before the recording" in limit],
                         [f"0 B of A's peak and {before['bytes_b'] / 2**20:.1f} MiB of B's were allocated before the recording: "
                          "as one row, for nothing tells them apart."])
        self.assertTrue(any(limit.startswith("In B, ") for limit in limits), limits)
        self.assertFalse(any(limit.startswith("In A, ") for limit in limits), limits)

    def test_a_file_that_cannot_be_read_is_told_and_another_one_can_be_chosen(self):
        a, b = self.planted("compare-a", "compare-b")
        broken = self.folder / "broken.pickle"
        broken.write_bytes(b.read_bytes()[:200])
        empty = self.folder / "orders.db"
        subprocess.run(["python3", "-c", "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('CREATE TABLE orders (price)'); "
                        "db.commit()", str(empty)], check=True)
        window = self.open_on_start(a)
        for path in broken, empty:
            self.choose_other(window, path)
            state = window.wait("why not", lambda s, path=path: s["compare"]["b"] == str(path) and s["compare"]["trouble"])
            self.assertIsNone(state["compare"]["shown"])
            self.assertEqual(state["file"], str(a))
        self.assertIn("no allocations over time", state["compare"]["trouble"])
        os.replace(b, empty)
        window.click("compare_restart")
        self.wait_shown(window)

    def test_it_can_be_stopped_and_goes_on(self):
        large = self.folder / "large.pickle"
        write_large_snapshot(large, pairs=1_500_000)
        window = self.open_on_start(SAMPLE)
        self.choose_other(window, large)
        window.wait("the work", lambda s: s["compare"]["doing"])
        window.click("compare_stop")
        window.wait("the end of it", lambda s: s["compare"]["is_stopped"] and not s["compare"]["doing"])
        window.click("compare_restart")
        window.wait("it to go on", lambda s: not s["compare"]["is_stopped"] and (s["compare"]["doing"] or s["compare"]["shown"]))
        window.key("Escape")
        window.wait("the window to close", lambda s: s["compare"] is None)


if __name__ == "__main__":
    unittest.main()
