"""The tables of a fleet, as the program writes them (core/fleet/fleet_tables.h)."""
from __future__ import annotations

from typing import TYPE_CHECKING

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
    "totals": {**_PLACE, "step": "INTEGER", "time_us": "INTEGER", "allocated_bytes": "INTEGER", "reserved_bytes": "INTEGER"},
}
#: What a dataset holds, a folder each, with a part for each run.
TABLES = tuple(COLUMNS)
#: Tables of the single files that it also holds where they were asked for, with a part for each run and rank.
TABLES_ON_REQUEST = ("allocations", "events")


def arrow_schema(columns: dict[str, str]) -> pyarrow.Schema:
    import pyarrow
    types = {"INTEGER": pyarrow.int64(), "TEXT": pyarrow.string(), "REAL": pyarrow.float64()}
    return pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
