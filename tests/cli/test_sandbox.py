"""Every command without a window enters its sandbox before it reads the file, works the same inside, and warns if there is no sandbox."""
import ctypes.util
import json
import os
import re
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from harness import BINARY, DONE, ENVIRONMENT, SAMPLE, CommandLine, headless_environment, main

COMMANDS = {"info": ["info", SAMPLE], "query": ["query", SAMPLE, "SELECT count(*) FROM allocations"],
            "export .zip": ["export", SAMPLE, "--out", "out.zip"], "export .db": ["export", SAMPLE, "--out", "out.db"],
            "export .csv": ["export", SAMPLE, "--out", "out.csv"], "export folder": ["export", SAMPLE, "--out", "out/"],
            "pack": ["pack", SAMPLE, "--out", "out.zst"], "render": ["render", SAMPLE, "--size", "300x200", "--out", "out.png"]}
OTHERS = {"report": ["report", SAMPLE], "layout": ["layout", SAMPLE, "--event", "0"], "tree": ["tree", SAMPLE], "compare": ["compare", SAMPLE, SAMPLE],
          "fleet": ["fleet", SAMPLE], "series": ["series", SAMPLE], "check": ["check", SAMPLE, "--max-peak", "1KiB", "--baseline", SAMPLE, "--tolerance", "1KiB"],
          "replay": ["replay", SAMPLE], "query of two": ["query", SAMPLE, "SELECT 1", "--compare", SAMPLE]}
BROKEN = 4      # exit status of check if a limit is broken
ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
NO_LANDLOCK = ["-e", "inject=landlock_create_ruleset:error=ENOSYS"]
NO_FILTER = ["-e", "inject=seccomp:error=EINVAL"]


class SandboxOfCommands(CommandLine):
    @classmethod
    def setUpClass(cls):
        program = Path(BINARY).read_bytes()
        if b"__asan_init" in program or b"__tsan_init" in program:
            raise unittest.SkipTest("there is no sandbox in builds with sanitizers")

    def said(self, text):
        return json.loads(text)["sandbox"]

    def needs_all_of_it(self):
        if self.said(self.succeed("info", SAMPLE, "--json")) != "on":
            raise unittest.SkipTest("this kernel has no Landlock or no system call filter")

    def traced(self, command, *options, calls="openat,seccomp,landlock_create_ruleset,landlock_restrict_self"):
        """Runs a command under strace; returns status, output, errors and the system calls of interest."""
        if shutil.which("strace") is None:
            raise unittest.SkipTest("strace is absent")
        log = self.folder.parent / "calls"
        done = subprocess.run(["strace", "-f", "-qq", "-s", "300", "-e", f"trace={calls}", *options, "-o", log, BINARY, *map(str, command)],
                              cwd=self.folder, env=headless_environment(self.home), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120)
        if done.returncode != 0 and "ptrace" in done.stderr:
            raise unittest.SkipTest("strace may not trace here")
        return done, [line.split(maxsplit=1)[1] for line in log.read_text().splitlines()]

    def test_the_kernel_limits_memory_too(self):
        file_bytes = os.path.getsize(SAMPLE)
        expected = (2 << 30) + (192 << 20) + 12 * ((64 << 20) + 2048 * file_bytes)
        running = subprocess.Popen([BINARY, "query", SAMPLE, ENDLESS], env=headless_environment(self.home), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = "unlimited"
        try:
            while limit == "unlimited" and running.poll() is None:
                limit = re.search(r"Max data size +(\S+)", Path(f"/proc/{running.pid}/limits").read_text())[1]
        finally:
            running.kill()
            running.wait()
        self.assertEqual(limit, str(expected))

    def test_before_the_file_is_opened(self):
        self.needs_all_of_it()
        for name, command in COMMANDS.items():
            with self.subTest(name):
                done, calls = self.traced(command)
                self.assertEqual((done.returncode, done.stderr), (DONE, ""))
                first = {kind: next(i for i, call in enumerate(calls) if re.match(pattern, call)) for kind, pattern in
                         {"filter": r"seccomp\(SECCOMP_SET_MODE_FILTER.* = 0", "paths": r"landlock_restrict_self.* = 0",
                          "file": rf"openat.*{re.escape(str(SAMPLE))}"}.items()}
                self.assertLess(first["filter"], first["file"])
                self.assertLess(first["paths"], first["file"])

    def test_the_kernel_holds_the_process_to_it(self):
        self.needs_all_of_it()
        process = subprocess.Popen([BINARY, "query", SAMPLE, ENDLESS, "--format", "csv"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, env=headless_environment(self.home))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        def status_of(task):
            return dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
        patience_s = time.monotonic() + 30
        while status_of(Path(f"/proc/{process.pid}"))["Seccomp"] == "0" and time.monotonic() < patience_s:
            time.sleep(0.05)
        for task in Path(f"/proc/{process.pid}/task").iterdir():
            status = status_of(task)
            self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"))

    def results(self, name, commands, **environment):
        """Returns the output of `commands` and the files that they write, without those that contain a time."""
        folder = self.folder / name
        folder.mkdir()
        outputs = {}
        for what, command in commands.items():
            done = subprocess.run([BINARY, *map(str, command)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  env={**headless_environment(self.home), **environment}, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (BROKEN if what == "check" else DONE, ""), what)
            if what != "info":  # its output contains the time of opening
                outputs[what] = done.stdout
        return outputs, {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".zip"}

    def check_same(self, one, other):
        self.assertEqual(one[0], other[0])
        self.assertEqual(one[1].keys(), other[1].keys())
        self.assertEqual([name for name in one[1] if one[1][name] != other[1][name]], [])

    def test_nothing_is_missing_in_it(self):
        """The results are the same as without a sandbox, byte for byte if they contain no time."""
        self.needs_all_of_it()
        self.check_same(self.results("on", COMMANDS), self.results("off", COMMANDS, SNAPVIEWER_SANDBOX="off"))

    def test_nothing_is_missing_with_another_allocator(self):
        """jemalloc makes other system calls than the C library's allocator; the second settings make it return memory at once."""
        self.needs_all_of_it()
        library = ctypes.util.find_library("jemalloc")
        if library is None:
            raise unittest.SkipTest("jemalloc is absent")
        commands = {**COMMANDS, **OTHERS}
        plain = self.results("plain", commands)
        for settings in ("", "background_thread:true,percpu_arena:percpu,dirty_decay_ms:0,muzzy_decay_ms:0"):
            with self.subTest(settings):
                self.check_same(plain, self.results(f"jemalloc {settings}", commands, LD_PRELOAD=library, MALLOC_CONF=settings))

    def test_where_the_kernel_lacks_it(self):
        self.needs_all_of_it()
        for lacking, said, means in [(NO_LANDLOCK, "partly on: this kernel has no Landlock (Function not implemented)", "change your files"),
                                     (NO_FILTER, "partly on: this kernel has no system call filter (Invalid argument)",
                                      "start programs and open connections"),
                                     (NO_LANDLOCK + NO_FILTER, "off: this kernel has no Landlock (Function not implemented), this kernel has no "
                                      "system call filter (Invalid argument)", "do anything that you are allowed to do")]:
            done, _ = self.traced(["info", SAMPLE, "--json"], *lacking)
            self.assertEqual(self.said(done.stdout), said)
            for name, command in {**COMMANDS, **OTHERS}.items():
                with self.subTest(name, said=said):
                    done, _ = self.traced(command, *lacking)
                    self.assertEqual(done.returncode, BROKEN if name == "check" else DONE, done.stderr)
                    self.assertRegex(done.stderr, rf"\Asnapviewer: note: sandbox {re.escape(said)}; [^\n]+{means}[^\n]+\n\Z", "told once")
            os.environ["SNAPVIEWER_SANDBOX"] = "required"
            for name, command in {**COMMANDS, **OTHERS, "the window": [SAMPLE]}.items():
                with self.subTest(name, required=said):
                    done, _ = self.traced(command, *lacking)
                    self.assertEqual((done.returncode, done.stdout), (ENVIRONMENT, ""))
                    self.assertEqual(done.stderr, f"snapviewer: SNAPVIEWER_SANDBOX=required, but the sandbox is {said}; no file is opened\n")
            del os.environ["SNAPVIEWER_SANDBOX"]
            self.assertEqual(list(self.folder.glob(".snapviewer-*")), [])

    def test_required_where_it_is_there(self):
        self.needs_all_of_it()
        os.environ["SNAPVIEWER_SANDBOX"] = "required"
        self.addCleanup(os.environ.pop, "SNAPVIEWER_SANDBOX")
        self.assertEqual(self.said(self.succeed("info", SAMPLE, "--json")), "on")

    def test_a_wish_that_nobody_knows(self):
        os.environ["SNAPVIEWER_SANDBOX"] = "require"
        self.addCleanup(os.environ.pop, "SNAPVIEWER_SANDBOX")
        done = self.run_program("info", SAMPLE)
        self.assertEqual((done.returncode, done.stdout), (ENVIRONMENT, ""))
        self.assertEqual(done.stderr, "snapviewer: SNAPVIEWER_SANDBOX is 'require', but must be on, off or required; no file is opened\n")

    def test_off_on_demand(self):
        os.environ["SNAPVIEWER_SANDBOX"] = "off"
        self.addCleanup(os.environ.pop, "SNAPVIEWER_SANDBOX")
        self.assertEqual(self.said(self.succeed("info", SAMPLE, "--json")), "off: switched off by SNAPVIEWER_SANDBOX")
        self.assertIn("\nsandbox off: switched off by SNAPVIEWER_SANDBOX\n", self.succeed("info", SAMPLE))


if __name__ == "__main__":
    main()
