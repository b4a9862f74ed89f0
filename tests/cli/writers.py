"""Each kind of file that a command writes, and the command, for tests that interrupt it or give it no room."""
from harness import SAMPLE

LARGE = ["out.zip", "out.db", "out.csv", "out.json", "out.png", "out.svg", "out.zst", "ranks.db", "out/"]
SMALL = ["out.xml", "out.md"]  # less than a kilobyte each


def command_for(out, picture_size="400x300"):
    """By the end of the name, whatever folder it is in."""
    name = str(out)
    if name.endswith((".png", ".svg")):
        return ["render", SAMPLE, "--size", picture_size, "--out", out]
    if name.endswith("ranks.db"):
        return ["fleet", SAMPLE, "--totals", "--write", out]
    if name.endswith((".xml", ".md")):
        return ["check", SAMPLE, "--max-reserved", "1TiB", "--junit" if name.endswith(".xml") else "--markdown", out]
    if name.endswith(".zst"):
        return ["pack", SAMPLE, "--out", out]
    return ["export", SAMPLE, "--out", out]
