"""Ctrl-C at any moment ends any command within 0.2 s, with the status that a shell expects and without a partial file.

SNAPVIEWER_MOMENTS is the number of random moments (default 6), SNAPVIEWER_SEED their seed. Moments are measured in CPU time of the
program, because wall time says little about its progress on a busy machine.
"""
import os
import random
import resource
import signal
import subprocess
import time

from harness import BINARY, SAMPLE, CommandLine, headless_environment, main
from test_shrinking_files import large_json

MOMENTS = int(os.environ.get("SNAPVIEWER_MOMENTS", "6"))
SEED = int(os.environ.get("SNAPVIEWER_SEED", "1"))
ANSWER_S = 0.2
# Queries that take many seconds: in long calls of a function, in sorting, in stepping and in printing rows.
SLOW = {"like": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t WHERE "
                 "replace(hex(zeroblob(50000)), '0', 'ab') LIKE '%' || replace(hex(zeroblob(100)), '0', 'ab') || n || 'c'",
        "sort": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 20000000) SELECT n FROM t ORDER BY n % 1000 LIMIT 1",
        "endless": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
        "rows": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t"}


def used_cpu_s(process):
    """Returns the CPU time of a process that was not waited for yet."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def of_children_cpu_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class CtrlC(CommandLine):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.snapshot = self.write("large.json", large_json())

    def start(self, command):
        return subprocess.Popen([BINARY, *map(str, command)], cwd=self.folder, env=headless_environment(self.home), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def has_ended(self, process):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def answer_s(self, command, moment_cpu_s):
        """Returns the time between Ctrl-C and the end of the program, the smaller of wall and CPU time; None if the
        program ended before."""
        process = self.start(command)
        while used_cpu_s(process) < moment_cpu_s and not self.has_ended(process):
            time.sleep(0.005)
        sent, used = time.monotonic(), used_cpu_s(process)
        os.kill(process.pid, signal.SIGINT)     # not send_signal(), which first reaps a process that has ended
        _, status, usage = os.wait4(process.pid, 0)
        wall_s, cpu_s = time.monotonic() - sent, usage.ru_utime + usage.ru_stime - used
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        self.assertIn(process.returncode, (0, -signal.SIGINT))
        return min(wall_s, cpu_s) if process.returncode else None

    def check(self, command, output=None):
        before = self.files()
        before_cpu_s = of_children_cpu_s()
        self.succeed(*command)
        whole_cpu_s = of_children_cpu_s() - before_cpu_s
        whole_bytes = {path: path.stat().st_size for path in set(self.files()) - set(before)}
        for path in whole_bytes:
            path.unlink()
        answers = []
        for _ in range(MOMENTS):
            answer = self.answer_s(command, self.random.uniform(0.02, whole_cpu_s))
            answers += [] if answer is None else [answer]
            left = set(self.files()) - set(before)
            # A program interrupted after writing may leave the output file, but only a complete one.
            self.assertLessEqual(left, {output})
            self.assertEqual({path: path.stat().st_size for path in left}, {path: whole_bytes[path] for path in left})
            self.assertTrue(left or answer is not None or not output, "the program ended well and wrote nothing")
            for path in left:
                path.unlink()
        self.assertGreater(len(answers), MOMENTS // 4, "too few runs were interrupted to prove anything")
        self.assertLess(max(answers), ANSWER_S)

    def test_info(self):
        self.check(["info", self.snapshot])

    def test_export(self):
        for name in ("out.zip", "out.db", "out.csv"):
            with self.subTest(name):
                self.check(["export", self.snapshot, "--out", name], self.folder / name)

    def test_pack(self):
        self.check(["pack", self.snapshot, "--level", "12", "--out", "out.zst"], self.folder / "out.zst")

    def test_fleet(self):
        ranks = self.folder / "job"
        ranks.mkdir()
        for rank in range(3):
            os.link(self.snapshot, ranks / f"rank{rank}.json")
        self.check(["fleet", ranks, "--write", "out.db"], self.folder / "out.db")

    def test_series(self):
        samples = self.folder / "job"
        samples.mkdir()
        for number in range(3):
            os.link(self.snapshot, samples / f"rank0_{number}.json")
        self.check(["series", samples, "--db", "out.db"], self.folder / "out.db")

    def test_render(self):
        self.check(["render", self.snapshot, "--size", "4000x3000", "--out", "out.png"], self.folder / "out.png")

    def test_query(self):
        for name, sql in SLOW.items():
            with self.subTest(name):
                answer = self.answer_s(["query", SAMPLE, sql, "--format", "csv"], self.random.uniform(0.3, 0.6))
                self.assertIsNotNone(answer, "the query was to take longer")
                self.assertLess(answer, ANSWER_S)

    def test_status_in_a_shell(self):
        """A shell's loop ends, too, because the shell sees that a signal ended the command."""
        for name, number in (("INT", 130), ("TERM", 143), ("HUP", 129)):
            # set -m: without job control, background commands of a shell ignore Ctrl-C.
            script = f'set -m; "$0" query "$1" "$2" & sleep 0.5; kill -{name} $!; wait $!; echo $?'
            done = subprocess.run(["bash", "-c", script, BINARY, self.snapshot, SLOW["endless"]], capture_output=True, text=True,
                                  env=headless_environment(self.home), timeout=60)
            self.assertEqual(done.stdout.split()[-1:], [str(number)], done.stderr)


if __name__ == "__main__":
    main()
