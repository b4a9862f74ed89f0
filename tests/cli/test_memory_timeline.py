"""Bytes by category over time, from torch.profiler. The curves equal Python's sums, in either layout and with any compression."""
import base64
import bz2
import gzip
import json
import lzma
import random

from containers import zip_bytes
from harness import AT_FAULT, CommandLine, main
from memory_timelines import CATEGORIES, START_NS, curves_of, page, raw_events, totals_of


class MemoryTimeline(CommandLine):
    def curves(self, path):
        rows = json.loads(self.succeed("query", path, "SELECT curve, time_us, bytes FROM memory_curves", "--format", "json", "--limit", "0"))
        curves = {}
        for row in rows:
            curves.setdefault(row["curve"], []).append((row["time_us"], row["bytes"]))
        return curves

    def info(self, path):
        return json.loads(self.succeed("info", path, "--json"))

    def codes(self, path):
        return {entry["code"]: entry for entry in self.info(path)["import_log"]}

    def check(self, name, value, times, sizes, codes=()):
        """Checks that the file has these totals and import log codes; returns its path."""
        path = self.write(name, value if isinstance(value, (bytes, str)) else json.dumps(value))
        self.assertEqual(self.curves(path), curves_of(times, sizes))
        self.assertEqual(set(self.codes(path)), set(codes))
        return path

    def test_totals_and_raw_events_are_the_same_curves(self):
        events = raw_events(3000)
        totals = totals_of(events)
        self.assertGreater(len(totals[0]), 1000)
        path = self.check("timeline.json", totals, *totals)
        self.assertEqual((self.info(path)["kind"], self.info(path)["container"]), ("memory_timeline", ""))
        self.assertEqual(list(self.curves(path)), CATEGORIES + ["Total"], "in PyTorch's order")
        self.check("timeline.raw.json", events, *totals)
        self.check("indented.json", json.dumps(totals, indent=2), *totals)
        self.check("marked.json", b"\xef\xbb\xbf" + json.dumps(events).encode(), *totals)

    def test_ascend_counts_its_actions_from_0(self):
        events = raw_events(200)
        self.check("npu.raw.json", [[time, action - 1, size, category] for time, action, size, category in events], *totals_of(events))

    def test_packed(self):
        events = raw_events(500)
        totals = totals_of(events)
        text = json.dumps(totals).encode()
        for name, data, container in [("t.json.gz", gzip.compress(text), "gzip"), ("t.json.xz", lzma.compress(text), "xz"),
                                      ("t.json.bz2", bz2.compress(text), "bzip2"), ("t.zip", zip_bytes({"t.json": text}), "zip"),
                                      ("t.raw.json.gz", gzip.compress(json.dumps(events).encode()), "gzip")]:
            with self.subTest(name=name):
                self.assertEqual(self.info(self.check(name, data, *totals))["container"], container)

    def test_little_is_enough(self):
        self.check("one.json", [[START_NS // 1000], [[0, 5] + [0] * 7]], [START_NS // 1000], [[0, 5] + [0] * 7])
        self.check("one.raw.json", [[START_NS, 2, 512, 3]], [START_NS // 1000], [[0, 0, 0, 0, 512, 0, 0, 0, 0]])
        self.check("before.raw.json", [[-1, 1, 512, 0], [-1, 1, 512, 0]], [0], [[0, 1024] + [0] * 7])
        four = [[1, 2, 3, 4], [[0, i] + [0] * 7 for i in range(4)]]     # rows with as many numbers as a raw event
        self.check("four.json", four, *four)

    def test_odd_variants(self):
        events = raw_events(400)
        times, sizes = totals_of(events)
        self.check("text.json", [[str(time) for time in times], [[str(size) for size in row] for row in sizes]], times, sizes)
        self.check("reals.json", [[float(time) for time in times], [[size + 0.0 for size in row] for row in sizes]], times, sizes)
        self.check("nanoseconds.json", [[time * 1000 for time in times], sizes], times, sizes)
        shuffled = list(dict(zip(times, sizes)).items())[::-1]
        self.check("backwards.json", [[time for time, _ in shuffled], [row for _, row in shuffled]], times, sizes, ["timeline_unordered"])
        narrow = [row[:5] for row in sizes]
        self.check("narrow.json", [times, narrow], times, [row + [0] * 4 for row in narrow])
        wide = [row + [0, 0] for row in sizes]
        wide[5] = sizes[5] + [0, 1000]
        counted = [list(row) for row in sizes]
        counted[5][8] += 1000
        self.check("wide.json", [times, wide], times, counted, ["timeline_category"])
        more = events + [[events[-1][0] + 5000, 9, 77, 12]]
        as_unknown = events + [[events[-1][0] + 5000, 2, 77, 7]]
        self.check("other.raw.json", more, *totals_of(as_unknown), ["timeline_category", "timeline_action"])
        self.assertEqual(self.codes(self.folder / "other.raw.json")["timeline_action"]["count"], 1)

    def test_frees_without_allocations(self):
        path = self.check("frees.raw.json", [[START_NS, 4, -512, 4], [START_NS + 9000, 2, 2048, 4]], [START_NS // 1000, START_NS // 1000 + 9],
                          [[0] * 9, [0, 0, 0, 0, 0, 1536, 0, 0, 0]], ["timeline_below_zero"])
        self.assertEqual(self.codes(path)["timeline_below_zero"]["count"], 1)

    def test_sizes_that_no_device_has(self):
        self.check("huge.json", [[5, 6, 7], [[0, 1 << 62] + [0] * 7, [0, 4096] + [1 << 62] * 7, [0, 1e30] + [0] * 7]], [5, 6, 7],
                   [[0] * 9, [0, 4096] + [0] * 7, [0] * 9], ["impossible_size"])
        path = self.write("times.json", json.dumps([[0, 1 << 63], [[0, 1] + [0] * 7] * 2]))
        self.succeed("info", path)
        self.succeed("render", path, "--out", "far.png")

    def test_times_and_totals_that_do_not_match(self):
        times, sizes = totals_of(raw_events(300))
        self.check("fewer.json", [times, sizes[:-20]], times[:-20], sizes[:-20], ["timeline_uneven"])
        self.check("more.json", [times[:-20], sizes], times[:-20], sizes[:-20], ["timeline_uneven"])

    def test_what_is_cut_short_opens_with_what_came_before(self):
        events = raw_events(300)
        totals = totals_of(events)
        for name, value, points in [("cut.json", totals, len(totals[0])), ("cut.raw.json", events, len(events))]:
            text = json.dumps(value)
            kept = []
            for length in range(20, len(text), len(text) // 30):
                path = self.write(name, text[:length])
                done = self.run_program("info", path, "--json")
                if done.returncode == 0:
                    entry = self.codes(path)["cut_short"]
                    kept.append(int(entry["message"].split(" points")[0].split(" ")[-1]))
                    expected = totals_of(events[:kept[-1]]) if "raw" in name else [part[:kept[-1]] for part in totals]
                    self.assertEqual(self.curves(path), curves_of(*expected))
                else:
                    self.assertIn("cut short", self.refuse("info", path, mentions=[name]))
                    self.assertEqual(kept, [], "a longer piece shows less")
            self.assertEqual(kept, sorted(kept))
            self.assertGreater(kept[-1], points * 0.9)
            self.assertEqual(set(self.codes(self.write("cut.gz", gzip.compress(text.encode())[:-300]))), {"cut_short"})

    def test_what_is_none_is_refused(self):
        for value, text in [([[1, 2], []], "no totals"), ([[1, 2, 3], [4, 5, 6]], "has 3 numbers"), ([[1, 2, 3]], "has 3 numbers"),
                            ([[1, 2], [[0, None]]], "null"), ([[1, 2], [[0, "much"]]], "text where a number"), ([[1, 2], [[0, True]]], "true or false"),
                            ([[1, 2], [{"size": 5}]], "an object"), ([[1, [2]], []], "a list where"), ([[1, 2], [[0, [1]]]], "a list where"),
                            ([[1, 2], 5], "a number where"), ([[1, 2], [[0, 1], 5]], "a number where"), ([[1], [[0, 1]], [[0, 1]]], "more than the two expected lists, times and totals"),
                            ([[1, 2, 3, 4], [1, 2, 3]], "has 3 numbers")]:
            with self.subTest(value=value):
                self.refuse("info", self.write("bad.json", json.dumps(value)), mentions=["bad.json", text])
        self.refuse("info", self.write("bad.json", "[[1, 2], [[0, x]]]"), mentions=["not valid JSON", "byte 14"])

    def test_random_damage_never_crashes(self):
        dice = random.Random(11)
        for value in [raw_events(40), totals_of(raw_events(40))]:
            whole = json.dumps(value).encode()
            for _ in range(25):
                damaged = bytearray(whole)
                for _ in range(dice.randint(1, 4)):
                    damaged[dice.randrange(4, len(damaged))] = ord(dice.choice('[]{}",-1e9 n'))
                with self.subTest(damaged=bytes(damaged)):
                    done = self.run_program("query", self.write("odd.json", bytes(damaged)), "SELECT count(*) FROM memory_curves")
                    self.assertIn(done.returncode, [0, AT_FAULT], done.stderr)
                    if done.returncode != 0:
                        self.assertRegex(done.stderr, r"\A[^\n]+\n\Z")

    def test_a_page_holds_nothing_but_a_picture(self):
        png = base64.b64encode(bytes(range(256)) * 300).decode()
        for name, text in [("page.html", page(png)), ("npu.html", page(png).replace("GPU ", ""))]:
            for path, data in [(name, text.encode()), (name + ".gz", gzip.compress(text.encode()))]:
                with self.subTest(path=path):
                    self.refuse("info", self.write(path, data), mentions=["export_memory_timeline", "picture", ".json.gz",
                                                                         "_record_memory_history", "_dump_snapshot"])

    def test_every_command_takes_it(self):
        path = self.write("timeline.json", json.dumps(totals_of(raw_events(500))))
        self.assertIn("memory_timeline", self.succeed("info", path))
        self.succeed("render", path, "--out", "timeline.png")
        self.assertGreater((self.folder / "timeline.png").stat().st_size, 5000)


if __name__ == "__main__":
    main()
