"""Work ends within 0.2 s after a stop request, and the window within a second, even if a worker does not respond at all.

A busy machine slows down the window itself, so the current time of an ordinary answer is subtracted."""
import json
import os
import random
import signal
import subprocess
import time
import unittest

from driver import BINARY, SAMPLE, WindowTest, window_only
from frozen import Frozen, FrozenAtBirth
from large_snapshot import write_large_snapshot
import snapshots

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
OLD = "what was there before"
ANSWER_S = 0.2
END_S = 1.0
# Maximum number of attempts, because the machine may be busy with other work.
ATTEMPTS = 6


def best(limit_s, measure):
    times = [measure()]
    while min(times) >= limit_s and len(times) < ATTEMPTS:
        times.append(measure())
    return min(times)


@window_only("a page has no process of its own that could end")
class Stopping(WindowTest):
    def write_large(self):
        path = self.folder / "large.pickle"
        write_large_snapshot(path)
        return path

    def begin_load(self, window, path):
        before = window.threads()
        window.drop(path)
        window.wait("the dialog", lambda s: s["loading"]["file"] == str(path) and s["rects"]["load_cancel"])
        return before

    def ordinary_answer_s(self, window):
        began = time.monotonic()
        window.fresh()
        return time.monotonic() - began

    def seconds_until(self, window, ask, what, condition):
        """Returns the time minus that of an ordinary answer."""
        ordinary_s = self.ordinary_answer_s(window)
        began = time.monotonic()
        ask()
        window.wait(what, condition)
        return max(0, time.monotonic() - began - ordinary_s)

    def seconds_to_end(self, window, frozen=None):
        """Returns the time minus that of an ordinary answer."""
        if frozen:
            self.addCleanup(frozen.thaw)
        ordinary_s = self.ordinary_answer_s(window)
        began = time.monotonic()
        window.key("ctrl+q")
        while window.process.poll() is None and time.monotonic() - began < 20:
            if frozen:
                frozen.reap()
            time.sleep(0.005)
        seconds = time.monotonic() - began
        self.assertEqual(window.process.poll(), 0, f"ended within {seconds:.1f} s")
        return max(0, seconds - ordinary_s)

    def assert_ends_in_time(self, path, freeze=None, prepare=lambda window: None):
        """The window must end in time although the threads that `freeze` selects are frozen."""
        def measure():
            window = self.open_on_start(path)
            prepare(window)
            frozen = freeze(window) if freeze else None
            self.assertTrue(frozen is None or frozen.threads, "something runs")
            return self.seconds_to_end(window, frozen)
        seconds = best(END_S, measure)
        print(f"ended after {seconds:.3f} s")
        self.assertLess(seconds, END_S)

    def assert_stops(self, window, begin, ask, what, condition):
        """Freezes the work that `begin` starts, sends a stop request and measures the time."""
        def measure():
            frozen = Frozen(window, begin())
            self.assertTrue(frozen.threads, "something runs")
            try:
                return self.seconds_until(window, ask, what, condition)
            finally:
                frozen.thaw()
        seconds = best(ANSWER_S, measure)
        print(f"{what} after {seconds:.3f} s")
        self.assertLess(seconds, ANSWER_S)

    def test_escape_and_cancel_give_up_a_load_that_does_not_answer(self):
        large = self.write_large()
        window = self.open_on_start(SAMPLE)
        left, top, right, bottom = self.rect_of_cancel(window, large)
        for ask in (lambda: window.key("Escape"), window.press_button):
            with self.subTest(ask):
                def begin():
                    window.point(3, 3)  # the mouse is at the end of the drag and has to move away
                    before = self.begin_load(window, large)
                    window.point((left + right) / 2, (top + bottom) / 2)
                    return before
                self.assert_stops(window, begin, ask, "the load to be gone",
                                  lambda s: s["loading"] is None and "load_cancel" not in s["rects"])
                state = window.fresh()
                self.assertEqual(state["file"], str(SAMPLE))
                self.assertEqual(state["said"], "Stopped opening large.pickle")
                self.assertIsNone(state["error"])
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)

    def rect_of_cancel(self, window, large):
        self.begin_load(window, large)
        rect = window.rect("load_cancel")
        window.key("Escape")
        window.wait("the load to be gone", lambda s: s["loading"] is None and "load_cancel" not in s["rects"])
        return rect

    def test_a_load_stops_at_any_moment(self):
        large = self.write_large()
        window = self.open_on_start(SAMPLE)
        moments = random.Random(12)
        slowest = 0
        for _ in range(12):
            window.drop(large)
            window.wait("the load to begin", lambda s: s["loading"]["file"] == str(large))
            time.sleep(moments.uniform(0, 0.6))
            slowest = max(slowest, self.seconds_until(window, lambda: window.key("Escape"), "the load to be gone",
                                                      lambda s: s["loading"] is None))
            self.assertEqual(window.state()["file"], str(SAMPLE))
        print(f"slowest of twelve stops: {slowest:.3f} s")
        self.assertLess(slowest, 4 * ANSWER_S)

    def test_escape_stops_a_query_that_does_not_answer(self):
        window = self.open_on_start(SAMPLE)
        window.answer("SELECT 1")

        def begin():
            before = window.threads()
            window.ask(ENDLESS)
            return before
        self.assert_stops(window, begin, lambda: window.key("Escape"), "the query to be gone",
                          lambda s: not s["query"]["running"])
        query = window.fresh()["query"]
        self.assertEqual(query["error"], "stopped")
        self.assertEqual(query["sql"], ENDLESS, "what was typed stays")
        self.assertEqual(window.answer("SELECT 3")["first_rows"], [["3"]])

    def test_escape_in_the_query_input_keeps_what_was_typed(self):
        window = self.open_on_start(SAMPLE)
        window.open_query_pane()
        window.click("query_input")
        window.key("ctrl+a")
        window.type("SELECT 42")
        window.wait("the text", lambda s: s["query"]["sql"] == "SELECT 42")
        window.key("Escape")
        self.assertEqual(window.fresh()["query"]["sql"], "SELECT 42")

    def test_quit_does_not_wait_for_a_load(self):
        large = self.write_large()
        self.assert_ends_in_time(SAMPLE, lambda window: Frozen(window, self.begin_load(window, large)))

    def test_quit_does_not_wait_for_a_query(self):
        def freeze(window):
            window.answer("SELECT 1")
            before = window.threads()
            window.ask(ENDLESS)
            return Frozen(window, before)
        self.assert_ends_in_time(SAMPLE, freeze)

    def test_quit_does_not_wait_for_what_the_picture_and_its_panels_work_out(self):
        training = self.folder / "training.pickle"
        snapshots.make_run("training", training)

        def at_key(key):
            return lambda window: FrozenAtBirth(window, lambda: window.key(key))

        def at_press(window):
            return FrozenAtBirth(window, window.press_button)

        def point_at_picture(window):
            timeline = window.state()["timeline"]
            x_begin, x_end, _, _ = timeline["view"]
            window.point(*window.place_on_canvas(timeline, (x_begin + x_end) / 2, timeline["peak_bytes"] / 10))

        def open_table(window):
            window.key("ctrl+l")
            window.wait("the table", lambda s: s["table"]["rows"] and not s["table"]["arranging"])
            window.point_at("table_header_alloc_step")

        for what, freeze, prepare in (("details", at_press, point_at_picture), ("the table", at_press, open_table),
                                      ("a picture", at_key("v"), lambda window: None), ("a flame graph", at_key("g"), lambda window: None)):
            with self.subTest(what):
                self.assert_ends_in_time(training, freeze, prepare)

    def test_quit_does_not_wait_for_rows_that_are_saved(self):
        def freeze(window):
            before = window.threads()
            window.press_button()
            deadline = time.monotonic() + 10
            while not self.drafts() and time.monotonic() < deadline:
                pass
            return Frozen(window, before)
        self.assert_ends_in_time(SAMPLE, freeze, self.point_at_saving)
        self.assertEqual(self.drafts(), [], "nothing is left half done")

    def point_at_saving(self, window):
        """Moves the pointer to the button that saves 50 MB of rows to rows.json."""
        window.answer("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 90000) SELECT i, hex(zeroblob(300)) FROM n")
        window.click("query_save")
        window.rect("save_format_1")
        window.fresh()  # a popup gets its position in its second frame
        window.click("save_format_1")
        window.fresh()
        window.click("save_path")
        window.key("ctrl+a")
        window.type(str(self.saved_folder() / "rows.json"))
        window.fresh()
        window.point_at("save_rows")

    def end_while_rows_are_saved(self, number, longest_delay_s):
        """Sends the signal at a random moment while an existing file is replaced. Returns whether the temporary file existed then. The
        window is held while the signal is sent, so that what was seen is still true when the signal arrives."""
        rows = self.saved_folder() / "rows.json"
        rows.write_text(OLD)
        window = self.open_on_start(SAMPLE)
        self.point_at_saving(window)
        window.press_button()
        deadline = time.monotonic() + 10
        while not self.drafts() and rows.stat().st_size == len(OLD) and time.monotonic() < deadline:
            pass
        time.sleep(random.uniform(0, longest_delay_s))
        window.process.send_signal(signal.SIGSTOP)
        was_writing = bool(self.drafts())
        window.process.send_signal(number)
        window.process.send_signal(signal.SIGCONT)
        window.process.wait(20)
        if rows.read_text() != OLD:
            self.assertEqual(len(json.loads(rows.read_text())), 90000, "neither the old file nor the new one")
        return was_writing

    def assert_keeps_the_old_file(self, number):
        """Sends the signal at three moments at least, and earlier and earlier until it comes while rows are written."""
        delays_s = [0.05, 0.05, 0.05, 0.03, 0.02, 0.01, 0.005, 0, 0, 0]
        has_interrupted = False
        for attempt, delay_s in enumerate(delays_s):
            has_interrupted |= self.end_while_rows_are_saved(number, delay_s)
            if has_interrupted and attempt >= 2:
                return
        self.assertTrue(has_interrupted, "no signal came while rows were written")

    def test_signals_while_rows_are_saved_leave_nothing_behind(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.assert_keeps_the_old_file(number)
            self.assertEqual(self.drafts(), [])

    def test_what_a_killed_window_leaves_is_cleaned_by_the_next_write(self):
        self.assert_keeps_the_old_file(signal.SIGKILL)
        an_hour_ago = time.time() - 3601
        for name in self.drafts():
            os.utime(self.saved_folder() / name, (an_hour_ago, an_hour_ago))
        self.assertTrue(self.drafts())
        subprocess.run([BINARY, "export", SAMPLE, "--out", self.saved_folder() / "next.csv"], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(self.drafts(), [])

    def saved_folder(self):
        """The folder for saved rows. The state of the window is written elsewhere, because it has temporary files of its own."""
        folder = self.folder / "saved"
        folder.mkdir(exist_ok=True)
        return folder

    def drafts(self):
        return [path.name for path in self.saved_folder().iterdir() if path.name.startswith(".snapviewer-")]

    def test_quit_with_a_large_file_open(self):
        self.assert_ends_in_time(self.write_large())


if __name__ == "__main__":
    unittest.main()
