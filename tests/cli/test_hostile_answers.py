"""Runs every command on snapshots whose answers are far larger than they are (tests/oracles/hostile_answers.py). Each answers or refuses
within limits of time, memory and output. A command without such a test is an error."""

from harness import is_sanitized, main, snapshots
from hostile_commands import FORMS, READ_NO_FILE, USES_ALL_FORMS, HostileCommands

hostile_answers = snapshots.oracle("hostile_answers")


class HostileAnswers(HostileCommands):
    def test_every_command_is_asked(self):
        self.assertEqual(sorted(self.commands()), sorted([*FORMS, *READ_NO_FILE]))

    def forms(self, number):
        """Returns the command forms for file `number`. Consecutive files take turns, so that all forms are used."""
        turns = 1 if USES_ALL_FORMS else 7 if is_sanitized() else 6
        for command, forms in FORMS.items():
            yield from ([command, *form] for form in forms[number % turns::turns])

    def test_answers(self):
        failures = []
        for number, (name, content, outcome) in enumerate(hostile_answers.files()):
            path = self.write(name, content)
            status, output, errors, *_ = self.run_measured("info", path, "--json")
            failures += [f"{name}: {wrong}: {errors[:300]!r}" for wrong in self.wrongs(outcome, status, output, errors)]
            failures += self.asked_all(name, content, self.forms(number))
        self.assertFalse(failures, "\n" + "\n".join(failures))


if __name__ == "__main__":
    main()
