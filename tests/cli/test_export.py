"""`export`: what Python reads back from each format, and what we read back from SnapViewer's zip."""
import csv
import json
import sqlite3

from harness import SAMPLE, CommandLine, main


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
        """Nothing starts or ends in them: every polygon spans the whole picture."""
        blocks = [{"size": size, "requested_size": size, "state": "active_allocated"} for size in (512, 1024)]
        self.check_reads_back_the_same(self.write("segments.json", json.dumps(
            [{"device": 0, "address": 4096, "total_size": 1536, "stream": 0, "blocks": blocks}])))

    def test_the_other_formats_hold_the_same_rows(self):
        expected = json.loads(self.succeed("query", SAMPLE, "SELECT * FROM allocations", "--format", "json"))
        for name in ["out.json", "out.csv", "out.db"]:
            self.succeed("export", SAMPLE, "--out", name)
        self.assertEqual(json.loads((self.folder / "out.json").read_text()), expected)
        with open(self.folder / "out.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(rows, [{k: "" if v is None else str(v) for k, v in row.items()} for row in expected])
        database = sqlite3.connect(self.folder / "out.db")
        database.row_factory = sqlite3.Row
        self.assertEqual([dict(row) for row in database.execute("SELECT * FROM allocations ORDER BY id")], expected)
        database.close()

    def test_never_onto_the_file_itself(self):
        path = self.write("own.zip", SAMPLE.read_bytes())
        self.assertNotEqual(self.run_program("export", path, "--out", path).returncode, 0)
        self.assertEqual(path.read_bytes(), SAMPLE.read_bytes())

    def test_unknown_device_leaves_no_file(self):
        self.refuse("export", SAMPLE, "--out", "x.zip", "--device", 7, mentions=["7"])

    def test_a_place_that_cannot_be_written(self):
        self.refuse("export", SAMPLE, "--out", self.folder / "nowhere" / "x.zip", mentions=["nowhere"])


if __name__ == "__main__":
    main()
