"""`snapviewer serve` under attack: tokens, paths, links, floods, slow readers, and many clients at once."""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import resource
import socket
import threading
import time
import unittest

from harness import SAMPLE, is_sanitized, main
from serving import Serving, ask, quote

NEW_TOKENS = 20


class Hostile(Serving):
    def setUp(self):
        super().setUp()
        self.put("a.pickle", SAMPLE.read_bytes())
        self.put("sub/b.pickle", SAMPLE.read_bytes())

    def refuse_at(self, target, **options):
        """Checks that the answer is that for any unknown target."""
        answer = ask(self.port, target, **options)
        self.assertEqual((answer.status, answer.body), (404, b"Not found\n"), target)

    def test_the_token(self):
        self.start()
        wrong = self.token[:-1] + ("0" if self.token[-1] != "0" else "1")
        for token in ("", "/", wrong, self.token[:-1], self.token + "0", self.token.upper() + "x", "0" * 40, self.token + "%00", "%" + self.token,
                      "//" + self.token):
            for behind in ("", "/", "/a.pickle/", "/?json"):
                self.refuse_at(f"/{token}{behind}")
        self.refuse_at("http://127.0.0.1" + self.base)
        self.refuse_at("*")
        answer = ask(self.port, self.base[:-1])
        self.assertEqual((answer.status, answer.headers["location"]), (302, self.token + "/"))

    @unittest.skipIf(is_sanitized(), "a sanitizer ends a program that lacks memory")
    def test_a_lack_of_memory_takes_no_more_than_answers(self):
        """If there is no memory for a thread or an answer, a request gets an error or no answer; the server continues."""
        self.start()
        self.succeed_at("a.pickle/")
        status = (pathlib.Path("/proc") / str(self.process.pid) / "status").read_text()
        held = int(re.search(r"VmSize:\s+(\d+) kB", status).group(1)) << 10
        before = resource.prlimit(self.process.pid, resource.RLIMIT_AS)
        failed = 0
        for room in (0, 1 << 20, 10 << 20):
            resource.prlimit(self.process.pid, resource.RLIMIT_AS, (held + room, before[1]))
            for _ in range(20):
                try:
                    failed += self.get("a.pickle/?event=1").status >= 500
                except (OSError, http.client.HTTPException):
                    failed += 1
        resource.prlimit(self.process.pid, resource.RLIMIT_AS, before)
        self.assertGreater(failed, 0)
        self.succeed_at("a.pickle/")

    def test_tokens_are_not_alike(self):
        tokens = set()
        for _ in range(NEW_TOKENS):
            self.start("--idle", "1s")
            tokens.add(self.token)
            self.stop()
        self.assertEqual(len(tokens), NEW_TOKENS)
        ones = sum(int(token, 16).bit_count() for token in tokens) / (160 * NEW_TOKENS)
        self.assertAlmostEqual(ones, 0.5, delta=0.05)

    def test_paths_that_lead_out(self):
        secret = self.write("secret.pickle", SAMPLE.read_bytes())
        self.put(".hidden/a.pickle", SAMPLE.read_bytes())
        self.put("notes.txt", b"secret")
        (self.runs / "leads-out").symlink_to(self.folder)
        (self.runs / "leads-out.pickle").symlink_to(secret)
        (self.runs / "sub" / "up").symlink_to("../..")
        (self.runs / "broken.pickle").symlink_to("nowhere")
        (self.runs / "leads-in.pickle").symlink_to("sub/b.pickle")
        (self.runs / "round").symlink_to("round")
        os.mkfifo(self.runs / "pipe.pickle")
        (self.runs / "device.pickle").symlink_to("/dev/zero")
        self.start()
        absolute = str(secret)
        for path in ("../secret.pickle/", "..%2fsecret.pickle/", "%2e%2e/secret.pickle/", "%2e%2e%2fsecret.pickle/", "sub/../../secret.pickle/", "..\\secret.pickle/",
                     "./a.pickle/", "%2e/a.pickle/", "a.pickle//", "//a.pickle/", "/", "a.pickle/..", "a.pickle/../a.pickle/", absolute, absolute + "/",
                     quote(absolute) + "/", "%2f" + absolute.lstrip("/"), "a.pickle%00/", "a.pickle%00.txt/", "%00", "a.pickle%", "a.pickle%4", "a.pickle%zz/",
                     "%c0%ae%c0%ae/secret.pickle/", "%252e%252e/secret.pickle/", "leads-out/", "leads-out/secret.pickle/", "leads-out.pickle/", "sub/up/secret.pickle/",
                     "sub/up/runs/.hidden/", ".hidden/", ".hidden/a.pickle/", "notes.txt", "notes.txt/", "notes.txt/notes.txt", "broken.pickle/", "round/", "pipe.pickle/",
                     "device.pickle/", "nothing.pickle/", "a.pickle/b.pickle", "a.pickle/picture.png/", "a.pickle/picture.png/x", "a.pickle/query/", "a.pickle/nothing",
                     "a.pickle/a.pickle/", "sub/sub/", "?a=%", "?%=a", "?sql=%00", "/".join(["sub"] * 300)):
            with self.subTest(path=path):
                self.refuse_at(self.base + path)
        shown = {each["name"] for each in json.loads(self.succeed_at("?json").text)}
        self.assertEqual(shown, {"a.pickle", "leads-in.pickle", "sub"})
        self.succeed_at("leads-in.pickle/")
        fleet = self.succeed_at("?fleet").text
        self.assertNotIn("secret", fleet)
        self.assertNotIn("leads-out", fleet)

    def test_nothing_that_is_read_with_a_file_leads_out(self):
        """A symbolic link beside a file, or in a folder of two files, hides the file from all pages; regular files beside it are read."""
        about = {"device": 0, "nvml": {"total_bytes": 7 << 40, "used_bytes": 5 << 40}}
        self.write("secret.about.json", json.dumps(about).encode())
        database = self.write_database("made.db", "CREATE TABLE t (a); INSERT INTO t VALUES (7)").read_bytes()
        self.write("secret.db-wal", database)
        self.write("secret-elements.db", database)
        places = {"about.pickle": "about.about.json", "packed.json.gz": "packed.about.json", "wal.db": "wal.db-wal", "journal.db": "journal.db-journal"}
        for name, beside in places.items():
            self.put("linked/" + name, database if name.endswith(".db") else SAMPLE.read_bytes())
            (self.runs / "linked" / beside).symlink_to(self.folder / ("secret.db-wal" if name.endswith(".db") else "secret.about.json"))
        self.put("linked/both/allocations.json", b"[]")
        (self.runs / "linked" / "both" / "elements.db").symlink_to(self.folder / "secret-elements.db")
        self.put("linked/beside/rank0.pickle", SAMPLE.read_bytes())
        (self.runs / "linked" / "rank0.pickle").symlink_to("beside/rank0.pickle")
        (self.runs / "linked" / "rank0.about.json").symlink_to(self.folder / "nowhere.about.json")
        self.put("own/a.pickle", SAMPLE.read_bytes())
        self.put("own/a.about.json", json.dumps(about).encode())
        self.start()
        for name in (*places, "both"):
            self.refuse_at(f"{self.base}linked/{name}/")
        self.assertEqual({each["name"] for each in json.loads(self.succeed_at("linked/?json").text)}, {"beside", "rank0.pickle"})
        ranks = json.loads(self.succeed_at("linked/?fleet&json").text)["ranks"]
        self.assertEqual([rank["file"] for rank in ranks], [str(self.runs / "linked" / "beside" / "rank0.pickle")])
        self.assertEqual(self.get("linked/?series").status, 403)
        figures = json.loads(self.succeed_at("own/a.pickle/query?json&sql=" + quote("SELECT sum(bytes) AS bytes FROM device_memory")).text)
        self.assertEqual(figures, [{"bytes": 7 << 40}])

    def test_other_names_of_this_machine(self):
        """Requests with another site's host name are refused, even with the right token."""
        self.start("--host", "node7.example.org")
        for host in ("127.0.0.1", f"127.0.0.1:{self.port}", "localhost", "LOCALHOST:1", "[::1]:8899", "node7.example.org", "Node7.Example.org:443"):
            self.assertEqual(ask(self.port, self.base, host=host).status, 200, host)
        for host in ("evil.example.org", "127.0.0.1.evil.org", "localhost.evil.org:80", "", "127.0.0.1@evil", "evil:127.0.0.1"):
            answer = ask(self.port, self.base, host=host, headers={"Host": host})
            self.assertEqual(answer.status, 421, host)
            self.assertIn("--host", answer.text)
            self.refuse_at("/wrong/", headers={"Host": host})

    def test_headers(self):
        self.start()
        for link in ("", "a.pickle/", "a.pickle/picture.png", "a.pickle/a.pickle", "a.pickle/query?sql=oops", "nothing", "?json"):
            headers = self.get(link).headers
            self.assertEqual(headers["referrer-policy"], "no-referrer")
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertNotIn("script-src", headers["content-security-policy"])
            self.assertIn("no-cache", headers["cache-control"])

    def test_nothing_but_reading(self):
        self.start()
        before = self.files()
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            for link in ("", "a.pickle/", "a.pickle/a.pickle"):
                answer = self.get(link, method=method, headers={"Content-Length": "0"})
                self.assertEqual((answer.status, answer.headers["allow"]), (405, "GET, HEAD"))
            self.refuse_at("/wrong/", method=method)
        self.assertEqual(self.files(), before)

    def test_what_is_not_admitted(self):
        """Requests without the token, and requests that two programs could parse differently, all get the same answer."""
        self.start()
        line, host = f"GET {self.base}?json HTTP/1.1\r\n", "Host: localhost\r\n"
        again = "\r\n" + line + host + "\r\n"
        wanted = self.raw(f"GET /{'0' * 40}/ HTTP/1.1\r\n{host}\r\n".encode())
        self.assertEqual(wanted.split(b"\r\n")[0], b"HTTP/1.1 404 Not Found")
        headers = {header.split(b":")[0].lower() for header in wanted.split(b"\r\n\r\n")[0].split(b"\r\n")[1:]}
        self.assertEqual(headers, {name.encode() for name in (*self.get("nothing").headers, "connection")} - {b"keep-alive"})
        for request in ("GET / HTTP/1.1\r\n" + host + again, "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "GET * HTTP/1.1\r\n\r\n", "GET /\r\n\r\n",
                        "\r\n\r\n" + line + host + "\r\n", "GET /" + "a" * 9000 + " HTTP/1.1\r\n\r\n", "GET /wrong/ HTTP/1.0\r\n\r\n", "CONNECT localhost:22 HTTP/1.1\r\n\r\n",
                        *(line + host + header + "\r\n" + again for header in (
                            "Content-Length: 0\r\nContent-Length: 0", "Content-Length: 0\r\ncontent-length: 3", "Content-Length : 0", "Host : localhost", "Host: elsewhere",
                            "Content-Length: 0, 0", "Content-Length: +0", "Content-Length:", "Content-Length: 0\r\nTransfer-Encoding: chunked",
                            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "X: y\r\n folded", "X", ": y", "X\0: y", "X: \0", "X: a\rb", "X: a\nY: b", "X\t: y",
                            "X: " + "y" * 9000)),
                        f"GET  {self.base} HTTP/1.1\r\n{again}", f"GET {self.base} HTTP/1.1 \r\n{again}", f"GET {self.base} HTTP/2.0\r\n{again}", f"GET {self.base}\r\n{again}",
                        f"get {self.base} HTTP/1.1\r\n{again}", f"TRACE {self.base} HTTP/1.1\r\n{again}", f"GET http://localhost{self.base} HTTP/1.1\r\n{again}",
                        f"GET {self.base}%zz HTTP/1.1\r\n{again}", f"GET {self.base}\x01 HTTP/1.1\r\n{again}"):
            with self.subTest(request=request[:200]):
                self.assertEqual(self.raw(request.encode("latin-1")), wanted)
        head = self.raw(f"HEAD /wrong/ HTTP/1.1\r\n{host}\r\n".encode())
        self.assertEqual(head, wanted[:wanted.index(b"\r\n\r\n") + 4])
        first = self.raw((line + host + "\r\n" + line + host + "X : y\r\n" + again).encode())
        self.assertEqual(first.count(b"HTTP/1.1 200"), 1, "a later request on a connection")
        self.assertTrue(first.endswith(wanted))

    def half_close(self, request):
        """Returns the answer to a request whose sender has closed its side of the connection, without interim answers."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(request.encode())
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        return answer.replace(b"HTTP/1.1 100 Continue\r\n\r\n", b"")

    def test_half_closed_connections(self):
        self.start()
        counting = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 3000000) SELECT count(*) AS c FROM t"
        for link in ("?json", "a.pickle/", "a.pickle/picture.png", "a.pickle/query?json&sql=" + quote(counting)):
            for version in ("1.1", "1.0"):
                with self.subTest(link=link, version=version):
                    answer = self.half_close(f"GET {self.base}{link} HTTP/{version}\r\nHost: localhost\r\n\r\n")
                    self.assertEqual(answer.split(b" ", 2)[1], b"200")
                    self.assertEqual(answer.split(b"\r\n\r\n", 1)[1], self.get(link).body)
        refused = self.half_close("GET /wrong")
        self.assertEqual(refused, self.half_close("GET /wrong/ HTTP/1.1\r\n\r\n"))

    def test_a_body_is_not_taken_for_a_request(self):
        self.start()
        inner = f"GET {self.base}?json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for method, headers in (("GET", f"Content-Length: {len(inner)}"), ("POST", f"Content-Length: {len(inner)}"), ("GET", "Transfer-Encoding: chunked")):
            answer = self.raw(f"{method} {self.base} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n\r\n{inner}".encode())
            self.assertEqual(answer.count(b"HTTP/1.1"), 1, answer)

    def test_several_requests_on_one_connection(self):
        self.start()
        one = f"GET {self.base}?json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        last = one.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
        self.assertEqual(self.raw((one * 9 + last).encode()).count(b"HTTP/1.1 200"), 10)

    def test_floods(self):
        """Each flood ends its own connection. Memory does not grow, and others get answers meanwhile."""
        self.start()
        self.succeed_at("a.pickle/")
        before = self.resident_kib()
        line = b"GET " + self.base.encode() + b" HTTP/1.1\r\n"
        for name, beginning, again in (("headers", line, b"X-Flood: " + b"x" * 1000 + b"\r\n"), ("one header", line + b"X: ", b"x" * 4096),
                                       ("a request line", b"GET /", b"x" * 4096), ("line ends", b"", b"\r\n" * 2000), ("noise", b"", bytes(range(256)) * 16),
                                       ("zeros", b"", bytes(4096)), ("header names", line, b"".join(b"h%d:\r\n" % i for i in range(500)))):
            with self.subTest(name=name):
                began, sent = time.monotonic(), 0
                with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection, contextlib.suppress(ConnectionError):
                    connection.sendall(beginning)
                    while sent < 64 << 20:
                        connection.sendall(again)
                        sent += len(again)
                self.assertLess(sent, 16 << 20, "the connection goes on")
                self.assertLess(time.monotonic() - began, 15)
                self.succeed_at()
        self.assertLess(self.resident_kib() - before, 32 << 10)

    def resident_kib(self, name="VmRSS"):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(name + r":\s+(\d+)", file.read()).group(1))

    def test_odd_requests(self):
        self.start()
        long_range = "bytes=0-0" + ",0-0" * 1900
        for request in (f"GET {self.base} HTTP/1.1\r\nHost: localhost\r\nRange: {long_range}\r\nConnection: close\r\n\r\n",
                        f"GET {self.base}a.pickle/a.pickle HTTP/1.1\r\nHost: localhost\r\nRange: {long_range}\r\nConnection: close\r\n\r\n",
                        f"GET / HTTP/1.1\r\nrAnGe: {long_range}\r\n\r\n", f"GET / HTTP/1.1\r\nX: y\r\nRange:{'0' * 8000}\r\n\r\n",
                        f"GET {self.base} HTTP/1.1\r\nHost: localhost\r\nRange: bytes={'9' * 30}-\r\nConnection: close\r\n\r\n",
                        f"GET {self.base} HTTP/1.1\r\nHost: localhost\r\nRange: bytes={'-' * 4000}\r\nConnection: close\r\n\r\n",
                        f"GET {self.base} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
                        f"GET {self.base} HTTP/1.0\r\n\r\n", f"GET {self.base}\r\n\r\n", "\r\n\r\n", "\n\n", "GET\r\n\r\n", f"GET {self.base} HTTP/9.9\r\n\r\n",
                        f"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", f"CONNECT localhost:22 HTTP/1.1\r\n\r\n", f"GET {self.base}?a?b HTTP/1.1\r\nConnection: close\r\n\r\n",
                        f"TRACE {self.base} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"):
            with self.subTest(request=request[:80]), socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
                with contextlib.suppress(OSError):      # the connection may be closed meanwhile
                    connection.sendall(request.encode("latin-1"))
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):
                        pass
                self.succeed_at("?json")
        self.assertIsNone(self.process.poll())

    def test_a_hundred_readers_at_once(self):
        self.start()
        links = ["", "a.pickle/", "a.pickle/picture.png", "sub/b.pickle/?json", "a.pickle/a.pickle?zstd", "sub/b.pickle/picture.png?size=300x200"]
        expected = {link: self.succeed_at(link).body for link in links[:3]}
        with concurrent.futures.ThreadPoolExecutor(100) as readers:
            answers = list(readers.map(lambda number: (links[number % len(links)], self.get(links[number % len(links)])), range(300)))
        for link, answer in answers:
            self.assertEqual(answer.status, 200, link)
            self.assertEqual(answer.body, expected.get(link, answer.body), link)

    def test_slow_readers(self):
        """Clients that send or read one byte per second delay nobody else."""
        self.put("large.pickle", os.urandom(1 << 20) * 40)
        self.start()
        ended = threading.Event()
        threads = [threading.Thread(target=self.dawdle, args=(number, ended)) for number in range(100)]
        for thread in threads:
            thread.start()
        time.sleep(2)
        for _ in range(5):
            began = time.monotonic()
            self.succeed_at()
            self.succeed_at("a.pickle/?json")
            self.assertLess(time.monotonic() - began, 5)
            time.sleep(0.2)
        ended.set()
        for thread in threads:
            thread.join()

    def dawdle(self, number, ended):
        request = f"GET {self.base}large.pickle/large.pickle HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection, contextlib.suppress(ConnectionError):
            if number % 2 == 0:
                connection.sendall(request)
            for byte in request:
                if number % 2 == 0:
                    connection.recv(1)
                else:
                    connection.sendall(bytes([byte]))
                if ended.wait(1):
                    return

    def test_a_request_that_never_ends(self):
        self.start()
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection, contextlib.suppress(ConnectionError):
            while time.monotonic() - began < 30:
                connection.sendall(b"G")
                time.sleep(0.5)
        self.assertLess(time.monotonic() - began, 15)

    def test_slow_connections_without_the_token(self):
        """There are far more connections than file descriptors for them, each in the middle of a head. Answers do not wait for the ten
        seconds that these connections have."""
        self.start()
        with contextlib.ExitStack() as stack:
            began = time.monotonic()
            for number in range(650):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=30))
                with contextlib.suppress(ConnectionError):
                    connection.sendall(b"GET /" if number % 2 else f"GET {self.base}".encode())
            for _ in range(3):
                self.succeed_at("?json")
            self.assertLess(time.monotonic() - began, 9)

    def test_large_pages_at_once(self):
        """Large pages wait for memory until all are answered."""
        if is_sanitized():
            raise unittest.SkipTest("a sanitizer takes memory of its own")
        self.start()
        rows = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 1000) SELECT n, printf('%.*c', 60000, 'x') AS text FROM t"
        links = [f"a.pickle/query?{kind}sql=" + quote(f"{rows} -- {number}") for number in range(8) for kind in ("json&", "")]
        with concurrent.futures.ThreadPoolExecutor(len(links)) as readers:
            for answer in readers.map(self.get, links):
                self.assertEqual(answer.status, 200)
                self.assertGreater(len(answer.body), 60_000_000)
        self.assertLess(self.resident_kib("VmHWM"), 1 << 20)

    def test_short_answers_beside_readers_who_pause_in_long_ones(self):
        """Short answers do not wait until paused readers continue or are disconnected."""
        self.start()
        rows = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 1000) SELECT n, printf('%.*c', 60000, 'x') AS text FROM t"
        with contextlib.ExitStack() as stack:
            pausing = []
            for number in range(4):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=60))
                connection.sendall(f"GET {self.base}a.pickle/query?json&sql={quote(f'{rows} -- {number}')} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
                self.assertEqual(connection.recv(1), b"H")
                pausing.append(connection)
            self.succeed_at("a.pickle/query?json&sql=SELECT+1+AS+one")
            for connection in pausing:
                size = 1
                while piece := connection.recv(1 << 20):
                    size += len(piece)
                self.assertGreater(size, 60_000_000)

    def test_many_connections(self):
        """Connections beyond the maximum wait until others end."""
        self.start()
        connections = [socket.create_connection(("127.0.0.1", self.port), timeout=30) for _ in range(300)]
        time.sleep(0.5)
        for connection in connections:
            connection.close()
        self.succeed_at()


if __name__ == "__main__":
    main()
