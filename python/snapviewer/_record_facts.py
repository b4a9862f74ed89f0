"""Collects the facts that a snapshot does not contain: which process wrote it and when, and the memory of the whole device."""
from __future__ import annotations

import datetime
import functools
import importlib.metadata
import os
import platform
import socket
import sys
from typing import Any, Callable, Optional

from snapviewer import _nvml
from snapviewer._record_files import SERIES, file_name_part

RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
LOCAL_RANK_VARIABLES = ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID")
ALLOCATOR_VARIABLES = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING")


def host() -> str:
    return file_name_part(socket.gethostname()) or "host"


def rank() -> str:
    """Returns the rank as part of a file name; it is a number in nearly every case."""
    told = _first_of(RANK_VARIABLES)
    if told is not None:
        return told
    distributed = sys.modules.get("torch.distributed")
    return str(distributed.get_rank()) if distributed and distributed.is_initialized() else "0"


def _first_of(variables: tuple[str, ...]) -> Optional[str]:
    for name in variables:
        value = file_name_part(os.environ.get(name, ""))
        if value:
            return str(int(value)) if value.isdecimal() else value
    return None


def facts(torch: Any, *, why: str, device: int, step: Optional[int]) -> dict[str, Any]:
    """Returns the facts to write beside a snapshot. A fact that cannot be obtained is null, with the reason beside it; never raises."""
    return {
        "version": 1,
        "file": None,
        "why": why,
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "host": host(),
        "pid": os.getpid(),
        "rank": _number(rank()),
        "local_rank": _number(_first_of(LOCAL_RANK_VARIABLES)),
        "device": device,
        "step": step,
        "versions": {"torch": getattr(torch, "__version__", None), "python": platform.python_version(), "snapviewer": _own_version()},
        "allocator": {name: os.environ.get(name) for name in ALLOCATOR_VARIABLES},
        **_or_reason("torch", lambda: _torch_memory(torch, device, why)),
        **_or_reason("nvml", lambda: _nvml.memory_of_device(device, _uuid(torch, device))),
    }


def _number(text: Optional[str]) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() else text


@functools.lru_cache(maxsize=None)
def _own_version() -> Optional[str]:
    """Cached, because the look-up takes milliseconds."""
    try:
        return importlib.metadata.version("snapviewer")
    except importlib.metadata.PackageNotFoundError:
        return None


def _or_reason(name: str, read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return {name: read()}
    except Exception as error:
        return {name: None, f"{name}_missing": str(error) or type(error).__name__}


def _torch_memory(torch: Any, device: int, why: str) -> dict[str, Any]:
    cuda = torch.cuda
    if not cuda.is_initialized():
        raise RuntimeError("PyTorch has not used the device yet")
    memory = {"allocated_bytes": cuda.memory_allocated(device), "reserved_bytes": cuda.memory_reserved(device),
              "peak_allocated_bytes": cuda.max_memory_allocated(device)}
    if why == SERIES:   # such samples do not call the driver, because a graph may be being captured
        return memory
    free, total = cuda.mem_get_info(device)
    return {**memory, "device_free_bytes": free, "device_total_bytes": total}


def _uuid(torch: Any, device: int) -> Optional[str]:
    """Available since PyTorch 2.5. Must not initialize CUDA in this process."""
    if not torch.cuda.is_initialized():
        return None
    uuid = getattr(torch.cuda.get_device_properties(device), "uuid", None)
    return None if uuid is None else str(uuid)
