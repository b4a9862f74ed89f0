"""Shared code of the tests of `snapviewer serve`: starts the command, sends requests and parses pages."""
import contextlib
import html.parser
import http.client
import http.server
import re
import signal
import socket
import subprocess
import threading
import urllib.parse

from harness import BINARY, CommandLine

PATIENCE_S = 60
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(html.parser.HTMLParser):
    """Collects a page's links, text and elements. Fails if elements are not closed in reverse order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.elements, self.attributes, self.text = [], [], set(), set(), ""
        self.feed(text)
        self.close()
        assert self.open == ["html"] or self.open == [], f"still open: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        for name, value in attributes:
            self.attributes.add(name)
            if name in ("href", "src", "action"):
                self.links.append(value)
        if tag not in VOID and tag != "option":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "option":
            assert self.open and self.open[-1] == tag, f"</{tag}> after {self.open}"
            self.open.pop()

    def handle_data(self, data):
        self.text += data

    def error(self, message):
        raise AssertionError(message)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode()

    @property
    def page(self):
        return Page(self.text)


def ask(port, target, method="GET", headers=None, host=None):
    """Sends one request on a new connection. The target is sent unchanged."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": host or f"127.0.0.1:{port}", **(headers or {})}.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


class Serving(CommandLine):
    """Base class of tests. Each test has a folder `runs`, which start() serves."""

    def setUp(self):
        super().setUp()
        self.runs = self.folder / "runs"
        self.runs.mkdir()
        self.process = None

    def put(self, name, content):
        path = self.runs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def start(self, *arguments, path=None, environment=None):
        environment = {**self.environment_for(["render"]), "TMPDIR": str(self.home), **(environment or {})}
        self.process = subprocess.Popen([BINARY, "serve", str(path or self.runs), *arguments], env=environment, cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(self.stop)
        self.link = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/([0-9a-f]{40})/)", self.link)
        self.assertTrue(found, self.link)
        self.port, self.base, self.token = int(found.group(1)), found.group(2), found.group(3)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def end(self, number=signal.SIGINT):
        """Sends a signal; returns the exit status and the last lines of output."""
        self.process.send_signal(number)
        _, words = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, words

    def get(self, link="", **options):
        """Requests a page below the token; `link` is a relative link as in a page."""
        return ask(self.port, self.base + link, **options)

    def succeed_at(self, link="", **options):
        answer = self.get(link, **options)
        self.assertEqual(answer.status, 200, f"{link}: {answer.body[:500]}")
        return answer

    def raw(self, request, patience_s=PATIENCE_S):
        """Sends raw bytes and returns everything received until the connection ends."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=patience_s) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(request)
                answer = b""
                while piece := connection.recv(65536):
                    answer += piece
                return answer
        return b""


def quote(name):
    return urllib.parse.quote(name, safe="")


class StripPrefix(http.server.BaseHTTPRequestHandler):
    """A proxy like JupyterHub's: removes a prefix from the target and sends its own Host."""
    prefix, port = "/user/me/proxy/8899", 0

    def do_GET(self):
        if not self.path.startswith(self.prefix + "/"):
            self.send_error(404)
            return
        answer = ask(self.port, self.path[len(self.prefix):], host="hub.example.org")
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name not in ("transfer-encoding", "content-length", "keep-alive", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def prefix_proxy(port):
    """Starts such a proxy in front of a port and returns its port."""
    handler = type("Handler", (StripPrefix,), {"port": port})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
