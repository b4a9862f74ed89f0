"""The program beside the module: what draws is run, not linked, so that importing the module needs no window system."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from snapviewer._errors import ProgramError


def _program() -> str:
    inside = Path(__file__).resolve().parent / "bin" / "snapviewer"
    found = os.environ.get("SNAPVIEWER_BINARY") or (str(inside) if inside.exists() else shutil.which("snapviewer"))
    if not found:
        raise ProgramError("the program snapviewer is not on the PATH; the environment variable SNAPVIEWER_BINARY can say where it is")
    return found


def render(path: str, view: str | None, device: int | None, size: tuple[int, int]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="snapviewer-") as folder:
        out = Path(folder) / "picture.png"
        command = [_program(), "render", path, "--out", str(out), "--size", f"{size[0]}x{size[1]}"]
        command += ["--view", view] if view else []
        command += ["--device", str(device)] if device is not None else []
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise ProgramError(done.stderr.strip() or f"snapviewer ended with status {done.returncode}")
        return out.read_bytes()


def show(path: str) -> None:
    # Not the user's Ctrl-C in a notebook ends the window.
    subprocess.Popen([_program(), path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                     start_new_session=True)
