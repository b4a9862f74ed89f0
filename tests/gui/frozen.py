"""Freezes threads of a child process while its other threads run, to simulate work that does not respond."""
import ctypes
import os
import time

PTRACE_CONT, PTRACE_DETACH, PTRACE_GETEVENTMSG, PTRACE_SEIZE, PTRACE_INTERRUPT = 7, 17, 0x4201, 0x4206, 0x4207
TRACE_CLONE, EVENT_CLONE = 8, 3
WALL = 0x40000000  # includes threads

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, thread, data=None):
    if libc.ptrace(request, thread, None, data) != 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request}")


class Frozen:
    """Freezes all threads that a window has and did not have before."""

    def __init__(self, window, before):
        self.threads = []
        while new := window.threads() - before - set(self.threads):
            for thread in new:
                ptrace(PTRACE_SEIZE, thread)
                ptrace(PTRACE_INTERRUPT, thread)
                os.waitpid(thread, WALL)
                self.threads.append(thread)

    def thaw(self):
        self.reap()
        while self.threads:
            ptrace(PTRACE_DETACH, self.threads.pop())

    def reap(self):
        """Reaps frozen threads that have ended, because the end of their process is not reported before."""
        for thread in list(self.threads):
            try:
                if os.waitpid(thread, WALL | os.WNOHANG)[0] == thread:
                    self.threads.remove(thread)
            except ChildProcessError:
                self.threads.remove(thread)


class FrozenAtBirth(Frozen):
    """Freezes threads that a window starts after `act` from their first instruction, even if their work would take only a millisecond."""

    PATIENCE_S = 5.0
    QUIET_S = 0.2

    def __init__(self, window, act):
        self.threads = []
        main = window.process.pid
        ptrace(PTRACE_SEIZE, main, TRACE_CLONE)
        act()
        deadline = time.monotonic() + self.PATIENCE_S
        while time.monotonic() < deadline:
            pid, status = os.waitpid(main, WALL | os.WNOHANG)
            if pid == 0:
                time.sleep(0.001)
            elif self.go_on(main, status):
                deadline = time.monotonic() + self.QUIET_S
        ptrace(PTRACE_INTERRUPT, main)
        os.waitpid(main, WALL)
        ptrace(PTRACE_DETACH, main)

    def go_on(self, main, status):
        """Resumes the main thread after a stop; returns true if the stop was for a new thread."""
        event = status >> 16
        if event == EVENT_CLONE:
            born = ctypes.c_ulong()
            ptrace(PTRACE_GETEVENTMSG, main, ctypes.byref(born))
            os.waitpid(born.value, WALL)
            self.threads.append(born.value)
        ptrace(PTRACE_CONT, main, 0 if event else os.WSTOPSIG(status))
        return event == EVENT_CLONE
