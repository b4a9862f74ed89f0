"""`snapviewer check`: limits kept, broken and not to be told, and what CI servers read of it."""
import json
import pickle
import statistics
import xml.etree.ElementTree as xml

from harness import AT_FAULT, DONE, SAMPLE, WRONG_USAGE, CommandLine, main, snapshots

BROKEN, UNKNOWN = 4, 5
reference = snapshots.oracle("reference_analysis")


class Check(CommandLine):
    def planted(self, name):
        snapshots.make("gen_planted.py", self.folder, name)
        return self.folder / f"{name}.pickle"

    def check(self, status, *arguments):
        """The text of a check that must end with this status."""
        done = self.run_program("check", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def peak(self, path):
        return json.loads(self.succeed("info", path, "--json"))["devices"][0]["peak_bytes"]

    def test_the_peak_to_the_byte(self):
        path = self.planted("leak-steps")
        trace = reference.Trace(path)
        peak = trace.devices[0].peak
        self.assertEqual(self.check(DONE, path, "--max-peak", peak).split(":")[:2], ["within", " max-peak"])
        text = self.check(BROKEN, path, "--max-peak", peak - 1)
        self.assertTrue(text.startswith("broken: max-peak: The peak is "), text)
        self.assertIn("1 B above the limit", text)
        self.assertGreater(len(text.splitlines()), 1, "the stacks that hold it")

    def test_a_request_that_failed_counts(self):
        path = self.planted("oom-capacity")
        oom = reference.analyse_oom(reference.Trace(path).devices[0])["verdicts"][0]
        wanted = oom["requested"] + oom["demand"]
        self.assertGreater(wanted, self.peak(path))
        self.check(BROKEN, path, "--max-peak", wanted - 1)
        self.assertIn("a request that failed", self.check(DONE, path, "--max-peak", wanted))

    def test_what_was_reserved(self):
        path = self.planted("leak-steps")
        reserved = self.ask(path, "SELECT max(reserved) FROM totals")[0][0]
        self.check(DONE, path, "--max-reserved", reserved)
        self.check(BROKEN, path, "--max-reserved", reserved - 1)

    def test_growth_is_the_median_of_slopes(self):
        path = self.planted("leak-steps")
        growth = reference.analyse_growth(reference.Trace(path).devices[0])
        held = growth["total"]["held"][growth["warmup"]:]
        slopes = [(held[j] - held[i]) / (j - i) for i in range(len(held)) for j in range(i + 1, len(held))]
        slope = round(statistics.median(slopes))
        self.assertGreater(slope, 0)
        self.check(DONE, path, "--max-growth", slope)
        text = self.check(BROKEN, path, "--max-growth", slope - 1)
        self.assertIn(growth["suspects"][0]["source"], text)
        self.check(BROKEN, path, "--max-growth", 0)

    def test_too_few_steps_tell_nothing_of_growth(self):
        for name in "one-step", "inference-once":
            text = self.check(UNKNOWN, self.planted(name), "--max-growth", "1MiB")
            self.assertIn("cannot be told: max-growth: ", text)

    def with_settings(self, path, **settings):
        """The same snapshot, of a version that says how its recording went."""
        snapshot = reference.load(path)
        snapshot["allocator_settings"] = {**snapshot.get("allocator_settings", {}), **settings}
        path.write_bytes(pickle.dumps(snapshot))
        return path

    def test_a_recording_without_its_beginning_can_only_break_a_limit(self):
        path = self.with_settings(self.planted("leak-steps"), trace_alloc_overflowed=True)
        peak = self.peak(path)
        self.assertIn("ran out of room", self.check(UNKNOWN, path, "--max-peak", peak))
        self.check(BROKEN, path, "--max-peak", peak - 1)
        self.assertIn("of the baseline's", self.check(UNKNOWN, path, "--baseline", path))
        self.check(BROKEN, path, "--max-peak", peak, "--max-reserved", "1KiB")

    def test_frees_of_what_was_never_seen_leave_it_open(self):
        snapshots.make_run("wrapped", self.folder / "wrapped.pickle")
        path = self.folder / "wrapped.pickle"
        self.assertIn("freed_before_seen", self.info_and_entries(path)[1])
        peak = self.peak(path)
        self.assertIn("never saw allocated", self.check(UNKNOWN, path, "--max-peak", peak))
        self.check(BROKEN, path, "--max-peak", peak - 1)
        self.with_settings(path, trace_alloc_max_entries=1_000_000)
        self.check(DONE, path, "--max-peak", peak)

    def test_fragmentation_is_that_of_sql(self):
        path = self.planted("leak-cycles")
        pinned, reserved = self.ask(path, "SELECT idle_pinned, reserved FROM holes ORDER BY reserved DESC, event_id IS NOT NULL, event_id LIMIT 1")[0]
        percent = 100 * pinned / reserved
        self.assertGreater(percent, 1)
        self.check(DONE, path, "--max-fragmentation", f"{percent + 0.01:.4f}%")
        self.check(BROKEN, path, "--max-fragmentation", f"{percent - 0.01:.4f}%")

    def test_a_baseline_and_its_tolerance(self):
        a, b = self.planted("compare-a"), self.planted("compare-b")
        before, now = self.peak(a), self.peak(b)
        if before > now:
            a, b, before, now = b, a, now, before
        self.assertGreater(now, before)
        self.check(DONE, a, "--baseline", b)
        text = self.check(BROKEN, b, "--baseline", a)
        rows = reference.analyse_compare(reference.Trace(a).devices[0], reference.Trace(b).devices[0], "source")["rows"]
        grown = sorted(rows["only_b"] + rows["both"], key=lambda row: row["bytes_a"] - row["bytes_b"])
        self.assertIn(grown[0]["source"], text.splitlines()[1])
        self.check(DONE, b, "--baseline", a, "--tolerance", now - before)
        self.check(BROKEN, b, "--baseline", a, "--tolerance", now - before - 1)
        percent = 100 * (now - before) / before
        self.check(DONE, b, "--baseline", a, "--tolerance", f"{percent + 0.01:.4f}%")
        self.check(BROKEN, b, "--baseline", a, "--tolerance", f"{max(0, percent - 0.01):.4f}%")

    def test_reports_for_machines(self):
        path = self.planted("leak-steps")
        self.check(BROKEN, path, "--max-peak", "1KiB", "--max-fragmentation", "100%", "--junit", "out.xml", "--markdown", "out.md")
        suite = xml.parse(self.folder / "out.xml").getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("2", "1", "0"))
        cases = {case.get("name"): case for case in suite}
        self.assertIn("above the limit", cases["max-peak"].find("failure").get("message"))
        self.assertIsNone(cases["max-fragmentation"].find("failure"))
        markdown = (self.folder / "out.md").read_text(encoding="utf-8")
        self.assertIn("| max-peak | broken |", markdown)
        self.assertIn("| max-fragmentation | within |", markdown)
        self.check(UNKNOWN, self.planted("one-step"), "--max-growth", "1B", "--junit", "out.xml")
        suite = xml.parse(self.folder / "out.xml").getroot().find("testsuite")
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("0", "1"))

    def test_what_cannot_be_checked(self):
        before = SAMPLE.read_bytes()
        self.refuse("check", SAMPLE, status=WRONG_USAGE, mentions=["--max-peak"])
        for option, value in [("--max-peak", "much"), ("--max-peak", "0"), ("--max-growth", "-1"), ("--max-fragmentation", "20"),
                              ("--max-fragmentation", "nan%"), ("--tolerance", "x%")]:
            self.refuse("check", SAMPLE, option, value, status=WRONG_USAGE)
        self.refuse("check", "nowhere.pickle", "--max-peak", "1GiB", status=AT_FAULT, mentions=["nowhere.pickle"])
        self.refuse("check", SAMPLE, "--baseline", "nowhere.pickle", status=AT_FAULT, mentions=["nowhere.pickle"])
        self.refuse("check", SAMPLE, "--max-peak", "1GiB", "--junit", SAMPLE, status=WRONG_USAGE, mentions=["never written"])
        self.refuse("check", SAMPLE, "--max-peak", "1GiB", "--junit", "no/such/folder.xml", status=AT_FAULT, mentions=["folder.xml"])
        self.assertEqual(SAMPLE.read_bytes(), before)


if __name__ == "__main__":
    main()
