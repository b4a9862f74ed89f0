"""An Arrow stream in a PyCapsule, the way Python's Arrow libraries hand streams to each other."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snapviewer._result import Stream

NAME = b"arrow_array_stream"

_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))

# A taker moves what is in the struct to a place of its own at once. No destructor written in Python may run while an exception of the
# taker is on its way, so the structs, 40 bytes each, are kept; a stream that nobody took ends with the process.
_handed_over: list[Stream] = []


def stream_capsule(stream: Stream) -> object:
    """The capsule of a stream that is to be taken."""
    _handed_over.append(stream)
    return _new(ctypes.addressof(stream.struct), NAME, None)
