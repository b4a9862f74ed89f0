"""Threads of a child process that stand still while the rest of it runs on: work that does not answer, whatever it does."""
import ctypes
import os

PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207
WALL = 0x40000000  # threads, too

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, thread):
    if libc.ptrace(request, thread, None, None) != 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request}")


class Frozen:
    """All threads that a window has and did not have before."""

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
        """Forgets those that have ended: until then the system does not tell of the end of their process."""
        for thread in list(self.threads):
            try:
                if os.waitpid(thread, WALL | os.WNOHANG)[0] == thread:
                    self.threads.remove(thread)
            except ChildProcessError:
                self.threads.remove(thread)
