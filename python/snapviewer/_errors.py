"""What goes wrong, as exceptions."""
from __future__ import annotations


class Error(Exception):
    """The base of all exceptions of this module: `message` is a sentence that a user can act on."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class FileError(Error):
    """A file that cannot be opened. `offset` is the byte of the file where that was noticed, if there is one."""


class QueryError(Error):
    """SQL that is refused. `offset` is the byte of the SQL that it is about, if there is one."""


class ProgramError(Error):
    """The program `snapviewer`, which draws, is missing or could not do what it was asked for."""
