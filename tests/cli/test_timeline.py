"""Timelines on the command line, compared with the reference, for the sample and generated snapshots."""
import json

from harness import SAMPLE, CommandLine, main, snapshots


class AgainstReference(CommandLine):
    """Checks that work for any snapshot."""

    def check_info(self, path):
        oracle = snapshots.oracle("reference_timeline")
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
        self.assertEqual([{key: device[key] for key in device if key not in ("stacks", "recording", "peak_is_lower_bound")} for device in devices], expected)


class Timeline(AgainstReference):
    def test_info(self):
        for path in snapshots.generated(self.home):
            with self.subTest(path=path.name):
                self.check_info(path)

    def test_export(self):
        oracle = snapshots.oracle("reference_timeline")
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
        path = self.home / "two-devices.pickle"
        snapshots.make_run("two-devices", path)
        devices = json.loads(self.succeed("info", path, "--json"))["devices"]
        self.assertEqual(len(devices), 2)
        for device in devices:
            allocations, _ = self.export(path, "--device", device["device"])
            self.assertEqual(len(allocations), device["allocations"])


if __name__ == "__main__":
    main()
