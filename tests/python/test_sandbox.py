"""The module reads files in the sandbox, too, in the library's own threads. If the kernel does not support it, there is one warning, or
nothing is opened."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from module import MODULE, SAMPLE, main

NO_LANDLOCK = ["-e", "inject=landlock_create_ruleset:error=ENOSYS"]
NO_FILTER = ["-e", "inject=seccomp:error=EINVAL"]
ASK = f"""
import json, subprocess, socket, warnings
import snapviewer as sv
said, told = [], []
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for ask in (lambda: sv.open({SAMPLE!r}).peak_bytes, lambda: sv.open({SAMPLE!r}).query("SELECT count(*) FROM allocations").rows(),
                lambda: len(sv.open({SAMPLE!r}).findings()) > 0, lambda: sv.check({SAMPLE!r}, max_peak="1 KiB").outcome,
                lambda: sv.compare({SAMPLE!r}, {SAMPLE!r})["delta"]):
        try:
            said.append(ask())
        except sv.Error as error:
            said.append([type(error).__name__, str(error)])
socket.socket()                          # this thread is as it was
subprocess.run(["true"], check=True)
print(json.dumps([said, [[warning.category.__name__, str(warning.message)] for warning in told]]))
"""


class SandboxOfTheModule(unittest.TestCase):
    def asked(self, *options, wish=""):
        """Returns answers, warnings and, by thread, the system calls of interest of a Python process under strace."""
        if shutil.which("strace") is None:
            self.skipTest("strace is absent")
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "calls"
            done = subprocess.run(["strace", "-f", "-qq", "-s", "300", "-e", "trace=openat,seccomp,landlock_create_ruleset,landlock_restrict_self",
                                   *options, "-o", log, sys.executable, "-c", ASK], capture_output=True, text=True, timeout=120,
                                  env={**os.environ, "PYTHONPATH": str(MODULE), "SNAPVIEWER_SANDBOX": wish})
            if done.returncode != 0 and "ptrace" in done.stderr:
                self.skipTest("strace may not trace here")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return *json.loads(done.stdout), [line.split(maxsplit=1) for line in log.read_text().splitlines()]

    def test_files_are_read_in_it(self):
        said, told, calls = self.asked()
        if not any("landlock_restrict_self" in call and call.endswith("= 0") for _, call in calls):
            self.skipTest("this kernel has no Landlock")
        self.assertEqual((said[2:], told), ([True, "broken", 0], []))
        for number, (thread, call) in enumerate(calls):
            if re.match(rf"openat.*{re.escape(SAMPLE)}", call):
                before = [one for other, one in calls[:number] if other == thread]
                self.assertTrue(any(re.match(r"seccomp\(SECCOMP_SET_MODE_FILTER.* = 0", one) for one in before), call)
                self.assertTrue(any(re.match(r"landlock_restrict_self.* = 0", one) for one in before), call)

    def test_where_the_kernel_lacks_it(self):
        whole, _, _ = self.asked(wish="off")
        for lacking, state in ((NO_LANDLOCK, "partly on: this kernel has no Landlock (Function not implemented)"),
                               (NO_FILTER, "partly on: this kernel has no system call filter (Invalid argument)"),
                               (NO_LANDLOCK + NO_FILTER, "off: this kernel has no Landlock (Function not implemented), this kernel has no system call filter")):
            with self.subTest(state):
                said, told, _ = self.asked(*lacking)
                self.assertEqual(said, whole)
                self.assertEqual([category for category, _ in told], ["RuntimeWarning"])
                self.assertIn(f"snapviewer's sandbox is {state}", told[0][1])
                self.assertIn("; a file made to attack this program could ", told[0][1])
                said, told, _ = self.asked(*lacking, wish="required")
                self.assertEqual(told, [])
                self.assertEqual([name for name, _ in said], ["Error"] * 3 + ["ProgramError"] * 2)
                for _, sentence in said:
                    self.assertIn(f"SNAPVIEWER_SANDBOX=required, but the sandbox is {state}", sentence)
                self.assertEqual(self.asked(*lacking, wish="off")[:2], (whole, []))

    def test_required_where_it_is_there(self):
        said, told, calls = self.asked(wish="required")
        if not any("landlock_restrict_self" in call and call.endswith("= 0") for _, call in calls):
            self.skipTest("this kernel has no Landlock")
        self.assertEqual((said[2:], told), ([True, "broken", 0], []))

    def test_a_wish_that_nobody_knows(self):
        said, _, _ = self.asked(wish="require")
        for _, sentence in said:
            self.assertIn("SNAPVIEWER_SANDBOX is 'require', but must be on, off or required", sentence)


if __name__ == "__main__":
    main()
