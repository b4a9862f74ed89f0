#!/usr/bin/env python3
"""Writes the snapshot of a job that ran out of memory beside another process, with all reports about its card, and the true values.

    gen_card.py OUT_DIR [--seed N] [--others BYTES] [--telling everything|container|no-driver|nothing] [--form sentences|list|cached]
                [--asleep BYTES]

Writes to OUT_DIR `node_rank1_device0_oom1.pickle`, a file of facts `...about.json` like that of snapviewer's recorder, `job.log` with
messages of three ranks that each ran out of memory on their own card, GPU 0, and `planted.json` with rows that add up exactly to the
card of rank 1. `telling` is the information that the recorder and PyTorch had: in a container, neither knows its own process id.
`form` is the form of PyTorch's message: since 2.1, before, or up to 1.3. `asleep` bytes are in a pool that was put to sleep: PyTorch
counts them, although they are no longer on the card. The allocator is the model of gen_planted.py. Equal arguments give equal bytes.
"""
import argparse
import json
import pathlib
import pickle
import random

from gen_planted import Code, GiB, KiB, Machine, MiB, until_oom

OUR_PID = 4242
FREED_STREAM = 0x55d000001000


def format_size(size):
    """Formats bytes like PyTorch."""
    for limit, unit, name in ((1024, 1, "bytes"), (1 << 20, 1 << 10, "KiB"), (1 << 30, 1 << 20, "MiB")):
        if size <= limit:
            return f"{size} bytes" if unit == 1 else f"{size / unit:.2f} {name}"
    return f"{size / (1 << 30):.2f} GiB"


def driver_bytes(size):
    if size <= MiB:
        return 2 * MiB
    return 20 * MiB if size < 10 * MiB else (size + 2 * MiB - 1) // (2 * MiB) * (2 * MiB)


class Card:
    """A card with a process of the job, other processes, and memory that belongs to no process."""

    def __init__(self, rng, others_bytes, asleep=0):
        self.total = rng.choice([16, 24, 40, 80]) * GiB - rng.randrange(1, 3000) * 64 * KiB
        self.context = rng.randrange(4000, 16000) * 64 * KiB                 # memory of the CUDA context, NCCL and cuBLAS
        self.driver = rng.randrange(0, 6000) * 64 * KiB
        first = others_bytes * rng.choice([0, 1, 3]) // 4 // 512 * 512
        self.others = {pid: used for pid, used in ((11, first), (97, others_bytes - first)) if used}
        self.asleep = asleep
        self.machine = Machine(self.total, self.context + self.driver + others_bytes, waits_before_giving_up=False)

    def run(self, rng):
        """Allocates until memory runs out; returns the true values at that moment."""
        m, c = self.machine, Code()
        if self.asleep:
            m.pool = (0, 7)
            m.alloc(self.asleep, c.line(49, "load_model"))
            assert m.reserved == self.asleep
            m.outside -= self.asleep
        m.pool = (0, 1)
        inside = [m.alloc(rng.randrange(50, 300) * MiB, c.line(50, "capture_graph")) for _ in range(3)]
        for block in inside[:rng.randrange(4)]:
            m.free(block, c.line(51, "capture_graph"))
        m.pool = (0, 0)
        for _ in range(rng.randrange(4)):
            m.free(m.alloc(rng.randrange(30, 200) * MiB, c.line(52, "all_gather")), c.line(53, "reshard"), wait=True)
        unit = (m.free_bytes // 12) // 512 * 512

        def fill():
            while True:
                block = m.alloc(unit + rng.randrange(1000) * 512, c.line(54, "forward"))
                if rng.random() < 0.2:
                    m.free(block, c.line(55, "forward"))
        return until_oom(m, fill)


def rows(card, books):
    parts = [("allocated", books["allocated"] - card.asleep, None), ("pending", books["pending"], None), ("idle", books["idle_default"], None),
             ("private_idle", books["idle_private"], None), ("this_process", card.context, None)]
    parts += [("other_processes", used, pid) for pid, used in card.others.items()]
    parts += [("free", books["device_free"], None), ("unknown", card.driver, None)]
    assert sum(size for _, size, _ in parts) == card.total
    return [[part, size, pid] for part, size, pid in parts if size]


def message(card, books, telling, form, device=0):
    """Returns PyTorch's error message. In the form of sentences, its "allocated" includes idle memory of private pools, and excludes
    freed blocks that wait."""
    asked, reserved = format_size(driver_bytes(books["demand"])), books["reserved"]
    total, free = format_size(card.total), format_size(books["device_free"])
    if form != "sentences":
        last = f"{format_size(reserved)} reserved in total by PyTorch" if form == "list" else f"{format_size(reserved - books['allocated'])} cached"
        return (f"CUDA out of memory. Tried to allocate {asked} (GPU {device}; {total} total capacity; {format_size(books['allocated'])} already allocated; "
                f"{free} free; {last})")
    ours = f"{format_size(reserved - card.asleep + card.context)} memory in use. "
    processes = f"Process 31{OUR_PID} has {ours}" if telling == "container" else f"Including non-PyTorch memory, this process has {ours}"
    for pid, used in card.others.items():
        processes += f"Process {pid} has {format_size(used)} memory in use. "
    in_pools = books["idle_private"]
    pools = f"with {format_size(in_pools)} allocated in private pools (e.g., CUDA Graphs), " if in_pools else ""
    return (f"CUDA out of memory. Tried to allocate {asked}. GPU {device} has a total capacity of {total} of which {free} is free. "
            f"{'' if telling in ('no-driver', 'nothing') else processes}Of the allocated memory {format_size(books['allocated'] + in_pools)} is allocated by "
            f"PyTorch, {pools}and {format_size(reserved - books['allocated'] - in_pools)} is reserved by PyTorch but unallocated. If reserved but "
            "unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")


def about(card, books, telling):
    used = card.total - books["device_free"]
    knows = telling == "everything"
    nvml = {"total_bytes": card.total, "used_bytes": used, "this_process_bytes": books["reserved"] - card.asleep + card.context if knows else None,
            "other_processes_bytes": sum(card.others.values()) if knows else None, "other_processes": len(card.others) if knows else None}
    facts = {"version": 1, "file": "node_rank1_device0_oom1.pickle", "why": "oom", "host": "node", "pid": OUR_PID, "rank": 1, "local_rank": 0, "device": 0,
             "step": 7, "torch": {"allocated_bytes": books["allocated"], "reserved_bytes": books["reserved"], "peak_allocated_bytes": books["allocated"],
                                  "device_free_bytes": books["device_free"], "device_total_bytes": card.total},
             "nvml": nvml if telling in ("everything", "container") else None,
             "oom": {"wanted_bytes": driver_bytes(books["demand"]), "limit_bytes": card.total, "free_bytes": books["device_free"]}}
    if telling == "nothing":
        facts["torch"] = None
    return facts


NOISE = ["step 17 loss 2.31 grad_norm 0.8 tokens/s 12,034", "NCCL INFO Channel 03/0 : 1[1] -> 2[2] via P2P/CUMEM",
         "W1126 09:00:01.000000 torch/distributed/run.py: process out of memory is not one of ours", "CUDA out of memory. Tried to allocate",
         "INFO retrying after: out of memory. Tried to allocate a lot", "Traceback (most recent call last):", "", "\ttab\x00bytes\xff of no text"]


def log_lines(rng, messages):
    """Yields the lines of messages, given as (rank, text), in this order between unrelated lines, as torchrun, srun and Python's
    traceback print them."""
    lines = []
    for rank, text in messages:
        lines += [f"[rank{rank}]: {rng.choice(NOISE)}" for _ in range(rng.randrange(4))] + [rng.choice(NOISE) for _ in range(rng.randrange(20))]
        lines.append(rng.choice([f"[rank{rank}]: torch.OutOfMemoryError: {text}", f"[default{rank}]:RuntimeError: {text}",
                                 f"{rank}: torch.cuda.OutOfMemoryError: {text}"]))
    return lines + [rng.choice(NOISE) for _ in range(5)]


def make(folder, seed=1, others=8 * GiB, telling="everything", form="sentences", asleep=0):
    rng = random.Random(f"{seed} {others} {telling} {form}")
    card = Card(rng, others, asleep)
    books = card.run(rng)
    name = folder / "node_rank1_device0_oom1.pickle"
    name.write_bytes(pickle.dumps(card.machine.snapshot(), protocol=4))
    name.with_suffix(".about.json").write_text(json.dumps(about(card, books, telling)))
    messages = [(1, message(card, books, telling, form))]
    for rank in (0, 2):
        other = Card(rng, rng.randrange(1, 3) * GiB)
        messages.append((rank, message(other, other.run(rng), telling, form)))
    rng.shuffle(messages)
    messages.append(rng.choice(messages))                 # one message is repeated at the end
    (folder / "job.log").write_bytes("\n".join(log_lines(rng, messages)).encode("latin-1"))
    planted = {"total": card.total, "rows": rows(card, books), "demand": books["demand"], "event": books["event"]}
    (folder / "planted.json").write_text(json.dumps(planted))
    return planted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--others", type=int, default=8 * GiB)
    parser.add_argument("--telling", choices=["everything", "container", "no-driver", "nothing"], default="everything")
    parser.add_argument("--form", choices=["sentences", "list", "cached"], default="sentences")
    parser.add_argument("--asleep", type=int, default=0)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    make(options.folder, options.seed, options.others, options.telling, options.form, options.asleep)


if __name__ == "__main__":
    main()
