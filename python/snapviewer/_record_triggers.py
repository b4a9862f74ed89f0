"""When a recorder writes besides at its end: after some time, and when a signal asks for it."""
from __future__ import annotations

import queue
import signal
import threading
import time
from dataclasses import dataclass
from types import FrameType
from typing import Any, Callable, Optional

SIGNALS = ("USR1", "USR2")   # all others mean something to the job or end it
LONGEST_SHARE = 0.01         # of a processor's time that work may take which promises to be cheap


@dataclass
class Periodic:
    """Work that is done again and again. Where it `is_cheap`, it waits longer rather than take more than its share of a processor."""
    work: Callable[[], object]
    every_s: float
    is_cheap: bool = False
    due_s: float = 0.0
    took_s: float = 0.0   # the last time; nothing yet

    def do(self) -> None:
        began_s = time.thread_time()   # waiting for a disk, or for another snapshot, keeps nobody else waiting
        self.work()
        before_s, self.took_s = self.took_s, time.thread_time() - began_s
        # One slow time says little: the first one loads what all others need, and a thread is sometimes interrupted.
        usual_s = min(before_s, self.took_s)
        self.due_s = time.monotonic() + (max(self.every_s, usual_s / LONGEST_SHARE) if self.is_cheap else self.every_s)


class Clock:
    """Does periodic work, and work that is asked for, on a thread that never keeps the program from ending."""

    def __init__(self, periodic: list[Periodic]) -> None:
        self._periodic = periodic
        # A signal's handler may put into this queue whatever the program is doing just then; it may not into others.
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
        """Returns when what is being done is done; what was asked for before comes first."""
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
    """Calls `arrived` when a signal comes, then whoever was to be called before."""

    def __init__(self, name: str, arrived: Callable[[], object]) -> None:
        self._name = name
        self._arrived = arrived
        self._number: Optional[int] = None
        self._before: Any = None

    def start(self) -> None:
        """Raises ValueError, with a sentence, where Python allows no handler."""
        number = getattr(signal, f"SIG{self._name}", None)
        if number is None:
            raise ValueError(f"this system has no signal {self._name}")
        if threading.current_thread() is not threading.main_thread():
            raise ValueError(f"the signal {self._name} is not listened to, because Python lets only the main thread do that: "
                             "start the recorder there")
        before = signal.getsignal(number)
        ours = getattr(before, "__self__", None)   # of a recorder that ended
        self._before = ours._before if isinstance(ours, SignalWatch) else before
        self._number = number
        signal.signal(number, self._handle)

    def stop(self) -> None:
        """Puts back what was there before, unless another handler came since; that one may call ours, which does no harm.

        Ours also stays where there was none, because then a late signal would end the program, or one that Python cannot put back.
        """
        if self._number is None or self._before in (None, signal.SIG_DFL) or threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(self._number) == self._handle:
            signal.signal(self._number, self._before)

    def _handle(self, number: int, frame: Optional[FrameType]) -> None:
        self._arrived()
        if callable(self._before):
            self._before(number, frame)
