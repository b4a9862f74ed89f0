"""Loads the C interface (core/capi/snapviewer.h) with ctypes, declares its structs, and raises its errors as exceptions."""
from __future__ import annotations

import ctypes
import functools
import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from snapviewer._errors import Error, FileError, QueryError
from snapviewer._sandbox import warn_of_sandbox

ABI_VERSION = 1
OK, BAD_FILE, UNSUPPORTED, IO, BAD_QUERY, STOPPED, ENVIRONMENT, MISUSE = range(8)
LIBRARY = "snapviewer.dll" if os.name == "nt" else "libsnapviewer.so"
POLL_INTERVAL_S = 0.05

Progress = Callable[[str, float], object]


class ErrorStruct(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("offset", ctypes.c_int64), ("message", ctypes.c_char * 4096)]


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class ArrowStream(ctypes.Structure):
    pass


ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)), ("release", ReleaseSchema), ("private_data", ctypes.c_void_p)]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))), ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ReleaseArray), ("private_data", ctypes.c_void_p)]
ArrowStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowSchema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(ArrowStream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))), ("private_data", ctypes.c_void_p)]

ProgressCallback = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double)


def wait_for(call: Callable[[], int], stop: Callable[[], object], report_progress: Callable[[], object] = lambda: None) -> int:
    """Runs a C function that may take long. If called on the main thread, the function runs on another thread, because Python runs no
    signal handlers during C code. Ctrl-C, or an exception of `report_progress`, which is called periodically, then calls `stop`, and
    propagates once the function has ended."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    outcome: list[int] = []
    worker = threading.Thread(target=lambda: outcome.append(call()), daemon=True)
    worker.start()
    try:
        worker.join(POLL_INTERVAL_S)
        while worker.is_alive():
            report_progress()
            worker.join(POLL_INTERVAL_S)
        report_progress()
    except BaseException:
        stop()
        worker.join()
        raise
    return outcome[0]


class Watch:
    """Receives the progress of a C function, and can ask it to stop."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.wants_stop = False
        self._progress = progress
        self._latest: tuple[str, float] | None = None
        self.callback = ProgressCallback(self._called_back)

    def _called_back(self, _context: object, stage: bytes, fraction: float) -> int:
        self._latest = stage.decode(), fraction
        return int(self.wants_stop)

    def stop(self) -> None:
        self.wants_stop = True

    def report_progress(self) -> None:
        if self._progress and self._latest:
            self._progress(*self._latest)


def _folders() -> list[str]:
    """Returns the folders that may contain the library: that of this module, as in a wheel, and that of an installed program."""
    return [os.path.dirname(os.path.abspath(__file__)), os.path.join(sys.prefix, "lib", "snapviewer")]


def _find() -> str:
    named = os.environ.get("SNAPVIEWER_LIBRARY")
    if named:
        return named
    paths = [os.path.join(folder, LIBRARY) for folder in _folders()]
    return next(filter(os.path.exists, paths), LIBRARY)


class Library:
    """The functions of the C interface that the module needs. Thread-safe; failures are raised as exceptions."""

    def __init__(self, path: str) -> None:
        self._dll = dll = ctypes.CDLL(path)
        dll.sv_version.restype = ctypes.c_char_p
        dll.sv_sandbox.restype = ctypes.c_char_p
        dll.sv_close.argtypes = [ctypes.c_uint64, ctypes.POINTER(ErrorStruct)]
        dll.sv_open.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_char_p, ProgressCallback, ctypes.c_void_p,
                                ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ErrorStruct)]
        dll.sv_query.argtypes = [ctypes.c_uint64, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_double, ProgressCallback,
                                 ctypes.c_void_p, ctypes.POINTER(ArrowStream), ctypes.POINTER(ErrorStruct)]
        dll.sv_table.argtypes = [ctypes.c_uint64, ctypes.c_char_p, ProgressCallback, ctypes.c_void_p, ctypes.POINTER(ArrowStream),
                                 ctypes.POINTER(ErrorStruct)]
        dll.sv_stop.argtypes = [ctypes.POINTER(ArrowStream)]
        dll.sv_stop.restype = None
        dll.sv_free_text.argtypes = [ctypes.c_void_p]
        dll.sv_free_text.restype = None

    def version(self) -> str:
        return str(self._dll.sv_version().decode())

    def sandbox(self) -> str:
        return str(self._dll.sv_sandbox().decode())

    def open(self, path: str, beside: str | None, progress: Progress | None) -> int:
        warn_of_sandbox(self.sandbox())
        document, error, watch = ctypes.c_uint64(), ErrorStruct(), Watch(progress)
        code = wait_for(lambda: int(self._dll.sv_open(ABI_VERSION, os.fsencode(path), os.fsencode(beside) if beside else None,
                                                      watch.callback, None, document, error)), watch.stop, watch.report_progress)
        if code == ENVIRONMENT:
            raise Error(_message(error))
        if code != OK:
            raise FileError(f"{path}: {_message(error)}", _offset(error))
        return document.value

    def close(self, document: int) -> None:
        self._dll.sv_close(document, None)

    def json(self, function: str, document: int) -> Any:
        """Returns the parsed JSON of sv_info() or a similar function."""
        text, error = ctypes.c_void_p(), ErrorStruct()
        if self._dll[function](ctypes.c_uint64(document), ctypes.byref(text), ctypes.byref(error)) != OK:
            _fail(error)
        try:
            return json.loads(ctypes.string_at(text.value or 0))
        finally:
            self._dll.sv_free_text(text)

    def query(self, document: int, sql: str, parameters: str | None, max_seconds: float) -> ArrowStream:
        stream, error, watch = ArrowStream(), ErrorStruct(), Watch()
        arguments = sql.encode(), parameters.encode() if parameters else None
        if b"\0" in arguments[0]:
            raise QueryError("the query contains a zero byte", arguments[0].index(0))
        code = wait_for(lambda: int(self._dll.sv_query(document, *arguments, max_seconds, watch.callback, None, stream, error)),
                        watch.stop)
        if code != OK:
            _fail(error)
        return stream

    def table(self, document: int, name: str) -> ArrowStream:
        stream, error, watch = ArrowStream(), ErrorStruct(), Watch()
        text = name.encode()
        if not text or b"\0" in text:
            raise QueryError("the name of a table is empty or holds a zero byte", None)
        code = wait_for(lambda: int(self._dll.sv_table(document, text, watch.callback, None, stream, error)), watch.stop)
        if code != OK:
            _fail(error)
        return stream

    def stop(self, stream: ArrowStream) -> None:
        self._dll.sv_stop(stream)


def _message(error: ErrorStruct) -> str:
    return bytes(error.message).decode(errors="replace")


def _offset(error: ErrorStruct) -> int | None:
    return None if error.offset < 0 else int(error.offset)


def _fail(error: ErrorStruct) -> NoReturn:
    if error.code == MISUSE:
        raise ValueError(_message(error))
    if error.code == BAD_QUERY:
        raise QueryError(_message(error), _offset(error))
    raise Error(_message(error), _offset(error))


@functools.cache
def library() -> Library:
    """Returns the library, which the first call loads. Raises ImportError if it is missing."""
    path = _find()
    try:
        return Library(path)
    except OSError as error:
        raise ImportError(f"{LIBRARY} cannot be loaded ({error}); set the environment variable SNAPVIEWER_LIBRARY to its path"
                          ) from error
