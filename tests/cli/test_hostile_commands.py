"""Runs every command on hostile files (tests/oracles/hostile_files.py) that can be opened. Each answers or refuses within limits of
time, memory and output."""
from harness import main, snapshots
from hostile_commands import FORMS, USES_ALL_FORMS, HostileCommands

hostile_files = snapshots.oracle("hostile_files")

TURNS = 10  # number of files after which every command was used once


class HostileFiles(HostileCommands):
    def test_files(self):
        """Runs some commands on each file, each in one form. Consecutive files take turns, so that all commands and forms are used."""
        failures, turn = [], 0
        for name, content, _ in hostile_files.files():
            path = self.write(name, content)
            opened = self.run_measured("info", path, "--json")[0] == 0
            if opened:
                turn += 1
                commands = list(FORMS) if USES_ALL_FORMS else list(FORMS)[turn % TURNS::TURNS]
                round_of = turn if USES_ALL_FORMS else turn // TURNS
                forms = [[command, *FORMS[command][round_of % len(FORMS[command])]] for command in commands]
                failures += self.asked_all(name, content, forms)
            path.unlink(missing_ok=True)
        self.assertFalse(failures, "\n" + "\n".join(failures))
        self.assertGreater(turn, 100)


if __name__ == "__main__":
    main()
