"""The module with snapshots whose answers are far larger than their files (tests/oracles/hostile_answers.py): each answer stays within
the limits of the program."""
import sys

from module import MODULE, ROOT, main

sys.path.insert(0, str(ROOT / "tests" / "cli"))
from hostile_command_line import HostileCommandLine  # noqa: E402
from hostile_commands import USES_ALL_FORMS, MAX_WRITTEN, MAX_WRITTEN_PER_BYTE  # noqa: E402

sys.path.insert(0, str(ROOT / "tests" / "oracles"))
import hostile_answers  # noqa: E402

FIRST_ROWS = "import itertools; [len(str(row)) for row in itertools.islice(file.query('SELECT * FROM {}'), 1000)]"
ANSWERS = {
    "info": "print(file.info(), file.devices, file.import_log)",
    "report": "print(file.report(), file.findings())",
    "tables": "print(file.tables())",
    "compare": "print(sv.compare(file.path, file.path))",
    **{f"rows of {table}": FIRST_ROWS.format(table) for table in ("stacks", "allocations", "events", "frames", "annotations", "call_tree(1000)")},
}
ASKING = "import sys; import snapviewer as sv; file = sv.open(sys.argv[2]); exec(sys.argv[3])"
MAX_ROW_BYTES = 2 * (256 << 10)


class HostileAnswers(HostileCommandLine):
    def words_of(self, arguments):
        return [sys.executable, "-c", ASKING, *map(str, arguments)] if arguments[0] == "module" else super().words_of(arguments)

    def environment_for(self, arguments):
        return {**super().environment_for(arguments), "PYTHONPATH": str(MODULE), "PYTHONIOENCODING": "utf-8"}

    def wrongs_of(self, path, content, code):
        asked = ["module", path, code]
        status, output, errors, seconds, held = self.run_measured(*asked)
        if status != 0:
            yield f"ended with status {status}: {errors[-300:]!r}"
        if len(output) > MAX_WRITTEN + MAX_WRITTEN_PER_BYTE * len(content):
            yield f"{len(output) >> 20} MiB for {len(content)} bytes"
        yield from self.costs(content, seconds, held, *asked)

    def test_answers(self):
        failures = []
        for number, (name, content, _) in enumerate(hostile_answers.files()):
            path = self.write(name, content)
            turns = 1 if USES_ALL_FORMS else 3
            asked = list(ANSWERS.items())[number % turns::turns]
            failures += [f"{name}: {answer}: {wrong}" for answer, code in asked for wrong in self.wrongs_of(path, content, code)]
            path.unlink()
        self.assertFalse(failures, "\n" + "\n".join(failures))

    def test_one_row_is_no_longer_than_a_stack_may_be(self):
        for name, content, _ in hostile_answers.files():
            if "deep_stack" not in name:
                continue
            path = self.write(name, content)
            longest = "print(max(file.query('SELECT max(length(text)) FROM stacks').rows()[0][0], 0))"
            status, output, errors, *_ = self.run_measured("module", path, longest)
            self.assertEqual(status, 0, errors)
            self.assertLess(int(output), MAX_ROW_BYTES, name)


if __name__ == "__main__":
    main()
