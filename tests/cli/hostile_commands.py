"""Runs every command on hostile files, or on files whose answers are far larger than they are, and checks the time, memory and
output of each answer."""
import os
import re
import shutil

from harness import DONE, ENVIRONMENT, snapshots
from hostile_command_line import HostileCommandLine

MAX_WRITTEN, MAX_WRITTEN_PER_BYTE = 80 * 10**6, 160  # the limit of core/base/budget.h, plus closing text and notes

TABLES = ("allocs", "allocations", "events", "stacks", "stack_frames", "frames", "segments", "blocks", "markers", "ranges", "annotations",
          "settings", "findings", "growth", "holes", "layout(0)", "changes_between(-1, 0)", "call_tree(1000)")
# Queries that make long texts internally and return little.
MEASURED = [f"SELECT sum(length({column})) FROM {table}" for table, column in (("stacks", "text"), ("allocations", "stack"))]
BY = ("stack", "function", "python", "source", "kind", "module")

# The forms of each command that differ in their answer. F is the file, SMALL a valid one, OUT an output folder.
FORMS = {
    "info": [["F", "--json"], ["F"]],
    "tree": [["F", "--json", "--frames", "all"], ["F", "--frames", "all"], ["F", "--folded", "--frames", "all"],
             ["F", "--json", "--frames", "own", "--since", "-1", "--with-freed"]],
    "report": [["F", "--json"], ["F"]],
    "layout": [["F", "--event", "0", "--json"], ["F", "--event", "-1"]],
    "compare": [["F", "F", "--json"], ["F", "F", "--by", "function"]] + [["F", "SMALL", "--json", "--by", by] for by in BY] +
               [["SMALL", "F", "--by", by] for by in BY],
    "fleet": [["F", "--json"], ["F"], ["F", "--write", "OUT/fleet.db", "--totals"], ["F", "SMALL", "--json"]],
    "series": [["F", "--json"], ["F"], ["F", "SMALL", "--db", "OUT/series.db"]],
    "check": [["F", "--max-peak", "1GiB", "--max-reserved", "1GiB", "--max-growth", "1", "--max-fragmentation", "5%",
               "--markdown", "OUT/check.md", "--junit", "OUT/check.xml"], ["F", "--baseline", "F"]],
    "replay": [["F", "--json", "--set", "expandable_segments=true"], ["F", "--usual", "--smallest"]],
    "query": [["F", f"SELECT * FROM {table}", "--format", form] for table in TABLES for form in ("csv", "table")] +
             [["F", f"SELECT * FROM {table}", "--format", "json"] for table in ("stacks", "call_tree(1000)")] +
             [["F", sql, "--format", "csv"] for sql in MEASURED],
    "export": [["F", "--out", f"OUT/{name}"] for name in ("all.json", "all.csv", "all.db", "all.zip", "folder/")],
    "pack": [["F", "--out", "OUT/packed.zst"]],
    "render": [["F", "--size", "64x64", "--out", "OUT/picture.png"], ["F", "--out", "OUT/picture.svg"],
               ["F", "--size", "640x400", "--shows", "segments", "--colour-by", "kind", "--search", "name", "--out", "OUT/picture.svg"]],
}
READ_NO_FILE = ["serve"]    # it starts other commands, which read the file
MAY_END_WITH = {"check": (0, 1, 4, 5), "render": (DONE, 1, ENVIRONMENT)}


# Running every form of every command on every file takes half an hour: see ctest -C long in docs/testing.md.
USES_ALL_FORMS = os.environ.get("SNAPVIEWER_ALL_ANSWERS") == "1"


class HostileCommands(HostileCommandLine):
    def setUp(self):
        super().setUp()
        self.small = self.home / "small.pickle"
        snapshots.make("gen_snapshot.py", self.small, "--events", 2_000)

    def commands(self):
        """Returns the commands that --help lists."""
        listed = self.succeed("--help").split("Subcommands:", 1)[1]
        return re.findall(r"^  (\w+)", listed, re.MULTILINE)

    def out(self):
        return self.home / "answers"

    def most_written(self, content):
        return MAX_WRITTEN + MAX_WRITTEN_PER_BYTE * len(content)

    def asked(self, path, content, form):
        """Runs one form on a file. Yields what is wrong with the answer."""
        shutil.rmtree(self.out(), ignore_errors=True)
        self.out().mkdir()
        command = [word.replace("OUT", str(self.out())) for word in form]
        command = [{"F": path, "SMALL": self.small}.get(word, word) for word in command]
        status, output, errors, seconds, held = self.run_measured(*command)
        written = len(output) + len(errors) + sum(file.stat().st_size for file in self.out().rglob("*") if file.is_file())
        if status not in MAY_END_WITH.get(form[0], (0, 1)):
            yield f"ended with status {status}"
        if status == 1 and (errors.count(b"\n") != 1 or written > self.most_written(content)):
            yield "is refused in more than a line"
        if written > self.most_written(content):
            yield f"{written >> 20} MiB written for {len(content)} bytes"
        yield from self.costs(content, seconds, held, *command)

    def asked_all(self, name, content, forms):
        path = self.write(name, content)
        for form in forms:
            for wrong in self.asked(path, content, form):
                yield f"{name}: {' '.join(form)}: {wrong}"
        path.unlink()
