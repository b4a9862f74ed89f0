"""Opens files and answers questions about them."""
from __future__ import annotations

import functools
import io
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Union

from snapviewer._errors import ProgramError
from snapviewer._library import ArrowStream, Progress, library
from snapviewer._result import Result, Value

if TYPE_CHECKING:
    from snapviewer._serve import Pages

Path = Union[str, "os.PathLike[str]"]     # evaluated at run time, and Python 3.9 has no | for types
_TemporaryFile = Any    # the class of tempfile's files has no public name


def open(path: Path | bytes | BinaryIO, *, beside: Path | None = None, progress: Progress | None = None) -> Snapshot:
    """Opens a file of any kind that the program supports, such as a snapshot, a profiler database or a report. Its bytes
    decide the kind.

    `path` may also be a file on another machine ("node:/runs/oom.pickle", which runs your ssh), a URL, or an object with a `read`
    method that returns bytes, such as an open file, which is read to its end and copied to a temporary file. `bytes` are the content
    of a file, unless a file with that name exists.

    `beside` is a second file to open together with it, such as the other report of a model. `progress(stage, fraction)` is
    called some 20 times a second on the main thread; an exception raised in it stops the opening, as Ctrl-C does.

    Raises FileError, which says what is wrong with the file and at which byte. The file is read in this process, by threads in the
    program's sandbox. If the kernel does not support the whole sandbox, there is one warning, or Error if the environment variable
    SNAPVIEWER_SANDBOX is "required".

    >>> open(sample).kind
    'pytorch_pickle'
    """
    second = None if beside is None else os.fsdecode(beside)
    if isinstance(path, (str, os.PathLike)) or (isinstance(path, bytes) and _is_name(path)):
        return Snapshot(os.fsdecode(path), second, progress)
    kept = _copy(io.BytesIO(path) if isinstance(path, (bytes, bytearray, memoryview)) else path)
    return Snapshot(kept.name, second, progress, kept)


def _is_name(path: bytes) -> bool:
    return b"\0" not in path and os.path.exists(path)


def _copy(source: BinaryIO) -> _TemporaryFile:
    kept = tempfile.NamedTemporaryFile(prefix="snapviewer-")
    shutil.copyfileobj(source, kept)
    kept.flush()
    return kept


class Snapshot:
    """An opened file, held in memory until close() or the end of a `with` block. Thread-safe; several queries may run at once."""

    def __init__(self, path: str, beside: str | None = None, progress: Progress | None = None, kept: _TemporaryFile | None = None) -> None:
        self._document = 0
        self._kept = kept   # a temporary copy of the file, deleted when no object needs it any more
        self._library = library()
        self.path = path
        self._beside = beside
        self._document = self._library.open(path, beside, progress)

    def close(self) -> None:
        """Frees the memory once no result is being read any more. Using the snapshot afterwards raises ValueError."""
        document, self._document = self._document, 0
        if document:
            self._library.close(document)

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    @functools.cached_property
    def _info(self) -> dict[str, Any]:
        return dict(self._library.json("sv_info", self._document))

    def info(self) -> dict[str, Any]:
        """The content of the file, as `snapviewer info --json` prints it: kind, devices, ooms, file notes (`import_log`)."""
        return dict(self._info)

    @property
    def kind(self) -> str:
        """The kind of the file."""
        return str(self._info["kind"])

    @property
    def devices(self) -> list[dict[str, Any]]:
        """One dict per device: its number `device`, `events`, `allocations`, `stacks`, `steps`, `peak_bytes`, `live_bytes_at_end`.

        >>> open(sample).devices[0]["device"]
        0
        """
        return list(self._info["devices"])

    @property
    def ooms(self) -> list[dict[str, Any]]:
        """Each out-of-memory error: `device`, `event`, `step`, `demand_bytes`, `device_free_bytes` (None if unknown), `recovered`."""
        return list(self._info["oom"])

    @property
    def import_log(self) -> list[dict[str, Any]]:
        """The file notes, which report what was unusual or lost in the file: `severity`, `code`, `message`, `count`, `first_offset`."""
        return list(self._info["import_log"])

    @property
    def peak_bytes(self) -> int:
        """The highest peak of any device; 0 for a file without memory to draw."""
        return max((int(device["peak_bytes"]) for device in self._info["devices"]), default=0)

    @functools.cached_property
    def _report(self) -> dict[str, Any]:
        return dict(self._library.json("sv_report", self._document))

    def report(self) -> dict[str, Any]:
        """Analyses why memory ran out, what grows and what holds memory, as `snapviewer report --json` does; see docs/analyses.md. The
        first call can take seconds for a large file.

        >>> sorted(open(sample).report())
        ['devices', 'version']
        """
        return dict(self._report)

    def findings(self) -> list[dict[str, Any]]:
        """The findings of the report for all devices, in order."""
        return [finding for device in self._report["devices"] for finding in device["findings"]]

    def tables(self) -> list[dict[str, Any]]:
        """The tables for queries. Each has a `name`, a `text`, a `schema` (empty for snapviewer's own tables) and `columns` (`name`,
        `type`, `text`).

        >>> [table["name"] for table in open(sample).tables()][:3]
        ['allocs', 'allocations', 'events']
        """
        return list(self._library.json("sv_tables", self._document))

    def query(self, sql: str, parameters: Sequence[Value] = (), /, *, max_seconds: float = 0, **named: Value) -> Result:
        """Runs one SELECT statement; docs/sql.md lists the tables. Returns as soon as the first rows are ready.

        Pass values for `:name` as keyword arguments, and values for `?` as a list. `max_seconds` 0 means no limit. Raises QueryError,
        which says what is wrong with the SQL and at which byte.

        >>> open(sample).query("SELECT :a + :b AS sum", a=1, b=2).rows()
        [(3,)]
        >>> open(sample).query("SELECT ? || ?", ["a", "b"]).rows()
        [('ab',)]
        """
        if parameters and named:
            raise TypeError("parameters are given by name or as a list, not both")
        text = json.dumps(named or list(parameters), default=_refuse) if named or parameters else None

        def ask() -> ArrowStream:
            return self._library.query(self._document, sql, text, max_seconds)
        return Result(sql, self._library, ask)

    def table(self, name: str) -> Result:
        """Returns all rows of a table, as `SELECT * FROM name` does, but in a fraction of the time and memory, because the table is read
        in place, without SQL. Raises QueryError for tables that are computed when they are read (growth, findings, ...) and for a
        profiler's own tables.

        >>> len(open(sample).table("segments").rows())
        156
        """
        def ask() -> ArrowStream:
            return self._library.table(self._document, name)
        return Result(f"SELECT * FROM {name}", self._library, ask)

    def picture(self, *, view: str | None = None, device: int | None = None, size: tuple[int, int] = (1600, 900)) -> bytes:
        """Returns the picture of a device as PNG bytes, drawn by the program. `size` is in pixels; `view` is X0:X1[,Y0:Y1] as for
        `snapviewer render`. Raises ProgramError if the program or OpenGL is missing."""
        from snapviewer import _program
        return _program.render(self.path, view, device, size)

    def pack(self, path: Path, *, level: int = 9) -> None:
        """Compresses the snapshot, byte for byte, to `path`, which must end in .zst. The result is many times smaller. `level` is 1
        (fast) to 19 (small). Raises ProgramError if the program is missing, or the file is not a snapshot."""
        from snapviewer import _program
        _program.pack(self.path, os.fspath(path), level)

    def show(self) -> Pages | None:
        """Opens the window in a process of its own. In a notebook it starts `snapviewer serve` instead and returns an object that the
        notebook shows as a link to the file's pages, through jupyter-server-proxy if that is installed. Raises ProgramError if the
        program is missing."""
        from snapviewer import _program, _serve
        if _serve.is_notebook():
            return _serve.Pages(self.path)
        _program.show(self.path)
        return None

    def __repr__(self) -> str:
        return f"<snapviewer.Snapshot {self.path}>"

    @functools.cached_property
    def _notebook_picture(self) -> bytes | None:
        try:
            return self.picture(size=(1200, 500)) if self.devices else None
        except ProgramError:
            return None

    def _repr_png_(self) -> bytes | None:
        """The picture, for consoles that can show one; None if it cannot be drawn."""
        return self._notebook_picture

    def _repr_html_(self) -> str:
        """A summary of the file and its picture, for notebooks, which prefer this representation to others."""
        import base64
        import html
        rows = "".join(f"<tr><td>{device['device']}</td>" + "".join(
            f'<td style="text-align: right">{device[key]:,}</td>' for key in ("events", "allocations", "peak_bytes")) + "</tr>"
            for device in self.devices)
        head = "".join(f"<th>{name}</th>" for name in ("device", "events", "allocations", "peak, bytes"))
        ooms = f"<p>out of memory {len(self.ooms)} time{'s' if len(self.ooms) > 1 else ''}</p>" if self.ooms else ""
        data = base64.b64encode(self._notebook_picture or b"").decode()
        picture = f'<img src="data:image/png;base64,{data}" alt="allocations over time" style="max-width: 100%">' if data else ""
        return (f"<p><b>{html.escape(self.path)}</b>: {html.escape(self.kind)}</p>{ooms}"
                f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{picture}")


def _refuse(value: object) -> None:
    raise TypeError(f"a parameter must be None, an int, a float or a str, not {type(value).__name__}")
