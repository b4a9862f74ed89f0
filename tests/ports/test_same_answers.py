"""The commands of a port, run in its emulator, give the same output as those of this system, for every real snapshot and
the bundled sample.

SNAPVIEWER_BINARY is this system's program, SNAPVIEWER_PORT the script that starts the port's (build/PORT/emulated/...),
SNAPVIEWER_SAMPLE and SNAPVIEWER_SHARED the files. Exits with 77, which ctest shows as "skipped", if one of them is missing.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from snapshots import with_paths_of_this_system  # noqa: E402

SKIPPED = 77
PATIENCE_S = 300
MAX_BYTES = 300 << 20    # size of a file that is certain to fit into WebAssembly's 4 GB when it is parsed
ENDINGS = {".pickle", ".pkl", ".db", ".zip"}

BINARY = os.environ.get("SNAPVIEWER_BINARY", "")
PORT = os.environ.get("SNAPVIEWER_PORT", "")
SAMPLE = Path(os.path.abspath(os.environ.get("SNAPVIEWER_SAMPLE", "")))
SHARED = Path(os.path.abspath(os.environ.get("SNAPVIEWER_SHARED", "")))

# Values of `info` that depend on the run instead of the file.
RUN_DEPENDENT_KEYS = {"timings_ms", "peak_rss_bytes", "sandbox"}

QUERIES = {
    "allocations": "SELECT *, address(address), human(size) FROM allocations ORDER BY size DESC, id LIMIT 1000",
    "stack texts": "SELECT idx, size, start_time, end_time, callstack FROM allocs WHERE callstack LIKE '%forward%' ORDER BY idx LIMIT 200",
    "events": "SELECT device, action, count(*), sum(size), min(size), max(size), min(time_us), max(time_us), count(DISTINCT address),"
              " count(DISTINCT stack_id) FROM events GROUP BY device, action ORDER BY device, action",
    "stacks": "SELECT id, depth, top_frame, key, allocations, allocated_bytes, largest_bytes, length(text) FROM stacks ORDER BY id",
    "frames": "SELECT f.function, f.file, f.line, f.is_own, count(*) AS uses, avg(sf.depth), min(sf.depth) FROM stack_frames sf"
              " JOIN frames f ON f.id = sf.frame_id GROUP BY f.id ORDER BY uses DESC, f.id LIMIT 500",
    "segments": "SELECT s.*, count(b.id), sum(b.size), sum(b.requested), sum(b.state = 'inactive') FROM segments s"
                " LEFT JOIN blocks b ON b.segment_id = s.id GROUP BY s.id ORDER BY s.id",
    "totals": "SELECT device, count(*), max(allocated), max(reserved), avg(allocated), total(reserved), sum(step % 7) FROM totals"
              " GROUP BY device ORDER BY device",
    "findings": "SELECT * FROM findings ORDER BY id",
    "growth": "SELECT g.*, s.name, s.method, s.confidence FROM growth g LEFT JOIN steps s ON s.device = g.device AND s.id = 0"
              " ORDER BY g.device, g.stack_key",
    "kinds at the peak": "SELECT d.device, k.kind, k.because, count(*) AS number, sum(a.size) AS bytes FROM devices d"
                         " JOIN allocations a ON a.device = d.device JOIN kinds k ON k.allocation_id = a.id"
                         " WHERE a.alloc_step <= d.peak_step AND (a.free_step IS NULL OR a.free_step > d.peak_step)"
                         " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
}
WRONG_STATEMENTS = ["SELECT nothing FROM allocations", "SELECT id FRM allocations WHERE 1", "SELECT id FROM nowhere", "", "SELECT 1; SELECT 2",
                    "DELETE FROM allocations", "ATTACH 'other.db' AS other", "PRAGMA journal_mode = WAL", "SELECT load_extension('x')",
                    "SELECT abs(-9223372036854775807 - 1)"]


def files():
    shared = sorted(path for path in (SHARED / "data").rglob("*") if path.suffix in ENDINGS)
    return [SAMPLE, *shared]


def what_is_missing():
    needed = {"SNAPVIEWER_BINARY": os.path.isfile(BINARY), "SNAPVIEWER_PORT": os.path.isfile(PORT),
              "SNAPVIEWER_SAMPLE": SAMPLE.is_file(), "snapshots in SNAPVIEWER_SHARED": (SHARED / "data").is_dir()}
    return [name for name, is_there in needed.items() if not is_there]


class SameAnswers(unittest.TestCase):
    maxDiff = 3000

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="snapviewer-port-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_one(self, program, arguments):
        environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        environment.update(SNAPVIEWER_SANDBOX="off", LANG="C.UTF-8", HOME=str(self.folder))
        return subprocess.run([program, *map(str, arguments)], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE_S, check=False)

    def run_both(self, *arguments):
        """Runs both programs and checks that status and standard error are equal; returns their outputs."""
        native, port = (self.run_one(program, arguments) for program in (BINARY, PORT))
        self.assertEqual((port.returncode, port.stderr), (native.returncode, native.stderr), f"{arguments}: {port.stdout[-300:]}")
        return native, port

    def compare(self, *arguments, left_out=frozenset()):
        native, port = self.run_both(*arguments)
        self.assertEqual(native.returncode, 0, native.stderr)
        answers = []
        for done in (native, port):
            answer = with_paths_of_this_system(json.loads(done.stdout))
            if left_out:
                self.assertLessEqual(left_out, set(answer))
                answer = {key: value for key, value in answer.items() if key not in left_out}
            answers.append(answer)
        self.assertEqual(answers[1], answers[0])
        return answers[0]

    def test_real_files(self):
        for path in files():
            if path.stat().st_size > MAX_BYTES:
                print(f"left out: {path.name} has {path.stat().st_size >> 20} MB", flush=True)
                continue
            with self.subTest(file=path.name, command="info"):
                self.compare("info", path, "--json", left_out=RUN_DEPENDENT_KEYS)
            with self.subTest(file=path.name, command="report"):
                self.compare("report", path, "--json")
            for name, sql in QUERIES.items():
                with self.subTest(file=path.name, query=name):
                    self.compare("query", path, sql, "--format", "json", "--limit", 100000)
            print(f"compared: {path.name}", flush=True)

    def test_queries_find_something(self):
        """Checks that queries return rows, because equal empty answers prove nothing."""
        for name, sql in QUERIES.items():
            with self.subTest(query=name):
                self.assertGreater(len(self.compare("query", SAMPLE, sql, "--format", "json")), 0)

    def test_wrong_statements(self):
        for sql in WRONG_STATEMENTS:
            with self.subTest(sql=sql):
                native, port = self.run_both("query", SAMPLE, sql, "--format", "json")
                self.assertNotEqual(native.returncode, 0, native.stdout)
                self.assertEqual((native.stdout, port.stdout), ("", ""))

    def test_wrong_files(self):
        """Truncated files are refused, or opened with a note, with the same messages in both."""
        whole = SAMPLE.read_bytes()
        contents = {f"{length} bytes.pickle": whole[:length] for length in (2, 100, 3000, len(whole) // 2, len(whole) - 1)}
        contents |= {"empty.pickle": b"", "notes.txt": b"This is a text file.\n", "zeros.pickle": bytes(5000)}
        refused = 0
        for name, content in contents.items():
            path = self.folder / name
            path.write_bytes(content)
            with self.subTest(file=name):
                native, port = self.run_both("info", path, "--json")
                if native.returncode != 0:
                    refused += 1
                    self.assertIn(name, native.stderr)
                    self.assertEqual((native.stdout, port.stdout), ("", ""))
                    continue
                notes = [json.loads(done.stdout)["import_log"] for done in (native, port)]
                self.assertEqual(notes[1], notes[0])
                self.assertIn("cut_short", [note["code"] for note in notes[0]])
        self.assertGreaterEqual(refused, 3)
        with self.subTest(file="none"):  # each system has its own message for the reason
            dones = [self.run_one(program, ["info", self.folder / "nowhere.pickle"]) for program in (BINARY, PORT)]
            statuses, beginnings = {done.returncode for done in dones}, {done.stderr.rpartition(": ")[0] for done in dones}
            self.assertEqual((len(statuses), len(beginnings)), (1, 1), dones)
            self.assertNotIn(0, statuses)


def main():
    missing = what_is_missing()
    if missing:
        print(f"skipped: {', '.join(missing)} not found")
        return SKIPPED
    return 0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
