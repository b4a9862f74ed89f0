"""The same snapshot in every container gives the same tables and the same `info`. Damaged ones are opened and reported."""
import contextlib
import json
import sqlite3

from containers import containers_of, load_plain
from harness import SAMPLE, CommandLine, main, snapshots

CONTAINER_CODES = {"page_view", "other_snapshots"}    # entries about the container


class SameEverywhere(CommandLine):
    """Checks that work for any snapshot."""

    def tables(self, path):
        out = self.folder / "tables.db"
        out.unlink(missing_ok=True)
        self.succeed("export", path, "--out", out)
        with contextlib.closing(sqlite3.connect(out)) as database:
            names = [name for name, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
            return {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}

    def content(self, path):
        info = json.loads(self.succeed("info", path, "--json"))
        tables = self.tables(path)
        info["import_log"] = [entry for entry in info["import_log"] if entry["code"] not in CONTAINER_CODES]
        tables.pop("snapviewer_export")  # contains the kind of the file, which differs by container
        tables["import_log"] = [row for row in tables["import_log"] if not CONTAINER_CODES & set(row)]
        for key in ["timings_ms", "peak_rss_bytes"]:
            del info[key]
        return info.pop("kind"), info.pop("container"), info, tables

    def check_all(self, snapshot, turn=0, turns=1):
        expected = None
        for name, data, kind, container in containers_of(snapshot, turn, turns):
            with self.subTest(name=name):
                found = self.content(self.write(name, data))
                self.assertEqual(found[:2], (kind, container))
                expected = expected or found[2:]
                self.assertEqual(found[2], expected[0])
                self.assertEqual(list(found[3]), list(expected[1]))
                for table in expected[1]:
                    if found[3][table] != expected[1][table]:
                        pairs = zip(found[3][table], expected[1][table])
                        self.fail(f"{table}: {next((p for p in pairs if p[0] != p[1]), 'rows missing')}")


class Containers(SameEverywhere):
    def test_sample(self):
        self.check_all(load_plain(SAMPLE))

    def test_two_devices(self):
        path = self.home / "two-devices.pickle"
        snapshots.make_run("two-devices", path)
        self.check_all(load_plain(path))


if __name__ == "__main__":
    main()
