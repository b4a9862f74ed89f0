"""Writes the allocations and events of single files, on request: one file per run, rank and device."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snapviewer._errors import Error
from snapviewer._snapshot import Snapshot, open
from snapviewer.fleet._tables import part_folder

if TYPE_CHECKING:
    import pyarrow

# Estimated bytes of memory per byte of a file, as in the program (core/fleet/fleet_reader.cpp).
MEMORY_PER_BYTE = 3
# Stack ids are unique only within a file, so ranks are joined by the stack key.
SQL = "SELECT t.*, s.key AS stack_key FROM {table} t LEFT JOIN stacks s ON s.id = t.stack_id WHERE t.device = :device"

#: The rows to write for a file: the run, rank and device of each of its rows in `ranks`.
Places = list[tuple[str, int, int]]


def places_by_file(ranks: Iterable[dict[str, Any]]) -> dict[str, Places]:
    """Groups the rows of `ranks` by file. Raises Error if a file has the same device twice, because it merges several ranks."""
    found: dict[str, Places] = {}
    for row in ranks:
        if row["error"] is None:
            found.setdefault(row["file"], []).append((row["run"], row["rank"], row["device"]))
    for file, places in found.items():
        if len({device for _, _, device in places}) < len(places):
            raise Error(f"{file}: the same device occurs on several ranks, so their allocations and events cannot be told apart")
    return found


def batches(snapshot: Snapshot, table: str, device: int) -> pyarrow.RecordBatchReader:
    """Yields the rows of one device, some thousand at a time."""
    import pyarrow
    return pyarrow.RecordBatchReader.from_stream(snapshot.query(SQL.format(table=table), device=device))


def write_parts(folder: Path, ranks: list[dict[str, Any]], tables: Iterable[str]) -> None:
    """Reads each file once more, in parallel as far as processors and memory allow."""
    wanted = tuple(tables)
    largest = max((row["file_bytes"] for row in ranks), default=1) or 1
    free_bytes = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    workers = max(1, min(os.cpu_count() or 1, free_bytes // (MEMORY_PER_BYTE * largest)))
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda each: _write_file(folder, each[0], each[1], wanted), places_by_file(ranks).items()))


def _write_file(folder: Path, file: str, places: Places, tables: tuple[str, ...]) -> None:
    with open(file) as snapshot:
        for table in tables:
            for run, rank, device in places:
                part = folder / table / part_folder(table, (run, rank))
                part.mkdir(parents=True, exist_ok=True)
                _write(part / f"device-{device}.parquet", batches(snapshot, table, device))


def _write(path: Path, rows: pyarrow.RecordBatchReader) -> None:
    import pyarrow.parquet
    with pyarrow.parquet.ParquetWriter(path, rows.schema, compression="zstd") as writer:
        for batch in rows:
            writer.write_batch(batch)


def placed_batches(snapshot: Snapshot, table: str, places: Places) -> Iterator[pyarrow.RecordBatch]:
    """Yields the rows of all devices, with the run and the rank as the first columns."""
    import pyarrow
    for run, rank, device in places:
        for batch in batches(snapshot, table, device):
            names = ["run", "rank", *batch.schema.names]
            front = [pyarrow.repeat(run, batch.num_rows), pyarrow.repeat(pyarrow.scalar(rank, pyarrow.int64()), batch.num_rows)]
            yield pyarrow.RecordBatch.from_arrays([*front, *batch.columns], names=names)
