"""The window of a fleet finds the planted problems, and leads to ranks and comparisons. tests/cli checks `snapviewer fleet`. One test
makes the picture of docs/fleets.md: SNAPVIEWER_WRITE_DOCS=1 writes it to docs/images."""
import json
import os
import pickle
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from driver import BINARY, WindowTest
from test_guide import FOLDER, HEIGHT, WIDTH, write_png
import snapshots

RANKS = 40


def said_by_command(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


class Fleet(WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = tempfile.TemporaryDirectory(prefix="snapviewer-fleet-")
        cls.addClassCleanup(holder.cleanup)
        cls.job = Path(holder.name) / "job"
        snapshots.make("gen_fleet.py", cls.job, "--ranks", RANKS)
        cls.truth = json.loads((cls.job / ".truth.json").read_text())
        cls.outliers = {int(rank): each for rank, each in cls.truth["outliers"].items()}
        damaged = {int(name.removeprefix("rank").removesuffix(".pickle")) for name in cls.truth["damaged"]}
        cls.ordinary = [rank for rank in range(RANKS) if rank not in {*cls.outliers, *damaged, cls.truth["in_pieces"]}]

    def path_of(self, rank):
        return self.job / f"rank{rank}.pickle"

    def wait_read(self, window, files=RANKS):
        """Waits until all files are read and nothing moves, because columns find their width in the following frames."""
        window.wait("all files to be read", lambda s: s["fleet"]["files_read"] == s["fleet"]["files"] == files and not s["fleet"]["status"]
                    and s["fleet"]["shown"]["rows"] is not None)
        return window.fresh()["fleet"]

    def assert_names_what_was_planted(self, fleet):
        shown = fleet["shown"]
        self.assertEqual({each["rank"] for each in shown["outliers"]}, set(self.outliers))
        for each in shown["outliers"]:
            planted = self.outliers[each["rank"]]
            self.assertEqual([reason.split("  ")[1] for reason in each["reasons"]], [planted["source"]])
            self.assertEqual(each["reasons"][0].split("  ")[0], f"{planted['bytes'] / 2**20:+.1f} MiB")
        leak = self.truth["leak"]
        self.assertEqual(shown["growing"], [{"source": leak["source"], "ranks": leak["ranks"], "slope": leak["slope"]}])
        self.assertEqual(sorted(Path(each["file"]).name for each in shown["failed"]), self.truth["damaged"])
        self.assertTrue(all(each["error"] for each in shown["failed"]))
        self.assertEqual(shown["ranks"], RANKS)
        for rank in shown["first_rows"]:
            self.assertEqual("fragmentation" in rank["note"], rank["rank"] == self.truth["in_pieces"], rank)

    def filter(self, window, text):
        window.click("fleet_filter")
        window.key("ctrl+a")
        window.type(text) if text else window.key("BackSpace")
        window.wait(f"the filter {text}", lambda s: s["fleet"]["filter"] == text)
        return window.fresh()["fleet"]["shown"]["first_rows"]

    def test_a_dropped_folder(self):
        window = self.start()
        window.drop(self.job)
        fleet = self.wait_read(window)
        self.assert_names_what_was_planted(fleet)
        said = [line.strip().replace(f"{self.job}/", "") for line in said_by_command("fleet", self.job).splitlines()]
        self.assertEqual([line.strip() for line in fleet["shown"]["lines"]], said)
        whole = json.loads(said_by_command("fleet", self.job, "--json"))
        self.assertEqual(fleet["shown"]["median_peak_bytes"], whole["median_peak_bytes"])
        self.assertEqual([row["peak_bytes"] for row in fleet["shown"]["first_rows"]], [row["peak_bytes"] for row in whole["ranks"]])

    def test_through_the_menu_with_the_keyboard(self):
        window = self.start()
        window.click("menu_file")
        window.click("menu_file_open_fleet")
        window.choose_file(self.job)
        self.assert_names_what_was_planted(self.wait_read(window))

    def test_a_folder_and_a_database_on_the_command_line(self):
        database = self.folder / "fleet.db"
        said_by_command("fleet", self.job, "--write", database)
        self.assert_names_what_was_planted(self.wait_read(self.start(self.job)))
        self.window.stop()
        window = self.start(database)
        self.assert_names_what_was_planted(self.wait_read(window, files=1))
        self.assertIsNone(window.state()["file"])

    def test_three_files_or_more_are_ranks(self):
        paths = [self.path_of(rank) for rank in (*self.ordinary[:3], *self.outliers)]
        window = self.start(*paths[:3])
        rows = self.wait_read(window, files=3)["shown"]["first_rows"]
        self.assertEqual([row["rank"] for row in rows], sorted(self.ordinary[:3]))
        self.assertIsNone(window.state()["file"])
        window.drop(*paths)
        rows = self.wait_read(window, files=len(paths))["shown"]["first_rows"]
        self.assertEqual([row["rank"] for row in rows], sorted([*self.ordinary[:3], *self.outliers]))

    def test_the_table_is_sorted_and_filtered(self):
        window = self.start(self.job)
        rows = self.wait_read(window)["shown"]["first_rows"]
        self.assertEqual([row["rank"] for row in rows], list(range(RANKS)))
        window.click("fleet_header_peak")
        by_peak = sorted((row for row in rows if row["peak_bytes"]), key=lambda row: -row["peak_bytes"])
        window.wait("the highest first", lambda s: s["fleet"]["shown"]["first_rows"][:len(by_peak)] == by_peak)
        window.click("fleet_header_delta")
        window.wait("the furthest first", lambda s: {row["rank"] for row in s["fleet"]["shown"]["first_rows"][:3]} == set(self.outliers))
        self.assertEqual({Path(row["file"]).name for row in self.filter(window, "DAMAGED")}, set(self.truth["damaged"]))
        more = next(rank for rank, each in self.outliers.items() if each["source"].startswith("keep_logits"))
        self.assertEqual([row["rank"] for row in self.filter(window, "eval.py above")], [more])
        self.assertEqual(self.filter(window, "eval.py below"), [])
        self.assertEqual(len(self.filter(window, "")), RANKS)

    def test_bars_by_rank_and_by_peak(self):
        window = self.start(self.job)
        shown = self.wait_read(window)["shown"]
        self.assertEqual([bar["rank"] for bar in shown["first_bars"]], list(range(RANKS)))
        window.click("fleet_bars_order")
        peaks = [row["peak_bytes"] or -1 for row in shown["first_rows"]]
        window.wait("the highest first", lambda s: [bar["peak_bytes"] or -1 for bar in s["fleet"]["shown"]["first_bars"]] ==
                    sorted(peaks, reverse=True))
        bars = window.state()["fleet"]["shown"]["first_bars"]
        window.click(f"fleet_bar_{RANKS - 1}")      # a damaged file
        window.wait("the cursor there", lambda s: s["fleet"]["cursor"] and s["fleet"]["cursor"]["rank"] == bars[-1]["rank"])
        self.assertTrue(window.fresh()["fleet"]["is_shown"])
        window.click("fleet_bar_1")
        window.wait_drawn(bars[1]["file"])
        state = window.wait("no fleet", lambda s: not s["fleet"]["is_shown"])
        self.assertEqual(state["fleet"]["opened"]["rank"], bars[1]["rank"])

    def test_a_rank_is_opened_and_left_again(self):
        window = self.start(self.job)
        self.wait_read(window)
        rank = self.ordinary[0]
        self.filter(window, f"{rank}")
        window.point_at("fleet_row_0")
        window.double_click("the rank to be opened", lambda s: s["loading"] or not s["fleet"]["is_shown"])
        window.wait_drawn(self.path_of(rank))
        state = window.wait("no fleet", lambda s: not s["fleet"]["is_shown"])
        self.assertEqual(state["fleet"]["opened"]["rank"], rank)
        (peak,), = [[device["peak_bytes"]] for device in json.loads(said_by_command("report", self.path_of(rank), "--json"))["devices"]]
        self.assertEqual(state["timeline"]["peak_bytes"], peak)
        window.key("F4")
        fleet = window.wait("the fleet as it was", lambda s: s["fleet"]["is_shown"] and s["rects"]["fleet_row_0"])["fleet"]
        self.assertEqual((fleet["shown"]["rows"], fleet["cursor"]["rank"]), (1, rank))
        window.key("Escape")
        window.wait("the rank again", lambda s: not s["fleet"]["is_shown"] and s["file"] == str(self.path_of(rank)))

    def test_with_the_keyboard_alone(self):
        window = self.start(self.job)
        rows = self.wait_read(window)["shown"]["first_rows"]
        readable = [index for index, row in enumerate(rows) if row["peak_bytes"]][:2]
        at = -1
        for index in readable:
            window.key(*["Down"] * (index - at), "space")
            at = index
            window.wait("it to be chosen", lambda s, index=index: s["fleet"]["chosen"] and s["fleet"]["chosen"][-1]["rank"] == index)
        window.key("End")
        window.wait("the last row", lambda s: s["fleet"]["cursor"]["rank"] == RANKS - 1)
        window.key("Home", *["Down"] * readable[0], "Return")
        window.wait_drawn(self.path_of(readable[0]))

    def choose(self, window, *ranks):
        for rank in ranks:
            self.filter(window, f"{rank}")
            window.click("fleet_choose_0")
            window.wait(f"rank {rank} to be chosen", lambda s, rank=rank: rank in [each["rank"] for each in s["fleet"]["chosen"]])

    def test_two_ranks_are_compared(self):
        window = self.start(self.job)
        self.wait_read(window)
        a, b = self.ordinary[1], next(iter(self.outliers))
        self.choose(window, a, b)
        window.click("fleet_compare")
        answer = json.loads(said_by_command("compare", self.path_of(a), self.path_of(b), "--json"))
        shown = window.wait("the comparison", lambda s: s["compare"]["shown"] and not s["fleet"]["is_shown"] and not s["compare"]["status"])
        self.assertEqual((shown["file"], shown["compare"]["b"]), (str(self.path_of(a)), str(self.path_of(b))))
        self.assertEqual(shown["compare"]["shown"]["delta"], answer["delta"])
        self.assertEqual(shown["compare"]["shown"]["groups"], answer["groups"])

    def test_two_bars_are_compared(self):
        window = self.start(self.job)
        self.wait_read(window)
        a, b = self.ordinary[0], next(iter(self.outliers))
        window.xdotool("keydown", "ctrl")
        window.click(f"fleet_bar_{a}")
        window.wait("the first", lambda s: [each["rank"] for each in s["fleet"]["chosen"]] == [a])
        self.assertTrue(window.fresh()["fleet"]["is_shown"])
        window.click(f"fleet_bar_{b}")
        window.xdotool("keyup", "ctrl")
        state = window.wait("the comparison", lambda s: s["compare"] and s["compare"]["shown"] and not s["fleet"]["is_shown"])
        self.assertEqual((state["file"], state["compare"]["b"]), (str(self.path_of(a)), str(self.path_of(b))))
        window.key("F4")
        window.wait("the fleet again", lambda s: s["fleet"]["is_shown"])

    def test_chosen_ranks_as_lines(self):
        window = self.start(self.job)
        rows = {row["rank"]: row for row in self.wait_read(window)["shown"]["first_rows"]}
        ranks = [self.ordinary[0], *self.outliers]
        self.choose(window, *ranks)
        fleet = window.wait("their curves", lambda s: len(s["fleet"]["curves"]) == len(ranks) and not s["fleet"]["curves_status"])["fleet"]
        self.assertEqual([(curve["rank"], curve["most"]) for curve in fleet["curves"]], [(rank, rows[rank]["peak_bytes"]) for rank in ranks])
        self.assertNotIn("start", [curve["aligned"] for curve in fleet["curves"]])
        window.rect("fleet_curves")
        self.filter(window, f"{ranks[0]}")
        window.click("fleet_choose_0")
        window.wait("one less", lambda s: [curve["rank"] for curve in s["fleet"]["curves"]] == ranks[1:])

    def clocked(self, rank, name, shift_us=0, has_times=True):
        """Copies a rank with its times shifted; returns when it begins and ends by the clock."""
        made = pickle.loads(self.path_of(rank).read_bytes())
        for each in [*made["device_traces"][0], *made.get("external_annotations", ())]:
            if has_times:
                each["time_us"] += shift_us
            else:
                each.pop("time_us", None)
        path = self.folder / "clocks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(pickle.dumps(made))
        times = [event["time_us"] for event in made["device_traces"][0] if has_times]
        return (min(times), max(times)) if times else None

    def wait_curves(self, window, count, **facts):
        return window.wait(f"{count} curves, {facts}", lambda s: len(s["fleet"]["curves"]) == count and not s["fleet"]["curves_status"] and
                           all(s["fleet"][name] == value for name, value in facts.items()))["fleet"]

    def test_lines_by_the_clock(self):
        begin, end = self.clocked(self.ordinary[0], "rank0.pickle")
        _, later = self.clocked(self.ordinary[1], "rank1.pickle", (end - begin) // 2)
        self.clocked(self.ordinary[2], "rank2.pickle", 86_400_000_000)
        self.clocked(self.ordinary[3], "rank3.pickle", has_times=False)
        window = self.start(self.folder / "clocks")
        peaks = {row["rank"]: row["peak_bytes"] for row in self.wait_read(window, files=4)["shown"]["first_rows"]}
        self.choose(window, 0, 1)
        fleet = self.wait_curves(window, 2, not_by_clock="", curves_span_us=None)
        self.assertEqual([curve["aligned"] for curve in fleet["curves"]], ["step number", "step number"])
        window.click("fleet_curves_by_clock")
        fleet = self.wait_curves(window, 2, curves_span_us=later - begin)
        self.assertEqual([(curve["most"], curve["aligned"]) for curve in fleet["curves"]], [(peaks[0], "clock"), (peaks[1], "clock")])
        # A rank that did not run at the same time cannot be aligned by the clock, and the window says why.
        self.choose(window, 2)
        fleet = self.wait_curves(window, 3, curves_span_us=None)
        self.assertRegex(fleet["not_by_clock"], "rank [01] ended before rank 2 began")
        self.assertNotIn("clock", [curve["aligned"] for curve in fleet["curves"]])
        self.filter(window, "2")
        window.click("fleet_choose_0")
        self.wait_curves(window, 2, curves_span_us=later - begin)
        self.choose(window, 3)
        self.assertIn("The file of rank 3 has no clock times", self.wait_curves(window, 3, curves_span_us=None)["not_by_clock"])
        window.click("fleet_curves_by_clock")      # the button is disabled
        window.click("fleet_filter")
        window.fresh()
        self.filter(window, "3")
        window.click("fleet_choose_0")
        self.wait_curves(window, 2, curves_span_us=later - begin)
        window.click("fleet_curves_by_step")
        self.wait_curves(window, 2, curves_span_us=None)

    def test_a_database_whose_files_are_gone(self):
        gone = self.folder / "gone"
        gone.mkdir()
        ranks = [self.ordinary[0], *list(self.outliers)[:2]]
        for rank in ranks:
            shutil.copy(self.path_of(rank), gone)
        said_by_command("fleet", gone, "--write", self.folder / "with.db", "--totals")
        said_by_command("fleet", gone, "--write", self.folder / "without.db")
        window = self.start(gone)
        self.wait_read(window, files=3)
        self.choose(window, *ranks)
        expected = self.wait_curves(window, 3)["curves"]
        window.stop()
        shutil.rmtree(gone)
        window = self.start(self.folder / "with.db")
        self.wait_read(window, files=1)
        self.choose(window, *ranks)
        self.assertEqual(self.wait_curves(window, 3, curves_error="", not_by_clock="")["curves"], expected)
        window.click("fleet_curves_by_clock")
        self.assertEqual([curve["aligned"] for curve in window.wait("the clock", lambda s: s["fleet"]["curves_span_us"])["fleet"]["curves"]], ["clock"] * 3)
        window.click("fleet_row_0")
        window.wait("the cursor there", lambda s: s["fleet"]["cursor"])
        window.click("fleet_open")
        refusal = window.wait("why not", lambda s: s["fleet"]["refusal"])["fleet"]["refusal"]
        self.assertRegex(refusal, rf"rank {ranks[2]} cannot be opened, because its file .*rank{ranks[2]}\.pickle no longer exists")
        window.click("fleet_choose_0")
        window.wait("two of them", lambda s: len(s["fleet"]["chosen"]) == 2)
        window.click("fleet_compare")
        state = window.wait("why not", lambda s: "cannot be compared" in s["fleet"]["refusal"])
        self.assertTrue(state["fleet"]["is_shown"])
        self.assertEqual((state["file"], state["error"]), (None, None))
        window.stop()
        window = self.start(self.folder / "without.db")
        self.wait_read(window, files=1)
        self.choose(window, ranks[0])
        error = window.wait("why there is no line", lambda s: s["fleet"]["curves_error"])["fleet"]["curves_error"]
        self.assertIn("--totals", error)

    def test_it_can_be_stopped_and_goes_on(self):
        many = self.folder / "many"
        many.mkdir()
        for i in range(1500):
            (many / f"rank{i}.pickle").symlink_to(self.path_of(self.ordinary[0]))
        window = self.start(many)
        window.wait("some of them", lambda s: s["fleet"]["shown"] and 0 < s["fleet"]["files_read"] < s["fleet"]["files"])
        window.key("Escape")
        fleet = window.wait("the end of it", lambda s: s["fleet"]["is_stopped"] and not s["fleet"]["status"])["fleet"]
        self.assertTrue(fleet["is_shown"])
        self.assertLess(fleet["files_read"], fleet["files"])
        self.assertEqual(window.fresh()["fleet"]["shown"]["ranks"], fleet["files_read"])
        window.click("fleet_restart")
        self.assertEqual(self.wait_read(window, files=1500)["shown"]["ranks"], 1500)

    def test_a_folder_without_snapshots(self):
        (self.folder / "empty").mkdir()
        window = self.start(self.folder / "empty")
        fleet = window.wait("why not", lambda s: s["fleet"]["error"])["fleet"]
        self.assertIn(".pickle", fleet["error"])
        shutil.copy(self.path_of(self.ordinary[0]), self.folder / "empty" / "rank3.pickle")
        self.assertEqual([row["rank"] for row in self.wait_read(window, files=1)["shown"]["first_rows"]], [3])

    def test_ranks_that_come_change_and_go_are_followed(self):
        growing = self.folder / "growing"
        growing.mkdir()
        shutil.copy(self.path_of(self.ordinary[0]), growing / "rank0.pickle")
        window = self.start(growing)
        peak = self.wait_read(window, files=1)["shown"]["first_rows"][0]["peak_bytes"]
        more = next(iter(self.outliers))
        shutil.copy(self.path_of(more), growing / "rank1.pickle")
        rows = self.wait_read(window, files=2)["shown"]["first_rows"]
        self.assertEqual([(row["rank"], row["peak_bytes"] == peak) for row in rows], [(0, True), (1, False)])
        os.replace(shutil.copy(self.path_of(more), self.folder), growing / "rank0.pickle")
        window.wait("the other peak", lambda s: s["fleet"]["shown"]["first_rows"][0]["peak_bytes"] == rows[1]["peak_bytes"])
        (growing / "rank1.pickle").unlink()
        self.assertEqual([row["rank"] for row in self.wait_read(window, files=1)["shown"]["first_rows"]], [0])

    def test_devices_of_one_file(self):
        path = self.folder / "two-devices.pickle"
        snapshots.make_run("two-devices", path)
        window = self.open_on_start(path)
        window.click("menu_tools")
        window.click("menu_tools_devices")
        rows = self.wait_read(window, files=1)["shown"]["first_rows"]
        peaks = [device["peak_bytes"] for device in json.loads(said_by_command("report", path, "--json"))["devices"]]
        self.assertEqual([(row["device"], row["peak_bytes"]) for row in rows], list(enumerate(peaks)))
        other = 1 - window.state()["timeline"]["device"]
        window.click(f"fleet_row_{other}")
        window.wait("the cursor there", lambda s: s["fleet"]["cursor"])
        window.click("fleet_open")
        window.wait("the other device", lambda s: s["timeline"]["device"] == other and s["timeline"]["peak_bytes"] == peaks[other])

    def test_ranks_and_devices_of_ascend(self):
        """One file per rank; one file with two devices, each with a picture of its workspace, which does not count as a device; and two
        files shown together."""
        snapshots.make("make_profiler_dbs.py", "--out", self.folder / "ranks", "--kinds", "ascend", "--scale", "300", "--ranks", "3")
        snapshots.make("make_profiler_dbs.py", "--out", self.folder / "edge", "--kinds", "edge")
        paths = [self.folder / "ranks" / f"ascend_pytorch_profiler_{rank}.db" for rank in range(3)]
        window = self.start(self.folder / "ranks")
        rows = self.wait_read(window, files=3)["shown"]["first_rows"]
        peaks = [json.loads(said_by_command("query", path, "SELECT peak_bytes FROM devices WHERE part IS NULL", "--format", "json"))[0]["peak_bytes"]
                 for path in paths]
        self.assertEqual([(row["rank"], row["device"], row["peak_bytes"]) for row in rows], [(rank, rank, peak) for rank, peak in enumerate(peaks)])
        self.choose(window, 0, 2)
        self.wait_curves(window, 2, not_by_clock="")
        self.filter(window, "1")
        window.click("fleet_row_0")
        window.wait("the cursor there", lambda s: s["fleet"]["cursor"])
        window.click("fleet_open")
        window.wait("its device", lambda s: s["file"] == str(paths[1]) and s["timeline"] and s["timeline"]["device"] == 1)
        window.stop()
        window = self.open_on_start(self.folder / "edge" / "ascend_two_devices.db")
        window.click("menu_tools")
        window.click("menu_tools_devices")
        rows = self.wait_read(window, files=1)["shown"]["first_rows"]
        self.assertEqual([row["device"] for row in rows], [0, 1])
        window.stop()
        window = self.open_on_start(paths[0])
        window.drop(paths[2])
        window.wait_drawn(paths[2])
        window.click("pair_draw")
        window.wait("both, and their workspaces", lambda s: s["timeline"]["devices"] == 4)
        window.click("menu_tools")
        window.click("menu_tools_devices")
        rows = self.wait_read(window, files=2)["shown"]["first_rows"]
        self.assertEqual([(row["rank"], row["device"]) for row in rows], [(0, 0), (2, 2)])

    def test_the_picture_of_the_manual(self):
        window = self.start(self.job)
        window.xdotool("windowsize", window.window_id, WIDTH, HEIGHT)
        self.wait_read(window)
        window.key("Escape")
        window.wait("no fleet", lambda s: not s["fleet"]["is_shown"])
        window.key("F4")  # opens with a height that suits the window
        window.rect("fleet_filter")
        self.choose(window, self.ordinary[0], *self.outliers)
        self.filter(window, "")
        window.wait("the curves", lambda s: len(s["fleet"]["curves"]) == 4 and not s["fleet"]["curves_status"])
        window.point(WIDTH - 5, HEIGHT - 5)
        window.fresh()
        rows = [row[:3 * WIDTH] for row in self.display.screen()[2][:HEIGHT]]
        self.assertGreater(len({row[at:at + 3] for row in rows for at in range(0, 3 * WIDTH, 3)}), 100)
        os.makedirs(FOLDER, exist_ok=True)
        write_png(FOLDER / "fleet.png", rows, WIDTH, HEIGHT)


if __name__ == "__main__":
    unittest.main()
