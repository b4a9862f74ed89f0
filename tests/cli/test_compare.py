"""`snapviewer compare` and `tree` against the reference analyses."""
import itertools
import json

from harness import SAMPLE, WRONG_USAGE, CommandLine, main, snapshots

reference = snapshots.oracle("reference_analysis")


class AgainstReference(CommandLine):
    def setUp(self):
        super().setUp()
        snapshots.make("gen_planted.py", self.folder, "compare-a", "compare-b")
        self.a, self.b = self.folder / "compare-a.pickle", self.folder / "compare-b.pickle"

    def assert_same_json(self, ours, theirs):
        theirs = json.loads(json.dumps(theirs, default=str))
        different = [key for key in sorted({*ours, *theirs}) if ours.get(key) != theirs.get(key)]
        self.assertTrue(not different, "; ".join(f"{key}: {str(ours.get(key))[:300]} is not {str(theirs.get(key))[:300]}"
                                                 for key in different))

    def default_device(self, path):
        trace = reference.Trace(path)
        return trace.devices[trace.default_device()]


class Compare(AgainstReference):
    def test_every_way_to_compare(self):
        a, b = self.default_device(self.a), self.default_device(self.b)
        for by, basis in itertools.product(["stack", "function", "python", "source"], ["all", "recorded", "alone"]):
            with self.subTest(by=by, basis=basis):
                ours = json.loads(self.succeed("compare", self.a, self.b, "--json", "--by", by, "--basis", basis))
                self.assert_same_json(ours, reference.analyse_compare(a, b, by, basis))
                self.assertEqual(ours["delta"], ours["peak_b"] - ours["peak_a"])
                self.assertEqual(sum(group["delta"] for group in ours["groups"].values()), ours["delta"])

    def test_text_names_the_difference(self):
        ours = json.loads(self.succeed("compare", self.a, self.b, "--json"))
        text = self.succeed("compare", self.a, self.b)
        self.assertIn(f"A: {self.a}", text)
        self.assertIn(ours["rows"]["only_b"][0]["source"] if ours["rows"]["only_b"] else ours["rows"]["both"][0]["source"], text)

    def test_what_cannot_be_compared(self):
        self.refuse("compare", self.a, status=WRONG_USAGE)
        self.refuse("compare", self.a, self.b, "--by", "colour", status=WRONG_USAGE)
        self.refuse("compare", self.a, "nowhere.pickle", mentions=["nowhere.pickle"])
        self.refuse("compare", self.a, self.b, "--device2", 9, mentions=["has no device 9"])


class Tree(AgainstReference):
    def test_trees_of_moments(self):
        for path in self.a, SAMPLE:
            device = self.default_device(path)
            for event, mode in itertools.product([None, -1, 0, 40, len(device.events) - 1], ["all", "filtered", "python", "own"]):
                with self.subTest(path=path.name, event=event, mode=mode):
                    moment = [] if event is None else ["--event", event]
                    tree = reference.analyse_tree(device, event, mode)
                    ours = json.loads(self.succeed("tree", path, "--json", "--frames", mode, *moment))
                    self.assertEqual((ours["bytes"], ours["count"], ours["nodes"]),
                                     tuple(json.loads(json.dumps([tree["bytes"], tree["count"], tree["nodes"]]))))
                    folded = self.succeed("tree", path, "--folded", "--frames", mode, *moment).splitlines()
                    self.assertEqual(folded, [f"{stack} {size}" for stack, size in tree["folded"]])

    def test_trees_of_ranges(self):
        device = self.default_device(self.a)
        last = len(device.events) - 1
        for since, event in ((-1, last), (10, 60), (last // 3, last)):
            made = [a for a in device.allocations if a.alloc is not None and since < a.alloc <= event]
            left = [a for a in made if a.free is None or a.free > event]
            for options, counted in ((["--with-freed"], made), ([], left)):
                with self.subTest(since=since, event=event, options=options):
                    ours = json.loads(self.succeed("tree", self.a, "--json", "--since", since, "--event", event, *options))
                    self.assertEqual((ours["bytes"], ours["count"]), (sum(a.size for a in counted), len(counted)))
        self.refuse("tree", self.a, "--since", 60, "--event", 10, mentions=["--since"])

    def test_two_moments_that_are_none(self):
        for call, words in (("(1)", "two events"), ("('a', 2)", "two events"), ("(1, 99999999)", "99999999")):
            self.refuse("query", self.a, f"SELECT * FROM changes_between{call}", mentions=[words])

    def test_a_moment_that_is_not_there(self):
        last = len(self.default_device(self.a).events) - 1
        self.refuse("tree", self.a, "--event", last + 1, mentions=[last + 1, last])
        self.refuse("tree", self.a, "--event", -2, status=WRONG_USAGE)


if __name__ == "__main__":
    main()
