"""From the files of a fleet to a dataset."""
from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from snapviewer import _program
from snapviewer._errors import Error, FileError, ProgramError
from snapviewer.fleet._dataset import TABLES, Dataset

BAD_FILE = 1
ROWS_A_BATCH = 65536


def summarize(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], out: str | os.PathLike[str],
              engine: Literal["local"] = "local") -> Dataset:
    """Reads snapshots, or folders of them, and writes what is kept of each into the folder `out`, in place of an older dataset there.

    The program reads the files: in parallel, as many as there are processors and as memory allows, in its sandbox. A file that cannot
    be read is a row of `ranks` with its error. Nothing has changed at `out` until all is written.

    FileError if none of the files can be read, Error if `out` is something else than a dataset, ImportError where pyarrow is missing.
    """
    if engine != "local":
        raise ValueError(f"there is no engine {engine!r}, only 'local'")
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise ImportError("summarizing a fleet needs pyarrow: pip install pyarrow") from None
    named = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if not named:
        raise ValueError("there are no files to summarize")
    target = Path(out).absolute()
    if target.exists() and not _may_be_replaced(target):
        raise Error(f"{target} is there already and no dataset of a fleet; it is left as it is")
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    try:
        draft.chmod(0o755)
        _read(named, draft / "fleet.db")
        for table in TABLES:
            _write_parquet(draft / "fleet.db", table, draft / table)
        _leave_out_totals(draft / "fleet.db")
        _put_in_place(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Dataset(target)


def _may_be_replaced(target: Path) -> bool:
    return target.is_dir() and {entry.name for entry in target.iterdir()} <= {"fleet.db", *TABLES}


def _read(paths: list[str], database: Path) -> None:
    # A path may begin with a dash.
    done = _program.run(["fleet", "--totals", "--write", str(database), "--", *paths])
    complaint = done.stderr.strip().removeprefix("snapviewer: ")
    if done.returncode == BAD_FILE:
        raise FileError(complaint)
    if done.returncode != 0:
        raise ProgramError(complaint or f"snapviewer ended with status {done.returncode}")


def _leave_out_totals(database: Path) -> None:
    """They are most of it, and the database is to be small."""
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("DELETE FROM totals")
        connection.execute("VACUUM")


def _write_parquet(database: Path, table: str, folder: Path) -> None:
    """A part for each run, as Hive names them."""
    import pyarrow
    import pyarrow.parquet
    types = {"INTEGER": pyarrow.int64(), "TEXT": pyarrow.string(), "REAL": pyarrow.float64()}
    folder.mkdir()
    with contextlib.closing(sqlite3.connect(database)) as connection:
        columns = [(name, types[kind]) for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})") if name != "run"]
        schema = pyarrow.schema(columns)
        runs = [run for run, in connection.execute("SELECT DISTINCT run FROM ranks ORDER BY run")]
        for run in runs:
            part = folder / f"run={quote(run, safe='')}"
            part.mkdir()
            names = ", ".join(name for name, _ in columns)
            rows = connection.execute(f"SELECT {names} FROM {table} WHERE run = ? ORDER BY rowid", (run,))
            with pyarrow.parquet.ParquetWriter(part / "part-0.parquet", schema, compression="zstd") as writer:
                for batch in _batches(rows):
                    writer.write_batch(pyarrow.record_batch([pyarrow.array(values, kind) for values, (_, kind) in zip(zip(*batch), columns)],
                                                            schema=schema))


def _batches(rows: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    while batch := rows.fetchmany(ROWS_A_BATCH):
        yield batch


def _put_in_place(draft: Path, target: Path) -> None:
    if not target.exists():
        draft.rename(target)
        return
    older = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent)) / target.name
    target.rename(older)
    try:
        draft.rename(target)
    except OSError:
        older.rename(target)
        raise
    finally:
        shutil.rmtree(older.parent, ignore_errors=True)
