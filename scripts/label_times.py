#!/usr/bin/env python3
"""Writes the duration of each kind of test into CONTRIBUTING.md, from the output of scripts/test.sh.

scripts/test.sh | tee test.log; scripts/label_times.py test.log
"""
import re
import sys
from pathlib import Path

MANUAL = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"
BEGIN, END = "<!-- label_times.py -->\n", "<!-- end of label_times.py -->\n"


def table(log):
    labels = re.findall(r"^(\w+) +=\s+([\d.]+) sec\*proc \((\d+) tests?\)", log, re.MULTILINE)
    total = re.search(r"^Total Test time \(real\) =\s+([\d.]+) sec", log, re.MULTILINE)
    if not labels or not total:
        raise SystemExit("label_times.py: this is no output of scripts/test.sh that came to its end")
    rows = [f"| {label} | {count} | {float(seconds) / 60:.1f} |" for label, seconds, count in labels]
    return "\n".join(["| label | tests | minutes, one after another |", "| --- | --- | --- |", *rows,
                      f"| all, side by side | | {float(total[1]) / 60:.1f} |"]) + "\n"


def main():
    text = MANUAL.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    log = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
    MANUAL.write_text(before + BEGIN + table(log) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
