"""What a hostile file must come to."""
from dataclasses import dataclass


@dataclass
class Refused:
    """Status 1 and one line that says so much."""
    mentions: str = ""


@dataclass
class Opens:
    """It opens, and shows what is in it."""
    events: int = None
    peak: int = None   # of the device that has the largest
    finds: str = None  # what a code of the import log begins with
    view: str = None   # another picture that is drawn, too


@dataclass
class Either:
    """Damage of which a part may be left or not: anything but a crash, a hang or a file written."""
