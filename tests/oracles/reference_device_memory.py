#!/usr/bin/env python3
"""Divides a card's memory by its users, from a snapshot that ends where memory ran out, the recorder's facts and PyTorch's message.
Slow and simple.

    reference_device_memory.py SNAPSHOT.pickle [--log JOB.LOG --rank N]

The rules:
- Figures come from the `.about.json` beside the snapshot, and from the log's message about the same error: same device, no other rank.
  If several messages qualify, one with the demand and the free bytes of the snapshot's oom is preferred, then one that names the rank,
  then the last one.
- A number in a text is off by at most half of its last digit plus one byte; amounts in bytes are exact.
- All of the recorder's figures come from the driver's library if it answered, else from CUDA. Memory that is not used is free.
- PyTorch's memory is taken from the snapshot if its reserved bytes equal the reported ones, or if none are reported; else as reported:
  allocated, freed but pending, idle, idle in private pools. "Allocated in private pools" counts as idle there, not as allocated.
- A message about the oom has the oom's free bytes.
- This process outside of PyTorch's allocator: its used memory minus PyTorch's reserved memory, at least 0. If a message does not identify
  its own process, that is the only process which uses at least what PyTorch reserved, provided that all processes, PyTorch's reserved
  memory and the free memory together exceed the card by more than their rounding. If a process may be the own one, but this does not
  decide, no process is reported.
- If reserved and free memory together exceed the card by more than their rounding, PyTorch counts memory that is not on the card. The
  largest private pools of the snapshot whose reserved bytes together account for the excess are left out of PyTorch's memory. If all of
  them are too small, none of PyTorch's memory is placed on the card, the used memory of this process is reported as a whole, and
  processes are not reported if the own one is not identified. `excess` is the excess, and nothing else is cut because of it.
- Rows are placed on the card in this order until it is full: free, allocated, pending, idle, private_idle, this_process,
  other_processes; the part that does not fit is `excess`. The remainder belongs to no process if free, own and other memory were all
  reported and it exceeds the rounding; else it is unknown.
"""
import argparse
import json
import pathlib
import pickle
import re
from fractions import Fraction

UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
SIZE = r"([0-9]+)(?:\.([0-9]+))?\s*(bytes|KiB|MiB|GiB|TiB)"
PARTS = ["allocated", "pending", "idle", "private_idle", "this_process", "other_processes", "free", "no_process", "unknown"]


def told(match):
    whole, decimals, unit = match
    decimals = decimals or ""
    exact = Fraction(int(whole + decimals), 10 ** len(decimals)) * UNITS[unit]
    within = 0 if unit == "bytes" else UNITS[unit] // (2 * 10 ** len(decimals)) + 1
    return int(exact + Fraction(1, 2)), within


def find(pattern, text):
    match = re.search(pattern.replace("SIZE", SIZE).replace(" ", r"\s*"), text)
    return told(match.groups()[-3:]) if match else None


def read_message(text):
    """Parses the text of one message, beginning at 'out of memory'."""
    f = {"source": "message", "demand": find(r"Tried to allocate SIZE", text)}
    header = re.match(r"out of memory\. Tried to allocate " + SIZE + r"(?:\. [A-Za-z]+ ([0-9]+) has a total capaci?ty of | \([A-Za-z]+ ([0-9]+); )", text)
    if not header:
        return None
    f["device"] = int(header.group(4) or header.group(5))
    if header.group(4):
        f["total"], f["free"] = find(r"capaci?ty of SIZE", text), find(r"of which SIZE is free", text)
        f["own"] = find(r"this process has SIZE memory in use", text)
        f["others"] = [(int(m[0]), told(m[1:])) for m in re.findall(r"Process ([0-9]+) has " + SIZE + " memory in use", text)]
        allocated, rest = find(r"Of the allocated memory SIZE is allocated", text), find(r"and SIZE is reserved by PyTorch but unallocated", text)
        private = find(r"with SIZE allocated in private pools", text)
        f["reserved"] = (allocated[0] + rest[0], allocated[1] + rest[1])
        f["allocated"] = allocated[0] - (private[0] if private else 0)
        f["private_idle"] = private[0] if private else 0
        f["knows_others"] = f["own"] is not None or bool(f["others"])
    else:
        f["total"], f["free"] = find(r"SIZE total capacity", text), find(r"SIZE free", text)
        allocated, cached = find(r"SIZE already allocated", text), find(r"SIZE cached", text)
        f["reserved"] = find(r"SIZE reserved in total", text) or (allocated[0] + cached[0], allocated[1] + cached[1])
        f["allocated"], f["private_idle"] = allocated[0], 0
        f["own"], f["others"], f["knows_others"] = None, [], False
    f["free_then"] = f["free"]
    return f


def rank_named(before):
    named = re.findall(r"(?:rank|default)[ _:=#]?([0-9]+)", before) or re.findall(r"\A([0-9]+): ", before)
    return int(named[-1]) if named else None


def driver_bytes(size):
    mib = 1 << 20
    return 2 * mib if size <= mib else 20 * mib if size < 10 * mib else -(-size // (2 * mib)) * (2 * mib)


def is_of_oom(f, oom):
    if not oom or oom.get("device_free") is None or not f.get("demand") or not f.get("free_then"):
        return False
    near = lambda amount, size: abs(amount[0] - size) <= amount[1]
    return (near(f["demand"], oom["size"]) or near(f["demand"], driver_bytes(oom["size"]))) and near(f["free_then"], oom["device_free"])


def read_log(path, device, rank, oom):
    best = None
    for number, line in enumerate(path.read_bytes().decode("latin-1").split("\n"), 1):
        for match in re.finditer(r"out of memory\. Tried to allocate ", line):
            f = read_message(line[match.start():])
            named = rank_named(line[:match.start()])
            if not f or f["device"] != device or (rank is not None and named is not None and named != rank):
                continue
            score = (is_of_oom(f, oom), rank is not None and named is not None)
            if best is None or score >= best[0]:
                best = (score, dict(f, line=number))
    return best and best[1]


def read_about(path):
    about = json.loads(path.read_text())
    nvml, torch, oom = about.get("nvml") or {}, about.get("torch") or {}, about.get("oom") or {}
    exact = lambda size: None if size is None else (size, 0)
    f = {"source": "recorder", "device": about["device"], "demand": exact(oom.get("wanted_bytes")), "free_then": exact(oom.get("free_bytes")),
         "reserved": exact(torch.get("reserved_bytes")), "allocated": torch.get("allocated_bytes"), "private_idle": 0}
    if nvml:
        f["total"], f["free"] = exact(nvml["total_bytes"]), exact(nvml["total_bytes"] - nvml["used_bytes"])
        f["own"] = exact(nvml["this_process_bytes"])
        f["others"] = [] if nvml["other_processes_bytes"] is None else [(None, exact(nvml["other_processes_bytes"]))]
        f["knows_others"] = bool(f["others"])
    else:
        f["total"], f["free"] = exact(torch.get("device_total_bytes")), exact(torch.get("device_free_bytes"))
        f["own"], f["others"], f["knows_others"] = None, [], False
    return f


def private_pools(snapshot, device):
    """Returns (pool, reserved bytes), largest first."""
    pools = {}
    for segment in snapshot["segments"]:
        pool = tuple(segment["segment_pool_id"])
        if segment["device"] == device and pool != (0, 0):
            pools[pool] = pools.get(pool, 0) + segment["total_size"]
    return sorted(pools.items(), key=lambda item: -item[1])


def pools_that_account_for(excess, pools):
    chosen, sum_of_chosen = [], 0
    for pool, size in pools:
        if sum_of_chosen >= excess:
            break
        chosen, sum_of_chosen = chosen + [pool], sum_of_chosen + size
    return chosen if sum_of_chosen >= excess else []


def share_of_snapshot(snapshot, device, without=()):
    sums = {"reserved": 0, "allocated": 0, "pending": 0, "idle": 0, "private_idle": 0}
    for segment in snapshot["segments"]:
        if segment["device"] != device or tuple(segment["segment_pool_id"]) in without:
            continue
        idle = "idle" if tuple(segment["segment_pool_id"]) == (0, 0) else "private_idle"
        for block in segment["blocks"]:
            sums[{"active_allocated": "allocated", "active_pending_free": "pending"}.get(block["state"], idle)] += block["size"]
        sums["reserved"] += segment["total_size"]
    return sums


def own_process(f, reserved):
    """Returns the index of the own process in the list, None, or 'unclear'."""
    may = [i for i, (_, used) in enumerate(f["others"]) if used[0] + used[1] + reserved[1] >= reserved[0]]
    amounts = [reserved, f["free"], *(used for _, used in f["others"])]
    if not may:
        return None
    too_much = sum(a[0] for a in amounts) > f["total"][0] + f["total"][1] + sum(a[1] for a in amounts)
    return may[0] if len(may) == 1 and too_much else "unclear"


def add_up(f, snapshot, oom):
    share = share_of_snapshot(snapshot, f["device"])
    of_oom = is_of_oom(f, oom)
    f = dict(f, free=(oom["device_free"], 0)) if of_oom and f["source"] == "message" else f
    reserved, pools = (share["reserved"], 0), private_pools(snapshot, f["device"])
    if f["reserved"] and abs(f["reserved"][0] - share["reserved"]) > f["reserved"][1]:
        reserved, share = f["reserved"], {"allocated": f["allocated"], "pending": 0, "private_idle": f["private_idle"],
                                          "idle": f["reserved"][0] - f["allocated"] - f["private_idle"]}
        pools = []
    beyond = reserved[0] + f["free"][0] - f["total"][0]
    is_beyond = beyond > f["total"][1] + reserved[1] + f["free"][1]
    asleep = pools_that_account_for(beyond, pools) if is_beyond else []
    if is_beyond:
        share = share_of_snapshot(snapshot, f["device"], asleep) if asleep else dict.fromkeys(PARTS[:4], 0)
        reserved = (share["reserved"], 0) if asleep else (0, 0)
    rounding = f["total"][1] + reserved[1] + f["free"][1]
    own, others, knows_others = f["own"], list(f["others"]), f["knows_others"]
    if f["source"] == "message" and own is None and others:
        which = "unclear" if is_beyond and not asleep else own_process(f, reserved)
        if which == "unclear":
            others, knows_others = [], False
        elif which is not None:
            own = others.pop(which)[1]
    wanted = [("free", f["free"][0], None)] + [(part, share[part], None) for part in PARTS[:4]]
    if own:
        rounding += own[1]
        wanted.append(("this_process", max(0, own[0] - reserved[0]), None))
    for pid, used in others:
        rounding += used[1]
        wanted.append(("other_processes", used[0], pid))
    left, excess, rows = f["total"][0], beyond if is_beyond else 0, []
    for part, size, pid in wanted:
        fits = min(size, left)
        excess, left = excess + size - fits, left - fits
        rows.append([part, fits, pid])
    knows_all = own is not None and knows_others
    rows.append(["no_process" if knows_all and left > rounding else "unknown", left, None])
    rows = sorted((row for row in rows if row[1]), key=lambda row: PARTS.index(row[0]))
    assert sum(row[1] for row in rows) == f["total"][0]
    return {"source": f["source"], "oom": of_oom, "total": f["total"][0], "rounding": rounding, "excess": excess, "rows": rows, "line": f.get("line")}


def uses(path, log=None, rank=None, device=0):
    snapshot = pickle.loads(path.read_bytes())
    ooms = [event for event in snapshot["device_traces"][device] if event["action"] == "oom"]
    oom = ooms[-1] if ooms else None
    figures = [read_log(log, device, rank, oom)] if log else []
    about = path.with_suffix(".about.json")
    figures += [read_about(about)] if about.exists() else []
    return [add_up(f, snapshot, oom) for f in figures if f and f.get("total") and f.get("free") and f["device"] == device]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshot", type=pathlib.Path)
    parser.add_argument("--log", type=pathlib.Path)
    parser.add_argument("--rank", type=int)
    options = parser.parse_args()
    print(json.dumps(uses(options.snapshot, options.log, options.rank), indent=1))


if __name__ == "__main__":
    main()
