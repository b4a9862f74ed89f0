"""The command `snapviewer replay`. tests/reference checks its numbers."""
import json

from harness import SAMPLE, WRONG_USAGE, CommandLine, main, snapshots


class Replay(CommandLine):
    def test_text_says_whether_it_may_be_asked(self):
        text = self.succeed("replay", SAMPLE)
        self.assertIn("2,214 of 2,214 allocations get their recorded address", text)
        self.assertIn("--set NAME=VALUE", text)

    def test_a_recording_that_is_not_repeated_has_no_answer(self):
        snapshots.make_run("fifo", self.folder / "fifo.pickle")
        text = self.succeed("replay", self.folder / "fifo.pickle", "--set", "expandable_segments=true")
        self.assertIn("no answer: only 0.0 % of the segment events are reproduced", text)
        self.assertIn("not in the file: whether segments were allocated, as there is no such event", text)
        self.assertNotIn("verdict", text)

    def test_usual_settings_are_those_asked_one_by_one(self):
        snapshots.make("gen_planted.py", self.folder, "oom-fragmentation")
        path = self.folder / "oom-fragmentation.pickle"
        usual = json.loads(self.succeed("replay", path, "--usual", "--json"))["usual"]
        self.assertGreater(len(usual), 3)
        for tried in usual:
            one = json.loads(self.succeed("replay", path, "--json", "--set", f"{tried['name']}={tried['value']}"))["what_if"]
            self.assertEqual(tried["verdict"], one["verdict"])
            for mode in "carried", "rebuilt":
                self.assertEqual(tried[mode]["peak_range"], one[mode]["peak_range"])
                if one[mode]["start_fits"]:
                    self.assertEqual(tried[mode]["change"], one[mode]["peak_reserved"] - one["peak_as_recorded"][mode])
        text = self.succeed("replay", path, "--usual")
        self.assertIn("expandable_segments=true", text)

    def test_what_cannot_be_replayed(self):
        for setting in ["colour=red", "expandable_segments", "max_split_size_mb=1", "capacity_bytes=much"]:
            self.refuse("replay", SAMPLE, "--set", setting, status=WRONG_USAGE)
        self.refuse("replay", "nowhere.pickle", mentions=["nowhere.pickle"])
        self.write_database("other.db", "CREATE TABLE t(x)")
        self.refuse("replay", "other.db", mentions=["other.db"])


if __name__ == "__main__":
    main()
