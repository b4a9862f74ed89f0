"""Finds and runs the program beside the module. The program draws; importing the module therefore needs no window system."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from snapviewer._errors import ProgramError
from snapviewer._sandbox import without_note


# Paths in a wheel. On Windows, the program that opens no console is called .exe.
INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "snapviewer.com" if os.name == "nt" else "snapviewer")
ENVIRONMENT = 3     # the program's exit status if its environment lacks something


def main() -> NoReturn:
    """Implements the command `snapviewer` of the wheel, and `python -m snapviewer`. Replaces this process with the program; on Windows
    the program runs as a child process."""
    try:
        # Prefer the wheel's own program: the one on the PATH may be the script that called this function.
        program = INSIDE if os.path.exists(INSIDE) else _program()
    except ProgramError as error:
        print(f"snapviewer: {error}", file=sys.stderr)
        sys.exit(ENVIRONMENT)
    if os.name == "nt":
        sys.exit(subprocess.call([program, *sys.argv[1:]]))
    os.execv(program, ["snapviewer", *sys.argv[1:]])


def _program() -> str:
    found = os.environ.get("SNAPVIEWER_BINARY") or (INSIDE if os.path.exists(INSIDE) else shutil.which("snapviewer"))
    if not found:
        raise ProgramError("the program snapviewer is not on the PATH; set the environment variable SNAPVIEWER_BINARY to its path")
    return found


def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs the program with these arguments and waits for its end."""
    command = [_program(), *arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace")
    except BlockingIOError as refused:
        raise ProgramError(f"{command[0]} cannot be started: {refused.strerror}; end other programs, or raise the limit on processes "
                           "(ulimit, or the container's)") from refused
    done.stderr = without_note(done.stderr)
    return done


def render(path: str, view: str | None, device: int | None, size: tuple[int, int]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="snapviewer-") as folder:
        out = Path(folder) / "picture.png"
        command = ["render", path, "--out", str(out), "--size", f"{size[0]}x{size[1]}"]
        command += [f"--view={view}"] if view else []
        command += ["--device", str(device)] if device is not None else []
        done = run(command)
        if done.returncode != 0:
            raise ProgramError(done.stderr.strip() or f"snapviewer ended with status {done.returncode}")
        return out.read_bytes()


def pack(path: str, out: str, level: int) -> None:
    done = run(["pack", path, "--out", out, "--level", str(level)])
    if done.returncode != 0:
        raise ProgramError(done.stderr.strip() or f"snapviewer ended with status {done.returncode}")


def show(path: str) -> None:
    if os.environ.get("SNAPVIEWER_SANDBOX") == "required" and (refused := run(["--version"])).returncode != 0:
        raise ProgramError(refused.stderr.strip().removeprefix("snapviewer: "))
    # The window gets a session of its own, so that Ctrl-C in a notebook does not end it.
    program = _program().removesuffix(".com")
    subprocess.Popen([program, path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                     start_new_session=True)
