"""An Arrow stream in a PyCapsule, the way Python's Arrow libraries hand streams to each other."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snapviewer._result import Stream

NAME = b"arrow_array_stream"

_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))

# A consumer moves the struct's content elsewhere at once. No destructor written in Python may run while an exception of the consumer
# propagates, so the structs of 40 bytes are never freed. A stream that nobody consumed ends with the process.
_handed_over: list[Stream] = []


def stream_capsule(stream: Stream) -> object:
    """Returns the capsule of a stream for a consumer."""
    _handed_over.append(stream)
    return _new(ctypes.addressof(stream.struct), NAME, None)
