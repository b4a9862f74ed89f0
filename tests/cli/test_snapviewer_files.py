"""SnapViewer's layouts of the same trace give the same allocations, each with its own stack."""
import json
import pickle
import random

from containers import elements_database, snapviewer_members, snapviewer_trace, zip_bytes
from harness import SAMPLE, CommandLine, main


def random_trace(seed, count=400):
    """Makes allocs and frees in random order, including frees of blocks that were allocated before the trace."""
    dice = random.Random(seed)
    live, trace = [(address, 512 * dice.randint(1, 9)) for address in range(10**6, 10**6 + 12)], []
    for address in range(1, count):
        event = {"stream": 0, "frames": [{"filename": f"C:\\f{address % 7}.py", "line": address, "name": "a::b(c*)"}]}
        if dice.random() < 0.55 or not live:
            live.append((address, 512 * dice.randint(1, 9)))
            trace.append({"action": "alloc", "addr": address, "size": live[-1][1], **event})
        else:
            gone = live.pop(dice.randrange(len(live)))
            trace.append({"action": "free_completed", "addr": gone[0], "size": gone[1], **event})
    return trace


def expected_rows(polygons, elements):
    return [[p["size"], p["timesteps"][0], p["timesteps"][-1],
             "\n".join(f"{f['filename']}:{f['line']}:{f['name']}" for f in elements[p["elem"]]["frames"])] for p in polygons]


class SnapViewerFiles(CommandLine):
    def rows(self, path):
        rows = json.loads(self.succeed("query", path, "SELECT size, start_time, end_time, callstack FROM allocs ORDER BY idx",
                                       "--format", "json", "--limit", "1000000"))
        return [list(row.values()) for row in rows]

    def log(self, path):
        return {entry["code"] for entry in json.loads(self.succeed("info", path, "--json"))["import_log"]}

    def folder_of(self, polygons, elements, name="trace"):
        folder = self.folder / name
        folder.mkdir()
        (folder / "allocations.json").write_text(json.dumps(polygons))
        elements_database(folder / "elements.db", polygons, elements)
        return folder

    def layouts(self, polygons, elements):
        yield self.write("plain.zip", zip_bytes(snapviewer_members(polygons, elements))), "snapviewer_zip"
        yield self.write("sharded.zip", zip_bytes(snapviewer_members(polygons, elements, 50))), "snapviewer_zip"
        folder = self.folder_of(polygons, elements)
        members = {name: (folder / name).read_bytes() for name in ["allocations.json", "elements.db"]}
        yield self.write("database.zip", zip_bytes(members)), "snapviewer_zip"
        yield from ((path, "snapviewer_folder") for path in [folder, folder / "allocations.json", folder / "elements.db"])

    def test_every_layout_has_the_same_rows(self):
        sample = pickle.loads(SAMPLE.read_bytes())["device_traces"][0]
        for trace in [sample, random_trace(1), random_trace(2)]:
            polygons, elements = snapviewer_trace(trace)
            for path, kind in self.layouts(polygons, elements):
                with self.subTest(path=path):
                    before = self.files()
                    self.assertEqual(self.rows(path), expected_rows(polygons, elements))
                    self.assertEqual(json.loads(self.succeed("info", path, "--json"))["kind"], kind)
                    self.assertEqual(self.files(), before, "something was written beside the file")
            for path in sorted((self.folder / "trace").iterdir()):
                path.unlink()
            (self.folder / "trace").rmdir()

    def test_stacks_that_may_be_anothers_are_not_shown(self):
        polygons, elements = snapviewer_trace(random_trace(3))
        nameless = [{key: value for key, value in polygon.items() if key != "elem"} for polygon in polygons]
        for path in [self.write("nameless.zip", zip_bytes(snapviewer_members(nameless, elements))), self.folder_of(nameless, elements)]:
            with self.subTest(path=path):
                self.assertEqual({row[3] for row in self.rows(path)}, {None})
                self.assertIn("elements_out_of_step", self.log(path))
                self.assertEqual([row[:3] for row in self.rows(path)], [row[:3] for row in expected_rows(polygons, elements)])

    def test_places_are_good_enough_where_they_must_agree(self):
        trace = [event for event in random_trace(4) if event["addr"] < 10**6]
        polygons, elements = snapviewer_trace(trace)
        nameless = [{key: value for key, value in polygon.items() if key != "elem"} for polygon in polygons]
        path = self.write("nameless.zip", zip_bytes(snapviewer_members(nameless, elements)))
        self.assertEqual(self.rows(path), expected_rows(polygons, elements))
        self.assertEqual(self.log(path), set())

    def test_an_element_of_another_size_is_not_used(self):
        polygons, elements = snapviewer_trace(random_trace(5))
        polygons[7]["elem"], polygons[8]["elem"] = polygons[8]["elem"], polygons[7]["elem"]
        polygons[7]["size"] += 1
        path = self.write("wrong.zip", zip_bytes(snapviewer_members(polygons, elements)))
        self.assertIsNone(self.rows(path)[7][3])
        self.assertIn("elements_out_of_step", self.log(path))

    def test_polygons_that_all_span_the_whole_picture(self):
        polygons = [{"timesteps": [0, 40], "offsets": [low, low], "size": 100} for low in (0, 100)]
        path = self.write("standing.zip", zip_bytes({"allocations.json": json.dumps(polygons), "elements.json": "[]"}))
        device = json.loads(self.succeed("info", path, "--json"))["devices"][0]
        self.assertEqual((device["steps"], device["peak_bytes"], device["path_points"]), (40, 200, 4))
        self.assertEqual([row[:3] for row in self.rows(path)], [[100, 0, 40]] * 2)

    def test_the_peak_is_held_by_what_is_live_then(self):
        """The peak is explained by its own live allocations, not by those at the end: the passes have freed their memory by then, and a
        cache was filled."""
        size = 2**20

        def event(action, number, count, line, name, file):
            frames = [{"filename": file, "line": line, "name": name}, {"filename": "train.py", "line": 30, "name": "main"}]
            return {"action": action, "addr": 4096 * number, "size": count * size, "stream": 0, "frames": frames}

        trace = [event("alloc", 1, 200, 12, "load", "checkpoint.py"), event("alloc", 2, 100, 13, "load", "checkpoint.py")]
        for turn in range(3):
            trace += [event("alloc", 10 * turn + 3 + j, 75, 31 + j, "forward", "model.py") for j in range(4)]
            trace += [event("free_completed", 10 * turn + 3 + j, 75, 31 + j, "forward", "model.py") for j in reversed(range(4))]
        trace.append(event("alloc", 99, 80, 9, "store", "eval.py"))
        polygons, elements = snapviewer_trace(trace)
        for path, _ in self.layouts(polygons, elements):
            with self.subTest(path=path):
                report = json.loads(self.succeed("report", path, "--json"))
                findings = {finding["code"]: finding for finding in report["devices"][0]["findings"]}
                self.assertEqual(findings["peak_holders"]["bytes"], 600 * size)
                self.assertEqual({line["source"]: line["bytes"] // size for line in findings["peak_holders"]["lines"]},
                                 {"load@checkpoint.py:12": 200, "load@checkpoint.py:13": 100, "forward@model.py:31": 75})
                self.assertNotIn("before_recording", findings)
        database = self.folder / "database.zip"
        self.assertEqual(json.loads(self.succeed("info", database, "--json"))["devices"][0]["events"], len(trace))
        rows = json.loads(self.succeed("query", database, "SELECT action, address, size, time_us FROM events", "--format", "json"))
        self.assertEqual([list(row.values()) for row in rows], [[event["action"], None, event["size"], None] for event in trace])

    def test_missing_shards_are_told(self):
        polygons, elements = snapviewer_trace(random_trace(6))
        members = snapviewer_members(polygons, elements, 50)
        del members["elements_2.json"]
        path = self.write("holes.zip", zip_bytes(members))
        expected = [row if polygon["elem"] < 100 else [*row[:3], None]
                    for row, polygon in zip(expected_rows(polygons, elements), polygons)]
        self.assertEqual(self.rows(path), expected)
        self.assertTrue({"missing_shards", "allocation_without_element"} <= self.log(path))


if __name__ == "__main__":
    main()
