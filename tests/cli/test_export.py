"""`export` to SnapViewer's zip: what Python reads back, and what we read back."""
import json

from harness import SAMPLE, CommandLine, main


class Export(CommandLine):
    def test_members_belong_together(self):
        allocations, elements = self.export(SAMPLE)
        self.assertEqual(len(allocations), len(elements))
        for allocation, element in zip(allocations, elements):
            self.assertEqual(allocation["size"], element["size"])
            self.assertEqual(len(allocation["timesteps"]), len(allocation["offsets"]))
            self.assertIsInstance(element["frames"], list)

    def test_reads_back_the_same(self):
        self.export(SAMPLE)
        before, after = (json.loads(self.succeed("info", path, "--json")) for path in (SAMPLE, "out.zip"))
        self.assertEqual(after["kind"], "snapviewer_zip")
        for name in ["allocations", "peak_bytes", "steps", "path_points"]:
            self.assertEqual(after["devices"][0][name], before["devices"][0][name], name)

    def test_unknown_device_leaves_no_file(self):
        self.refuse("export", SAMPLE, "--out", "x.zip", "--device", 7, mentions=["7"])

    def test_a_place_that_cannot_be_written(self):
        self.refuse("export", SAMPLE, "--out", self.folder / "nowhere" / "x.zip", mentions=["nowhere"])


if __name__ == "__main__":
    main()
