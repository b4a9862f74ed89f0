"""Hostile fleet databases (tests/oracles/hostile_fleets.py) have the expected outcome within limits of time and memory."""
import json

from harness import main, snapshots
from hostile_command_line import HostileCommandLine

hostile_fleets = snapshots.oracle("hostile_fleets")

RANKS = 12


class HostileFleets(HostileCommandLine):
    def wrong_numbers(self, outcome, said):
        read = sum(row["error"] is None for row in said["ranks"])
        if read != outcome.events:
            yield f"{read} ranks instead of {outcome.events}"

    def honest_database(self):
        snapshots.make("gen_fleet.py", self.home / "job", "--ranks", RANKS)
        out = self.home / "fleet.db"
        said = json.loads(self.succeed("fleet", self.home / "job", "--json", "--write", out))
        return out.read_bytes(), sum(row["error"] is None for row in said["ranks"])

    def test_all(self):
        whole, ranks = self.honest_database()
        self.assertGreater(ranks, 5)
        count, failures = 0, []
        for name, content, outcome in hostile_fleets.files(whole, ranks):
            path = self.write(f"{name}.db", content)
            count += 1
            asked = ["fleet", path, "--json"]
            status, output, errors, seconds, held = self.run_measured(*asked)
            wrongs = [*self.wrongs(outcome, status, output, errors), *self.costs(content, seconds, held, *asked)]
            status, output, errors, *_ = self.run_measured("fleet", path)
            if status not in (0, 1) or any(byte < 32 and byte != 10 for byte in output + errors):
                wrongs.append(f"as text: status {status}, {output[:200]!r}")
            if self.files() != {path: content}:
                wrongs.append("changed files")
            failures += [f"{name}: {wrong}: {errors[:300]!r}" for wrong in wrongs]
            path.unlink()
        self.assertFalse(failures, "\n" + "\n".join(failures))
        self.assertGreater(count, 90)


if __name__ == "__main__":
    main()
