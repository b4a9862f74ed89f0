"""The interfaces that scripts use are unchanged, and files written by 1.0 can be opened. docs/compatibility.md lists the promises."""
import gzip
import json
import sqlite3
import sys
import tempfile
import unittest
from pathlib import Path

from harness import BINARY, ROOT, CommandLine, headless_environment, main

sys.path.insert(0, str(ROOT / "tests" / "contracts"))
import contracts  # noqa: E402


class Promised(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        home = Path(holder.name)
        cls.program = contracts.Program(BINARY, home, headless_environment(home))

    def test_nothing_is_gone_and_what_is_new_is_accepted(self):
        for name in contracts.CONTRACTS:
            promised, now = set(contracts.promised(name)), set(contracts.now(name, self.program))
            gone, added = sorted(promised - now), sorted(now - promised)
            with self.subTest(contract=name):
                self.assertEqual(gone, [], contracts.WHAT_TO_DO)
                self.assertEqual(added, [], "New, and promised from now on: look at them, then run tests/contracts/accept.py PROGRAM.")


class Kept(CommandLine):
    def unpacked(self, name):
        return self.write(name, gzip.decompress((contracts.FOLDER / "kept" / "1.0" / f"{name}.gz").read_bytes()))

    def test_a_database_of_a_fleet(self):
        path = self.unpacked("fleet.db")
        said = json.loads(self.succeed("fleet", path, "--json"))
        with sqlite3.connect(path) as connection:
            peaks = dict(connection.execute("SELECT rank, peak_bytes FROM ranks"))
        connection.close()
        self.assertEqual(len(peaks), 2)
        self.assertEqual({rank["rank"]: rank["peak_bytes"] for rank in said["ranks"]}, peaks)

    def test_an_exported_database_is_the_same_picture(self):
        path = self.unpacked("export.db")
        contracts.snapshots.make("gen_snapshot.py", self.folder / "source.pickle", "--events", 120, "--layers", 1, "--seed", 1)
        rows = "SELECT id, size, alloc_step, free_step, address FROM allocations ORDER BY id"
        self.assertEqual(self.ask(path, rows), self.ask(self.folder / "source.pickle", rows))
        said = [json.loads(self.succeed("report", file, "--json"))["devices"][0]["findings"] for file in (path, self.folder / "source.pickle")]
        self.assertEqual(*[[finding["sentence"] for finding in findings] for findings in said])


if __name__ == "__main__":
    main()
