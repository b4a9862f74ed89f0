"""Memory that PyTorch does not know of: the rows about a card, compared with a reference, planted values and hostile logs."""
import json
import random
import shutil
import time

from harness import CommandLine, main, snapshots

gen_card = snapshots.oracle("gen_card")
reference = snapshots.oracle("reference_device_memory")

GiB = 1 << 30
NAME = "node_rank1_device0_oom1.pickle"
MESSAGE = ("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 1.00 GiB is free. Process 9 has 5.00 GiB memory in "
           "use. Including non-PyTorch memory, this process has 2.00 GiB memory in use. Of the allocated memory 2.00 GiB is allocated by PyTorch, and 0 bytes "
           "is reserved by PyTorch but unallocated.")


class DeviceMemory(CommandLine):
    def make(self, **how):
        folder = self.folder / f"job{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        return folder, gen_card.make(folder, **how)

    def told(self, *arguments):
        return json.loads(self.succeed("report", "--json", *arguments))["devices"][0].get("device_memory", [])

    @staticmethod
    def rows(use):
        return [[row["part"], row["bytes"], row.get("pid")] for row in use["rows"]]

    @staticmethod
    def by_part(rows):
        sums = {}
        for part, size, _ in rows:
            sums[part] = sums.get(part, 0) + size
        return sums

    def test_another_process_of_8_gib_is_told_exactly(self):
        folder, planted = self.make(seed=2)
        recorder, = self.told(folder / NAME)
        truth = self.by_part(planted["rows"])
        truth["no_process"] = truth.pop("unknown")
        self.assertEqual(self.by_part(self.rows(recorder)), truth)
        self.assertEqual(truth["other_processes"], 8 * GiB)
        self.assertEqual((recorder["source"], recorder["oom"], recorder["rounding"], recorder["excess"]), ("recorder", True, 0, 0))
        table = self.ask(folder / NAME, "SELECT part, bytes FROM device_memory")
        self.assertEqual(dict(table), truth)
        verdict = json.loads(self.succeed("report", "--json", folder / NAME))["devices"][0]["oom"]["verdicts"][0]
        self.assertIn("8.0 GiB", verdict["sentence"])
        self.assertIn("other process", verdict["sentence"])

    def test_an_error_in_a_log_of_three_ranks_tells_of_both_processes(self):
        folder, planted = self.make(seed=2)
        message = self.told(folder / NAME, "--log", folder / "job.log")[0]
        self.assertEqual((message["source"], message["oom"]), ("message", True))
        for part in ("allocated", "pending", "idle", "private_idle", "free"):    # parts that the snapshot knows exactly
            self.assertEqual(self.by_part(self.rows(message)).get(part), self.by_part(planted["rows"]).get(part), part)
        others = {pid: size for part, size, pid in self.rows(message) if pid}
        truth = {pid: size for part, size, pid in planted["rows"] if pid}
        self.assertEqual(others.keys(), truth.keys())
        for pid, size in others.items():
            self.assertLessEqual(abs(size - truth[pid]), GiB // 200 + 1)
        self.assertEqual(sum(size for _, size, _ in self.rows(message)), message["total"])

    def test_the_log_is_read_by_every_command_that_tells_whose_memory_it_is(self):
        folder, _ = self.make(seed=2)
        path, log = folder / NAME, folder / "job.log"
        rows = self.rows(self.told(path, "--log", log)[0])
        table = json.loads(self.succeed("query", path, "SELECT part, bytes FROM device_memory WHERE source = 'message'", "--log", log, "--format", "json"))
        self.assertEqual([[row["part"], row["bytes"]] for row in table], [row[:2] for row in rows])
        bar = self.succeed("report", path, "--log", log)
        bar = bar[bar.index("all memory of the card"):].split("\n\n")[0].strip()
        for command in (["info", path], ["check", path, "--max-peak", "1TiB"]):
            self.assertIn(bar, self.succeed(*command, "--log", log), command[0])
            self.assertNotIn("all memory of the card", self.succeed(*command), command[0])
        log.write_text("")
        for command in (["info", path], ["check", path, "--max-peak", "1TiB"], ["query", path, "SELECT 1"]):
            self.refuse(*command, "--log", log, mentions=["job.log", "holds no out-of-memory error"])

    def test_every_telling_is_added_up_as_the_reference_does(self):
        rng = random.Random(42)
        for seed in range(24):
            telling = ["everything", "container", "no-driver", "nothing"][seed % 4]
            form = ["sentences", "sentences", "list", "cached"][seed // 4 % 4]
            folder, _ = self.make(seed=seed, others=rng.choice([0, 300 << 20, 8 * GiB, 12 * GiB]), telling=telling, form=form)
            if seed % 5 == 4:       # an error of another moment, which is no event of the snapshot
                log = (folder / "job.log").read_bytes()
                (folder / "job.log").write_bytes(log.replace(b"Tried to allocate ", b"Tried to allocate 1"))
            if seed % 7 == 6:       # a file of facts from another moment
                about = json.loads((folder / NAME).with_suffix(".about.json").read_text())
                if about["torch"]:
                    about["torch"]["reserved_bytes"] += 5 << 20
                    (folder / NAME).with_suffix(".about.json").write_text(json.dumps(about))
            for log in (None, folder / "job.log"):
                theirs = reference.uses(folder / NAME, log, rank=1)
                ours = self.told(folder / NAME, *(["--log", log] if log else []))
                what = f"seed {seed}, {telling}, {form}, {'with' if log else 'without'} log"
                self.assertEqual([u["source"] for u in ours], [u["source"] for u in theirs], what)
                for a, b in zip(ours, theirs):
                    self.assertEqual(self.rows(a), b["rows"], what)
                    self.assertEqual([a[key] for key in ("oom", "total", "rounding", "excess")], [b[key] for key in ("oom", "total", "rounding", "excess")], what)
                    if b["line"]:
                        self.assertEqual(a["where"], f"line {b['line']} of job.log", what)

    def test_a_pool_that_was_put_to_sleep_is_not_on_the_card(self):
        asleep = 6 * GiB
        for seed in range(8):
            telling, form = ["everything", "container"][seed % 2], ["sentences", "list"][seed // 2 % 2]
            folder, planted = self.make(seed=seed, others=[0, 300 << 20][seed // 4], telling=telling, form=form, asleep=asleep)
            arguments = [folder / NAME, "--log", folder / "job.log"]
            theirs = reference.uses(folder / NAME, folder / "job.log", rank=1)
            ours = self.told(*arguments)
            for a, b in zip(ours, theirs, strict=True):
                self.assertEqual(self.rows(a), b["rows"], seed)
                self.assertEqual((a["excess"], a["rounding"]), (b["excess"], b["rounding"]), seed)
                truth = self.by_part(planted["rows"])
                for part in ("allocated", "pending", "idle", "private_idle", "free"):
                    self.assertEqual(self.by_part(self.rows(a)).get(part), truth.get(part), (seed, part))
                self.assertNotIn("moment", " ".join(note for note in a["notes"] if "own out-of-memory event" not in note), seed)
            verdict, = json.loads(self.succeed("report", "--json", *arguments))["devices"][0]["oom"]["verdicts"]
            self.assertEqual((verdict["cause"], verdict["outside"], verdict["hint"]), ("unknown", None, None), seed)
            self.assertEqual(verdict["beyond_card"]["pools"], [{"pool": "(0, 7)", "reserved": asleep}], seed)
            self.assertEqual(verdict["beyond_card"]["reserved"], verdict["reserved"], seed)
            checked = self.run_program("check", *arguments, "--max-peak", "1TiB", "--max-reserved", "1TiB").stdout
            is_more = verdict["reserved"] > planted["total"] + (5 << 20)
            self.assertEqual([line.count("(0, 7)") for line in checked.splitlines() if line.startswith("within")], [int(is_more)] * 2, seed)

    def test_memory_that_was_moved_to_the_host_is_not_on_the_card(self):
        snapshots.make("gen_planted.py", self.folder, "card-not-refused", "oom-fragmentation")
        path = self.folder / "card-not-refused.pickle"       # 16,040 MiB reserved
        for size, codes in [("15GiB", ["beyond_card"]), ("15.9GiB", ["near_capacity"]), ("40GiB", [])]:
            device = json.loads(self.succeed("report", "--json", path, "--device-total", size))["devices"][0]
            self.assertEqual([f["code"] for f in device["findings"] if f["code"] in ("beyond_card", "near_capacity")], codes, size)
            self.assertEqual(device["oom"]["capacity"]["guess"], None)
            self.assertEqual(device["oom"]["beyond_card"] is not None, codes == ["beyond_card"])
        use, = self.told(path, "--device-total", "15GiB")
        self.assertEqual((self.by_part(self.rows(use)), use["excess"]), ({"unknown": 15 * GiB}, (16040 << 20) - 15 * GiB))
        verdict, = json.loads(self.succeed("report", "--json", self.folder / "oom-fragmentation.pickle", "--device-total", "5GiB"))["devices"][0]["oom"]["verdicts"]
        self.assertEqual((verdict["cause"], verdict["hint"], verdict["beyond_card"]["pools"]), ("unknown", None, []))

    def test_a_limit_that_the_error_names_is_the_cause(self):
        snapshots.make("gen_planted.py", self.folder, "oom-limit")     # 7 GiB in use, 2 GiB requested, limit 8 GiB, 73 GiB free
        path, log = self.folder / "oom-limit.pickle", self.folder / "job.log"
        asked = "CUDA out of memory. Tried to allocate 2.00 GiB"
        rest = "Of the allocated memory 7.00 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated."
        new = f"{asked}. GPU 0 has a total capacity of 80.00 GiB of which 73.00 GiB is free. Including non-PyTorch memory, this process has 7.00 GiB memory in use. LIMIT{rest}"
        old = f"{asked} (GPU 0; 80.00 GiB total capacity; 7.00 GiB already allocated; 73.00 GiB free; LIMIT7.00 GiB reserved in total by PyTorch)"
        for message in (new, old):
            for words, limit in [("8.00 GiB allowed; ", 8 * GiB), ("", None)]:
                log.write_text(message.replace("LIMIT", words))
                verdict, = json.loads(self.succeed("report", "--json", path, "--log", log))["devices"][0]["oom"]["verdicts"]
                self.assertEqual((verdict["cause"], verdict["limit"]), ("limit", limit), message)
                self.assertEqual("another process" in verdict["hint"], limit is None, message)

    def test_a_card_as_large_as_the_user_says(self):
        snapshots.make("gen_planted.py", self.folder, "oom-outside")
        path = self.folder / "oom-outside.pickle"
        self.assertEqual(self.told(path), [])
        self.assertEqual(self.ask(path, "SELECT count(*) FROM device_memory"), [(0,)])
        use, = self.told(path, "--device-total", 8 * GiB)
        self.assertEqual(self.by_part(self.rows(use)), {"allocated": 2 * GiB, "free": 1 * GiB, "unknown": 5 * GiB})
        small, = self.told(path, "--device-total", 2 * GiB)
        self.assertEqual((sum(row[1] for row in self.rows(small)), small["excess"]), (2 * GiB, 1 * GiB))

    def test_an_error_about_another_rank_or_device_is_refused(self):
        folder, _ = self.make(seed=3)
        log = self.folder / "other.log"
        for text, why in [("", "holds no out-of-memory error"), (f"[rank2]: {MESSAGE}", "device 0 of rank 1"), (MESSAGE.replace("GPU 0", "GPU 5"), "device 0")]:
            log.write_text(text)
            self.refuse("report", folder / NAME, "--log", log, mentions=["other.log", why])
        self.refuse("report", folder / NAME, "--log", self.folder / "missing.log", mentions=["missing.log"])
        self.refuse("report", folder / NAME, "--log", self.folder, mentions=[self.folder.name])
        log.write_text(MESSAGE)          # the log names no rank
        self.assertEqual(len(self.told(folder / NAME, "--log", log)), 2)

    def test_damaged_facts_beside_a_file_are_noted_and_never_stop_it(self):
        folder, _ = self.make(seed=4)
        about = (folder / NAME).with_suffix(".about.json")
        facts = json.loads(about.read_text())
        for text in ["", "{", "[]", '{"device": -1}', '{"device": "0"}', "[" * 100000, "x" * (2 << 20)]:
            about.write_text(text)
            self.assertEqual(self.told(folder / NAME), [], text[:20])
            self.assertEqual(self.info_and_entries(folder / NAME)[1].get("recorder_facts_unreadable"), 1, text[:20])
        for change in [{"nvml": 5}, {"nvml": {"total_bytes": 1 << 63, "used_bytes": 5}}, {"nvml": {"total_bytes": 5, "used_bytes": 10}},
                       {"torch": []}, {"oom": {"wanted_bytes": -1, "free_bytes": 1e300}}, {"device": 7}, {"rank": 1 << 70}]:
            about.write_text(json.dumps({**facts, **change}))
            for use in self.told(folder / NAME):
                self.assertEqual(sum(row[1] for row in self.rows(use)), use["total"], change)
        about.unlink()
        about.mkdir()
        self.assertEqual(self.told(folder / NAME), [])

    def test_hostile_logs_end_quickly(self):
        folder, _ = self.make(seed=5)
        log = self.folder / "hostile.log"
        words = b"out of memory. Tried to allocate "
        process = b"Process 1 has 1.00 GiB memory in use. "
        head = words + b"1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free. "
        cases = {"one line of 64 MB": (b"x" * (64 << 20), False), "binary": (random.Random(1).randbytes(8 << 20), False),
                 "words alone": (words * 500_000, False), "a million messages": ((b"CUDA " + head + b"\n") * 300_000, True),
                 "many processes": (head + process * 200_000, True), "no newline": (MESSAGE.encode(), True),
                 "numbers that overflow": (head.replace(b"8.00", b"9" * 30) + b"\n" + head.replace(b"GPU 0", b"GPU " + b"9" * 20), False),
                 "zeros": (b"\0" * (16 << 20), False)}
        for name, (content, is_found) in cases.items():
            log.write_bytes(content)
            begin = time.monotonic()
            done = self.run_program("report", folder / NAME, "--json", "--log", log)
            took = time.monotonic() - begin
            self.assertEqual(done.returncode, 0 if is_found else 1, f"{name}: {done.stderr[:300]}")
            self.assertLess(took, 20, name)
            if is_found:
                use = json.loads(done.stdout)["devices"][0]["device_memory"][0]
                self.assertEqual(sum(row[1] for row in self.rows(use)), use["total"], name)

    def test_an_error_is_found_wherever_it_lies_in_a_long_log(self):
        folder, _ = self.make(seed=7)
        log = self.folder / "long.log"
        words = len("CUDA out of memory. Tried to allocate ")
        for piece in (1, 3):
            for back in (0, 1, 5, words // 2, words - 1, words, words + 1):
                log.write_bytes((b"x" * 99 + b"\n") * ((piece << 20) // 100 - 1))
                with log.open("ab") as out:
                    out.write(b"y" * ((piece << 20) - back - log.stat().st_size) + MESSAGE.encode())
                lines = log.read_bytes().count(b"\n") + 1
                use = self.told(folder / NAME, "--log", log)[0]
                self.assertEqual(use["where"], f"line {lines} of long.log", (piece, back))

    def test_facts_are_found_beside_a_packed_snapshot(self):
        folder, _ = self.make(seed=6)
        before = self.told(folder / NAME)
        self.succeed("pack", folder / NAME, "--out", folder / (NAME + ".zst"))
        (folder / NAME).unlink()
        self.assertEqual(self.told(folder / (NAME + ".zst")), before)
        shutil.copy(folder / (NAME + ".zst"), self.folder / "alone.pickle.zst")
        self.assertEqual(self.told(self.folder / "alone.pickle.zst"), [])


if __name__ == "__main__":
    main()
