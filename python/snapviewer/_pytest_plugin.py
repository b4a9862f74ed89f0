"""Limits on the GPU memory of a test:

    @pytest.mark.limit_gpu_memory("20 GiB")
    def test_forward(): ...

    @pytest.mark.limit_gpu_growth("1 MiB", warmups=2)
    def test_step(): ...

The first mark limits the peak of allocated memory while the test runs. The second limits the memory that a run of the test leaves
allocated, after `warmups` other runs. A test that exceeds its limit fails with a sentence and the stacks. Tests without these marks
run unchanged. If PyTorch or its GPU is missing, the test runs without limits, and a warning says so.
"""
from __future__ import annotations

import functools
import gc
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

import snapviewer as sv
from snapviewer._amounts import BYTES

MEMORY, GROWTH = "limit_gpu_memory", "limit_gpu_growth"
STACKS_NAMED = 5
NOTHING_RECORDED = "without devices"   # part of the program's message for a test that allocates nothing
EVENTS_KEPT = 1_000_000
UNITS = {"": 1.0, **BYTES}

# Memory that the test allocated and kept, minus older memory that it freed; largest stacks first.
KEPT_BYTES_SQL = """
SELECT sum(CASE WHEN a.alloc_event IS NULL THEN -a.size ELSE a.size END) AS bytes, s.text AS stack
FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id
WHERE (a.alloc_event IS NULL) <> (a.free_event IS NULL) GROUP BY a.stack_id ORDER BY bytes DESC
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("snapviewer").addoption("--gpu-snapshots", metavar="DIR", help="keep the snapshots of tests that have limits in DIR")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f'{MEMORY}(limit): the most GPU memory that the test may allocate at once, such as "20 GiB"')
    config.addinivalue_line("markers", f'{GROWTH}(limit, warmups=0): what a run of the test may leave allocated, after so many others')


def parse_size(limit: int | str) -> int:
    """Parses a size in bytes; raises pytest.UsageError if it is invalid."""
    text = "".join(str(limit).split())
    number = text.rstrip("KMGTiB")
    try:
        return int(float(number) * UNITS[text[len(number):]])
    except (KeyError, ValueError):
        raise pytest.UsageError(f"{limit!r} is not a number of bytes, such as 1048576 or '20 GiB'") from None


def _argument(mark: pytest.Mark) -> int:
    if len(mark.args) != 1:
        raise pytest.UsageError(f"{mark.name} takes one limit, such as '20 GiB'")
    return parse_size(mark.args[0])


def _recorder(folder: Path) -> sv.record | None:
    """Starts a recorder; warns and returns None if recording is not possible."""
    recorder = sv.record(folder, max_entries=EVENTS_KEPT, on_oom=False)
    try:
        recorder.start()
    except (ImportError, sv.Error) as error:
        warnings.warn(f"the test runs without a GPU memory limit: {error}", stacklevel=2)
        return None
    return recorder


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Wraps the test function in code that records and checks; pytest then calls it."""
    memory, growth = pyfuncitem.get_closest_marker(MEMORY), pyfuncitem.get_closest_marker(GROWTH)
    if memory is None and growth is None:
        return
    limits = _argument(memory) if memory else None, _argument(growth) if growth else None
    warmups = int(growth.kwargs.get("warmups", 0)) if growth else 0
    kept, test = pyfuncitem.config.getoption("--gpu-snapshots"), pyfuncitem.obj

    @functools.wraps(test)
    def limited(*arguments: Any, **fixtures: Any) -> None:
        for _ in range(warmups):
            test(*arguments, **fixtures)
        gc.collect()
        with tempfile.TemporaryDirectory(prefix="snapviewer-pytest-") as temporary:
            recorder = _recorder(Path(kept or temporary))
            try:
                test(*arguments, **fixtures)
                gc.collect()
            finally:
                if recorder:
                    recorder.stop()
            if recorder and recorder.failures:   # an unknown result is not a success
                pytest.fail(f"unknown: {recorder.problems[0]}", pytrace=False)
            for path in recorder.files if recorder else []:
                _check_limits(path, *limits)
    pyfuncitem.obj = limited


def _check_limits(path: Path, max_peak: int | None, max_growth: int | None) -> None:
    try:
        snapshot = sv.open(path)
    except sv.FileError as error:
        if NOTHING_RECORDED in error.message:
            return
        raise
    with snapshot:
        stacks = [(int(str(size)), str(stack or "(no stack)")) for size, stack in snapshot.query(KEPT_BYTES_SQL)]
        is_full = sum(device["events"] for device in snapshot.devices) >= EVENTS_KEPT
    if max_peak is not None:
        checked = sv.check(path, max_peak=max_peak)
        # A recording that is not full has every event of the test, so an outcome that is unknown only because of older
        # memory is a success.
        if checked.outcome == "broken" or is_full and not checked:
            pytest.fail(checked.text, pytrace=False)
    left = sum(size for size, _ in stacks)
    if max_growth is not None and left > max_growth:
        lines = [f"    {size:,} bytes  {' <- '.join(stack.splitlines()[:3])}" for size, stack in stacks[:STACKS_NAMED] if size > 0]
        pytest.fail("\n".join([f"broken: growth: The test leaves {left:,} bytes allocated, {left - max_growth:,} above the limit of "
                               f"{max_growth:,}.", *lines]), pytrace=False)
