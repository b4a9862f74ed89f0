"""The window of a comparison agrees with `snapviewer compare`, which tests/cli checks."""
import json
import os
import shlex
import subprocess
import unittest

from driver import BINARY, SAMPLE, WindowTest, window_only
from large_snapshot import write_large_snapshot
import snapshots


def compared(a, b, *options):
    """Compares by function and line of the program's own code, the window's default, unless the options differ."""
    by = [] if "--by" in options else ["--by", "source"]
    done = subprocess.run([BINARY, "compare", str(a), str(b), "--json", *by, *options], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def rows_by_difference(answer):
    rows = [{**row, "box": box} for box in ("only_a", "both", "only_b") for row in answer["rows"][box]]
    return sorted(rows, key=lambda row: -abs(row["delta"]))


class Compare(WindowTest):
    def planted(self, *names):
        paths = [super(Compare, self).planted(name) for name in names]
        return paths if len(paths) > 1 else paths[0]

    def choose_other(self, window, path):
        """Opens File > Compare with and enters a path."""
        window.click("menu_file")
        window.click("menu_file_compare")
        window.choose_file(path)

    def wait_shown(self, window, by="source", basis="all"):
        """Waits until nothing moves, because columns find their width in the following frames."""
        shown = window.wait(f"the comparison by {by} of {basis}", lambda s: s["compare"]["shown"]["by"] == by
                           and s["compare"]["shown"]["basis"] == basis and not s["compare"]["status"]
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
        window = self.open(a)
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

    def test_the_picture_stays_in_sight_beside_it(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.open(a)
        self.choose_other(window, b)
        self.wait_shown(window)
        for width, height, least_px in ((1600, 900, 500), (1280, 720, 400), (800, 500, 200)):
            window.xdotool("windowsize", "--sync", window.window_id, width, height)
            state = window.wait("the panels to follow", lambda s: width - 40 < s["rects"]["compare_curves"][2] < width)
            left, top, right, bottom = state["timeline"]["canvas"]
            self.assertLess(right, state["rects"]["compare_curves"][0], (width, height))
            self.assertGreater(right - left, least_px, (width, height))
            if height > 600:
                self.assertIn("compare_row_0", window.fresh()["rects"], (width, height))
        window.click("compare_curves")
        window.key("Escape")
        window.wait("the details to be back", lambda s: s["compare"] is None and "compare_curves" not in s["rects"] and s["rects"]["tab_live"])

    def test_a_row_shows_its_allocations_in_the_picture_and_a_box_its_rows(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.open(a)
        self.choose_other(window, b)
        shown = self.wait_shown(window)
        answer = compared(a, b)
        window.click("compare_box_only_a")
        rows = [{**row, "box": "only_a"} for row in answer["rows"]["only_a"]]
        window.wait("the rows of A alone", lambda s: s["compare"]["shown"]["first_rows"] == rows)
        window.fresh()
        window.click("compare_row_0")
        made = subprocess.run([BINARY, "query", str(a), "--format", "csv", "SELECT count(*) FROM allocations a JOIN stacks s "
                               f"ON s.id = a.stack_id WHERE s.top_frame = '{rows[0]['key']}'"], check=True, capture_output=True, text=True)
        window.wait("its allocations", lambda s: s["search"]["hits"] == int(made.stdout.split()[1]) and s["compare"]["chosen"] == rows[0]["key"])
        window.click("compare_box_only_a")
        window.wait("all rows", lambda s: s["compare"]["shown"]["first_rows"] == shown["first_rows"])
        window.click("compare_header_bytes_a")
        window.wait("the largest of A first", lambda s: [row["bytes_a"] for row in s["compare"]["shown"]["first_rows"]] ==
                    sorted((row["bytes_a"] for row in shown["first_rows"]), reverse=True))
        window.click("compare_box_only_b")
        window.wait("the rows of B alone", lambda s: {row["box"] for row in s["compare"]["shown"]["first_rows"]} == {"only_b"})
        window.fresh()
        window.click("compare_row_0")
        window.wait("nothing of A", lambda s: s["search"] is None and s["notice"].startswith("A allocated nothing that belongs"))

    # --- both pictures ---

    def wait_pictures(self, window):
        """Waits until both pictures are drawn and nothing moves."""
        window.wait("both pictures", lambda s: s["compare"]["pictures"] and not s["compare"]["status"])
        return window.fresh()["compare"]["pictures"]

    def asked(self, path, sql):
        done = subprocess.run([BINARY, "query", str(path), "--format", "json", sql], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def held_by(self, path, line, nth=0):
        """Returns an allocation of a line that remains live: its index, its position in the recording, and its height there."""
        row = self.asked(path, f"SELECT x.id, x.size, x.alloc_step AS begin, ifnull(x.free_step, d.steps) AS end FROM allocations x, devices d "
                               f"JOIN stacks s ON s.id = x.stack_id WHERE s.top_frame LIKE '{line}%' AND x.free_step IS NULL ORDER BY x.id LIMIT 1 OFFSET {nth}")[0]
        step = row["begin"] + 0.8 * (row["end"] - row["begin"])
        below = self.asked(path, f"SELECT ifnull(sum(size), 0) AS bytes FROM allocations WHERE id < {row['id']} AND alloc_step <= {step} "
                                 f"AND (free_step IS NULL OR free_step > {step})")[0]["bytes"]
        return row["id"], step, below + row["size"] / 2

    def place_of_b(self, alignment, step):
        """Converts a step of B to the axis of A, with the points that the command prints. Before the first and after the last point the
        scale continues."""
        points = alignment["points"]
        (first_a, first_b), (last_a, last_b) = points[0], points[-1]
        scale = (last_a - first_a) / (last_b - first_b)
        if step <= first_b:
            return first_a + (step - first_b) * scale
        if step >= last_b:
            return last_a + (step - last_b) * scale
        for (a, b), (next_a, next_b) in zip(points, points[1:]):
            if b <= step < next_b:
                return a + (step - b) / (next_b - b) * (next_a - a)
        raise AssertionError("points do not rise")

    def pixel(self, window, side, place, size_bytes):
        state = window.fresh()
        x_begin, x_end, y_begin, y_end = state["compare"]["pictures"]["view"]
        left, top, right, bottom = state["rects"][f"compare_picture_{side}"]
        return (left + (place - x_begin) / (x_end - x_begin) * (right - left),
                bottom - (size_bytes - y_begin) / (y_end - y_begin) * (bottom - top))

    def assert_under_mouse(self, window, side, place, size_bytes, index):
        window.point(*self.pixel(window, side, place, size_bytes))
        window.wait(f"allocation {index} of {side}", lambda s: s["compare"]["pictures"]["hovered"] == {"side": side, "index": index})

    def is_grey(self, window, at):
        """True if the pixel `at` is grey. Callers pass a pixel beside the line at the mouse."""
        x, y = map(round, at)
        rows = self.display.screen()[2]
        red, green, blue = rows[y][3 * x:3 * x + 3]
        return max(red, green, blue) - min(red, green, blue) < 6

    def compared_window(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.open(a)
        self.choose_other(window, b)
        self.wait_shown(window)
        self.wait_pictures(window)
        return a, b, window

    def test_both_pictures_lie_on_one_axis_and_tell_their_allocations(self):
        a, b, window = self.compared_window()
        alignment = compared(a, b)["alignment"]
        index_a, step_a, bytes_a = self.held_by(a, "debug_buffer")
        index_b, step_b, bytes_b = self.held_by(b, "ema_weights")
        place_b = self.place_of_b(alignment, step_b)
        for notches in (0, 6):
            if notches:
                window.wheel(*self.pixel(window, "b", place_b, bytes_b), notches)
            self.assert_under_mouse(window, "a", step_a, bytes_a, index_a) if not notches else None
            self.assert_under_mouse(window, "b", place_b, bytes_b, index_b)
        # Both pictures have the same view, so the same pixel of A shows the same place.
        view = window.fresh()["compare"]["pictures"]["view"]
        middle = (view[0] + view[1]) / 2
        live = self.asked(a, f"SELECT id, size FROM allocations WHERE alloc_step <= {middle} AND (free_step IS NULL OR free_step > {middle}) ORDER BY id")
        low = 0
        for row in live:
            if low <= (view[2] + view[3]) / 2 < low + row["size"]:
                break
            low += row["size"]
        self.assert_under_mouse(window, "a", middle, low + row["size"] / 2, row["id"])
        window.press_button()
        chosen = window.wait("it to be held", lambda s: s["compare"]["pictures"]["chosen"])
        self.assertEqual(chosen["compare"]["pictures"]["chosen"], {"side": "a", "index": row["id"]})
        window.wait("it selected in the main window", lambda s: s["timeline"]["selected"]["id"] == row["id"])

    def test_rows_and_boxes_light_up_in_both(self):
        a, b, window = self.compared_window()
        answer = compared(a, b)
        _, step, size_bytes = self.held_by(b, "ema_weights")
        ema = self.place_of_b(answer["alignment"], step), size_bytes
        weights = ema[0], self.held_by(b, "train@train.py:104", 16)[2]

        def made(path, keys):
            texts = ", ".join(f"'{key}'" for key in keys)
            return self.asked(path, f"SELECT count(*) AS n FROM allocations x JOIN stacks s ON s.id = x.stack_id WHERE s.top_frame IN ({texts})")[0]["n"]

        window.point(2, 2)
        self.assertFalse(self.is_grey(window, self.pixel(window, "b", *ema)))
        self.assertFalse(self.is_grey(window, self.pixel(window, "b", *weights)))
        window.click("compare_box_only_b")
        state = window.wait("only B", lambda s: s["compare"]["pictures"]["lit_b"] is not None)
        self.assertEqual(state["compare"]["pictures"]["lit_b"], made(b, [row["key"] for row in answer["rows"]["only_b"]]))
        window.point(2, 2)
        self.assertFalse(self.is_grey(window, self.pixel(window, "b", *ema)))
        self.assertTrue(self.is_grey(window, self.pixel(window, "b", *weights)))
        window.click("compare_box_both")
        keys = [row["key"] for row in answer["rows"]["both"]]
        window.wait("both", lambda s: s["compare"]["pictures"]["lit_b"] == made(b, keys) and s["search"]["hits"] == made(a, keys))
        window.point(2, 2)
        self.assertTrue(self.is_grey(window, self.pixel(window, "b", *ema)))
        self.assertFalse(self.is_grey(window, self.pixel(window, "b", *weights)))
        window.click("compare_box_both")
        window.wait("nothing", lambda s: s["compare"]["pictures"]["lit_b"] is None and s["search"] is None)

    def test_sql_sees_both(self):
        a, b, window = self.compared_window()
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"])
        window.type("Difference by stack")
        window.wait("its row", lambda s: any("Difference by stack" in match["words"] for match in s["palette"]["first_matches"][:1]))
        window.key("Return")
        query = window.wait("the answer", lambda s: s["query"]["rows"] and not s["query"]["running"])["query"]
        rows = {row["key"]: row for row in rows_by_difference(compared(a, b, "--by", "stack"))}
        self.assertIsNone(query["error"])
        self.assertEqual(query["columns"], ["key", "source", "delta", "bytes_a", "count_a", "bytes_b", "count_b"])
        self.assertEqual(query["rows"], len(rows))
        self.assertGreater(len(query["first_rows"]), 5)
        for key, _, delta, *others in query["first_rows"]:
            row = rows[key]
            self.assertEqual((float(delta), [int(each) for each in others]),
                             (row["delta"], [row[name] for name in ("bytes_a", "count_a", "bytes_b", "count_b")]))

    def test_two_files_that_are_dropped_together_are_compared(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.start()
        window.drop(a, b)
        window.wait_drawn(a)
        self.assert_says(self.wait_shown(window), compared(a, b))
        self.assertEqual(window.state()["compare"]["b"], str(b))
        window.key("Escape")
        window.wait("no window", lambda s: s["compare"] is None)
        window.click("menu_panels")
        window.click("menu_tools_compare")
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
        window.wait("the command", lambda s: s["said"] == "The command copied to the clipboard")
        window.key("Escape")
        window.wait("no window", lambda s: s["compare"] is None)
        window.open_query_pane()
        window.click("query_input")
        window.key("ctrl+a", "ctrl+v")
        line = window.wait("it in a field", lambda s: s["query"]["sql"].startswith("snapviewer"))["query"]["sql"]
        self.assertEqual(shlex.split(line), ["snapviewer", "compare", window.named(a), window.named(b), "--by", "python"])

    def test_with_the_keyboard_alone(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.open(a)
        window.key("ctrl+shift+o")
        window.choose_file(b)
        self.wait_shown(window)

    def test_the_palette_leads_to_the_file_dialog(self):
        a, b = self.planted("compare-a", "compare-b")
        window = self.open(a)
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"])
        window.type("compare with")
        window.wait("its row", lambda s: any("Compare with" in match["words"] for match in s["palette"]["first_matches"][:1]))
        window.key("Return")
        window.wait("the palette to go", lambda s: not s["palette"])
        window.choose_file(b)
        self.assert_says(self.wait_shown(window), compared(a, b))

    def test_devices_of_the_same_file(self):
        path = self.folder / "two-devices.pickle"
        snapshots.make_run("two-devices", path)
        window = self.open(path)
        self.choose_other(window, path)
        shown = self.wait_shown(window)
        self.assertEqual((shown["delta"], shown["sentence"]), (0, "Both peaks are equal."))
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
        window = self.open(a)
        self.choose_other(window, SAMPLE)
        limits = self.wait_shown(window)["limits"]
        answer = compared(a, SAMPLE)
        before = next(row for row in answer["rows"]["only_b"] if row["key"] == "before")
        self.assertGreater(before["bytes_b"], 0)
        self.assertEqual([limit for limit in limits if "before the recording" in limit],
                         [f"0 B of A's peak and {before['bytes_b'] / 2**20:.1f} MiB of B's were allocated before the recording. "
                          "They share one row because they cannot be distinguished."])
        self.assertTrue(any(limit.startswith("In B, ") for limit in limits), limits)
        self.assertFalse(any(limit.startswith("In A, ") for limit in limits), limits)

    def choose_in_vain(self):
        """Chooses files that cannot be compared; returns the window, a valid file, and the last of them."""
        a, b = self.planted("compare-a", "compare-b")
        broken = self.folder / "broken.pickle"
        broken.write_bytes(b.read_bytes()[:200])
        empty = self.folder / "orders.db"
        subprocess.run(["python3", "-c", "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('CREATE TABLE orders (price)'); "
                        "db.commit()", str(empty)], check=True)
        window = self.open(a)
        for path in broken, empty:
            self.choose_other(window, path)
            state = window.wait("why not", lambda s, path=path: s["compare"]["b"] == str(path) and s["compare"]["error"])
            self.assertIsNone(state["compare"]["shown"])
            self.assertEqual(state["file"], str(a))
        self.assertIn("no allocations over time", state["compare"]["error"])
        return window, b, empty

    def test_a_file_that_cannot_be_read_is_told_and_another_one_can_be_chosen(self):
        self.choose_in_vain()

    @window_only("the browser does not read a file that was changed")
    def test_a_file_that_was_mended_meanwhile_is_tried_again(self):
        window, whole, empty = self.choose_in_vain()
        os.replace(whole, empty)
        window.click("compare_restart")
        self.wait_shown(window)

    def test_it_can_be_stopped_and_goes_on(self):
        large = self.folder / "large.pickle"
        write_large_snapshot(large, pairs=1_500_000)
        window = self.open(SAMPLE)
        self.choose_other(window, large)
        window.wait("the work", lambda s: s["compare"]["status"])
        window.click("compare_stop")
        window.wait("the end of it", lambda s: s["compare"]["is_stopped"] and not s["compare"]["status"])
        window.click("compare_restart")
        window.wait("it to go on", lambda s: not s["compare"]["is_stopped"] and (s["compare"]["status"] or s["compare"]["shown"]))
        window.key("Escape")
        window.wait("the window to close", lambda s: s["compare"] is None)


if __name__ == "__main__":
    unittest.main()
