"""From the files of a fleet to a dataset."""
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
    """Reads snapshots, or folders of them, and writes what is kept of each into the folder `out`, in place of an older dataset there.

    The engine "local" has the program read the files: in parallel, as many as there are processors and as memory allows, in its
    sandbox. "spark" shares them out over the executors of `spark`, or of the session that there is, a task a file; there `paths` may be
    of any filesystem that Spark reaches, such as "hdfs://namenode/job/", `out` is a folder that all of them see, and this module is
    installed on each.

    A file that cannot be read is a row of `ranks` with its error; so is one of more than `max_file`, bytes or a text such as "8 GiB",
    which is not read. `also` names tables of the single files that are kept besides: "allocations" and "events", which take more room
    than all the others. Nothing has changed at `out` until all is written.

    FileError if none of the files can be read, Error if `out` is something else than a dataset, ImportError where pyarrow or pyspark
    is missing.
    """
    if engine not in NEEDED:
        raise ValueError(f"there is no engine {engine!r}, only 'local' and 'spark'")
    if not set(also) <= set(TABLES_ON_REQUEST):
        raise ValueError(f"`also` takes {' and '.join(TABLES_ON_REQUEST)}, not {', '.join(also)}")
    for module in NEEDED[engine]:
        _require(module)
    named = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if not named:
        raise ValueError("there are no files to summarize")
    target = Path(out).absolute()
    if target.exists() and not _may_be_replaced(target):
        raise Error(f"{target} is there already and no dataset of a fleet; it is left as it is")
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
