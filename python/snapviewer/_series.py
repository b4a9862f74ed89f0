"""Reads small snapshots of a job over hours with the program, and queries the result in this process."""
from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path as _Path
from types import TracebackType
from typing import Any, Union

from snapviewer import _program
from snapviewer._errors import FileError, ProgramError
from snapviewer._result import Result, Value
from snapviewer._snapshot import Path, Snapshot, open

BAD_FILE = 1


def series(path: Union[Path, Sequence[Path]]) -> Series:
    """Reads a folder of small snapshots of a job over hours, like `snapviewer series`; docs/long-jobs.md defines the terms.

    `path` is the folder that `record(..., series="30s")` writes, or a list of files of the same ranks. The program does the work, in
    its sandbox; the samples are in a temporary database until close() or the end of a `with` block.

    Raises FileError if no file can be read. If only some files cannot be read, they are listed in `facts["failed"]`.
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise ValueError("series() needs a folder or files")
    folder = tempfile.TemporaryDirectory(prefix="snapviewer-")
    try:
        database = _Path(folder.name) / "series.db"
        done = _program.run(["series", *(os.fspath(each) for each in paths), "--json", "--db", str(database)])
        if done.returncode != 0:
            complaint = done.stderr.strip().removeprefix("snapviewer: ") or f"snapviewer ended with status {done.returncode}"
            raise (FileError if done.returncode == BAD_FILE else ProgramError)(complaint)
        return Series(json.loads(done.stdout), open(database), folder)
    except BaseException:
        folder.cleanup()
        raise


class Series:
    """Samples of the ranks of a job, and the conspicuous ones among them."""

    #: The JSON of `snapviewer series --json`: `ranks`, `growing`, `outside`, `gaps`, `ended`, `restarts`, `dumps` and `failed`, each
    #: a list of dicts.
    facts: dict[str, list[dict[str, Any]]]

    def __init__(self, facts: dict[str, Any], database: Snapshot, folder: tempfile.TemporaryDirectory[str]) -> None:
        self.facts, self._database, self._folder = facts, database, folder

    def query(self, sql: str, parameters: Sequence[Value] = (), /, *, max_seconds: float = 0, **named: Value) -> Result:
        """Runs one SELECT over the tables series_samples, series_pools, series_sizes, series_growth, series_gaps, series_dumps and
        series_failed; the result is like that of Snapshot.query().
        """
        return self._database.query(sql, parameters, max_seconds=max_seconds, **named)

    def newest_dump(self) -> dict[str, Any] | None:
        """The newest full snapshot, an item of `facts["dumps"]`; None if there is none. `open(dump["file"])` opens it."""
        dumps = sorted(self.facts["dumps"], key=lambda dump: (dump["time_us"] is not None, dump["time_us"] or 0))
        return dumps[-1] if dumps else None

    def close(self) -> None:
        """Removes the temporary database. Using the series afterwards raises ValueError."""
        self._database.close()
        self._folder.cleanup()

    def __enter__(self) -> Series:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        samples = sum(rank["samples"] for rank in self.facts["ranks"])
        return f"<snapviewer.Series: {samples:,} samples, {len(self.facts['dumps'])} full snapshots>"
