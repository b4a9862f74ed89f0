"""The page in a browser in the place of the program's own window, for the same tests: mouse, keyboard and drops go to the browser, which
fills the screen, and what the program says of itself comes from the page."""
import contextlib
import functools
import http.server
import json
import os
import shutil
import threading
from pathlib import Path

from driver import Window, stop_process

PAGE = os.environ.get("SNAPVIEWER_PAGE", "")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """A plain server of files, as anybody's: without the headers that threads need."""

    def log_message(self, *_):
        pass

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


@functools.cache
def served_page():
    """The address of the page, served by this process."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=PAGE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def start_browser(display, folder, size):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--kiosk", "--no-sandbox", "--no-first-run", "--disable-infobars", "--window-position=0,0", f"--window-size={size}",
                     "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update",
                     f"--user-data-dir={folder}/browser", "--force-device-scale-factor=1", "--ozone-platform=x11"):
        options.add_argument(argument)
    options.add_experimental_option("excludeSwitches", ["enable-automation"])
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    environment = {**os.environ, "DISPLAY": display.name, "HOME": str(folder)}
    return webdriver.Chrome(service=Service(shutil.which("chromedriver"), env=environment), options=options)


class PageWindow(Window):
    """As Window. Files on the command line are dropped on the page once it is there."""

    def __init__(self, display, folder, arguments=(), name="state", environment=None, stdin=None):
        self.display = display
        self.roused = 0
        self.given = {}
        self.environment = {**os.environ, "DISPLAY": display.name}
        self.errors = open(Path(folder) / f"{name}-stderr.txt", "a+", encoding="utf-8")
        width, height = display.screen()[:2]
        self.browser = start_browser(display, folder, f"{width},{height}")
        self.process = self.browser.service.process
        self.browser.get(served_page() + "#state")
        self.wait("the first frame", lambda s: s["frames"] > 0)
        self.window_id = max(self.xdotool("search", "--sync", "--onlyvisible", "--class", "chromium").split(), key=self.area_of)
        self.xdotool("mousemove", "5", "5")
        if arguments:
            self.drop(*arguments)

    def area_of(self, window_id):
        """The browser has small windows of its own besides."""
        sizes = dict(line.split("=") for line in self.xdotool("getwindowgeometry", "--shell", window_id).splitlines())
        return int(sizes["WIDTH"]) * int(sizes["HEIGHT"])

    def take_keyboard(self):
        pass

    def state(self):
        text = self.browser.execute_script("try { return FS.readFile('/state.json', {encoding: 'utf8'}); } catch { return 'null'; }")
        return self.with_given_paths(json.loads(text))

    def with_given_paths(self, value):
        """The page knows a file by a path of its own; the tests know it by the one that was dropped."""
        if isinstance(value, dict):
            return {key: self.with_given_paths(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.with_given_paths(each) for each in value]
        if isinstance(value, str) and value.startswith("/files/"):
            return self.given.get(value.split("/", 3)[-1], value)
        return value

    def drop(self, *paths):
        self.given.update({Path(path).name: str(path) for path in paths})
        super().drop(*paths)

    def rouse(self):
        self.browser.execute_script("Module._snapviewer_rouse();")

    def said(self):
        return "\n".join(entry["message"] for entry in self.browser.get_log("browser"))[-2000:]

    def stop(self):
        with contextlib.suppress(Exception):
            self.browser.quit()
        stop_process(self.process)
        self.errors.close()
