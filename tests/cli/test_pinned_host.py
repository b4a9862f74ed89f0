"""Pinned host memory (PyTorch 2.14 and newer): even malformed, it never affects the devices of the file."""
import json
import pickle

from harness import CommandLine, main

MIB = 1 << 20
FRAME = {"filename": "loader.py", "line": 12, "name": "pin"}


def event(action, addr, size, **more):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": 5, "frames": [FRAME], **more}


def listed(address, size, state):
    """Returns a segment in the format of device segments."""
    live = size if state == "active_allocated" else 0
    return {"device": 0, "address": address, "total_size": size, "allocated_size": live, "active_size": live, "stream": 0, "segment_type": "large",
            "frames": [FRAME], "blocks": [{"address": address, "size": size, "requested_size": size, "state": state, "frames": [FRAME]}]}


DEVICE = {"segments": [listed(0x10000000, 2 * MIB, "active_allocated")], "device_traces": [[event("alloc", 0x20000000, 700), event("free_completed", 0x20000000, 700)]]}
TRACE = [event("alloc", 0x7000, 3000), event("free_requested", 0x7000, 3000), event("free_completed", 0x7000, 3000)]


class PinnedHost(CommandLine):
    def of(self, **host):
        return self.write("host.pickle", pickle.dumps({**DEVICE, **host}, 4))

    def device_is_whole(self, path):
        self.assertEqual(self.ask(path, "SELECT size, origin FROM allocations WHERE device = 0 ORDER BY size"),
                         [(700, "alloc"), (2 * MIB, "standing")])

    def host(self, path):
        """Returns (size, state) of the host's allocations, and the number of rejected rows."""
        self.device_is_whole(path)
        _, entries = self.info_and_entries(path)
        return self.ask(path, "SELECT size, state FROM allocations WHERE device < 0 ORDER BY size"), entries.get("host_left_out", 0)

    def test_every_form_of_a_segment_is_one_block(self):
        live, waits, idle = [(4096, "live")], [(4096, "awaiting_free")], []
        forms = [({"address": 0x9000, "size": 4096, "allocated": True, "active": True, "segment_pool_id": (0, 0), "frames": [FRAME]}, live),
                 ({"address": 0x9000, "total_size": 4096, "allocated": True}, live),
                 ({"address": 0x9000, "total_size": 4096, "allocated_size": 4096, "active_size": 4096}, live),
                 ({"address": 0x9000, "size": 4096, "state": "active_allocated"}, live),
                 ({"address": 0x9000, "size": 4096, "device": 0, "state": "active_allocated"}, live),
                 ({"address": 0x9000, "size": 4096, "allocated": False, "active": True}, waits),
                 ({"address": 0x9000, "size": 4096, "allocated_size": 0, "active_size": 0}, idle),
                 ({"address": 0x9000, "size": 4096}, idle),
                 (listed(0x9000, 4096, "active_allocated"), live)]
        for form, expected in forms:
            with self.subTest(form=form):
                path = self.of(host_segments=[form])
                self.assertEqual(self.host(path), (expected, 0))
                self.assertEqual(self.ask(path, "SELECT address, size, device FROM segments WHERE device < 0"), [(0x9000, 4096, -1)])

    def test_a_block_that_waits_says_so(self):
        path = self.of(host_segments=[{"address": 0x9000, "size": 4096, "allocated": False, "active": True}])
        self.assertEqual(self.ask(path, "SELECT state, size FROM blocks WHERE address = 36864"), [("active_pending_free", 4096)])

    def test_damage_is_left_out_and_counted(self):
        good = listed(0x9000, 4096, "active_allocated")
        made = [(3000, "freed")]
        odd_block = {**good, "blocks": [{"size": "large", "state": "active_allocated"}]}
        odd_frame = event("alloc", 0x8000, 10, frames=[{"filename": 7, "line": "x", "name": []}])
        for host, expected in [
                ({"host_traces": [7, *TRACE]}, ([], 4)),
                ({"host_traces": [TRACE[0], 7, *TRACE[1:], "text"]}, (made, 2)),
                ({"host_traces": [[TRACE[0], 7, *TRACE[1:]], 5, [9]]}, (made, 3)),
                ({"host_traces": [*TRACE, event("alloc", "here", 10)]}, (made, 1)),
                ({"host_traces": [*TRACE, event("alloc", 0x8000, [1])]}, (made, 1)),
                ({"host_traces": [*TRACE, {**event("alloc", 0x8000, 10), "stream": "s"}]}, (made, 1)),
                ({"host_traces": [*TRACE, odd_frame]}, (made, 1)),
                ({"host_traces": {"a": 1}}, ([], 1)),
                ({"host_traces": "no list"}, ([], 1)),
                ({"host_segments": 5}, ([], 1)),
                ({"host_segments": [good, ["not a segment"]]}, ([(4096, "live")], 1)),
                ({"host_segments": [["not a segment"], good]}, ([(4096, "live")], 1)),
                ({"host_segments": [{"address": 0x9000}, {**good, "address": "x"}, good]}, ([(4096, "live")], 2)),
                ({"host_segments": [odd_block, {**good, "blocks": [5]}, {**good, "blocks": 5}]}, ([], 3)),
                ({"host_segments": DEVICE["segments"], "host_traces": DEVICE["device_traces"]}, ([], 2)),
                # An event that is in both lists: it counts for the device, and is removed from the host.
                ({"host_traces": [list(DEVICE["device_traces"][0])]}, ([], 2)),
                ({"host_traces": [{}, *DEVICE["device_traces"][0]]}, ([], 3)),
        ]:
            with self.subTest(host=host):
                self.assertEqual(self.host(self.of(**host)), expected)

    def test_the_same_damage_on_a_device_ends_what_is_kept_and_names_its_place(self):
        for broken, words in [({"device_traces": [[TRACE[0], 7]]}, "not an event"),
                              ({"device_traces": [[TRACE[0], event("alloc", "here", 10)]]}, "'addr' is not an integer"),
                              ({"device_traces": [[event("alloc", 0x8000, 10, frames=[{"filename": 7}])]]}, "'filename' is not a string"),
                              ({"segments": [listed(0x9000, 4096, "inactive"), 5]}, "not a segment"),
                              ({"segments": [{**listed(0x9000, 4096, "inactive"), "blocks": [{"size": "x", "state": "inactive"}]}]}, "'size' is not an integer")]:
            with self.subTest(broken=broken):
                path = self.write("broken.pickle", pickle.dumps({**DEVICE, **broken}, 4))
                entry, = [each for each in json.loads(self.succeed("info", path, "--json"))["import_log"] if each["code"] == "cut_short"]
                self.assertEqual(entry["severity"], "data_loss")
                self.assertIn(words, entry["message"])
                self.assertIsNotNone(entry["first_offset"])

    def test_a_trace_of_two_devices_is_refused(self):
        self.refuse("info", self.write("broken.pickle", pickle.dumps({**DEVICE, "device_traces": [TRACE, list(TRACE)]}, 4)),
                    mentions=["share one trace"])


if __name__ == "__main__":
    main()
