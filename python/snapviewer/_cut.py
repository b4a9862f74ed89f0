"""Shortens answers for assistants to a limited number of bytes, with a sentence about omissions, and marks texts from files as data.

A marked text is enclosed in MARKS, so that an assistant does not take it for an instruction. Characters that are invisible, change
the direction of the text or end the mark are escaped.
"""
from __future__ import annotations

import json
import math
from typing import Any

MAX_NAMED = 5                 # omissions that the sentence lists
PLACE_CHARACTERS = 20         # maximum length of each name in the path of an omission
ROOM_TO_SAY_SO = 2000         # bytes reserved for that sentence
MIN_BYTES = 2 * ROOM_TO_SAY_SO
FIELDS_KEPT = 32              # maximum number of fields of an object; the program's answers have no more
LIST_LIMITS = (4096, 1024, 256, 64, 16, 4, 1)
CHARACTERS_PER_ITEM = 16      # with lists of N items, a text may have this many times N characters
MIN_CHARACTERS = 64
MARKS = "\u00ab\u00bb"
OWN_WORDS = ("kind", "code", "severity", "state", "unit", "by", "basis", "method")    # fields with values that the program chooses
NAMED_BY_FILES = ("roots", "tables")    # objects with field names from files


class _TooLong(Exception):
    pass


def shortened(text: str, most: int) -> str:
    """Returns the first `most` characters and the number of omitted ones."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most} more characters)"


class Own(str):
    """A text that the program chose; all other texts come from files."""


def escaped(text: str) -> str:
    """Replaces control characters, direction marks, lone surrogates and MARKS with escapes such as \\u202e."""
    return "".join(c if c.isprintable() and c not in MARKS else c.encode("unicode_escape").decode() for c in text)


def marked(text: str, most: int) -> str:
    """Returns the first `most` characters, marked as data of a file, and the number of omitted ones."""
    more = f"... ({len(text) - most} more characters)" if len(text) > most else ""
    return f"{MARKS[0]}{escaped(text[:most])}{MARKS[1]}{more}"


def plain_number(value: float) -> float | str:
    """Replaces infinities and NaN, which JSON cannot represent, with texts."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity" if value < 0 else "NaN"


def json_bytes(value: object) -> int:
    """Returns the length of a value as JSON with one item per line, as a server writes it."""
    return len(json.dumps(value, indent=2, ensure_ascii=False, default=str).encode(errors="replace"))


class _Cut:
    """Copies a value, limiting lists to `items` items and texts to `characters` characters, until `room` bytes are used up. Marks texts."""

    def __init__(self, items: int, characters: int, room: int) -> None:
        self._items = items
        self._characters = min(characters, max(MIN_CHARACTERS, items * CHARACTERS_PER_ITEM))
        self._room = room
        self.places: dict[str, str] = {}

    def _use(self, count: int) -> None:
        self._room -= count
        if self._room < 0:
            raise _TooLong

    def _tell(self, place: str, kept: int, total: int, of: str) -> None:
        self.places.setdefault(place or "the answer", f"{kept} of {total} {of}")

    def copy(self, value: Any, place: str = "", depth: int = 1, field: str = "") -> Any:
        """Copies a value of the field `field`, which is empty if its name comes from a file."""
        if isinstance(value, dict):
            most = max(self._items, FIELDS_KEPT)
            if len(value) > most:
                self._tell(place, most, len(value), "fields")
            copied = {}
            for _, (name, one) in zip(range(most), value.items()):
                is_own = field not in NAMED_BY_FILES or isinstance(name, Own)
                short = shortened(name, self._characters) if is_own else marked(name, self._characters)
                if len(name) > self._characters:
                    self._tell(place, self._characters, len(name), "characters of a name")
                self._use(json_bytes(short) + 2 * depth + len(",: \n"))
                inside = shortened(name, PLACE_CHARACTERS) if is_own else marked(name, PLACE_CHARACTERS)
                copied[short] = self.copy(one, f"{place}.{inside}" if place else inside, depth + 1, name if is_own else "")
            self._use(2 * depth + len("{}\n"))
            return copied
        if isinstance(value, (list, tuple)):
            if len(value) > self._items:
                self._tell(place, self._items, len(value), "entries")
            listed = []
            for one in value[:self._items]:
                self._use(2 * depth + len(",\n"))
                listed.append(self.copy(one, place, depth + 1, field))
            self._use(2 * depth + len("[]\n"))
            return listed
        if isinstance(value, float):
            value = plain_number(value)
        elif isinstance(value, str):
            if len(value) > self._characters:
                self._tell(place, self._characters, len(value), "characters")
            is_own = field in OWN_WORDS or isinstance(value, Own)
            value = shortened(value, self._characters) if is_own else marked(value, self._characters)
        self._use(json_bytes(value))
        return value


def cut(answer: Any, most_bytes: int, most_characters: int, instead: str) -> tuple[Any, str]:
    """Returns the answer with marked texts, and a sentence about omissions, which is empty if there are none. The longest lists and
    texts are cut if the answer as JSON has more than `most_bytes`, or a text more than `most_characters`. The sentence ends with
    `instead`, which says how to ask for less."""
    for items in LIST_LIMITS:
        attempt = _Cut(items, most_characters, most_bytes - ROOM_TO_SAY_SO)
        try:
            copied = attempt.copy(answer)
        except (_TooLong, RecursionError):
            continue
        if not attempt.places:
            return copied, ""
        named = [f"{place} ({kept})" for place, kept in attempt.places.items()][:MAX_NAMED]
        more = len(attempt.places) - len(named)
        return copied, (f"Cut to {most_bytes} bytes; what is left: {', '.join(named)}{f' and of {more} more places less than all' if more else ''}. "
                        f"{instead}")
    return type(answer)(), f"Cut to {most_bytes} bytes, of which nothing was short enough to be left. {instead}"
