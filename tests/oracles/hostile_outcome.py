"""Expected outcomes of hostile files."""
from dataclasses import dataclass


@dataclass
class Refused:
    """The program exits with status 1 and a message of one line."""
    mentions: str = ""


@dataclass
class Opens:
    """The file opens, and its content is shown."""
    events: int = None
    peak: int = None   # of the device with the highest peak
    finds: str = None  # beginning of a code of the import log
    view: str = None   # another view that is also drawn


@dataclass
class Either:
    """Damage that may be detected or not: the program must not crash, hang or write a file."""
