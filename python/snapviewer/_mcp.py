"""`snapviewer-mcp`: the module's answers as tools for assistants, over stdio. Files stay open, so that a second question costs milliseconds."""
from __future__ import annotations

import functools
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

try:
    from typing import ParamSpec    # of Python 3.10, which mcp needs, too

    from mcp.server.mcpserver import Image, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as missing:
    raise SystemExit("snapviewer-mcp needs the package mcp, 2 or newer, which is not installed: pip install 'snapviewer[mcp]'") from missing

import snapviewer as sv

FILES_KEPT_OPEN = 4
MOST_ROWS = 1000
MOST_SECONDS = 30.0
INSTRUCTIONS = """Answers about snapshots of GPU memory (PyTorch's _dump_snapshot) and databases of memory profilers.
Begin with open_file, then findings: they say in sentences why memory ran out, what grows and what holds the peak. query answers anything else in SQL."""

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

server = MCPServer("snapviewer", instructions=INSTRUCTIONS)
_lock = threading.Lock()
_open: OrderedDict[tuple[str, int, int], sv.Snapshot] = OrderedDict()


def _snapshot(path: str) -> sv.Snapshot:
    """The file, opened once for as long as it stays the same."""
    path = os.path.realpath(os.path.expanduser(path))
    status = os.stat(path)
    key = (path, status.st_mtime_ns, status.st_size)
    with _lock:
        if key not in _open:
            snapshot = sv.open(path)
            for other in [other for other in _open if other[0] == path]:
                _open.pop(other).close()
            _open[key] = snapshot
            if len(_open) > FILES_KEPT_OPEN:
                _open.popitem(last=False)[1].close()
        _open.move_to_end(key)
        return _open[key]


def telling(tool: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """A tool whose errors reach the assistant as sentences: others are kept from it."""
    @functools.wraps(tool)
    def told(*arguments: Parameters.args, **named: Parameters.kwargs) -> Answer:
        try:
            return tool(*arguments, **named)
        except (sv.Error, OSError, ValueError) as error:
            raise ToolError(str(error)) from error
    return told


@server.tool()
@telling
def open_file(path: str) -> dict[str, Any]:
    """Opens a snapshot of GPU memory and says what it holds: its kind, each device with its peak in bytes, each time that memory ran out
    ("oom"), what was odd in the file, and the SQL tables for `query` with the names of their columns. Do this first."""
    snapshot = _snapshot(path)
    tables = {table["name"]: [column["name"] for column in table["columns"]] for table in snapshot.tables()}
    return {**snapshot.info(), "tables": tables}


@server.tool()
@telling
def findings(path: str) -> list[dict[str, Any]]:
    """What matters in a file, most severe first: why memory ran out (codes beginning with "oom"), what grows from one training step to the
    next ("leak"), what holds the peak, what lies idle. Each has a "sentence" for people, mostly a "hint", "bytes", and "sql" that shows
    more of it by `query`."""
    return _snapshot(path).findings()


@server.tool()
@telling
def query(path: str, sql: str, limit: int = 100) -> dict[str, Any]:
    """Runs one SELECT statement of SQLite on the tables that open_file names, read-only. `allocations` has a row for each allocation: size in
    bytes, alloc_step and free_step (NULL if never freed), stack_id into `stacks` (text). human(bytes) writes a size with its unit. Returns
    "columns", at most `limit` "rows" (1000 at most), and "has_more"."""
    if not 1 <= limit <= MOST_ROWS:
        raise ValueError(f"limit is {limit}: it is from 1 to {MOST_ROWS}")
    result = _snapshot(path).query(sql, max_seconds=MOST_SECONDS)
    rows: list[list[sv.Value]] = []
    has_more = False
    for row in result:
        has_more = len(rows) == limit
        if has_more:
            break
        rows.append([value.hex() if isinstance(value, bytes) else value for value in row])
    return {"columns": list(result.columns), "rows": rows, "has_more": has_more}


@server.tool()
@telling
def compare(a: str, b: str) -> dict[str, Any]:
    """Why the peak of file `b` is higher or lower than that of file `a`: "delta" in bytes, and the stacks that make the difference."""
    return sv.compare(a, b)


@server.tool()
@telling
def picture(path: str, view: str | None = None, device: int | None = None, width: int = 1600, height: int = 900) -> Image:
    """The allocations of a device over time as a PNG picture: across are steps, upwards are bytes, each polygon is an allocation. `view` is
    X0:X1 in steps, or X0:X1,Y0:Y1 with bytes; all of it unless given."""
    return Image(data=_snapshot(path).picture(view=view, device=device, size=(width, height)), format="png")


def main() -> None:
    """The command snapviewer-mcp."""
    server.run("stdio")


if __name__ == "__main__":
    main()
