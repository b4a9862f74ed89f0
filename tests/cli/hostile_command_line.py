"""Runs the program on hostile files and measures the cost. A file may take at most 2 s and 20 times the time of a valid file of its
size, and at most 300 MB of memory and 12 times its size."""
import json
import os
import resource
import subprocess

from harness import BINARY, CommandLine, is_sanitized, snapshots

snapshots.oracle("hostile_outcome")
from hostile_outcome import Opens, Refused  # noqa: E402

MAX_SECONDS, MAX_TIMES, MAX_BYTES, MAX_BYTES_PER_BYTE = 2, 20, 300 * 10**6, 12
REAL_RATIO = 84  # size of a real snapshot as JSON, divided by its size in gzip
CPU_LIMIT_S = 60
MAX_LINE_BYTES = 8000  # messages shorten a name of a megabyte
VALID_FILE_SECONDS = 0.06  # time of the valid file on an idle machine, to which MAX_SECONDS refers
ATTEMPTS = 3           # because a busy machine is sometimes slow
IS_HOSTED = os.environ.get("SNAPVIEWER_IS_HOSTED") == "1"  # in node, which needs memory of its own and for the compiled program


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class HostileCommandLine(CommandLine):
    def setUp(self):
        super().setUp()
        self.honest = self.home / "honest.pickle"
        self.host_bytes = self.run_measured("--version")[4] if IS_HOSTED else 0

    def words_of(self, arguments):
        """Returns the words of the command."""
        return [BINARY, *map(str, arguments)]

    def run_measured(self, *arguments):
        """Returns exit status (negative: a signal), output, errors, seconds of CPU time and peak memory in bytes."""
        with open(self.home / "out", "w+b") as out, open(self.home / "err", "w+b") as err:
            process = subprocess.Popen(self.words_of(arguments), cwd=self.folder, env=self.environment_for(arguments),
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0), err.seek(0)
            return process.returncode, out.read(), err.read(), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024

    def honest_seconds(self):
        """Returns the current time of the valid file."""
        if not self.honest.exists():
            snapshots.make("gen_snapshot.py", self.honest, "--events", 60_000)
        status, _, errors, seconds, _ = self.run_measured("info", self.honest, "--json")
        self.assertEqual(status, 0, errors)
        return seconds

    def is_too_slow(self, content, seconds, arguments):
        """Repeats a slow run beside the valid file, whose time shows how busy the machine is. Returns true if every attempt is too slow."""
        for _ in range(ATTEMPTS):
            honest = self.honest_seconds()
            allowed = MAX_SECONDS * max(1, honest / VALID_FILE_SECONDS) + MAX_TIMES * honest * len(content) / self.honest.stat().st_size
            if seconds <= allowed:
                return False
            seconds = self.run_measured(*arguments)[3]
        return True

    def wrongs(self, outcome, status, output, errors):
        if any(byte < 32 and byte != 10 for byte in errors + output):
            yield "a control character is printed as it is"
        if max(map(len, errors.split(b"\n"))) > MAX_LINE_BYTES:
            yield "a line without an end is printed"
        if status not in (0, 1):
            yield f"ended with status {status}"
        elif isinstance(outcome, Refused):
            if status == 0:
                yield "opened"
            elif outcome.mentions.encode() not in errors:
                yield f"does not mention {outcome.mentions!r}"
            elif output or errors.count(b"\n") != 1:
                yield "says more than one line"
        elif isinstance(outcome, Opens):
            if status == 1:
                yield "was refused"
            else:
                yield from self.wrong_numbers(outcome, json.loads(output))

    def wrong_numbers(self, outcome, info):
        """Yields the numbers of `info --json` that contradict the file."""
        events = sum(device["events"] for device in info["devices"])
        if outcome.events is not None and events != outcome.events:
            yield f"{events} events instead of {outcome.events}"
        peak = max((device["peak_bytes"] for device in info["devices"]), default=0)
        if outcome.peak is not None and peak != outcome.peak:
            yield f"peak {peak} instead of {outcome.peak}"
        codes = [entry["code"] for entry in info["import_log"]]
        if outcome.finds and not any(code.startswith(outcome.finds) for code in codes):
            yield f"finds {codes} and not {outcome.finds}"

    def costs(self, content, seconds, held, *arguments):
        if is_sanitized():
            return
        is_packed = content.startswith((b"PK", b"\x1f\x8b", b"<", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"))
        most_bytes = self.host_bytes + MAX_BYTES + MAX_BYTES_PER_BYTE * len(content) * (REAL_RATIO if is_packed else 1)
        if seconds > MAX_SECONDS and self.is_too_slow(content, seconds, arguments):
            yield f"{seconds:.1f} s for {len(content)} bytes"
        if held > most_bytes:
            yield f"{held >> 20} MiB for {len(content)} bytes"
