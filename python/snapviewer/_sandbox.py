"""Warns once if the kernel does not provide the whole sandbox in which files are read."""
from __future__ import annotations

import os
import warnings

NOTE = "snapviewer: note: sandbox "     # of the program, before what is off

_told = False


def warn_of_sandbox(state: str) -> None:
    """RuntimeWarning, once a process, unless all of it is on, or somebody turned it off or wants an exception instead."""
    global _told
    if _told or state == "on" or os.environ.get("SNAPVIEWER_SANDBOX") in ("off", "required"):
        return
    _told = True
    warnings.warn(f"snapviewer's sandbox is {state}", RuntimeWarning, stacklevel=2)


def without_note(errors: str) -> str:
    """What the program wrote to stderr but for that it has no sandbox, of which this process is told once."""
    lines = errors.splitlines(keepends=True)
    for line in lines:
        if line.startswith(NOTE):
            warn_of_sandbox(line.removeprefix(NOTE).rstrip())
    return "".join(line for line in lines if not line.startswith(NOTE))
