#!/usr/bin/env python3
"""soak.py [--minutes M] [--seed N] [--preload LIBRARY]: random heavy use of one window: opens files, truncates and damages them, cancels
loading, pans, zooms, runs and stops queries, changes pictures and panels. Between rounds only a small file is open. The program's
memory, threads, files and OpenGL objects must then not grow, and OpenGL must never report an error. With SNAPVIEWER_PAGE the window
is the page in a browser, whose threads and files are not counted."""
import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from driver import BINARY, Display, SAMPLE, Window
from large_snapshot import write_large_snapshot

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
QUERIES = ["SELECT count(*) FROM allocations", "SELECT * FROM allocations", "SELECT size FORM x", "", ENDLESS,
           "SELECT stack_id, sum(size) FROM allocations GROUP BY 1 ORDER BY 2 DESC", "SELECT a.id FROM allocations a, frames"]
KEYS = ["f", "t", "v", "i", "p", "n", "shift+n", "z", "Escape", "BackSpace", "F1", "F6", "ctrl+f", "ctrl+j", "a", "d", "w", "s", "plus",
        "minus", "Tab", "Up", "Down", "Left", "Right", "F5"]
STEPS_PER_ROUND = 12
# Makes the allocator return freed memory to the system at once, so that the remaining memory is in use, except for fragmentation.
MALLOC = {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_MMAP_THRESHOLD_": "65536"}
MAX_WORK_S = 30         # a query that runs until its end, with a margin for a busy machine


class Soak:
    keys = KEYS
    least_px = (1, 1)
    warm_up_rounds = 3
    memory_sway_mib = 40

    def __init__(self, display, folder, seed, preload=None):
        self.folder = Path(folder)
        self.chance = random.Random(seed)
        self.files = self.write_files()
        self.acts = collections.Counter()
        self.queries_stopped = 0
        self.window = self.open_window(display, preload)

    def open_window(self, display, preload):
        window = Window(display, self.folder, [SAMPLE], environment={**MALLOC, "LD_PRELOAD": preload})
        # A thread watches a folder after it was read completely.
        window.drop(self.folder)
        window.wait("the folder read", lambda s: s["fleet"] and s["fleet"]["shown"] and not s["fleet"]["status"])
        return window

    def write_files(self):
        large, packed, database = (self.folder / name for name in ("large.pickle", "packed.zip", "tables.db"))
        write_large_snapshot(large, 200_000)
        for path in (packed, database):
            subprocess.run([BINARY, "export", SAMPLE, "--out", path], check=True, timeout=60)
        cut, text = self.folder / "cut.pickle", self.folder / "text.txt"
        cut.write_bytes(SAMPLE.read_bytes()[:50_000])
        text.write_text("no snapshot\n" * 1000)
        return [SAMPLE, large, packed, database, cut, text, self.folder]

    def canvas_point(self):
        state = self.window.state()
        left, top, right, bottom = state["timeline"]["canvas"] if state["timeline"] else (100, 100, 900, 600)
        return self.chance.uniform(left, right), self.chance.uniform(top, bottom)

    # --- user actions; an action may be impossible at the moment ---

    def open_file(self):
        self.window.drop(self.chance.choice(self.files))

    def open_in_a_row(self):
        for _ in range(4):
            self.open_file()

    def give_up(self):
        self.open_file()
        self.window.key("Escape")

    def damage(self):
        path = self.folder / f"mine-{self.chance.randrange(3)}.pickle"
        shutil.copy(SAMPLE, path)
        self.window.drop(path)
        with open(path, "r+b") as file:
            file.truncate(self.chance.randrange(path.stat().st_size))
        if self.chance.random() < 0.5:
            path.unlink()

    def press(self):
        self.window.key(*self.chance.choices(self.keys, k=4))

    def wheel(self):
        self.window.xdotool("mousemove", *(round(at) for at in self.canvas_point()))
        self.window.xdotool("click", "--repeat", self.chance.randrange(1, 12), "--delay", 10, self.chance.choice([4, 5]))

    def drag(self):
        for command, at in (("mousedown", self.canvas_point()), ("mouseup", self.canvas_point())):
            self.window.xdotool("mousemove", *(round(place) for place in at))
            self.window.xdotool(command, 1)

    def click_anything(self):
        rects = self.window.state()["rects"]
        name = self.chance.choice(sorted(rects) or [None])  # a window of one pixel shows nothing
        if name in (None, "menu_file_quit"):
            return
        left, top, right, bottom = rects[name]
        x, y = round((left + right) / 2), round((top + bottom) / 2)
        if x >= 0 and y >= 0:  # a flag on the axis may be outside of the view
            self.window.xdotool("mousemove", x, y, "click", 1)

    def walk_menus(self):
        """Opens one menu after another without waiting for any."""
        menus = {name: rect for name, rect in self.window.state()["rects"].items() if name.startswith("menu_")}
        menus.pop("menu_file_quit", None)
        if not menus:
            return
        walk = []
        for left, top, right, bottom in self.chance.choices(list(menus.values()), k=4):
            walk += ["mousemove", round((left + right) / 2), round((top + bottom) / 2)]
            walk += ["click", 1] if len(walk) == 3 else ["sleep", self.chance.choice([0, 0.01, 0.03])]
        self.window.xdotool(*walk, "key", "Escape")

    def query(self):
        rect = self.window.state()["rects"].get("query_input")
        if not rect:
            return
        self.window.xdotool("mousemove", round((rect[0] + rect[2]) / 2), round((rect[1] + rect[3]) / 2), "click", 1)
        self.window.key("ctrl+a")
        self.window.xdotool("type", "--delay", 2, self.chance.choice(QUERIES))
        self.window.key("ctrl+Return")
        if self.chance.random() < 0.5:
            self.window.key("Escape")
            self.queries_stopped += 1

    def resize(self):
        self.window.xdotool("windowsize", self.window.window_id, self.chance.randrange(self.least_px[0], 1500),
                            self.chance.randrange(self.least_px[1], 950))

    def resize_in_a_row(self):
        for _ in range(20):
            self.resize()

    def leave_dialogs(self):
        """Closes dialogs of the system; Escape closes the program's own."""

    # --- rounds ---

    def rest(self):
        """Cancels or closes everything and opens the small file."""
        window = self.window
        window.xdotool("windowsize", window.window_id, 1300, 800)
        window.xdotool("windowfocus", window.window_id)

        window.key(*["Escape"] * 4)
        # The program handles one key per frame, so a late key would cancel the load.
        for _ in range(10):
            window.fresh()
        while len(window.state()["tabs"]["list"]) > 1:
            window.key("Escape")  # an error may appear late
            window.fresh()
            window.click("menu_file")
            window.click("menu_file_close")
            window.fresh()
        window.drop(SAMPLE)
        window.wait("the small file", lambda s: s["file"] == str(SAMPLE) and not s["loading"] and not s["error"])
        if window.fresh()["compare"]:  # with two more pictures
            window.click("menu_panels")
            window.click("menu_tools_findings")
            window.wait("no comparison", lambda s: s["compare"] is None)
        # A window may have opened late and consumed the Escape meant for the search, whose bits are a table in GPU memory.
        while window.fresh()["search"]:
            window.key("Escape")
        return self.held()

    def held(self):
        """Returns the resources of the program once its threads are idle."""
        fewest = None
        for _ in range(40):
            threads = len(self.window.threads())
            fewest = threads if fewest is None else min(fewest, threads)
            time.sleep(0.05)
        gl = self.window.fresh()["gl"]
        mapped = self.window.mapped_files()
        # The mapped pages of a library increase with the kinds of things drawn so far, so pages of files are not counted.
        return {"threads": fewest, "open files": self.window.open_files(), "mapped files": sum(str(path) in mapped for path in self.files),
                "MiB": self.window.resident_bytes(("RssAnon", "RssShmem")) >> 20, **gl["objects"], "errors of OpenGL": gl["errors"]}

    def suspects(self):
        return f"; threads {self.window.named_threads()}"

    def play_round(self):
        acts = [self.open_file, self.open_in_a_row, self.give_up, self.damage, self.press, self.press, self.wheel, self.wheel,
                self.drag, self.click_anything, self.click_anything, self.walk_menus, self.query, self.query, self.resize, self.resize_in_a_row]
        for _ in range(STEPS_PER_ROUND):
            act = self.chance.choice(acts)
            act()
            self.leave_dialogs()
            self.acts[act.__name__] += 1
            if self.window.process.poll() is not None:
                raise AssertionError(f"ended with {self.window.process.returncode} after {act.__name__}: {self.window.said()}")
        return self.rest()


class PageSoak(Soak):
    # The browser handles F5 itself.
    keys = [key for key in KEYS if key != "F5"]
    # A browser does not accept a drop beside its window.
    least_px = (500, 400)
    # The page draws more slowly, so it takes more rounds until everything was created once.
    warm_up_rounds = 10

    def open_window(self, display, preload):
        from page_window import PageWindow
        self.files.remove(self.folder)
        window = PageWindow(display, self.folder, [SAMPLE])
        window.wait_drawn(SAMPLE)
        return window

    def leave_dialogs(self):
        self.window.leave_file_dialogs()

    def suspects(self):
        return ""

    def held(self):
        gl = self.window.fresh()["gl"]
        return {"MiB": self.window.memory_bytes() >> 20, **gl["objects"], "errors of OpenGL": gl["errors"]}


def settled(soak, first, now):
    """Waits until resources that current work still uses are released; returns the resources, including leaked ones."""
    deadline = time.monotonic() + MAX_WORK_S
    while grown(soak, first, now) and time.monotonic() < deadline:
        now = soak.held()
    return now


def grown(soak, first, now):
    """Returns the resources that exceed their maximum during the warm-up."""
    # A picture that moved since its file was opened has a second, coarse one. One thread appears in some rounds only, throughout an
    # hour; leaked threads soon exceed that.
    sway = {"MiB": soak.memory_sway_mib, "framebuffers": 1, "textures": 1, "threads": 1}
    return [f"{name}: {first[name]} -> {now[name]}" for name in first if now[name] > first[name] + sway.get(name, 0)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preload", help="a library that the program starts with, such as one that leaks")
    options = parser.parse_args()
    if missing := [tool for tool in ("Xvfb", "xdotool") if not shutil.which(tool)]:
        print(f"skipped: {' and '.join(missing)} not found")
        return 77
    display = Display()
    with tempfile.TemporaryDirectory(prefix="snapviewer-soak-") as folder:
        soak = None
        try:
            kind = PageSoak if os.environ.get("SNAPVIEWER_PAGE") else Soak
            soak = kind(display, folder, options.seed, options.preload)
            return run(soak, options.minutes)
        finally:
            if soak:
                soak.window.stop()
            display.stop()


def run(soak, minutes):
    deadline = time.monotonic() + 60 * minutes
    rounds, first = 0, {}
    while time.monotonic() < deadline or rounds <= soak.warm_up_rounds:
        now = soak.play_round()
        rounds += 1
        print(f"round {rounds}: {now}", flush=True)
        if rounds <= soak.warm_up_rounds:
            first = {name: max(count, first.get(name, 0)) for name, count in now.items()}
        elif worse := grown(soak, first, now := settled(soak, first, now)):
            print(f"grown since the first {soak.warm_up_rounds} rounds: {'; '.join(worse)}{soak.suspects()}")
            print(f"picture in {soak.window.picture(soak.window.state())}, the state beside it")
            return 1
    print(f"{soak.acts.total()} acts in {rounds} rounds: {dict(soak.acts)}; Escape after {soak.queries_stopped} of the queries")
    print(f"at first {first}, at last {now}")
    soak.window.take_keyboard()
    status = soak.window.close()
    print(f"ended with {status}")
    return 0 if status == 0 and now["errors of OpenGL"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
