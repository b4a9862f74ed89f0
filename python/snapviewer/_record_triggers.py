"""Triggers that make a recorder write snapshots before its end: periodically, and on a signal."""
from __future__ import annotations

import queue
import signal
import threading
import time
from dataclasses import dataclass
from types import FrameType
from typing import Any, Callable, Optional

SIGNALS = ("USR1", "USR2")   # all other signals are used by jobs or end them
MAX_SHARE = 0.01             # maximum share of a core for periodic work that `is_cheap`


@dataclass
class Periodic:
    """Work that is repeated. If it `is_cheap`, its period is lengthened so that it never takes more than its share of a core."""
    work: Callable[[], object]
    every_s: float
    is_cheap: bool = False
    due_s: float = 0.0
    took_s: float = 0.0   # seconds of the last run; 0 before the first one

    def do(self) -> None:
        began_s = time.thread_time()   # thread time, because waiting for a disk or another snapshot costs the job nothing
        self.work()
        before_s, self.took_s = self.took_s, time.thread_time() - began_s
        # The smaller of the last two durations, because the first run loads modules and a thread is sometimes interrupted.
        usual_s = min(before_s, self.took_s)
        self.due_s = time.monotonic() + (max(self.every_s, usual_s / MAX_SHARE) if self.is_cheap else self.every_s)


class Clock:
    """Does periodic and requested work on a daemon thread."""

    def __init__(self, periodic: list[Periodic]) -> None:
        self._periodic = periodic
        # SimpleQueue, because it is the only queue that a signal handler may use, whatever it has interrupted.
        self._asked: queue.SimpleQueue[Optional[Callable[[], object]]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="snapviewer-record", daemon=True)

    def start(self) -> None:
        now_s = time.monotonic()
        for each in self._periodic:
            each.due_s = now_s + each.every_s
        self._thread.start()

    def ask(self, work: Callable[[], object]) -> None:
        self._asked.put(work)

    def stop(self) -> None:
        """Finishes the current and the requested work, then ends the thread."""
        self._asked.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                work = self._asked.get(timeout=self._wait_s())
            except queue.Empty:
                for each in self._periodic:
                    if each.due_s <= time.monotonic():
                        each.do()
                continue
            if work is None:
                return
            work()

    def _wait_s(self) -> Optional[float]:
        if not self._periodic:
            return None
        wait_s = min(each.due_s for each in self._periodic) - time.monotonic()
        return min(max(wait_s, 0.0), threading.TIMEOUT_MAX)


class SignalWatch:
    """Calls `arrived` when a signal arrives, then the previous handler."""

    def __init__(self, name: str, arrived: Callable[[], object]) -> None:
        self._name = name
        self._arrived = arrived
        self._number: Optional[int] = None
        self._before: Any = None

    def start(self) -> None:
        """Installs the handler. Raises ValueError, with a sentence, if that is not possible."""
        number = getattr(signal, f"SIG{self._name}", None)
        if number is None:
            raise ValueError(f"this system has no signal {self._name}")
        if threading.current_thread() is not threading.main_thread():
            raise ValueError(f"the signal {self._name} is not listened to, because Python lets only the main thread do that: "
                             "start the recorder there")
        before = signal.getsignal(number)
        ours = getattr(before, "__self__", None)   # the handler may be that of a recorder that has ended
        self._before = ours._before if isinstance(ours, SignalWatch) else before
        self._number = number
        signal.signal(number, self._handle)

    def stop(self) -> None:
        """Restores the previous handler, unless another handler was installed since. That one may still call ours, which is harmless.

        Our handler also stays if there was no previous one, because a late signal would then end the program, or if Python cannot
        restore it.
        """
        if self._number is None or self._before in (None, signal.SIG_DFL) or threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(self._number) == self._handle:
            signal.signal(self._number, self._before)

    def _handle(self, number: int, frame: Optional[FrameType]) -> None:
        self._arrived()
        if callable(self._before):
            self._before(number, frame)
