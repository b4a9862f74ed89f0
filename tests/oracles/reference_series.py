#!/usr/bin/env python3
"""The expected output of `snapviewer series DIR --json` and of its database for a folder, computed by the rules of docs/long-jobs.md.

    reference_series.py DIR

Simple and slow: uses pickle, json and statistics. Supports only snapshots of one device each, as gen_series.py writes them.
"""
import datetime
import itertools
import json
import pickle
import re
import statistics
import sys
from pathlib import Path

MiB = 1 << 20
RECORDERS = re.compile(r"(?P<host>.+)_rank(?P<rank>\d+)_device(?P<device>\d+)(?:_(?P<why>series|oom|signal|time)(?P<number>\d+))?(?:_run\d+)?$")


def facts_beside(path):
    about = path.with_suffix(".about.json")
    return json.loads(about.read_text()) if about.exists() else {}


def microseconds(text):
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1e6)


def pool_of(segment):
    pool = tuple(segment.get("segment_pool_id", (0, 0)))
    kind = segment["segment_type"]
    return kind if pool == (0, 0) else f"private ({pool[0]}, {pool[1]}) {kind}"


def count_sample(snapshot):
    """Returns the figures of one device, its pools and its size classes."""
    pools, sizes = {}, {}
    segments = snapshot["segments"]
    blocks = [(segment, block) for segment in segments for block in segment["blocks"]]
    for segment in segments:
        name = pool_of(segment)
        own = [block for of, block in blocks if of is segment]
        pool = pools.setdefault(name, {"segments": 0, "reserved": 0, "allocated": 0, "active": 0, "largest": 0})
        pool["segments"] += 1
        pool["reserved"] += segment["total_size"]
        pool["allocated"] += sum(block["size"] for block in own if block["state"] == "active_allocated")
        pool["active"] += sum(block["size"] for block in own if block["state"] != "inactive")
        pool["largest"] = max([pool["largest"]] + [block["size"] for block in own if block["state"] == "inactive"])
        for block in own:
            if block["state"] == "active_allocated":
                at_least = 1
                while 2 * at_least <= block["size"]:
                    at_least *= 2
                count, size = sizes.get((name, at_least), (0, 0))
                sizes[name, at_least] = count + 1, size + block["size"]
    expandable = [segment["total_size"] for segment in segments if segment.get("is_expandable")]
    return {"segments": len(segments), "expandable_segments": len(expandable), "blocks": len(blocks), "reserved": sum(p["reserved"] for p in pools.values()),
            "expandable": sum(expandable), "allocated": sum(p["allocated"] for p in pools.values()), "active": sum(p["active"] for p in pools.values()),
            "requested": sum(segment["requested_size"] for segment in segments), "pools": pools, "sizes": sizes}


def read_folder(folder):
    samples, dumps = [], []
    for path in sorted(Path(folder).rglob("*.pickle")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        about, name = facts_beside(path), RECORDERS.match(path.stem)
        why = about.get("why") or (name and (name["why"] or "end"))
        told = about.get("time")
        common = {"file": str(path), "file_bytes": path.stat().st_size, "step": about.get("step"), "time_from": "recorder" if told else "file",
                  "time_us": microseconds(told) if told else int(path.stat().st_mtime) * 1_000_000}
        rank = about.get("rank")
        if rank is None:
            rank = int(name["rank"]) if name else int((re.search(r"rank[_-]?(\d+)", path.stem) or ["", "0"])[1])
        common.update(rank=rank, host=about.get("host") or (name["host"] if name else None), device=about.get("device", int(name["device"]) if name else 0) or 0)
        if why in (None, "series"):
            number = int(name["number"]) if name else int(re.search(r"(\d*)$", path.stem)[1] or -1)
            nvml = about.get("nvml") or {}
            samples.append({**common, **count_sample(pickle.loads(path.read_bytes())), "number": None if number < 0 else number, "pid": about.get("pid"),
                            "total": nvml.get("total_bytes"), "used": nvml.get("used_bytes"), "other": nvml.get("other_processes_bytes")})
        else:
            torch = about.get("torch") or {}
            dumps.append({**common, "why": why, "allocated_bytes": torch.get("allocated_bytes"), "reserved_bytes": torch.get("reserved_bytes")})
    return samples, sorted(dumps, key=lambda dump: dump["time_us"])


def lines_of(samples):
    """Returns the samples of each rank in order, and whether their times are plausible."""
    lines = {}
    for sample in samples:
        lines.setdefault(sample["rank"], []).append(sample)
    for rank in sorted(lines):
        line = lines[rank]
        numbers = {sample["number"] for sample in line} - {None}
        by_number = all(sample["time_from"] == "file" for sample in line) and len(numbers) == len(line)
        line.sort(key=lambda sample: sample["number"] if by_number else sample["time_us"])
        times = [sample["time_us"] for sample in line]
        yield rank, line, by_number, times == sorted(times) and times[0] < times[-1]


def windows_of(line):
    """Divides the samples into eight runs of equal length, as far as possible; returns them and the middle sample of each."""
    edges = [n * len(line) // 8 for n in range(9)]
    return [line[a:b] for a, b in zip(edges, edges[1:])], [(a + b) // 2 for a, b in zip(edges, edges[1:])]


def slopes(places, floors):
    return [(floors[b] - floors[a]) / (places[b] - places[a]) for a, b in itertools.combinations(range(8), 2)]


def lasts(places, floors):
    slope = statistics.median(slopes(places, floors))
    rising = sum(floors[b] > floors[a] for a, b in itertools.combinations(range(8), 2))
    off = [floor - slope * (place - places[0]) for place, floor in zip(places, floors)]
    scatter = statistics.median(abs(each - statistics.median(off)) for each in off)
    grown = slope * (places[7] - places[0])
    return rising >= 0.9 * 28 and grown >= 8 * MiB and grown >= 4 * scatter


def growing_in(rank, line, has_times):
    if len(line) < 16:
        return
    windows, middles = windows_of(line)
    things = {("allocated", None, None): lambda sample: sample["allocated"], ("idle", None, None): lambda sample: sample["reserved"] - sample["allocated"]}
    for sample in line:
        for pool in sample["pools"]:
            things["pool", pool, None] = lambda sample, pool=pool: sample["pools"].get(pool, {"allocated": 0})["allocated"]
        for pool, at_least in sample["sizes"]:
            things["size_class", pool, at_least] = lambda sample, key=(pool, at_least): sample["sizes"].get(key, (0, 0))[1]
    hours = [(line[middle]["time_us"] - line[0]["time_us"]) / 3600e6 for middle in middles]
    steps = [line[middle]["step"] for middle in middles]
    for (kind, pool, at_least), bytes_of in things.items():
        floors = [min(bytes_of(sample) for sample in window) for window in windows]
        if not lasts(hours if has_times else middles, floors):
            continue
        growth = {"rank": rank, "kind": kind, "pool": pool, "at_least_bytes": at_least, "from_bytes": floors[0], "to_bytes": floors[7],
                  "bytes_per_hour": statistics.median(slopes(hours, floors)) if has_times else None,
                  "bytes_per_step": statistics.median(slopes(steps, floors)) if None not in steps else None,
                  "bytes_per_sample": statistics.median(slopes(middles, floors)), "full_time_us": None}
        if kind == "allocated" and has_times and line[-1]["total"]:
            room = line[-1]["total"] - floors[7] - (line[-1]["used"] - line[-1]["reserved"])
            growth["full_time_us"] = line[middles[7]]["time_us"] + room / growth["bytes_per_hour"] * 3600e6
        yield growth


def outside_in(rank, line):
    told = [sample for sample in line if sample["other"] is not None]
    if len(told) < 16:
        return
    first = min(sample["other"] for sample in told[:len(told) // 8])
    last = min(sample["other"] for sample in told[7 * len(told) // 8:])
    if last >= first + 64 * MiB:
        below = [n for n, sample in enumerate(told) if sample["other"] <= first + (last - first) // 2]
        yield {"rank": rank, "of": "other_processes", "from_bytes": first, "to_bytes": last, "since_us": told[below[-1] + 1]["time_us"]}


def reference(folder):
    samples, dumps = read_folder(folder)
    answer = {"ranks": [], "growing": [], "outside": [], "gaps": [], "ended": [], "dumps": dumps, "samples": samples}
    lines = list(lines_of(samples))
    ends = [line[-1]["time_us"] for _, line, _, has_times in lines if has_times]
    for rank, line, by_number, has_times in lines:
        times = [sample["time_us"] for sample in line]
        intervals = [b - a for a, b in zip(times, times[1:])]
        usual = int(statistics.median(intervals))
        answer["ranks"].append({"rank": rank, "samples": len(line), "order": "number" if by_number else "time", "time_from": line[0]["time_from"],
                                "first_time_us": times[0] if has_times else None, "last_time_us": times[-1] if has_times else None,
                                "first_step": line[0]["step"], "last_step": line[-1]["step"], "interval_us": usual if has_times else None,
                                "device_total_bytes": line[-1]["total"],
                                **{f"{which}_{what}_bytes": value for what in ("allocated", "reserved") for which, value in
                                   (("first", line[0][what]), ("last", line[-1][what]), ("most", max(sample[what] for sample in line)))}})
        answer["growing"] += growing_in(rank, line, has_times)
        answer["outside"] += outside_in(rank, line)
        if has_times and len(line) >= 4:
            answer["gaps"] += [{"rank": rank, "from_us": a, "to_us": b, "interval_us": usual} for a, b in zip(times, times[1:]) if b - a > 3 * usual]
            if max(ends) - times[-1] > 3 * usual:
                answer["ended"].append({"rank": rank, "last_us": times[-1], "before_us": max(ends) - times[-1]})
    return answer


if __name__ == "__main__":
    json.dump({key: value for key, value in reference(sys.argv[1]).items() if key != "samples"}, sys.stdout, indent=1)
