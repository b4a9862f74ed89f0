"""Written files appear under their name only when they are complete, and other files stay unchanged."""
import os
import re
import shutil
import stat
import subprocess
import unittest

from harness import BINARY, SAMPLE, CommandLine, headless_environment, main

OUTPUTS = ["out.zip", "out.db", "out.csv", "out.json", "out.png", "out.zst"]
# Suffixes of temporary files in this and earlier versions.
DRAFT_ENDINGS = [".part", ".partial"]


def command_for(name):
    if name.endswith(".png"):
        return ["render", SAMPLE, "--size", "240x150", "--out", name]
    return ["pack" if name.endswith(".zst") else "export", SAMPLE, "--out", name]


class WrittenFiles(CommandLine):
    def mode_of(self, name):
        return stat.S_IMODE((self.folder / name).stat().st_mode)

    def test_planted_links_are_not_followed(self):
        victim = self.write("victim", "precious")
        for name in OUTPUTS:
            for ending in DRAFT_ENDINGS:
                (self.folder / (name + ending)).symlink_to(victim)
            self.succeed(*command_for(name))
            self.assertEqual(victim.read_text(), "precious", name)
            for ending in DRAFT_ENDINGS:
                self.assertTrue((self.folder / (name + ending)).is_symlink(), name + ending)

    def test_a_link_in_the_place_of_the_output_is_replaced(self):
        victim = self.write("victim", "precious")
        for name in OUTPUTS:
            (self.folder / name).symlink_to(victim)
            self.succeed(*command_for(name))
            self.assertEqual(victim.read_text(), "precious", name)
            self.assertFalse((self.folder / name).is_symlink(), name)

    def test_nothing_else_appears_or_goes(self):
        for name in OUTPUTS:
            own = [self.write(name + ending, "the user's own") for ending in DRAFT_ENDINGS]
            self.succeed(*command_for(name))
            self.assertEqual([path.read_text() for path in own], ["the user's own"] * len(own))
        expected = {name + ending for name in OUTPUTS for ending in ["", *DRAFT_ENDINGS]}
        self.assertEqual(set(os.listdir(self.folder)), expected)

    def test_modes(self):
        for name in OUTPUTS:
            self.succeed(*command_for(name))
            umask = os.umask(0)
            os.umask(umask)
            self.assertEqual(self.mode_of(name), 0o666 & ~umask, name)
            for mode in [0o600, 0o640, 0o666]:
                (self.folder / name).chmod(mode)
                self.succeed(*command_for(name))
                self.assertEqual(oct(self.mode_of(name)), oct(mode), name)

    def test_what_is_no_file_stays(self):
        for name in OUTPUTS:
            os.mkfifo(self.folder / name)
            self.refuse(*command_for(name), mentions=[name])
            self.assertTrue(stat.S_ISFIFO((self.folder / name).stat().st_mode), name)

    def test_temporary_file_is_new_and_synced_before_it_takes_the_place(self):
        if shutil.which("strace") is None:
            raise unittest.SkipTest("strace is absent")
        for name in OUTPUTS:
            with self.subTest(name):
                calls = self.calls_of(*command_for(name))
                final = next(i for i, call in enumerate(calls) if re.match(rf'rename\w*\(.*"[./]*{name}"', call))
                draft = os.path.basename(re.findall(r'"([^"]+)"', calls[final])[0])
                created = next(call for call in calls if call.startswith("openat") and draft in call and "O_CREAT" in call)
                self.assertIn("O_EXCL", created)
                before = [call for call in calls[:final] if call.startswith(("fsync", "fdatasync")) and draft in call]
                after = [call for call in calls[final:] if call.startswith("fsync")]
                self.assertTrue(before, "the file is not synced")
                self.assertTrue(any(f"<{self.folder}>" in call for call in after), "the folder is not synced")

    def calls_of(self, *arguments):
        trace = self.folder.parent / "calls"
        done = subprocess.run(["strace", "-f", "-y", "-qq", "-s", "300", "-e", "trace=openat,fsync,fdatasync,rename,renameat,renameat2",
                               "-o", trace, BINARY, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=120,
                              env={**headless_environment(self.home), "ASAN_OPTIONS": "detect_leaks=0"})  # LeakSanitizer uses ptrace, too
        if done.returncode != 0 and "ptrace" in done.stderr:
            raise unittest.SkipTest("strace may not trace here")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split(maxsplit=1)[1] for line in trace.read_text().splitlines()]


if __name__ == "__main__":
    main()
