"""Snapshots that contain more than GPU memory: pinned host memory, and profile_plot's output for a profile."""
import json
import pickle

import png
from containers import html_page
from harness import CommandLine, main

SMALL = ["--size", "240x150"]


def event(action, addr, size, **more):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "frames": [], **more}


def segment(device, address, sizes):
    blocks = [{"size": size, "requested_size": size, "state": "active_allocated"} for size in sizes]
    return {"device": device, "address": address, "total_size": sum(sizes), "allocated_size": sum(sizes), "active_size": sum(sizes),
            "stream": 0, "segment_type": "large", "blocks": blocks}


class SpecialSnapshots(CommandLine):
    def info(self, path):
        return json.loads(self.succeed("info", path, "--json"))

    def host_memory(self):
        """A GPU with one block. On the host, 3000 bytes are allocated at step 0 and 500 at step 1, the 3000 are freed at step 2, then
        the 500 move down; step 6 is the end."""
        host = [event("alloc", 0x7000, 3000), event("alloc", 0x9000, 500), event("free_requested", 0x7000, 3000),
                event("free_completed", 0x7000, 3000)]
        return self.write("host.pickle", pickle.dumps({
            "segments": [segment(0, 0x1000, [100])], "device_traces": [[event("alloc", 0x1000, 100)]],
            "host_segments": [segment(0, 0x9000, [500])], "host_traces": [host]}))

    def test_host_memory_is_a_device_of_its_own(self):
        path = self.host_memory()
        devices = {device["device"]: device for device in self.info(path)["devices"]}
        self.assertEqual(sorted(devices), [-1, 0])
        host = devices[-1]
        self.assertEqual((host["part"], host["events"], host["allocations"], host["steps"], host["peak_bytes"], host["live_bytes_at_end"]),
                         ("host (pinned)", 4, 2, 6, 3500, 500))
        self.assertEqual(self.ask(path, "SELECT size, alloc_step, free_step FROM allocations WHERE device = -1 ORDER BY id"),
                         [(3000, 0, 3), (500, 1, None)])
        for table, count in (("events", 4), ("totals", 5), ("devices", 1), ("segments", 1)):
            self.assertEqual(self.ask(path, f"SELECT count(*), min(device), max(device) FROM {table} WHERE device < 0"), [(count, -1, -1)])
        self.assertEqual(self.ask(path, "SELECT device FROM devices ORDER BY device"), [(-1,), (0,)])
        self.assertEqual(self.ask(path, "SELECT device, size FROM allocations ORDER BY device, size"), [(-1, 500), (-1, 3000), (0, 100)])
        self.assertEqual(self.ask(path, "SELECT address, size FROM segments WHERE device = -1"), [(0x9000, 500)])

    def test_host_memory_is_asked_for_by_its_number(self):
        path = self.host_memory()
        pictures = []
        for device in (["--device", "-1"], ["--device=-1"], ["--device", "0"], []):
            self.succeed("render", path, "--out", "picture.png", *SMALL, *device)
            pictures.append(png.decode((self.folder / "picture.png").read_bytes()))
        self.assertEqual(pictures[0], pictures[1])
        self.assertNotEqual(pictures[0], pictures[2])
        self.assertEqual(pictures[3], pictures[2], "the host is drawn only if it is asked for, or all there is")
        self.succeed("export", path, "--device", "-1", "--out", self.folder / "host.json")
        self.refuse("render", path, "--out", "x.png", "--device", "-2", mentions=["-2"])

    def test_segments_that_do_not_name_a_stream(self):
        """Segments of old and other writers have no stream; they are on the default stream, like events without one."""
        bare = {key: value for key, value in segment(0, 0x1000, [100, 50]).items() if key != "stream"}
        on_stream_7 = {**segment(0, 0x9000, [10]), "stream": 7}
        for segments, streams in (([bare], [0]), ([on_stream_7, bare], [7, 0])):
            snapshot = {"segments": segments, "device_traces": []}
            for name, content in (("bare.pickle", pickle.dumps(snapshot, 2)), ("bare.json", json.dumps(snapshot))):
                with self.subTest(name=name, streams=streams):
                    path = self.write(name, content)
                    self.assertEqual(self.ask(path, "SELECT address, stream FROM segments ORDER BY id"),
                                     [(each["address"], stream) for each, stream in zip(segments, streams)])
                    self.assertEqual(self.ask(path, "SELECT size, stream FROM allocations WHERE size > 10 ORDER BY size"),
                                     [(50, 0), (100, 0)])
                    for out in ("out.zip", "out.db", "out.json", "out.csv", "out.png"):
                        self.succeed("render" if out.endswith(".png") else "export", path, "--out", out)

    def test_two_segments_at_one_address(self):
        """No allocator has two such segments, but a file may claim it."""
        for second_pool in ((0, 1), (0, 0)):
            first = {**segment(0, 0x1000, [100]), "segment_pool_id": (0, 0) if second_pool == (0, 1) else (0, 1)}
            second = {**segment(0, 0x1000, [200]), "segment_pool_id": second_pool}
            trace = [event("alloc", 0x1000, 60), event("segment_alloc", 0x1000, 300)]
            path = self.write("twice.pickle", pickle.dumps({"segments": [first, second], "device_traces": [trace]}))
            self.succeed("render", path, "--shows", "pools", "--out", "pools.png", *SMALL)
            self.succeed("export", path, "--picture", "pools", "--out", "pools.zip")

    def test_sizes_that_no_machine_has(self):
        """Sizes up to 2^61 bytes are accepted, for events and segments; larger ones count as 0 and are reported."""
        huge = 2**61
        for sizes, kept in (([huge, 1, 2**62, 0], [huge, 0, 0, 0]), ([5, 2**63 - 1, 7], [5, 0, 7])):
            trace = [event("alloc", 0x1000 * (i + 1), size) for i, size in enumerate(sizes)]
            segments = [segment(0, 0x100000, [2**63 - 1]), segment(0, 0x200000, [9])]
            path = self.write("huge.json", json.dumps({"segments": segments, "device_traces": [trace]}))
            self.assertEqual(self.ask(path, "SELECT size FROM events ORDER BY id"), [(size,) for size in kept])
            info = self.info(path)
            self.assertEqual(info["devices"][0]["peak_bytes"], sum(kept) + 9, "the second segment stands")
            self.assertEqual(self.ask(path, "SELECT sum(size), sum(allocated) FROM segments"), [(9, 9)])
            entry = next(entry for entry in info["import_log"] if entry["code"] == "impossible_size")
            dropped_of_segment = 5  # its total, allocated and active size, and its block's size and requested size
            self.assertEqual(entry["count"], sum(size != 0 for size in sizes) - sum(size != 0 for size in kept) + dropped_of_segment)

    def test_times_that_no_clock_has(self):
        """A time outside the calendar's range counts as not recorded; the event keeps its place."""
        least, most = -2**63 + 1, 2**63 - 1
        trace = [event("alloc", 0x1000, 10, time_us=1000), event("alloc", 0x2000, 20, time_us=most),
                 event("free_completed", 0x1000, 10, time_us=3000), event("alloc", 0x3000, 30, time_us=least)]
        annotations = [{"name": "step", "stage": "START", "device": 0, "time_us": most},
                       {"name": "step", "stage": "END", "device": 0, "time_us": least}]
        path = self.write("times.json", json.dumps({"segments": [], "device_traces": [trace], "external_annotations": annotations}))
        self.assertEqual(self.ask(path, "SELECT time_us FROM events ORDER BY id"), [(1000,), (None,), (3000,), (None,)])
        entry = next(entry for entry in self.info(path)["import_log"] if entry["code"] == "impossible_time")
        self.assertEqual(entry["count"], 4)
        self.succeed("render", path, "--axis", "time", "--out", "times.png", *SMALL)

    def test_a_profile_as_profile_plot_writes_it(self):
        def both(addr, size, category):
            return [event(action, addr, size, category=category) for action in ("free_requested", "free_completed")]
        unnamed = [{"filename": "none", "line": 0, "name": "aten::mm"}]
        gpu = [event("alloc", 0x1000, 4096, category="parameter"), event("alloc", 0x3000, 2048, category="activation", frames=unnamed),
               event("alloc", 0x5000, 1024, category="temporary"), *both(0x5000, 1024, "temporary"),
               event("alloc", 0x2000, 4096, category="gradient"), *both(0x3000, 2048, "activation")]
        cpu = [event("alloc", 0x100, 64, category="input")]
        snapshot = {"segments": [segment(0, 0x1000, [4096, 4096]), segment(1, 0x100, [64])], "device_traces": [gpu, cpu]}
        for name, content, kind in (("profile.html", html_page(pickle.dumps(snapshot, 4), "Memory Timeline"), "pytorch_html"),
                                    ("profile.pickle", pickle.dumps(snapshot, 4), "pytorch_pickle")):
            with self.subTest(name=name):
                path = self.write(name, content)
                info = self.info(path)
                self.assertEqual(info["kind"], kind)
                self.assertEqual([(d["device"], d["allocations"], d["peak_bytes"], d["live_bytes_at_end"]) for d in info["devices"]],
                                 [(0, 4, 4096 + 2048 + 4096, 8192), (1, 1, 64, 64)])
                self.assertEqual(self.ask(path, "SELECT device, category, sum(size), count(free_step) FROM allocations GROUP BY 1, 2 ORDER BY 1, 2"),
                                 [(0, "activation", 2048, 1), (0, "gradient", 4096, 0), (0, "parameter", 4096, 0), (0, "temporary", 1024, 1),
                                  (1, "input", 64, 0)])
                self.assertEqual(self.ask(path, "SELECT s.text FROM allocations a JOIN stacks s ON s.id = a.stack_id WHERE a.category = 'activation'"),
                                 [("none:0:aten::mm",)])
                self.succeed("render", path, "--out", self.home / "x.png", *SMALL)


if __name__ == "__main__":
    main()
