"""`render` writes pictures without a display."""
import png
from harness import SAMPLE, WRONG_USAGE, CommandLine, main

SMALL = ["--size", "240x150"]


class Render(CommandLine):
    def picture(self, *options):
        """Runs `render` and returns the written file's bytes."""
        self.assertEqual(self.succeed("render", SAMPLE, "--out", "picture.png", *options), "")
        return (self.folder / "picture.png").read_bytes()

    def test_size(self):
        self.assertEqual(png.size(self.picture()), (1600, 900))
        self.assertEqual(png.size(self.picture(*SMALL)), (240, 150))

    def test_shows_something(self):
        channels, rows = png.decode(self.picture(*SMALL))
        self.assertEqual(([len(row) for row in rows]), [240 * channels] * 150)
        colours = {row[i:i + 3] for row in rows for i in range(0, len(row), channels)}
        self.assertGreater(len(colours), 10)

    def test_same_picture_every_time(self):
        self.assertEqual(self.picture(*SMALL), self.picture(*SMALL))

    def test_axis_and_view_matter(self):
        options = [[], ["--axis", "time"], ["--view", "0:2000"], ["--view", "0:2000,0:4000000000"]]
        pictures = [png.decode(self.picture(*SMALL, *option)) for option in options]
        for i, one in enumerate(pictures):
            for other in pictures[i + 1:]:
                self.assertNotEqual(one, other)

    def test_bytes_of_a_view_may_have_units(self):
        exact = self.picture(*SMALL, "--view", "0:2000,52428800:1610612736")
        self.assertEqual(self.picture(*SMALL, "--view", "0:2000,50MiB:1.5GiB"), exact)
        self.assertEqual(self.picture(*SMALL, "--view", "0:2000,50M:1.5G"), exact)
        for view in ("0:2000,50MiB:40MiB", "0:2000,50Mib:1GiB", "0:2KiB", "0:2000,MiB:1GiB"):
            self.refuse("render", SAMPLE, "--out", "x.png", "--view", view, mentions=[view], status=WRONG_USAGE)

    def test_a_picture_is_a_png_or_an_svg(self):
        for name in ("x.jpg", "x.JPEG", "x.pdf", "x.webp", "x.png.gif"):
            self.refuse("render", SAMPLE, "--out", name, mentions=[name, ".png", ".svg"], status=WRONG_USAGE)
            self.assertFalse((self.folder / name).exists())
        for name in ("x.PNG", "without_ending"):
            self.succeed("render", SAMPLE, "--out", name, *SMALL)
            self.assertEqual(png.size((self.folder / name).read_bytes()), (240, 150))
        self.succeed("render", SAMPLE, "--out", "x.SVG", *SMALL)
        self.assertIn(b"<svg", (self.folder / "x.SVG").read_bytes()[:400])

    def test_segments_are_another_picture(self):
        pictures = [png.decode(self.picture(*SMALL, *option)) for option in ([], ["--shows", "segments"])]
        self.assertNotEqual(*pictures)
        self.assertEqual(pictures[0], png.decode(self.picture(*SMALL, "--shows", "allocations")))

    def test_colourings_are_different_pictures(self):
        names = ["stack", "size", "stream", "pool", "category", "age", "kind"]
        view = ["--size", "640x360", "--view", "0:4000"]
        pictures = {name: self.picture(*view, "--colour-by", name) for name in names}
        for i, one in enumerate(names):
            for other in names[i + 1:]:
                self.assertFalse(pictures[one] == pictures[other], f"{one} and {other} look the same")
        self.assertTrue(pictures["stack"] == self.picture(*view), "stacks unless asked for something else")
        self.refuse("render", SAMPLE, "--out", "x.png", "--shows", "segments", "--colour-by", "kind", mentions=["kinds"])
        self.refuse("render", SAMPLE, "--out", "x.png", "--colour-by", "taste", status=WRONG_USAGE)

    def test_theme(self):
        dark, light = (png.decode(self.picture(*SMALL, "--theme", name)) for name in ("dark", "light"))
        self.assertEqual(dark, png.decode(self.picture(*SMALL)), "dark unless asked for something else")
        channels, rows = dark
        corners = [min(picture[1][0][:3]) for picture in (dark, light)]
        self.assertLess(corners[0], 60)
        self.assertGreater(corners[1], 200)
        # Allocations have the same colours: pixels that are equal in both pictures are allocations, because no background
        # is that colourful.
        same = {row[i:i + 3] for row, other in zip(rows, light[1]) for i in range(0, len(row), channels) if row[i:i + 3] == other[i:i + 3]}
        self.assertGreater(len(same), 10)
        self.refuse("render", SAMPLE, "--out", "x.png", "--theme", "purple", status=WRONG_USAGE)

    def different(self, one, other):
        """Returns the number of pixels in which two pictures differ."""
        channels, rows = one
        return sum(row[i:i + channels] != other_row[i:i + channels] for row, other_row in zip(rows, other[1])
                   for i in range(0, len(row), channels))

    def test_what_stands_out(self):
        plain = png.decode(self.picture(*SMALL))
        none = png.decode(self.picture(*SMALL, "--search", "no such function anywhere"))
        large = png.decode(self.picture(*SMALL, "--search", "size > 100 MiB"))
        pattern = png.decode(self.picture(*SMALL, "--search", "re:no.such.function"))
        self.assertEqual(none, pattern, "what is slow to find is found, too")
        self.assertGreater(self.different(plain, none), self.different(plain, large), "less is grey where something stands out")
        self.assertGreater(self.different(none, large), 500)
        rows = self.succeed("query", SAMPLE, "SELECT stack_id FROM allocations ORDER BY size DESC LIMIT 1", "--format", "csv")
        stack = rows.splitlines()[1]
        self.assertGreater(self.different(none, png.decode(self.picture(*SMALL, "--stack", stack))), 10)
        view = ["--size", "640x360", "--colour-by", "size"]
        self.refuse("render", SAMPLE, "--out", "x.png", *view, "--group", "no such row", mentions=["no such row", "legend"])
        self.refuse("render", SAMPLE, "--out", "x.png", "--search", "size > lots", status=WRONG_USAGE)

    def test_what_is_selected(self):
        rows = self.succeed("query", SAMPLE, "SELECT id FROM allocations WHERE size < 200000000 ORDER BY size DESC LIMIT 1", "--format", "csv")
        plain = png.decode(self.picture(*SMALL))
        outlined = png.decode(self.picture(*SMALL, "--select", rows.splitlines()[1]))
        self.assertGreater(self.different(plain, outlined), 10)
        self.assertLess(self.different(plain, outlined), 0.2 * 240 * 150, "an outline, not another picture")
        self.refuse("render", SAMPLE, "--out", "x.png", "--select", 10**9, mentions=["no allocation 1000000000"])

    def test_own_rules(self):
        rules = self.folder / "rules.json"
        rules.write_text('[{"kind": "communication", "frame": "forward"}]', encoding="utf-8")
        view = ["--size", "640x360", "--colour-by", "kind"]
        plain = png.decode(self.picture(*view))
        self.assertNotEqual(plain, png.decode(self.picture(*view, "--rules", rules)))
        self.refuse("render", SAMPLE, "--out", "x.png", "--rules", self.folder / "none.json", mentions=["none.json"])

    def test_pools_where_there_are_none(self):
        self.refuse("render", SAMPLE, "--out", "x.png", "--shows", "pools", mentions=["pools", "private pool"])

    def test_unknown_device(self):
        self.refuse("render", SAMPLE, "--out", "x.png", "--device", 7, mentions=["7"])

    def test_a_place_that_cannot_be_written(self):
        self.refuse("render", SAMPLE, "--out", self.folder / "nowhere" / "x.png", mentions=["nowhere"])


if __name__ == "__main__":
    main()
