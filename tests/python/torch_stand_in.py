"""A stand-in for torch. Its functions accept the arguments of PyTorch in the version of $TORCH_STAND_IN, and record them.

A test copies it into a folder as torch.py. Arguments that PyTorch's C++ code checks are checked here.
"""
import os
import pickle
import sys
import time
import types

import torch_signatures

__version__ = os.environ.get("TORCH_STAND_IN", "2.15")
GIB = 1 << 30
calls, observers, named, marks = [], [], [], []
state = {"available": True, "broken": False, "recording": None, "initialized": True, "device": 1, "seconds": 0.0, "metadata": ""}
SEGMENTS = [{"device": 1, "address": 4096, "total_size": 2 << 20, "allocated_size": 512, "active_size": 512, "requested_size": 400,
             "stream": 0, "segment_type": "small", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
             "blocks": [{"address": 4096, "size": 512, "requested_size": 400, "state": "active_allocated", "frames": []},
                        {"address": 4608, "size": (2 << 20) - 512, "requested_size": 0, "state": "inactive", "frames": []}]}]


def take_time():
    """Computes for a time, as PyTorch does in this function."""
    until = time.perf_counter() + state["seconds"]
    while time.perf_counter() < until:
        pass


def _record_memory_history(given):
    enabled, context, stacks, max_entries = (given[name] for name in ("enabled", "context", "stacks", "max_entries"))
    assert enabled in (None, "state", "all") and context in (None, "state", "alloc", "all")
    assert stacks in ("python", "all") and isinstance(max_entries, int)
    state["recording"] = enabled
    calls.append((enabled, stacks, max_entries))


def _dump_snapshot(given):
    assert state["recording"] == "all", "nothing is recorded"
    with open(given["filename"], "wb") as file:
        file.write(b"half")
        take_time()
        if state["broken"]:
            raise OSError("disk full")
        file.write(b" a snapshot")


def _snapshot(given):
    take_time()
    return {"segments": SEGMENTS, "device_traces": [[], [{"action": "alloc", "addr": 4096, "size": 400, "stream": 0}]],
            "allocator_settings": {"expandable_segments": False}, "external_annotations": []}


def memory_snapshot(given):
    calls.append(("memory_snapshot", given.get("include_traces", True)))
    if state["broken"]:
        raise OSError("disk full")
    take_time()
    return SEGMENTS


def _set_memory_metadata(given):
    assert isinstance(given["metadata"], str)
    state["metadata"] = given["metadata"]
    marks.append(given["metadata"])


def _annotate_tensor(given):
    if not given["tensor"].is_cuda:
        raise ValueError(f"expected a CUDA tensor, got device {given['tensor'].device}")
    assert isinstance(given["metadata"], str)
    named.append((given["metadata"], given["tensor"]))


def _reserved(given):
    return 3 * GIB if given["device"] == state["device"] else 0


BODIES = {"_record_memory_history": _record_memory_history, "_dump_snapshot": _dump_snapshot, "_snapshot": _snapshot,
          "memory_snapshot": memory_snapshot, "_set_memory_metadata": _set_memory_metadata, "_annotate_tensor": _annotate_tensor,
          "_get_memory_metadata": lambda given: state["metadata"], "memory_reserved": _reserved,
          "memory_allocated": lambda given: 2 * GIB, "max_memory_allocated": lambda given: 5 * GIB // 2,
          "mem_get_info": lambda given: (10 * GIB, 80 * GIB)}


def _function(name, arguments):
    """Creates a function with these arguments, so that Python rejects calls with others."""
    scope = {"sys": sys, "body": BODIES[name]}
    exec(f"def {name}({arguments}): return body(dict(locals()))", scope)
    return scope[name]


cuda = types.ModuleType("torch.cuda")
cuda.memory = types.ModuleType("torch.cuda.memory")
for _name in BODIES:
    _arguments = torch_signatures.arguments_of(_name, __version__)
    if _arguments is not None:
        setattr(cuda.memory, _name, _function(_name, _arguments))
        if not _name.startswith("_"):
            setattr(cuda, _name, getattr(cuda.memory, _name))
cuda.is_available = lambda: state["available"]
cuda.is_initialized = lambda: state["initialized"]
cuda.current_device = lambda: state["device"]
cuda.device_count = lambda: 4
cuda.get_device_properties = lambda device: types.SimpleNamespace(**({"uuid": f"0000-{device}"} if state.get("uuid") else {}))


class _C:
    @staticmethod
    def _cuda_attach_out_of_memory_observer(observer):
        observers.append(observer)


def run_out(device):
    """Calls the observers like the allocator: with the requested, the permitted and the free bytes."""
    for observer in observers:
        observer(device, 1 << 30, 2 << 30, 1 << 20)
