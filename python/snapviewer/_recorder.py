"""Records a program's GPU memory with PyTorch's own recorder and writes snapshots whose names say where they come from."""
from __future__ import annotations

import contextlib
import os
import re
import secrets
import socket
import sys
import threading
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from snapviewer._errors import Error

RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
MOST_OUT_OF_MEMORY = 3   # each snapshot takes time and disk, and a program that retries runs out again and again
LONGEST_PART = 64        # of a file's name

_lock = threading.Lock()
_active: list[record] = []
_is_observed = False


class record(contextlib.ContextDecorator):
    """Records allocations and frees, with stacks, in a `with` block or a decorated function, and writes a snapshot at the end.

        with sv.record("out/") as recorder:
            train()
        print(recorder.files)

        @sv.record("out/", max_entries=1_000_000, stacks="all")
        def train(): ...

    The snapshot is written to `folder`, also if the block ends with an exception, which is then raised. Its name contains host, rank and
    device: `node1_rank7_device0.pickle`; existing files are kept. A file appears only when it is complete.

    `max_entries` is how many allocations and frees are kept, the newest ones; 200,000 make a file of some tens of MB. `stacks` is
    "python", or "all" to include C++ stacks, which costs several times more. With `on_oom`, a snapshot is also written at the
    moment memory runs out, before PyTorch frees anything: `..._oom1.pickle`, at most three.

    Raises ImportError without PyTorch, Error without a usable GPU, and OSError if the folder cannot be written.
    """

    def __init__(self, folder: str | os.PathLike[str], *, max_entries: int = 200_000, stacks: Literal["python", "all"] = "python",
                 on_oom: bool = True) -> None:
        if max_entries <= 0:
            raise ValueError(f"max_entries is {max_entries}: at least one event must be kept")
        if stacks not in ("python", "all"):
            raise ValueError(f'stacks must be "python" or "all", not {stacks!r}')
        self._folder = Path(folder)
        self._max_entries = max_entries
        self._stacks = stacks
        self._on_oom = on_oom
        self._torch: Any = None
        #: The snapshots written so far.
        self.files: list[Path] = []

    def _recreate_cm(self) -> record:
        """Each call of a decorated function records on its own."""
        return record(self._folder, max_entries=self._max_entries, stacks=self._stacks, on_oom=self._on_oom)

    def __enter__(self) -> record:
        self._torch = _torch()
        self._folder.mkdir(parents=True, exist_ok=True)
        with _lock:
            if _active:
                raise Error("PyTorch has only one recorder, and it is already recording")
            _active.append(self)
        try:
            self._torch.cuda.memory._record_memory_history("all", context="all", stacks=self._stacks, max_entries=self._max_entries)
            if self._on_oom:
                _observe(self._torch)
        except BaseException:
            _active.remove(self)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self._write("", self._torch.cuda.current_device())
        except Exception as failure:
            if error is None:
                raise
            warnings.warn(f"the snapshot could not be written: {failure}", stacklevel=2)
        finally:
            _active.remove(self)
            self._torch.cuda.memory._record_memory_history(None)

    def _write(self, suffix: str, device: int) -> None:
        name = f"{_in_a_name(socket.gethostname()) or 'host'}_rank{_rank()}_device{device}{suffix}"
        unfinished = _new_file(self._folder, name)
        try:
            self._torch.cuda.memory._dump_snapshot(str(unfinished))
            self.files.append(_put_in_place(unfinished, self._folder, name))
        finally:
            unfinished.unlink(missing_ok=True)

    def _ran_out(self, device: int) -> None:
        count = sum("_oom" in path.name for path in self.files) + 1
        if self._on_oom and count <= MOST_OUT_OF_MEMORY:
            self._write(f"_oom{count}", device)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ImportError("record() needs PyTorch, which is not installed: pip install torch") from error
    if not torch.cuda.is_available():
        raise Error("record() needs a GPU that PyTorch can use, but torch.cuda.is_available() is False")
    return torch


def _observe(torch: Any) -> None:
    """PyTorch has no way to take an observer back, so there is one for the process."""
    global _is_observed
    if not _is_observed:
        torch._C._cuda_attach_out_of_memory_observer(_out_of_memory)
        _is_observed = True


def _out_of_memory(device: int, allocated: int, total: int, free: int) -> None:
    """PyTorch is about to raise its own error, which nothing here must hide."""
    for recorder in list(_active):
        try:
            recorder._ran_out(device)
        except Exception as failure:
            warnings.warn(f"the snapshot could not be written when memory ran out: {failure}", stacklevel=2)


def _in_a_name(text: str) -> str:
    """What is left of a text that others chose, as part of a file's name: no folder, no blank, no dot at its beginning."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", text).strip("._-")[:LONGEST_PART]


def _rank() -> str:
    """The first variable that says anything, as what can stand in a name: a number in nearly every case."""
    for name in RANK_VARIABLES:
        rank = _in_a_name(os.environ.get(name, ""))
        if rank:
            return str(int(rank)) if rank.isdecimal() else rank
    distributed = sys.modules.get("torch.distributed")
    return str(distributed.get_rank()) if distributed and distributed.is_initialized() else "0"


def _new_file(folder: Path, name: str) -> Path:
    """An empty file for what is not finished. Nobody can have put a link or a file of his own under its name."""
    while True:
        path = folder / f".{name}.{secrets.token_hex(8)}.part"
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o666))
            return path
        except FileExistsError:
            pass


def _put_in_place(unfinished: Path, folder: Path, name: str) -> Path:
    """Under the first name that is free, also where others of the same name look for one just now."""
    number = 1
    while True:
        path = folder / (f"{name}.pickle" if number == 1 else f"{name}_run{number}.pickle")
        try:
            os.link(unfinished, path)
            return path
        except FileExistsError:
            number += 1
        except OSError:   # file systems without hard links
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
                return unfinished.replace(path)
            except FileExistsError:
                number += 1
