"""Snapshots of other programs: several ranks in one file, the viewer's pages of 2022, and PaddlePaddle's events with their marks."""
import json
import pickle

from harness import CommandLine, main, snapshots

MIB = 1 << 20


def frame(text):
    name, place = text.split("@")
    return {"filename": f"/job/{place.split(':')[0]}", "line": int(place.split(":")[1]), "name": name}


class Scene(CommandLine):
    def info(self, path):
        return json.loads(self.succeed("info", path, "--json"))

    def codes(self, path):
        return {entry["code"] for entry in self.info(path)["import_log"]}

    def rows(self, path, sql):
        return [list(row) for row in self.ask(path, sql)]


class SeveralRanks(Scene):
    def setUp(self):
        super().setUp()
        self.ranks, self.alone = [], []
        for rank, events in enumerate((300, 400, 500)):
            path = self.home / f"rank{rank}.pickle"
            snapshots.make("gen_snapshot.py", path, "--events", events, "--layers", 2, "--seed", rank)
            self.ranks.append(pickle.loads(path.read_bytes()))
            device = self.info(path)["devices"][0]
            self.alone.append((device["events"], device["allocations"], device["peak_bytes"]))

    def check(self, path, numbers=(0, 1, 2)):
        devices = [device for device in self.info(path)["devices"] if device["device"] >= 0]
        self.assertEqual([device["rank"] for device in devices], [str(number) for number in numbers])
        self.assertEqual([(device["events"], device["allocations"], device["peak_bytes"]) for device in devices], self.alone)
        self.assertEqual(len({device["device"] for device in devices}), len(devices), "each has a number of its own")
        fleet = json.loads(self.succeed("fleet", path, "--json"))
        self.assertEqual([(row["rank"], row["events"], row["peak_bytes"], row["rank_from"]) for row in fleet["ranks"]],
                         [(number, events, peak, "metadata") for number, (events, _, peak) in zip(numbers, self.alone)])
        self.assertEqual(fleet["rank_count"], len(numbers))

    def test_dicts_and_lists(self):
        a, b, c = self.ranks
        for protocol in (0, 2, 4):
            self.check(self.write("dict.pickle", pickle.dumps({0: a, 1: b, 2: c}, protocol)))
            self.check(self.write("list.pickle", pickle.dumps([a, b, c], protocol)))
        self.check(self.write("tuple.pickle", pickle.dumps((a, b, c))))
        self.check(self.write("named.pickle", pickle.dumps({"rank_3": a, "rank_12": b, "rank_27": c})), (3, 12, 27))
        self.check(self.write("words.pickle", pickle.dumps({"actor": a, "critic": b, "reward": c})))
        self.check(self.write("gaps.pickle", pickle.dumps([None, a, b, None, c])), (1, 2, 4))
        self.check(self.write("dict.json", json.dumps({0: a, 1: b, 2: c})))
        self.check(self.write("list.json", json.dumps([a, b, c])))

    def test_a_device_of_the_same_number_on_each(self):
        """Each rank keeps its own segments, blocks and annotations."""
        path = self.write("dict.pickle", pickle.dumps(dict(enumerate(self.ranks))))
        for rank, snapshot in enumerate(self.ranks):
            total = sum(segment["total_size"] for segment in snapshot["segments"])
            device = self.info(path)["devices"][rank]["device"]
            self.assertEqual(self.rows(path, f"SELECT sum(size) FROM segments WHERE device = {device}"), [[total or None]])

    def test_one_snapshot_in_a_wrapping(self):
        path = self.write("wrapped.pickle", pickle.dumps({"step": 7, "snapshot": self.ranks[0]}))
        self.assertEqual(self.info(path)["devices"][0]["events"], self.alone[0][0])

    def test_devices_that_differ(self):
        """Rank 1 used a device of its own, whose number is kept. Rank 2's number is already taken."""
        traces = [rank["device_traces"][0] for rank in self.ranks]
        ranks = [{"segments": [], "device_traces": [traces[0]]}, {"segments": [], "device_traces": [[], traces[1]]},
                 {"segments": [], "device_traces": [[], traces[2]]}]
        devices = self.info(self.write("own.pickle", pickle.dumps(ranks)))["devices"]
        self.assertEqual([(device["device"], device["rank"]) for device in devices], [(0, "0"), (1, "1"), (2, "2")])


class PagesOf2022(Scene):
    """The page contains sizes, stacks as a tree, and the order of allocations and frees."""

    def page(self, data):
        return self.write("old.html", "<!DOCTYPE html>\n<html>\n<head></head>\n<body>\n<script type=\"module\">\n"
                          f"import * as d3 from \"https://example.org\";\n\nlet alloc_data = {json.dumps(data)}\n\ndraw(alloc_data)\n</script>\n</body>\n</html>\n")

    def test_by_hand(self):
        data = {"actions": [1, 2, 2, 3, 0, 3], "elements_size": [50 * MIB, 20 * MIB, 30 * MIB, 40 * MIB], "elements_info": [1, 2, None, 1],
                "elements_category": None, "suffix_table": [[0, None], [1, 0], [2, 0]],
                "string_table": ["/job/train.py:5:<module>", "/job/model.py:10:__init__", "/job/model.py:31:forward"], "initially_allocated": [0], "categories": None}
        path = self.page(data)
        info = self.info(path)
        # totals: 50, then 70, 100, 70, 110, 60, 20
        self.assertEqual(info["kind"], "pytorch_html")
        [device] = info["devices"]
        self.assertEqual((device["events"], device["allocations"], device["peak_bytes"], device["live_bytes_at_end"]), (6, 4, 110 * MIB, 20 * MIB))
        self.assertEqual(self.rows(path, "SELECT size, origin, state, top_frame FROM allocations LEFT JOIN stacks ON stacks.id = stack_id ORDER BY allocations.id"),
                         [[50 * MIB, "freed", "freed", "__init__@model.py:10"], [20 * MIB, "alloc", "live", "forward@model.py:31"],
                          [30 * MIB, "alloc", "freed", None], [40 * MIB, "alloc", "freed", "__init__@model.py:10"]])
        self.assertEqual(self.rows(path, "SELECT action, size FROM events ORDER BY id"),
                         [["alloc", 20 * MIB], ["alloc", 30 * MIB], ["free_completed", 30 * MIB], ["alloc", 40 * MIB], ["free_completed", 50 * MIB],
                          ["free_completed", 40 * MIB]])

    def test_categories(self):
        data = {"actions": [0, 1], "elements_size": [5, 7], "elements_info": [0, 0], "elements_category": [1, 0], "suffix_table": [[0, None]],
                "string_table": ["f"], "initially_allocated": [], "categories": ["parameter", "activation"]}
        self.assertEqual(self.rows(self.page(data), "SELECT size, category FROM allocations ORDER BY id"), [[5, "activation"], [7, "parameter"]])

    def test_what_lies(self):
        whole = {"actions": [0], "elements_size": [5], "elements_info": [0], "elements_category": None, "suffix_table": [[0, None]], "string_table": ["f"],
                 "initially_allocated": [], "categories": None}
        self.assertEqual(self.info(self.page(whole))["devices"][0]["peak_bytes"], 5)
        for wrong in ({"actions": [1]}, {"initially_allocated": [1]}, {"initially_allocated": [0, 0]}, {"elements_info": [1]}, {"suffix_table": [[0, 0]]},
                      {"suffix_table": [[1, None]]}, {"elements_size": [2**60]}, {"elements_size": []}, {"actions": [-1]}, {"actions": [True]}):
            with self.subTest(wrong=wrong):
                self.refuse("info", self.page({**whole, **wrong}), mentions=["old.html"])
        cut = self.page(whole)
        cut.write_bytes(cut.read_bytes()[:200])
        self.refuse("info", cut, mentions=["old.html"])


class OfPaddle(Scene):
    """Events have the operator's name; marks are pairs of events without an address."""

    def setUp(self):
        super().setUp()
        events, now = [], 1_756_000_000_000_000

        def note(action, address, size, name, frames):
            nonlocal now
            now += 20
            events.append({"action": action, "addr": address, "size": size, "stream": 0, "time_us": now, "op_name": name, "frames": frames})

        def mark(text):
            note("annotation", 0, 0, text, [{"filename": "", "name": text, "line": 0}])

        for step in range(5):
            mark(f"gstep {step} begin")
            blocks = [(0x7f0000000000 + k * MIB, name) for k, name in enumerate(("matmul", "relu", "softmax"))]
            for address, name in blocks:
                note("alloc", address, MIB, name, [frame("step@train.py:40")])
            for address, name in reversed(blocks):
                note("free_completed", address, MIB, f"{name}_grad", [{"filename": "", "name": f"{name}_grad", "line": 0}])
            mark(f"gstep {step} end")
        self.path = self.write("paddle.pickle", pickle.dumps({"segments": [], "device_traces": [events]}, 4))

    def test_marks_are_ranges_and_steps(self):
        self.assertEqual(self.codes(self.path) & {"unknown_action", "unknown_event_key"}, set())
        self.assertEqual(self.rows(self.path, "SELECT label FROM markers WHERE kind = 'annotate' ORDER BY event_id"),
                         [[f"gstep {step} {end}"] for step in range(5) for end in ("begin", "end")])
        self.assertEqual(self.rows(self.path, "SELECT name, end_time_us - start_time_us FROM ranges ORDER BY start_time_us"),
                         [[f"gstep {step}", 140] for step in range(5)])
        steps = json.loads(self.succeed("report", self.path, "--json"))["devices"][0]["steps"]
        self.assertEqual((steps["method"], len(steps["steps"]), steps["complete"]), ("marks", 5, 5))

    def test_operators_name_allocations(self):
        self.assertEqual(self.rows(self.path, "SELECT user_metadata, count(*) FROM allocations GROUP BY 1 ORDER BY 1"),
                         [["matmul", 5], ["relu", 5], ["softmax", 5]])


if __name__ == "__main__":
    main()
