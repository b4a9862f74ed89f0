"""Writes the files of one recorder: each file is written completely or not at all, no file of another program is replaced, and the
oldest files are removed to make room for newer ones."""
from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

MAX_PART = 64       # maximum length of each part of a file name
ABOUT = ".about.json"
SERIES = "series"   # the folder of the small snapshots, a subfolder of the recorder's folder


def file_name_part(text: str) -> str:
    """Makes a text from outside usable in a file name: without folders, blanks, or a dot at its beginning."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", text).strip("._-")[:MAX_PART]


def suffix_of(why: str, number: int) -> str:
    """Returns the end of a file name. The numbers of a series have leading zeros, so that names sort by time."""
    if why == "end":
        return ""
    return f"_series{number:06}" if why == SERIES else f"_{why}{number}"


@dataclass(frozen=True)
class Written:
    """A file that was written. Its identity shows whether another file has replaced it."""
    path: Path
    size_bytes: int
    identity: tuple[int, ...]


@dataclass
class Dump:
    why: str
    files: list[Written]   # the snapshot, then its file of facts


class OwnFiles:
    """The snapshots of one recorder that still exist, oldest first. Never touches other files."""

    def __init__(self, folder: Path, keep: int, disk_bytes: Optional[int]) -> None:
        self.folder = folder
        self._keep = keep
        self._disk_bytes = disk_bytes
        self._dumps: list[Dump] = []
        self._bytes = 0

    def count(self, why: str) -> int:
        return sum(dump.why == why for dump in self._dumps)

    def snapshots(self) -> list[Path]:
        """Returns the paths of all snapshots but those of the series."""
        return [dump.files[0].path for dump in self._dumps if dump.why != SERIES]

    def write(self, why: str, name: str, fill: Callable[[Path], object]) -> Dump:
        """Writes a snapshot: calls `fill` with a temporary path, then renames the file."""
        folder = self.folder / SERIES if why == SERIES else self.folder
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = _new_file(folder, name)
        try:
            fill(unfinished)
            dump = Dump(why, [])
            self._add(dump, _put_in_place(unfinished, folder, name, ".pickle"))
        finally:
            unfinished.unlink(missing_ok=True)
        self._dumps.append(dump)
        return dump

    def describe(self, dump: Dump, facts: dict[str, Any]) -> None:
        """Writes the file of facts beside the snapshot. Raises FileExistsError if another program has created that file meanwhile."""
        path = dump.files[0].path.with_suffix(ABOUT)
        unfinished = _new_file(path.parent, path.name)
        try:
            unfinished.write_text(_as_json(facts), encoding="utf-8")
            _put_at(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
        self._add(dump, path)

    def describe_failure(self, name: str, facts: dict[str, Any]) -> None:
        """Writes the facts about a snapshot that could not be written."""
        unfinished = _new_file(self.folder, name)
        try:
            unfinished.write_text(_as_json(facts), encoding="utf-8")
            _put_in_place(unfinished, self.folder, f"{name}_failed", ABOUT)
        finally:
            unfinished.unlink(missing_ok=True)

    def make_room(self) -> None:
        """Removes the oldest snapshots beyond `keep` of a kind, then the oldest of all until the rest fit into `disk_bytes`. Never
        removes the newest one."""
        for dump in self._dumps[:-1]:
            if dump.why != SERIES and self.count(dump.why) > self._keep:
                self._remove(dump)
        while self._disk_bytes is not None and len(self._dumps) > 1 and self._bytes > self._disk_bytes:
            self._remove(self._dumps[0])

    def _add(self, dump: Dump, path: Path) -> None:
        file = Written(path, path.lstat().st_size, _identity(path))
        dump.files.append(file)
        self._bytes += file.size_bytes

    def _remove(self, dump: Dump) -> None:
        self._dumps.remove(dump)
        for file in dump.files:
            self._bytes -= file.size_bytes
            try:
                if _identity(file.path) == file.identity:
                    file.path.unlink()
            except FileNotFoundError:
                pass


def _as_json(facts: dict[str, Any]) -> str:
    return re.sub("[\ud800-\udfff]", _escaped, json.dumps(facts, indent=1, ensure_ascii=False, default=str)) + "\n"


def _escaped(lone: re.Match[str]) -> str:
    """Escapes a byte that is not UTF-8, such as \\\\xff, as text in JSON. Python keeps such bytes of environment variables and paths as
    lone surrogates."""
    code = ord(lone[0])
    return rf"\\x{code - 0xdc00:02x}" if 0xdc80 <= code <= 0xdcff else rf"\\u{code:04x}"


def _identity(path: Path) -> tuple[int, ...]:
    """Identifies a file. Includes the modification time, because a file system reuses inode numbers."""
    status = path.lstat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _new_file(folder: Path, name: str) -> Path:
    """Creates an empty temporary file with a random name, so that nobody can have placed a link or file there."""
    while True:
        path = folder / f".{name}.{secrets.token_hex(8)}.part"
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o666))
            return path
        except FileExistsError:
            pass


def _put_in_place(unfinished: Path, folder: Path, name: str, ending: str) -> Path:
    """Moves the file to the first free name that has no facts of another snapshot beside it. Safe while other ranks do so
    for the same name."""
    number = 1
    while True:
        path = folder / (f"{name}{ending}" if number == 1 else f"{name}_run{number}{ending}")
        if not os.path.lexists(folder / (path.name.removesuffix(ending) + ABOUT)):
            with contextlib.suppress(FileExistsError):
                _put_at(unfinished, path)
                return path
        number += 1


def _put_at(unfinished: Path, path: Path) -> None:
    """Moves a file without replacing another. Raises FileExistsError if `path` exists."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:   # for file systems without hard links
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        unfinished.replace(path)
