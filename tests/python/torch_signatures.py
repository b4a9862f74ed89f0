"""Arguments of PyTorch's functions in versions 2.1 to 2.15, from torch/cuda/memory.py, each with the first version that has them."""

VERSIONS = tuple(f"2.{minor}" for minor in range(1, 16))

_RECORD = "enabled='all', context='all', stacks='all', max_entries=sys.maxsize, device=None"
_RECORD_8 = _RECORD + ", clear_history=False, compile_context=False, global_record_annotations=False"
_RECORD_11 = _RECORD_8 + ", skip_actions=None"

MEMORY = {
    "_record_memory_history": {"2.1": _RECORD, "2.8": _RECORD_8, "2.11": _RECORD_11,
                               "2.14": _RECORD_11 + ", record_pinned_host_memory=False, record_cuda=True"},
    "_dump_snapshot": {"2.1": "filename='dump_snapshot.pickle'", "2.10": "filename='dump_snapshot.pickle', augment_with_fx_traces=False"},
    "_snapshot": {"2.1": "device=None", "2.10": "device=None, augment_with_fx_traces=False"},
    "memory_snapshot": {"2.1": "", "2.8": "mempool_id=None", "2.11": "mempool_id=None, include_traces=True"},
    "_set_memory_metadata": {"2.10": "metadata"},
    "_get_memory_metadata": {"2.10": ""},
    "_annotate_tensor": {"2.14": "tensor, metadata"},
    "memory_allocated": {"2.1": "device=None"},
    "memory_reserved": {"2.1": "device=None"},
    "max_memory_allocated": {"2.1": "device=None"},
    "mem_get_info": {"2.1": "device=None"},
}


def number(version):
    return tuple(int(part) for part in version.split(".")[:2])


def arguments_of(name, version):
    """Returns the arguments; None if that version has no such function."""
    known = [since for since in MEMORY[name] if number(since) <= number(version)]
    return MEMORY[name][max(known, key=number)] if known else None
