"""The kinds of files that commands write, and the command for each, for tests that interrupt it or restrict its space."""
from harness import SAMPLE

LARGE = ["out.zip", "out.db", "out.csv", "out.json", "out.png", "out.svg", "out.zst", "ranks.db", "out/"]
SMALL = ["out.xml", "out.md"]  # files of less than a kilobyte


def command_for(out, picture_size="400x300"):
    """Returns the command for an output file by the end of its name."""
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
