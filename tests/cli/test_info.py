"""`info` on handmade snapshots, and its figures about the cost of reading."""
import json
import pickle

from harness import SAMPLE, CommandLine, main, snapshots

TIMINGS = {"read", "parse", "timeline", "mesh", "database", "total"}
FRAME = {"filename": "train.py", "line": 7, "name": "main"}


def event(action, addr, size, **more):
    return {"action": action, "addr": addr, "size": size, "stream": 0, **more}


class Info(CommandLine):
    def info(self, path):
        return json.loads(self.succeed("info", path, "--json"))

    def test_a_snapshot_worked_out_by_hand(self):
        # Step 0: 1000 bytes are allocated. 1: 500 are allocated above them. 2: the 1000 are freed. 3 to 5: the 500 move
        # down. 6: the end.
        trace = [event("alloc", 4096, 1000, frames=[FRAME]), event("alloc", 8192, 500), event("free_requested", 4096, 1000),
                 event("free_completed", 4096, 1000)]
        path = self.write("hand.pickle", pickle.dumps({"segments": [], "device_traces": [[], trace]}, 4))
        info = self.info(path)
        self.assertEqual(info["kind"], "pytorch_pickle")
        self.assertEqual(info["devices"][0].pop("recording")["state"], "complete")  # tested in test_recording.py
        self.assertEqual(info["devices"], [{"device": 1, "events": 4, "allocations": 2, "stacks": 1, "steps": 6, "peak_bytes": 1500,
                                            "peak_is_lower_bound": False,
                                            "live_bytes_at_end": 500, "path_points": 2 + 4}])

    def test_sample(self):
        events = pickle.loads(SAMPLE.read_bytes())["device_traces"][0]
        info = self.info(SAMPLE)
        device, = info["devices"]
        self.assertEqual(device["events"], len(events))
        self.assertEqual(device["path_points"] % 2, 0)
        self.assertEqual(set(info["timings_ms"]), TIMINGS)
        stages = [value for name, value in info["timings_ms"].items() if name != "total"]
        self.assertTrue(all(value >= 0 for value in stages))
        self.assertGreaterEqual(info["timings_ms"]["total"], max(stages))
        self.assertGreater(info["mesh_bytes"], 0)
        self.assertGreater(info["peak_rss_bytes"], info["mesh_bytes"])
        self.assertGreater(info["triangle_mesh"]["records"], device["path_points"] / 2)
        self.assertGreaterEqual(info["triangle_mesh"]["bytes"], 8 * info["triangle_mesh"]["records"])

    def test_a_picture_with_too_many_records_has_no_triangle_mesh(self):
        # Each free of the lowest allocation moves all allocations above it, which makes 4,100 * 4,099 / 2 records.
        addresses = [1 << 20 | i << 10 for i in range(4100)]
        trace = [event(action, address, 512) for action in ("alloc", "free_completed") for address in addresses]
        path = self.write("tall.pickle", pickle.dumps({"segments": [], "device_traces": [trace]}, 4))
        self.assertIsNone(self.info(path)["triangle_mesh"])

    def test_import_log_tells_what_was_lost(self):
        trace = [event("alloc", 4096, 1000), event("alloc", 4096, 2000)]
        path = self.write("lost.pickle", pickle.dumps({"segments": [], "device_traces": [trace]}, 4))
        entries = self.info(path)["import_log"]
        self.assertTrue(entries)
        for entry in entries:
            self.assertIn(entry["severity"], ["info", "notice", "data_loss", "error"])
            self.assertGreater(entry["count"], 0)
            self.assertTrue(entry["code"] and entry["message"])

    def test_text(self):
        text = self.succeed("info", SAMPLE)
        device, = self.info(SAMPLE)["devices"]
        for name in ["events", "allocations"]:
            self.assertIn(str(device[name]), text.replace(",", ""))

    def out_of_memory(self):
        """Device 0 has most events, but device 1 ran out of memory. There 1000 bytes are allocated at step 0 and 500 at step 1, and the
        1000 are freed at step 2. Between the allocations, a request for 700 fails with 64 bytes free on the driver."""
        long = [event("alloc", 4096 * i, 8) for i in range(1, 10)]
        short = [event("alloc", 4096, 1000), event("alloc", 8192, 500), event("oom", 0, 700, device_free=64),
                 event("free_requested", 4096, 1000), event("free_completed", 4096, 1000)]
        return self.write("oom.pickle", pickle.dumps({"segments": [], "device_traces": [long, short]}, 4))

    def test_out_of_memory_is_told(self):
        path = self.out_of_memory()
        self.assertEqual(self.info(path)["oom"],
                         [{"device": 1, "event": 9 + 2, "step": 1, "demand_bytes": 700, "device_free_bytes": 64, "recovered": False}])
        text = self.succeed("info", path)
        self.assertIn("\nout of memory\n  device 1, step 1: 700 bytes requested, 64 bytes free on the driver\n", text)
        self.assertLess(text.index("out of memory"), text.index("allocations"))
        quiet = self.write("quiet.pickle", pickle.dumps({"segments": [], "device_traces": [[event("alloc", 4096, 1000)]]}, 4))
        self.assertEqual(self.info(quiet)["oom"], [])
        self.assertNotIn("out of memory", self.succeed("info", quiet))

    def test_free_memory_that_the_file_does_not_tell_is_unknown(self):
        for told in ({}, {"device_free": None}, {"device_free": -4096}, {"device_free": 1 << 62}):
            trace = [event("alloc", 4096, 1000), event("oom", 0, 700, **told)]
            segment = {"device": 0, "address": 4096, "total_size": 2048, "stream": 0, "blocks": [{"address": 4096, "size": 2048, "requested_size": 1000, "state": "active_allocated"}]}
            path = self.write("unknown.pickle", pickle.dumps({"segments": [segment], "device_traces": [trace]}, 4))
            self.assertEqual([oom["device_free_bytes"] for oom in self.info(path)["oom"]], [None], told)
            self.assertIn("unknown free on the driver", self.succeed("info", path), told)
            asked = "SELECT (SELECT device_free FROM events WHERE action = 'oom'), (SELECT device_free FROM markers WHERE kind = 'oom')"
            self.assertEqual(self.ask(path, asked), [(None, None)], told)
            verdict, = json.loads(self.succeed("report", path, "--json"))["devices"][0]["oom"]["verdicts"]
            self.assertEqual((verdict["device_free"], verdict["cause"], verdict["outside"]), (None, "unknown", None), told)
            exported = self.folder / "exported.db"
            exported.unlink(missing_ok=True)
            self.succeed("export", path, "--out", exported)
            self.assertEqual(self.info(exported)["oom"][0]["device_free_bytes"], None, told)

    def test_a_request_that_waits_for_its_completion_is_no_missing_free(self):
        trace = [event("alloc", 4096, 1000), event("free_requested", 4096, 1000)]
        blocks = {"active_pending_free": [], "active_allocated": ["frees_not_recorded"]}
        for state, expected in blocks.items():
            segment = {"device": 0, "address": 4096, "total_size": 2048, "stream": 0, "blocks": [{"address": 4096, "size": 2048, "requested_size": 1000, "state": state}]}
            path = self.write("request.pickle", pickle.dumps({"segments": [segment], "device_traces": [trace]}, 4))
            codes = [entry["code"] for entry in self.info(path)["import_log"] if entry["code"] == "frees_not_recorded"]
            self.assertEqual(codes, expected, state)

    def test_the_device_that_ran_out_of_memory_comes_first(self):
        rows = json.loads(self.succeed("query", self.out_of_memory(), "SELECT size FROM allocs", "--format", "json"))
        self.assertEqual([row["size"] for row in rows], [1000, 500])

    def default_device(self, *traces, segments=()):
        """Returns the device whose call tree is shown by default, identified by its peak."""
        self.path = self.write("several.pickle", pickle.dumps({"segments": list(segments), "device_traces": list(traces)}, 4))
        peaks = [device["peak_bytes"] for device in self.info(self.path)["devices"]]
        self.assertEqual(len(set(peaks)), len(peaks), "they can be told apart")
        return peaks.index(json.loads(self.succeed("tree", self.path, "--json"))["bytes"])

    def test_the_device_that_comes_first_of_several(self):
        many = [event("alloc", 4096 * i, 8) for i in range(1, 50)]
        large = [event("alloc", 4096, 1000)]
        self.assertEqual(self.default_device(many, large), 1, "the highest peak, not the most events")
        early = [event("alloc", 4096, 100), event("oom", 0, 700, device_free=64, time_us=1_000)]
        late = [event("alloc", 4096, 200), event("oom", 0, 700, device_free=64, time_us=2_000)]
        self.assertEqual(self.default_device(large, late, early), 2, "the first that ran out of memory")
        text = self.succeed("info", self.path)
        self.assertRegex(text, r"\ndevice 0\n")
        self.assertRegex(text, r"\ndevice 2, out of memory\n")

    def test_a_device_that_leaks_comes_before_a_higher_peak(self):
        snapshots.make("gen_planted.py", self.folder, "leak-steps")
        leaks = pickle.loads((self.folder / "leak-steps.pickle").read_bytes())
        large = [event("alloc", 4096, 1 << 40)]
        segments = [{**segment, "device": 1} for segment in leaks["segments"]]
        leaking = leaks["device_traces"][0]
        self.assertEqual(self.default_device(large, leaking, segments=segments), 1)
        self.assertRegex(self.succeed("info", self.path), r"\ndevice 0\n[^\0]*\ndevice 1, leak\n")
        self.assertEqual(self.default_device(large, leaking[:len(leaking) // 8], segments=segments), 0, "too few steps to tell")


if __name__ == "__main__":
    main()
