"""Allocates and frees the same memory in every run, on a real GPU, with the allocator settings of PYTORCH_ALLOC_CONF.

    workload.py KIND SNAPSHOT     writes the snapshot and prints, as JSON, what PyTorch reserved: {"peak": ..., "end": ...} in bytes

Nothing is computed; only the state of the cache at each request matters.
"""
import json
import random
import sys

import torch

MIB = 1 << 20


def empty(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def random_sizes():
    """Random sizes with random lifetimes."""
    generator, held = random.Random(7), []
    for _ in range(6000):
        if held and (len(held) > 150 or generator.random() < 0.45):
            held.pop(generator.randrange(len(held)))
        held.append(empty(int(2 ** generator.uniform(9, 27))))
    return held


def growing_sequences():
    """Each batch is longer than the previous one, so freed blocks are never large enough."""
    kept = [empty(50 * MIB) for _ in range(20)]
    for length in range(64):
        activations = [empty((4 + length) * MIB // 2 + layer * 512) for layer in range(40)]
        while activations:
            activations.pop()
            empty((4 + length) * MIB)
    return kept


def uneven_steps():
    """Steps as in training, with varying sizes, gradients that appear in the first one, and a cache that is emptied once."""
    generator = random.Random(3)
    weights = [empty(generator.choice((3, 9, 33)) * MIB) for _ in range(60)]
    gradients = []
    for step in range(25):
        batch = generator.uniform(0.5, 1.5)
        activations = [empty(int(batch * (1 + layer % 5) * 5 * MIB)) for layer in range(60)]
        for layer in reversed(range(60)):
            activations.pop()
            if step == 0:
                gradients.append(empty(weights[layer].numel()))
            empty(int(batch * 7 * MIB))
        if step == 12:
            torch.cuda.empty_cache()
    return weights, gradients


KINDS = {"random": random_sizes, "sequences": growing_sequences, "steps": uneven_steps}

if __name__ == "__main__":
    torch.cuda.memory._record_memory_history("all", stacks="python", max_entries=10**6)
    kept = KINDS[sys.argv[1]]()
    torch.cuda.memory._dump_snapshot(sys.argv[2])
    print(json.dumps({"peak": torch.cuda.max_memory_reserved(), "end": torch.cuda.memory_reserved()}))
