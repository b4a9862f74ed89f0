"""The exceptions of this module."""
from __future__ import annotations


class Error(Exception):
    """The base of all exceptions of this module: `message` is a sentence that a user can act on."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class FileError(Error):
    """A file that cannot be opened. `offset` is the byte of the file where the problem was found, if known."""


class QueryError(Error):
    """SQL that is refused. `offset` is the byte of the SQL where the problem is, if known."""


class ProgramError(Error):
    """The program `snapviewer`, which does the drawing, is missing or failed."""
