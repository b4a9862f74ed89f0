#!/usr/bin/env python3
"""Writes the small snapshots of a job over hours, like a recorder, with the expected answers in OUT/.truth.json.

    gen_series.py OUT [--ranks 8] [--samples 20] [--interval 600] [--blocks 40] [--seed 1] [--bare]

One rank leaks 40 MiB per hour in blocks of 2.5 MiB, one holds more and more idle segments, one ends early, and on one device another
process appears. In the middle, no rank writes for an hour. There are also two full snapshots. With --bare there are only snapshots,
named by rank and number, and their times are those of the files. --blocks is the number of additional blocks in each sample, with
stacks of 30 frames.
"""
import argparse
import datetime
import json
import os
import pickle
import random
from pathlib import Path

MiB, GiB = 1 << 20, 1 << 30
START = datetime.datetime(2026, 11, 20, 8, 0, tzinfo=datetime.timezone.utc)
LEAK_BLOCK, LEAK_PER_HOUR, IDLE_PER_HOUR, GAP_S = 5 * MiB // 2, 40 * MiB, 600 * MiB, 3600
CONTEXT, OTHER, DEVICE = 600 * MiB, 8 * GiB, 24 * GiB
STEPS_PER_SAMPLE = 100


def frames(random_numbers, depth=30):
    files = ["model.py", "attention.py", "optimizer.py", "train.py"]
    return [{"filename": "/job/" + random_numbers.choice(files), "line": random_numbers.randrange(1, 400), "name": f"call_{n}"} for n in range(depth)]


class Sample:
    """The segments of one device."""

    def __init__(self):
        self.segments, self.next = [], 0x7F0000000000

    def segment(self, kind, sizes, pool=(0, 0), room=0, stack=(), expandable=False, pending=0):
        """Adds a segment: used blocks of these sizes, one of `pending` bytes that waits for its free, and `room` free bytes."""
        blocks, address = [], self.next
        for size, state in [*((size, "active_allocated") for size in sizes), (pending, "active_pending_free"), (room, "inactive")]:
            if size:
                blocks.append({"address": address, "size": size, "requested_size": size - 100 if state != "inactive" else 0, "state": state,
                               "frames": list(stack)})
                address += size
        in_use = [block for block in blocks if block["state"] != "inactive"]
        self.segments.append({"device": 0, "address": self.next, "total_size": address - self.next, "allocated_size": sum(sizes),
                              "active_size": sum(sizes) + pending, "requested_size": sum(block["requested_size"] for block in in_use), "stream": 0,
                              "segment_type": kind, "segment_pool_id": pool, "is_expandable": expandable, "frames": [], "blocks": blocks})
        self.next = address + 2 * MiB

    @property
    def reserved(self):
        return sum(segment["total_size"] for segment in self.segments)

    @property
    def allocated(self):
        return sum(segment["allocated_size"] for segment in self.segments)


def sample_of(numbers, hours, leaks, idles, index, stacks):
    sample = Sample()
    for n in range(0, len(stacks), 8):   # permanent memory: a few hundred blocks of all sizes
        sizes = [512 << (n + m) % 11 for m in range(8)]
        sample.segment("small", sizes, room=2 * MiB - sum(sizes) % (2 * MiB), stack=stacks[n])
    sample.segment("large", [64 * MiB, 48 * MiB, 3 * MiB], room=13 * MiB, stack=stacks[0], expandable=True)
    sample.segment("large", [40 * MiB, 8 * MiB], pool=(0, 1), room=16 * MiB, stack=stacks[0])
    busy = index % 2 * numbers.randrange(10, 200) * MiB   # between steps there is no memory of a step
    sample.segment("large", [busy] if busy else [], room=256 * MiB - busy, pending=4 * MiB if busy else 0, stack=stacks[1])
    leaked = int(hours * LEAK_PER_HOUR / LEAK_BLOCK) if leaks else 0
    for n in range(0, leaked, 8):
        blocks = min(8, leaked - n)
        sample.segment("large", [LEAK_BLOCK] * blocks, room=20 * MiB - blocks * LEAK_BLOCK, stack=stacks[1])
    for _ in range(int(hours * IDLE_PER_HOUR / (20 * MiB)) if idles else 0):
        sample.segment("large", [], room=20 * MiB)
    return sample


class Job:
    def __init__(self, options):
        self.options, self.folder = options, Path(options.folder)
        self.numbers = random.Random(options.seed)
        self.series = self.folder if options.bare else self.folder / "series"
        self.series.mkdir(parents=True)
        samples = options.samples
        self.leaky, self.idle, self.dead, self.visited = 5 % options.ranks, 2 % options.ranks, 3 % options.ranks, 6 % options.ranks
        self.gap_at, self.other_at, self.dead_at = samples // 2 - 2, samples * 6 // 10, samples - max(4, samples // 20)
        self.stacks = [frames(self.numbers) for _ in range(options.blocks)]

    def time_of(self, index):
        return START + datetime.timedelta(seconds=index * self.options.interval + (GAP_S if index >= self.gap_at else 0))

    def about(self, rank, why, index, file, sample):
        other = OTHER if rank == self.visited and index >= self.other_at else 0
        return {"version": 1, "file": file.name, "why": why, "time": self.time_of(index).isoformat(timespec="microseconds").replace("+00:00", "Z"),
                "host": f"node{rank // 4}", "pid": 4000 + rank, "rank": rank, "local_rank": rank % 4, "device": 0, "step": index * STEPS_PER_SAMPLE,
                "versions": {"torch": "2.15.0", "python": "3.11.2", "snapviewer": "0.1.0"}, "allocator": {},
                "torch": {"allocated_bytes": sample.allocated, "reserved_bytes": sample.reserved, "peak_allocated_bytes": sample.allocated},
                "nvml": {"total_bytes": DEVICE, "used_bytes": sample.reserved + CONTEXT + other, "this_process_bytes": sample.reserved + CONTEXT,
                         "other_processes_bytes": other, "other_processes": 1 if other else 0}, "oom": None, "failures": 0, "problems": []}

    def write(self, path, rank, why, index, traces=()):
        sample = sample_of(self.numbers, (self.time_of(index) - START).total_seconds() / 3600, rank == self.leaky, rank == self.idle, index, self.stacks)
        path.write_bytes(pickle.dumps({"segments": sample.segments, "device_traces": list(traces)}, 4))
        if not self.options.bare:
            path.with_suffix(".about.json").write_text(json.dumps(self.about(rank, why, index, path, sample), indent=1))
        else:
            os.utime(path, (self.time_of(index).timestamp(),) * 2)

    def run(self):
        options = self.options
        for rank in range(options.ranks):
            for index in range(self.dead_at if rank == self.dead else options.samples):
                name = f"mem_rank{rank}_{index:05}.pickle" if options.bare else f"node{rank // 4}_rank{rank}_device0_series{index + 1:06}.pickle"
                self.write(self.series / name, rank, "series", index)
        if not options.bare:
            event = {"action": "alloc", "addr": 0x7F0000000000, "size": 412, "stream": 0, "time_us": 1_763_625_600_000_000, "frames": self.stacks[0]}
            self.write(self.folder / "node0_rank0_device0_time1.pickle", 0, "time", options.samples // 3, [[event]])
            self.write(self.folder / f"node1_rank{self.leaky}_device0_oom1.pickle", self.leaky, "oom", options.samples - 1, [[event]])
        microseconds = lambda index: round(self.time_of(index).timestamp() * 1e6)
        truth = {"leak": {"rank": self.leaky, "pool": "large", "at_least_bytes": 2 * MiB, "bytes_per_hour": LEAK_PER_HOUR,
                          "bytes_per_step": LEAK_PER_HOUR / (3600 / options.interval * STEPS_PER_SAMPLE)},
                 "idle": {"rank": self.idle, "bytes_per_hour": IDLE_PER_HOUR},
                 "dead": {"rank": self.dead, "last_us": microseconds(self.dead_at - 1),
                          "before_us": microseconds(options.samples - 1) - microseconds(self.dead_at - 1)},
                 "gap": {"from_us": microseconds(self.gap_at - 1), "to_us": microseconds(self.gap_at)},
                 "other": {"rank": self.visited, "since_us": microseconds(self.other_at), "bytes": OTHER}}
        (self.folder / ".truth.json").write_text(json.dumps(truth, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--interval", type=int, default=600)
    parser.add_argument("--blocks", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bare", action="store_true")
    Job(parser.parse_args()).run()


if __name__ == "__main__":
    main()
