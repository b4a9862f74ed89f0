"""`pack` writes the same bytes to a smaller file, which opens as the original does."""
import bz2
import gzip
import json
import os
import shutil
import struct
import subprocess
import unittest

from containers import html_page, xz, zip_bytes, zstd_frames
from harness import AT_FAULT, BINARY, SAMPLE, WRONG_USAGE, CommandLine, headless_environment, main

CONTENT_INDEPENDENT_KEYS = ("timings_ms", "peak_rss_bytes", "container")


class Pack(CommandLine):
    def setUp(self):
        super().setUp()
        self.plain = SAMPLE.read_bytes()
        self.sample = self.write("run.pickle", self.plain)

    def pack(self, *arguments):
        """Runs `pack`; returns its output and the path of the written file."""
        before = set(self.files())
        text = self.succeed("pack", *arguments)
        written, = set(self.files()) - before
        return text, written

    def check_holds(self, path, content):
        """Checks that the library unpacks the content, and that the file contains its hash, which is computed here."""
        packed = path.read_bytes()
        self.assertEqual(zstd_frames.decompress(packed, len(content)), content)
        self.assertEqual(struct.unpack("<I", packed[-4:])[0], zstd_frames.xxh64(content) & 0xFFFFFFFF)

    def test_gives_the_same_bytes(self):
        sizes = []
        for level in (1, 9, 19):
            text, written = self.pack("run.pickle", "--level", level)
            self.assertEqual(written.name, "run.pickle.zst")
            self.check_holds(written, self.plain)
            size = written.stat().st_size
            self.assertIn(f"run.pickle.zst: {size / 1024:.1f} KiB, {len(self.plain) / size:.1f} times smaller", text)
            self.assertNotIn("unpacked", text)
            sizes.append(size)
            written.unlink()
        self.assertEqual(sizes, sorted(sizes, reverse=True), "a higher level packs better")
        self.pack("run.pickle")
        self.assertEqual((self.folder / "run.pickle.zst").stat().st_size, sizes[1], "9 by default")

    def test_the_program_zstd_gives_the_same_bytes(self):
        if shutil.which("zstd") is None:
            raise unittest.SkipTest("zstd is absent")
        _, written = self.pack("run.pickle")
        self.assertEqual(subprocess.run(["zstd", "-dc", written], check=True, capture_output=True).stdout, self.plain)

    def test_what_is_packed_already_is_unpacked_first(self):
        for name, content, how in [("a.pickle.gz", gzip.compress(self.plain), "gzip"), ("a.pickle.bz2", bz2.compress(self.plain), "bzip2"),
                                   ("a.pickle.xz", xz(self.plain), "xz"), ("a.pickle", zstd_frames.frame(self.plain), "zstd"),
                                   ("a.pickle.gz", gzip.compress(xz(self.plain)), "gzip/xz")]:
            with self.subTest(how=how):
                self.write(name, content)
                text, written = self.pack(name)
                self.assertEqual(written.name, "a.pickle.zst")
                self.assertIn(f"unpacked from {how} first", text)
                self.check_holds(written, self.plain)
                written.unlink()

    def test_opens_as_what_it_came_from(self):
        text = json.dumps({"segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 512, "stream": 0}]]}).encode()
        for name, content in [("a.pickle", self.plain), ("a.json", text), ("a.html", html_page(self.plain))]:
            with self.subTest(name=name):
                path = self.write(name, content)
                _, packed = self.pack(name)
                plain, small = (json.loads(self.succeed("info", each, "--json")) for each in (path, packed))
                self.assertEqual((plain["container"], small["container"]), ("", "zstd"))
                for key in CONTENT_INDEPENDENT_KEYS:
                    del plain[key], small[key]
                self.assertEqual(small, plain)
                sql = "SELECT * FROM allocations ORDER BY id"
                self.assertEqual(self.ask(packed, sql), self.ask(path, sql))
                self.assertEqual(self.succeed("report", packed, "--json"), self.succeed("report", path, "--json"))

    def test_what_is_in_the_way(self):
        _, written = self.pack("run.pickle")
        before = written.read_bytes()
        self.refuse("pack", "run.pickle", "--level", 19, status=WRONG_USAGE, mentions=["run.pickle.zst: already exists", "--out run.pickle.zst"])
        self.refuse("pack", "run.pickle.zst", status=WRONG_USAGE, mentions=["cannot be the output", "--out"])
        self.refuse("pack", "run.pickle.zst", "--out", "./run.pickle.zst", status=WRONG_USAGE, mentions=["cannot be the output"])
        os.link(self.sample, self.folder / "link.zst")
        self.refuse("pack", "run.pickle", "--out", "link.zst", status=WRONG_USAGE, mentions=["cannot be the output"])
        self.succeed("pack", "run.pickle", "--level", 19, "--out", "run.pickle.zst")
        self.assertLess(written.stat().st_size, len(before), "replaced, as it was named")
        self.check_holds(written, self.plain)

    def test_refuses_what_would_not_open(self):
        database = self.write_database("a.db", "CREATE TABLE t (a)")
        for name, content in [("a.zip", zip_bytes({"a.pickle": self.plain})), ("a.txt", b"just text"), ("empty.pickle", b""),
                              ("text.gz", gzip.compress(b"just text")), ("a.db", database.read_bytes())]:
            with self.subTest(name=name):
                self.refuse("pack", self.write(name, content), mentions=[name, "is not a file that can be packed"])
        self.refuse("pack", self.folder, mentions=["is a directory"])
        self.refuse("pack", "nowhere.pickle", mentions=["nowhere.pickle", "No such file"])

    def test_refuses_what_is_not_whole(self):
        for name, pack in [("a.gz", gzip.compress), ("a.xz", xz), ("a.zst", zstd_frames.frame)]:
            with self.subTest(name=name):
                self.write(name, pack(self.plain)[:-500])
                self.refuse("pack", name, "--out", "b.zst", mentions=[f"{name}: is ", "cut short"])
        damaged = bytearray(zstd_frames.frame(self.plain))
        damaged[-1] ^= 1
        self.refuse("pack", self.write("sum.zst", bytes(damaged)), "--out", "b.zst", mentions=["damaged"])

    def test_usage(self):
        for arguments in (["--level", 0], ["--level", 20], ["--level", "high"], ["--out", "a.gz"]):
            self.refuse("pack", "run.pickle", *arguments, status=WRONG_USAGE, mentions=[arguments[0]])
        self.refuse("export", "run.pickle", "--out", "a.pickle.zst", status=WRONG_USAGE, mentions=["snapviewer pack FILE --out a.pickle.zst"])

    def test_a_folder_that_cannot_be_written_to(self):
        done = subprocess.run([BINARY, "pack", "run.pickle", "--out", "nowhere/a.zst"], cwd=self.folder, env=headless_environment(self.home),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (AT_FAULT, ""))
        self.assertEqual(done.stderr, "snapviewer: nowhere/a.zst: cannot be written: No such file or directory\n")


if __name__ == "__main__":
    main()
