"""Every command of the program about files that lie or whose answers are far larger than they are: each answers or refuses within what such
files may cost, in time, memory and output. A command that nobody has classified here fails the test."""
import re
import shutil

from harness import DONE, ENVIRONMENT, is_sanitized, main, snapshots
from hostile_command_line import HostileCommandLine

hostile_answers = snapshots.oracle("hostile_answers")
hostile_files = snapshots.oracle("hostile_files")

MOST_WRITTEN, MOST_WRITTEN_A_BYTE = 80 * 10**6, 160  # what core/base/answer_budget.h lets out, and what its ends and notes take

TABLES = ("stacks", "frames", "events", "allocations", "annotations", "ranges", "markers")

# Of each command the forms that differ in what they make; F is the file, OUT is beside it.
FORMS = {
    "info": [["F", "--json"], ["F"]],
    "tree": [["F", "--json", "--frames", "all"], ["F", "--frames", "all"], ["F", "--folded", "--frames", "all"]],
    "report": [["F", "--json"], ["F"]],
    "layout": [["F", "--event", "0", "--json"]],
    "compare": [["F", "F", "--json"], ["F", "F", "--by", "function"]] +
               [["F", "SMALL", "--json", "--by", by] for by in ("stack", "function", "python", "source", "kind")],
    "fleet": [["F", "--json"], ["F"], ["F", "--write", "OUT/fleet.db", "--totals"]],
    "check": [["F", "--max-peak", "1GiB", "--max-reserved", "1GiB", "--max-growth", "1", "--max-fragmentation", "5%",
               "--markdown", "OUT/check.md", "--junit", "OUT/check.xml"], ["F", "--baseline", "F"]],
    "replay": [["F", "--json", "--set", "expandable_segments=true"]],
    "query": [["F", f"SELECT * FROM {table}", "--format", form] for table in TABLES for form in ("csv", "table")] +
             [["F", "SELECT * FROM stacks", "--format", "json"], ["F", "SELECT * FROM call_tree(1000)", "--format", "json"]],
    "export": [["F", "--out", f"OUT/{name}"] for name in ("all.json", "all.csv", "all.db", "all.zip", "folder/")],
    "render": [["F", "--size", "64x64", "--out", "OUT/picture.png"]],
}
NOT_ASKED = {"bench": "opens a window's frames for minutes and says how long each took"}
MAY_END_WITH = {"check": (0, 1, 4, 5), "render": (DONE, 1, ENVIRONMENT)}


class HostileAnswers(HostileCommandLine):
    def commands(self):
        """As the program itself lists them."""
        listed = self.succeed("--help").split("Subcommands:", 1)[1]
        return re.findall(r"^  (\w+)", listed, re.MULTILINE)

    def out(self):
        return self.home / "answers"

    def most_written(self, content):
        return MOST_WRITTEN + MOST_WRITTEN_A_BYTE * len(content)

    def asked(self, path, content, form):
        """What is wrong with one answer."""
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

    def setUp(self):
        super().setUp()
        self.small = self.home / "small.pickle"
        snapshots.make("gen_snapshot.py", self.small, "--events", 2_000)

    def test_every_command_is_classified(self):
        self.assertEqual(sorted(self.commands()), sorted([*FORMS, *NOT_ASKED]))

    def test_answers(self):
        forms = [[command, *form] for command in FORMS for form in FORMS[command]]
        failures = []
        for number, (name, content, outcome) in enumerate(hostile_answers.files()):
            some = forms[number % 7::7] if is_sanitized() else forms
            failures += self.asked_all(name, content, some)
        self.assertFalse(failures, "\n" + "\n".join(failures))

    def test_files(self):
        """The files that lie, each asked by every command in one form; of the forms each takes its turn."""
        failures, turn = [], 0
        for name, content, outcome in hostile_files.files():
            path = self.write(name, content)
            opened = self.run_measured("info", path, "--json")[0] == 0
            if opened:
                turn += 1
                forms = [[command, *FORMS[command][turn % len(FORMS[command])]] for command in FORMS]
                failures += self.asked_all(name, content, forms[turn % 5::5] if is_sanitized() else forms)
            path.unlink(missing_ok=True)
        self.assertFalse(failures, "\n" + "\n".join(failures))
        self.assertGreater(turn, 100)


if __name__ == "__main__":
    main()
