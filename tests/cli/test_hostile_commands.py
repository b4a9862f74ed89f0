"""Every command of the program about files that lie (tests/oracles/hostile_files.py): what can be opened, each answers about, or refuses to,
within what such files may cost."""
from harness import is_sanitized, main, snapshots
from hostile_commands import FORMS, HostileCommands

hostile_files = snapshots.oracle("hostile_files")


class HostileFiles(HostileCommands):
    def test_files(self):
        """Each is asked by every command in one form; of the forms each takes its turn."""
        failures, turn = [], 0
        for name, content, _ in hostile_files.files():
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
