"""Measures the cost of record() and annotate() in addition to PyTorch's own work, for docs/record.md. Not a test: run it by hand.

    measure_recording.py [--blocks N]      N blocks are live when a sample of a series is taken

The tests' stand-in replaces PyTorch, so the figures exclude PyTorch's own time to record, to make a snapshot and to write a full one.
"""
import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
STACKS, FRAMES, BLOCKS_PER_SEGMENT = 300, 30, 20


def segments_with(blocks):
    """Returns segments like PyTorch's: each block has its own list of frames, but the frames are shared."""
    frames = [{"filename": f"/site-packages/model/layer_{number % 97}.py", "line": number, "name": f"forward_{number}"} for number in range(3000)]
    stacks = [[frames[(7 * stack + 11 * depth) % len(frames)] for depth in range(FRAMES)] for stack in range(STACKS)]
    block = [{"address": 4096 * number, "size": 2048, "requested_size": 2000, "state": "active_allocated", "frames": list(stacks[number % STACKS])}
             for number in range(blocks)]
    return [{"device": 0, "address": block[first]["address"], "total_size": 1 << 21, "allocated_size": 1 << 20, "active_size": 1 << 20,
             "requested_size": 1 << 20, "stream": 0, "segment_type": "small", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
             "blocks": block[first:first + BLOCKS_PER_SEGMENT]} for first in range(0, blocks, BLOCKS_PER_SEGMENT)]


def median_ms(work, times):
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)


def steps_us(recorder, times=200_000):
    began = time.perf_counter()
    for number in range(times):
        recorder.step(number)
    with_step = time.perf_counter() - began
    began = time.perf_counter()
    for number in range(times):
        pass
    return 1e6 * (with_step - (time.perf_counter() - began)) / times


class Tensor:
    is_cuda, requires_grad, grad = True, False, None

    def untyped_storage(self):
        return self

    def data_ptr(self):
        return 4096


class Model:
    def named_parameters(self):
        return [(f"layers.{number}.weight", Tensor()) for number in range(1000)]

    def named_buffers(self):
        return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=5000)
    blocks = parser.parse_args().blocks
    with tempfile.TemporaryDirectory() as folder:
        for source, name in (("torch_stand_in.py", "torch.py"), ("torch_signatures.py", "torch_signatures.py")):
            shutil.copy(HERE / source, Path(folder) / name)
        sys.path[:0] = [folder, str(HERE.parents[1] / "python")]
        import torch

        import snapviewer as sv
        torch.SEGMENTS[:] = segments_with(blocks)
        with sv.record(Path(folder) / "out", series="1h", on_signal="USR1") as recorder:
            print(f"step(): {steps_us(recorder):.2f} us")
            print(f"a full snapshot besides PyTorch's: {median_ms(lambda: recorder._dump('time', 0), 50):.2f} ms")
            print(f"a sample of {blocks} blocks: {median_ms(lambda: recorder._dump('series', 0), 30):.2f} ms")
            sample = max((Path(folder) / "out" / "series").glob("*.pickle"))
            print(f"its file: {sample.stat().st_size} bytes, {sample.with_suffix('.about.json').stat().st_size} beside it")
            print(f"annotate(), each of 1000 tensors: {median_ms(lambda: sv.annotate(Model()), 20):.2f} us")
    print(f"on {os.cpu_count()} processors, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
