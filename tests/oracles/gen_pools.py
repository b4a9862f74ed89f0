#!/usr/bin/env python3
"""Writes a snapshot with known private pools: by default, a graph pool with 12 GiB of idle memory.

    gen_pools.py OUT_DIR [--seed N] [--idle BYTES] [--told-by events|segments]

OUT_DIR gets `pools.pickle` and `planted.json`: the bytes of each pool at the peak and at the end according to the model's own state,
and the event that first reserved memory for it. Since PyTorch 2.12, events have pool ids (`events`); before, only segments have them.
"""
import argparse
import json
import pathlib
import pickle
import random

from gen_planted import Code, GiB, Machine, MiB

GRAPHS = "/opt/venv/lib/python3.11/site-packages/torch/cuda/graphs.py"


class Books(Machine):
    """Records the content of each pool at the peak."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.most, self.at_peak, self.peak_event, self.made = 0, {}, None, {}

    def holdings(self):
        held = {}
        for segment in self.segments:
            pool = held.setdefault(str(segment.pool), {"reserved": 0, "used": 0})
            pool["reserved"] += segment.size
            pool["used"] += sum(block.size for block in self.chain(segment) if block.state != "free")
        return held

    def event(self, action, address, size, frames, stream=0, **more):
        super().event(action, address, size, frames, stream, **more)
        if action == "segment_alloc":
            self.made.setdefault(str(self.pool), len(self.trace) - 1)
        live = sum(block.requested for block in [*self.live.values(), *self.pending.values()])
        if action == "alloc" and live > self.most:
            self.most, self.at_peak, self.peak_event = live, self.holdings(), len(self.trace) - 1


GATHER = {"name": "torch::CapturedTraceback::gather(bool, bool, bool, bool)", "filename": "??", "line": 0}


def unwound(frames):
    """Returns a stack whose innermost frames are PyTorch's own unwinder, whose name contains "captured"."""
    return [frames[0], GATHER, *frames[1:]]


def captured(code, line, name):
    """Returns a stack within a capture: the program's own line inside, frames of PyTorch's module for graphs outside."""
    return [*unwound(code.line(line, name, "model.py")), {"name": "capture_model", "filename": "/workspace/minigpt/runner.py", "line": 7},
            {"name": "__enter__", "filename": GRAPHS, "line": 200}]


def make(folder, seed=1, idle=12 * GiB, told_by="segments"):
    rng, code, m = random.Random(f"{seed} {idle}"), Code(), Books(80 * GiB)
    weights = [m.alloc(rng.randrange(100, 900) * 2 * MiB, code.line(10, "build")) for _ in range(4)]
    m.pool = (0, 1)
    kept = m.alloc(rng.randrange(1, 200) * 2 * MiB, captured(code, 20, "decode"))
    sizes = [idle // 4 // (2 * MiB) * 2 * MiB] * 3
    sizes.append(idle - sum(sizes))
    scratch = [m.alloc(size, captured(code, 21, "decode")) for size in sizes if size]
    m.pool = (1, 0)
    other = [m.alloc(rng.randrange(10, 400) * 2 * MiB, unwound(code.line(30, "capture_output"))) for _ in range(rng.randrange(1, 4))]
    m.pool = (0, 0)
    spike = [m.alloc(rng.randrange(10, 100) * 2 * MiB, code.line(40, "forward")) for _ in range(rng.randrange(6))]
    for address in scratch:
        m.free(address, code.line(22, "decode"))
    for address in other[1:] + spike[::2] + weights[3:]:
        m.free(address, code.line(50, "backward"), wait=rng.random() < 0.3)
    assert kept in m.live
    snapshot = m.snapshot()
    if told_by == "events":
        pool_of = {segment.address: segment.pool for segment in m.segments}
        at = lambda address: next(pool for start, pool in sorted(pool_of.items(), reverse=True) if start <= address)
        for event in m.trace:
            event["pool_id"] = at(event["addr"])
    (folder / "pools.pickle").write_bytes(pickle.dumps(snapshot, protocol=4))
    planted = {"idle": idle, "peak_event": m.peak_event, "at_peak": m.at_peak, "at_end": m.holdings(), "made": m.made}
    (folder / "planted.json").write_text(json.dumps(planted))
    return planted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--idle", type=int, default=12 * GiB)
    parser.add_argument("--told-by", choices=["events", "segments"], default="segments")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    make(options.folder, options.seed, options.idle, options.told_by)


if __name__ == "__main__":
    main()
