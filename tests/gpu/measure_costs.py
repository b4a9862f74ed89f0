"""Measures the cost of PyTorch's recorder and ours for a job on a real GPU, for docs/record.md. Run by hand.

measure_costs.py
"""
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import snapviewer as sv

PAIRS, DEPTH, ROUNDS = 20_000, 30, 5


def deep(depth, work):
    """Calls `work` with `depth` additional Python frames on the stack."""
    return work() if depth == 0 else deep(depth - 1, work)


def pairs_us():
    """Returns the microseconds of an allocation and its free, both served by the cache."""
    def work():
        began = time.perf_counter()
        for _ in range(PAIRS):
            torch.cuda.caching_allocator_delete(torch.cuda.caching_allocator_alloc(1 << 20))
        return 1e6 * (time.perf_counter() - began) / PAIRS
    return min(deep(DEPTH, work) for _ in range(ROUNDS))


def median_ms(work, times=ROUNDS):
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)


def main():
    torch.cuda.init()
    memory = torch.cuda.memory
    plain = pairs_us()
    print(f"{torch.__version__}: an allocation and its free, below {DEPTH} frames: {plain:.2f} us", flush=True)
    for stacks in ("python", "all"):
        memory._record_memory_history("all", stacks=stacks, max_entries=200_000)
        recorded = pairs_us()
        print(f"recorded with stacks={stacks}: {recorded:.2f} us, {(recorded - plain) / 2:.2f} us more an event", flush=True)
        memory._record_memory_history(None)
    with tempfile.TemporaryDirectory() as folder, sv.record(folder, series="1000s") as recorder:
        held = deep(DEPTH, lambda: [torch.empty(2000, device="cuda") for _ in range(5000)])
        pairs_us()
        print(f"memory_snapshot without traces, 5,000 blocks: {median_ms(lambda: memory.memory_snapshot(include_traces=False)):.2f} ms")
        print(f"a sample of the series, 5,000 blocks: {median_ms(lambda: recorder._dump('series', 0)):.2f} ms", flush=True)
        print(f"a full snapshot, 200,000 events: {median_ms(lambda: recorder._dump('time', 0), 3):.0f} ms", flush=True)
        print(f"files: {[path.stat().st_size for path in recorder.files]}, problems: {recorder.problems}")
        del held


if __name__ == "__main__":
    main()
