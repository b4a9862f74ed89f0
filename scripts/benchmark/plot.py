"""Draws line charts with logarithmic axes as a PNG, using only the standard library."""
import math
import struct
import zlib
from dataclasses import dataclass

BACKGROUND, INK, GRID = (255, 255, 255), (60, 66, 74), (226, 229, 233)
COLOURS = [(32, 104, 196), (214, 96, 36), (120, 128, 138), (44, 140, 88)]
GLYPH_WIDTH, GLYPH_HEIGHT = 5, 7
LOWERED = dict.fromkeys("gpqy", 2)             # rows of pixels below the baseline
SCALE = 2                                       # pixels of the picture per pixel of the font
LETTERS = """
a     b     c     d     e     f     g     h     i     j     k     l     m     n     o     p     q     r     s     t
..... #.... ..... ....# ..... ..##. .#### #.... ..#.. ....# #.... .##.. ..... ..... ..... ####. .#### ..... ..... .#...
..... #.... ..... ....# ..... .#... #...# #.... ..... ..... #.... ..#.. ..... ..... ..... #...# #...# ..... ..... .#...
.###. ####. .###. .#### .###. ###.. #...# ####. .##.. ..##. #..#. ..#.. ##.#. ####. .###. #...# #...# #.##. .#### ###..
....# #...# #.... #...# #...# .#... #...# #...# ..#.. ...#. #.#.. ..#.. #.#.# #...# #...# #...# #...# ##... #.... .#...
.#### #...# #.... #...# ##### .#... .#### #...# ..#.. ...#. ##... ..#.. #.#.# #...# #...# ####. .#### #.... .###. .#...
#...# #...# #...# #...# #.... .#... ....# #...# ..#.. #..#. #.#.. ..#.. #.#.# #...# #...# #.... ....# #.... ....# .#..#
.#### ####. .###. .#### .###. .#... .###. #...# .###. .##.. #..#. .###. #.#.# #...# .###. #.... ....# #.... ####. ..##.

u     v     w     x     y     z     0     1     2     3     4     5     6     7     8     9     .     ,     M     G
..... ..... ..... ..... #...# ..... .###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###. ..... ..... #...# .###.
..... ..... ..... ..... #...# ..... #...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...# ..... ..... ##.## #...#
#...# #...# #...# #...# #...# ##### #..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...# ..... ..... #.#.# #....
#...# #...# #...# .#.#. #...# ...#. #.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .#### ..... ..... #.#.# #.###
#...# #...# #.#.# ..#.. .#### ..#.. ##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....# ..... ..... #...# #...#
#..## .#.#. #.#.# .#.#. ....# .#... #...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ....# .##.. ..#.. #...# #...#
.##.# ..#.. .#.#. #...# .###. ##### .###. .###. ##### .###. ...#. .###. .###. .#... .###. .###. .##.. .#... #...# .###.

B     K     P     C     _
####. #...# ####. .###. .....
#...# #..#. #...# #...# .....
#...# #.#.. #...# #.... .....
####. ##... ####. #.... .....
#...# #.#.. #.... #.... .....
#...# #..#. #.... #...# .....
####. #...# #.... .###. #####
"""


def read_font():
    """Parses a font: letter -> rows of '.' and '#'."""
    font = {" ": ["....."] * GLYPH_HEIGHT}
    for block in LETTERS.strip("\n").split("\n\n"):
        names, *rows = [line.split() for line in block.split("\n")]
        for i, name in enumerate(names):
            font[name] = [row[i] for row in rows]
    return font


FONT = read_font()


class Picture:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.pixels = bytearray(BACKGROUND * (width * height))

    def blend(self, x, y, colour, part):
        if part <= 0 or not (0 <= x < self.width and 0 <= y < self.height):
            return
        at = 3 * (y * self.width + x)
        for i in range(3):
            self.pixels[at + i] = round(self.pixels[at + i] * (1 - part) + colour[i] * part)

    def line(self, x0, y0, x1, y1, colour, thickness=1.0):
        reach = math.ceil(thickness)
        length_squared = (x1 - x0) ** 2 + (y1 - y0) ** 2 or 1
        for y in range(int(min(y0, y1)) - reach, int(max(y0, y1)) + reach + 1):
            for x in range(int(min(x0, x1)) - reach, int(max(x0, x1)) + reach + 1):
                along = max(0, min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length_squared))
                distance = math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0))
                self.blend(x, y, colour, min(1, thickness / 2 + 0.5 - distance))

    def dot(self, x, y, radius, colour):
        self.line(x, y, x, y, colour, 2 * radius)

    def text(self, x, y, words, colour=INK, align=0.0):
        """Draws a text. With `align` 0, x is its left edge, with 0.5 its middle, with 1 its right edge. y is its upper edge."""
        x = round(x - align * text_width(words))
        for letter in words:
            for row, bits in enumerate(FONT[letter], LOWERED.get(letter, 0)):
                for column, bit in enumerate(bits):
                    for pixel in range(SCALE * SCALE if bit == "#" else 0):
                        self.blend(x + SCALE * column + pixel % SCALE, round(y) + SCALE * row + pixel // SCALE, colour, 1)
            x += SCALE * (GLYPH_WIDTH + 1)

    def save(self, path):
        line = 3 * self.width
        rows = b"".join(b"\0" + self.pixels[y * line:(y + 1) * line] for y in range(self.height))

        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) +
                         chunk(b"IEND", b""))


def text_width(words):
    return SCALE * ((GLYPH_WIDTH + 1) * len(words) - 1)


@dataclass
class Chart:
    """One chart. `lines`: name -> [(x, y), ...], all above zero; `y_text` formats a power of ten."""
    title: str
    lines: dict
    y_text: object


def count_text(count):
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count // size}{unit}"
    return str(count)


def draw_chart(picture, chart, left, top, width, height):
    points = [point for line in chart.lines.values() for point in line]
    low_x = math.floor(math.log10(min(x for x, _ in points)))
    high_x = math.ceil(math.log10(max(x for x, _ in points)) - 0.01)  # tolerance for values slightly above a power of ten
    low_y, high_y = math.floor(math.log10(min(y for _, y in points))), math.ceil(math.log10(max(y for _, y in points)))

    def place(x, y):
        return (left + width * (math.log10(x) - low_x) / (high_x - low_x),
                top + height * (high_y - math.log10(y)) / (high_y - low_y))
    for power in range(low_y, high_y + 1):
        y = place(10**low_x, 10.0**power)[1]
        picture.line(left, y, left + width, y, GRID)
        picture.text(left - 10, y - GLYPH_HEIGHT, chart.y_text(10.0**power), align=1)
    for power in range(low_x, high_x + 1):
        x = place(10.0**power, 10.0**low_y)[0]
        picture.line(x, top, x, top + height, GRID)
        picture.text(x, top + height + 14, count_text(10**power), align=0.5)
    picture.text(left, top - 80, chart.title)
    legend, legend_top = left, top - 54
    for colour, (name, line) in zip(COLOURS, chart.lines.items()):
        places = [place(x, y) for x, y in line]
        for a, b in zip(places, places[1:]):
            picture.line(*a, *b, colour, 2.5)
        for x, y in places:
            picture.dot(x, y, 4, colour)
        if legend + 16 + text_width(name) > left + width:
            legend, legend_top = left, legend_top + 24
        picture.dot(legend + 5, legend_top + GLYPH_HEIGHT, 4, colour)
        picture.text(legend + 16, legend_top, name)
        legend += text_width(name) + 40


def draw_charts(charts, path):
    """Draws three charts in a row, each over the number of events."""
    columns = min(3, len(charts))
    panel_width, panel_height, left, top = 480, 440, 100, 104
    picture = Picture(panel_width * columns, panel_height * math.ceil(len(charts) / columns))
    for i, chart in enumerate(charts):
        x, y = i % columns * panel_width + left, i // columns * panel_height + top
        width = panel_width - left - 30
        draw_chart(picture, chart, x, y, width, panel_height - top - 70)
        picture.text(x + width / 2, y + panel_height - top - 28, "events", align=0.5)
    picture.save(path)
