"""The tables of a fleet, as the program writes them (core/fleet/fleet.h)."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    import pyarrow

_PLACE = {"run": "TEXT", "rank": "INTEGER", "device": "INTEGER"}
#: Columns and their types by table.
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
#: What a dataset holds, a folder each.
TABLES = tuple(COLUMNS)
#: Tables of the single files that it also holds where they were asked for.
TABLES_ON_REQUEST = ("allocations", "events")


def partition(table: str) -> tuple[str, ...]:
    """The columns that the folders of a table tell, a part for each of their values: large tables have one for each rank."""
    return ("run", "rank") if table in ("totals", *TABLES_ON_REQUEST) else ("run",)


def part_schema(table: str) -> pyarrow.Schema:
    """What a part of it holds: its columns without those that folders tell."""
    return arrow_schema({name: kind for name, kind in COLUMNS[table].items() if name not in partition(table)})


def part_folder(table: str, values: Iterable[object]) -> str:
    """Of the part with these values, below that of the table, as Hive names it."""
    return "/".join(f"{name}={quote(str(value), safe='')}" for name, value in zip(partition(table), values))


def arrow_schema(columns: dict[str, str]) -> pyarrow.Schema:
    import pyarrow
    types = {"INTEGER": pyarrow.int64(), "TEXT": pyarrow.string(), "REAL": pyarrow.float64()}
    return pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
