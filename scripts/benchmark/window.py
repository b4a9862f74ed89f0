"""Measures the real window under Xvfb, through the state that snapviewer_observed writes (docs/state-file.md)."""
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

SCREEN = "1600x1000x24"
POLL_INTERVAL_S = 0.002
PATIENCE_S = 300
AT_REST_S = 4      # seconds without a frame
WATCHED_S = 20


def is_possible():
    return shutil.which("Xvfb") is not None


@contextlib.contextmanager
def screen():
    """Starts an X server and yields the name of its display."""
    read_end, write_end = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"],
                              pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    try:
        with os.fdopen(read_end) as answer:
            yield ":" + answer.readline().strip()
    finally:
        server.terminate()
        server.wait()


def observed_program(binary):
    """Returns the program beside `binary` whose window is observed, or, in version 1.0, the program itself."""
    beside = Path(binary).with_name("snapviewer_observed")
    return str(beside if beside.exists() else binary)


class Window:
    """The running program, with preferences of its own."""

    def __init__(self, binary, display, *arguments, environment=os.environ):
        self.home = tempfile.TemporaryDirectory()
        self.state_file = Path(self.home.name) / "state.json"
        environment = {**environment, "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "HOME": self.home.name, "XDG_CONFIG_HOME": self.home.name,
                       "XDG_STATE_HOME": self.home.name}
        for name in ("WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
            environment.pop(name, None)
        self.began = time.perf_counter()
        self.process = subprocess.Popen([observed_program(binary), "--state-file", str(self.state_file), *map(str, arguments)], env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.home.cleanup()

    def state(self):
        """Returns the state, or {} before the first frame."""
        return json.loads(self.state_file.read_text(encoding="utf-8")) if self.state_file.exists() else {}

    def seconds_until(self, *conditions):
        """Returns the seconds from the start of the process until each condition first held. Waits for the last condition; None for a
        condition that never held before."""
        reached = [None] * len(conditions)
        while reached[-1] is None:
            if self.process.poll() is not None or time.perf_counter() - self.began > PATIENCE_S:
                raise RuntimeError("the window ended, or waits for ever")
            state = self.state()
            now = time.perf_counter() - self.began
            for i, holds in enumerate(conditions):
                if reached[i] is None and state and holds(state):
                    reached[i] = now
            time.sleep(POLL_INTERVAL_S)
        return reached

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def share_of_a_core(self):
        """Measures an idle window."""
        frames = None
        while frames != (frames := self.state()["frames"]):
            time.sleep(AT_REST_S)
        spent = self.cpu_seconds()
        time.sleep(WATCHED_S)
        return (self.cpu_seconds() - spent) / WATCHED_S


def is_drawn(state):
    return state["timeline"] is not None and not state["loading"] and state["drawn_pictures"] > 0


def start_s(binary, runs):
    """Returns the seconds from the start of the process to its first frame on the screen."""
    def once(display):
        with Window(binary, display) as window:
            return window.seconds_until(lambda state: state["frames"] > 0)[0]
    with screen() as display:
        return min(once(display) for _ in range(runs))


def first_pictures_s(binary, path, runs, environment=os.environ):
    """Returns the seconds from the start of the process to the curve of totals (None if there was none before the picture),
    and to the picture."""
    def once(display):
        with Window(binary, display, path, environment=environment) as window:
            return window.seconds_until(lambda state: state["loading"] and state["loading"]["preview_samples"] > 1, is_drawn)
    with screen() as display:
        return min((once(display) for _ in range(runs)), key=lambda reached: reached[0] or reached[1])


def idle_share(binary, *arguments):
    """Returns the share of a core that the window uses while it is idle."""
    with screen() as display, Window(binary, display, *arguments) as window:
        window.seconds_until(is_drawn if arguments else lambda state: state["frames"] > 0)
        return window.share_of_a_core()
