"""Messages about common files that are not snapshots: they name the kind of file and what to do instead."""
import functools
import json
import resource
import signal
import struct
import unittest
import zipfile

from containers import snapviewer_members, snapviewer_trace, zip_bytes
from harness import AT_FAULT, DONE, ENVIRONMENT, SAMPLE, CommandLine, is_sanitized, main

MIB = 1 << 20
LIBRARY_NOT_LOADED = 127
METHODS = {9: "Deflate64", 97: "97", 98: "PPMd"}    # methods that no version of libzip reads


def with_method(content, method):
    """Makes a zip of one stored member, and sets another compression method in both of its headers."""
    packed = bytearray(zip_bytes({"run/snapshot.pickle": content}, zipfile.ZIP_STORED))
    directory = packed.rindex(b"PK\x01\x02")
    struct.pack_into("<H", packed, 8, method)
    struct.pack_into("<H", packed, directory + 10, method)
    return bytes(packed)


class Messages(CommandLine):
    def test_too_little_memory(self):
        """If memory or threads run out, the message says so and that a limit can be raised; it is not the library's text."""
        if is_sanitized():
            raise unittest.SkipTest("the sanitizer needs more address space than any limit here")
        refused = 0
        for command in (["info", SAMPLE], ["export", SAMPLE, "--out", "out.db"], ["compare", SAMPLE, SAMPLE], ["fleet", SAMPLE, SAMPLE]):
            for limit_bytes in range(24 * MIB, 64 * MIB, 2 * MIB):
                limit = functools.partial(resource.setrlimit, resource.RLIMIT_AS, (limit_bytes, limit_bytes))
                done = self.run_program(*command, preexec_fn=limit)
                if done.returncode in (DONE, LIBRARY_NOT_LOADED):
                    continue
                if limit_bytes == 24 * MIB and self.run_program("--version", preexec_fn=limit).returncode == -signal.SIGABRT:
                    continue  # the libraries fill the memory, so the C++ library ends the program before main()
                with self.subTest(command=command[0], limit_bytes=limit_bytes, said=done.stderr):
                    self.assertIn(done.returncode, (AT_FAULT, ENVIRONMENT))
                    self.assertNotIn("std::", done.stderr)
                    self.assertTrue("needs more memory" in done.stderr or "raise the limit" in done.stderr)
                    refused += 1
        self.assertGreater(refused, 0)

    def test_compression_is_named(self):
        for method, name in METHODS.items():
            path = self.write("packed.zip", with_method(SAMPLE.read_bytes(), method))
            self.refuse("info", path, mentions=["run/snapshot.pickle", name, "compressed"])

    def test_lzma_and_bzip2_are_read_in_snapviewers_zips_too(self):
        polygons, elements = snapviewer_trace([{"action": "alloc", "addr": 1, "size": 512, "stream": 0, "frames": []}])
        for method in [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2]:
            path = self.write("packed.zip", zip_bytes(snapviewer_members(polygons, elements), method))
            info = json.loads(self.succeed("info", path, "--json"))
            self.assertEqual((info["kind"], info["devices"][0]["peak_bytes"]), ("snapviewer_zip", 512))

    def test_encryption_is_named(self):
        packed = bytearray(zip_bytes({"snapshot.pickle": SAMPLE.read_bytes()}))
        for at in [6, packed.rindex(b"PK\x01\x02") + 8]:
            packed[at] |= 1
        self.refuse("info", self.write("secret.zip", bytes(packed)), mentions=["snapshot.pickle", "encrypted"])

    def test_another_member_is_read(self):
        packed = bytearray(zip_bytes({"a.pickle": SAMPLE.read_bytes() + b"\0" * 1000, "b.pickle": SAMPLE.read_bytes()}))
        for at in [8, packed.index(b"PK\x01\x02") + 10]:
            struct.pack_into("<H", packed, at, 98)
        path = self.write("mixed.zip", bytes(packed))
        self.assertEqual(json.loads(self.succeed("info", path, "--json"))["kind"], "pytorch_pickle")

    def test_other_lists_are_not_taken_for_one(self):
        for content in ["[]", "[[]]", '[["a"]]', "[1, 2]", "<html><body>a page</body></html>"]:
            with self.subTest(content=content):
                done = self.run_program("info", self.write("other.json", content))
                self.assertEqual(done.returncode, AT_FAULT)
                self.assertNotIn("memory timeline", done.stderr)


if __name__ == "__main__":
    main()
