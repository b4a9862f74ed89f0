#!/usr/bin/env python3
"""Makes Windows' icon from packaging/snapviewer.svg: icon.py SVG ICO. Supports only the SVG elements of that picture: rectangles with
round corners, and paths of straight lines, filled or stroked."""
import math
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
import zlib

SIZES_PX = (16, 24, 32, 48, 128)
SAMPLES = 4  # samples per pixel in each direction
SVG = "{http://www.w3.org/2000/svg}"


def points_of(path):
    """Returns the corners of a path of the commands M, H, V, L and Z."""
    points, at = [], (0.0, 0.0)
    for letter, numbers in re.findall(r"([MHVLZ])([^MHVLZ]*)", path):
        values = [float(value) for value in numbers.split()]
        if letter == "H":
            at = (values[0], at[1])
        elif letter == "V":
            at = (at[0], values[0])
        elif letter in "ML":
            at = (values[0], values[1])
        points.append(at)
    return points


def is_in_polygon(points, x, y):
    inside = False
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1]):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            inside = not inside
    return inside


def distance_to_line(first, second, x, y):
    dx, dy = second[0] - first[0], second[1] - first[1]
    along = max(0.0, min(1.0, ((x - first[0]) * dx + (y - first[1]) * dy) / (dx * dx + dy * dy)))
    return math.hypot(x - first[0] - along * dx, y - first[1] - along * dy)


def shape_of(element):
    """Returns the colour of an element and a function that is true for points inside it; None for an element that is not drawn."""
    number = lambda name: float(element.get(name, 0))
    if element.tag == SVG + "rect":
        x0, y0, width, height, radius = (number(name) for name in ("x", "y", "width", "height", "rx"))

        def is_in(x, y):
            dx = max(x0 + radius - x, x - (x0 + width - radius), 0)
            dy = max(y0 + radius - y, y - (y0 + height - radius), 0)
            return math.hypot(dx, dy) <= radius

        return element.get("fill"), is_in
    if element.tag == SVG + "path":
        points = points_of(element.get("d"))
        if element.get("stroke"):
            half = number("stroke-width") / 2
            return element.get("stroke"), lambda x, y: distance_to_line(points[0], points[1], x, y) <= half
        return element.get("fill"), lambda x, y: is_in_polygon(points, x, y)
    return None


def picture(shapes, side, size_px):
    """Draws the shapes as rows of RGBA bytes."""
    rows = []
    for row in range(size_px):
        pixels = bytearray()
        for column in range(size_px):
            sums = [0, 0, 0, 0]
            for sample in range(SAMPLES * SAMPLES):
                x = (column + (sample % SAMPLES + 0.5) / SAMPLES) * side / size_px
                y = (row + (sample // SAMPLES + 0.5) / SAMPLES) * side / size_px
                colour = next((colour for colour, is_in in reversed(shapes) if is_in(x, y)), None)
                if colour:
                    for i in range(3):
                        sums[i] += int(colour[1 + 2 * i:3 + 2 * i], 16)
                    sums[3] += 1
            covered = max(sums[3], 1)
            pixels += bytes([sums[0] // covered, sums[1] // covered, sums[2] // covered, sums[3] * 255 // SAMPLES ** 2])
        rows.append(bytes(pixels))
    return rows


def png(rows):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", len(rows), len(rows), 8, 6, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def main():
    root = ElementTree.parse(sys.argv[1]).getroot()
    shapes = [shape for shape in map(shape_of, root) if shape]
    images = [png(picture(shapes, float(root.get("width")), size)) for size in SIZES_PX]
    offset = 6 + 16 * len(images)
    with open(sys.argv[2], "wb") as out:
        out.write(struct.pack("<HHH", 0, 1, len(images)))
        for size, image in zip(SIZES_PX, images):
            out.write(struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(image), offset))
            offset += len(image)
        out.write(b"".join(images))


if __name__ == "__main__":
    main()
