"""`snapviewer-mcp`: the module's answers as tools for assistants, over stdio. Files stay open, so that a second question costs milliseconds.

An assistant asks for what it is told to, also by a text in a file. So it reaches the files of one folder alone, and no answer is longer than
somebody wants to pay for.
"""
from __future__ import annotations

import argparse
import functools
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

try:
    from typing import ParamSpec    # of Python 3.10, which mcp needs, too

    from mcp.server.mcpserver import Image, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as missing:
    raise SystemExit("snapviewer-mcp needs the package mcp, 2 or newer, which is not installed: pip install 'snapviewer[mcp]'") from missing

import snapviewer as sv
from snapviewer._cut import LEAST_BYTES, ROOM_TO_SAY_SO, cut, json_bytes, shortened

FILES_KEPT_OPEN = 4
MOST_ROWS = 1000
MOST_SECONDS = 30.0
MOST_BYTES = 64 << 10
TEXTS_A_PICTURE = 32            # a picture may have as many times the bytes of a text
VALUES_A_ROW = 8                # a text of a row may take an eighth of an answer
INSTRUCTIONS = """Answers about snapshots of GPU memory (PyTorch's _dump_snapshot) and databases of memory profilers.
Begin with open_file, then findings: they say in sentences why memory ran out, what grows and what holds the peak. query answers anything else in SQL.
Files lie in the folder that the server was started for; a relative path begins there. An answer that would be too long is cut and says so."""

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

server = MCPServer("snapviewer", instructions=INSTRUCTIONS)
_lock = threading.Lock()
_open: OrderedDict[tuple[str, int, int], sv.Snapshot] = OrderedDict()


@dataclass
class Served:
    """What the server was started for."""

    root: str = os.path.realpath(os.curdir)
    most_bytes: int = MOST_BYTES


_served = Served()


def _is_inside(path: str) -> bool:
    """Whether what a path leads to, all links followed, lies in the folder that is served."""
    return os.path.commonpath([_served.root, os.path.realpath(path)]) == _served.root


def _allowed(path: str) -> str:
    """The path with all links followed. A folder is read file by file, so each of them has to lie inside as well."""
    real = os.path.realpath(os.path.join(_served.root, os.path.expanduser(path)))
    if not _is_inside(real):
        raise ValueError(f"{path} is outside {_served.root}, the folder that this server was started for; files elsewhere are refused. "
                         "snapviewer-mcp --root FOLDER starts it for another one")
    if os.path.isdir(real):
        with os.scandir(real) as entries:
            outside = next((entry.name for entry in entries if not _is_inside(entry.path)), None)
        if outside is not None:
            raise ValueError(f"{path} holds {outside}, a link that leads outside {_served.root}, the folder that this server was started for")
    return real


def _snapshot(path: str) -> sv.Snapshot:
    """The file, opened once for as long as it stays the same."""
    path = _allowed(path)
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
            raise ToolError(shortened(str(error), _served.most_bytes // 2)) from error
    return told


def _fitting(answer: dict[str, Any], instead: str) -> dict[str, Any]:
    """An answer that is not too long, or what is left of it, with a sentence "cut" on what is not."""
    kept, was_cut = cut(answer, _served.most_bytes, instead)
    return {**kept, "cut": was_cut} if was_cut else answer


def _plain(value: sv.Value, most: int) -> sv.Value:
    """A value as JSON can have it, not too long."""
    if isinstance(value, bytes):
        return value[:most].hex()
    return shortened(value, most) if isinstance(value, str) else value


def _first_rows(result: sv.Result, limit: int) -> dict[str, Any]:
    """As many rows as were asked for and fit."""
    rows: list[list[sv.Value]] = []
    answer: dict[str, Any] = {"columns": list(result.columns), "rows": rows, "has_more": False}
    room = _served.most_bytes - ROOM_TO_SAY_SO - json_bytes(answer)
    if room < 0:
        raise ValueError(f"the names of the {len(result.columns)} columns alone are longer than an answer may be; select fewer columns, or give them shorter names with AS")
    most_characters = _served.most_bytes // VALUES_A_ROW
    said = set()
    for row in result:
        if len(rows) == limit:
            answer["has_more"] = True
            break
        if any(isinstance(value, (str, bytes)) and len(value) > most_characters for value in row):
            said.add(f"Texts longer than {most_characters} characters are cut there: substr(TEXT, {most_characters + 1}, 1000) gives what follows.")
        values = [_plain(value, most_characters) for value in row]
        room -= json_bytes([values])
        if room < 0:
            answer["has_more"] = True
            said.add(f"Cut to {_served.most_bytes} bytes, of which {len(rows)} rows were left: select fewer columns, substr(TEXT, 1, 100) of long "
                     f"texts, or sums; OFFSET {len(rows)} goes on.")
            break
        rows.append(values)
    return {**answer, "cut": " ".join(sorted(said))} if said else answer


@server.tool()
@telling
def open_file(path: str) -> dict[str, Any]:
    """Opens a snapshot of GPU memory and describes it: its kind, each device with its peak in bytes, each time memory ran out
    ("oom"), what was odd in the file, and the SQL tables for `query` with the names of their columns. Do this first."""
    snapshot = _snapshot(path)
    tables = {table["name"]: [column["name"] for column in table["columns"]] for table in snapshot.tables()}
    return _fitting({**snapshot.info(), "tables": tables},
                    "In query, pragma_table_list and pragma_table_info('TABLE') name all tables and columns, and import_log has what was odd.")


@server.tool()
@telling
def findings(path: str) -> list[dict[str, Any]]:
    """What matters in a file, most severe first: why memory ran out (codes beginning with "oom"), what grows from one training step to the
    next ("leak"), what holds the peak, what is idle. Each has a "sentence" for people, mostly a "hint", "bytes", and "sql" that shows
    more of it by `query`."""
    found: list[dict[str, Any]]
    found, was_cut = cut(_snapshot(path).findings(), _served.most_bytes, "The sql of each finding shows all of it by query.")
    return [*found, {"code": "cut", "sentence": was_cut}] if was_cut else found


@server.tool()
@telling
def query(path: str, sql: str, limit: int = 100) -> dict[str, Any]:
    """Runs one SELECT statement of SQLite on the tables that open_file names, read-only. `allocations` has one row per allocation: size in
    bytes, alloc_step and free_step (NULL if never freed), stack_id into `stacks` (text). human(bytes) writes a size with its unit. Returns
    "columns", at most `limit` "rows" (1000 at most), and "has_more"; if the answer was too long, also "cut", which says how to go on."""
    if not 1 <= limit <= MOST_ROWS:
        raise ValueError(f"limit is {limit}, but must be from 1 to {MOST_ROWS}")
    return _first_rows(_snapshot(path).query(sql, max_seconds=MOST_SECONDS), limit)


@server.tool()
@telling
def compare(a: str, b: str) -> dict[str, Any]:
    """Why the peak of file `b` is higher or lower than that of file `a`: "delta" in bytes, and the stacks that make the difference."""
    return _fitting(sv.compare(_allowed(a), _allowed(b)), "query on each of the files tells the sums of single stacks.")


@server.tool()
@telling
def picture(path: str, view: str | None = None, device: int | None = None, width: int = 1600, height: int = 900) -> Image:
    """The allocations of a device over time as a PNG picture: steps from left to right, bytes upwards, each polygon is an allocation. `view` is
    X0:X1 in steps, or X0:X1,Y0:Y1 with bytes; by default everything."""
    data = _snapshot(path).picture(view=view, device=device, size=(width, height))
    most_bytes = _served.most_bytes * TEXTS_A_PICTURE
    if len(data) > most_bytes:
        raise ValueError(f"the picture has {len(data)} bytes, more than the {most_bytes} allowed: "
                         f"ask for less than {width} x {height} pixels, or for a part by view")
    return Image(data=data, format="png")


def _folder(text: str) -> str:
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return os.path.realpath(text)


def _bytes(text: str) -> int:
    if not text.isdecimal() or int(text) < LEAST_BYTES:
        raise argparse.ArgumentTypeError(f"{text} is not a number of bytes from {LEAST_BYTES} on")
    return int(text)


def main() -> None:
    """The command snapviewer-mcp."""
    global _served
    line = argparse.ArgumentParser("snapviewer-mcp", description="Answers questions about snapshots of GPU memory, as tools for assistants, over stdio.")
    line.add_argument("--root", metavar="FOLDER", type=_folder, default=_served.root,
                      help="the folder whose files, including those in subfolders, can be opened; all others are refused, also those that a link in it leads to "
                           "them. The working directory unless given")
    line.add_argument("--max-bytes", metavar="N", type=_bytes, default=MOST_BYTES,
                      help=f"how many bytes of text an answer may have, and a picture {TEXTS_A_PICTURE} times that; an answer that is cut says so. {MOST_BYTES} "
                           "unless given")
    options = line.parse_args()
    _served = Served(options.root, options.max_bytes)
    server.run("stdio")


if __name__ == "__main__":
    main()
