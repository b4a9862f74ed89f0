"""`render FILE --out x.svg`: well-formed, of limited size, and with the same shapes as the PNG and the SQL tables."""
import bisect
import json
import pickle
import random
import re
import xml.etree.ElementTree as ElementTree

import png
from harness import SAMPLE, CommandLine, main, snapshots

SVG = "{http://www.w3.org/2000/svg}"
WIDTH, HEIGHT = 1200, 700
SIZE = ["--size", f"{WIDTH}x{HEIGHT}"]
GENEROUS_BYTES = 8_000_000
SLIDE_STEPS = 3


def corners(path):
    return [tuple(map(float, pair.split(","))) for pair in path.get("d").strip("MZ").split()]


class Area:
    """A polygon in the order of the file: the upper edge from left to right, then the lower edge back."""

    def __init__(self, element):
        points = corners(element)
        half = len(points) // 2
        self.upper, self.lower = points[:half], points[half:][::-1]
        self.fill = element.get("fill")
        self.allocation = element.get("data-allocation")
        self.words = element.findtext(f"{SVG}title")

    def edges(self, x):
        """Returns the (top, bottom) pixels at x; None outside of the polygon. At a vertical edge, those to its right."""
        at = bisect.bisect_right([point[0] for point in self.upper], x)
        if at == 0 or at == len(self.upper):
            return None
        (x0, top0), (x1, top1) = self.upper[at - 1:at + 1]
        bottom0, bottom1 = self.lower[at - 1][1], self.lower[at][1]
        share = (x - x0) / (x1 - x0)
        return top0 + share * (top1 - top0), bottom0 + share * (bottom1 - bottom0)


class Svg(CommandLine):
    def draw(self, file, *options):
        """Draws a file as SVG and PNG; returns (root, canvas as (left, top, right, bottom), areas) of the SVG."""
        for name in ("picture.svg", "picture.png"):
            self.assertEqual(self.succeed("render", file, "--out", name, *SIZE, *options), "")
        self.assertLess((self.folder / "picture.svg").stat().st_size, GENEROUS_BYTES)
        root = ElementTree.parse(self.folder / "picture.svg").getroot()
        self.assertEqual((root.tag, root.get("width"), root.get("height")), (SVG + "svg", str(WIDTH), str(HEIGHT)))
        allocations = root.find(f".//{SVG}g[@id='allocations']")
        ground, *paths = (path for path in allocations.findall(f"{SVG}path"))
        (left, top), _, (right, bottom), _ = corners(ground)
        return root, (left, top, right, bottom), [Area(path) for path in paths if path.get("fill") != "none"]

    def texts(self, root):
        return [text.text for text in root.iter(f"{SVG}text")]

    def rows(self, sql):
        return json.loads(self.succeed("query", SAMPLE, sql, "--format", "json"))

    def test_words_are_text(self):
        root, _, _ = self.draw(SAMPLE, "--colour-by", "kind")
        words = self.texts(root)
        self.assertTrue(any(text.startswith("sample.pickle") and "peak" in text for text in words), words)
        self.assertTrue(any(re.fullmatch(r"\d+(\.\d+)? GiB", text) for text in words), "a size on the axis")
        self.assertTrue(any(re.fullmatch(r"\d+,000", text) for text in words), "a step on the axis")
        for name in ("reserved", "activation"):
            self.assertTrue(any(name in text for text in words), name)

    def test_every_allocation_with_room_is_a_polygon_at_its_place(self):
        """The view is so narrow that every step has its own pixel. Compares all vertices with sums over the rows of `allocations`."""
        begin, end = 1000, 1600
        top_bytes = 24 << 30
        _, (left, top, right, bottom), areas = self.draw(SAMPLE, "--view", f"{begin}:{end},0:{top_bytes}")
        rows = self.rows("SELECT id, size, alloc_step, free_step FROM allocations WHERE device = 0 ORDER BY id")
        last = 1 + max(max(row["alloc_step"], row["free_step"] or 0) for row in rows) + 3
        for row in rows:
            row["end"] = last if row["free_step"] is None else row["free_step"]
        drawn = {int(area.allocation): area for area in areas if area.allocation}
        px_per_step, px_per_byte = (right - left) / (end - begin), (bottom - top) / top_bytes
        for row in rows:
            width = (min(row["end"], end) - max(row["alloc_step"], begin)) * px_per_step
            height = row["size"] * px_per_byte
            if width >= 1.1 and height >= 0.6:
                self.assertIn(row["id"], drawn)
            elif width < 0.9 or height < 0.4:
                self.assertNotIn(row["id"], drawn)
        compared = 0
        for step in (whole + 0.5 for whole in range(begin + 7, end, 13)):
            low = 0
            for row in rows:
                if row["alloc_step"] > step or row["end"] + SLIDE_STEPS <= step:
                    continue
                if row["end"] <= step:  # freed, but the allocations above it are still moving down
                    low += row["size"] * (1 - (step - row["end"]) / SLIDE_STEPS)
                    continue
                if row["id"] in drawn:
                    edges = drawn[row["id"]].edges(left + (step - begin) * px_per_step)
                    self.assertIsNotNone(edges, row)
                    self.assertAlmostEqual(edges[1], bottom - low * px_per_byte, delta=0.25)
                    self.assertAlmostEqual(edges[0], bottom - (low + row["size"]) * px_per_byte, delta=0.25)
                    compared += 1
                low += row["size"]
        self.assertGreater(compared, 100)

    def assert_colours_are_those_of_the_png(self, areas, canvas):
        """At random points, the last polygon that covers a point determines its colour."""
        left, top, right, bottom = canvas
        channels, pixels = png.decode((self.folder / "picture.png").read_bytes())
        chance = random.Random(4)
        alike = seen = 0
        for _ in range(800):
            x, y = chance.randrange(int(left) + 2, int(right) - 2), chance.randrange(int(top) + 2, int(bottom) - 2)
            shown = None
            for area in areas:
                edges = area.edges(x + 0.5)
                if edges and edges[0] <= y + 0.5 < edges[1]:
                    shown = (area, edges)
            if shown is None or not shown[0].words or min(y - shown[1][0], shown[1][1] - y - 1) < 2:
                continue
            pixel = pixels[y][channels * x:channels * x + 3]
            seen += 1
            alike += shown[0].fill == "#" + pixel.hex()
        self.assertGreater(seen, 100)
        # Grid lines, texts in blocks and curves are drawn over the areas.
        self.assertGreater(alike / seen, 0.9)

    def test_colours_are_those_of_the_png(self):
        for options in ([], ["--view", "3000:6000"], ["--axis", "time"], ["--colour-by", "size"]):
            with self.subTest(options=options):
                _, canvas, areas = self.draw(SAMPLE, *options)
                self.assert_colours_are_those_of_the_png(areas, canvas)

    def test_segments(self):
        _, _, areas = self.draw(SAMPLE, "--shows", "segments")
        self.assertGreater(sum(area.words is not None for area in areas), 50)
        self.assertFalse(any(area.allocation for area in areas), "segments have no row in allocations")

    def test_many_small_ones_share_their_areas(self):
        path = self.folder / "many.pickle"
        snapshots.make("gen_worst_case.py", path, "--allocations", 20000, "--live", 6000)
        _, _, areas = self.draw(path)
        self.assertTrue(any(not area.words for area in areas))
        self.assertLess(len(areas), 2000)

    def test_names_are_told_without_harm(self):
        path = self.folder / "odd.pickle"
        frames = [{"name": 'f<script>&"\x01\ufffe', "filename": "/a<b>.py", "line": 7}]
        events = [{"action": "alloc", "addr": 4096 * (1 + i), "size": 1 << 20, "stream": 0, "frames": frames, "time_us": 10 + i}
                  for i in range(4)]
        path.write_bytes(pickle.dumps({"segments": [], "device_traces": [events]}))
        _, _, areas = self.draw(path)
        self.assertTrue(any(area.words and "f<script>&" in area.words for area in areas))

    def test_same_every_time(self):
        self.draw(SAMPLE)
        first = (self.folder / "picture.svg").read_bytes()
        self.draw(SAMPLE)
        self.assertEqual(first, (self.folder / "picture.svg").read_bytes())

    def test_a_place_that_cannot_be_written(self):
        self.refuse("render", SAMPLE, "--out", self.folder / "nowhere" / "x.svg", mentions=["nowhere"])


if __name__ == "__main__":
    main()
