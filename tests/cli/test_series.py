"""A folder of small snapshots over hours: planted problems are found, every figure equals the oracle's, and unreadable files do not
affect the others."""
import contextlib
import json
import os
import pickle
import shutil
import sqlite3
import tempfile
import unittest
from pathlib import Path

from harness import AT_FAULT, SAMPLE, WRONG_USAGE, CommandLine, main, snapshots

reference_series = snapshots.oracle("reference_series")
MiB = 1 << 20


class Series(CommandLine):
    def series(self, folder, *options):
        return json.loads(self.succeed("series", folder, "--json", *options))

    def read_back(self, path, sql, *parameters):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            return connection.execute(sql, parameters).fetchall()

    def assert_rows(self, found, expected, what):
        """Compares rows in any order, using only the oracle's columns; real numbers may differ in their last digits."""
        self.assertEqual(len(found), len(expected), what)
        key = lambda row: [str(row[name]) for name in ("rank", "kind", "pool", "at_least_bytes", "from_us") if name in row]
        for one, other in zip(sorted(found, key=key), sorted(expected, key=key)):
            for name, value in other.items():
                if isinstance(value, float):
                    self.assertAlmostEqual(one[name], value, delta=max(1e-9 * abs(value), 2), msg=f"{what} {name} {other}")
                else:
                    self.assertEqual(one[name], value, f"{what} {name} {other}")


class Planted(Series):
    """Eight generated ranks with twenty samples each."""
    BARE = False

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.job = Path(holder.name) / "job"
        snapshots.make("gen_series.py", cls.job, "--blocks", 16, *(["--bare"] if cls.BARE else []))
        cls.truth = json.loads((cls.job / ".truth.json").read_text())
        cls.expected = reference_series.reference(cls.job)

    def test_everything_is_what_the_oracle_says(self):
        said = self.series(self.job)
        self.assertEqual(set(said), {"ranks", "growing", "outside", "gaps", "ended", "restarts", "dumps", "failed"})
        for part in ("ranks", "growing", "outside", "gaps", "ended"):
            self.assert_rows(said[part], self.expected[part], part)
        self.assertEqual([dump["file"] for dump in said["dumps"]], [dump["file"] for dump in self.expected["dumps"]])
        self.assertEqual((said["restarts"], said["failed"]), ([], []))

    def test_every_sample_is_in_the_database(self):
        path = self.folder / "series.db"
        self.succeed("series", self.job, "--db", path)
        rows = self.read_back(path, "SELECT file, sample, rank, device, host, pid, file_bytes, number, time_us, time_from, step, segments, "
                              "expandable_segments, blocks, reserved_bytes, expandable_bytes, allocated_bytes, active_bytes, requested_bytes, "
                              "device_total_bytes, device_used_bytes, other_processes_bytes FROM series_samples")
        self.assertEqual(len(rows), len(self.expected["samples"]))
        by_file = {row[0]: row[1:] for row in rows}
        for sample in self.expected["samples"]:
            number, *found = by_file[sample["file"]]
            self.assertEqual(found, [sample[name] for name in (
                "rank", "device", "host", "pid", "file_bytes", "number", "time_us", "time_from", "step", "segments", "expandable_segments", "blocks",
                "reserved", "expandable", "allocated", "active", "requested", "total", "used", "other")])
            pools = self.read_back(path, "SELECT pool, segments, reserved_bytes, allocated_bytes, active_bytes, inactive_bytes, largest_inactive_bytes "
                                   "FROM series_pools WHERE sample = ?", number)
            self.assertEqual(sorted(pools), sorted((name, p["segments"], p["reserved"], p["allocated"], p["active"], p["reserved"] - p["active"], p["largest"])
                                                   for name, p in sample["pools"].items()))
            sizes = self.read_back(path, "SELECT pool, at_least_bytes, blocks, bytes FROM series_sizes WHERE sample = ?", number)
            self.assertEqual(sorted(sizes), sorted((*key, *value) for key, value in sample["sizes"].items()))

    def test_other_tables_are_what_the_answer_says(self):
        path = self.folder / "series.db"
        said = self.series(self.job, "--db", path)
        growth = self.ask_named(path, "SELECT * FROM series_growth")
        self.assertEqual([{**row} for row in growth], [{name: each[name] for name in row} for row, each in zip(growth, said["growing"])])
        self.assertEqual(self.ask_named(path, "SELECT * FROM series_gaps"), said["gaps"])
        self.assertEqual(self.ask_named(path, "SELECT * FROM series_dumps"), said["dumps"])


class PlantedByRecorder(Planted):
    def test_names_exactly_what_was_planted(self):
        said = self.series(self.job)
        leak, = [each for each in said["growing"] if each["kind"] == "size_class"]
        planted = self.truth["leak"]
        self.assertEqual([leak["rank"], leak["pool"], leak["at_least_bytes"]], [planted["rank"], planted["pool"], planted["at_least_bytes"]])
        self.assertAlmostEqual(leak["bytes_per_hour"], planted["bytes_per_hour"], delta=0.1 * planted["bytes_per_hour"])
        total, = [each for each in said["growing"] if each["kind"] == "allocated"]
        self.assertEqual(total["rank"], planted["rank"])
        self.assertGreater(total["full_time_us"], said["ranks"][0]["last_time_us"])
        idle, = [each for each in said["growing"] if each["kind"] == "idle" and each["rank"] == self.truth["idle"]["rank"]]
        self.assertAlmostEqual(idle["bytes_per_hour"], self.truth["idle"]["bytes_per_hour"], delta=0.1 * self.truth["idle"]["bytes_per_hour"])
        self.assertEqual([(end["rank"], end["last_us"], end["before_us"]) for end in said["ended"]], [tuple(self.truth["dead"].values())])
        self.assertEqual({(gap["from_us"], gap["to_us"]) for gap in said["gaps"]}, {tuple(self.truth["gap"].values())})
        self.assertEqual(len(said["gaps"]), 8)
        other = self.truth["other"]
        self.assertEqual(said["outside"], [{"rank": other["rank"], "device": 0, "of": "other_processes", "from_bytes": 0, "to_bytes": other["bytes"],
                                            "since_us": other["since_us"]}])

    def test_says_it_to_people(self):
        text = self.succeed("series", self.job)
        for sentence in ("156 samples of 8 ranks over 4 h 10 min, from 2026-11-20 08:00:00 to 2026-11-20 12:10:00 UTC",
                         "blocks of 2 MiB to 4 MiB in the pool large, on rank 5", "No samples of all 8 ranks for 1 h 10 min, from 2026-11-20 09:10:00 UTC.",
                         "Rank 3 on node0 wrote its last sample on 2026-11-20 11:30:00 UTC, 40 min 00 s before the last of all ranks.",
                         "On the device of rank 6, other processes grew from 0 B to 8.0 GiB, most of it since 2026-11-20 11:00:00 UTC.",
                         "node1_rank5_device0_oom1.pickle", "At this rate the device of rank 5 is the first to be full"):
            self.assertIn(sentence, text)
        self.assertNotIn("could not be read", text)

    def test_one_sample_has_a_time(self):
        job = self.folder / "one"
        job.mkdir()
        first = min(self.job.rglob("*_series000001.pickle"))
        for path in first.parent.glob(first.stem + ".*"):
            shutil.copy(path, job)
        self.assertNotIn("not known", self.succeed("series", job))

    def test_what_cannot_be_read_stops_nothing(self):
        job = self.folder / "job"
        shutil.copytree(self.job, job)
        series = job / "series"
        first, second, third, fourth, fifth, *_ = sorted(series.glob("*_rank0_*.pickle"))
        whole = self.series(job)
        first.write_bytes(first.read_bytes()[:200])
        second.with_suffix(".about.json").write_text("{ no JSON")
        facts = json.loads(third.with_suffix(".about.json").read_text())
        third.with_suffix(".about.json").write_text(json.dumps({**facts, "step": "seven", "nvml": [1], "pid": -1}))
        fourth.with_suffix(".about.json").write_text(" " * (2 * MiB) + "{}")
        fifth.with_suffix(".about.json").write_text("[" * 100_000)
        (series / ".node0_rank0_device0_series000099.pickle.00ff.part").write_bytes(b"half")
        (series / "node0_rank0_device0_series000098.pickle.part").write_bytes(b"half")
        (series / "node0_rank7_device0_failed.about.json").write_text(json.dumps({"why": "series", "failed": "No space left on device"}))
        (series / "other.pickle").write_bytes(pickle.dumps({"weights": [1, 2]}))
        said = self.series(job)
        failed = {Path(each["file"]).name: each["error"] for each in said["failed"]}
        self.assertEqual(set(failed), {first.name, "other.pickle", "node0_rank7_device0_failed.about.json",
                                       *(path.with_suffix(".about.json").name for path in (second, third, fourth, fifth))})
        self.assertIn("No space left on device", failed["node0_rank7_device0_failed.about.json"])
        self.assertIn("1.0 MiB", failed[fourth.with_suffix(".about.json").name])
        self.assertEqual(said["ranks"][1:], whole["ranks"][1:])
        self.assertIn(said["ranks"][0]["samples"], (18, 19, 20))
        self.assertIn("7 files could not be read, or not all of it:", self.succeed("series", job))


class PlantedBare(Planted):
    """The same series without the recorder's files of facts: numbers come from the names, times from the files."""
    BARE = True

    def test_says_where_the_order_is_from(self):
        text = self.succeed("series", self.job)
        self.assertIn("they are in the order of the numbers in their names", text)
        self.assertIn("blocks of 2 MiB to 4 MiB in the pool large, on rank 5", text)

    def test_without_times_growth_is_told_by_sample(self):
        job = self.folder / "job"
        shutil.copytree(self.job, job)
        for path in job.glob("*.pickle"):
            os.utime(path, (1_700_000_000, 1_700_000_000))
        said = self.series(job)
        leak, = [each for each in said["growing"] if each["kind"] == "size_class" and each["rank"] == 5]
        self.assertIsNone(leak["bytes_per_hour"])
        self.assertGreater(leak["bytes_per_sample"], 4 * MiB)
        self.assertEqual((said["gaps"], said["ended"]), ([], []))
        self.assertIn("The times of the samples are not known", self.succeed("series", job))


class OddFolders(Series):
    def write_sample(self, name, about=None, size=2 * MiB):
        path = self.folder / "job" / name
        path.parent.mkdir(exist_ok=True)
        block = {"size": size, "requested_size": size, "state": "active_allocated", "frames": []}
        segment = {"device": 0, "address": 4096, "total_size": size, "allocated_size": size, "active_size": size, "requested_size": size, "stream": 0,
                   "segment_type": "large", "blocks": [block]}
        path.write_bytes(pickle.dumps({"segments": [segment] if size else [], "device_traces": []}, 4))
        if about is not None:
            path.with_suffix(".about.json").write_text(json.dumps(about))
        return path.parent

    def test_nothing_to_read(self):
        (self.folder / "empty").mkdir()
        self.refuse("series", "empty", mentions=["holds no files with the endings of snapshots"])
        self.refuse("series", "missing.pickle", mentions=["missing.pickle"])
        (self.folder / "empty" / "a.pickle").write_bytes(b"")
        self.refuse("series", "empty", mentions=["a.pickle"])
        self.refuse("series", "empty", "--db", "series.txt", status=WRONG_USAGE)

    def test_a_sample_before_anything_was_allocated(self):
        job = self.write_sample("node_rank4_device1_series000001.pickle", size=0)
        rank, = self.series(job)["ranks"]
        self.assertEqual([rank[name] for name in ("rank", "device", "host", "samples", "last_reserved_bytes")], [4, 1, "node", 1, 0])

    def test_a_rank_that_was_started_anew(self):
        for number in range(40):
            about = {"why": "series", "rank": 0, "device": 0, "pid": 1 if number < 20 else 2, "time": f"2026-11-20T{number // 6:02}:{number % 6}0:00Z"}
            run = "" if number < 20 else "_run2"
            job = self.write_sample(f"node_rank0_device0_series{number % 20 + 1:06}{run}.pickle", about, size=(2 + number % 20) * 8 * MiB)
        said = self.series(job)
        self.assertEqual([each["rank"] for each in said["restarts"]], [0])
        total, = [each for each in said["growing"] if each["kind"] == "allocated"]
        self.assertEqual(total["from_bytes"], 16 * MiB)
        self.assertAlmostEqual(total["bytes_per_hour"], 48 * MiB, delta=MiB)
        self.assertIn("Rank 0 was started anew before 2026-11-20 03:20:00 UTC", self.succeed("series", job))

    def test_what_stops_growing_is_no_growth(self):
        for number in range(32):
            about = {"why": "series", "rank": 0, "device": 0, "time": f"2026-11-20T{number // 6:02}:{number % 6}0:00+00:00"}
            job = self.write_sample(f"node_rank0_device0_series{number + 1:06}.pickle", about, size=min(number, 12) * 64 * MiB + 2 * MiB)
        self.assertEqual(self.series(job)["growing"], [])
        self.assertIn("Nothing grows over the whole series.", self.succeed("series", job))

    def test_a_snapshot_with_events_is_a_sample_and_one_to_open(self):
        job = self.write_sample("a1.pickle")
        shutil.copy(SAMPLE, job / "b2.pickle")
        said = self.series(job)
        self.assertEqual([(Path(dump["file"]).name, dump["why"]) for dump in said["dumps"]], [("b2.pickle", "events")])
        self.assertEqual(sum(rank["samples"] for rank in said["ranks"]), 2)


del Planted   # tested only through its subclasses

if __name__ == "__main__":
    main()
