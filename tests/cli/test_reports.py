"""Reports of Skyline and DeepView on the command line, compared with Python's sqlite3. A generator makes larger ones."""
import json
import sqlite3

import png
from harness import CommandLine, main, snapshots

MEMORY = """
CREATE TABLE weight_entries (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size_bytes INTEGER NOT NULL, grad_size_bytes INTEGER NOT NULL);
CREATE TABLE activation_entries (id INTEGER PRIMARY KEY, operation_name TEXT NOT NULL, size_bytes INTEGER NOT NULL);
CREATE TABLE stack_correlation (correlation_id INTEGER PRIMARY KEY, entry_id INTEGER NOT NULL, entry_type INTEGER NOT NULL);
CREATE TABLE stack_frames (correlation_id INTEGER NOT NULL, ordering INTEGER NOT NULL, file_path TEXT NOT NULL, line_number INTEGER NOT NULL);
CREATE TABLE misc_sizes (key TEXT PRIMARY KEY, size_bytes INT NOT NULL);
INSERT INTO weight_entries VALUES (1, 'weight', 4096, 4096), (2, 'bias', 1024, 0);
INSERT INTO activation_entries VALUES (1, 'loss', 2048), (2, 'view', 0), (3, 'linear', 8192);
INSERT INTO stack_correlation VALUES (1, 1, 1), (2, 2, 1), (3, 1, 2), (4, 2, 2), (5, 3, 2);
INSERT INTO stack_frames VALUES (1, 0, 'net.py', 3), (2, 0, 'net.py', 3), (3, 0, 'net.py', 9), (4, 0, 'net.py', 8),
 (5, 0, 'layer.py', 5), (5, 1, 'net.py', 7);
INSERT INTO misc_sizes VALUES ('peak_usage_bytes', 24576);
"""
RUN_TIME = """
CREATE TABLE run_time_entries (id INTEGER PRIMARY KEY, operation_name TEXT NOT NULL, forward_ms REAL NOT NULL, backward_ms REAL);
CREATE TABLE stack_frames (ordering INTEGER NOT NULL, file_path TEXT NOT NULL, line_number INTEGER NOT NULL, entry_id INTEGER NOT NULL);
INSERT INTO run_time_entries VALUES (1, 'linear', 2.0, 4.0), (2, 'view', 0.25, 0.25), (3, 'loss', 1.0, 0.5);
INSERT INTO stack_frames VALUES (0, 'layer.py', 5, 1), (1, 'net.py', 7, 1), (0, 'net.py', 8, 2), (0, 'net.py', 9, 3);
"""
ACTIVATIONS = """SELECT a.id, a.operation_name, a.size_bytes, f.ordering, f.file_path, f.line_number FROM activation_entries a
LEFT JOIN stack_correlation c ON c.entry_type = 2 AND c.entry_id = a.id
LEFT JOIN {}stack_frames f ON f.correlation_id = c.correlation_id ORDER BY a.id DESC, f.ordering"""
WEIGHTS = """SELECT w.id, w.name, w.size_bytes, w.grad_size_bytes, f.ordering, f.file_path, f.line_number FROM weight_entries w
LEFT JOIN stack_correlation c ON c.entry_type = 1 AND c.entry_id = w.id
LEFT JOIN {}stack_frames f ON f.correlation_id = c.correlation_id ORDER BY w.id, f.ordering"""
OPERATIONS = """SELECT e.id, e.operation_name, e.forward_ms, e.backward_ms, f.ordering, f.file_path, f.line_number
FROM run_time_entries e LEFT JOIN {}stack_frames f ON f.entry_id = e.id ORDER BY e.id, f.ordering"""


def rows_of(path, sql):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


class Reports(CommandLine):
    def generator(self):
        return snapshots.oracle("make_profiler_dbs")

    def generate(self, scale=300):
        module = self.generator()
        paths = [self.folder / name for name in ("skyline.db", "deepview.db", "time.db")]
        module.make_memory_report(str(paths[0]), scale, 7, False)
        module.make_memory_report(str(paths[1]), scale, 7, True)
        module.make_runtime_report(str(paths[2]), scale, 7)
        return paths

    def info(self, *arguments):
        return json.loads(self.succeed("info", *arguments, "--json"))

    def query(self, path, sql):
        return [tuple(row.values()) for row in json.loads(self.succeed("query", path, sql, "--format", "json"))]

    def check_memory(self, path):
        info = self.info(path)
        self.assertEqual(info["kind"], "memory_report")
        weights = rows_of(path, "SELECT size_bytes, grad_size_bytes FROM weight_entries ORDER BY id")
        kept = [size for (size,) in rows_of(path, "SELECT size_bytes FROM activation_entries WHERE size_bytes > 0 ORDER BY id DESC")]
        peak = rows_of(path, "SELECT size_bytes FROM misc_sizes WHERE key = 'peak_usage_bytes'")[0][0]
        standing = [size for size, _ in weights] + [gradient for _, gradient in weights if gradient]
        untracked = peak - sum(standing) - sum(kept)
        self.assertEqual(info["devices"][0]["peak_bytes"], peak)
        self.assertEqual(info["devices"][0]["allocations"], len(standing) + len(kept) + 1)
        self.assertEqual(info["icicles"][0]["roots"],
                         {"Weights": sum(standing), "Activations": sum(kept), "Untracked": untracked})
        drawn = self.query(path, "SELECT size, start_time, end_time FROM allocs ORDER BY idx")
        n = len(kept)
        expected = [(size, 0, 2 * n + 2) for size in standing]
        expected += [(size, k, 2 * n + 2 - k) for k, size in enumerate(kept)]
        expected.append((untracked, n, n + 2))
        self.assertEqual(drawn, expected)
        # An activation has the stack of its row, innermost frame first, including the operation's name.
        stacks = {}
        for number, operation, size, ordering, file, line in rows_of(path, ACTIVATIONS.format("")):
            if size > 0:
                stacks.setdefault(number, []).append(f"{file}:{line}:{operation if ordering == 0 else ''}")
        shown = self.query(path, "SELECT callstack FROM allocs WHERE start_time >= 0 ORDER BY idx")
        self.assertEqual([stack for (stack,) in shown[len(standing):-1]], ["\n".join(lines) for lines in stacks.values()])
        for sql in (ACTIVATIONS, WEIGHTS):
            self.assertEqual(self.query(path, sql.format("file.")), rows_of(path, sql.format("")))

    def check_run_time(self, path):
        info = self.info(path)
        self.assertEqual((info["kind"], info["devices"]), ("run_time_report", []))
        forward, backward = rows_of(path, "SELECT total(forward_ms), total(backward_ms) FROM run_time_entries")[0]
        for icicle in info["icicles"]:
            self.assertAlmostEqual(icicle["total"], forward + backward, places=6)
        self.assertAlmostEqual(info["icicles"][0]["roots"]["Forward"], forward, places=6)
        self.assertAlmostEqual(info["icicles"][0]["roots"]["Backward"], backward, places=6)
        self.assertEqual(self.query(path, OPERATIONS.format("file.")), rows_of(path, OPERATIONS.format("")))

    def assert_picture(self, *arguments):
        out = self.home / "out.png"
        self.succeed("render", *arguments, "--out", out, "--size", "320x200")
        data = out.read_bytes()
        self.assertEqual(png.size(data), (320, 200))
        channels, rows = png.decode(data)
        colours = {row[x:x + channels] for row in rows for x in range(0, len(row), channels)}
        self.assertGreater(len(colours), 12)
        return data

    def test_small_reports(self):
        self.check_memory(self.write_database("memory.db", MEMORY))
        self.check_run_time(self.write_database("time.db", RUN_TIME))

    def test_generated_reports(self):
        skyline, deepview, time = self.generate()
        self.check_memory(skyline)
        self.check_memory(deepview)
        self.check_run_time(time)

    def test_both_of_one_model(self):
        memory, time = self.write_database("memory.db", MEMORY), self.write_database("time.db", RUN_TIME)
        for arguments in ((memory, "--with", time), (time, "--with", memory)):
            info = self.info(*arguments)
            self.assertEqual(info["kind"], "memory_report")
            self.assertEqual([icicle["unit"] for icicle in info["icicles"]], ["bytes"] + 3 * ["milliseconds"])
            self.assertIn("3 of 3 activations", [entry for entry in info["import_log"]][0]["message"])
            # The query uses the tables of both files, which are distinguished by schema if their names are equal.
            joined = """SELECT e.operation_name, a.size_bytes, e.forward_ms, f.line_number FROM run_time_entries e
              JOIN activation_entries a USING (operation_name) JOIN run_time.stack_frames f ON f.entry_id = e.id AND f.ordering = 0
              ORDER BY e.id"""
            answer = json.loads(self.succeed("query", *arguments, joined, "--format", "json"))
            self.assertEqual([tuple(row.values()) for row in answer],
                             [("linear", 8192, 2.0, 5), ("view", 0, 0.25, 8), ("loss", 2048, 1.0, 9)])
            answer = json.loads(self.succeed("query", *arguments, "SELECT count(*) AS n FROM file.stack_frames", "--format", "json"))
            self.assertEqual(answer, [{"n": 6}])
            out = self.home / "both.json"
            self.succeed("export", *arguments, "--out", out)
            # linear lives from 2 ms, the end of its forward pass, to the end of its backward pass, which is the last one.
            lives = {row["size"]: (row["alloc_time_us"], row["free_time_us"]) for row in json.loads(out.read_text())}
            self.assertEqual(lives[8192], (2000, 8000))
        steps = self.assert_picture(memory, "--with", time, "--axis", "steps")
        self.assertNotEqual(self.assert_picture(memory, "--with", time), steps, "time is what it opens with")

    def test_reports_of_different_models_are_refused(self):
        memory = self.write_database("memory.db", MEMORY)
        time = self.write_database("time.db", RUN_TIME + "UPDATE run_time_entries SET operation_name = 'conv2d';")
        self.refuse("info", memory, "--with", time, mentions=["0 of 3 activations"])
        self.refuse("info", memory, "--with", memory, mentions=["cannot be opened together with"])

    def test_pictures_need_no_display(self):
        memory, time = self.write_database("memory.db", MEMORY), self.write_database("time.db", RUN_TIME)
        pictures = {self.assert_picture(memory), self.assert_picture(memory, "--picture", "by source"), self.assert_picture(time),
                    self.assert_picture(time, "--picture", "by source")}
        self.assertEqual(len(pictures), 4)
        self.refuse("render", time, "--out", self.folder / "x.png", "--picture", "iteration", mentions=["execution order; "])
        self.succeed("render", self.write_database("empty.db", RUN_TIME + "DELETE FROM run_time_entries;"), "--out", self.home / "e.png")

    def test_the_file_and_its_folder_stay_as_they_are(self):
        paths = [self.write_database("memory.db", MEMORY), self.write_database("time.db", RUN_TIME)]
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in self.folder.iterdir()}
        for path in paths:
            self.info(path)
            self.query(path, "SELECT count(*) FROM import_log")
            self.succeed("render", path, "--out", self.home / "out.png")
        self.info(paths[0], "--with", paths[1])
        self.succeed("export", paths[0], "--out", self.home / "out.csv")
        self.assertEqual({path: (path.read_bytes(), path.stat().st_mtime_ns) for path in self.folder.iterdir()}, before)

    def test_damage_is_said_and_the_rest_shown(self):
        path = self.write_database("memory.db", MEMORY + "DROP TABLE misc_sizes; DROP TABLE stack_correlation; PRAGMA user_version = 1;")
        info = self.info(path)
        self.assertEqual(info["devices"][0]["allocations"], 5)
        codes = {entry["code"] for entry in info["import_log"]}
        self.assertLessEqual({"report_table_missing", "report_no_source", "report_no_peak"}, codes)

    def test_frames_of_nothing_and_twice(self):
        expected = self.query(self.write_database("even.db", MEMORY), "SELECT * FROM allocs ORDER BY idx")
        path = self.write_database("memory.db", MEMORY + "INSERT INTO stack_frames VALUES (999, 0, 'x.py', 1); UPDATE weight_entries SET id = 40 WHERE id = 2;"
                         "UPDATE stack_correlation SET entry_id = 40 WHERE entry_type = 1 AND entry_id = 2;")
        self.assertEqual(self.query(path, "SELECT * FROM allocs ORDER BY idx"), expected)
        path = self.write_database("twice.db", MEMORY + "INSERT INTO stack_frames VALUES (4, 0, 'net.py', 8), (5, 0, 'other.py', 6);")
        self.assertEqual(self.query(path, "SELECT callstack FROM allocs WHERE size = 8192 AND callstack LIKE '%linear%'"),
                         [("layer.py:5:linear\nother.py:6:\nnet.py:7:",)])

    def test_odd_reports(self):
        """Tests the generator's malformed reports; its other malformed files are tested in test_ascend.py."""
        self.generator().make_edge(str(self.folder), 7)
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        self.assertEqual({name for name in before if name.endswith(".sqlite")}, {
            "skyline_edge.sqlite", "skyline_peak_too_small.sqlite", "deepview_runtime_edge.sqlite", "deepview_runtime_empty.sqlite"})
        for name, codes in (("skyline_edge", {"report_entry_type": 1, "report_no_peak": 1, "report_no_source": 2, "report_odd_size": 1}),
                            ("skyline_peak_too_small", {"report_peak_too_small": 1})):
            with self.subTest(name=name):
                path = self.folder / f"{name}.sqlite"
                info = self.info(path)
                self.assertEqual({entry["code"]: entry["count"] for entry in info["import_log"]}, codes)
                weights = rows_of(path, "SELECT sum(size_bytes) + sum(grad_size_bytes) FROM weight_entries")[0][0]
                kept = rows_of(path, "SELECT sum(size_bytes) FROM activation_entries WHERE size_bytes > 0")[0][0]
                self.assertEqual(info["icicles"][0]["roots"], {"Weights": weights, "Activations": kept})
                self.assertEqual(info["devices"][0]["peak_bytes"], weights + kept)
        path = self.folder / "deepview_runtime_edge.sqlite"
        info = self.info(path)
        self.assertEqual({entry["code"]: entry["count"] for entry in info["import_log"]}, {"report_odd_time": 1, "report_no_source": 1})
        forward, backward = rows_of(path, "SELECT sum(max(forward_ms, 0)), sum(max(backward_ms, 0)) FROM run_time_entries")[0]
        roots = info["icicles"][0]["roots"]
        self.assertAlmostEqual(roots["Forward"], forward, places=6)
        self.assertAlmostEqual(roots["Backward"], backward, places=6)
        path = self.folder / "deepview_runtime_empty.sqlite"
        self.assertEqual([entry["code"] for entry in self.info(path)["import_log"]], ["report_empty"])
        self.succeed("render", path, "--out", self.home / "empty.png")
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)


if __name__ == "__main__":
    main()
