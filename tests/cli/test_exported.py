"""A database exported by snapviewer opens as the picture from which it was made."""
import contextlib
import json
import sqlite3

import png
from containers import html_page
from harness import ROOT, SAMPLE, CommandLine, main, snapshots

DATABASES = ROOT / "tests" / "databases"
SMALL = ["--size", "300x200"]
PROFILES = ("ascend", "msprof", "memory_report")


class SameAgain(CommandLine):
    """Checks that work for any snapshot."""

    def exported(self, path, name="out.db"):
        self.succeed("export", path, "--out", name)
        return self.folder / name

    def database(self, name, change=""):
        return self.write_database(f"{name}.db", (DATABASES / f"{name}.sql").read_text(encoding="utf-8") + change)

    def changed(self, path, change):
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript(change)
        return path

    def info(self, path):
        info = json.loads(self.succeed("info", path, "--json"))
        return {key: value for key, value in info.items() if key not in ("timings_ms", "mesh_bytes", "peak_rss_bytes")}

    def tables(self, path):
        """Returns every row of every table, in order, by table name."""
        with contextlib.closing(sqlite3.connect(path)) as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
            return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}

    def check_same(self, path, without=()):
        """An export contains the program's tables for a file. An export of the export must contain the same."""
        once = self.exported(path)
        expected, found = self.tables(once), self.tables(self.exported(once, "again.db"))
        self.assertEqual(list(found), list(expected))
        for name, rows in expected.items():
            if name not in without:
                self.assertEqual(found[name], rows, name)
        self.assertGreater(len(expected["allocations"]), 3)
        return once


class ExportedDatabases(SameAgain):
    def test_snapshots(self):
        for snapshot in snapshots.generated(self.folder):
            with self.subTest(snapshot=snapshot.name):
                again = self.check_same(snapshot)
                info, expected = self.info(again), self.info(snapshot)
                self.assertEqual((info.pop("container"), expected.pop("container")), ("snapviewer_db", ""))
                self.assertEqual(info, expected)

    def test_a_page(self):
        page = self.write("a.html", html_page(SAMPLE.read_bytes()))
        self.assertEqual(self.info(self.check_same(page))["kind"], "pytorch_html")

    def test_the_same_picture_on_both_axes(self):
        again = self.exported(SAMPLE)
        (self.folder / "original").mkdir()
        original = self.write("original/out.db", SAMPLE.read_bytes())   # the same file name, because it is in the picture
        for axis in ("steps", "time"):
            pictures = []
            for path in (original, again):
                self.succeed("render", path, "--out", "picture.png", "--axis", axis, *SMALL)
                pictures.append(png.decode((self.folder / "picture.png").read_bytes()))
            self.assertTrue(pictures[0] == pictures[1], axis)

    def test_profiles_but_for_what_their_tables_lack(self):
        for name in PROFILES:
            with self.subTest(name=name):
                path = self.database(name)
                again = self.check_same(path, without=["import_log", "memory_curves"])
                info, expected = self.info(again), self.info(path)
                self.assertEqual((info["kind"], info["devices"]), (expected["kind"], expected["devices"]))
                self.assertEqual([entry["code"] for entry in info["import_log"]],
                                 [*(entry["code"] for entry in expected["import_log"]), "export_is_less"])

    def test_files_of_snapviewer_are_stacked_anew(self):
        self.succeed("export", SAMPLE, "--out", "a.zip")
        once = self.exported(self.folder / "a.zip")
        again = self.exported(once, "again.db")
        with contextlib.closing(sqlite3.connect(once)) as a, contextlib.closing(sqlite3.connect(again)) as b:
            for sql in ("SELECT id, size, origin, state, stack_id FROM allocations", "SELECT allocated FROM totals", "SELECT peak_bytes FROM devices"):
                self.assertEqual(b.execute(sql).fetchall(), a.execute(sql).fetchall(), sql)
        self.assertEqual(self.info(once)["kind"], "snapviewer_zip")

    def test_an_export_of_before(self):
        """Databases of older versions have no table of facts about the original file."""
        again = self.changed(self.exported(SAMPLE), "DROP TABLE snapviewer_export;")
        info, expected = self.info(again), self.info(SAMPLE)
        self.assertEqual((info["kind"], info["container"], info["devices"]), ("sqlite", "snapviewer_db", expected["devices"]))
        self.assertIn("export_is_less", [entry["code"] for entry in info["import_log"]])

    def test_tables_that_somebody_changed(self):
        rebuild = "CREATE TABLE odd AS SELECT {} FROM {name}; DROP TABLE {name}; ALTER TABLE odd RENAME TO {name};"
        expected = self.info(SAMPLE)["devices"]
        as_text = rebuild.format("CAST(id AS TEXT) AS id, device, action, CAST(address AS TEXT) AS address, CAST(size AS REAL) AS size, stream, "
                                 "CAST(time_us AS TEXT) AS time_us, CAST(stack_id AS TEXT) AS stack_id, device_free", name="events")
        for change in (as_text, "ALTER TABLE allocations RENAME TO hidden; CREATE VIEW allocations AS SELECT *, 1 AS more FROM hidden;",
                       "CREATE TABLE notes (mine); INSERT INTO notes VALUES ('kept');"):
            with self.subTest(change=change):
                again = self.changed(self.exported(SAMPLE), "DROP VIEW allocs;" + change)
                self.assertEqual(self.info(again)["devices"], expected)
        self.assertEqual(self.ask_named(again, "SELECT mine FROM notes"), [{"mine": "kept"}])

    def test_missing_tables_are_said(self):
        whole, expected = self.exported(SAMPLE), self.info(SAMPLE)["devices"][0]["allocations"]
        for table in ("devices", "streams", "frames", "stack_frames", "totals", "segments", "blocks", "annotations", "settings", "pending_frees"):
            with self.subTest(table=table):
                again = self.changed(self.write("less.db", whole.read_bytes()), f"DROP VIEW allocs; DROP TABLE {table};")
                info = self.info(again)
                self.assertEqual(info["devices"][0]["allocations"], expected)
                self.assertEqual(f"snapshot_table_missing:{table}" in [entry["code"] for entry in info["import_log"]],
                                 table not in ("pending_frees",))

    def test_rows_that_cannot_be(self):
        whole = self.exported(SAMPLE)
        for change in ("UPDATE allocations SET alloc_step = free_step + 5, alloc_event = 99999999;", "DELETE FROM events WHERE id % 3 = 0;",
                       "UPDATE allocations SET origin = 'x', state = NULL, stack_id = -7, pool = '(', device = 1 << 40;",
                       "DELETE FROM totals;", "UPDATE blocks SET segment_id = 5 - segment_id;", "UPDATE segments SET size = -1, device = 3;",
                       "DELETE FROM allocations WHERE id % 2;", "UPDATE events SET action = 'new', stream = id, address = NULL, size = 'x';",
                       "UPDATE stack_frames SET stack_id = 0, frame_id = 99999;", "UPDATE import_log SET severity = 'x', code = NULL;",
                       "INSERT INTO snapviewer_export VALUES (0, 'start_us', 'x'), (NULL, 'kind', 'x'), ('y', NULL, NULL);"):
            with self.subTest(change=change):
                again = self.changed(self.write("odd.db", whole.read_bytes()), change)
                done = self.run_program("render", again, "--out", self.home / "x.png", *SMALL)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.succeed("info", again, "--json")

    def test_a_file_cut_short(self):
        whole = self.exported(SAMPLE).read_bytes()
        for share in (0.05, 0.3, 0.6, 0.9):
            done = self.run_program("info", self.write("cut.db", whole[:int(len(whole) * share)]), "--json")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 0:
                self.assertIn("file_cut_short", [entry["code"] for entry in json.loads(done.stdout)["import_log"]])


if __name__ == "__main__":
    main()
