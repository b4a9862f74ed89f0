"""`snapviewer serve`: the content of its pages, and that programs get the same output as on the command line."""
import csv
import io
import json
import os
import re
import signal
import subprocess
import time
import unittest
import urllib.parse
from pathlib import Path

from containers import zstd_frames
from harness import AT_FAULT, BINARY, DONE, ENVIRONMENT, SAMPLE, WRONG_USAGE, is_sanitized, main, snapshots
from serving import Page, Serving, ask, prefix_proxy, quote

HOSTILE_NAMES = ["<script>alert(1)<script>.pickle", 'a" onerror=".pickle', "a b.pickle", "100%.pickle", "a#b.pickle", "a?b.pickle", "Größe ☃.pickle",
                 "new\nline.pickle", "'quoted'.pickle", "a&amp;b.pickle", "a:b.pickle", "a+b.pickle", "%2e%2e%2f.pickle", "back\\slash.pickle",
                 "picture.png.pickle", "query.pickle"]
ROWS = "SELECT id, size FROM allocations ORDER BY id LIMIT 5"


class Serve(Serving):
    def test_a_folder(self):
        for age, name in enumerate(["new.pickle", "middle.json.gz", "old.db"]):
            os.utime(self.put(name, SAMPLE.read_bytes()), (1e9 - age, 1e9 - age))
        self.put("sub/deeper/a.pickle", SAMPLE.read_bytes())
        self.put("notes.txt", b"no snapshot")
        self.put(".hidden.pickle", SAMPLE.read_bytes())
        self.start()
        listed = json.loads(self.succeed_at("?json").text)
        self.assertEqual([each["name"] for each in listed], ["sub", "new.pickle", "middle.json.gz", "old.db"])
        self.assertEqual([each["kind"] for each in listed], ["folder", "file", "file", "file"])
        self.assertEqual(listed[1], {"name": "new.pickle", "kind": "file", "size_bytes": SAMPLE.stat().st_size, "modified_s": 10**9,
                                     "link": "new.pickle/"})
        by_name = json.loads(self.succeed_at("?json&sort=name").text)
        self.assertEqual([each["name"] for each in by_name], ["sub", "middle.json.gz", "new.pickle", "old.db"])
        text = self.succeed_at().page.text
        self.assertLess(text.index("new.pickle"), text.index("old.db"))
        self.assertNotIn("notes", text)
        self.assertNotIn("hidden", text)
        self.put("later.pickle", SAMPLE.read_bytes())
        self.assertEqual(json.loads(self.succeed_at("?json").text)[1]["name"], "later.pickle", "the list is read anew")
        self.assertIn('http-equiv="refresh" content="30"', self.succeed_at("?refresh=30").text)
        for refresh in ("0;url=//elsewhere", "0", "soon", "-1"):
            self.assertEqual(self.get("?refresh=" + quote(refresh)).status, 400)

    def test_a_file(self):
        path = self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        page = self.succeed_at("a.pickle/").page
        self.assertIn(self.succeed("report", path).strip(), page.text)
        self.assertIn("picture.png", page.links)
        self.assertEqual(self.succeed_at("a.pickle/?json").text, self.succeed("report", path, "--json"))
        self.assertEqual(self.succeed_at("a.pickle/?json&device=0").text, self.succeed("report", path, "--json", "--device", "0"))
        of_the_run = ("timings_ms", "peak_rss_bytes")
        found, expected = json.loads(self.succeed_at("a.pickle/?json=info").text), json.loads(self.succeed("info", path, "--json"))
        self.assertEqual([value for key, value in found.items() if key not in of_the_run],
                         [value for key, value in expected.items() if key not in of_the_run])
        self.assertEqual(found["sandbox"], expected["sandbox"], "the command is in its sandbox")

    def test_pictures(self):
        path = self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        for query, options in [("", []), ("?size=400x300", ["--size", "400x300"]),
                               ("?view=100%3A5000&axis=steps&theme=light", ["--view", "100:5000", "--axis", "steps", "--theme", "light"]),
                               ("?colour-by=size&shows=segments&size=500x300&device=0", ["--colour-by", "size", "--shows", "segments", "--size", "500x300"]),
                               ("?search=size+%3E+100+MiB&size=300x200", ["--search", "size > 100 MiB", "--size", "300x200"])]:
            with self.subTest(query=query):
                self.succeed("render", path, "--out", "expected.png", *options)
                answer = self.succeed_at("a.pickle/picture.png" + query)
                self.assertEqual(answer.headers["content-type"], "image/png")
                self.assertEqual(answer.body, (self.folder / "expected.png").read_bytes())
        for query, mentions in [("size=9x9", "is not a size"), ("size=16384x16384", "16 million"), ("view=9:1", "view"), ("device=x", "not a number"),
                                ("device=7", "device 7"), ("colour-by=taste", "taste"), ("search=size+%3E", "search")]:
            answer = self.get("a.pickle/picture.png?" + query)
            self.assertIn(answer.status, (400, 422), query)
            self.assertIn(mentions, answer.page.text)
        self.assertEqual(list(self.home.glob("snapviewer-serve-*/*")), [], "no picture is left behind")

    def put_page(self):
        """Writes a placeholder for the page for browsers: its files, each containing its name."""
        folder = self.folder / "page"
        folder.mkdir()
        for name in ("index.html", "page.js", "snapviewer.js", "snapviewer.wasm", "snapviewer64.wasm", "service_worker.js", "snapviewer.svg",
                     "sample.pickle"):
            (folder / name).write_bytes(b"\0" + name.encode() * 1000)
        (folder / "secret.txt").write_bytes(b"secret")
        return folder

    def test_the_programs_own_page(self):
        page = self.put_page()
        self.put("job/a b.pickle", SAMPLE.read_bytes())
        self.start("--page", page)
        shown = "?device=0&view=100%3A5000&json2=x"
        link = next(link for link in self.succeed_at("job/a%20b.pickle/" + shown).page.links if ".page/" in link)
        address, _, place = urllib.parse.urljoin(self.base + "job/a%20b.pickle/", link).partition("#")
        self.assertEqual(urllib.parse.parse_qs(place), {"device": ["0"], "view": ["100:5000"]})
        asked = urllib.parse.urlsplit(address)
        self.assertEqual(asked.path, self.base + ".page/")
        file = urllib.parse.urljoin(self.base + ".page/", urllib.parse.parse_qs(asked.query)["file"][0])
        self.assertEqual(self.succeed_at(file[len(self.base):]).body, SAMPLE.read_bytes())
        types = {"": "text/html", "index.html": "text/html", "page.js": "text/javascript", "snapviewer.js": "text/javascript",
                 "snapviewer.wasm": "application/wasm", "snapviewer64.wasm": "application/wasm", "snapviewer.svg": "image/svg+xml"}
        for name, kind in types.items():
            answer = self.succeed_at(".page/" + name + "?file=..%2Fa")
            self.assertEqual(answer.body, (page / (name or "index.html")).read_bytes())
            self.assertEqual(answer.headers["content-type"].split(";")[0], kind)
            self.assertEqual(answer.headers["cross-origin-opener-policy"], "same-origin")
            self.assertEqual(answer.headers["cross-origin-embedder-policy"], "require-corp")
            self.assertNotIn("content-disposition", answer.headers)
            again = self.get(".page/" + name + "?file=..%2Fa", headers={"If-None-Match": answer.headers["etag"]})
            self.assertEqual(again.status, 304)
        packed = self.get(".page/snapviewer.wasm", headers={"Accept-Encoding": "gzip, zstd"})
        self.assertEqual(packed.headers["content-encoding"], "zstd")
        self.assertLess(len(packed.body), 1000)
        self.assertEqual(self.get(".page?file=x").headers["location"], ".page/?file=x")
        for name in (".page/secret.txt", ".page/../job/", ".page/page.js/", ".page/page.js/x", ".page/..%2Fjob", ".pages/page.js", ".page/.page/page.js",
                     "job/.page/page.js"):
            self.assertEqual(self.get(name).status, 404, name)

    def test_its_policy_is_that_of_the_page_itself(self):
        self.start("--page", self.put_page())
        source = (Path(__file__).resolve().parents[2] / "app" / "web" / "index.html").read_text()
        wanted = re.search('Content-Security-Policy" content="([^"]+)"', source).group(1)
        self.assertEqual(self.succeed_at(".page/").headers["content-security-policy"], wanted)
        self.assertIn("default-src 'none'", self.succeed_at("").headers["content-security-policy"])

    def test_without_a_page(self):
        self.put("a.pickle", SAMPLE.read_bytes())
        (self.folder / "empty").mkdir()
        self.refuse("serve", self.runs, "--page", self.folder / "empty", status=ENVIRONMENT, mentions=["holds no page"])
        self.start()
        self.assertFalse([link for link in self.succeed_at("a.pickle/").page.links if ".page" in link])
        self.assertEqual(self.get(".page/").status, 404)

    def test_options_that_name_other_files_are_not_taken(self):
        self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        plain = self.succeed_at("a.pickle/picture.png?size=300x200").body
        for name in ("out", "with", "rules", "remembered", "drawing", "FILE", "--out", "file"):
            self.assertEqual(self.succeed_at(f"a.pickle/picture.png?size=300x200&{quote(name)}={quote('/etc/passwd')}").body, plain)
        for sql in ("--compare=/etc/passwd", "--with=/etc/passwd", "--help", "-h", "--limit=0", "@file", "-"):
            answer = self.get(f"a.pickle/query?json&sql={quote(sql)}")
            self.assertEqual(answer.status, 400, sql)
            self.assertNotIn("passwd", answer.text)

    def test_zoom(self):
        self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        link = "a.pickle/"
        for _ in range(20):
            page = self.succeed_at(link).page
            zoomed = [link for link in page.links if link.startswith("?")]
            self.succeed_at("a.pickle/" + next(link for link in page.links if link.startswith("picture.png")))
            link = "a.pickle/" + next(link for link in zoomed if "view" in link)
        begin, end = urllib.parse.parse_qs(link)["view"][0].split(":")
        self.assertLess(int(end) - int(begin), 10)
        for place in ("axis=time&view=0%3A1000", "view=9999999%3A99999999", "view=-500%3A-1"):
            self.succeed_at("a.pickle/?" + place)

    def test_queries(self):
        path = self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        expected = self.succeed("query", path, ROWS, "--format", "json")
        self.assertEqual(self.succeed_at("a.pickle/query?json&sql=" + quote(ROWS)).text, expected)
        answer = self.succeed_at("a.pickle/query?csv&sql=" + quote(ROWS))
        self.assertEqual(answer.text.replace("\r\n", "\n"), self.succeed("query", path, ROWS, "--format", "csv", "--safe-csv"))
        self.assertEqual(len(list(csv.reader(io.StringIO(answer.text)))), 6)
        page = self.succeed_at("a.pickle/query?sql=" + quote(ROWS)).page
        self.assertIn("table", page.elements)
        for row in json.loads(expected):
            self.assertIn(str(row["size"]), page.text)
        page = self.succeed_at("a.pickle/query?sql=" + quote("-- what a comment\nSELECT '<b>&' AS \"<i>\", NULL, 1.5")).page
        self.assertIn("<b>&", page.text)
        self.assertFalse({"b", "i"} & page.elements)
        many = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 5000) SELECT n FROM t"
        self.assertIn("stopped after 1,000 rows", self.succeed_at("a.pickle/query?sql=" + quote(many)).page.text)
        self.assertEqual(len(json.loads(self.succeed_at("a.pickle/query?json&sql=" + quote(many)).text)), 5000)
        self.assertIn("No rows", self.succeed_at("a.pickle/query?sql=" + quote("SELECT 1 WHERE 0")).page.text)
        self.assertIn("textarea", self.succeed_at("a.pickle/query").page.elements)

    def test_a_query_with_an_error(self):
        self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        for query, mentions in [("SELEC 1", "syntax error"), ("SELECT * FROM absent", "no such table"), ("DELETE FROM events", "")]:
            page = self.get("a.pickle/query?sql=" + quote(query))
            self.assertEqual(page.status, 400)
            self.assertIn(mentions, page.page.text)
            self.assertIn(query, page.page.text, "the question is still in the form")
            answer = self.get("a.pickle/query?json&sql=" + quote(query))
            self.assertEqual(answer.status, 400)
            self.assertIn(mentions, json.loads(answer.text)["error"])
        self.assertEqual(self.get("a.pickle/query?json").status, 400)
        self.assertEqual(self.get("a.pickle/query?sql=" + "a" * 9000).status, 414)

    def test_downloads(self):
        content = os.urandom(300_000) + bytes(3_000_000)
        self.put("a b.pickle", content)
        self.put("empty.pickle", b"")
        self.start()
        link = "a%20b.pickle/a%20b.pickle"
        answer = self.succeed_at(link)
        self.assertEqual(answer.body, content)
        self.assertIn("filename*=UTF-8''a%20b.pickle", answer.headers["content-disposition"])
        packed = self.succeed_at(link, headers={"Accept-Encoding": "gzip, zstd"})
        self.assertEqual(packed.headers["content-encoding"], "zstd")
        self.assertLess(len(packed.body), 400_000)
        self.assertEqual(zstd_frames.decompress(packed.body, len(content)), content)
        packed = self.succeed_at(link + "?zstd")
        self.assertNotIn("content-encoding", packed.headers)
        self.assertEqual(subprocess.run(["zstd", "-dc"], input=packed.body, stdout=subprocess.PIPE, check=True).stdout, content)
        for given, begin, end in [("0-0", 0, 1), ("100-199", 100, 200), ("3299990-", 3299990, 3300000), ("-7", 3299993, 3300000), ("5-99999999", 5, 3300000)]:
            part = self.get(link, headers={"Range": f"bytes={given}", "Accept-Encoding": "zstd"})
            self.assertEqual((part.status, part.body), (206, content[begin:end]), given)
            self.assertEqual(part.headers["content-range"], f"bytes {begin}-{end - 1}/{len(content)}")
        tag = self.succeed_at(link).headers["etag"]
        for condition, status in ((tag, 206), ('"another"', 200)):
            part = self.get(link, headers={"Range": "bytes=5-9", "If-Range": condition})
            self.assertEqual((part.status, len(part.body)), (status, 5 if status == 206 else len(content)))
        for given in ("3300000-", "99999999-999999999", "-0"):
            self.assertEqual(self.get(link, headers={"Range": f"bytes={given}"}).status, 416, given)
        self.assertEqual(self.get(link, headers={"Range": "bytes=0-1,3-4"}).body, content)
        for more in ("", "?zstd"):
            self.succeed_at("empty.pickle/empty.pickle" + more)

    def test_accepted_encodings(self):
        self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        for accepted, packed in (("zstd", True), ("ZSTD ; q=0.5", True), ("gzip;q=1, zstd;q=0.001", True), ("zstd;q=1.0,identity;q=0.5", True), ("zstd;q=0", False),
                                 ("gzip, zstd; q=0.000", False), ("zstd;Q=0", False), ("zstd;q=0.5, identity", False), ("zstd;q=often", False), ("xzstd", False), ("zstd-x", False),
                                 ("*", False), ("", False)):
            with self.subTest(accepted=accepted):
                answer = self.succeed_at("a.pickle/a.pickle", headers={"Accept-Encoding": accepted})
                self.assertEqual(answer.headers.get("content-encoding"), "zstd" if packed else None)

    def test_the_link_to_a_file_opens_it(self):
        path = self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        link = self.link + "a.pickle/a.pickle"
        self.assertEqual(self.succeed("report", link, "--json"), self.succeed("report", path, "--json"))
        self.assertEqual(self.succeed("query", link, ROWS), self.succeed("query", path, ROWS))

    def test_head(self):
        self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        for link in ("", "?json", "a.pickle/", "a.pickle/picture.png", "a.pickle/a.pickle", "a.pickle/query?json&sql=SELECT+1"):
            whole, head = self.succeed_at(link), self.succeed_at(link, method="HEAD")
            self.assertEqual(head.body, b"")
            self.assertEqual(head.headers.get("content-length"), whole.headers["content-length"])
            self.assertEqual(head.headers["content-type"], whole.headers["content-type"])

    def test_what_did_not_change_is_not_sent_again(self):
        path = self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        for link in ("a.pickle/", "a.pickle/picture.png", "a.pickle/a.pickle"):
            tag = self.succeed_at(link).headers["etag"]
            self.assertEqual(self.get(link, headers={"If-None-Match": tag}).status, 304)
        os.utime(path, (1, 1))
        self.succeed_at("a.pickle/", headers={"If-None-Match": tag})
        path.write_bytes(b"damaged")
        self.assertEqual(self.get("a.pickle/").status, 422, "an old answer is not given for a new file")

    def test_a_file_that_was_replaced_or_written(self):
        """Size and modification time do not reveal the change, because the new file has those of the old one."""
        path = self.put("a.pickle", b"one")
        os.utime(path, (1e9, 1e9))
        self.start()
        for content, change in ((b"two", lambda: os.replace(self.put(".new", b"two"), path)), (b"six", lambda: path.write_bytes(b"six"))):
            tag = self.succeed_at("a.pickle/a.pickle").headers["etag"]
            change()
            os.utime(path, (1e9, 1e9))
            self.assertEqual(self.succeed_at("a.pickle/a.pickle", headers={"If-None-Match": tag}).body, content)
        for name in ("a.pickle-wal", "a.pickle-journal", "a.about.json"):
            tag = self.succeed_at("a.pickle/a.pickle").headers["etag"]
            self.put(name, b"{}")
            self.succeed_at("a.pickle/a.pickle", headers={"If-None-Match": tag})

    def test_every_link(self):
        """Every link answers and stays below the token. Every page is well-formed and contains no file name as HTML."""
        for name in HOSTILE_NAMES:
            self.put(name, SAMPLE.read_bytes())
        self.put("<b>folder/deeper #1/a.pickle", SAMPLE.read_bytes())
        self.start()
        pages = self.crawl(self.port, self.base)
        for name in HOSTILE_NAMES:
            self.assertIn(f"{self.base}{quote(name)}/", pages)
            self.assertIn(f"{self.base}{quote(name)}/picture.png", pages)
        self.assertIn(f"{self.base}?fleet", pages)
        self.assertIn(f"{self.base}{quote('<b>folder')}/{quote('deeper #1')}/a.pickle/", pages)

    def crawl(self, port, base):
        """Returns the addresses of all pages. Links on pages of a zoomed view are not followed, because zooming has no end."""
        waiting, seen = [base], {base}
        while waiting:
            address = waiting.pop()
            answer = ask(port, address)
            self.assertEqual(answer.status, 200, f"{address}: {answer.body[:300]}")
            if not answer.headers["content-type"].startswith("text/html") or "view=" in address:
                continue
            page = answer.page
            self.assertFalse(page.elements & {"script", "b", "iframe", "object", "link", "base"}, address)
            self.assertFalse({name for name in page.attributes if name.startswith("on") or name == "style"}, address)
            for link in page.links:
                target = urllib.parse.urljoin(address, link).split("#")[0]
                self.assertTrue(target.startswith(base), f"{address} leads to {link}")
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen

    def test_behind_a_proxy_that_takes_a_prefix_away(self):
        self.put("sub/a.pickle", SAMPLE.read_bytes())
        self.start(environment={"JUPYTERHUB_SERVICE_PREFIX": "/user/me/"})
        with prefix_proxy(self.port) as port:
            pages = self.crawl(port, "/user/me/proxy/8899" + self.base)
            self.assertIn(f"/user/me/proxy/8899{self.base}sub/a.pickle/picture.png", pages)
            moved = ask(port, f"/user/me/proxy/8899{self.base}sub")
            self.assertEqual((moved.status, moved.headers["location"]), (302, "sub/"))
        _, words = self.end()
        self.assertIn(f"/user/me/proxy/{self.port}{self.base}", words)

    def test_a_fleet(self):
        ranks = [self.put(f"job/rank{rank}.pickle", SAMPLE.read_bytes()) for rank in range(3)]
        self.put("one.pickle", SAMPLE.read_bytes())
        self.start()
        self.assertNotIn("?fleet", self.succeed_at().page.links)
        self.assertIn("?fleet", self.succeed_at("job/").page.links)
        self.assertIn(self.succeed("fleet", *ranks).strip(), self.succeed_at("job/?fleet").page.text)
        self.assertEqual(self.succeed_at("job/?fleet&json").text, self.succeed("fleet", self.runs / "job", "--json"))

    def test_a_series(self):
        """The page has the newest full snapshot with its link, the rank that stopped writing, and one row per rank."""
        snapshots.make("gen_series.py", self.runs / "job #1", "--blocks", 4, "--ranks", 4)
        truth = json.loads((self.runs / "job #1" / ".truth.json").read_text())
        self.put("one.pickle", SAMPLE.read_bytes())
        self.start()
        self.assertNotIn("?series", self.succeed_at().page.links)
        self.assertIn("?series", self.succeed_at("job%20%231/").page.links)
        page = self.succeed_at("job%20%231/?series&refresh=30").page
        self.assertIn(f"Rank {truth['dead']['rank']} on node0 no longer writes", page.text)
        self.assertRegex(page.text, "The newest full snapshot: node1_rank1_device0_oom1.pickle, oom, rank 1, ")
        self.assertIn("node1_rank1_device0_oom1.pickle/", page.links)
        self.succeed_at("job%20%231/node1_rank1_device0_oom1.pickle/")
        self.assertIn("40.0 MiB an hour", page.text)
        said = json.loads(self.succeed_at("job%20%231/?series&json").text)
        self.assertEqual(said, json.loads(self.succeed("series", self.runs / "job #1", "--json")))
        (self.runs / "job #1" / "series" / "outside.pickle").symlink_to(SAMPLE)
        self.assertEqual(self.get("job%20%231/?series").status, 403)
        self.assertEqual(self.get("?series").status, 403)
        (self.runs / "empty").mkdir()
        self.assertEqual(self.get("empty/?series").status, 422)

    def test_files_that_cannot_be_read(self):
        self.put("damaged.pickle", SAMPLE.read_bytes()[:100])
        self.put("text.pickle", b"just text")
        self.put("empty.pickle", b"")
        self.put("tables.db", self.write_database("tables.db", "CREATE TABLE t (a); INSERT INTO t VALUES (7)").read_bytes())
        self.start()
        for name, mentions in [("damaged.pickle", ""), ("text.pickle", "is not a file that snapviewer can read"), ("empty.pickle", "is empty")]:
            for link in ("", "?json", "picture.png", "?json=info"):
                answer = self.get(f"{name}/{link}")
                self.assertEqual(answer.status, 422, answer.text)
                self.assertIn(mentions, answer.text)
                self.assertGreater(len(answer.text), 10)
            self.succeed_at(f"{name}/{name}")
        page = self.succeed_at("tables.db/").page
        self.assertNotIn("picture.png", page.links)
        self.assertEqual(json.loads(self.succeed_at("tables.db/query?json&sql=SELECT+a+FROM+t").text), [{"a": 7}])

    def test_one_file(self):
        self.put("a.pickle", SAMPLE.read_bytes())
        self.put("other.pickle", SAMPLE.read_bytes())
        self.start(path=self.runs / "a.pickle")
        self.assertEqual([each["name"] for each in json.loads(self.succeed_at("?json").text)], ["a.pickle"])
        self.succeed_at("a.pickle/")
        self.assertEqual(self.get("other.pickle/").status, 404)
        fleet = json.loads(self.succeed_at("?fleet&json").text)
        self.assertEqual([Path(rank["file"]).name for rank in fleet["ranks"]], ["a.pickle"])

    def test_what_cannot_be_served(self):
        self.refuse("serve", "nowhere", status=AT_FAULT, mentions=["nowhere", "cannot be served"])
        self.refuse("serve", self.write("a.txt", b""), status=AT_FAULT, mentions=["neither a folder nor a file"])
        self.refuse("serve", "--idle", "soon", status=WRONG_USAGE, mentions=["soon", "8h"])
        self.refuse("serve", "--idle", "90", status=WRONG_USAGE, mentions=["'90'", "90s"])
        self.refuse("serve", "--port", "70000", status=WRONG_USAGE, mentions=["70000"])
        self.start()
        self.refuse("serve", "--port", str(self.port), status=ENVIRONMENT, mentions=[f"port {self.port}", "cannot be listened on"])

    def test_without_its_library(self):
        """Everything else works."""
        program = self.write("snapviewer", Path(BINARY).read_bytes())
        if not program.read_bytes().startswith(b"\x7fELF"):
            raise unittest.SkipTest("the program is started by an emulator")
        program.chmod(0o755)
        self.put("a.pickle", SAMPLE.read_bytes())
        done = subprocess.run([program, "serve", self.runs], capture_output=True, text=True, env=self.environment_for([]), timeout=60)
        self.assertEqual((done.returncode, done.stdout), (ENVIRONMENT, ""))
        self.assertRegex(done.stderr, r"\Asnapviewer: serve: serving needs a library that is missing .*cpp-httplib[^\n]*\n\Z")
        self.assertEqual(subprocess.run([program, "info", self.runs / "a.pickle"], capture_output=True, env=self.environment_for([]), timeout=60).returncode, DONE)

    def test_ctrl_c(self):
        """The server ends its child processes, too, although one of them runs an endless query."""
        self.put("a.pickle", SAMPLE.read_bytes())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                self.start()
                endless = quote("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t")
                slow = subprocess.Popen(["curl", "-s", f"{self.link}a.pickle/query?sql={endless}"], stdout=subprocess.DEVNULL)
                self.wait_for_children(lambda count: count > 0)
                status, words = self.end(number)
                slow.wait()
                self.assertEqual(status, -number)
                self.assertIn("serve has ended, as it was told to", words)
                self.wait_for_children(lambda count: count == 0)
                self.assertEqual(list(self.home.glob("snapviewer-serve-*")), [])

    def test_commands_end_with_the_server(self):
        if is_sanitized() or not Path(BINARY).read_bytes().startswith(b"\x7fELF"):
            raise unittest.SkipTest("the program is not the process that was started")
        self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        endless = quote("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t")
        with subprocess.Popen(["curl", "-s", f"{self.link}a.pickle/query?sql={endless}"], stdout=subprocess.DEVNULL):
            self.wait_for_children(lambda count: count == 1)
            self.stop()
        self.wait_for_children(lambda count: count == 0)

    def test_the_folder_of_a_server_that_was_killed(self):
        """The next server removes the folder, but not that of a running server or of another program."""
        self.start()
        left, = self.home.glob("snapviewer-serve-*")
        (left / "7.png").write_bytes(b"half a picture")
        self.stop()
        strange = self.home / "snapviewer-serve-strange"
        strange.mkdir()
        (strange / "mine.txt").write_bytes(b"mine")
        (self.home / "snapviewer-serve-link").symlink_to(self.runs)
        self.put("8.png", b"mine")
        self.start()
        first, (running,) = self.process, {*self.home.glob("snapviewer-serve-????????????????")}
        self.addCleanup(first.communicate)
        self.addCleanup(first.kill)
        self.assertNotEqual(running, left)
        self.start()
        self.assertEqual(len(list(self.home.glob("snapviewer-serve-????????????????"))), 2)
        self.assertTrue(running.exists() and (strange / "mine.txt").exists() and (self.runs / "8.png").exists())

    def wait_for_children(self, is_so):
        end = time.monotonic() + 20
        while not is_so(self.count_queries()):
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.05)

    def count_queries(self):
        """Returns the number of running queries on files of this test."""
        mine = f"\0{self.runs}/".encode()
        count = 0
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                try:
                    with open(f"/proc/{entry.name}/cmdline", "rb") as file:
                        words = file.read()
                except OSError:
                    continue
                count += b"\0query\0" in words and mine in words
        return count

    def test_what_nobody_waits_for_is_stopped(self):
        self.put("a.pickle", SAMPLE.read_bytes())
        self.start()
        endless = quote("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t")
        slow = subprocess.Popen(["curl", "-s", f"{self.link}a.pickle/query?sql={endless}"], stdout=subprocess.DEVNULL)
        self.wait_for_children(lambda count: count == 1)
        slow.kill()
        slow.wait()
        self.wait_for_children(lambda count: count == 0)
        self.succeed_at("a.pickle/")

    def test_idle(self):
        self.start("--idle", "2s")
        began = time.monotonic()
        for _ in range(6):
            self.succeed_at()
            time.sleep(0.5)
        ask(self.port, "/wrong/")
        _, words = self.process.communicate(timeout=20)
        self.assertEqual(self.process.returncode, DONE)
        self.assertIn("nothing was asked for 2s", words)
        self.assertGreater(time.monotonic() - began, 4)

    def test_in_the_working_folder(self):
        self.write("a.pickle", SAMPLE.read_bytes())
        process = subprocess.Popen([BINARY, "serve", "--idle", "1s"], cwd=self.folder, env=self.environment_for([]), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        link = urllib.parse.urlsplit(process.stdout.readline().strip())
        self.assertIn("a.pickle", Page(ask(link.port, link.path).text).text)


if __name__ == "__main__":
    main()
