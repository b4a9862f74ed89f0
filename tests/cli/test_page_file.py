"""`export --out X.html`: one file with the program for browsers and a snapshot. A placeholder replaces the program here; tests/web
checks that the page works."""
import base64
import gzip
import html.parser
import json
import random
import re
import shutil
import unittest
from pathlib import Path

from containers import zstd_frames
from harness import AT_FAULT, DONE, ENVIRONMENT, SAMPLE, WRONG_USAGE, CommandLine, main

SOURCE = Path(__file__).resolve().parents[2] / "app" / "web"
RUN_DEPENDENT_KEYS = ("timings_ms", "peak_rss_bytes", "container", "format", "file", "file_bytes")


class Elements(html.parser.HTMLParser):
    """Collects a page's scripts by id, as (attributes, text), its content security policy, and all references to other files."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.links, self.policy, self.inside = {}, [], None, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [value for name, value in attributes.items() if name in ("src", "href")]
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag == "script":
            self.inside = attributes.get("id", "page")
            self.scripts[self.inside] = (attributes, "")

    def handle_data(self, data):
        if self.inside:
            attributes, text = self.scripts[self.inside]
            self.scripts[self.inside] = (attributes, text + data)

    def handle_endtag(self, tag):
        self.inside = None


class PageFile(CommandLine):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "page"
        self.page.mkdir()
        for name in ("index.html", "page.js"):
            shutil.copy(SOURCE / name, self.page)
        self.script = b"// \xc3\xbc </script> \"base64\": \"AAAA\"\n"
        self.program = random.Random(5).randbytes(300_001)
        (self.page / "alone.js").write_bytes(self.script)
        (self.page / "alone.wasm").write_bytes(self.program)

    def written(self, path, *arguments):
        said = self.succeed("export", path, "--out", "out.html", "--page", self.page, *arguments)
        text = (self.folder / "out.html").read_text(encoding="utf-8")
        return said, Elements(text), text

    def test_holds_the_program_and_the_snapshot(self):
        said, elements, text = self.written(SAMPLE)
        self.assertEqual(elements.scripts["page"][1].strip(), (SOURCE / "page.js").read_text().strip())
        self.assertEqual(base64.b64decode(elements.scripts["embedded-script"][1], validate=True), self.script)
        self.assertEqual(gzip.decompress(base64.b64decode(elements.scripts["embedded-program"][1], validate=True)), self.program)
        attributes, data = elements.scripts["embedded-file"]
        self.assertEqual((attributes["data-name"], attributes["data-place"]), (SAMPLE.name, ""))
        packed = base64.b64decode(json.loads(data)["base64"], validate=True)
        self.assertEqual(zstd_frames.decompress(packed, SAMPLE.stat().st_size), SAMPLE.read_bytes())
        self.assertEqual(elements.links, [], "everything is in the file")
        self.assertIn("default-src 'none'", elements.policy)
        self.assertNotIn(str(SAMPLE.parent), text, "of the path only the name")
        self.assertIn(f"{len(text.encode()) / 1024:.1f} KiB", said)

    def test_says_before_how_large_it_will_be(self):
        """Uses a large file, because the size is shown only if writing takes long."""
        filler = random.Random(9).randbytes(9 << 20).hex()
        path = self.write("large.json", json.dumps({"segments": [], "device_traces": [[]], "filler": filler}).encode())
        done = self.run_program("export", path, "--out", "out.html", "--page", self.page)
        self.assertEqual(done.returncode, DONE, done.stderr)
        expected_mib, program_kib = re.search(r"out.html will be about ([\d.]+) MiB, of which ([\d.]+) KiB are the program", done.stderr).groups()
        self.assertAlmostEqual(float(expected_mib), (self.folder / "out.html").stat().st_size / 2**20, delta=0.5)
        program_bytes = len(self.program) * 4 / 3 + (SOURCE / "page.js").stat().st_size
        self.assertAlmostEqual(float(program_kib), program_bytes / 1024, delta=3)
        self.assertNotIn("will be", self.run_program("export", SAMPLE, "--out", "out.html", "--page", self.page).stderr)

    def test_opens_again_as_the_snapshot(self):
        self.written(SAMPLE)
        found, expected = (json.loads(self.succeed("info", path, "--json")) for path in ("out.html", SAMPLE))
        self.assertEqual(found["container"], "zstd")
        for report in (found, expected):
            for key in RUN_DEPENDENT_KEYS:
                report.pop(key, None)
        self.assertEqual(found["devices"], expected["devices"])
        sql = "SELECT id, size, address FROM allocations ORDER BY id"
        self.assertEqual(self.succeed("query", "out.html", sql), self.succeed("query", SAMPLE, sql))

    def test_hostile_names_and_places(self):
        name = "a\"><script>alert(1)<!--&lt;ü.pickle"
        path = self.folder / name
        try:
            path.write_bytes(SAMPLE.read_bytes())
            has_such_names = "Invalid name" not in self.run_program("info", path).stderr   # Windows' message
        except OSError:
            has_such_names = False
        if not has_such_names:
            name = "a'&lt;ü.pickle"
            path = self.write(name, SAMPLE.read_bytes())
        _, elements, text = self.written(path, "--show", "search=%22%3E%3Cscript%3E&view=1:5")
        self.assertEqual(set(elements.scripts), {"page", "embedded-file", "embedded-script", "embedded-program"})
        attributes, _ = elements.scripts["embedded-file"]
        self.assertEqual(attributes["data-name"], name)
        self.assertEqual(attributes["data-place"], "search=%22%3E%3Cscript%3E&view=1:5")
        self.assertNotIn("<script>alert", text)

    def test_what_was_packed_before_is_packed_anew(self):
        _, elements, _ = self.written(self.write("a.pickle.gz", gzip.compress(SAMPLE.read_bytes())))
        packed = base64.b64decode(json.loads(elements.scripts["embedded-file"][1])["base64"])
        self.assertEqual(zstd_frames.decompress(packed, SAMPLE.stat().st_size), SAMPLE.read_bytes())

    def test_what_is_wrong(self):
        out = ("--out", "out.html", "--page")
        self.refuse("export", SAMPLE, *out, self.folder / "nowhere", status=ENVIRONMENT, mentions=["nowhere", "holds no page"])
        self.refuse("export", SAMPLE, "--out", "out.html", status=ENVIRONMENT, mentions=["out.html", "scripts/web.sh"])
        self.refuse("export", SAMPLE, *out, self.page, "--show", "view=5:1", status=WRONG_USAGE, mentions=["view"])
        self.refuse("export", self.write("text.pickle", b"no snapshot"), *out, self.page, status=AT_FAULT, mentions=["text.pickle"])
        self.refuse("export", self.write("cut.pickle.gz", gzip.compress(SAMPLE.read_bytes())[:-100]), *out, self.page, status=AT_FAULT,
                    mentions=["cut.pickle.gz"])
        html_path = self.write("self.html", b"<html>")
        self.refuse("export", html_path, "--out", html_path, "--page", self.page, status=WRONG_USAGE, mentions=["cannot be the output"])
        (self.page / "alone.js").unlink()
        self.refuse("export", SAMPLE, *out, self.page, status=ENVIRONMENT, mentions=["alone.js"])
        (self.page / "alone.js").write_bytes(b"")
        (self.page / "index.html").write_bytes(b"<html></html>")
        self.refuse("export", SAMPLE, *out, self.page, status=ENVIRONMENT, mentions=["another version"])


if __name__ == "__main__":
    main()
