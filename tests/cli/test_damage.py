"""Files with damaged content open up to the damage, in every container, and the damage is reported."""
import bz2
import gzip
import json
import lzma
import pickle
import zipfile
import zlib

import containers
from containers import zstd_frames
from harness import CommandLine, main, snapshots

EVENTS = 400
PACKINGS = {"gzip": gzip.compress, "bzip2": lambda data: bz2.compress(data, 1), "xz": lzma.compress, "lzma": containers.lzma_alone,
            "zstd": zstd_frames.compress}


def snapshot(events=EVENTS, start=10**15):
    trace = [{"action": "alloc", "addr": 2**20 * (i + 1), "size": 512 * (1 + i % 7), "stream": 0, "time_us": start + 10 * i,
              "frames": [{"filename": "train.py", "line": i % 50, "name": "step"}]} for i in range(events)]
    return {"segments": [], "device_traces": [trace]}


def flip(data, place):
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1:]


class Damage(CommandLine):
    def info(self, name, content, *options):
        info = json.loads(self.succeed("info", self.write(name, content), "--json", *options))
        return sum(device["events"] for device in info["devices"]), {entry["code"]: entry for entry in info["import_log"]}

    def expect_cut(self, name, content, least, most):
        events, log = self.info(name, content)
        self.assertIn("damaged", log["cut_short"]["message"])
        self.assertEqual(log["cut_short"]["severity"], "data_loss")
        self.assertGreaterEqual(events, least)
        self.assertLessEqual(events, most)

    def plain_forms(self):
        value = snapshot()
        yield "cpp.pickle", containers.cpp_pickle(value), lambda n: b"\x8a\x08" + (10**15 + 10 * n).to_bytes(8, "little")
        yield "text.json", json.dumps(value).encode(), lambda n: str(10**15 + 10 * n).encode()
        for protocol in range(1, 6):
            # [:7]: the eighth byte of these numbers is 0 and is omitted
            yield f"{protocol}.pickle", pickle.dumps(value, protocol), (
                lambda n: b"L%dL\n" % (10**15 + 10 * n)) if protocol < 2 else (lambda n: b"\x8a\x07" + (10**15 + 10 * n).to_bytes(7, "little"))

    def test_plain_files_open_up_to_the_damage(self):
        for name, whole, time_of in self.plain_forms():
            with self.subTest(name=name):
                self.assertEqual(self.info(name, whole), (EVENTS, {}) if name != "cpp.pickle" else self.info(name, whole))
                after_70, after_71 = whole.index(time_of(69)) + len(time_of(69)), whole.index(time_of(70)) + len(time_of(70))
                self.expect_cut(name, whole[:after_71] + bytes(len(whole) - after_71), 70, 71)
                # overwrites all bytes of some instruction or word in event 70
                self.expect_cut(name, whole[:after_70 + 20] + b"\xff" * 40 + whole[after_70 + 60:], 69, 71)

    def test_packed_files_open_up_to_the_damage(self):
        whole = pickle.dumps(snapshot(), 4)
        for how, pack in PACKINGS.items():
            packed = pack(whole)
            for name, content in [("zeros", packed[:len(packed) * 2 // 3] + bytes(len(packed) - len(packed) * 2 // 3)),
                                  ("flip", flip(packed, len(packed) * 2 // 3))]:
                with self.subTest(how=how, name=name):
                    done = self.run_program("info", self.write("packed.bin", content), "--json")
                    if done.returncode != 0:                # one block of bzip2 or zstd may contain the whole file
                        self.assertIn(how, ("bzip2", "zstd"))
                        self.assertIn("damaged", done.stderr)
                        continue
                    info = json.loads(done.stdout)
                    notes = [entry["message"] for entry in info["import_log"] if entry["code"] in ("cut_short", "damaged_packing")]
                    self.assertEqual(len(notes), 1)
                    self.assertIn("damaged", notes[0])
                    if how != "lzma":                       # lzma has no checksum
                        self.assertRegex(notes[0], "compressed|gzipped")

    def altered(self, pack, whole, check):
        """Returns a packed file with one changed byte that still unpacks to a snapshot, but with other numbers."""
        packed = pack(whole)
        for place in range(len(packed) // 2, len(packed)):
            content = flip(packed, place)
            if check(content):
                return content
        self.fail("no byte does that")

    def test_a_checksum_tells_that_numbers_are_wrong(self):
        whole = pickle.dumps(snapshot(), 4)

        def unpacks(content):
            stream = zlib.decompressobj(31)
            try:
                stream.decompress(content[:-8])
                out = zlib.decompressobj(-15).decompress(content[10:-8])
                value = pickle.loads(out)
                return out != whole and len(value["device_traces"][0]) == EVENTS
            except Exception:
                return False

        for name, content in [("sum.gz", self.altered(gzip.compress, whole, unpacks)),
                              ("trailer.gz", flip(gzip.compress(whole), len(gzip.compress(whole)) - 6)),
                              ("no-trailer.gz", gzip.compress(whole)[:-8]),
                              ("sum.xz", flip(lzma.compress(whole, check=lzma.CHECK_CRC32), len(lzma.compress(whole)) - 45)),
                              ("sum.json.gz", flip(gzip.compress(json.dumps(snapshot()).encode()), -6))]:
            with self.subTest(name=name):
                events, log = self.info(name, content)
                self.assertEqual(events, EVENTS)
                entry = log.get("damaged_packing") or log["cut_short"]
                self.assertEqual(entry["severity"], "data_loss")
                if name != "sum.xz":
                    self.assertEqual(set(log) - {"stray_times"}, {"damaged_packing"})
        done = self.run_program("check", self.folder / "trailer.gz", "--max-peak", "1TiB")
        self.assertEqual(done.returncode, 5, done.stdout)
        member = bytearray(containers.zip_bytes({"snapshot.pickle": whole}, zipfile.ZIP_STORED))
        member[member.index(b"train.py") + 2] ^= 1
        self.assertEqual(set(self.info("sum.zip", bytes(member))[1]), {"damaged_packing"})

    def test_several_pickles_in_one_file(self):
        parts = [snapshot(events) for events in (3, 5, 8)]
        for protocol in range(6):
            whole = b"".join(pickle.dumps(part, protocol) for part in parts)
            for name, content in [("several.pickle", whole), ("several.pickle.gz", gzip.compress(whole))]:
                with self.subTest(protocol=protocol, name=name):
                    events, log = self.info(name, content)
                    self.assertEqual((events, log["other_snapshots"]["count"]), (3, 2))
                    self.assertEqual([self.info(name, content, "--part", part)[0] for part in (1, 2, 3)], [3, 5, 8])
                    self.refuse("info", self.write(name, content), "--part", 4, mentions=["4"])
        path = self.write("several.pickle", whole)
        self.refuse("info", path, "--part", 0, mentions=["0"])
        self.refuse("info", self.write("one.json", json.dumps(parts[0])), "--part", 2, mentions=["2"])
        for command in [("report", "--json"), ("tree", "--json"), ("replay", "--json"), ("check", "--max-peak", "1")]:
            with self.subTest(command=command[0]):
                answers = [self.run_program(command[0], path, *command[1:], "--part", part).stdout for part in (1, 3)]
                self.assertNotEqual(*answers)
        rows = self.succeed("query", path, "SELECT count(*) AS n FROM events", "--format", "json", "--part", 3)
        self.assertEqual(json.loads(rows), [{"n": 8}])
        out = self.folder / "third.db"
        self.succeed("export", path, "--out", out, "--part", 3)
        self.assertEqual(json.loads(self.succeed("query", out, "SELECT count(*) AS n FROM events", "--format", "json")), [{"n": 8}])


if __name__ == "__main__":
    main()
