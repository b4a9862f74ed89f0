"""The engine for many machines: Spark distributes the files, the program reads each on the machine of its task, and the driver gets
one row per rank.

First pass: one task per file, which writes the rows of all tables into one wide table with a column for the name of the table
(`KEPT`). Second pass: the tables are separated again, runs get their final names, and each stack's text is kept once.
"""
from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from snapviewer import _program
from snapviewer._errors import FileError, ProgramError
from snapviewer._snapshot import open as open_snapshot
from snapviewer.fleet._rows import Places, placed_batches, places_by_file
from snapviewer.fleet._tables import COLUMNS, TABLES, arrow_schema, part_folder, part_schema, partition

if TYPE_CHECKING:
    import pyarrow
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

BAD_FILE = 1
FLEET_ID = 0x736e7666       # SQLite's application_id of the program's fleet databases
MAX_CONTENT = 2**31 - 1     # the limit of a column in Spark
SPARK_TYPES = {"INTEGER": "long", "TEXT": "string", "REAL": "double"}

Listed = dict[str, Any]     # a file of the fleet, an item of `snapviewer fleet --list`
Batches = Iterator["pyarrow.RecordBatch"]

KEPT: dict[str, str] = {"file_no": "INTEGER", "row_no": "INTEGER", "table": "TEXT"}
for _columns in COLUMNS.values():
    KEPT |= _columns

# Repeats each stack for every rank that refers to it, because runs are renamed per rank.
STACKS = """SELECT spoken.run, spoken.rank, spoken.device, s.stack_key, s.text, s.top_frame FROM
    (SELECT run, rank, device, stack_key FROM peak_stacks UNION SELECT run, rank, device, stack_key FROM step_stacks
     UNION SELECT run, rank, device, stack_key FROM growth) spoken JOIN stacks s USING (run, stack_key) ORDER BY s.rowid"""


def read(paths: list[str], folder: Path, max_file: str | None, also: tuple[str, ...], spark: SparkSession | None) -> None:
    """Writes the dataset into `folder`, which must exist, be empty, and be visible to all executors."""
    session = _own_session(spark)
    files = _listed(session, paths, max_file)
    kept_folder = folder / ".kept"
    _read_files(session, files).write.partitionBy("table").parquet(str(kept_folder))
    ranks, renamed = _final_runs(session, kept_folder, files)
    if all(row["error"] for row in ranks):
        others = f"; the other {len(ranks) - 1} cannot be read either" if len(ranks) > 1 else ""
        raise FileError(f"{ranks[0]['file']}: {ranks[0]['error']}{others}")
    for table in TABLES:
        _write_table(_table(session, kept_folder, table, renamed), table, folder / table, ranks)
    if also:
        _write_on_request(session, files, ranks, folder, also)
    shutil.rmtree(kept_folder)
    for leftover in [*folder.rglob("_SUCCESS"), *folder.rglob(".*.crc")]:
        leftover.unlink()
    _write_database(folder)


def _own_session(spark: SparkSession | None) -> SparkSession:
    """Returns the same Spark session with other settings."""
    from pyspark.sql import SparkSession
    session = (spark or SparkSession.builder.getOrCreate()).newSession()
    _use_this_python(session.sparkContext)
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")       # because a row may contain a whole file
    session.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")      # keeps a run called 7 a text
    session.conf.set("spark.sql.parquet.compression.codec", "zstd")
    return session


def _use_this_python(context: SparkContext) -> None:
    """Makes the workers run this Python, in whose environment this module is installed. Spark's default is the first python3 on the
    PATH, which is another one if the virtual environment is not activated."""
    if "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable


def _schema_text(columns: dict[str, str]) -> str:
    return ", ".join(f"`{name}` {SPARK_TYPES[kind]}" for name, kind in columns.items())


# Listing the files, and deciding the rank of each.

def _listed(session: SparkSession, paths: list[str], max_file: str | None) -> list[Listed]:
    """Lists all files, with the order and the ranks that the program derives from their names. For files of other filesystems, the
    program sees sparse local files of the same names and sizes."""
    with tempfile.TemporaryDirectory(prefix="snapviewer-fleet-") as name:
        origin: dict[str, str] = {}
        named: list[str] = []
        for path in paths:
            named += [_local_path(path)] if _is_local(path) else _mirrored(session, path, Path(name), origin)
        command = ["fleet", "--list"] + (["--max-file", max_file] if max_file else [])
        done = _program.run([*command, "--", *named])
    if done.returncode == BAD_FILE:
        raise FileError(done.stderr.strip().removeprefix("snapviewer: "))
    if done.returncode != 0:
        raise ProgramError(done.stderr.strip())
    files: list[Listed] = json.loads(done.stdout)
    for each in files:
        each["here"] = None if each["file"] in origin else os.path.abspath(each["file"])
        each["file"] = origin.get(each["file"], each["file"])
        if each["here"] is None and each["file_bytes"] > MAX_CONTENT:
            each["error"] = each["error"] or "is larger than the 2 GiB that Spark hands over of a file"
    return files


def _is_local(path: str) -> bool:
    return "://" not in path or path.startswith("file:")


def _local_path(path: str) -> str:
    return unquote(urlsplit(path).path) if path.startswith("file:") else path


def _mirrored(session: SparkSession, path: str, folder: Path, origin: dict[str, str]) -> list[str]:
    """Returns the paths to list in place of `path`: the folder itself, so that the run is named after it, or each file of a pattern."""
    made = []
    for uri, length in _files_below(session, path):
        copy = _mirror(folder, uri)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with open(copy, "wb") as file:
            file.truncate(length)
        origin[str(copy)] = uri
        made.append(str(copy))
    whole = _mirror(folder, path)
    return [str(whole)] if whole.exists() else made


def _files_below(session: SparkSession, path: str) -> Iterator[tuple[str, int]]:
    """Returns address and size of the files that match a path or a pattern, and of those below matching folders."""
    context: Any = session.sparkContext
    pattern = context._jvm.org.apache.hadoop.fs.Path(path)
    filesystem = pattern.getFileSystem(context._jsc.hadoopConfiguration())
    for found in filesystem.globStatus(pattern) or ():
        below = filesystem.listFiles(found.getPath(), True)
        while below.hasNext():
            status = below.next()
            yield status.getPath().toString(), status.getLen()


def _mirror(folder: Path, uri: str) -> Path:
    parts = urlsplit(uri)
    return folder / parts.scheme / parts.netloc / parts.path.strip("/")


# The work of a task: one file.

def _over_files(session: SparkSession, files: list[Listed], work: Callable[[Iterable[Any]], Batches], schema: str) -> DataFrame:
    """Calls `work` on each file with its path, and with its bytes if the program cannot read its filesystem. Returns the results."""
    here = [(each["file"], None if each["here"] else b"") for each in files if each["here"] or not each["file_bytes"]]
    fetched = [each["file"] for each in files if not each["here"] and each["file_bytes"]]     # Spark returns no row for empty ones
    parts = []
    if here:
        parts.append(session.createDataFrame(session.sparkContext.parallelize(here, len(here)), "path string, content binary"))
    if fetched:
        parts.append(session.read.format("binaryFile").load(fetched).select("path", "content"))
    return functools.reduce(lambda a, b: a.union(b), parts).mapInArrow(work, schema)


def _read_files(session: SparkSession, files: list[Listed]) -> DataFrame:
    """Returns the essentials of all files, as rows of KEPT."""
    given_up = [(number, 0, "ranks", *(each.get(name) for name in list(KEPT)[3:])) for number, each in enumerate(files) if each["error"]]
    rows = session.createDataFrame(given_up, _schema_text(KEPT))
    to_read = [each for each in files if not each["error"]]
    return rows.union(_over_files(session, to_read, functools.partial(_keep, files), _schema_text(KEPT))) if to_read else rows


@contextlib.contextmanager
def _local_copy(listed: Listed, content: Any) -> Iterator[str]:
    """Yields a local path of the file. A copy keeps the parts of the name that identify run and rank."""
    if listed["here"]:
        yield listed["here"]
        return
    with tempfile.TemporaryDirectory(prefix="snapviewer-fleet-") as name:
        path = _mirror(Path(name), listed["file"])
        path.parent.mkdir(parents=True)
        path.write_bytes(content.as_buffer())
        yield str(path)


def _each_local_copy(files: list[Listed], given: Iterable[pyarrow.RecordBatch]) -> Iterator[tuple[int, str]]:
    """Yields number and path of each file of a task, one at a time."""
    numbers = {each["file"]: number for number, each in enumerate(files)}
    for batch in given:
        for path, content in zip(batch.column("path").to_pylist(), batch.column("content")):
            with _local_copy(files[numbers[path]], content) as here:
                yield numbers[path], here


def _keep(files: list[Listed], given: Iterable[pyarrow.RecordBatch]) -> Batches:
    for number, here in _each_local_copy(files, given):
        for table, rows in _essentials_of(files[number], here):
            yield _wide_batch(number, table, rows)


def _essentials_of(listed: Listed, path: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    with tempfile.TemporaryDirectory(prefix="snapviewer-fleet-") as folder:
        database = f"{folder}/kept.db"
        done = _program.run(["fleet", "--totals", "--write", database, "--", path])
        complaint = done.stderr.strip().removeprefix("snapviewer: ")
        if done.returncode < 0:
            complaint = f"reading it was ended by signal {-done.returncode}, as happens where memory is short"
        elif done.returncode not in (0, BAD_FILE) or complaint.startswith(folder):
            raise ProgramError(complaint or f"snapviewer ended with status {done.returncode}")
        if done.returncode != 0:
            known = {name: listed.get(name) for name in COLUMNS["ranks"]}
            yield "ranks", [{**known, "error": complaint.removeprefix(f"{path}: ")}]
            return
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.row_factory = sqlite3.Row
            asked = {table: STACKS if table == "stacks" else f"SELECT * FROM {table} ORDER BY rowid" for table in TABLES}
            tables = {table: [dict(row) for row in connection.execute(sql)] for table, sql in asked.items()}
    _assign_ranks(listed, path, tables)
    yield from tables.items()


def _assign_ranks(listed: Listed, path: str, tables: dict[str, list[dict[str, Any]]]) -> None:
    """Adds facts that depend on the whole fleet: the run, and the rank if the file name does not contain it."""
    places = {}
    own_run = tables["ranks"][0]["run"]
    for row in tables["ranks"]:
        if row["file"] != path:
            continue        # from a fleet database that was summarized before
        place = row["run"], row["rank"], row["device"]
        row["file"], row["run"] = listed["file"], listed["run"] + row["run"].removeprefix(own_run)
        if row["rank_from"] == "order of names":
            row["rank"] = listed["rank"]
        places[place] = row["run"], row["rank"]
    for table, rows in tables.items():
        for row in rows if table != "ranks" else ():
            place = row["run"], row["rank"], row["device"]
            row["run"], row["rank"] = places.get(place, place[:2])


def _wide_batch(number: int, table: str, rows: list[dict[str, Any]]) -> pyarrow.RecordBatch:
    import pyarrow
    schema = arrow_schema(KEPT)
    fixed = {"file_no": [number] * len(rows), "row_no": list(range(len(rows))), "table": [table] * len(rows)}
    columns = [pyarrow.array(fixed.get(field.name) or [row.get(field.name) for row in rows], field.type) for field in schema]
    return pyarrow.record_batch(columns, schema=schema)


# Converting the rows of the files to the tables.

def _final_runs(session: SparkSession, kept: Path, files: list[Listed]) -> tuple[list[dict[str, Any]], list[tuple[Any, ...]]]:
    """Returns the rows of `ranks` under their final names, in the order of files, and (file_no, rank, device, run, final run) of those
    that changed. A second file of the same run, rank and device gets another run, as in the program's Fleet::add()."""
    rows = session.read.parquet(str(kept / "table=ranks")).orderBy("file_no", "row_no").collect()
    ranks: list[dict[str, Any]] = []
    renamed: list[tuple[Any, ...]] = []
    taken = set()
    for row in (each.asDict() for each in rows):
        if row["error"] is None:
            listed = files[row["file_no"]]
            run = base = listed["run"] if row["file"] == listed["file"] else row["run"]
            number = 1
            while (run, row["rank"], row["device"]) in taken:
                number += 1
                run = f"{base}#{number}"
            taken.add((run, row["rank"], row["device"]))
            if run != row["run"]:
                renamed.append((row["file_no"], row["rank"], row["device"], row["run"], run))
            row["run"] = run
        ranks.append(row)
    return ranks, renamed


def _table(session: SparkSession, kept: Path, table: str, renamed: list[tuple[Any, ...]]) -> DataFrame:
    from pyspark.sql import Window, functions
    folder = kept / f"table={table}"
    schema = _schema_text({name: kind for name, kind in KEPT.items() if name != "table"})
    rows = session.read.schema(schema).parquet(str(folder)) if folder.exists() else session.createDataFrame([], schema)
    if renamed:
        names = session.createDataFrame(renamed, "file_no long, rank long, device long, run string, final_run string")
        same = (rows["file_no"] == names["file_no"]) & (rows["rank"] == names["rank"]) & rows["device"].eqNullSafe(names["device"]) & \
               (rows["run"] == names["run"])
        rows = rows.join(functions.broadcast(names), same, "left").select(
            *(functions.coalesce(names["final_run"], rows["run"]).alias("run") if name == "run" else rows[name] for name in rows.columns))
    if table == "stacks":
        first = Window.partitionBy("run", "stack_key").orderBy("file_no", "row_no")
        rows = rows.withColumn("place", functions.row_number().over(first)).where("place = 1")
    return rows.select(*COLUMNS[table])


def _write_table(rows: DataFrame, table: str, folder: Path, ranks: list[dict[str, Any]]) -> None:
    """Writes the files of a table: one folder per run, or per run and rank, even if it has no rows."""
    import pyarrow.parquet
    rows.write.partitionBy(*partition(table)).parquet(str(folder))
    # Spark does not quote some characters that other programs quote in folder names.
    there = {unquote(str(part.relative_to(folder))) for part in folder.glob("/".join("*=*" for _ in partition(table)))}
    for values in sorted({tuple(row[name] for name in partition(table)) for row in ranks}):
        part = folder / part_folder(table, values)
        if unquote(str(part.relative_to(folder))) not in there:
            part.mkdir(parents=True)
            pyarrow.parquet.write_table(part_schema(table).empty_table(), part / "part-0.parquet", compression="zstd")


def _write_on_request(session: SparkSession, files: list[Listed], ranks: list[dict[str, Any]], folder: Path, also: tuple[str, ...]) -> None:
    places = places_by_file(ranks)
    readable = [each for each in files if each["file"] in places]
    smallest = min(readable, key=lambda each: int(each["file_bytes"]))
    for table in also:
        # The columns of a table are the same in every file.
        (columns,), = _over_files(session, [smallest], functools.partial(_describe, [smallest], places, table), "columns string").collect()
        rows = _over_files(session, readable, functools.partial(_placed, readable, places, table), columns)
        rows.write.partitionBy(*partition(table)).parquet(str(folder / table))


def _placed(files: list[Listed], places: dict[str, Places], table: str, given: Iterable[pyarrow.RecordBatch]) -> Batches:
    for number, here in _each_local_copy(files, given):
        with open_snapshot(here) as snapshot:
            yield from placed_batches(snapshot, table, places[files[number]["file"]])


def _describe(files: list[Listed], places: dict[str, Places], table: str, given: Iterable[pyarrow.RecordBatch]) -> Batches:
    """Returns the columns of these rows with Spark's names of their types."""
    import pyarrow
    names = {"int64": "long", "double": "double", "string": "string", "binary": "binary"}
    schema = next(_placed(files, places, table, given)).schema
    yield pyarrow.record_batch({"columns": [", ".join(f"`{field.name}` {names[str(field.type)]}" for field in schema)]})


def _write_database(folder: Path) -> None:
    """Writes the small summary from the dataset, some rows at a time."""
    import pyarrow.dataset
    with contextlib.closing(sqlite3.connect(folder / "fleet.db", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {FLEET_ID}")
        connection.execute("BEGIN")
        for table, columns in COLUMNS.items():
            connection.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")
            if table == "totals":
                continue
            parts = pyarrow.dataset.partitioning(pyarrow.schema([("run", pyarrow.string())]), flavor="hive")
            rows = pyarrow.dataset.dataset(folder / table, partitioning=parts)
            places = ", ".join("?" * len(columns))
            for batch in rows.to_batches(columns=list(columns)):
                connection.executemany(f"INSERT INTO {table} VALUES ({places})", zip(*(column.to_pylist() for column in batch.columns)))
        connection.execute("COMMIT")
