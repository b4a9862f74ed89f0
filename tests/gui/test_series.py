"""The window of a series shows the planted problems, analyses a rank, and opens full snapshots. tests/cli checks `snapviewer series`.
One test makes the picture of docs/long-jobs.md: SNAPVIEWER_WRITE_DOCS=1 writes it to docs/images."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from driver import BINARY, WindowTest
from test_guide import FOLDER, HEIGHT, WIDTH, write_png
import snapshots


class Series(WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = tempfile.TemporaryDirectory(prefix="snapviewer-series-")
        cls.addClassCleanup(holder.cleanup)
        cls.job = Path(holder.name) / "job"
        snapshots.make("gen_series.py", cls.job, "--blocks", 16)
        cls.truth = json.loads((cls.job / ".truth.json").read_text())

    def wait_read(self, window, samples=156):
        window.wait("all samples to be read", lambda s: s["series"] and s["series"]["samples"] == samples and not s["series"]["status"])
        return window.fresh()["series"]

    def test_a_folder_on_the_command_line_and_what_it_leads_to(self):
        window = self.start(self.job)
        series = self.wait_read(window)
        said = subprocess.run([BINARY, "series", self.job], check=True, capture_output=True, text=True).stdout.replace(f"{self.job}/", "")
        for line in series["lines"]:
            self.assertIn(line, said)
        self.assertEqual(series["ranks"], [f"rank {rank}" for rank in range(8)])
        self.assertEqual((series["chosen"], series["gaps"]), (self.truth["leak"]["rank"], 1))
        self.assertIn("2 MiB to 4 MiB", series["layers"])
        window.click("series_by_pools")
        window.wait("layers by pool", lambda s: s["series"]["by"] == "pools" and "private (0, 1) large" in s["series"]["layers"])
        window.click("series_rank_2")
        window.wait("another rank", lambda s: s["series"]["chosen"] == 2)
        self.assertGreater(self.display.colours_in(*window.rect("series_parts")), 8)
        window.click("series_flag_1")
        window.wait("the full snapshot", lambda s: not s["series"]["is_shown"] and s["file"] == series["dumps"][1])
        self.assertTrue(series["dumps"][1].endswith("_oom1.pickle"))

    def test_a_dropped_folder_and_its_fleet(self):
        window = self.start()
        window.drop(self.job)
        self.wait_read(window)
        window.click("series_fleet")
        state = window.wait("the fleet of the full snapshots", lambda s: s["fleet"] and s["fleet"]["files_read"] == s["fleet"]["files"] == 2
                            and not s["fleet"]["status"])
        self.assertFalse(state["series"]["is_shown"])

    def test_a_running_job_is_followed(self):
        """The job's full snapshots and the second half of its samples appear while the window is open."""
        late, live = Path(self.folder) / "late", Path(self.folder) / "live"
        shutil.copytree(self.job, live)
        for path in sorted(live.rglob("*.pickle")):
            number = re.search(r"_series(\d+)", path.name)
            if not number or int(number[1]) > 10:
                for part in (path, path.with_name(path.name.removesuffix(".pickle") + ".about.json")):
                    moved = late / part.relative_to(live)
                    moved.parent.mkdir(parents=True, exist_ok=True)
                    part.rename(moved)
        window = self.start(live)
        window.wait("the samples so far", lambda s: s["series"] and s["series"]["samples"] == 80)
        window.click("series_rank_2")
        shutil.copytree(late, live, dirs_exist_ok=True)
        state = window.wait("the new ones", lambda s: s["series"]["samples"] == 156 and len(s["series"]["dumps"]) == 2)
        self.assertEqual((state["series"]["chosen"], state["series"]["status"]), (2, ""))
        for news in ["Rank 5 wrote a full snapshot: out of memory", "Rank 3 has written no sample for"]:
            window.wait(news, lambda s: any(toast.startswith(news) for toast in s["toasts"]))
        window.click("series_follow")
        window.wait("that it is not followed", lambda s: not s["series"]["is_followed"])
        for ending in (".about.json", ".pickle"):
            first = next(live.rglob("*_oom1" + ending))
            shutil.copy(first, first.with_name(first.name.replace("_oom1", "_oom2")))
        time.sleep(3)
        self.assertEqual(len(window.fresh()["series"]["dumps"]), 2)
        window.click("series_follow")
        window.wait("one more", lambda s: len(s["series"]["dumps"]) == 3)

    def test_samples_that_no_recorder_named(self):
        bare = Path(self.folder) / "bare"
        snapshots.make("gen_series.py", bare, "--blocks", 4, "--ranks", 2, "--bare")
        window = self.start(bare)
        window.wait("the fleet", lambda s: s["fleet"] and s["fleet"]["files"] > 0 and not s["fleet"]["status"])
        window.key("Escape")
        window.wait("no window over the picture", lambda s: not s["fleet"]["is_shown"])
        window.click("menu_tools")
        window.click("menu_tools_series")
        self.wait_read(window, 36)

    def test_the_picture_of_the_manual(self):
        job = Path(self.folder) / "out"
        snapshots.make("gen_series.py", job, "--blocks", 8, "--samples", 80, "--interval", 360)
        window = self.start("--size", f"{WIDTH}x{HEIGHT}", job)
        self.wait_read(window, 8 * 80 - 4)
        window.point(WIDTH - 5, HEIGHT - 5)
        window.fresh()
        rows = [row[:3 * WIDTH] for row in self.display.screen()[2][:HEIGHT]]
        self.assertGreater(len({row[at:at + 3] for row in rows for at in range(0, 3 * WIDTH, 3)}), 100)
        os.makedirs(FOLDER, exist_ok=True)
        write_png(FOLDER / "series.png", rows, WIDTH, HEIGHT)


if __name__ == "__main__":
    unittest.main()
