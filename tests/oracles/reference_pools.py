#!/usr/bin/env python3
"""The content of each memory pool of a snapshot at the peak and at the end, and the pool's origin. Slow and simple.

    reference_pools.py SNAPSHOT.pickle

For recordings that have every event since the device was empty, and whose segments still exist at the end. A pool's bytes are those
of its segments. Blocks count as used from their alloc to the completion of their free, with the size in the file or the request
rounded up to 512. The peak is the first moment with most requested bytes. A pool's origin is its first segment_alloc. The capturing
frame is the innermost Python frame whose function is named after capturing a graph, else the innermost of torch/cuda/graphs.py.
"""
import json
import pathlib
import pickle
import re
import sys


NAMED_AFTER_CAPTURING = re.compile(r"capture(?!_?(d|output|std|log|warn|exc|err|trace|io|stack))", re.I)


def pools(snapshot, device=0):
    segments = [s for s in snapshot["segments"] if s["device"] == device]
    trace = snapshot["device_traces"][device]

    def pool_at(address):
        return next(str(tuple(s["segment_pool_id"])) for s in segments if s["address"] <= address < s["address"] + s["total_size"])

    listed = {b["address"]: b["size"] for s in segments for b in s["blocks"] if b["state"] != "inactive"}
    last_alloc = {e["addr"]: i for i, e in enumerate(trace) if e["action"] == "alloc"}
    held, live, most, at_peak, made = {}, {}, 0, {}, {}
    for number, event in enumerate(trace):
        action, address, size = event["action"], event.get("addr"), event["size"]
        if action == "segment_alloc":
            pool = pool_at(address)
            held.setdefault(pool, {"reserved": 0, "used": 0})["reserved"] += size
            made.setdefault(pool, number)
        elif action == "alloc":
            block = listed[address] if address in listed and last_alloc[address] == number else max(512, -(-size // 512) * 512)
            live[address] = (size, block)
            held[pool_at(address)]["used"] += block
        elif action == "free_completed":
            held[pool_at(address)]["used"] -= live.pop(address)[1]
        if sum(requested for requested, _ in live.values()) > most:
            most = sum(requested for requested, _ in live.values())
            at_peak = {pool: dict(sums) for pool, sums in held.items()}
    at_end = {}
    for s in segments:
        sums = at_end.setdefault(str(tuple(s["segment_pool_id"])), {"reserved": 0, "used": 0})
        sums["reserved"] += s["total_size"]
        sums["used"] += sum(b["size"] for b in s["blocks"] if b["state"] != "inactive")
    rows = []
    for pool in sorted(held):
        frames = trace[made[pool]]["frames"]
        capture = [f for f in frames if f["filename"].endswith(".py") and NAMED_AFTER_CAPTURING.search(f["name"])] or [f for f in frames if f["filename"].endswith("torch/cuda/graphs.py")]
        is_private = pool != "(0, 0)"
        rows.append({"pool": pool, "private": is_private, "at_peak": with_idle(at_peak.get(pool)), "at_end": with_idle(at_end.get(pool)),
                     "made_event": made[pool] if is_private else None, "captured_by": source(capture[0]) if capture and is_private else None})
    return rows


def with_idle(sums):
    sums = sums or {"reserved": 0, "used": 0}
    return dict(sums, idle=sums["reserved"] - sums["used"])


def source(frame):
    path = re.split(r"/(?:site|dist)-packages/", frame["filename"])[-1] if "-packages/" in frame["filename"] else frame["filename"].rsplit("/", 1)[-1]
    return f"{frame['name']}@{path}:{frame['line']}"


if __name__ == "__main__":
    print(json.dumps(pools(pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())), indent=1))
