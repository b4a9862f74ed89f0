"""The tables of a fleet, as the program writes them (core/fleet/fleet.h)."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    import pyarrow

_PLACE = {"run": "TEXT", "rank": "INTEGER", "device": "INTEGER"}
#: Maps each table to its columns and their types.
COLUMNS: dict[str, dict[str, str]] = {
    "ranks": {"run": "TEXT", "rank": "INTEGER", "host": "TEXT", "device": "INTEGER", "file": "TEXT", "file_bytes": "INTEGER",
              "events": "INTEGER", "peak_bytes": "INTEGER", "peak_step": "INTEGER", "peak_time_us": "INTEGER",
              "reserved_peak_bytes": "INTEGER", "capacity_bytes": "INTEGER", "oom_cause": "TEXT", "wrapped": "INTEGER",
              "settings_json": "TEXT", "error": "TEXT", "rank_from": "TEXT"},
    "peak_stacks": {**_PLACE, "stack_key": "TEXT", "bytes": "INTEGER", "count": "INTEGER"},
    "step_stacks": {**_PLACE, "training_step": "INTEGER", "stack_key": "TEXT", "allocated_bytes": "INTEGER", "left_bytes": "INTEGER"},
    "stacks": {"run": "TEXT", "stack_key": "TEXT", "text": "TEXT", "top_frame": "TEXT"},
    "growth": {**_PLACE, "stack_key": "TEXT", "source": "TEXT", "state": "TEXT", "slope": "REAL", "grown_bytes": "INTEGER"},
    "totals": {**_PLACE, "step": "INTEGER", "time_us": "INTEGER", "allocated_bytes": "INTEGER", "reserved_bytes": "INTEGER",
               "training_step": "INTEGER"},
    "peak_modules": {**_PLACE, "module": "TEXT", "bytes": "INTEGER", "count": "INTEGER"},
}
#: The tables of every dataset; each has a folder.
TABLES = tuple(COLUMNS)
#: Tables of the single files that a dataset has only on request.
TABLES_ON_REQUEST = ("allocations", "events")


def partition(table: str) -> tuple[str, ...]:
    """The columns that are encoded in the names of a table's folders, with one folder per value. Large tables have one folder per rank."""
    return ("run", "rank") if table in ("totals", *TABLES_ON_REQUEST) else ("run",)


def part_schema(table: str) -> pyarrow.Schema:
    """Returns the columns of a table's files, without those that are encoded in folder names."""
    return arrow_schema({name: kind for name, kind in COLUMNS[table].items() if name not in partition(table)})


def part_folder(table: str, values: Iterable[object]) -> str:
    """Returns the path of the folder with these values, relative to that of the table, in Hive's naming."""
    return "/".join(f"{name}={quote(str(value), safe='')}" for name, value in zip(partition(table), values))


def arrow_schema(columns: dict[str, str]) -> pyarrow.Schema:
    import pyarrow
    types = {"INTEGER": pyarrow.int64(), "TEXT": pyarrow.string(), "REAL": pyarrow.float64()}
    return pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
