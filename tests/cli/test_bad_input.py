"""Invalid files cause a message of one line that names the file, and status 1. Nothing is written and nothing is executed."""
import bz2
import collections
import gzip
import io
import json
import lzma
import os
import pickle
import pickletools
import random
import shutil
import struct
import subprocess
import traceback
import zipfile
import zlib

import containers
from containers import containers_of, html_page, zstd_frames
from harness import AT_FAULT, BINARY, SAMPLE, CommandLine, headless_environment, is_sanitized, main, numbers

REFUSED_OPCODES = {"GLOBAL", "STACK_GLOBAL", "REDUCE", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "BUILD", "EXT1", "EXT2", "EXT4",
                   "PERSID", "BINPERSID"}
ALLOCATION = {"timesteps": [0, 1], "offsets": [0, 0], "size": 512}
ELEMENT = {"addr": 4096, "size": 512, "stream": 0, "action": "alloc", "frames": []}


class Command:
    """Makes pickle call a command, as a malicious file would."""

    def __init__(self, line):
        self.line = line

    def __reduce__(self):
        return os.system, (self.line,)


def zip_bytes(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(name + ".json", value if isinstance(value, str) else json.dumps(value))
    return buffer.getvalue()


class BadInput(CommandLine):
    def refuse_file(self, path, *mentions):
        """All four commands refuse the file with the same message and keep an existing output file. They use the same reading code, so
        only two of them run under a slow sanitizer."""
        (self.folder / "out.png").write_bytes(b"old")
        (self.folder / "out.zip").write_bytes(b"old")
        commands = [["info", path], ["export", path, "--out", "out.zip"],
                    ["query", path, "SELECT 1"], ["render", path, "--out", "out.png"]]
        texts = [self.refuse(*arguments, mentions=[path.name, *mentions])
                 for arguments in (commands[:2] if is_sanitized() else commands)]
        self.assertEqual(len(set(texts)), 1, "the commands disagree")
        return texts[0]

    def refuse_content(self, content, *mentions, name="bad.pickle"):
        return self.refuse_file(self.write(name, content), *mentions)

    def test_not_a_snapshot_at_all(self):
        self.refuse_content(b"", "empty")
        self.refuse_content(b"This is a text file.\n", name="notes.txt")
        self.refuse_content(b"\x00" * 5000)
        self.refuse_content(bytes(range(256)) * 20)
        self.refuse_content(b"\x7fELF" + b"\x01" * 1000, name="program.pickle")

    def test_missing_file(self):
        self.refuse_file(self.folder / "nowhere.pickle")

    def test_directory(self):
        (self.folder / "folder.pickle").mkdir()
        self.refuse_file(self.folder / "folder.pickle", "is a folder")

    def test_no_permission(self):
        path = self.write("secret.pickle", SAMPLE.read_bytes())
        path.chmod(0)
        if os.geteuid() != 0:
            self.refuse("info", path, mentions=["secret.pickle"])
            return
        # Root can read every file, so another user runs a copy of the program in a folder that he can access.
        self.folder.parent.chmod(0o755)
        program = shutil.copy(BINARY, self.folder / "program")
        asked = subprocess.run([program, "info", path], user=65534, group=65534, extra_groups=[], capture_output=True, text=True,
                               env=headless_environment(self.home))
        self.assertEqual(asked.returncode, AT_FAULT, asked.stderr)
        self.assertRegex(asked.stderr, r"\A[^\n]*secret\.pickle[^\n]*\n\Z")

    def check_cut(self, name, content, whole_events):
        """A truncated file must be refused, or opened with an entry in the import log. Returns the number of events that were kept."""
        path = self.write(name, content)
        done = self.run_program("info", path, "--json")
        if done.returncode != 0:
            self.assertIn("cut short", self.refuse("info", path, mentions=[name]))
            return 0
        info = json.loads(done.stdout)
        events = sum(device["events"] for device in info["devices"])
        entry = next((entry for entry in info["import_log"] if entry["code"] == "cut_short"), None)
        if entry is None:
            self.assertEqual(events, whole_events, "silently less than there was")
            return events
        self.assertEqual(entry["severity"], "data_loss")
        self.assertIsNotNone(entry["first_offset"])
        self.assertRegex(entry["message"], rf"\b{events:,} events?\b")
        return events

    def check_cut_everywhere(self, name, whole, events, cuts=40, is_gradual=True):
        kept = [self.check_cut(name, whole[:length], events)
                for length in [*range(max(3, len(whole) // max(cuts, 20)), len(whole), max(1, len(whole) // cuts)), len(whole) - 1]]
        self.assertEqual(kept, sorted(kept), "a longer piece shows less")
        self.assertEqual(kept[-1], events)
        self.assertEqual(kept[0], 0)
        if is_gradual:
            self.assertGreater(len(set(kept)), cuts // 4, "hardly anything is kept")

    def test_truncated_pickle(self):
        whole = SAMPLE.read_bytes()
        for length in range(1, 40):
            with self.subTest(length=length):
                self.refuse("info", self.write("cut.pickle", whole[:length]), mentions=["cut.pickle"])
        self.assertIn(39, numbers(self.refuse_content(whole[:39])), "the place where it ends is not named")
        events = len(pickle.loads(whole)["device_traces"][0])
        self.check_cut_everywhere("cut.pickle", whole, events)

    def test_truncated_snapshot_in_every_container(self):
        snapshot = pickle.loads(SAMPLE.read_bytes())
        for name, whole, _, container in containers_of(snapshot):
            if not container.startswith("zip") and name != "behind.pickle":   # a zip's directory is at its end
                with self.subTest(name=name):
                    self.check_cut_everywhere(name, whole[:whole.rindex(b'"')] if ".html" in name and not container else whole,
                                              len(snapshot["device_traces"][0]), 8 if is_sanitized() else 20,
                                              # bzip2 compresses blocks of up to 900 kB, zstd blocks of 128 KiB.
                                              is_gradual="bzip2" not in container and "zstd" not in container)

    def test_pickle_of_something_else(self):
        for value in [None, 5, "text", 1.5, (1, 2)]:
            with self.subTest(value=value):
                self.refuse_content(pickle.dumps(value, 4))

    def test_what_was_taken_for_a_snapshot(self):
        """Files written with Python's own modules. The message names the kind of file and what to do."""
        self.refuse_content(pickle.dumps({"epoch": 3, "loss": [0.5]}), "a dict with the keys", "epoch", "loss", "device_traces")
        self.refuse_content(pickle.dumps(collections.OrderedDict(a=1)), "collections.OrderedDict", "nothing was executed")
        self.refuse_content(pickle.dumps([1, 2, 3]), "a list of 3 values")
        self.refuse_content(json.dumps({"message": "Not Found", "status": 404}), "message", "status", name="answer.json")
        checkpoint = containers.zip_bytes({"model/data.pkl": pickle.dumps(collections.OrderedDict(a=1)), "model/version": b"3\n"})
        self.refuse_content(checkpoint, "checkpoint of torch.save", "_dump_snapshot()", name="model.pt")
        try:
            raise MemoryError("of the host")
        except MemoryError:
            self.refuse_content(traceback.format_exc().encode(), "text of a Python error", "its last line")
        self.refuse_content(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "git lfs pull")
        self.refuse_content(b"<!doctype html><title>Log in</title>" + b" " * 5000, "log in and fetch it again")

    def check_refused_opcode(self, content):
        for opcode, _, offset in pickletools.genops(content):
            if opcode.name in REFUSED_OPCODES:
                break
        else:
            self.fail("the fixture contains nothing to refuse")
        text = self.refuse_content(content, opcode.name)
        self.assertIn(offset, numbers(text), text)
        self.assertFalse((self.folder / "marker").exists(), "the file was executed")
        return opcode.name

    def test_calls_from_python_are_refused(self):
        command = Command("touch marker")
        for protocol in range(2, 6):
            for value in [command, [command], {"segments": [], "device_traces": [[]], "extra": command},
                          {"segments": [command], "device_traces": []}, {"device_traces": [[{"action": "alloc", "addr": command}]]}]:
                with self.subTest(protocol=protocol, value=value):
                    self.check_refused_opcode(pickle.dumps(value, protocol))

    def test_every_opcode_that_builds_objects_is_refused(self):
        line = b"X\x0c\x00\x00\x00touch marker"
        streams = [b"cos\nsystem\n(" + line + b"tR.", b"\x8c\x02os\x8c\x06system\x93" + line + b"\x85R.", b"])R.",
                   b"(" + line + b"ios\nsystem\n.", b"(]o.", b"])\x81.", b"])}\x92.", b"]}b.", b"\x82\x01.", b"\x83\x01\x00.",
                   b"\x84\x01\x00\x00\x00.", b"Pname\n.", b"]Q."]
        names = set()
        for stream in streams:
            with self.subTest(stream=stream):
                names.add(self.check_refused_opcode(b"\x80\x04}\x8c\x05extra" + stream[:-1] + b"s."))
        self.assertEqual(names, REFUSED_OPCODES)

    def log_of(self, name, content):
        """Opens the file and returns its import log (code -> entry) and its devices."""
        info = json.loads(self.succeed("info", self.write(name, content), "--json"))
        return {entry["code"]: entry for entry in info["import_log"]}, info["devices"]

    def test_pages_without_data(self):
        self.refuse_content(b"<!DOCTYPE html><html><body>hello</body></html>", "base64", name="page.html")
        self.refuse_content(b"<html>const local_files = [{\"name\": \"x\", \"base64\": \"\"}]", name="page.html")
        self.refuse_content(html_page(b"not a pickle"), name="page.html")

    def test_damaged_packing(self):
        plain = SAMPLE.read_bytes()
        page = bytearray(html_page(plain))
        page[len(page) // 2] = ord("!")
        log, devices = self.log_of("page.html", bytes(page))
        self.assertIn("damaged", log["cut_short"]["message"])
        self.assertTrue(0 < devices[0]["events"] < 6500)
        packed = gzip.compress(plain[:len(plain) // 2]) + b"\x1f\x8b\x08" + bytes(7) + b"\xff" * 100
        log, devices = self.log_of("packed.gz", packed)
        self.assertIn("damaged", log["cut_short"]["message"])
        self.assertTrue(0 < devices[0]["events"] < 6500, "what came before the damage is shown")
        self.refuse_content(b"\x1f\x8bnot really gzipped", "gzipped", name="bad.gz")
        self.refuse_content(gzip.compress(b"just text"), "not a file that snapviewer can read", name="text.gz")
        self.refuse_content(gzip.compress(zip_bytes(other=[])), "unpack the outer one", name="zip.gz")
        for pack in [gzip.compress, bz2.compress, lzma.compress, zstd_frames.compress]:
            nested = plain
            for _ in range(6):
                nested = pack(nested)
            self.refuse_content(nested, "compressed more times over", name="nested.bin")

    def test_damaged_xz_bzip2_lzma_and_zstd(self):
        plain = SAMPLE.read_bytes()
        half = plain[:len(plain) // 2]
        for how, pack, begins in [("bzip2", bz2.compress, b"BZh9"), ("xz", lzma.compress, b"\xfd7zXZ\0"),
                                  ("LZMA", containers.lzma_alone, b"\x5d\0\0\x80\0" + b"\xff" * 8),
                                  ("Zstandard", zstd_frames.compress, zstd_frames.header())]:
            with self.subTest(how=how):
                log, devices = self.log_of("packed.bin", pack(half) + begins + b"\xff" * 100)
                self.assertRegex(log["cut_short"]["message"], f"compressed with {how}.* damaged")
                self.assertTrue(0 < devices[0]["events"] < 6500, "what came before the damage is shown")
                log, devices = self.log_of("packed.bin", pack(half) + pack(plain[len(half):])[:-2000])
                self.assertRegex(log["cut_short"]["message"], f"compressed with {how}.* cut short")
                self.assertTrue(0 < devices[0]["events"] < 6500)
                self.assertEqual(self.log_of("behind.bin", pack(plain) + b"whatever follows")[1][0]["events"], 6500)
                self.refuse_content(pack(b"just text"), "not a file that snapviewer can read", name="text.bin")
                self.refuse_content(pack(containers.zip_bytes({"a": b""})), "unpack the outer one", name="zip.bin")
                self.refuse_content(pack(b"")[:20], name="cut.bin")

    def test_memory_that_xz_and_lzma_ask_for_is_limited(self):
        plain = SAMPLE.read_bytes()
        whole = lzma.compress(plain)
        header = b"\x02\x00\x21\x01\x28\x00\x00\x00"        # header of an xz block with a dictionary of 4 GiB
        huge_xz = whole[:12] + header + struct.pack("<I", zlib.crc32(header)) + whole[24:]
        alone = containers.lzma_alone(plain)
        huge_lzma = alone[:1] + struct.pack("<I", 3 << 30) + alone[5:]
        in_zip = bytearray(containers.zip_bytes({"snapshot.pickle": plain}, zipfile.ZIP_LZMA))
        struct.pack_into("<I", in_zip, 30 + len("snapshot.pickle") + 5, 3 << 30)
        self.refuse_content(huge_xz, "4.0 GiB of memory", "512.0 MiB", name="huge.xz")
        self.refuse_content(huge_lzma, "3.0 GiB of memory", name="huge.lzma")
        self.refuse_content(bytes(in_zip), "3.0 GiB of memory", "snapshot.pickle", name="huge.zip")

    def test_what_zstd_asks_for_is_limited(self):
        plain = SAMPLE.read_bytes()
        self.refuse_content(zstd_frames.frame(plain, window=21 << 3), "2.0 GiB", "512.0 MiB", name="huge.zst")
        self.refuse_content(zstd_frames.frame(plain, dictionary=7), "dictionary", "unpack it first", name="dictionary.zst")
        in_zip = containers.zip_by_hand("snapshot.pickle", plain, containers.ZIP_ZSTD, lambda data: zstd_frames.frame(data, window=21 << 3))
        self.refuse_content(in_zip, "2.0 GiB", "snapshot.pickle", name="huge.zip")

    def test_zstd_cut_anywhere_opens_as_far_as_it_goes(self):
        plain = SAMPLE.read_bytes()
        packed = zstd_frames.compress(plain[:300_000]) + zstd_frames.frame(plain[300_000:])
        found = [0]
        for at in range(len(packed) // 4, len(packed) * 15 // 16, len(packed) // 8):
            log, devices = self.log_of("cut.zst", packed[:at])
            self.assertIn(f"cut short at byte {at} (of the compressed file)", log["cut_short"]["message"])
            found.append(devices[0]["events"])
        self.assertEqual(found, sorted(found))
        self.assertLess(found[-1], 6500)
        self.assertGreater(found[-1], 5000)

    def test_damaged_lzma_in_a_zip(self):
        plain = SAMPLE.read_bytes()
        whole = containers.zip_bytes({"snapshot.pickle": plain}, zipfile.ZIP_LZMA)
        start = 30 + len("snapshot.pickle")
        for at, wanted in [(start + 2, "header of its LZMA data is missing"), (start + 9, "damaged"), (len(whole) // 2, None)]:
            with self.subTest(at=at):
                damaged = bytearray(whole)
                damaged[at] ^= 0xff
                path = self.write("bad.zip", bytes(damaged))
                done = self.run_program("info", path, "--json")
                if done.returncode == 0:
                    self.assertIn("cut_short", [entry["code"] for entry in json.loads(done.stdout)["import_log"]])
                else:
                    self.refuse("info", path, mentions=["snapshot.pickle", wanted or ""])
        for name, content in [("snapshot.json", json.dumps(pickle.loads(plain))), ("snapshot.pickle", plain)]:
            wrong_sum = bytearray(containers.zip_bytes({name: content}, zipfile.ZIP_LZMA))
            for at in [14, wrong_sum.rindex(b"PK\x01\x02") + 16]:
                wrong_sum[at] ^= 1
            log, devices = self.log_of("sum.zip", bytes(wrong_sum))
            self.assertIn("CRC error", log["damaged_packing"]["message"])
            self.assertEqual(devices[0]["events"], 6500)

    def test_packed_bombs_end_at_once(self):
        self.refuse_content(gzip.compress(bytes(200_000_000), 1), name="zeros.gz")
        self.refuse_content(bz2.compress(bytes(200_000_000), 1), name="zeros.bz2")
        self.refuse_content(lzma.compress(bytes(200_000_000), preset=0), name="zeros.xz")
        self.refuse_content(zstd_frames.compress(bytes(200_000_000), 1), name="zeros.zst")
        self.refuse_content(gzip.compress(b"[" + b"0," * 40_000_000, 1), "more values", name="numbers.gz")
        self.refuse_content(gzip.compress(b"[" * 1_000_000), "nested", name="brackets.gz")

    def test_odd_json(self):
        snapshot = {"segments": [], "device_traces": [[{"action": "alloc", "addr": 5, "size": 64, "stream": 0, "time_us": None}]]}
        whole = json.dumps(snapshot)
        log, devices = self.log_of("nan.json", whole.replace("null", "NaN"))
        self.assertEqual((log["not_a_number"]["count"], devices[0]["peak_bytes"]), (1, 64))
        log, devices = self.log_of("twice.json", whole.replace('"size": 64', '"size": 64, "size": 128'))
        self.assertEqual(devices[0]["peak_bytes"], 128, "the last value counts, as in Python")
        self.assertIn("'size'", log["duplicate_key"]["message"])
        self.assertEqual(self.log_of("marked.json", b"\xef\xbb\xbf" + whole.encode())[1], self.log_of("plain.json", whole)[1])
        self.assertEqual(self.log_of("reals.json", whole.replace("64", "64.0"))[1], self.log_of("plain.json", whole)[1])
        self.refuse_content(whole.replace("64", "64.5"), "'size' is not an integer", name="bad.json")
        self.refuse_content('{"a": 1}', "not a memory snapshot", name="bad.json")
        self.refuse_content("[1, 2]", name="bad.json")
        log, devices = self.log_of("bad.json", whole[:-1] + "x")
        self.assertIn("',' or '}'", log["cut_short"]["message"])
        self.assertEqual(devices[0]["events"], 1)

    def test_devices_that_do_not_match(self):
        event = {"action": "alloc", "addr": 5, "size": 64, "stream": 0}
        segment = {"device": 7, "address": 4096, "total_size": 512, "blocks": [{"size": 512, "state": "active_allocated"}]}
        log, devices = self.log_of("odd.json", json.dumps({"segments": [segment], "device_traces": [[], [], [event]]}))
        self.assertEqual([device["device"] for device in devices], [2, 7])
        self.assertIn("device 2", log["device_without_segments"]["message"])
        log, devices = self.log_of("negative.json", json.dumps({"segments": [{**segment, "device": -3}]}))
        self.assertEqual([device["device"] for device in devices], [0])
        self.assertEqual(log["bad_device"]["severity"], "data_loss")

    def test_host_memory_is_a_device_of_its_own(self):
        event = {"action": "alloc", "addr": 5, "size": 64, "stream": 0}
        segment = {"device": 0, "address": 4096, "total_size": 512, "blocks": [{"size": 512, "state": "active_allocated"}]}
        for traces in [[event], [[event]]]:
            path = self.write("host.json", json.dumps({"segments": [segment], "device_traces": [[event, event]],
                                                       "host_segments": [segment, segment], "host_traces": traces}))
            devices = json.loads(self.succeed("info", path, "--json"))["devices"]
            self.assertEqual([(device["device"], device["events"], device["allocations"]) for device in devices],
                             [(0, 2, 3), (-1, 1, 3)])

    def test_keys_that_are_not_known_are_counted(self):
        event = {"action": "alloc", "addr": 5, "size": 64, "stream": 0, "mood": 1,
                 "frames": [{"filename": "f", "line": 1, "name": "g", "colour": "red", "fx_node_op": "call_function"}]}
        segment = {"address": 4096, "total_size": 512, "shape": 3, "blocks": [{"size": 512, "state": "inactive", "weight": 2}]}
        log, _ = self.log_of("keys.json", json.dumps({"segments": [segment], "device_traces": [[event, event]], "extra": [1]}))
        self.assertEqual(log["unknown_event_key:mood"]["count"], 2)
        self.assertLessEqual({"unknown_frame_key:colour", "unknown_segment_key:shape", "unknown_block_key:weight",
                              "unknown_root_key:extra"}, set(log))

    def test_fields_of_generated_code_are_kept(self):
        fields = {"fx_node_op": "call_function", "fx_node_name": "add", "fx_node_target": "<built-in \"add\">", "fx_original_trace": "a\nb", "fx_node_info": "node 7"}
        frame = {"filename": "f", "line": 1, "name": "g", **fields}
        event = {"action": "alloc", "addr": 5, "size": 64, "stream": 0, "frames": [frame, {"filename": "h", "line": 2, "name": "i"}]}
        snapshot = {"segments": [], "device_traces": [[event]]}
        for content in [json.dumps(snapshot).encode(), pickle.dumps(snapshot, 0), pickle.dumps(snapshot, 4)]:
            rows = json.loads(self.succeed("query", self.write("fx.bin", content), "SELECT fx FROM frames ORDER BY id",
                                           "--format", "json"))
            self.assertEqual((json.loads(rows[0]["fx"]), rows[1]["fx"]), (fields, None))

    def test_generated_code_is_named_by_the_line_it_was_made_from(self):
        trace = '  File "/home/me/net.py", line 12, in forward\n    a = self.net1(x)\n'
        frames = [{"filename": "<eval_with_key>.7 from x", "line": 5, "name": "forward", "fx_node_name": "addmm", "fx_original_trace": trace},
                  {"filename": "/home/me/train.py", "line": 2, "name": "main"}]
        event = {"action": "alloc", "addr": 5, "size": 64, "stream": 0, "frames": frames}
        path = self.write("made.pickle", pickle.dumps({"segments": [], "device_traces": [[event]]}))
        exported = self.folder / "made.db"
        self.succeed("export", path, "--out", exported)
        for file in [path, exported]:
            rows = json.loads(self.succeed("query", file, "SELECT is_own, line, text FROM frames ORDER BY id", "--format", "json"))
            self.assertEqual(rows[0], {"is_own": 1, "line": 5, "text": "<eval_with_key>.7 from x:5:forward"})
            rows = json.loads(self.succeed("query", file, "SELECT top_frame FROM stacks", "--format", "json"))
            self.assertEqual(rows, [{"top_frame": "forward@net.py:12"}])
            tree = json.loads(self.succeed("tree", file, "--frames", "own", "--json"))
            self.assertIn("/home/me/net.py:12:forward", json.dumps(tree))

    def test_a_line_that_is_minus_one_is_not_shown_as_0(self):
        event = {"action": "alloc", "addr": 5, "size": 64, "stream": 0,
                 "frames": [{"filename": "??", "line": 2**64 - 1, "name": "f"}, {"filename": "??", "line": 0, "name": "g"}]}
        path = self.write("lines.pickle", pickle.dumps({"segments": [], "device_traces": [[event]]}))
        rows = json.loads(self.succeed("query", path, "SELECT line, text FROM frames ORDER BY id", "--format", "json"))
        self.assertEqual(rows, [{"line": None, "text": "??:18446744073709551615:f"}, {"line": None, "text": "??:0:g"}])

    def test_zip_of_several_snapshots(self):
        small = pickle.dumps({"segments": [], "device_traces": [[{"action": "alloc", "addr": 5, "size": 64, "stream": 0}]]})
        members = {"a/small.pickle": small, "large.pickle": SAMPLE.read_bytes(), "readme.txt": "x" * 5_000_000,
                   "page.html": html_page(small), "broken.json": '{"a": "' + "b" * 2_000_000 + '"}'}
        log, devices = self.log_of("several.zip", containers.zip_bytes(members))
        self.assertEqual(devices[0]["events"], 6500)
        self.assertEqual(log["other_snapshots"]["count"], 2)
        self.assertTrue(all(name in log["other_snapshots"]["message"] for name in ["large", "a/small.pickle", "page.html"]))
        self.assertIn("broken.json", log["unusable_members"]["message"])
        self.refuse_content(containers.zip_bytes({"readme.txt": "nothing"}), "without a snapshot", name="bad.zip")

    def test_random_damage_never_crashes(self):
        dice = random.Random(7)
        snapshot = pickle.loads(SAMPLE.read_bytes())
        snapshot["device_traces"][0] = snapshot["device_traces"][0][:60]
        for name, whole, _, _ in containers_of(snapshot):
            for _ in range(8):
                damaged = bytearray(whole)
                for _ in range(dice.randint(1, 4)):
                    damaged[dice.randrange(len(damaged))] = dice.randrange(256)
                if dice.random() < 0.3:
                    del damaged[dice.randrange(len(damaged)):]
                with self.subTest(name=name):
                    done = self.run_program("info", self.write(name, bytes(damaged)), "--json")
                    self.assertIn(done.returncode, [0, AT_FAULT], done.stderr)
                    if done.returncode != 0:
                        self.assertRegex(done.stderr, r"\A[^\n]+\n\Z")

    def test_truncated_zip(self):
        self.succeed("export", SAMPLE, "--out", self.folder / "whole.zip")
        whole = (self.folder / "whole.zip").read_bytes()
        for length in [4, 30, 100, len(whole) // 2, len(whole) - 30, len(whole) - 1]:
            with self.subTest(length=length):
                self.refuse("info", self.write("cut.zip", whole[:length]), mentions=["cut.zip"])

    def test_damaged_zip(self):
        whole = bytearray(zip_bytes(allocations=[ALLOCATION] * 2000, elements=[ELEMENT] * 2000))
        whole[60:70] = bytes(10)
        self.refuse_content(bytes(whole), "allocations.json", name="bad.zip")

    def test_zip_without_its_members(self):
        self.refuse_content(zip_bytes(), name="bad.zip")
        self.refuse_content(zip_bytes(other=[]), "allocations.json", name="bad.zip")
        self.refuse_content(zip_bytes(allocations=[ALLOCATION]), "elements.json", name="bad.zip")
        self.refuse_content(zip_bytes(elements=[ELEMENT]), "allocations.json", name="bad.zip")

    def test_wrong_json(self):
        for allocations in ["", "[", '[{"size": 1', "not json", {}, [5], "null", [{**ALLOCATION, "size": "512"}],
                            [{**ALLOCATION, "timesteps": 0}], [{**ALLOCATION, "offsets": [0]}], [{**ALLOCATION, "timesteps": ["0", "1"]}],
                            [{**ALLOCATION, "size": -1}], [{**ALLOCATION, "timesteps": [5, 1]}], [{"size": 512}]]:
            with self.subTest(allocations=allocations):
                self.refuse_content(zip_bytes(allocations=allocations, elements=[ELEMENT]), "allocations.json", name="bad.zip")
        for elements in ["[", "null", {}, [5], [{**ELEMENT, "frames": 5}]]:
            with self.subTest(elements=elements):
                self.refuse_content(zip_bytes(allocations=[ALLOCATION], elements=elements), "elements.json", name="bad.zip")

    def test_well_formed_small_zip(self):
        """Shows that the files above are refused for their defects, because a file made in the same way without a defect opens."""
        path = self.write("good.zip", zip_bytes(allocations=[ALLOCATION], elements=[ELEMENT]))
        info = json.loads(self.succeed("info", path, "--json"))
        self.assertEqual((info["devices"][0]["allocations"], info["devices"][0]["peak_bytes"]), (1, 512))


if __name__ == "__main__":
    main()
