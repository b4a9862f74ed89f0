"""Reads a device's memory from NVIDIA's management library (NVML), including memory that PyTorch did not allocate."""
from __future__ import annotations

import ctypes
import functools
import os
from typing import Any, Optional

LIBRARY = "libnvidia-ml.so.1"
MAX_PROCESSES = 1024
NOT_AVAILABLE = 2 ** 64 - 1   # NVML's value for a process's memory if the driver does not report it


class Unavailable(Exception):
    """The figures are unavailable; the message says why."""


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Process(ctypes.Structure):
    """The struct of versions 2 and 3 of nvmlDeviceGetComputeRunningProcesses."""
    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("gpu_instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]


def memory_of_device(device: int, uuid: Optional[str]) -> dict[str, Any]:
    """Returns the bytes in use on a device, numbered as in PyTorch, in all and by each process that computes there. None if the driver does
    not report a figure.

    Raises Unavailable.
    """
    library = _library()
    handle = _device_handle(library, device, uuid)
    memory = _Memory()
    _call(library, "nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory))
    return {"total_bytes": memory.total, "used_bytes": memory.used, **_by_process(library, handle)}


def _by_process(library: ctypes.CDLL, handle: ctypes.c_void_p) -> dict[str, Any]:
    """A process in a container does not know its process id outside of it, so only processes outside of containers find
    themselves in the list."""
    name = "nvmlDeviceGetComputeRunningProcesses"
    versions = [f"{name}_v{version}" for version in (3, 2) if hasattr(library, f"{name}_v{version}")]
    if not versions:
        return {"this_process_bytes": None, "other_processes_bytes": None, "other_processes": None}
    count, processes = ctypes.c_uint(MAX_PROCESSES), (_Process * MAX_PROCESSES)()
    _call(library, versions[0], handle, ctypes.byref(count), processes)
    used = {process.pid: process.used for process in processes[:count.value]}
    own = used.pop(os.getpid(), NOT_AVAILABLE)
    is_known = own != NOT_AVAILABLE and NOT_AVAILABLE not in used.values()
    return {"this_process_bytes": own if own != NOT_AVAILABLE else None,
            "other_processes_bytes": sum(used.values()) if is_known else None,
            "other_processes": len(used) if own != NOT_AVAILABLE else None}


def _device_handle(library: ctypes.CDLL, device: int, uuid: Optional[str]) -> ctypes.c_void_p:
    name = _device_name(device, uuid)
    handle = ctypes.c_void_p()
    if name.isdecimal():
        _call(library, "nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(int(name)), ctypes.byref(handle))
    else:
        _call(library, "nvmlDeviceGetHandleByUUID", name.encode(), ctypes.byref(handle))
    return handle


def _device_name(device: int, uuid: Optional[str]) -> str:
    """Returns the name of the device in NVML: its UUID if that is known, else its entry in the environment's list of visible devices."""
    if uuid is not None:
        return uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if not visible:
        return str(device)
    names = [name.strip() for name in visible.split(",")]
    if device >= len(names):
        raise Unavailable(f"CUDA_VISIBLE_DEVICES is {visible!r}, which has no device {device}")
    return names[device]


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    """Loads and initializes NVML once per process. A failed attempt is cheap, so the next call tries again."""
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise Unavailable(f"{LIBRARY} of NVIDIA's driver cannot be loaded: {error}") from error
    _call(library, "nvmlInit_v2")
    return library


def _call(library: ctypes.CDLL, name: str, *arguments: Any) -> None:
    function = getattr(library, name, None)
    if function is None:
        raise Unavailable(f"{LIBRARY} has no {name}")
    status = function(*arguments)
    if status != 0:
        text = library.nvmlErrorString
        text.restype = ctypes.c_char_p
        raise Unavailable(f"{name}: {text(status).decode(errors='replace')}")
