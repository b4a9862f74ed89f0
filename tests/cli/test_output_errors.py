"""An output that cannot be written, for lack of space or permission, causes an error with its name, keeps the old file and leaves
no temporary file."""
import contextlib
import ctypes
import os
import resource
import shutil
import subprocess
import unittest

from harness import AT_FAULT, BINARY, SAMPLE, CommandLine, headless_environment, is_sanitized, main
from writers import LARGE, SMALL, command_for

FILES = [name for name in LARGE if not name.endswith("/")]
TOO_LITTLE_BYTES = 16 << 10
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # from linux/prctl.h and linux/capability.h


class OutputErrors(CommandLine):
    def refuse_each(self, reason, outputs=LARGE + SMALL, folder=".", **options):
        for name in outputs:
            with self.subTest(name):
                self.refuse(*command_for(f"{folder}/{name}", "2400x1400"), mentions=[name, reason], **options)
                self.assertEqual([path for path in self.folder.rglob(".snapviewer-*")], [])

    @contextlib.contextmanager
    def mounted(self, options):
        place = self.folder / "mounted"
        place.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], capture_output=True).returncode:
            raise unittest.SkipTest("file systems cannot be mounted here")
        try:
            yield place
        finally:
            subprocess.run(["umount", place], check=True)

    def test_full_disk(self):
        with self.mounted(f"size={4 * TOO_LITTLE_BYTES}") as place:
            (place / "filler").write_bytes(bytes(2 * TOO_LITTLE_BYTES))
            self.refuse_each("No space left on device", LARGE, place.name)
            (place / "filler").unlink()
            for name in FILES:
                (place / name).write_text("old")
            self.refuse_each("No space left on device", FILES, place.name)
            self.assertEqual({(place / name).read_text() for name in FILES}, {"old"})

    def test_read_only_disk(self):
        with self.mounted("ro") as place:
            self.refuse_each("Read-only file system", folder=place.name)

    def test_folder_without_permission(self):
        def without_override():
            """Removes root's capability to write everywhere from programs started afterwards."""
            if os.geteuid() == 0:
                ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)
        place = self.folder / "closed"
        place.mkdir(0o500)
        self.refuse_each("Permission denied", folder=place.name, preexec_fn=without_override)

    def test_largest_size_of_a_file(self):
        """The limit of `ulimit -f`; exceeding it normally kills a program with a signal."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (TOO_LITTLE_BYTES, TOO_LITTLE_BYTES))
        for name in FILES:
            (self.folder / name).write_text("old")
        self.refuse_each("File too large", LARGE, preexec_fn=limit)

    def test_quota(self):
        if shutil.which("strace") is None:
            raise unittest.SkipTest("strace is absent")
        if is_sanitized():
            raise unittest.SkipTest("the sanitizer's own writes would fail too")
        for name in LARGE + SMALL:
            for call in {"out.db": ["pwrite64"], "ranks.db": ["pwrite64"], "out/": ["pwrite64", "write"]}.get(name, ["write"]):
                with self.subTest(name, call=call):
                    before = self.files()
                    done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                                           f"inject={call}:error=EDQUOT:when=1", BINARY, *map(str, command_for(name))], cwd=self.folder,
                                          # The sandbox is off, because its filter would be written first.
                                          env={**headless_environment(self.home), "ASAN_OPTIONS": "detect_leaks=0", "SNAPVIEWER_SANDBOX": "off"},
                                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
                    if "ptrace" in done.stderr:
                        raise unittest.SkipTest("strace may not trace here")
                    self.assertEqual((done.returncode, self.files()), (AT_FAULT, before), done.stderr)
                    self.assertRegex(done.stderr, rf"\Asnapviewer: {name}: [^\n]*Disk quota exceeded\n\Z")

    def test_no_such_folder(self):
        self.refuse_each("No such file or directory", folder="nowhere")

    def test_a_folder_in_the_place_of_a_file(self):
        (self.folder / "out.png").mkdir()
        self.refuse_each("Is a directory", ["out.png"])

    def test_a_file_in_the_place_of_a_folder(self):
        (self.folder / "out").write_text("precious")
        self.refuse_each("", ["out/"])

    def test_links_to_devices_and_pipes_stay(self):
        os.mkfifo(self.folder / "pipe")
        for target in ("/dev/full", "/dev/null", "/dev/stdout", "pipe"):
            for name in FILES:
                (self.folder / name).symlink_to(target)
            self.refuse_each("not a regular file", FILES)
            for name in FILES:
                self.assertEqual(os.readlink(self.folder / name), target)
                (self.folder / name).unlink()

    def test_standard_output(self):
        for command in (["info", SAMPLE], ["info", SAMPLE, "--json"], ["query", SAMPLE, "SELECT 1"],
                        ["query", SAMPLE, "SELECT * FROM events", "--format", "csv"]):
            with self.subTest(command=command[0]), open("/dev/full", "wb") as full:
                done = subprocess.run([BINARY, *map(str, command)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                      env=headless_environment(self.home))
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertRegex(done.stderr, r"\A[^\n]*cannot write to standard output\n\Z")


if __name__ == "__main__":
    main()
