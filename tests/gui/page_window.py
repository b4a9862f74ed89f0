"""Runs the tests of the window with the page in a browser: mouse, keyboard and drops go to the browser, which fills the screen, and the
program's state comes from the page.

A browser takes seconds to start, so each one is reused: it reloads the page for the next test on the same display. The page keeps its
preferences as long as the folder of the program's preferences is the same. Tests that need something that a page does not have, such
as a command line, are skipped with a reason.
"""
import atexit
import contextlib
import functools
import http.server
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from driver import PATIENCE_S, Window, stop_process

PAGE = os.environ.get("SNAPVIEWER_PAGE", "")
LOADS_IN_S = 60
FILE_DIALOG = "^Open File"
NO_PAGE = "about:blank"
# A key of every keyboard without meaning for the program and the browser. It arrives after all earlier input.
MARK = "Pause"
COUNT_MARKS = f"""
window.marks = 0;
window.addEventListener("keyup", (event) => {{ if (event.key === "{MARK}") ++window.marks; }}, true);
"""
# Keys that Chromium reserves for its own tabs and windows, so that no page receives them, and keys that this page
# leaves to the browser.
BROWSER_KEYS = {f"ctrl+{shift}{key}" for shift in ("", "shift+") for key in ("t", "n", "w", "Tab", "Page_Up", "Page_Down")} | {
    "ctrl+plus", "ctrl+minus", "ctrl+0"}
READ_STATE = "FS.readFile('/state.json', {encoding: 'utf8'})"
# The browser displays a frame some frames after it was drawn.
STATE_AFTER_MARK = f"""
const [wanted, done] = arguments;
let seen = null, still_to_show = 3;
function step() {{
    if (window.marks >= wanted) {{
        const text = {READ_STATE};
        const frames = JSON.parse(text).frames;
        seen ??= frames;
        if (frames >= seen + 2 && still_to_show-- == 0) return done(text);
    }}
    Module._snapviewer_rouse();
    requestAnimationFrame(step);
}}
step();
"""


def missing_for_pages():
    """Returns the missing tools and files that tests of the page need."""
    missing = [tool for tool in ("chromium", "chromedriver") if not shutil.which(tool)]
    if importlib.util.find_spec("selenium") is None:
        missing.append("selenium")
    if not Path(PAGE, "snapviewer.wasm").is_file():
        missing.append("the page, which scripts/web.sh --observed makes")
    return missing


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """A plain file server, without the headers that threads need. Records the requested paths."""
    asked = []

    def log_message(self, *_):
        pass

    def parse_request(self):
        is_whole = super().parse_request()
        if is_whole:
            self.asked.append((self.command, self.path, "Content-Length" in self.headers or "Transfer-Encoding" in self.headers))
        return is_whole

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


@functools.cache
def server_port():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=PAGE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


@functools.cache
def settings_folder():
    """Returns the folder in which the page stores its preferences."""
    return re.search('settings_folder = "([^"]+)"', Path(PAGE, "page.js").read_text(encoding="utf-8"))[1]


def served_page(folder):
    """Returns the address of the page, which this process serves under a different host name for each folder, because browsers store
    preferences per host."""
    return f"http://{re.sub(r'[^a-z0-9]', '-', Path(folder).name.lower())}-x.localhost:{server_port()}/"


class Browser:
    """A browser on a display, with a profile folder of its own."""

    def __init__(self, display, *more_arguments):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        self.folder = tempfile.mkdtemp(prefix="snapviewer-browser-")
        width, height = display.screen()[:2]
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in ("--kiosk", "--no-sandbox", "--no-first-run", "--disable-infobars", "--window-position=0,0",
                         f"--window-size={width},{height}", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                         # On a busy machine it would mistake a software driver for one that hangs.
                         "--disable-gpu-watchdog",
                         "--disable-background-networking", "--disable-component-update", f"--user-data-dir={self.folder}/profile",
                         "--force-device-scale-factor=1", "--ozone-platform=x11", *more_arguments):
            options.add_argument(argument)
        options.add_experimental_option("excludeSwitches", ["enable-automation"])
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.environment = {**os.environ, "DISPLAY": display.name, "HOME": self.folder}
        others = self.windows()
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver"), env=self.environment), options=options)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.driver.set_page_load_timeout(LOADS_IN_S)
        self.driver.set_script_timeout(PATIENCE_S)
        self.process = self.driver.service.process
        while not (mine := self.windows() - others):
            time.sleep(0.05)
        self.window_id = max(mine, key=self.area_of)

    def xdotool(self, *arguments):
        return subprocess.run(["xdotool", *arguments], env=self.environment, capture_output=True, text=True, check=False).stdout

    def windows(self):
        """Returns the windows of all browsers on the display."""
        return set(self.xdotool("search", "--onlyvisible", "--class", "chromium").split())

    def area_of(self, window_id):
        """Returns the area of a window. The browser also has small windows, which are not wanted."""
        sizes = dict(line.split("=") for line in self.xdotool("getwindowgeometry", "--shell", window_id).splitlines())
        return int(sizes["WIDTH"]) * int(sizes["HEIGHT"])

    def stop(self):
        with contextlib.suppress(Exception):
            self.driver.quit()
        stop_process(self.process)
        shutil.rmtree(self.folder, ignore_errors=True)


class IdleBrowsers:
    """Browsers that wait for the next test, all on the display of the last one."""

    def __init__(self):
        self.display, self.browsers = None, []
        atexit.register(self.stop)

    def stop(self):
        while self.browsers:
            self.browsers.pop().stop()

    def take(self, display):
        if display is not self.display:
            self.stop()
            self.display = display
        return self.browsers.pop() if self.browsers else Browser(display)

    def give_back(self, display, browser):
        try:
            browser.driver.get(NO_PAGE)
        except Exception:  # it does not respond, or has ended with its display, so it is dropped
            browser.stop()
            return
        if display is self.display:
            self.browsers.append(browser)
        else:
            browser.stop()


idle_browsers = IdleBrowsers()


class PageWindow(Window):
    """Like Window. Files on the command line are dropped on the page once it is loaded."""

    def __init__(self, display, folder, arguments=(), name="state", environment=None, stdin=None, browser=None, program=None):
        """The caller must stop a browser that it passes. The program is always the page."""
        for what, is_asked in (("a variable of the environment", environment), ("standard input", stdin is not None),
                               ("an option", any(str(argument).startswith("-") for argument in arguments)),
                               ("a folder", any(Path(argument).is_dir() for argument in arguments))):
            if is_asked:
                raise unittest.SkipTest(f"no page is given {what}")
        self.display = display
        self.dropped = []
        self.config = Path(folder) / "config"
        self.environment = {**os.environ, "DISPLAY": display.name}
        self.errors = open(Path(folder) / f"{name}-stderr.txt", "a+", encoding="utf-8")
        self.is_borrowed = browser is not None
        self.owner = browser or idle_browsers.take(display)
        self.browser, self.process, self.window_id = self.owner.driver, self.owner.process, self.owner.window_id
        self.take_keyboard()
        self.xdotool("mousemove", "5", "5")
        self.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
        self.restore_settings(folder)
        self.browser.get(served_page(folder))
        self.wait("the first frame", lambda s: s["frames"] > 0)
        self.marks = 0
        self.browser.execute_script(COUNT_MARKS)
        if arguments:
            self.drop(*arguments)

    def restore_settings(self, folder):
        """Stores in the browser the preferences that a test wrote for the program, or that close() saved."""
        files = {f"{settings_folder()}/{path.relative_to(self.config)}": path.read_text(encoding="utf-8")
                 for path in self.config.glob("**/*") if path.is_file()}
        if files:
            self.browser.get(served_page(folder) + "snapviewer.svg")
            self.browser.execute_script("localStorage.setItem('settings', arguments[0]);", json.dumps(files))

    def take_keyboard(self):
        """Raises the browser's window, because a covered one does not draw."""
        self.xdotool("windowraise", self.window_id)
        self.xdotool("windowfocus", "--sync", self.window_id)

    def state(self):
        text = self.browser.execute_script(f"try {{ return {READ_STATE}; }} catch {{ return 'null'; }}")
        return self.with_given_paths(json.loads(text))

    def fresh(self):
        """Like Window.fresh(). Scripts may overtake input from the display, so a key press marks the point up to which
        input has arrived."""
        self.unseen = 0
        self.marks += 1
        self.xdotool("key", MARK)
        return self.with_given_paths(json.loads(self.browser.execute_async_script(STATE_AFTER_MARK, self.marks)))

    def rect(self, name):
        if name.startswith("file_dialog"):
            self.leave_file_dialog()
            raise unittest.SkipTest("a page has the browser's file dialog in the place of the program's own")
        return super().rect(name)

    def focus_file_dialog(self):
        """Gives the keyboard to the browser's file dialog, which is a window of its own."""
        dialog = self.xdotool("search", "--sync", "--onlyvisible", "--name", FILE_DIALOG).split()[0]
        self.xdotool("windowfocus", "--sync", dialog)

    def leave_file_dialog(self):
        self.focus_file_dialog()
        super().key("Escape")
        self.take_keyboard()

    def leave_file_dialogs(self):
        """Closes all open file dialogs."""
        while self.owner.xdotool("search", "--onlyvisible", "--name", FILE_DIALOG):
            self.leave_file_dialog()

    def choose_file(self, path):
        if Path(path).is_dir():
            self.leave_file_dialog()
            raise unittest.SkipTest("no page is given a folder")
        self.dropped.append(str(path))
        self.focus_file_dialog()
        self.type(str(path))
        super().key("alt+o")
        self.take_keyboard()

    def with_given_paths(self, value):
        """Replaces paths inside of the page, /files/NUMBER/NAME, with the paths of the dropped files."""
        if isinstance(value, dict):
            return {key: self.with_given_paths(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.with_given_paths(each) for each in value]
        if isinstance(value, str) and value.startswith("/files/"):
            number, _, inside = value.removeprefix("/files/").partition("/")
            if number.isdecimal() and 0 < int(number) <= len(self.dropped) and Path(self.dropped[int(number) - 1]).name == inside:
                return self.dropped[int(number) - 1]
        return value

    def named(self, path):
        """Returns the name of a file, because browsers do not reveal its folder."""
        return Path(path).name

    def drop(self, *paths, **where):
        if any(Path(path).is_dir() for path in paths):
            raise unittest.SkipTest("no page is given a folder")
        self.dropped.extend(map(str, paths))
        super().drop(*paths, **where)

    def key(self, *names):
        for name in names:
            if name in BROWSER_KEYS:
                raise unittest.SkipTest(f"the browser keeps {name} for itself")
        super().key(*names)

    def rouse(self):
        self.browser.execute_script("Module._snapviewer_rouse();")

    def said(self):
        return "\n".join(entry["message"] for entry in self.browser.get_log("browser"))[-2000:]

    def memory_bytes(self):
        """Returns the bytes that the program uses. Its allocated memory is larger, grows by a fifth at a time, and never shrinks."""
        return self.fresh()["held_bytes"]

    # --- not available in a page ---

    def threads(self):
        raise unittest.SkipTest("a page has no process of its own")

    named_threads = open_files = resident_bytes = threads

    def keep_settings(self):
        kept = json.loads(self.browser.execute_script("keep_settings(); return storage.getItem('settings');"))
        for path, text in kept.items():
            path = self.config / Path(path).relative_to(settings_folder())
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def close(self):
        """Leaves the page once its preferences are saved."""
        self.keep_settings()
        self.stop()
        return 0

    def stop(self):
        self.errors.close()
        if self.owner is not None and not self.is_borrowed:
            idle_browsers.give_back(self.display, self.owner)
        self.owner = None
