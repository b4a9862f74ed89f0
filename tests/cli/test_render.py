"""`render` writes pictures without a display."""
import png
from harness import SAMPLE, CommandLine, main


class Render(CommandLine):
    def picture(self, *options):
        out = self.folder / "picture.png"
        self.assertEqual(self.succeed("render", SAMPLE, "--out", out, *options).count("\n"), self.lines_on_success)
        return png.decode(out.read_bytes())

    lines_on_success = 0

    @staticmethod
    def colours(picture):
        _, _, channels, rows = picture
        return {row[i:i + 3] for row in rows for i in range(0, len(row), channels)}

    def test_size(self):
        self.assertEqual(self.picture()[:2], (1600, 900))
        self.assertEqual(self.picture("--size", "320x200")[:2], (320, 200))

    def test_shows_something(self):
        self.assertGreater(len(self.colours(self.picture("--size", "320x200"))), 10)

    def test_same_picture_every_time(self):
        self.assertEqual(self.picture("--size", "320x200"), self.picture("--size", "320x200"))

    def test_axis_and_view_matter(self):
        pictures = [self.picture("--size", "320x200", *options)[3] for options in
                    [[], ["--axis", "time"], ["--view", "0:2000"], ["--view", "0:2000,0:4000000000"]]]
        for i, one in enumerate(pictures):
            for other in pictures[i + 1:]:
                self.assertNotEqual(one, other)

    def test_unknown_device(self):
        self.refuse("render", SAMPLE, "--out", "x.png", "--device", 7, mentions=["7"])

    def test_a_place_that_cannot_be_written(self):
        self.refuse("render", SAMPLE, "--out", self.folder / "nowhere" / "x.png", mentions=["nowhere"])


if __name__ == "__main__":
    main()
