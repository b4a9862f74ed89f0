"""An Arrow stream in a PyCapsule, the way Python's Arrow libraries hand streams to each other."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snapviewer._result import Stream

NAME = b"arrow_array_stream"

_python = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", _python))

# By the address of the capsule. A taker moves what is in the struct to a place of its own; the struct's memory is ours until the
# capsule goes.
_handed_over: dict[int, Stream] = {}


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _destroy(capsule: int) -> None:
    # An exception may be on its way, which Python keeps out of the stream's __del__ alone.
    del _handed_over[capsule]


# Capsules may outlive this module while Python ends.
_python.Py_IncRef(ctypes.py_object(_destroy))


def stream_capsule(stream: Stream) -> object:
    """Owns the stream: a capsule that nobody takes releases it."""
    capsule = _new(ctypes.addressof(stream.struct), NAME, ctypes.cast(_destroy, ctypes.c_void_p).value)
    _handed_over[id(capsule)] = stream
    return capsule
