"""Parses times and sizes as people write them: "10min", "20GB"."""
from __future__ import annotations

import re
from typing import Optional, Union

Amount = Union[float, str]
SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
# The units are those of the limits of `check`: G and GiB are powers of 1024, GB is a power of 1000.
BYTES = {"B": 1.0, **{letter + ending: base ** power for power, letter in enumerate("KMGT", 1)
                      for ending, base in (("", 1024.0), ("iB", 1024.0), ("B", 1000.0))}}


def seconds(value: Amount | None, name: str) -> Optional[float]:
    """Converts a duration to seconds. A number is in seconds already; None stays None.

    >>> seconds("10min", "every"), seconds(0.5, "every")
    (600.0, 0.5)
    """
    return _amount(value, name, SECONDS, '30, "30s", "10min" or "2h"')


def size_bytes(value: Amount | None, name: str) -> Optional[int]:
    """Converts a size to bytes. A number is in bytes already; None stays None.

    >>> size_bytes("20GB", "disk"), size_bytes("1.5 KiB", "disk")
    (20000000000, 1536)
    """
    amount = _amount(value, name, BYTES, '20 << 30, "20GB" or "20GiB"')
    return None if amount is None else int(amount)


def _amount(value: Amount | None, name: str, units: dict[str, float], examples: str) -> Optional[float]:
    if value is None:
        return None
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*", value)
        amount = float(match[1]) * units[match[2]] if match and match[2] in units else 0.0
    else:
        amount = float(value)
    if not 0 < amount < float("inf"):
        raise ValueError(f"{name} is {value!r}; write it as {examples}")
    return amount
