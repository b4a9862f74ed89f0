"""Answers of a number of bytes at most, for readers who pay for each: what is too long is cut, and the answer says where."""
from __future__ import annotations

import json
from typing import Any

MOST_NAMED = 5                # places that an answer says it was cut at
PLACE_CHARACTERS = 40
ROOM_TO_SAY_SO = 2000         # bytes
LEAST_BYTES = 2 * ROOM_TO_SAY_SO
FIELDS_KEPT = 32              # of an object, however little room there is: ours have no more
LISTS_OF = (4096, 1024, 256, 64, 16, 4, 1)
CHARACTERS_AN_ITEM = 16       # a text may have as many for each item of a list
LEAST_CHARACTERS = 64


class _TooLong(Exception):
    pass


def shortened(text: str, most: int) -> str:
    """The first `most` characters, and how many there are besides."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most} more characters)"


def json_bytes(value: object) -> int:
    """How long a value is that stands by itself, as a server writes it: a line an item."""
    return len(json.dumps(value, indent=2, ensure_ascii=False, default=str).encode(errors="replace"))


class _Cut:
    """Copies a value with no list longer than `items`, until `room` bytes are used up."""

    def __init__(self, items: int, room: int) -> None:
        self._items = items
        self._characters = max(LEAST_CHARACTERS, items * CHARACTERS_AN_ITEM)
        self._room = room
        self.places: dict[str, str] = {}

    def _use(self, count: int) -> None:
        self._room -= count
        if self._room < 0:
            raise _TooLong

    def _tell(self, place: str, kept: int, total: int, of: str) -> None:
        self.places.setdefault(shortened(place, PLACE_CHARACTERS) or "the answer", f"{kept} of {total} {of}")

    def copy(self, value: Any, place: str = "", depth: int = 1) -> Any:
        if isinstance(value, dict):
            most = max(self._items, FIELDS_KEPT)
            if len(value) > most:
                self._tell(place, most, len(value), "fields")
            copied = {}
            for _, (name, one) in zip(range(most), value.items()):
                short = shortened(str(name), self._characters)
                if short != name:
                    self._tell(place, self._characters, len(name), "characters of a name")
                self._use(json_bytes(short) + 2 * depth + len(",: \n"))
                copied[short] = self.copy(one, f"{place}.{name}" if place else str(name), depth + 1)
            self._use(2 * depth + len("{}\n"))
            return copied
        if isinstance(value, (list, tuple)):
            if len(value) > self._items:
                self._tell(place, self._items, len(value), "entries")
            listed = []
            for one in value[:self._items]:
                self._use(2 * depth + len(",\n"))
                listed.append(self.copy(one, place, depth + 1))
            self._use(2 * depth + len("[]\n"))
            return listed
        if isinstance(value, str) and len(value) > self._characters:
            self._tell(place, self._characters, len(value), "characters")
            value = shortened(value, self._characters)
        self._use(json_bytes(value))
        return value


def cut(answer: Any, most_bytes: int, instead: str) -> tuple[Any, str]:
    """The answer, its longest lists and texts cut where it would take more than `most_bytes` as JSON, and a sentence on what was cut; empty
    where nothing was. `instead` says how to ask for less."""
    for items in LISTS_OF:
        attempt = _Cut(items, most_bytes - ROOM_TO_SAY_SO)
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
