#!/usr/bin/env python3
"""Writes the snapshots of a whole job, one file per rank, with the expected answers in OUT/.truth.json.

    gen_fleet.py OUT [--ranks 40] [--steps 6] [--damaged 5] [--seed 1]

Every rank leaks the same amount per step at the same line. Three have peaks far from the others: two hold more memory of one stack,
one lacks a stack that the others have. One runs out of memory because of fragmentation. Some files are damaged.
"""
import argparse
import json
import os
import pickle
import random
from pathlib import Path

from gen_planted import GiB, MiB, Code, Machine, OutOfMemory, Run

LEAK_BYTES = 65536
CACHE_BYTES = 256 * MiB
MORE = {"keep_logits@eval.py:33": ("keep_logits", "eval.py", 33, 300 * MiB), "gather_weights@parallel.py:57": ("gather_weights", "parallel.py", 57, 200 * MiB)}
LEAK, CACHE, PAD = "remember_loss@metrics.py:110", "make_cache@cache.py:41", "pad@train.py:31"


def leak(machine, code, _):
    machine.alloc(LEAK_BYTES, code.line(110, "remember_loss", "metrics.py"))


def run_out_in_pieces(machine, code):
    """Leaves holes of 44 MiB between live blocks, then requests a block that fits into none of them."""
    machine.hand_back(code.line(20, "warm_up"))
    machine.capacity = machine.reserved + 4 * 64 * MiB + 10 * MiB
    large = []
    for _ in range(4):
        machine.free(machine.alloc(64 * MiB, code.line(20, "warm_up")), code.line(20, "warm_up"))
        large.append(machine.alloc(44 * MiB, code.line(21, "read_part", "loader.py")))
        machine.alloc(20 * MiB, code.line(22, "index_part", "loader.py"))
    for address in large:
        machine.free(address, code.line(23, "drop_part", "loader.py"))
    try:
        machine.alloc(120 * MiB, code.line(24, "gather_logits"))
    except OutOfMemory:
        return
    raise AssertionError("the rank was to run out of memory")


def snapshot_of(rank, steps, pad_bytes, more=None, has_cache=True, runs_out=False):
    # Each machine has the program in another folder, so equal stacks must be recognised by content.
    machine, code = Machine(64 * GiB), Code(root=f"/scratch/node{rank // 8}/job")
    run = Run(machine, code, hidden=1024, sequence=8192)
    run.build()
    machine.alloc(pad_bytes, code.line(31, "pad"))
    if has_cache:
        machine.alloc(CACHE_BYTES, code.line(41, "make_cache", "cache.py"))
    if more:
        name, file, line, size = MORE[more]
        machine.alloc(size, code.line(line, name, file))
    for step in range(steps):
        run.step(step, [leak])
    if runs_out:
        run_out_in_pieces(machine, code)
    return machine.snapshot()


def damaged_bytes(kind, rng):
    """Returns a damaged file: empty, random, other text, a function call, or a file truncated before any event."""
    whole = pickle.dumps({"segments": [], "device_traces": [[]]}, protocol=4)
    return [b"", rng.randbytes(4096), b"rank was killed by the scheduler\n" * 50, b"\x80\x02cos\nsystem\n(S'true'\ntR.", whole[:12]][kind % 5]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--ranks", type=int, default=40)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--damaged", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    os.makedirs(args.out, exist_ok=True)
    chosen = rng.sample(range(args.ranks), 4 + args.damaged)
    (first, second, lacking, in_pieces), damaged = chosen[:4], chosen[4:]
    more = dict(zip((first, second), MORE))
    for rank in range(args.ranks):
        path = args.out / f"rank{rank}.pickle"
        if rank in damaged:
            path.write_bytes(damaged_bytes(damaged.index(rank), rng))
            continue
        made = snapshot_of(rank, args.steps, rng.randrange(512, MiB), more.get(rank), rank != lacking, rank == in_pieces)
        with open(path, "wb") as file:
            pickle.dump(made, file, protocol=4)
    outliers = {rank: {"source": source, "bytes": MORE[source][3]} for rank, source in more.items()}
    outliers[lacking] = {"source": CACHE, "bytes": -CACHE_BYTES}
    truth = {"outliers": outliers, "leak": {"source": LEAK, "slope": LEAK_BYTES, "ranks": args.ranks - args.damaged},
             "in_pieces": in_pieces, "damaged": sorted(f"rank{rank}.pickle" for rank in damaged)}
    (args.out / ".truth.json").write_text(json.dumps(truth, indent=1))


if __name__ == "__main__":
    main()
