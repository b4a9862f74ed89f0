"""Answers for assistants: of a limited number of bytes, with a sentence on what was cut, and with texts from files marked as data.

A marked text stands between MARKS, so that an assistant does not take it for an instruction. Characters that would be invisible, change the
direction of the text or end the mark are escaped.
"""
from __future__ import annotations

import json
import math
from typing import Any

MOST_NAMED = 5                # places that an answer says it was cut at
PLACE_CHARACTERS = 20         # of each name on the way to such a place
ROOM_TO_SAY_SO = 2000         # bytes
LEAST_BYTES = 2 * ROOM_TO_SAY_SO
FIELDS_KEPT = 32              # of an object, however little room there is: ours have no more
LISTS_OF = (4096, 1024, 256, 64, 16, 4, 1)
CHARACTERS_AN_ITEM = 16       # a text may have as many for each item of a list
LEAST_CHARACTERS = 64
MARKS = "\u00ab\u00bb"
OWN_WORDS = ("kind", "code", "severity", "state", "unit", "by", "basis", "method")    # fields whose values the program chooses
NAMED_BY_FILES = ("roots", "tables")    # objects whose fields have names from files


class _TooLong(Exception):
    pass


def shortened(text: str, most: int) -> str:
    """The first `most` characters, and how many there are besides."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most} more characters)"


class Own(str):
    """A text that the program chose, where others come from files."""


def escaped(text: str) -> str:
    """Without control characters, direction marks, lone surrogates and MARKS, which become escapes such as \\u202e."""
    return "".join(c if c.isprintable() and c not in MARKS else c.encode("unicode_escape").decode() for c in text)


def marked(text: str, most: int) -> str:
    """The first `most` characters, marked as data of a file, and how many there are besides."""
    more = f"... ({len(text) - most} more characters)" if len(text) > most else ""
    return f"{MARKS[0]}{escaped(text[:most])}{MARKS[1]}{more}"


def plain_number(value: float) -> float | str:
    """JSON has no number for infinity."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity" if value < 0 else "NaN"


def json_bytes(value: object) -> int:
    """How long a value is that stands by itself, as a server writes it: a line an item."""
    return len(json.dumps(value, indent=2, ensure_ascii=False, default=str).encode(errors="replace"))


class _Cut:
    """Copies a value with no list longer than `items` and no text longer than `characters`, until `room` bytes are used up. Marks texts."""

    def __init__(self, items: int, characters: int, room: int) -> None:
        self._items = items
        self._characters = min(characters, max(LEAST_CHARACTERS, items * CHARACTERS_AN_ITEM))
        self._room = room
        self.places: dict[str, str] = {}

    def _use(self, count: int) -> None:
        self._room -= count
        if self._room < 0:
            raise _TooLong

    def _tell(self, place: str, kept: int, total: int, of: str) -> None:
        self.places.setdefault(place or "the answer", f"{kept} of {total} {of}")

    def copy(self, value: Any, place: str = "", depth: int = 1, field: str = "") -> Any:
        """`field` is the name of the field that holds the value, empty if it comes from a file."""
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
    """The answer, its texts marked, and its longest lists and texts cut where it would take more than `most_bytes` as JSON, or a text is longer
    than `most_characters`. And a sentence on what was cut; empty where nothing was. `instead` says how to ask for less."""
    for items in LISTS_OF:
        attempt = _Cut(items, most_characters, most_bytes - ROOM_TO_SAY_SO)
        try:
            copied = attempt.copy(answer)
        except (_TooLong, RecursionError):
            continue
        if not attempt.places:
            return copied, ""
        named = [f"{place} ({kept})" for place, kept in attempt.places.items()][:MOST_NAMED]
        more = len(attempt.places) - len(named)
        return copied, (f"Cut to {most_bytes} bytes; what is left: {', '.join(named)}{f' and of {more} more places less than all' if more else ''}. "
                        f"{instead}")
    return type(answer)(), f"Cut to {most_bytes} bytes, of which nothing was short enough to be left. {instead}"
