"""`export`: Python reads every format back, and the program reads its own SnapViewer zip back."""
import contextlib
import copy
import csv
import json
import pickle
import sqlite3
import zipfile

from harness import SAMPLE, SHARED, WRONG_USAGE, CommandLine, main, snapshots


class Export(CommandLine):
    def test_members_belong_together(self):
        allocations, elements = self.export(SAMPLE)
        self.assertEqual(len(allocations), len(elements))
        for allocation, element in zip(allocations, elements):
            self.assertEqual(allocation["size"], element["size"])
            self.assertEqual(len(allocation["timesteps"]), len(allocation["offsets"]))
            self.assertIsInstance(element["frames"], list)

    def check_reads_back_the_same(self, path):
        self.export(path)
        before, after = (json.loads(self.succeed("info", each, "--json")) for each in (path, "out.zip"))
        self.assertEqual(after["kind"], "snapviewer_zip")
        for name in ["allocations", "peak_bytes", "steps", "path_points"]:
            self.assertEqual(after["devices"][0][name], before["devices"][0][name], name)

    def test_reads_back_the_same(self):
        self.check_reads_back_the_same(SAMPLE)

    def test_segments_alone_read_back_the_same(self):
        """Without history, every polygon spans the whole picture."""
        blocks = [{"size": size, "requested_size": size, "state": "active_allocated"} for size in (512, 1024)]
        self.check_reads_back_the_same(self.write("segments.json", json.dumps(
            [{"device": 0, "address": 4096, "total_size": 1536, "stream": 0, "blocks": blocks}])))

    def test_the_other_formats_hold_the_same_rows(self):
        expected = json.loads(self.succeed("query", SAMPLE, "SELECT * FROM allocations", "--format", "json"))
        stacks = json.loads(self.succeed("query", SAMPLE, "SELECT id, text FROM stacks", "--format", "json"))
        text_of = {stack["id"]: stack["text"] for stack in stacks}
        with_text = [{**row, "callstack": text_of.get(row["stack_id"])} for row in expected]
        self.assertGreater(len({row["callstack"] for row in with_text}), 2)
        for name in ["out.json", "out.csv", "out.db"]:
            self.succeed("export", SAMPLE, "--out", name)
        self.assertTrue(json.loads((self.folder / "out.json").read_text()) == with_text, "out.json")
        with open(self.folder / "out.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertTrue(rows == [{k: "" if v is None else str(v) for k, v in row.items()} for row in with_text], "out.csv")
        database = sqlite3.connect(self.folder / "out.db")
        database.row_factory = sqlite3.Row
        self.assertEqual([dict(row) for row in database.execute("SELECT * FROM allocations ORDER BY id")], expected)
        database.close()

    def test_a_stack_as_the_snapshot_has_it(self):
        # The recording's first allocation, whatever is below it, has the stack of the first alloc event.
        event = next(e for e in pickle.loads(SAMPLE.read_bytes())["device_traces"][0] if e["action"] == "alloc")
        expected = "\n".join(f"{f['filename']}:{f['line']}:{f['name']}" for f in event["frames"])
        self.succeed("export", SAMPLE, "--out", "out.json", "--device", 0)
        rows = json.loads((self.folder / "out.json").read_text())
        self.assertIn((event["addr"], event["size"], expected), [(row["address"], row["size"], row["callstack"]) for row in rows])

    def read_folder(self, folder):
        """Reads the export like SnapViewer: polygons from allocations.json, and the element with the same index from elements.db."""
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["allocations.json", "elements.db"])
        allocations = json.loads((folder / "allocations.json").read_text())
        with contextlib.closing(sqlite3.connect(f"file:{folder / 'elements.db'}?mode=ro", uri=True)) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            columns = database.execute("SELECT name, type, pk FROM pragma_table_info('allocs')").fetchall()
            rows = database.execute("SELECT * FROM allocs ORDER BY idx").fetchall()
        self.assertEqual(columns, [("idx", "INTEGER", 1), ("size", "INTEGER", 0), ("start_time", "INTEGER", 0),
                                   ("end_time", "INTEGER", 0), ("callstack", "TEXT", 0)])
        return allocations, rows

    def test_a_folder_as_snapviewer_keeps_it(self):
        allocations, elements = self.export(SAMPLE)    # Python's reading of the zip
        for out in ["new/", "new", "empty"]:
            with self.subTest(out=out):
                (self.folder / "empty").mkdir(exist_ok=True)
                self.succeed("export", SAMPLE, "--out", out)
                found, rows = self.read_folder(self.folder / out)
                self.assertTrue(found == allocations, "other polygons than in the zip")
                self.assertEqual(rows, [
                    (i, a["size"], a["timesteps"][0], a["timesteps"][-1],
                     "\n".join(f"({n}) {f['filename']}:{f['line']}:{f['name']}" for n, f in enumerate(e["frames"])))
                    for i, (a, e) in enumerate(zip(allocations, elements))])

    def test_a_folder_opens_again(self):
        shared = SHARED / "data" / "train-medium-512.pickle"
        for path in [SAMPLE] + ([shared] if shared.exists() else []):
            self.succeed("export", path, "--out", "again/")
            before, after = (json.loads(self.succeed("info", each, "--json")) for each in (path, "again"))
            self.assertEqual((after["kind"], after["import_log"]), ("snapviewer_folder", []))
            for name in ["allocations", "peak_bytes", "steps", "path_points"]:
                self.assertEqual(after["devices"][0][name], before["devices"][0][name], name)
            sql = "SELECT idx, size, start_time, end_time, coalesce(callstack, '') AS stack FROM allocs ORDER BY idx"
            rows = [self.succeed("query", each, sql, "--format", "csv") for each in (path, "again", "again/elements.db")]
            self.assertTrue(rows[0] == rows[1] == rows[2], "other allocations or stacks")

    def test_a_picture_as_a_folder(self):
        path = self.home / "training.pickle"
        snapshots.make_run("training", path)
        self.succeed("export", path, "--out", "out.zip", "--picture", "segments")
        self.succeed("export", path, "--out", "out/", "--picture", "segments")
        with zipfile.ZipFile(self.folder / "out.zip") as archive:
            expected = json.loads(archive.read("allocations.json"))
        found, rows = self.read_folder(self.folder / "out")
        self.assertEqual(found, expected)
        self.assertGreater(len(rows), 3)
        self.assertEqual([row[:4] for row in rows], [(i, a["size"], a["timesteps"][0], a["timesteps"][-1]) for i, a in enumerate(found)])

    def test_a_folder_with_other_things_is_left_alone(self):
        (self.folder / "mine").mkdir()
        self.write("mine/notes.txt", "kept")
        self.refuse("export", SAMPLE, "--out", "mine/", mentions=["mine", "notes.txt"])
        self.refuse("export", SAMPLE, "--out", "mine", mentions=["mine", "notes.txt"])
        self.refuse("export", SAMPLE, "--out", "nowhere/deep/", mentions=["nowhere"])
        self.refuse("export", SAMPLE, "--out", "mine/notes.txt/", mentions=["notes.txt"])
        self.refuse("export", SAMPLE, "--out", "fresh/", "--device", 7, mentions=["7"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mine"])

    def test_a_folder_is_never_written_over_itself(self):
        self.succeed("export", SAMPLE, "--out", "own/")
        for path in ["own", "own/", "own/allocations.json", "own/elements.db"]:
            with self.subTest(path=path):
                self.refuse("export", path, "--out", "own/", status=WRONG_USAGE)

    def test_never_onto_the_file_itself(self):
        path = self.write("own.zip", SAMPLE.read_bytes())
        self.assertNotEqual(self.run_program("export", path, "--out", path).returncode, 0)
        self.assertEqual(path.read_bytes(), SAMPLE.read_bytes())

    def test_steps_of_several_devices(self):
        """Steps are counted separately for each device."""
        snapshots.make("gen_planted.py", self.folder, "leak-steps")
        path = self.folder / "leak-steps.pickle"
        snapshot = pickle.loads(path.read_bytes())
        snapshot["device_traces"] = [snapshot["device_traces"][0], copy.deepcopy(snapshot["device_traces"][0])]
        snapshot["segments"] += [{**copy.deepcopy(segment), "device": 1} for segment in snapshot["segments"]]
        path.write_bytes(pickle.dumps(snapshot))
        sql = "SELECT device, id, name, begin_step FROM steps"
        steps = self.ask(path, sql)
        self.assertEqual(len({device for device, *_ in steps}), 2)
        self.succeed("export", path, "--out", "out.db")
        with contextlib.closing(sqlite3.connect(self.folder / "out.db")) as database:
            self.assertEqual(database.execute(sql).fetchall(), steps)

    def test_unknown_device_leaves_no_file(self):
        self.refuse("export", SAMPLE, "--out", "x.zip", "--device", 7, mentions=["7"])

    def test_a_place_that_cannot_be_written(self):
        self.refuse("export", SAMPLE, "--out", self.folder / "nowhere" / "x.zip", mentions=["nowhere"])


if __name__ == "__main__":
    main()
