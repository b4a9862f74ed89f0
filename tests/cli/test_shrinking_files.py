"""If another program truncates a file while it is read, every reader reports an error, and the program does not crash."""
import json
import os
import signal
import subprocess
import zipfile

from harness import AT_FAULT, BINARY, CommandLine, headless_environment, main

ATTEMPTS = 20


def large_json():
    """Returns a snapshot of a block that is allocated and freed again and again, which takes some time to read."""
    event = {"addr": 4096, "size": 512, "stream": 0, "time_us": 1, "frames": []}
    pair = ",".join(json.dumps({"action": action, **event}) for action in ["alloc", "free_completed"])
    return '{"segments": [], "device_traces": [[' + ",".join([pair] * 200_000) + "]]}"


def large_polygons():
    return "[" + ",".join(['{"timesteps":[0,1000000],"offsets":[0,0],"size":512}'] * 600_000) + "]"


class ShrinkingFiles(CommandLine):
    def read_while_it_shrinks(self, path, kept_bytes, *arguments):
        """Runs the program and truncates the file as soon as it is mapped. Returns None if the program ended before."""
        program = subprocess.Popen([BINARY, *map(str, arguments)], cwd=self.folder, env=headless_environment(self.home),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def is_mapped():
            try:
                return str(path) in open(f"/proc/{program.pid}/maps", encoding="utf-8").read()
            except ProcessLookupError:
                return False
        while program.poll() is None and not is_mapped():
            pass
        if program.poll() is None:
            os.kill(program.pid, signal.SIGSTOP)
        in_time = program.poll() is None and is_mapped()
        if in_time:
            os.truncate(path, kept_bytes)
            os.kill(program.pid, signal.SIGCONT)
        elif program.poll() is None:
            os.kill(program.pid, signal.SIGCONT)
        out, err = program.communicate(timeout=120)
        return (program.returncode, out, err) if in_time else None

    def check(self, path, content, *arguments):
        for kept_bytes in [0, 4096, len(content) // 2]:
            with self.subTest(kept_bytes=kept_bytes):
                for _ in range(ATTEMPTS):
                    path.write_bytes(content)
                    done = self.read_while_it_shrinks(path, kept_bytes, *arguments)
                    if done:
                        break
                self.assertIsNotNone(done, "the program is always faster")
                status, out, err = done
                self.assertEqual((status, out), (AT_FAULT, ""), err[-2000:])
                self.assertRegex(err, r"\A[^\n]*shorter while it was being read[^\n]*\n\Z")

    def test_json(self):
        path = self.folder / "large.json"
        self.check(path, large_json().encode(), "info", path)

    def test_zip(self):
        path = self.folder / "large.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("snapshot.json", large_json())
        self.check(path, path.read_bytes(), "query", path, "SELECT 1")

    def test_folder(self):
        path = self.folder / "allocations.json"
        self.check(path, large_polygons().encode(), "info", self.folder)


if __name__ == "__main__":
    main()
