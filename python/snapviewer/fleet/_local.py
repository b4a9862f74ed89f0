"""The engine for one machine: the program reads the files, and pyarrow writes the dataset."""
from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snapviewer import _program
from snapviewer._errors import FileError, ProgramError
from snapviewer.fleet._rows import write_parts
from snapviewer.fleet._tables import TABLES, part_folder, part_schema, partition

BAD_FILE = 1
ROWS_PER_BATCH = 65536


def read(paths: list[str], folder: Path, max_file: str | None, also: tuple[str, ...]) -> None:
    """Writes the dataset into `folder`, which must exist and be empty."""
    database = folder / "fleet.db"
    command = ["fleet", "--totals", "--write", str(database)] + (["--max-file", max_file] if max_file else [])
    # "--", because a path may begin with a dash.
    done = _program.run([*command, "--", *paths])
    complaint = done.stderr.strip().removeprefix("snapviewer: ")
    if done.returncode == BAD_FILE:
        raise FileError(complaint)
    if done.returncode != 0:
        raise ProgramError(complaint or f"snapviewer ended with status {done.returncode}")
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for table in TABLES:
            _write_parquet(connection, table, folder / table)
        if also:
            connection.row_factory = sqlite3.Row
            write_parts(folder, [dict(row) for row in connection.execute("SELECT * FROM ranks ORDER BY rowid")], also)
        # These tables are most of the data, and the database should be small.
        connection.execute("DELETE FROM totals")
        connection.execute("VACUUM")


def _write_parquet(connection: sqlite3.Connection, table: str, folder: Path) -> None:
    """Writes the files of a table: one folder per run, or per run and rank."""
    import pyarrow
    import pyarrow.parquet
    schema = part_schema(table)
    places = ", ".join(partition(table))
    # Without the index, each folder would need a scan of the whole table.
    connection.execute(f"CREATE INDEX of_parts ON {table} ({places})")
    for values in connection.execute(f"SELECT DISTINCT {places} FROM ranks ORDER BY {places}").fetchall():
        part = folder / part_folder(table, values)
        part.mkdir(parents=True)
        rows = connection.execute(f"SELECT {', '.join(schema.names)} FROM {table} WHERE ({places}) = "
                                  f"({', '.join('?' * len(values))}) ORDER BY rowid", values)
        with pyarrow.parquet.ParquetWriter(part / "part-0.parquet", schema, compression="zstd") as writer:
            for batch in _batches(rows):
                columns = [pyarrow.array(column, field.type) for column, field in zip(zip(*batch), schema)]
                writer.write_batch(pyarrow.record_batch(columns, schema=schema))
    connection.execute("DROP INDEX of_parts")


def _batches(rows: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    while batch := rows.fetchmany(ROWS_PER_BATCH):
        yield batch
