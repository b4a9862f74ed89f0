"""Checks a snapshot against limits and compares two snapshots, by running the program."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Literal, Union

from snapviewer import _program
from snapviewer._errors import FileError, ProgramError
from snapviewer._snapshot import Path

Size = Union[int, str]
Outcome = Literal["within", "broken", "unknown"]

BAD_FILE, WRONG_USAGE = 1, 2
OUTCOMES: dict[int, Outcome] = {0: "within", 4: "broken", 5: "unknown"}


@dataclass(frozen=True)
class Check:
    """Whether a snapshot keeps its limits. True only if it keeps all of them; an unknown outcome is not a success."""

    #: "within" if all limits are kept, "broken" if at least one is exceeded, else "unknown" because the file lacks data
    #: for at least one.
    outcome: Outcome
    #: One line per limit. The stacks that exceeded a limit follow its line.
    text: str

    def __bool__(self) -> bool:
        return self.outcome == "within"


def check(path: Path, *, max_peak: Size | None = None, max_reserved: Size | None = None, max_growth: Size | None = None,
          max_fragmentation: float | str | None = None, baseline: Path | None = None, tolerance: Size | None = None,
          device: int | None = None) -> Check:
    """Checks a snapshot against limits, like `snapviewer check`; docs/check.md explains each of them.

    Sizes are bytes, or texts such as "20 GiB"; `max_fragmentation` is a percentage such as 20 or "20%"; `baseline` is another
    snapshot, whose peak may be exceeded by `tolerance`, a size or a text such as "2%". The program does the work, in its sandbox.

    Raises FileError if a file cannot be read, and ValueError if the limits are invalid or missing.

    >>> check(sample, max_peak="20 GiB").outcome
    'broken'
    >>> print(check(sample, max_growth="1 KiB").text)
    broken: max-growth: Memory grows by 1.2 GiB per training step over 2 training steps (told by profiler), 1.2 GiB above the limit of 1.0 KiB.
        1.2 GiB  GPT.forward@model.py:179, each training step
        24.0 KiB  z_loss@train.py:126, each training step
    """
    options = {"--max-peak": max_peak, "--max-reserved": max_reserved, "--max-growth": max_growth,
               "--max-fragmentation": max_fragmentation, "--baseline": baseline and os.fspath(baseline), "--tolerance": tolerance,
               "--device": device}
    command = ["check", os.fspath(path)]
    for name, value in options.items():
        if value is not None:
            command += [name, str(value) if name == "--baseline" else "".join(str(value).split())]
    status, text = _asked(command, OUTCOMES)
    return Check(OUTCOMES[status], text.rstrip())


def compare(a: Path, b: Path, *, by: Literal["stack", "function", "python", "source", "kind", "module"] = "stack",
            basis: Literal["all", "recorded", "alone"] | None = None) -> dict[str, Any]:
    """Explains why the peak of `b` is higher than that of `a`, as `snapviewer compare --json` does; see docs/analyses.md.

    >>> compare(sample, sample)["delta"]
    0
    """
    command = ["compare", os.fspath(a), os.fspath(b), "--json", "--by", by]
    return dict(json.loads(_asked(command + (["--basis", basis] if basis else []), OUTCOMES)[1]))


def _asked(command: list[str], outcomes: dict[int, Outcome]) -> tuple[int, str]:
    """Runs the program. Returns its exit status and its output if the status is an answer, else raises an exception."""
    done = _program.run(command)
    complaint = done.stderr.strip().removeprefix("snapviewer: ")
    if done.returncode == BAD_FILE:
        raise FileError(complaint)
    if done.returncode == WRONG_USAGE:
        raise ValueError(complaint.splitlines()[0] if complaint else "the program does not take these options")
    if done.returncode not in outcomes:
        raise ProgramError(complaint or f"snapviewer ended with status {done.returncode}")
    return done.returncode, done.stdout
