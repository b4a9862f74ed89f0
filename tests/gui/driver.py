"""Drives the real program in a real window. Mouse and keyboard input is sent with libxdo, the library of xdotool, drops with
xdnd_source; the program's state is read from the file that snapviewer_observed writes (docs/state-file.md).

Tests wait with Window.wait(), for a condition on the state, with a time limit, and never for a fixed time.
"""
import contextlib
import functools
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import snapshots  # noqa: E402
from xdo import Xdo  # noqa: E402

BINARY = os.environ.get("SNAPVIEWER_BINARY", "")
# The program whose window is observed, built beside the one that ships.
OBSERVED = str(Path(BINARY).with_name("snapviewer_observed")) if BINARY else ""
XDND_SOURCE = os.environ.get("SNAPVIEWER_XDND_SOURCE", "")
# An absolute path without "..", as the program spells paths.
SAMPLE = Path(os.path.abspath(os.environ.get("SNAPVIEWER_SAMPLE", "")))
SHARED = Path(os.path.abspath(os.environ.get("SNAPVIEWER_SHARED", "")))
FAILURES = Path(os.environ.get("SNAPVIEWER_GUI_FAILURES", tempfile.gettempdir()))

PATIENCE_S = 40.0
POLL_S = 0.004
WRITES_AFTER_S = 0.024  # the program writes its state at most every 20 ms, and file times have a resolution of 4 ms
ROUSE_AGAIN_S = 0.25
SLEEPS_S = 0.1
KEY_MS, LETTER_MS, NOTCH_MS = 12, 1, 4
# For a letter without a key, xdotool assigns a key while it types; the program must learn of the assignment in this time.
UNUSUAL_LETTER_MS = 8
ENDS_IN_S = 2.0
APART_S = 0.45          # minimum pause after which two clicks at one place are no double click
SCREEN = "1600x1000"
DRAFT = ".snapviewer-"  # beginning of the name of a temporary file


def window_only(why):
    """Decorator that skips a test in a browser, with the reason."""
    return unittest.skipIf(os.environ.get("SNAPVIEWER_PAGE"), why)


class Display:
    """An X server on an unused display number."""

    def __init__(self, size=SCREEN, extensions=()):
        self.folder = tempfile.TemporaryDirectory(prefix="snapviewer-screen-")
        read_end, write_end = os.pipe()
        # -r disables key repetition: on a busy machine, a key can stay down long enough to repeat, even after its
        # modifier was released.
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset", "-r",
             "-fbdir", self.folder.name, *extensions],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as answer:
            number = answer.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        self.name = f":{number}"

    @functools.cached_property
    def input(self):
        return Xdo(self.name)

    def pixels(self):
        """Returns (width, height, pixels as BGRX). Xvfb's framebuffer is a file in the format of xwd: a header of 32-bit big-endian
        words, a table of colours, then the pixels."""
        data = (Path(self.folder.name) / "Xvfb_screen0").read_bytes()
        words = struct.unpack(">25I", data[:100])
        header_size, width, height, line_size, colour_count = words[0], words[4], words[5], words[12], words[19]
        assert line_size == 4 * width
        return width, height, memoryview(data)[header_size + 12 * colour_count:][:line_size * height]

    def screen(self):
        """Returns (width, height, rows of RGB bytes)."""
        width, height, pixels = self.pixels()
        rgb = bytearray(3 * width * height)
        rgb[0::3], rgb[1::3], rgb[2::3] = pixels[2::4], pixels[1::4], pixels[0::4]
        return width, height, [bytes(rgb[at:at + 3 * width]) for at in range(0, len(rgb), 3 * width)]

    def colours(self, left, top, right, bottom):
        """Returns the set of colours in a part of the screen, each as RGB bytes."""
        width, _, pixels = self.pixels()
        found = set()
        for y in range(round(top), round(bottom)):
            found.update(pixels[4 * (y * width + round(left)):4 * (y * width + round(right))].cast("I"))
        return {(colour & 0xffffff).to_bytes(3, "big") for colour in found}

    def colours_in(self, left, top, right, bottom):
        """Returns the number of different colours in a part of the screen."""
        return len(self.colours(left, top, right, bottom))

    def save_picture(self, path):
        width, height, rows = self.screen()

        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        body = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
        Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b""))

    def stop(self):
        if "input" in self.__dict__:
            self.input.close()
        stop_process(self.process)
        self.folder.cleanup()


def stop_process(process):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


class Window:
    """A running program. Coordinates are those of the window, which is at the corner of the screen."""

    roused = 0
    pointed_at = None
    clicked = (None, 0.0)   # place and time of the last click of the first button
    read = (None, None)     # the last state, and the version of the file from which it was read
    unseen = 0              # number of clicks and keys that the state may not show yet

    def __init__(self, display, folder, arguments=(), name="state", environment=None, stdin=None, program=OBSERVED):
        """`name` distinguishes windows with the same folder. A variable of `environment` that is None is removed."""
        self.display = display
        self.state_file = Path(folder) / f"{name}.json"
        self.state_file.unlink(missing_ok=True)
        self.environment = {**os.environ, "DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1", "LANG": "C.UTF-8",
                            "XDG_CONFIG_HOME": str(Path(folder) / "config"),
                            "XDG_STATE_HOME": str(Path(folder) / "state"), "HOME": str(folder)}
        self.environment.update(environment or {})
        for variable in ["WAYLAND_DISPLAY", *([] if "DBUS_SESSION_BUS_ADDRESS" in (environment or {}) else ["DBUS_SESSION_BUS_ADDRESS"]), *(key for key, value in self.environment.items() if value is None)]:
            self.environment.pop(variable, None)
        self.errors = open(Path(folder) / f"{name}-stderr.txt", "a+", encoding="utf-8")
        self.process = subprocess.Popen([program, "--state-file", str(self.state_file), *map(str, arguments)],
                                        env=self.environment, cwd=folder, stdin=stdin, stdout=subprocess.DEVNULL, stderr=self.errors)
        self.wait("the first frame", lambda s: s["frames"] > 0)
        # --pid, because windows of other processes have the same name.
        self.window_id = self.xdotool("search", "--sync", "--all", "--onlyvisible", "--pid", self.process.pid, "--name",
                                      "snapviewer").split()[0]
        self.take_keyboard()

    def xdotool(self, *arguments):
        done = subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"xdotool {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout.strip()

    def take_keyboard(self):
        """Gives the window the keyboard and its place, because there is no window manager."""
        self.display.input.take_keyboard(self.window_id)

    # --- state of the program ---

    def state(self):
        with open(self.state_file, encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            version = (status.st_ino, status.st_mtime_ns)
            if self.read[1] != version:
                self.read = snapshots.with_paths_of_this_system(json.loads(file.read())), version
        return self.read[0]

    def state_if(self, condition):
        """Returns the present state if the condition holds for it, else None, also if the state lacks a key."""
        try:
            state = self.state()
            return state if condition(state) else None
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            return None

    def wait(self, what, condition, patience_s=PATIENCE_S):
        """Returns the first state for which the condition holds. If it holds already, it must still hold after the program has handled the
        last click or key."""
        if self.unseen and self.state_if(condition):
            self.fresh()
        self.unseen = 0
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"the program ended with {self.process.returncode} while waiting for {what}: {self.said()}")
            if state := self.state_if(condition):
                return state
            time.sleep(POLL_S)
        state = self.state_if(lambda _: True)
        raise AssertionError(f"waited {patience_s:.0f} s for {what}; picture in {self.picture(state)}, the state beside it; "
                             f"its palette was {(state or {}).get('palette')}")

    def picture(self, state):
        """Saves a picture of the screen as a PNG that outlives the test, with the state beside it. Returns its path."""
        FAILURES.mkdir(parents=True, exist_ok=True)
        path = FAILURES / f"screen-{os.getpid()}-{time.monotonic_ns()}.png"
        self.display.save_picture(path)
        path.with_suffix(".json").write_text(json.dumps(state, indent=1), encoding="utf-8")
        return path

    def wait_drawn(self, path):
        return self.wait(f"{path} to be drawn", lambda s: s["file"] == str(path) and not s["loading"] and s["drawn_pictures"] > 0
                         and not s["triangle_mesh"]["is_due"])

    def said(self):
        self.errors.flush()
        self.errors.seek(0)
        return self.errors.read()[-2000:]

    def rouse(self):
        """Makes an idle window draw a frame, by changing a property of the window, which is not input."""
        self.roused += 1
        self.display.input.set_icon_name(self.window_id, f"snapviewer {self.roused}")

    def fresh(self):
        """Returns a state after the program has handled all input so far: the second one that it writes, because the first may be of a
        frame that had begun before."""
        wanted = 2 + max(1, self.unseen)  # several keys take a frame each
        self.unseen = 0
        seen = {self.state()["frames"]}
        roused_at_s = 0.0

        def is_second(state):
            nonlocal roused_at_s
            seen.add(state["frames"])
            if len(seen) >= wanted:
                return True
            may_write_at_s = self.read[1][1] / 1e9 + WRITES_AFTER_S
            if roused_at_s < may_write_at_s <= time.time() or time.time() - roused_at_s > ROUSE_AGAIN_S:
                self.rouse()
                roused_at_s = time.time()
            return False
        return self.wait("two new states", is_second)

    def named(self, path):
        """Returns the text for a file in a field for saving, and in the program's copied commands."""
        return str(path)

    def keep_settings(self):
        """Makes saved preferences available to the test. The program writes them at once, so this is a no-op."""

    def wait_saved(self, path):
        """Waits for the notice that `path` was saved, and for the file."""
        return self.wait("it to be saved", lambda s: self.named(path) in s["said"] and Path(path).is_file())

    # --- state of the process ---

    def threads(self):
        return {int(name) for name in os.listdir(f"/proc/{self.process.pid}/task")}

    def named_threads(self):
        """Returns each thread's name and the kernel function in which it waits."""
        named = []
        for thread in sorted(self.threads()):
            with contextlib.suppress(OSError):  # the thread may have ended
                task = Path(f"/proc/{self.process.pid}/task/{thread}")
                named.append(" ".join((task / name).read_text(encoding="utf-8").strip() for name in ("comm", "wchan")))
        return named

    def open_files(self):
        """Returns the number of open files. The state file does not count, because it may be written at any time."""
        paths = []
        for descriptor in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):  # a file that was closed meanwhile
                paths.append(Path(os.readlink(descriptor)))
        return sum(path != self.state_file and not (path.parent == self.state_file.parent and path.name.startswith(DRAFT)) for path in paths)

    def mapped_files(self):
        """Returns the files that are mapped into memory, including libraries."""
        maps = Path(f"/proc/{self.process.pid}/maps").read_text(encoding="utf-8")
        return {line.split(maxsplit=5)[5] for line in maps.splitlines() if len(line.split(maxsplit=5)) == 6}

    def resident_bytes(self, kinds=("VmRSS",)):
        """Returns the resident memory in total, or of some kinds: RssAnon, RssShmem, and RssFile, which is mostly libraries."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return sum(int(line.split()[1]) << 10 for line in status.splitlines() if line.split(":")[0] in kinds)

    # --- user actions ---

    def point(self, x, y):
        """Moves the mouse and waits until the program has seen that: some widgets accept a press only if the mouse was over them before."""
        if self.unseen:
            self.fresh()  # before ImGui 1.87, a click that is not handled yet would happen at the new place
        self.pointed_at = (round(x), round(y))
        self.display.input.move_mouse(*self.pointed_at)
        return self.fresh()

    def rect(self, name):
        """Wakes an idle window, as a mouse on its way there would."""
        wakes_at_s = time.monotonic() + SLEEPS_S

        def is_there(state):
            nonlocal wakes_at_s
            if name not in state["rects"] and time.monotonic() > wakes_at_s:
                self.rouse()
                wakes_at_s = time.monotonic() + SLEEPS_S
            return state["rects"].get(name)
        return self.wait(f"{name} on the screen", is_there)["rects"][name]

    def point_at(self, name):
        """Moves the mouse to the centre of a rectangle, and again if the layout moves it."""
        for _ in range(5):
            left, top, right, bottom = rect = self.rect(name)
            state = self.point((left + right) / 2, (top + bottom) / 2)
            if state["rects"].get(name, rect) == rect:
                return

    def click(self, name):
        self.point_at(name)
        self.press_button()

    def click_at(self, x, y):
        self.point(x, y)
        self.press_button()

    def place_on_canvas(self, timeline, x, size_bytes):
        """Returns the pixel at which the timeline of a state shows a step or time and a number of bytes."""
        x_begin, x_end, y_begin, y_end = timeline["view"]
        left, top, right, bottom = timeline["canvas"]
        return (left + (x - x_begin) / (x_end - x_begin) * (right - left),
                bottom - (size_bytes - y_begin) / (y_end - y_begin) * (bottom - top))

    def click_on_canvas(self, timeline, x, size_bytes):
        self.click_at(*self.place_on_canvas(timeline, x, size_bytes))

    def press_button(self, button=1):
        """Presses a button; waits first if it would be the second half of a double click."""
        if button == 1:
            self.wait_apart()
            self.clicked = (self.pointed_at, time.monotonic())
        self.display.input.click(button)
        self.unseen = 1

    def wait_apart(self):
        """Waits until a click at this place would not be the second half of a double click."""
        place, at_s = self.clicked
        if place == self.pointed_at:
            time.sleep(max(0.0, at_s + APART_S - time.monotonic()))

    def double_click(self, what, condition):
        """Double-clicks at the mouse until the condition holds. The program must draw a frame between the two clicks, and both must come
        within 0.3 s, which a busy machine does not always achieve."""
        self.wait_apart()
        for _ in range(2):
            self.display.input.click(1, 2, 60)
            self.clicked = (self.pointed_at, time.monotonic())
            with contextlib.suppress(AssertionError):
                return self.wait(what, condition, PATIENCE_S / 4)
        self.display.input.click(1, 2, 60)
        return self.wait(what, condition)

    def drag(self, x, y, to_x, to_y, modifier=None):
        """Drags with a wait after each part, because the program would place a press that arrives with the movement at the end."""
        self.point(x, y)
        if modifier:
            self.display.input.key_down(modifier)
        self.display.input.press(1)
        self.fresh()
        for part in (0.3, 0.7, 1.0):
            self.point(x + (to_x - x) * part, y + (to_y - y) * part)
        self.display.input.release(1)
        if modifier:
            self.display.input.key_up(modifier)
        return self.fresh()

    def measure(self, begin, end):
        """Measures with the ruler between two fractions of the picture's width."""
        left, top, right, bottom = self.fresh()["timeline"]["canvas"]
        self.drag(left + begin * (right - left), top + 0.2 * (bottom - top), left + end * (right - left), top + 0.6 * (bottom - top), "ctrl")
        return self.wait("the ruler", lambda s: s["ruler"] and s["moments"] and s["findings"]["page"] == "moments")

    def wheel(self, x, y, notches, modifier=None):
        """Turns the wheel; positive notches are up."""
        self.point(x, y)
        if modifier:
            self.display.input.key_down(modifier)
        self.fresh()
        self.display.input.click(4 if notches > 0 else 5, abs(notches), NOTCH_MS)
        state = self.fresh()
        if modifier:
            self.display.input.key_up(modifier)
        return state

    def key(self, *names):
        for name in names:
            self.display.input.key(name, KEY_MS)
        self.unseen = len(names)

    def type(self, text):
        self.display.input.type(text, LETTER_MS if text.isascii() else UNUSUAL_LETTER_MS)

    def open_query_pane(self):
        """Opens the query pane, which is a single line until then."""
        if not self.state()["query"]["is_open"]:
            self.click("query_input")
            self.fresh()
            self.wait("the query pane", lambda s: s["query"]["is_open"]
                      and s["rects"]["query_input"][3] - s["rects"]["query_input"][1] > 40)
            self.fresh()

    def ask(self, sql):
        """Replaces the query in the input and runs it."""
        self.open_query_pane()
        self.click("query_input")
        self.key("ctrl+a")
        self.type(sql)
        self.wait("the query in the input", lambda s: s["query"]["sql"] == sql)
        self.key("ctrl+Return")
        return self.wait(f"{sql} to run", lambda s: s["query"]["ran_sql"] == sql)

    def answer(self, sql):
        self.ask(sql)
        state = self.wait(f"the answer to {sql}", lambda s: s["query"]["ran_sql"] == sql and not s["query"]["running"])
        return state["query"]

    def choose_file(self, path):
        """Enters a path in the file dialog."""
        self.rect("file_dialog_path_takes_letters")
        self.fresh()
        self.key("ctrl+a")
        self.type(str(path))
        self.key("Return")

    def drop(self, *paths, at=(400, 300)):
        subprocess.run([XDND_SOURCE, self.window_id, *(str(round(each)) for each in at), *map(str, paths)], env=self.environment,
                       check=True, timeout=PATIENCE_S)

    def close(self):
        """Ends the program like a user, so that it saves its state."""
        self.key("ctrl+q")
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError("the program did not end on Ctrl+Q") from None

    def stop(self):
        """Ends the program like the end of a session. Wakes a sleeping window, which otherwise looks for signals once per second."""
        if self.process.poll() is None:
            self.process.terminate()
            deadline = time.monotonic() + ENDS_IN_S
            while self.process.poll() is None and time.monotonic() < deadline:
                self.rouse()
                time.sleep(POLL_S)
        stop_process(self.process)
        self.errors.close()


class SharedWindow:
    """One window for the tests of a class. Each test gets it with a newly opened file. Before, the window has no file and must have its
    initial state and preferences, except for those named in `may_remain`; otherwise a new window replaces it."""

    # Parts of the state that count everything since the start.
    COUNTS = {"frames", "frame_ms", "drawn_from", "drawn_pictures", "uploaded_bytes", "held_bytes", "gl", "said", "toasts", "rects"}
    HISTORY = {"recent_files", "recent_places"}
    CLEARS_IN_S = 2.0

    def __init__(self, display, may_remain):
        self.display, self.may_remain = display, may_remain
        self.window = self.folder = self.state_at_first = self.preferences_at_first = None

    def comparable_state(self):
        state = {key: value for key, value in self.window.fresh().items() if key not in self.COUNTS | self.may_remain}
        if "query" in state:
            state["query"] = {**state["query"], "answers": 0}
        return state

    def preferences(self):
        """The preferences as they were saved when the last file was opened."""
        path = Path(self.folder.name) / "config" / "snapviewer" / "settings.json"
        stored = json.loads(path.read_text(encoding="utf-8"))
        return {key: value for key, value in stored.items() if key not in self.HISTORY | self.may_remain}

    def begin(self):
        self.stop()
        self.folder = tempfile.TemporaryDirectory(prefix="snapviewer-gui-")
        self.window = Window(self.display, self.folder.name)
        self.state_at_first, self.preferences_at_first = self.comparable_state(), None

    def open(self, path):
        if not (self.can_be_cleared() and self.opens_as_at_first(path)):
            self.begin()
            self.opens_as_at_first(path)
        return self.window

    def opens_as_at_first(self, path):
        self.window.drop(path)
        self.window.wait_drawn(path)
        if self.preferences_at_first is None:
            self.preferences_at_first = self.preferences()
        return self.preferences() == self.preferences_at_first

    def can_be_cleared(self):
        """Closes everything; returns true if the window can be reused. The last change may appear one frame later."""
        if self.window is None or self.window.process.poll() is not None:
            return False
        self.window.take_keyboard()
        self.window.key("Escape", "Escape", "Escape", "ctrl+w")
        with contextlib.suppress(AssertionError):
            self.window.wait("no file", lambda s: s["file"] is None, self.CLEARS_IN_S)
            return self.state_at_first in (self.comparable_state(), self.comparable_state())
        return False

    def stop(self):
        if self.window is not None:
            self.window.stop()
            self.folder.cleanup()
        self.window = None


class WindowTest(unittest.TestCase):
    """Base class of tests, with a display per class and a folder per test. start() and open_on_start() start a window with preferences
    of its own; open() uses the window that the class shares."""

    may_remain = frozenset()    # parts of the state and of the preferences that open() does not reset

    @classmethod
    def setUpClass(cls):
        cls.display = Display()
        cls.addClassCleanup(cls.display.stop)
        cls.shared = SharedWindow(cls.display, cls.may_remain)
        cls.addClassCleanup(cls.shared.stop)
        made = tempfile.TemporaryDirectory(prefix="snapviewer-gui-")
        cls.addClassCleanup(made.cleanup)
        cls.made = Path(made.name)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="snapviewer-gui-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.window = None

    def planted(self, name):
        """Returns a file of gen_planted.py, as a copy in the test's folder, with the files that belong to it. The generator runs once per
        class."""
        if not (self.made / name).exists():
            snapshots.make("gen_planted.py", self.made / name, name)
        shutil.copytree(self.made / name, self.folder, dirs_exist_ok=True)
        return self.folder / f"{name}.pickle"

    def start(self, *arguments, **options):
        if os.environ.get("SNAPVIEWER_PAGE"):
            from page_window import PageWindow as Window
        else:
            from driver import Window
        self.window = Window(self.display, self.folder, arguments, **options)
        self.addCleanup(self.window.stop)
        return self.window

    def open_on_start(self, path):
        window = self.start(path)
        window.wait_drawn(path)
        return window

    def open(self, path):
        """Opens a file in the window of the class. A page is always loaded anew."""
        if os.environ.get("SNAPVIEWER_PAGE"):
            return self.open_on_start(path)
        self.window = self.shared.open(path)
        return self.window
