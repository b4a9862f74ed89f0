#!/usr/bin/env python3
"""Measures `snapviewer serve` under load, for docs/security.md: the time of an answer while there are slow connections without the
token, and the memory of the process while many clients each read a page of 60 MB and pause for 5 s.

    tests/cli/serve_load.py [--slow 650 3000] [--pages 40] [--seconds 20]

SNAPVIEWER_BINARY names the program."""
import argparse
import concurrent.futures
import contextlib
import re
import resource
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from harness import BINARY, SAMPLE, headless_environment  # noqa: E402

PAGE_BYTES = 60_000_000
READER_PAUSE_S = 5


class Server:
    """Context manager that runs `serve` on a folder with one snapshot."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        home = Path(self.folder.name) / "home"
        runs = Path(self.folder.name) / "runs"
        home.mkdir()
        runs.mkdir()
        shutil.copy(SAMPLE, runs / "a.pickle")
        environment = {**headless_environment(home), "TMPDIR": str(home)}
        self.process = subprocess.Popen([BINARY, "serve", str(runs)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.link = self.process.stdout.readline().strip()
        self.port = urllib.parse.urlsplit(self.link).port
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()

    def read(self, link="", pause_s=0):
        """Requests a page, pauses for `pause_s` seconds once the answer has begun, and returns its size in bytes."""
        size = 0
        with urllib.request.urlopen(self.link + link, timeout=600) as answer:
            time.sleep(pause_s)
            while piece := answer.read(1 << 20):
                size += len(piece)
        return size

    def peak_kib(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1))


class SlowConnections(threading.Thread):
    """Keeps `count` connections open. Each sends one byte of a request per second and reconnects when it is closed."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.port, self.count = port, count
        self.ended, self.are_open = threading.Event(), threading.Event()
        self.connections = {}

    def run(self):
        selector = selectors.DefaultSelector()
        beginning = time.monotonic()
        while not self.ended.is_set():
            while len(self.connections) < self.count and not self.ended.is_set():
                connection = socket.socket()
                connection.setblocking(False)
                connection.connect_ex(("127.0.0.1", self.port))
                self.connections[connection] = 0.0
                selector.register(connection, selectors.EVENT_READ)
            self.are_open.set()
            for key, _ in selector.select(0.02):
                with contextlib.suppress(OSError):
                    if key.fileobj.recv(4096):
                        continue
                selector.unregister(key.fileobj)
                del self.connections[key.fileobj]
                key.fileobj.close()
            now = time.monotonic() - beginning
            for connection, sent in list(self.connections.items()):
                if now - sent > 1:
                    with contextlib.suppress(OSError):
                        connection.send(b"G" if sent == 0 else b"E")
                    self.connections[connection] = now
        for connection in self.connections:
            connection.close()


def measure_slow(count, seconds):
    with Server() as server:
        server.read()
        slow = SlowConnections(server.port, count)
        slow.start()
        slow.are_open.wait()
        delays, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.monotonic()
            server.read("?json")
            delays.append(time.monotonic() - began)
            time.sleep(0.05)
        slow.ended.set()
        slow.join()
    delays.sort()
    return f"{count} slow connections: {len(delays)} answers, longest {delays[-1]:.2f} s, median {delays[len(delays) // 2] * 1000:.0f} ms"


def measure_pages(count, kind):
    with Server() as server:
        rows = f"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 1000) SELECT n, printf('%.*c', {PAGE_BYTES // 1000}, 'x') AS text FROM t"
        links = [f"a.pickle/query?{kind}sql=" + urllib.parse.quote(f"{rows} -- {number}") for number in range(count)]
        statuses = {}
        with concurrent.futures.ThreadPoolExecutor(count) as readers:
            def read(link):
                try:
                    return 200 if server.read(link, READER_PAUSE_S) >= PAGE_BYTES else "short"
                except urllib.error.HTTPError as error:
                    return error.code

            for status in readers.map(read, links):
                statuses[status] = statuses.get(status, 0) + 1
        return f"{count} pages of {PAGE_BYTES / 1e6:.0f} MB ({kind or 'html'}): {server.peak_kib() / 1e3:.0f} MB at most, answers by status {statuses}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slow", type=int, nargs="*", default=[650, 3000])
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    for count in options.slow:
        print(measure_slow(count, options.seconds), flush=True)
    for kind in ("json&", "") if options.pages else ():
        print(measure_pages(options.pages, kind), flush=True)


if __name__ == "__main__":
    main()
