"""Records a program's GPU memory with PyTorch's recorder and writes snapshots on several occasions."""
from __future__ import annotations

import atexit
import contextlib
import inspect
import os
import pickle
import threading
import time
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Optional

from snapviewer import _amounts, _record_facts
from snapviewer._errors import Error
from snapviewer._record_files import SERIES, OwnFiles, suffix_of
from snapviewer._record_triggers import SIGNALS, Clock, Periodic, SignalWatch

OUT_OF_MEMORY_PAUSE_S = 600   # minimum pause: a program that retries runs out of memory again and again, and each snapshot takes time
MAX_PROBLEMS = 20             # maximum number of problems that are kept
PROTOCOL = 4                  # the newest pickle protocol that PyTorch's viewer reads

_lock = threading.Lock()
_active: list[record] = []
_is_observed = False


class record(contextlib.ContextDecorator):
    """Records allocations and frees with their stacks, and writes snapshots; docs/record.md explains uses and costs.

        with sv.record("out/", on_signal="USR1", every="10min", series="30s") as recorder:
            for n, batch in enumerate(batches):
                recorder.step(n)
                train(batch)

        @sv.record("out/", max_entries=1_000_000, stacks="all")
        def train(): ...

    Without a block: `recorder.start()`, later `recorder.stop()`. A snapshot is written to `folder` at the end, even if the block
    raises an exception, which then propagates. Its name contains host, rank and device: `node1_rank7_device0.pickle`; existing files
    are kept. A file appears only when it is complete. Facts about it are in a small JSON beside it, `node1_rank7_device0.about.json`.

    `max_entries` is the number of allocations and frees to keep, the newest ones; 200,000 make a file of some tens of MB. `stacks` is
    "python", or "all" to include C++ stacks, which costs several times more.

    Further snapshots are written when memory runs out, before PyTorch frees anything (`on_oom`: `..._oom1.pickle`), when the process
    gets a signal (`on_signal`, "USR1" or "USR2": `..._signal1.pickle`) and periodically (`every`, in seconds or as "10min":
    `..._time1.pickle`). `series` is the period of small snapshots without the history (`series/..._series000001.pickle`), which take
    milliseconds with PyTorch 2.11 or newer. The newest `keep` snapshots of each kind but the series are kept, and of all snapshots
    the newest that fit into `disk` (bytes, or "20GB"); only files of this recorder are removed. After `keep` snapshots of memory
    running out, the next ones are at least ten minutes apart.

    start() raises ImportError without PyTorch, Error without a usable GPU, and OSError if the folder cannot be created. After that
    nothing is raised: a snapshot that cannot be written causes one warning, is counted in `failures`, and is described in `problems`
    and in the JSON.
    """

    def __init__(self, folder: str | os.PathLike[str], *, max_entries: int = 200_000, stacks: Literal["python", "all"] = "python",
                 on_oom: bool = True, on_signal: Optional[str] = None, every: float | str | None = None,
                 series: float | str | None = None, keep: int = 3, disk: int | str | None = "20GB") -> None:
        if max_entries <= 0:
            raise ValueError(f"max_entries is {max_entries}: at least one event must be kept")
        if stacks not in ("python", "all"):
            raise ValueError(f'stacks must be "python" or "all", not {stacks!r}')
        if on_signal is not None and on_signal.upper().removeprefix("SIG") not in SIGNALS:
            raise ValueError(f'on_signal must be "USR1" or "USR2", not {on_signal!r}: other signals mean something to the job')
        if keep < 1:
            raise ValueError(f"keep is {keep}: at least one snapshot of each kind must be kept")
        self._options: dict[str, Any] = {"max_entries": max_entries, "stacks": stacks, "on_oom": on_oom, "on_signal": on_signal,
                                         "every": every, "series": series, "keep": keep, "disk": disk}
        self._signal = on_signal.upper().removeprefix("SIG") if on_signal is not None else None
        self._every_s = _amounts.seconds(every, "every")
        self._series_s = _amounts.seconds(series, "series")
        self._own = OwnFiles(Path(folder), keep, _amounts.size_bytes(disk, "disk"))
        self._torch: Any = None
        self._step: Optional[int] = None
        self._numbers: dict[str, int] = {}
        self._last_oom_s = 0.0
        self._writing = threading.RLock()
        self._clock: Optional[Clock] = None
        self._watch: Optional[SignalWatch] = None
        self._warned_about: set[str] = set()
        #: Number of snapshots that could not be written.
        self.failures = 0
        #: What could not be done, one sentence per problem.
        self.problems: list[str] = []

    @property
    def files(self) -> list[Path]:
        """The snapshots written so far that still exist, without those of the series."""
        return self._own.snapshots()

    def start(self) -> record:
        """Starts recording."""
        self._torch = _torch()
        self._own.folder.mkdir(parents=True, exist_ok=True)
        with _lock:
            if _active:
                raise Error("PyTorch has only one recorder, and it is already recording")
            _active.append(self)
        try:
            self._torch.cuda.memory._record_memory_history("all", context="all", stacks=self._options["stacks"],
                                                           max_entries=self._options["max_entries"])
            if self._options["on_oom"]:
                _observe(self._torch)
        except BaseException:
            _active.remove(self)
            raise
        self._start_triggers()
        return self

    def stop(self) -> None:
        """Writes the last snapshot and ends recording. No-op if nothing is recorded."""
        if self not in _active:
            return
        try:
            self._stop_triggers()
            self._dump("end", self._current_device())
        finally:
            _active.remove(self)
            try:
                self._torch.cuda.memory._record_memory_history(None)
            except Exception as failure:
                self._tell("end", f"PyTorch's recorder could not be switched off: {failure}")

    def step(self, number: Optional[int] = None) -> None:
        """Sets the number of the training step that begins, for the JSON beside the snapshots; without a number, the next one."""
        self._step = number if number is not None else 0 if self._step is None else self._step + 1

    def __enter__(self) -> record:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _recreate_cm(self) -> record:
        """Wraps a function, so that each call records on its own."""
        return record(self._own.folder, **self._options)

    def _start_triggers(self) -> None:
        periodic = []
        if self._every_s is not None:
            periodic.append(Periodic(lambda: self._dump_on_clock("time"), self._every_s))
        if self._series_s is not None:
            periodic.append(Periodic(lambda: self._dump_on_clock(SERIES), self._series_s, is_cheap=True))
        if self._signal is not None:
            self._watch = SignalWatch(self._signal, self._on_signal)
            try:
                self._watch.start()
            except ValueError as problem:
                self._tell("signal", str(problem))
        if periodic or self._signal is not None:
            self._clock = Clock(periodic)
            self._clock.start()
            atexit.register(self._stop_triggers)   # our thread must not run while the interpreter shuts down

    def _stop_triggers(self) -> None:
        clock, self._clock = self._clock, None
        if self._watch is not None:
            self._watch.stop()
        if clock is not None and self in _active:
            atexit.unregister(self._stop_triggers)
            clock.stop()

    def _on_signal(self) -> None:
        """Signal handler: only passes the work on to the thread, because the main thread may be interrupted anywhere."""
        clock = self._clock
        if clock is not None and self in _active:
            clock.ask(lambda: self._dump_on_clock("signal"))

    def _on_out_of_memory(self, device: int, wanted: int, limit: int, free: int) -> None:
        now_s = time.monotonic()
        is_soon = now_s - self._last_oom_s < OUT_OF_MEMORY_PAUSE_S
        if self._options["on_oom"] and not (is_soon and self._own.count("oom") >= self._options["keep"]):
            self._dump("oom", device, {"wanted_bytes": wanted, "limit_bytes": limit, "free_bytes": free})
            self._last_oom_s = now_s

    def _dump_on_clock(self, why: str) -> None:
        """Runs on our thread. Does not initialize CUDA, because the program may still want to fork."""
        if self._torch.cuda.is_initialized():
            self._dump(why, self._used_device())

    def _dump(self, why: str, device: int, oom: Optional[dict[str, int]] = None) -> None:
        """Writes a snapshot. Never raises."""
        with self._writing:
            number = self._numbers[why] = self._numbers.get(why, 0) + 1
            name = f"{_record_facts.host()}_rank{_record_facts.rank()}_device{device}{suffix_of(why, number)}"
            try:
                began_s = time.perf_counter()
                facts = {**_record_facts.facts(self._torch, why=why, device=device, step=self._step), "oom": oom}
                facts_s = time.perf_counter()
                self._write(why, name, facts, facts_s - began_s)
            except Exception as failure:
                self._tell("writing", f"something about the snapshot {name} could not be written: {failure}")

    def _write(self, why: str, name: str, facts: dict[str, Any], facts_s: float) -> None:
        fill = self._fill_traceless if why == SERIES else self._fill
        began_s = time.perf_counter()
        try:
            dump = self._own.write(why, name, fill)
        except Exception as failure:
            self.failures += 1
            self._tell("writing", f"the snapshot could not be written: {failure}")
            self._own.describe_failure(name, {**facts, "failed": str(failure), **self._problem_facts()})
            return
        took_s = time.perf_counter() - began_s
        try:
            self._own.describe(dump, {**facts, "file": dump.files[0].path.name, "took_ms": round(1000 * took_s, 3),
                                      "facts_took_ms": round(1000 * facts_s, 3), **self._problem_facts()})
        finally:
            self._own.make_room()

    def _fill(self, path: Path) -> None:
        self._torch.cuda.memory._dump_snapshot(str(path))

    def _fill_traceless(self, path: Path) -> None:
        """Writes a snapshot without history. Before PyTorch 2.11 the history is collected and dropped here, which takes as long as
        a whole snapshot."""
        cuda = self._torch.cuda
        if "include_traces" in inspect.signature(cuda.memory_snapshot).parameters:
            snapshot = {"segments": cuda.memory_snapshot(include_traces=False)}
        else:
            whole = cuda.memory._snapshot()
            snapshot = {key: whole[key] for key in ("segments", "allocator_settings") if key in whole}
        with open(path, "wb") as file:
            pickle.dump({**snapshot, "device_traces": []}, file, PROTOCOL)

    def _current_device(self) -> int:
        try:
            return int(self._torch.cuda.current_device())
        except Exception as failure:
            self._tell("device", f"the device is not known: {failure}")
            return 0

    def _used_device(self) -> int:
        """Returns the device on which this process holds most memory. Our threads have no meaningful current device."""
        try:
            held = [self._torch.cuda.memory_reserved(device) for device in range(self._torch.cuda.device_count())]
            return held.index(max(held))
        except Exception as failure:
            self._tell("device", f"the device is not known: {failure}")
            return 0

    def _problem_facts(self) -> dict[str, Any]:
        return {"failures": self.failures, "problems": self.problems}

    def _tell(self, about: str, problem: str) -> None:
        """Stores a problem. Warns once per kind of problem; nothing is raised even if warnings are errors."""
        if about not in self._warned_about:
            self._warned_about.add(about)
            with contextlib.suppress(Warning):
                warnings.warn(problem, RuntimeWarning, stacklevel=2)
        if problem not in self.problems and len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ImportError("record() needs PyTorch, which is not installed: pip install torch") from error
    if not torch.cuda.is_available():
        raise Error("record() needs a GPU that PyTorch can use, but torch.cuda.is_available() is False")
    return torch


def _observe(torch: Any) -> None:
    """Installs the observer once per process, because PyTorch cannot remove one."""
    global _is_observed
    if not _is_observed:
        torch._C._cuda_attach_out_of_memory_observer(_out_of_memory)
        _is_observed = True


def _out_of_memory(device: int, wanted: int, limit: int, free: int) -> None:
    """Called before PyTorch raises its own error. Must not raise, which would hide that error."""
    for recorder in list(_active):
        recorder._on_out_of_memory(device, wanted, limit, free)


def _reset_after_fork() -> None:
    """Called in a forked child, which has neither our thread nor a GPU: it must not write its parent's snapshots."""
    global _lock
    _lock = threading.Lock()
    _active.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
