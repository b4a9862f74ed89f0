"""Hostile files, which contain false data or ask for far more than their size (tests/oracles/hostile_files.py), have the expected
outcome within limits of time and memory."""
from harness import DONE, ENVIRONMENT, is_sanitized, main, snapshots
from hostile_command_line import HostileCommandLine

hostile_files = snapshots.oracle("hostile_files")


class HostileFiles(HostileCommandLine):
    def asked_more(self, path, content):
        """Runs commands that process a whole file. They answer or refuse within the same limits. Under a slow sanitizer, each file
        gets one of them."""
        commands = (["replay", path, "--set", "expandable_segments=true"],
                    ["check", path, "--max-peak", "1GiB", "--max-reserved", "1GiB", "--max-growth", "1", "--max-fragmentation", "5%"])
        self.asked += 1
        for command in [commands[self.asked % 2]] if is_sanitized() else commands:
            status, _, errors, seconds, held = self.run_measured(*command)
            if status not in (0, 1, 4, 5):
                yield f"{command[0]} ended with status {status}: {errors[:300]!r}"
            for wrong in self.costs(content, seconds, held, *command):
                yield f"{command[0]}: {wrong}"

    def test_all(self):
        self.asked = 0
        count, failures = 0, []
        for name, content, outcome in hostile_files.files():
            path = self.write(name, content)
            count += 1
            status, output, errors, seconds, held = self.run_measured("info", path, "--json")
            wrongs = list(self.wrongs(outcome, status, output, errors))
            wrongs += self.costs(content, seconds, held, "info", path, "--json")
            if status == 0:
                wrongs += self.asked_more(path, content)
            view = getattr(outcome, "view", None)
            if view:
                draw = ["render", path, "--shows", view, "--size", "64x64", "--out", self.home / "view.png"]
                status, _, view_errors, seconds, held = self.run_measured(*draw)
                if status not in (DONE, ENVIRONMENT):
                    wrongs.append(f"the picture of {view}: {view_errors!r}")
                wrongs += self.costs(content, seconds, held, *draw)
            if self.files() != {path: content}:
                wrongs.append("changed files")
            failures += [f"{name}: {wrong}: {errors[:300]!r}" for wrong in wrongs]
            path.unlink()
        self.assertFalse(failures, "\n" + "\n".join(failures))
        self.assertGreater(count, 300)


if __name__ == "__main__":
    main()
