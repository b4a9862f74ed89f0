"""Runs the checks of other tests on the real files beside the repository. Skipped if they are absent."""
import json
import shutil

from containers import load_plain
from harness import main, real_files
from hostile_commands import USES_ALL_FORMS
from test_ascend import Profiles, connect
from test_containers import SameEverywhere
from test_exported import SameAgain
from test_timeline import AgainstReference


class Timeline(AgainstReference):
    def test_info(self):
        for path in real_files():
            with self.subTest(path=path.name):
                self.check_info(path)


class Containers(SameEverywhere):
    def test_all(self):
        """Checks each file in every uncompressed form; compressed forms take turns, unless all are requested."""
        files = list(real_files())
        for turn, path in enumerate(files):
            with self.subTest(path=path.name):
                self.check_all(load_plain(path), *([] if USES_ALL_FORMS else [turn, len(files)]))


class Exported(SameAgain):
    def test_all(self):
        for path in real_files():
            with self.subTest(path=path.name):
                self.check_same(path)


class Ascend(Profiles):
    def test_three_levels(self):
        for path in real_files("ascend/level0-rank1.db", "ascend/level1-rank0.db", "ascend/level2-rank0.db"):
            with self.subTest(path=path.name):
                copy = self.folder / path.name
                shutil.copy(path, copy)
                before = self.state()
                self.check_blocks(copy)
                self.check_details(copy)
                self.check_outline(copy)
                self.assertEqual(self.state(), before, "the file or its folder changed")

    def test_blocks_of_the_graph_engine_have_addresses(self):
        path, = real_files("ascend/msprof-only.db")
        con = connect(path)
        kinds = dict(con.execute("SELECT id, name FROM ENUM_MEMORY"))
        expected = []
        rows = con.execute("SELECT operatorName, addr, deviceId, size, timestampNs, type FROM NPU_OP_MEM").fetchall()
        for op, address, device, size, time, kind in rows:
            if kinds[kind] == "allocate":
                ends = [r[4] for r in rows if r[:3] == (op, address, device) and kinds[r[5]] == "release" and r[4] >= time]
                if min(ends, default=None) != time:
                    expected.append((address, size, time // 1000, min(ends) // 1000 if ends else None))
        drawn = self.ask_named(path, "SELECT address, size, alloc_time_us, free_time_us FROM allocations")
        self.assertEqual(sorted((tuple(r.values()) for r in drawn), key=repr), sorted(expected, key=repr))
        self.assertEqual(json.loads(self.succeed("info", path, "--json"))["kind"], "msprof")


if __name__ == "__main__":
    main()
