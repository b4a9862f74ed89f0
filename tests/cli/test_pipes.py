"""A FIFO without a writer in place of any file. Commands must not wait for it."""
import os
import subprocess

from containers import elements_database, snapviewer_trace
from harness import AT_FAULT, BINARY, DONE, SAMPLE, WRONG_USAGE, CommandLine, main

PATIENCE_S = 20


class Pipes(CommandLine):
    def pipe(self, path):
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        return path

    def answer(self, *arguments):
        try:
            return subprocess.run([BINARY, *map(str, arguments)], cwd=self.folder, env=self.environment_for(arguments),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.fail(f"waits for ever: {[str(argument) for argument in arguments]}")

    def refused(self, *arguments, statuses=(AT_FAULT,)):
        done = self.answer(*arguments)
        self.assertIn(done.returncode, statuses, done.stderr)
        self.assertIn("not a regular file", done.stderr)

    def test_as_the_file_of_every_command(self):
        pipe = self.pipe(self.folder / "pipe.pickle")
        for command in (["info"], ["query", "SELECT 1"], ["report"], ["layout", "--event", 0], ["replay"], ["check", "--max-peak", "1GiB"], ["tree"],
                        ["export", "--out", self.folder / "x.zip"], ["pack"], ["render", "--out", self.folder / "x.png"], ["compare", SAMPLE]):
            with self.subTest(command=command[0]):
                self.refused(command[0], pipe, *command[1:])

    def test_as_a_second_file(self):
        pipe, database = self.pipe(self.folder / "pipe"), self.write_database("one.db", "CREATE TABLE weight_entries (a)")
        for command in (["info", database, "--with", pipe], ["query", database, "SELECT 1", "--with", pipe],
                        ["export", database, "--out", self.folder / "x.db", "--with", pipe], ["compare", SAMPLE, pipe],
                        ["query", SAMPLE, "SELECT 1", "--compare", pipe], ["check", SAMPLE, "--baseline", pipe],
                        ["report", SAMPLE, "--rules", pipe], ["render", SAMPLE, "--rules", pipe, "--out", self.folder / "x.png"]):
            with self.subTest(command=command):
                self.refused(*command)

    def test_as_a_file_to_write(self):
        pipe = self.pipe(self.folder / "pipe.csv")
        for command in (["export", SAMPLE, "--out", pipe], ["check", SAMPLE, "--max-peak", "1GiB", "--junit", pipe],
                        ["check", SAMPLE, "--max-peak", "1GiB", "--markdown", pipe], ["render", SAMPLE, "--out", self.pipe(self.folder / "pipe.png")],
                        ["pack", SAMPLE, "--out", self.pipe(self.folder / "pipe.zst")], ["fleet", SAMPLE, "--write", self.pipe(self.folder / "pipe.db")],
                        ["series", SAMPLE, "--db", self.pipe(self.folder / "series.db")]):
            with self.subTest(command=command):
                self.refused(*command, statuses=(AT_FAULT, WRONG_USAGE))
        self.assertTrue(pipe.is_fifo())

    def test_in_a_folder_of_snapviewer(self):
        folder = self.folder / "trace"
        folder.mkdir()
        polygons, elements = snapviewer_trace([{"action": "alloc", "addr": 1, "size": 512, "stream": 0, "frames": []}])
        for name in ("allocations.json", "elements.db"):
            with self.subTest(name=name):
                (folder / "allocations.json").unlink(missing_ok=True)
                (folder / "elements.db").unlink(missing_ok=True)
                (folder / "allocations.json").write_text('[{"timesteps": [0, 1], "offsets": [0, 0], "size": 512, "elem": 0}]')
                elements_database(folder / "elements.db", polygons, elements)
                self.pipe(folder / name)
                for path in (folder, folder / "allocations.json"):
                    done = self.answer("info", path)
                    said = done.stdout + done.stderr
                    self.assertIn("not a regular file", said, f"{path.name}: {done.returncode}")

    def test_beside_a_database(self):
        database = self.write_database("one.db", "CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        for ending in ("-wal", "-journal", "-shm"):
            self.pipe(self.folder / f"one.db{ending}")
        done = self.answer("query", database, "SELECT a FROM t", "--format", "csv")
        self.assertEqual((done.returncode, done.stdout), (DONE, "a\n7\n"), done.stderr)

    def test_among_the_ranks_of_a_fleet(self):
        job = self.folder / "job"
        job.mkdir()
        (job / "rank0.pickle").write_bytes(SAMPLE.read_bytes())
        self.pipe(job / "rank1.pickle")
        done = self.answer("fleet", job)
        self.assertIn("not a regular file", done.stdout + done.stderr)
        self.refused("fleet", self.pipe(self.folder / "fleet.db"))

    def test_what_the_window_remembers(self):
        """`render --remembered` reads the preferences, and the notes of the file."""
        settings = self.home / "snapviewer"
        settings.mkdir()
        self.pipe(settings / "settings.json")
        done = self.answer("render", SAMPLE, "--remembered", "--size", "64x64", "--out", self.folder / "x.png")
        self.assertNotEqual(done.returncode, None)


if __name__ == "__main__":
    main()
