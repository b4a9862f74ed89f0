"""Fleets of many ranks: planted problems are found, each rank's rows equal those of its file alone, and written databases
read back the same."""
import collections
import contextlib
import gzip
import json
import os
import pickle
import resource
import shutil
import sqlite3
import statistics
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from harness import AT_FAULT, DONE, SAMPLE, WRONG_USAGE, CommandLine, main, snapshots

NO_STACK = "0" * 16
RANK_COLUMNS = ["run", "rank", "host", "device", "file", "file_bytes", "events", "peak_bytes", "peak_step", "peak_time_us", "reserved_peak_bytes",
                "capacity_bytes", "oom_cause", "wrapped", "settings_json", "error", "rank_from"]
# Live bytes at the peak by stack. The stack of a free does not identify the allocation's origin.
PEAK_STACKS = """SELECT CASE WHEN a.origin = 'freed' OR s.key IS NULL THEN '0000000000000000' ELSE s.key END AS key, sum(a.size), count(*)
    FROM allocations a JOIN devices d USING (device) LEFT JOIN stacks s ON s.id = a.stack_id
    WHERE a.alloc_step <= d.peak_step AND (a.free_step IS NULL OR a.free_step > d.peak_step) GROUP BY key ORDER BY key"""
STEP_STACKS = """SELECT p.name, coalesce(s.key, '0000000000000000') AS key, sum(a.size),
        sum(CASE WHEN a.free_event IS NULL OR a.free_event >= (SELECT max(end_event) FROM steps WHERE complete) THEN a.size ELSE 0 END)
    FROM steps p JOIN allocations a ON a.alloc_event >= p.begin_event AND a.alloc_event < p.end_event LEFT JOIN stacks s ON s.id = a.stack_id
    WHERE p.complete GROUP BY p.id, key ORDER BY p.id, key"""


class Fleets(CommandLine):
    def read_back(self, path, sql, *parameters):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            return connection.execute(sql, parameters).fetchall()


class Planted(Fleets):
    """Forty generated ranks, five of them damaged."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.ranks = Path(holder.name) / "job"
        snapshots.make("gen_fleet.py", cls.ranks, "--ranks", 40)
        cls.truth = json.loads((cls.ranks / ".truth.json").read_text())

    def fleet(self, *arguments):
        return json.loads(self.succeed("fleet", *(arguments or [self.ranks]), "--json"))

    def readable(self):
        return [path for path in sorted(self.ranks.glob("*.pickle")) if path.name not in self.truth["damaged"]]

    def test_names_exactly_what_was_planted(self):
        said = self.fleet()
        self.assertEqual(set(said), {"ranks", "median_peak_bytes", "outliers", "growing", "failed", "rank_count", "follow_in_time"})
        self.assertEqual((said["rank_count"], said["follow_in_time"]), (35, False))
        planted = {int(rank): (each["source"], each["bytes"]) for rank, each in self.truth["outliers"].items()}
        found = {}
        for outlier in said["outliers"]:
            self.assertEqual(len(outlier["stacks"]), 1, outlier)
            stack = outlier["stacks"][0]
            found[outlier["rank"]] = (stack["source"], stack["bytes"] - stack["median_bytes"])
            self.assertEqual(outlier["device"], 0)
        self.assertEqual(found, planted)
        leak = self.truth["leak"]
        self.assertEqual([(each["source"], each["slope"], each["ranks"]) for each in said["growing"]], [(leak["source"], leak["slope"], leak["ranks"])])
        self.assertEqual(sorted(Path(each["file"]).name for each in said["failed"]), self.truth["damaged"])
        self.assertTrue(all(each["error"] for each in said["failed"]))
        self.assertEqual({row["rank"]: row["oom_cause"] for row in said["ranks"] if row["oom_cause"]}, {self.truth["in_pieces"]: "fragmentation"})

    def test_median_and_outliers_by_python(self):
        said = self.fleet()
        peaks = {}
        for path in self.readable():
            (peaks[int(path.stem.removeprefix("rank"))],), = self.ask(path, "SELECT peak_bytes FROM devices")
        median = statistics.median(peaks.values())
        deviation = max(statistics.median(abs(peak - median) for peak in peaks.values()), 0.01 * median)
        self.assertEqual(said["median_peak_bytes"], median)
        far = {rank: peak - median for rank, peak in peaks.items() if abs(peak - median) > 3 * deviation}
        self.assertEqual({each["rank"]: each["delta_bytes"] for each in said["outliers"]}, far)
        self.assertEqual({row["rank"]: row["peak_bytes"] for row in said["ranks"] if not row["error"]}, peaks)

    def test_each_rank_is_what_its_file_says_alone(self):
        out = self.folder / "fleet.db"
        said = json.loads(self.succeed("fleet", self.ranks, "--json", "--write", out))
        rows = {row["rank"]: row for row in said["ranks"]}
        self.assertEqual(len(rows), 40)
        self.assertTrue(all(list(row) == RANK_COLUMNS for row in rows.values()))
        chosen = [self.ranks / f"rank{rank}.pickle" for rank in [*self.truth["outliers"], self.truth["in_pieces"]]] + self.readable()[:4]
        for path in chosen:
            row = rows[int(path.stem.removeprefix("rank"))]
            with self.subTest(path.name):
                device, = self.ask_named(path, "SELECT device, events, peak_bytes, peak_step, capacity AS capacity_bytes FROM devices")
                self.assertEqual({name: row[name] for name in device}, device)
                (peak_time,), = self.ask(path, "SELECT time_us FROM markers WHERE kind = 'peak'")
                oom = json.loads(self.succeed("report", path, "--json"))["devices"][0]["oom"]
                self.assertEqual((row["peak_time_us"], row["reserved_peak_bytes"]), (peak_time, oom["capacity"]["reserved_max"]))
                self.assertEqual(row["oom_cause"], oom["verdicts"][-1]["cause"] if oom["verdicts"] else None)
                settings = {key: json.loads(value) for key, value in self.ask(path, "SELECT key, value FROM settings")}
                self.assertEqual(json.loads(row["settings_json"]), settings)
                self.assertEqual((row["file_bytes"], row["wrapped"], row["run"], row["rank_from"]), (path.stat().st_size, 0, "job", "file name"))
                self.assert_stacks(out, path, row["rank"])

    def test_curves_are_the_highest_of_each_stretch(self):
        """Small ranks keep every moment. The sample has more than 4,096, so of every two the first with the highest total is kept."""
        out = self.folder / "fleet.db"
        self.succeed("fleet", self.ranks, "--write", out)
        self.assertEqual(self.read_back(out, "SELECT count(*) FROM totals"), [(0,)])
        sample = self.folder / "rank1000.pickle"
        shutil.copy(SAMPLE, sample)
        self.succeed("fleet", self.ranks, sample, "--write", out, "--totals")
        self.succeed("fleet", out, "--write", self.folder / "again.db", "--totals")
        for path, rank, moments in ((self.readable()[0], int(self.readable()[0].stem.removeprefix("rank")), 1), (sample, 1000, 2)):
            rows = self.ask(path, "SELECT step, allocated, reserved FROM totals")
            self.assertEqual(-(-len(rows) // 4096), moments)
            expected = [max(rows[at:at + moments], key=lambda row: row[1]) for at in range(0, len(rows), moments)]
            for database in (out, self.folder / "again.db"):
                kept = self.read_back(database, "SELECT step, allocated_bytes, reserved_bytes FROM totals WHERE rank = ? ORDER BY rowid", rank)
                self.assertEqual(kept, expected)
            times = dict(self.ask(path, "SELECT alloc_step, alloc_time_us FROM allocations WHERE alloc_event IS NOT NULL"))
            told = self.read_back(out, "SELECT step, time_us FROM totals WHERE rank = ?", rank)
            # A free and the following alloc begin at the same step.
            changes = collections.Counter(step for step, *_ in rows)
            both = [(step, time, times[step]) for step, time in told if step in times and changes[step] == 1]
            self.assertGreater(len(both), 100)
            self.assertEqual([row for row in both if row[1] != row[2]], [])

    def test_each_moment_of_a_curve_says_its_training_step(self):
        path, out = self.readable()[0], self.folder / "fleet.db"
        self.succeed("fleet", path, "--write", out, "--totals")
        steps = self.ask(path, "SELECT name, begin_step, end_step FROM steps WHERE complete")
        self.assertGreater(len(steps), 4)
        told = self.read_back(out, "SELECT step, training_step FROM totals")
        self.assertEqual(told, [(step, next((int(name.removeprefix("ProfilerStep#")) for name, begin, end in steps if begin <= step < end), None))
                                for step, _ in told])
        self.assertEqual({number for _, number in told} - {None}, {int(name.removeprefix("ProfilerStep#")) for name, *_ in steps})

    def assert_stacks(self, out, path, rank):
        peak = self.read_back(out, "SELECT stack_key, bytes, count FROM peak_stacks WHERE rank = ? AND device = 0 ORDER BY stack_key", rank)
        self.assertEqual(peak, self.ask(path, PEAK_STACKS))
        self.assertGreater(len(peak), 10)
        steps = self.read_back(out, "SELECT training_step, stack_key, allocated_bytes, left_bytes FROM step_stacks WHERE rank = ? ORDER BY 1, 2", rank)
        self.assertEqual([(f"ProfilerStep#{step}", *more) for step, *more in steps], self.ask(path, STEP_STACKS))
        self.assertGreater(len({step for step, *_ in steps}), 4)
        grown = self.read_back(out, "SELECT stack_key, source, state, slope, grown_bytes FROM growth WHERE rank = ? ORDER BY 1", rank)
        self.assertEqual(grown, self.ask(path, "SELECT stack_key, source, state, slope, grown FROM growth ORDER BY 1"))
        # Installation paths differ between machines, so only the machine-independent parts are compared.
        words = dict(self.ask(path, "SELECT key, top_frame FROM stacks"))
        kept = dict(self.read_back(out, "SELECT stack_key, top_frame FROM stacks"))
        for key, *_ in peak + [row[1:] for row in steps]:
            if key != NO_STACK:
                self.assertEqual(kept[key], words[key])

    def test_what_is_written_says_the_same(self):
        out = self.folder / "fleet.db"
        said = self.succeed("fleet", self.ranks, "--json", "--write", out)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["fleet.db"])
        self.assertEqual(self.succeed("fleet", out, "--json"), said)
        self.assertEqual(self.succeed("fleet", out), self.succeed("fleet", self.ranks))
        names = [name for name, in self.read_back(out, "SELECT name FROM sqlite_schema ORDER BY rowid")]
        self.assertEqual(names[:4], ["ranks", "peak_stacks", "step_stacks", "stacks"])
        self.assertEqual(self.read_back(out, "PRAGMA integrity_check"), [("ok",)])
        stored = self.read_back(out, "SELECT * FROM ranks")
        self.assertEqual(stored, [tuple(row.values()) for row in sorted(json.loads(said)["ranks"], key=lambda row: row["rank"])])
        text = self.read_back(out, "SELECT text FROM stacks WHERE top_frame = ?", self.truth["leak"]["source"])
        self.assertRegex(text[0][0], r"metrics\.py:110:remember_loss\n.*train\.py:102:train\n")

    def test_in_words(self):
        text = self.succeed("fleet", self.ranks)
        self.assertIn("35 ranks, numbered by file name", text)
        for rank, planted in self.truth["outliers"].items():
            sentence = next(line for line in text.splitlines() if line.startswith(f"  rank {rank} ("))
            self.assertRegex(sentence, r"peaks at .* \(\d+\.\d %\) " + ("above" if planted["bytes"] > 0 else "below") + " the median")
            self.assertIn(planted["source"], text)
        self.assertIn(f"64.0 KiB per step on 35 ranks: {self.truth['leak']['source']}", text)
        self.assertRegex(text, rf"1 rank ran out of memory, fragmentation: .*\n  rank {self.truth['in_pieces']} \(")
        for name in self.truth["damaged"]:
            self.assertRegex(text, rf"\n  \S*{name}: \w+")

    def test_a_database_in_the_folder_is_no_rank(self):
        job = self.folder / "job"
        shutil.copytree(self.ranks, job)
        first = self.succeed("fleet", job, "--json", "--write", job / "fleet.db")
        self.assertEqual(self.succeed("fleet", job, "--json", "--write", job / "fleet.db"), first)
        self.assertEqual(self.succeed("fleet", job, "--json"), first)
        (job / "notes.txt").write_text("no snapshot")
        (job / ".rank99.pickle.part").write_bytes(b"still being written")
        self.assertEqual(self.succeed("fleet", job, "--json"), first)


class ByModule(Fleets):
    """Six ranks of a program that names its modules; a module of one rank leaks."""

    def test_the_module_that_differs_is_named(self):
        generator, modules, analysis = (snapshots.oracle(name) for name in ("gen_modules", "reference_modules", "reference_analysis"))
        words = {None: "(no module)", (): "(the model itself)"}
        held = {}
        (self.folder / "job").mkdir()
        for rank in range(6):
            path = self.folder / "job" / f"rank{rank}.pickle"
            generator.main([str(path), "--steps", "60", "--layers", "2", "--leaks", "layers.1.mlp" if rank == 4 else ""])
            path.with_suffix(".json").unlink()
            rows = modules.of_trace(analysis.Trace(str(path)))[0].at_peak()
            held[rank] = {words.get(module) or ".".join(module): row["own"] for module, row in rows.items() if row["own"]}
        out = self.folder / "fleet.db"
        said = json.loads(self.succeed("fleet", "job", "--json", "--write", out))
        outlier, = said["outliers"]
        self.assertEqual((outlier["rank"], [each["module"] for each in outlier["modules"]]), (4, ["layers.1.mlp"]))
        self.assertEqual([outlier["modules"][0][key] for key in ("bytes", "median_bytes")], [held[4]["layers.1.mlp"], held[0]["layers.1.mlp"]])
        self.assertEqual({(rank, module): bytes_ for rank, module, bytes_ in self.read_back(out, "SELECT rank, module, bytes FROM peak_modules")},
                         {(rank, module): bytes_ for rank, of_rank in held.items() for module, bytes_ in of_rank.items()})
        self.assertEqual(json.loads(self.succeed("fleet", out, "--json")), said)
        self.assertRegex(self.succeed("fleet", out), r"\+\d.* module layers\.1\.mlp \(.* -> .*\)")
        with contextlib.closing(sqlite3.connect(out)) as connection:    # makes it a database from before there were modules
            connection.execute("DROP TABLE peak_modules")
        self.assertEqual(json.loads(self.succeed("fleet", out, "--json"))["outliers"][0]["modules"], [])


class Files(Fleets):
    def copies(self, *names):
        for name in names:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SAMPLE, path)

    def told(self, *paths):
        """Returns (run, rank, device, source of the rank number) of each row."""
        rows = json.loads(self.succeed("fleet", *paths, "--json"))["ranks"]
        return [(row["run"], row["rank"], row["device"], row["rank_from"]) for row in rows]

    def test_several_devices_of_one_file(self):
        snapshots.make_run("two-devices", self.folder / "both.pickle")
        said = json.loads(self.succeed("fleet", "both.pickle", "--json"))
        peaks = self.ask("both.pickle", "SELECT device, peak_bytes FROM devices ORDER BY device")
        self.assertEqual([(row["device"], row["peak_bytes"]) for row in said["ranks"]], peaks)
        self.assertEqual(said["median_peak_bytes"], statistics.median(peak for _, peak in peaks))
        self.assertEqual(len(peaks), 2)

    def test_the_time_of_the_peak(self):
        """Also for files whose events have times although the picture's axis has none."""
        self.succeed("export", SAMPLE, "--out", "elements.zip")
        self.succeed("export", SAMPLE, "--out", "tables.db")
        for path in (SAMPLE, "elements.zip", "tables.db"):
            with self.subTest(path):
                row, = json.loads(self.succeed("fleet", path, "--json"))["ranks"]
                self.assertEqual([(row["peak_time_us"], row["peak_step"])], self.ask(path, "SELECT time_us, step FROM markers WHERE kind = 'peak'"))

    def test_folders_of_iterations(self):
        self.copies("run/iteration_10/rank0_memory_snapshot.pickle", "run/iteration_10/rank1_memory_snapshot.pickle",
                    "run/iteration_9/rank0_memory_snapshot.pickle", "run/iteration_9/rank1_memory_snapshot.pickle")
        self.assertEqual(self.told("run"), [("iteration_9", 0, 0, "file name"), ("iteration_9", 1, 0, "file name"),
                                            ("iteration_10", 0, 0, "file name"), ("iteration_10", 1, 0, "file name")])

    def test_the_same_rank_twice(self):
        self.copies("job/rank3.pickle", "job/rank3_run2.pickle", "job/rank4.pickle")
        self.assertEqual(self.told("job"), [("job", 3, 0, "file name"), ("job", 4, 0, "file name"), ("job#2", 3, 0, "file name")])

    def test_numbers_by_order_where_nothing_tells(self):
        self.copies("job/b.pickle", "job/a10.pickle", "job/a9.pickle", "job/rank1.pickle")
        rows = json.loads(self.succeed("fleet", "job", "--json"))["ranks"]
        self.assertEqual([(row["rank"], Path(row["file"]).name, row["rank_from"]) for row in rows],
                         [(0, "a9.pickle", "order of names"), (1, "rank1.pickle", "file name"), (2, "a10.pickle", "order of names"),
                          (3, "b.pickle", "order of names")])
        self.succeed("fleet", "job", "--write", "job/an.db")
        self.assertEqual(json.loads(self.succeed("fleet", "job", "--json"))["ranks"], rows)

    def test_numbers_by_what_the_file_says(self):
        whole = pickle.loads(SAMPLE.read_bytes())
        self.write("a.pickle", pickle.dumps({**whole, "rank": 12}))
        self.write("rank3.pickle", pickle.dumps({**whole, "rank": 12}))
        self.assertEqual([row[1:] for row in self.told("a.pickle", "rank3.pickle")], [(3, 0, "file name"), (12, 0, "metadata")])

    def test_a_missing_file_stops_nothing(self):
        self.copies("rank0.pickle")
        said = json.loads(self.succeed("fleet", "rank0.pickle", "rank1.pickle", "--json"))
        self.assertEqual([each["file"] for each in said["failed"]], ["rank1.pickle"])
        self.assertEqual((said["median_peak_bytes"], said["outliers"]), (self.ask(SAMPLE, "SELECT peak_bytes FROM devices")[0][0], []))

    def test_what_is_no_file_is_told(self):
        self.copies("job/rank0.pickle", "job/deep/rank1.pickle")
        (self.folder / "job" / "rank2.pickle").symlink_to("nowhere")
        os.mkfifo(self.folder / "job" / "rank3.pickle")
        (self.folder / "job" / "deep" / "up").symlink_to("..")
        said = json.loads(self.succeed("fleet", "job", "--json"))
        self.assertEqual([(row["rank"], bool(row["error"])) for row in said["ranks"]], [(0, False), (1, False), (2, True), (3, True)])
        self.assertEqual([each["file"] for each in said["failed"]], ["job/rank2.pickle", "job/rank3.pickle"])

    def test_what_is_too_large_is_given_up(self):
        self.copies("job/rank3.pickle", "job/rank4.pickle")
        with open(self.folder / "job" / "rank3.pickle", "ab") as file:
            file.write(b"\0")
        whole, larger = SAMPLE.stat().st_size, (self.folder / "job" / "rank3.pickle").stat().st_size
        rows = json.loads(self.succeed("fleet", "job", "--max-file", str(whole), "--json"))["ranks"]
        self.assertEqual([(row["rank"], row["file_bytes"], bool(row["error"]), row["peak_bytes"] is None) for row in rows],
                         [(3, larger, True, True), (4, whole, False, False)])
        self.refuse("fleet", "job", "--max-file", "100", mentions=["100 B", "the other"])
        self.refuse("fleet", "job", "--max-file", "much", status=WRONG_USAGE)

    def test_ranks_and_devices_of_ascend(self):
        """One file per rank, and one with two devices. Pictures of workspaces do not count as devices."""
        snapshots.make("make_profiler_dbs.py", "--out", self.folder / "ranks", "--kinds", "ascend", "--scale", "300", "--ranks", "3")
        snapshots.make("make_profiler_dbs.py", "--out", self.folder / "edge", "--kinds", "edge")
        devices = "SELECT device, peak_bytes FROM devices WHERE part IS NULL ORDER BY device"
        rows = json.loads(self.succeed("fleet", "ranks", "--json", "--write", "fleet.db", "--totals"))["ranks"]
        self.assertEqual([(row["rank"], row["rank_from"], row["error"]) for row in rows], [(rank, "file name", None) for rank in range(3)])
        self.assertEqual([(row["device"], row["peak_bytes"]) for row in rows], [self.ask(row["file"], devices)[0] for row in rows])
        path = self.folder / "edge" / "ascend_two_devices.db"
        rows = json.loads(self.succeed("fleet", path, "--json"))["ranks"]
        self.assertEqual([(row["device"], row["peak_bytes"]) for row in rows], self.ask(path, devices))
        self.assertEqual(len(rows), 2)
        for rank in range(3):
            with contextlib.closing(sqlite3.connect(self.folder / "ranks" / f"ascend_pytorch_profiler_{rank}.db")) as connection:
                (first, last), = connection.execute("SELECT min(timestamp) / 1000, max(timestamp) / 1000 FROM MEMORY_RECORD")
            (begin, end, peak), = self.read_back(self.folder / "fleet.db", "SELECT min(time_us), max(time_us), max(allocated_bytes) FROM totals WHERE rank = ?", rank)
            self.assertLessEqual(abs(begin - first), 1_000)
            self.assertLessEqual(end, last + 1_000)
            self.assertEqual(peak, self.ask(f"ranks/ascend_pytorch_profiler_{rank}.db", devices)[0][1])

    # glibc settings that return freed memory to the system, whichever thread used it.
    @unittest.mock.patch.dict(os.environ, {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "131072"})
    def test_what_lacks_memory_is_tried_again_alone(self):
        """Two compressed files whose names do not show that, so they look small. The memory suffices for each, but not for both at once."""
        events = [{"action": "alloc", "addr": 512 * (i + 1), "size": 512, "stream": 0, "frames": []} for i in range(300_000)]
        packed = gzip.compress(pickle.dumps({"segments": [], "device_traces": [events]}, protocol=4), 1)
        (self.folder / "job").mkdir()
        for rank in range(2):
            self.write(f"job/rank{rank}.pickle", packed)

        def read(path, most_mib):
            limit = (most_mib << 20, most_mib << 20)
            return self.run_program("fleet", path, "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, limit))
        enough = next((mib for mib in range(48, 400, 8) if read("job/rank0.pickle", mib).returncode == DONE), None)
        if enough is None:
            self.skipTest("with a sanitizer nothing fits")
        self.assertIn("more memory", read("job", 48).stderr)
        done = read("job", enough * 3 // 2)
        self.assertEqual([(row["peak_bytes"], row["error"]) for row in json.loads(done.stdout)["ranks"]], [(512 * len(events), None)] * 2)

    def test_the_list_of_files_is_that_of_the_ranks(self):
        self.copies("job/host1_rank3_device2.pickle", "job/iteration_7/rank4.pickle", "job/b.pickle", "job/a.pickle")
        listed = json.loads(self.succeed("fleet", "job", "--list", "--max-file", "1GiB"))
        self.write("job/a.pickle", b"no snapshot")      # invalid, because --list reads no file
        self.assertEqual(json.loads(self.succeed("fleet", "job", "--list"))[0]["file_bytes"], 11)
        rows = {row["file"]: row for row in json.loads(self.succeed("fleet", "job", "--json"))["ranks"]}
        self.assertEqual([each["file"] for each in listed], ["job/a.pickle", "job/b.pickle", "job/host1_rank3_device2.pickle", "job/iteration_7/rank4.pickle"])
        for each in listed:
            self.assertEqual({name: each[name] for name in ("run", "rank", "host", "rank_from")},
                             {name: rows[each["file"]][name] for name in ("run", "rank", "host", "rank_from")})
        self.assertEqual([each["device"] for each in listed], [None, None, 2, None])

    def test_nothing_can_be_read(self):
        self.write("rank0.pickle", b"")
        self.write("rank1.pickle", b"no snapshot")
        (self.folder / "empty").mkdir()
        self.refuse("fleet", "empty", mentions=["empty", "pickle"])
        self.refuse("fleet", "nowhere", "--json", mentions=["nowhere"])
        self.refuse("fleet", "rank0.pickle", "rank1.pickle", "--write", "out.db", mentions=["rank0.pickle", "the other"])

    def test_databases_that_are_no_good(self):
        self.copies("job/rank0.pickle", "job/rank1.pickle")
        self.succeed("fleet", "job", "--write", "fleet.db")
        whole = (self.folder / "fleet.db").read_bytes()
        self.write("short.db", whole[:len(whole) // 3])
        self.refuse("fleet", "short.db", "--json")
        with contextlib.closing(sqlite3.connect(self.folder / "fleet.db")) as connection:
            connection.executescript("UPDATE ranks SET peak_bytes = -5, events = 'many', rank_from = 7; UPDATE peak_stacks SET stack_key = 'zz', bytes = 1e300;")
        self.assertEqual(len(json.loads(self.succeed("fleet", "fleet.db", "--json"))["ranks"]), 2)
        self.write_database("other.db", "CREATE TABLE ranks (rank INTEGER); CREATE TABLE peak_stacks (rank INTEGER);")
        self.refuse("fleet", "other.db", "--json", mentions=["other.db"])

    def test_what_is_written_over(self):
        self.copies("job/rank0.pickle")
        self.succeed("fleet", "job", "--write", "fleet.db")
        self.refuse("fleet", "fleet.db", "--write", "fleet.db", status=WRONG_USAGE, mentions=["cannot be the output"])
        self.refuse("fleet", "job", "--write", "out.txt", status=WRONG_USAGE, mentions=[".db"])
        self.refuse("fleet", "job", "--write", "nowhere/out.db", status=AT_FAULT, mentions=["nowhere/out.db"])
        self.refuse("fleet", "job", "--totals", status=WRONG_USAGE, mentions=["--write"])
        self.refuse("fleet", status=WRONG_USAGE)


class SeveralDumps(Fleets):
    """Ranks with several snapshots each, and a process with snapshots at several steps."""

    def dump(self, name, minute, mib, has_times=True):
        time = 1_760_000_000_000_000 + minute * 60_000_000
        events = [{"action": "alloc", "addr": 4096, "size": mib << 20, "stream": 0, "frames": [], **({"time_us": time} if has_times else {})}]
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        self.write(name, pickle.dumps({"segments": [], "device_traces": [events]}))

    def fleet(self, *arguments):
        return json.loads(self.succeed("fleet", *arguments, "--json"))

    def test_a_rank_that_repeats_is_one_rank_and_named_with_its_run(self):
        for minute, run in enumerate(("iteration_10", "iteration_20", "iteration_20_exit")):
            for rank in range(4):
                self.dump(f"job/{run}/rank{rank}_memory_snapshot.pickle", minute, 300 if (rank, minute) == (1, 2) else 60)
        said = self.fleet("job")
        self.assertEqual((len(said["ranks"]), said["rank_count"], said["follow_in_time"]), (12, 4, True))
        self.assertEqual([(each["rank"], each["run"]) for each in said["outliers"]], [(1, "iteration_20_exit")])
        text = self.succeed("fleet", "job")
        self.assertRegex(text, r"\A4 ranks with 3 dumps each \(iteration_10, iteration_20, iteration_20_exit\), ")
        self.assertRegex(text, r"\n  rank 1, iteration_20_exit \(job/")
        self.assertIn("snapviewer series", text)
        self.succeed("fleet", "job", "--write", "fleet.db")
        self.assertEqual(self.succeed("fleet", "fleet.db"), text)

    def test_numbers_of_steps_are_no_ranks(self):
        for minute, step in enumerate((0, 100, 200, 300, 1000, 2000)):
            self.dump(f"job/memory-profile-{step}.pkl", minute, 60 + minute)
        said = self.fleet("job")
        self.assertEqual([(row["rank"], row["run"], row["rank_from"]) for row in said["ranks"]],
                         [(0, f"step {step}", "order of names") for step in (0, 100, 200, 300, 1000, 2000)])
        self.assertEqual((said["rank_count"], said["follow_in_time"]), (1, True))
        self.assertEqual([(each["rank"], each["run"]) for each in json.loads(self.succeed("fleet", "job", "--list"))],
                         [(0, f"step {step}") for step in (0, 100, 200, 300, 1000, 2000)])
        self.assertRegex(self.succeed("fleet", "job"), r"\A1 rank with 6 dumps \(step 0, step 100, step 200, step 300, step 1000, step 2000\), ")

    def test_what_is_told_of_ranks_counts_first(self):
        for rank in (0, 100, 200):
            self.dump(f"job/memory_rank{rank}.pkl", rank, 60)
            self.dump(f"few/{rank // 25}.pkl", 0, 60)
        self.assertEqual([row["rank"] for row in self.fleet("job")["ranks"]], [0, 100, 200])
        self.assertEqual([row["rank"] for row in self.fleet("few")["ranks"]], [0, 4, 8])
        self.assertEqual(self.fleet("job")["rank_count"], 3)
        self.assertFalse(self.fleet("job")["follow_in_time"], "each has one dump")

    def test_without_times_nothing_follows(self):
        for run in ("iteration_1", "iteration_2"):
            self.dump(f"job/{run}/rank0.pickle", 0, 60, has_times=False)
            self.dump(f"job/{run}/rank1.pickle", 0, 60, has_times=False)
        said = self.fleet("job")
        self.assertEqual((said["rank_count"], said["follow_in_time"]), (2, False))
        self.assertNotIn("snapviewer series", self.succeed("fleet", "job"))


if __name__ == "__main__":
    main()
