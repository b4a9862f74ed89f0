"""Every command of the program about snapshots whose answers are far larger than they are (tests/oracles/hostile_answers.py): each answers or
refuses within what such files may cost, in time, memory and output. A command that is not among those asked fails the test."""
from harness import is_sanitized, main, snapshots
from hostile_commands import FORMS, HostileCommands

hostile_answers = snapshots.oracle("hostile_answers")


class HostileAnswers(HostileCommands):
    def test_every_command_is_asked(self):
        self.assertEqual(sorted(self.commands()), sorted(FORMS))

    def test_answers(self):
        forms = [[command, *form] for command in FORMS for form in FORMS[command]]
        failures = []
        for number, (name, content, outcome) in enumerate(hostile_answers.files()):
            path = self.write(name, content)
            status, output, errors, *_ = self.run_measured("info", path, "--json")
            failures += [f"{name}: {wrong}: {errors[:300]!r}" for wrong in self.wrongs(outcome, status, output, errors)]
            some = forms[number % 7::7] if is_sanitized() else forms
            failures += self.asked_all(name, content, some)
        self.assertFalse(failures, "\n" + "\n".join(failures))


if __name__ == "__main__":
    main()
