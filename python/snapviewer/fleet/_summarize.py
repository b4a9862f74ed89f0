"""Summarizes the files of a fleet in a dataset."""
from __future__ import annotations

import importlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from snapviewer._errors import Error
from snapviewer.fleet._dataset import Dataset
from snapviewer.fleet._tables import TABLES, TABLES_ON_REQUEST

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Engine = Literal["local", "spark"]
NEEDED = {"local": ["pyarrow.parquet"], "spark": ["pyarrow.parquet", "pandas", "pyspark.sql"]}


def summarize(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], out: str | os.PathLike[str], engine: Engine = "local", *,
              max_file: int | str | None = None, also: Sequence[Literal["allocations", "events"]] = (),
              spark: SparkSession | None = None) -> Dataset:
    """Reads snapshots, or folders of them, and writes the essentials of each into the folder `out`, replacing an older dataset there.

    With the engine "local" the program reads the files in its sandbox, as many in parallel as there are processors and as memory
    allows. "spark" distributes them over the executors of `spark`, or of the current session, one task per file; `paths` may then be
    on any filesystem that Spark can read, such as "hdfs://namenode/job/". `out` must be a folder that all executors can access, and
    this module must be installed on each of them.

    A file that cannot be read becomes a row of `ranks` with an error. A file larger than `max_file` (bytes, or a text such as "8
    GiB") is not read and becomes such a row, too. `also` names further tables of each file to keep: "allocations" and "events", which
    need more space than all the others. `out` does not change until everything is written.

    Raises FileError if none of the files can be read, Error if `out` exists but is not a dataset, and ImportError if pyarrow or pyspark
    is missing.
    """
    if engine not in NEEDED:
        raise ValueError(f"there is no engine {engine!r}; expected 'local' or 'spark'")
    if not set(also) <= set(TABLES_ON_REQUEST):
        raise ValueError(f"`also` accepts {' and '.join(TABLES_ON_REQUEST)}, not {', '.join(also)}")
    for module in NEEDED[engine]:
        _require(module)
    named = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if not named:
        raise ValueError("there are no files to summarize")
    target = Path(out).absolute()
    if target.exists() and not _may_be_replaced(target):
        raise Error(f"{target} already exists and is not a fleet dataset; it was not changed")
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    most = None if max_file is None else "".join(str(max_file).split())
    try:
        draft.chmod(0o755)
        if engine == "local":
            from snapviewer.fleet import _local
            _local.read(named, draft, most, tuple(also))
        else:
            from snapviewer.fleet import _spark
            _spark.read(named, draft, most, tuple(also), spark)
        _put_in_place(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Dataset(target)


def _require(module: str) -> None:
    package = module.partition(".")[0]
    try:
        importlib.import_module(module)
    except ImportError:
        raise ImportError(f"summarizing a fleet needs {package}: pip install {package}") from None


def _may_be_replaced(target: Path) -> bool:
    return target.is_dir() and {entry.name for entry in target.iterdir()} <= {"fleet.db", *TABLES, *TABLES_ON_REQUEST}


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
