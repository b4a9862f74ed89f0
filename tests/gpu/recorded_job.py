"""A small training job on a real GPU, recorded in every way that docs/record.md and docs/long-jobs.md describe, which
runs out of memory.

    recorded_job.py FOLDER     writes the recorder's files, job.log with PyTorch's messages, and truth.json with PyTorch's figures
"""
import functools
import json
import os
import signal
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import snapviewer as sv

LAYERS, WIDTH, STEPS = 8, 2048, 30
MIB = 1 << 20


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.mlp = torch.nn.Linear(WIDTH, WIDTH), torch.nn.Sequential(torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.GELU(), torch.nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        return x + self.mlp(torch.relu(self.attention(x)))


def name_modules(model):
    """The hooks of docs/long-jobs.md, copied from there."""
    memory, around = torch.cuda.memory, []

    def enter(path, *_):
        around.append(memory._get_memory_metadata())
        memory._set_memory_metadata(path)

    def leave(*_):
        memory._set_memory_metadata(around.pop())

    for path, module in model.named_modules():
        module.register_forward_pre_hook(functools.partial(enter, path))
        module.register_forward_hook(leave, always_call=True)


def counted():
    """Returns the current figures of PyTorch and the driver."""
    free, total = torch.cuda.mem_get_info()
    statistics = torch.cuda.memory_stats()
    return {"allocated": torch.cuda.memory_allocated(), "reserved": torch.cuda.memory_reserved(), "free": free, "total": total,
            "requested": statistics["requested_bytes.all.current"], "peak_reserved": torch.cuda.max_memory_reserved()}


def pools_of(segments):
    """Returns the reserved and used bytes of each private pool, summed over the allocator's segments."""
    pools = {}
    for segment in segments:
        reserved, allocated = pools.get(tuple(segment["segment_pool_id"]), (0, 0))
        pools[tuple(segment["segment_pool_id"])] = reserved + segment["total_size"], allocated + segment["allocated_size"]
    return [{"pool": list(pool), "reserved": reserved, "allocated": allocated} for pool, (reserved, allocated) in sorted(pools.items())]


def train(model, optimizer, batch):
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()


def capture_graph():
    """Captures a CUDA graph with its own pool, most of which is idle afterwards."""
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    weight = torch.randn(4096, 4096, device="cuda")
    with torch.cuda.stream(stream):
        kept = weight @ weight
        with torch.cuda.graph(graph):
            between = [kept * factor for factor in range(16)]
            result = torch.stack(between).sum(0)
    del between
    return graph, weight, kept, result


def use_mem_pool():
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        held = torch.empty(300 * MIB, dtype=torch.uint8, device="cuda")
        freed = torch.empty(100 * MIB, dtype=torch.uint8, device="cuda")
    del freed
    return pool, held


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    truth = {}
    recorder = sv.record(folder, on_signal="USR2", series="0.5s", keep=3).start()
    model = torch.nn.Sequential(*(Block() for _ in range(LAYERS))).cuda()
    name_modules(model)
    optimizer = torch.optim.AdamW(model.parameters())
    truth["annotated"] = str(sv.annotate(model, optimizer))
    batch = torch.randn(256, WIDTH, device="cuda")
    began = time.perf_counter()
    for step in range(STEPS):
        recorder.step(step)
        train(model, optimizer, batch)
        if step == STEPS // 2:
            torch.cuda.synchronize()
            os.kill(os.getpid(), signal.SIGUSR2)
        time.sleep(0.1)
    torch.cuda.synchronize()
    truth["steps_s"] = time.perf_counter() - began
    kept = capture_graph(), use_mem_pool()
    truth["pools"] = pools_of(torch.cuda.memory_snapshot())
    time.sleep(1.5)
    truth["before"] = counted()
    try:
        torch.empty(200 << 30, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError as error:
        (folder / "job.log").write_text(f"step {STEPS}\n[rank0]: torch.OutOfMemoryError: {error}\ndone\n", encoding="utf-8")
    truth["after"] = counted()
    began = time.perf_counter()
    torch.cuda.memory.memory_snapshot(include_traces=False)
    truth["memory_snapshot_ms"] = 1000 * (time.perf_counter() - began)
    recorder.stop()
    truth["problems"], truth["failures"] = recorder.problems, recorder.failures
    truth["versions"] = {"torch": torch.__version__, "cuda": torch.version.cuda, "device": torch.cuda.get_device_name()}
    (folder / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    del kept


if __name__ == "__main__":
    main()
