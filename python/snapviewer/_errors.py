"""The exceptions of this module."""
from __future__ import annotations


class Error(Exception):
    """The base class of this module's exceptions. `message` is a sentence that a user can act on."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class FileError(Error):
    """A file cannot be opened. `offset` is the position in bytes of the problem in the file, if known."""


class QueryError(Error):
    """A query is refused. `offset` is the position in bytes of the problem in the SQL, if known."""


class ProgramError(Error):
    """The program `snapviewer`, which draws pictures and checks limits, is missing or failed."""
