"""Warns once if the kernel does not provide the whole sandbox in which files are read."""
from __future__ import annotations

import os
import warnings

NOTE = "snapviewer: note: sandbox "     # the program's text before the list of missing parts

_has_warned = False


def warn_of_sandbox(state: str) -> None:
    """Issues a RuntimeWarning, once per process, unless the sandbox is complete, or the user turned it off or requires it."""
    global _has_warned
    if _has_warned or state == "on" or os.environ.get("SNAPVIEWER_SANDBOX") in ("off", "required"):
        return
    _has_warned = True
    warnings.warn(f"snapviewer's sandbox is {state}", RuntimeWarning, stacklevel=2)


def without_note(errors: str) -> str:
    """Returns what the program wrote to stderr, without its warning about the sandbox, which this process gives only once."""
    lines = errors.splitlines(keepends=True)
    for line in lines:
        if line.startswith(NOTE):
            warn_of_sandbox(line.removeprefix(NOTE).rstrip())
    return "".join(line for line in lines if not line.startswith(NOTE))
