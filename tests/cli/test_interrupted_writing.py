"""A signal or a kill at any moment of writing leaves either the old file intact or the complete new one, and no temporary file.

SNAPVIEWER_MOMENTS is the number of random moments per signal (default 8, one for each kind of file; more if too few of them hit a run
that was writing), SNAPVIEWER_SEED their seed.
"""
import os
import random
import signal
import subprocess
import time
import unittest
import zipfile

from harness import BINARY, SAMPLE, CommandLine, headless_environment, main
from writers import LARGE, command_for

MOMENTS = int(os.environ.get("SNAPVIEWER_MOMENTS", "8"))
SEED = int(os.environ.get("SNAPVIEWER_SEED", "1"))
FILES = {name: [name] for name in LARGE} | {"out/": ["out/allocations.json", "out/elements.db"]}
POLL_S = 0.001
ENOUGH_INTERRUPTED, ENOUGH_WRITING = -(-MOMENTS // 3), -(-MOMENTS // 6)   # minimum numbers of useful runs
OLD = b"what was there before"


class InterruptedWriting(CommandLine):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.whole, self.duration_s = {}, {}
        for name in FILES:
            began = time.monotonic()
            self.succeed(*command_for(name))
            self.duration_s[name] = time.monotonic() - began
            self.whole[name] = self.contents(name)

    def contents(self, name):
        """Returns the content of a file; for a zip, that of its members, because a zip also contains the time."""
        if name.endswith(".zip") and zipfile.is_zipfile(self.folder / name):
            with zipfile.ZipFile(self.folder / name) as archive:
                return [archive.testzip(), *((info.filename, info.CRC, info.file_size) for info in archive.infolist())]
        return [(self.folder / file).read_bytes() for file in FILES[name]]

    def listing(self):
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}

    def drafts(self):
        return {name for name in self.listing() if os.path.basename(name).startswith(".snapviewer-")}

    def interrupt(self, name, number):
        """Starts a command and sends the signal at a random moment, either of the whole run or after its temporary file has appeared.
        Returns the exit status and whether the temporary file existed when the signal came."""
        for file in FILES[name]:
            (self.folder / file).write_bytes(OLD)
        process = subprocess.Popen([BINARY, *map(str, command_for(name))], cwd=self.folder, env=headless_environment(self.home),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        known = self.drafts()
        if self.random.random() < 0.7:
            while process.poll() is None and self.drafts() <= known:
                time.sleep(POLL_S)
        time.sleep(self.random.uniform(0, self.duration_s[name]))
        had_temporary_file = process.poll() is None and not self.drafts() <= known
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        self.assertIn(process.returncode, (0, -number), err[-1000:])
        return process.returncode, had_temporary_file

    def check(self, number):
        interrupted = writing = moment = 0
        before = self.listing()
        while moment < MOMENTS or interrupted < ENOUGH_INTERRUPTED or writing < ENOUGH_WRITING:
            self.assertLess(moment, 5 * MOMENTS, f"only {interrupted} runs were interrupted, {writing} of them while they wrote")
            name = list(FILES)[moment % len(FILES)]
            with self.subTest(name, moment=moment):
                status, had_temporary_file = self.interrupt(name, number)
                old = [OLD] * len(FILES[name])
                self.assertIn(self.contents(name), (old, self.whole[name]), "neither the old file nor the new one")
                if status == 0:
                    self.assertEqual(self.contents(name), self.whole[name])
                if number != signal.SIGKILL:
                    self.assertEqual(self.listing(), before, "something was left behind")
                interrupted += status != 0
                writing += had_temporary_file
            moment += 1
        return before

    def test_terminate(self):
        self.check(signal.SIGTERM)

    def test_hang_up(self):
        self.check(signal.SIGHUP)

    def test_interrupt(self):
        self.check(signal.SIGINT)

    def test_kill_and_what_it_leaves_is_cleaned_by_the_next_write(self):
        before = self.check(signal.SIGKILL)
        self.assertEqual(self.listing() - self.drafts(), before)
        an_hour_ago = time.time() - 3601
        for name in self.drafts():
            os.utime(self.folder / name, (an_hour_ago, an_hour_ago))
        for name in ("out.csv", "out/"):
            self.succeed(*command_for(name))
        self.assertEqual(self.listing(), before, "a draft of a killed run is still there")

    def test_a_new_folder_goes_as_well(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            for _ in range(5):
                process = subprocess.Popen([BINARY, "export", SAMPLE, "--out", "new/"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                           env=headless_environment(self.home))
                while process.poll() is None and not (self.folder / "new").exists():
                    time.sleep(POLL_S)
                time.sleep(self.random.uniform(0, self.duration_s["out/"] / 2))
                process.send_signal(number)
                status = process.wait(timeout=60)
                left = sorted((self.folder / "new").iterdir()) if (self.folder / "new").exists() else []
                if left or status == 0:  # the signal came after the file was complete
                    self.assertEqual([file.read_bytes() for file in left], self.whole["out/"])
                    for file in left:
                        file.unlink()
                    (self.folder / "new").rmdir()
                self.assertFalse((self.folder / "new").exists())

    def test_what_the_parent_ignores_stays_ignored(self):
        """With SIGHUP ignored, as under nohup."""
        process = subprocess.Popen([BINARY, *map(str, command_for("out.csv"))], cwd=self.folder, env=headless_environment(self.home),
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(self.duration_s["out.csv"] / 3)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=60), 0)


if __name__ == "__main__":
    main()
