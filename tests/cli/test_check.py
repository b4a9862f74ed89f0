"""`snapviewer check`: limits that are kept, broken or unknown, and output that CI servers read."""
import json
import pickle
import sys
import xml.etree.ElementTree as xml

from harness import AT_FAULT, DONE, ROOT, SAMPLE, WRONG_USAGE, CommandLine, main, snapshots
from memory_timelines import CREATE, raw_events, totals_of

sys.path.insert(0, str(ROOT / "tests" / "oracles"))
from make_memscope_dbs import Simulation  # noqa: E402

BROKEN, UNKNOWN = 4, 5
reference = snapshots.oracle("reference_analysis")


class Check(CommandLine):
    def planted(self, name):
        snapshots.make("gen_planted.py", self.folder, name)
        return self.folder / f"{name}.pickle"

    def check(self, status, *arguments):
        """Runs a check that must end with this status; returns its text."""
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

    def told(self, path, *arguments):
        """Returns the exit status, and the outcome of each line by (limit, device or None)."""
        done = self.run_program("check", path, *arguments)
        lines = {}
        for line in done.stdout.splitlines():
            if line.startswith(" "):
                continue
            outcome, name, _ = line.split(": ", 2)
            limit, _, device = name.partition(", device ")
            lines[limit, int(device) if device else None] = outcome
        return done.returncode, lines

    def equals_the_oracle(self, path, **given):
        options = {"max_peak": None, "max_reserved": None, "max_growth": None, "max_fragmentation": None, "tolerance": 0, **given}
        baseline = options.pop("baseline", None)
        expected = reference.limits(reference.Trace(str(path)), options, baseline and reference.Trace(str(baseline)))
        arguments = ["--baseline", baseline] if baseline else []
        for name, value in given.items():
            if name != "baseline":
                arguments += ["--" + name.replace("_", "-"), f"{value}%" if name == "max_fragmentation" else value]
        several = len({row["device"] for row in expected["limits"]}) > 1
        rows = {(row["limit"], row["device"] if several else None): row["outcome"] for row in expected["limits"]}
        self.assertEqual(self.told(path, *arguments), (expected["exit"], rows), f"{path.name}: {arguments}")
        return expected

    def test_every_planted_scene_as_the_oracle_holds_it_to_limits(self):
        """Limits below, at and above the oracle's measurement, on each device of each scene."""
        snapshots.make("gen_planted.py", self.folder)
        asked = 0
        for path in sorted(self.folder.glob("*.pickle")):
            if path.name.startswith(("host", "skip")):
                continue
            values = reference.limits(reference.Trace(str(path)), {"max_peak": 0, "max_reserved": 0, "max_growth": 0, "max_fragmentation": 0})
            for row in values["limits"]:
                if row["value"] is None or row["value"] < 1:
                    continue
                name, value = row["limit"].replace("-", "_"), int(row["value"])
                for limit in value - 1, value, value + 1:
                    if limit > 0:
                        self.equals_the_oracle(path, **{name: limit})
                        asked += 1
            self.equals_the_oracle(path, max_peak=10**12, max_reserved=10**12, max_growth=10**12, max_fragmentation=100)
        self.assertGreater(asked, 200)

    def test_every_device_is_looked_at(self):
        """Device 0 leaks 40 MiB per step, device 1 holds most memory: neither may pass because of the other."""
        path = self.planted("two-devices")
        devices = reference.Trace(str(path)).devices
        peaks = {number: device.peak for number, device in devices.items()}
        self.assertEqual(len(peaks), 2)
        lower, higher = sorted(peaks, key=peaks.get)
        self.assertLess(peaks[lower], peaks[higher])
        status, lines = self.told(path, "--max-peak", peaks[lower])
        self.assertEqual((status, lines), (BROKEN, {("max-peak", lower): "within", ("max-peak", higher): "broken"}))
        self.assertEqual(self.told(path, "--max-peak", peaks[lower], "--device", lower), (DONE, {("max-peak", None): "within"}))
        leaking = [number for number, device in devices.items() if reference.analyse_growth(device)["suspects"]]
        status, lines = self.told(path, "--max-growth", 1)
        self.assertEqual(status, BROKEN)
        self.assertEqual([device for (_, device), outcome in lines.items() if outcome == "broken"], leaking)
        text = self.check(BROKEN, path, "--max-peak", 1, "--junit", "out.xml")
        self.assertIn("broken: max-peak, device 1: ", text)
        names = [case.get("name") for case in xml.parse(self.folder / "out.xml").getroot().find("testsuite")]
        self.assertEqual(names, ["max-peak, device 0", "max-peak, device 1"])

    def test_growth_is_that_of_leaks_alone(self):
        path = self.planted("leak-steps")
        growth = reference.analyse_growth(reference.Trace(path).devices[0])
        slope = round(sum(row["slope"] for row in growth["suspects"] if row["state"] == "leak"))
        self.assertGreater(slope, 0)
        self.check(DONE, path, "--max-growth", slope + 1)
        text = self.check(BROKEN, path, "--max-growth", slope - 1)
        self.assertIn(growth["suspects"][0]["source"], text)
        self.check(BROKEN, path, "--max-growth", 0)

    def test_a_cache_that_settles_and_a_warm_up_are_no_growth(self):
        for name in "no-growth", "no-leak-cache":
            path = self.planted(name)
            held = reference.analyse_growth(reference.Trace(path).devices[0])["total"]["held"]
            self.assertGreater(held[-1], held[0])
            self.check(DONE, path, "--max-growth", 0)

    def test_idle_memory_is_not_told_where_live_blocks_lie_outside_the_segments(self):
        path = self.planted("leak-cycles")
        snapshot = reference.load(path)
        used = [any(block["state"] != "inactive" for block in segment["blocks"]) for segment in snapshot["segments"]]
        del snapshot["segments"][used.index(True)]
        path.write_bytes(pickle.dumps(snapshot))
        text = self.check(UNKNOWN, path, "--max-fragmentation", "99%")
        self.assertIn("Idle memory is unknown", text)

    def test_a_leak_breaks_a_limit_after_any_number_of_steps(self):
        """Three steps suffice to break a limit, as they do for the report's leak, but not to keep it."""
        path = self.planted("leak-three-steps")
        self.assertIn("leak", self.codes(path))
        text = self.check(BROKEN, path, "--max-growth", 0)
        self.assertIn("remember_loss@metrics.py:110", text)
        self.check(BROKEN, path, "--max-growth", (40 << 20) - 1)
        self.check(UNKNOWN, path, "--max-growth", "40MiB")
        path = self.planted("leak-two-steps-kept")
        self.assertIn("leak", self.codes(path))
        self.check(BROKEN, path, "--max-growth", "5MiB")
        self.check(UNKNOWN, self.planted("flat-three-steps"), "--max-growth", 0)

    def codes(self, path):
        return {finding["code"] for device in json.loads(self.succeed("report", path, "--json"))["devices"] for finding in device["findings"]}

    def test_the_state_at_the_end_can_only_break_a_limit(self):
        """120 MiB are in use at the end. Without history it is unknown whether more was in use before."""
        whole = self.planted("leak-steps")
        self.assertGreater(self.peak(whole), 120 << 20)
        for name in "no-history", "ring-of-one", "ring-of-one-alloc", "all-before":
            with self.subTest(name):
                path = self.planted(name)
                device, = json.loads(self.succeed("info", path, "--json"))["devices"]
                self.assertEqual((device["peak_bytes"], device["peak_is_lower_bound"], device["recording"]["peak_is_lower_bound"]), (120 << 20, True, True))
                self.check(UNKNOWN, path, "--max-peak", "120MiB")
                self.check(UNKNOWN, path, "--max-peak", "1TiB")
                self.check(BROKEN, path, "--max-peak", (120 << 20) - 1)
                self.check(UNKNOWN, path, "--max-reserved", "1TiB")
                self.check(UNKNOWN, path, "--baseline", whole)
                self.check(UNKNOWN, whole, "--baseline", path)
        self.check(BROKEN, self.planted("no-history"), "--baseline", self.planted("kinds-wrapped"), "--max-peak", "1MiB")

    def test_a_memory_timeline_is_held_to_the_curve_of_its_total(self):
        events = raw_events(300)
        levels = [0]
        for _, _, size, _ in events:
            levels.append(levels[-1] + size)
        raw, totals = self.write("t.raw.json", json.dumps(events)), self.write("t.json", json.dumps(totals_of(events)))
        # If several changes have the same microsecond, the last one counts.
        peak = max(sum(row) for row in totals_of(events)[1])
        self.assertLessEqual(peak, max(levels))
        for path in raw, totals:
            device, = json.loads(self.succeed("info", path, "--json"))["devices"]
            self.assertEqual((device["peak_bytes"], device["peak_is_lower_bound"]), (peak, False))
            self.assertEqual(self.ask(path, "SELECT peak_bytes, peak_is_lower_bound FROM devices"), [(peak, 0)])
            self.check(DONE, path, "--max-peak", peak)
            self.check(BROKEN, path, "--max-peak", peak - 1)
        self.check(DONE, raw, "--baseline", totals)
        higher = self.write("higher.json", json.dumps(totals_of([*events, [events[-1][0] + 10**6, CREATE, peak + 1, 0]])))
        self.check(BROKEN, higher, "--baseline", raw)
        self.check(DONE, higher, "--baseline", raw, "--tolerance", "10GiB")
        compared = json.loads(self.succeed("compare", raw, higher, "--json"))
        self.assertEqual((compared["peak_a"], compared["peak_b"] > peak), (peak, True))

    def test_devices_are_named_as_by_info(self):
        simulation = Simulation(3, 300).run()
        path = simulation.write(self.folder / "parts.db")
        text = self.run_program("check", path, "--max-peak", "1B").stdout
        names = [line for line in self.succeed("info", path).splitlines() if line.startswith("device ")]
        named = [line.split(": ")[1].removeprefix("max-peak, ") for line in text.splitlines() if not line.startswith(" ")]
        self.assertGreater(len(named), 1)
        self.assertEqual([name for name in names if name in named], named)
        self.assertTrue(any(", " in name for name in named), named)

    def test_units_of_limits(self):
        path = self.planted("leak-steps")
        peak = self.peak(path)
        self.assertLess(peak, 10**9)
        for text, size in [("1kB", 10**3), ("3MB", 3 * 10**6), ("1GB", 10**9), ("0.5GB", 5 * 10**8), ("1GiB", 1 << 30), ("1G", 1 << 30), ("1TB", 10**12)]:
            self.check(DONE if size >= peak else BROKEN, path, "--max-peak", text)
        self.assertIn("953.7 MiB", self.check(DONE, path, "--max-peak", "1GB"))
        pinned, reserved = self.ask(path, "SELECT idle_pinned, reserved FROM holes ORDER BY reserved DESC, event_id IS NOT NULL, event_id LIMIT 1")[0]
        percent = 100 * pinned / reserved
        for limit in percent - 0.01, percent + 0.01, 20:
            if limit >= 0:
                done = [self.run_program("check", path, "--max-fragmentation", f"{limit:.4f}{sign}") for sign in ("", "%")]
                self.assertEqual(*[(each.returncode, each.stdout) for each in done])
        for wrong in "20b", "20GBs", "20 GB", "GB", "20PB":
            self.refuse("check", path, "--max-peak", wrong, status=WRONG_USAGE)

    def test_too_few_steps_tell_nothing_of_growth(self):
        for name in "one-step", "inference-once":
            text = self.check(UNKNOWN, self.planted(name), "--max-growth", "1MiB")
            self.assertIn("unknown: max-growth: ", text)

    def with_settings(self, path, **settings):
        """Rewrites the snapshot as one from a PyTorch version that stores the recording's settings."""
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
        self.assertIn("frees blocks whose allocation it does not contain", self.check(UNKNOWN, path, "--max-peak", peak))
        self.check(BROKEN, path, "--max-peak", peak - 1)

    def test_fragmentation_is_that_of_sql(self):
        path = self.planted("leak-cycles")
        pinned, reserved = self.ask(path, "SELECT idle_pinned, reserved FROM holes ORDER BY reserved DESC, idle, event_id IS NOT NULL, event_id LIMIT 1")[0]
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
        for option, value in [("--max-peak", "much"), ("--max-peak", "0"), ("--max-growth", "-1"), ("--max-fragmentation", "20x"),
                              ("--max-fragmentation", "nan%"), ("--tolerance", "x%")]:
            self.refuse("check", SAMPLE, option, value, status=WRONG_USAGE)
        self.refuse("check", "nowhere.pickle", "--max-peak", "1GiB", status=AT_FAULT, mentions=["nowhere.pickle"])
        self.refuse("check", SAMPLE, "--baseline", "nowhere.pickle", status=AT_FAULT, mentions=["nowhere.pickle"])
        self.refuse("check", SAMPLE, "--max-peak", "1GiB", "--junit", SAMPLE, status=WRONG_USAGE, mentions=["cannot be the output"])
        self.refuse("check", SAMPLE, "--max-peak", "1GiB", "--junit", "no/such/folder.xml", status=AT_FAULT, mentions=["folder.xml"])
        self.assertEqual(SAMPLE.read_bytes(), before)


if __name__ == "__main__":
    main()
