"""The program checks for a stop request at least every MAX_BLOCKS basic blocks, whatever the file contains. Needs a program of the
preset polls, which prints its largest counts to standard error (count_blocks.cpp); blocks of libraries are not counted. At the end,
the largest counts are listed, each with the stack of the work."""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from harness import BINARY, main, snapshots  # noqa: E402
from hostile_commands import USES_ALL_FORMS, FORMS, HostileCommands  # noqa: E402

hostile_answers, hostile_files = snapshots.oracle("hostile_answers"), snapshots.oracle("hostile_files")

MAX_BLOCKS = 50_000_000     # 50 ms in the release build
LISTED = 25
ALWAYS = [["info", "F", "--json"], ["report", "F", "--json"], ["check", *FORMS["check"][0]],
          ["query", "F", "SELECT count(*) FROM allocations"]]
TURNS = 16                  # each file is used with every sixteenth of the other forms
REPORTED = re.compile(rb"^polls: (\d+)\n((?:.*\[0x[0-9a-f]+\]\n)*)", re.MULTILINE)
FRAME = re.compile(rb"snapviewer\(\+(0x[0-9a-f]+)\)")


def functions_of(addresses):
    """Returns the program's own functions, innermost first, each with a line of code."""
    listed = subprocess.run(["addr2line", "-Cfpa", "-e", BINARY, *addresses], capture_output=True, text=True, check=True).stdout
    return [re.sub(r"^0x\w+: ", "", line).replace(f"{snapshots.ROOT}/", "") for line in listed.splitlines() if "snapviewer::" in line]


class Polls(HostileCommands):
    def environment_for(self, arguments):
        """Turns off the sandbox, in which backtrace() could not load its library."""
        return {**super().environment_for(arguments), "SNAPVIEWER_SANDBOX": "off"}

    def setUp(self):
        super().setUp()
        self.found = {}     # by the function that does the work: blocks, file and command, stack
        self.runs = 0

    def forms(self):
        """Returns the commands for the next file."""
        self.runs += 1
        others = [[command, *form] for command in FORMS for form in FORMS[command]]
        return ALWAYS + (others if USES_ALL_FORMS else others[self.runs % TURNS::TURNS])

    def measure(self, name, path):
        for form in self.forms():
            self.out().mkdir(exist_ok=True)
            command = [{"F": path, "SMALL": self.small}.get(word, word.replace("OUT", str(self.out()))) for word in form]
            status, _, errors, *_ = self.run_measured(*command)
            self.assertGreaterEqual(status, 0, f"{name}: {' '.join(form)} was ended by a signal")
            for blocks, stack in REPORTED.findall(errors):
                place = tuple(found.decode() for found in FRAME.findall(stack))
                self.found[place] = max(self.found.get(place, (0, "")), (int(blocks), f"{name}: {' '.join(form)}"))
            if form[0] == "info" and status != 0:
                return      # the file cannot be opened

    def tearDown(self):
        places = {}
        for addresses, (blocks, where) in sorted(self.found.items(), key=lambda item: -item[1][0]):
            functions = functions_of(addresses) if addresses else ["?"]
            places.setdefault(functions[0].split(" at ")[0] if functions else "?", (blocks, where, functions))
            if len(places) == LISTED:
                break
        for blocks, where, functions in places.values():
            print(f"{blocks:>13,} blocks, {where}", *functions[:8], sep="\n      ", file=sys.stderr)
        super().tearDown()

    def check(self):
        self.assertTrue(self.found, "the program counts no blocks; it must be of the preset polls")
        self.assertEqual([found for found in self.found.values() if found[0] > MAX_BLOCKS], [])

    def test_fixtures(self):
        for path in snapshots.generated(self.folder):
            self.measure(path.name, path)
        large = self.folder / "large.pickle"
        snapshots.make("gen_snapshot.py", large, "--events", 200_000)
        self.measure(large.name, large)
        self.check()

    def test_hostile_files(self):
        for files in (hostile_files.files(), hostile_answers.files()):
            for name, content, _ in files:
                path = self.write(name, content)
                self.measure(name, path)
                path.unlink()
        self.check()


if __name__ == "__main__":
    main()
