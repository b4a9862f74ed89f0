"""Opens GPU-memory snapshots and answers questions about them in SQL.

    import snapviewer as sv
    with sv.open("snapshot.pickle") as snapshot:
        print(snapshot.peak_bytes)
        for size, stack in snapshot.query("SELECT size, stack_id FROM allocations WHERE alloc_step < :step", step=9000):
            print(size, stack)

The module itself needs only Python: no numpy, no PyTorch, no window system. Functions that need other packages import them when they
are called, and name a missing one.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from snapviewer._errors import Error, FileError, ProgramError, QueryError
from snapviewer._result import Result, Value
from snapviewer._snapshot import Snapshot, open

if TYPE_CHECKING:
    from snapviewer import fleet
    from snapviewer._annotate import Annotated, annotate
    from snapviewer._limits import Check, check, compare
    from snapviewer._recorder import record
    from snapviewer._series import Series, series

__all__ = ["Annotated", "Check", "Error", "FileError", "ProgramError", "QueryError", "Result", "Series", "Snapshot", "Value", "annotate", "check", "compare",
           "fleet", "open", "record", "series", "version"]

# Modules that are imported when they are first accessed.
_LATE = {"Annotated": "_annotate", "annotate": "_annotate", "Check": "_limits", "check": "_limits", "compare": "_limits", "record": "_recorder",
         "Series": "_series", "series": "_series"}


def version() -> str:
    """Returns the version of the native library.

    >>> version().count(".")
    2
    """
    from snapviewer._library import library
    return library().version()


def __getattr__(name: str) -> object:
    import importlib
    if name == "fleet":
        return importlib.import_module("snapviewer.fleet")
    if name not in _LATE:
        raise AttributeError(f"module 'snapviewer' has no attribute {name!r}")
    return getattr(importlib.import_module(f"snapviewer.{_LATE[name]}"), name)
