"""The command line against the reference timeline, on every real snapshot there is. Skipped without the shared folder."""
import json
import unittest

from harness import SAMPLE, SHARED, CommandLine, main, reference


class Shared(CommandLine):
    def check_info(self, path):
        oracle = reference()
        snapshot = oracle.load(path)
        traces = snapshot["device_traces"]
        expected = []
        for number in sorted({d for d, trace in enumerate(traces) if trace} | {s.get("device", 0) for s in snapshot["segments"]}):
            elements, initial, actions = oracle.collect(snapshot, number, False)
            drawn, totals, live_at_end = oracle.layout(elements, initial, actions)
            expected.append({"device": number, "events": len(traces[number]) if number < len(traces) else 0,
                             "allocations": len(drawn), "steps": len(totals), "peak_bytes": max(totals, default=0),
                             "live_bytes_at_end": live_at_end, "path_points": sum(len(p["timesteps"]) for p in drawn)})
        devices = json.loads(self.succeed("info", path, "--json"))["devices"]
        self.assertEqual([{key: device[key] for key in device if key != "stacks"} for device in devices], expected)

    def test_info_of_the_sample(self):
        self.check_info(SAMPLE)

    def test_info_of_real_snapshots(self):
        reference()
        paths = sorted((SHARED / "data").glob("*.p*k*l*"))
        self.assertTrue(paths)
        for path in paths:
            with self.subTest(path=path.name):
                self.check_info(path)

    def test_export_of_the_sample(self):
        oracle = reference()
        allocations, exported = self.export(SAMPLE)
        elements, initial, actions = oracle.collect(oracle.load(SAMPLE), 0, False)
        drawn, _, _ = oracle.layout(elements, initial, actions)
        self.assertEqual((len(allocations), len(exported)), (len(drawn), len(drawn)))
        for polygon, allocation, event in zip(drawn, allocations, exported):
            element = elements[polygon["element"]]
            self.assertEqual([allocation["timesteps"], allocation["offsets"], allocation["size"]],
                             [polygon["timesteps"], polygon["offsets"], element["size"]])
            self.assertEqual([event["addr"], event["size"], event["stream"], event["frames"]],
                             [element["addr"], element["size"], element["stream"], element["stack"]])

    def test_export_of_one_device_of_several(self):
        path = SHARED / "data" / "npu-multi-device.pkl"
        if not path.exists():
            raise unittest.SkipTest(f"{path} is absent")
        for device in json.loads(self.succeed("info", path, "--json"))["devices"]:
            allocations, _ = self.export(path, "--device", device["device"])
            self.assertEqual(len(allocations), device["allocations"])


if __name__ == "__main__":
    main()
