"""The page's network requests: files that are dropped on it stay in the browser.

Uses the browser's log of network requests, which covers every part of the page, and the server's log. Needs the environment of the
window tests, with SNAPVIEWER_PAGE.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "gui"), str(TESTS / "cli")]
import png  # noqa: E402
from driver import BINARY, FAILURES, PATIENCE_S, SAMPLE, SHARED, XDND_SOURCE, Display  # noqa: E402
from page_window import COUNT_MARKS, PAGE, Browser, PageWindow, QuietHandler, missing_for_pages, served_page  # noqa: E402
from large_snapshot import write_large_snapshot  # noqa: E402
from test_disk import write_snapshot  # noqa: E402

SKIPPED = 77
# Maximum differences per channel, as in tests/golden/compare_image.h, and the share of pixels on edges that may differ more
# between drivers.
MAX_DIFFERENCE, MAX_MEAN_DIFFERENCE, MAX_ON_EDGES = 12, 0.25, 0.001
COLOURED_BY = ("age", "kind", "stack")
# An address without a server, to which the test itself sends requests from the page, to check that they are logged.
WITNESS = "http://127.0.0.2:60001/"
SEND_WITNESS = f"""
const done = arguments[arguments.length - 1];
const send = (name) => `fetch("{WITNESS}${{name}}", {{method: "POST", body: "x", mode: "no-cors"}}).catch(() => 0)`;
const worker = new Worker(URL.createObjectURL(new Blob([`${{send("worker")}}.then(() => postMessage(0))`])));
worker.onmessage = () => eval(send("page")).then(done);
"""
# Limits 32-bit programs to 256 MB, so that a file of a few hundred MB cannot be opened, like one beyond 4 GB otherwise.
LESS_MEMORY = """
const Memory = WebAssembly.Memory;
WebAssembly.Memory = class extends Memory {
    constructor(wanted) {
        super(typeof wanted.maximum === "number" ? {...wanted, maximum: 4096} : wanted);
    }
};
"""
FILES = {"/", "/page.js", "/alone.js", "/alone.wasm", "/service_worker.js", "/snapviewer.js", "/snapviewer.wasm", "/snapviewer.svg", "/sample.pickle"}


def requests_of(record, origin):
    """Returns the page's requests, as (method, address, whether it had a body), from a log of --log-net-log. Requests of the browser
    itself, such as for its list of extensions, have another origin."""
    kinds = {number: name for name, number in record["constants"]["logEventTypes"].items()}
    parameters = {}
    for event in record["events"]:
        if kinds[event["type"]] == "URL_REQUEST_START_JOB" and "url" in event.get("params", {}):
            parameters.setdefault(event["source"]["id"], []).append(event["params"])
    return [(each["method"], each["url"], "upload_id" in each) for several in parameters.values() for each in several
            if each.get("initiator", "") == origin or each["url"].startswith(origin + "/") or origin in each.get("network_isolation_key", "")]


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.display = Display()
        cls.addClassCleanup(cls.display.stop)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="snapviewer-web-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, *browser_arguments, may_speak_to_all=False):
        """Opens the page. With may_speak_to_all, it lacks the policy that restricts requests to its own server."""
        self.browser = Browser(self.display, *browser_arguments)
        self.addCleanup(self.browser.stop)
        if may_speak_to_all:
            self.browser.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
        window = PageWindow(self.display, self.folder, browser=self.browser)
        self.addCleanup(window.stop)
        return window

    def wait_for_allocations(self, window, path, count):
        window.wait_drawn(path)
        window.wait(f"{count} allocations", lambda s: s["timeline"]["allocations"] == count)

    def test_nothing_leaves_the_browser(self):
        origin = served_page(self.folder).rstrip("/")
        record_path = self.folder / "network.json"
        QuietHandler.asked.clear()
        window = self.start(f"--log-net-log={record_path}", "--net-log-capture-mode=Everything", may_speak_to_all=True)
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        window.answer("SELECT count(*) FROM allocations")
        asked_before_the_end = list(QuietHandler.asked)
        self.browser.driver.execute_async_script(SEND_WITNESS)
        self.browser.driver.quit()   # completes the log
        requests = requests_of(json.loads(record_path.read_text(encoding="utf-8")), origin)
        for name in ("page", "worker"):
            self.assertIn(("POST", WITNESS + name, True), requests, "the record lacks what the test had the page send")
        requests = [each for each in requests if not each[1].startswith(WITNESS)]
        self.assertIn(("GET", f"{origin}/snapviewer.wasm", False), requests, "the record is not of this page")
        own, others = [], []
        for method, address, has_body in requests:
            parts = urllib.parse.urlsplit(address)
            (own if f"{parts.scheme}://{parts.netloc}" == origin else others).append(address)
            self.assertEqual((method, has_body), ("GET", False), address)
            self.assertNotIn(SAMPLE.name, parts.query, address)
        self.assertEqual(others, [], "another host was asked")
        self.assertLessEqual({urllib.parse.urlsplit(address).path for address in own}, FILES)
        self.assertIn("/snapviewer.wasm", [path for _, path, _ in asked_before_the_end])
        for method, path, has_body in asked_before_the_end:
            self.assertEqual((method, has_body), ("GET", False), path)
            self.assertIn(path, FILES)

    def test_a_link_shows_the_same(self):
        """The address contains the file and the place, is updated with the view, and is followed when it changes."""
        window = self.start()
        page = served_page(self.folder) + "?file=sample.pickle"
        window.browser.get(page + "#axis=steps&colour-by=size&select=7&sql=SELECT%207&view=1000%3A5000")
        shown = window.wait("the place", lambda s: s["file"] and s["timeline"]["view"][:2] == [1000, 5000] and s["query"]["ran_sql"] == "SELECT 7")
        self.assertEqual(shown["timeline"]["selected"]["id"], 7)
        window.browser.execute_script(COUNT_MARKS)
        window.marks = 0
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        window.wheel((left + right) / 2, (top + bottom) / 2, 3)
        moved = window.fresh()["timeline"]["view"]
        address = self.wait_for_address(window, "view=" + urllib.parse.quote(":".join(map("{:.17g}".format, moved[:2]))[:6], safe=""))
        self.assertTrue(address.startswith(page + "#"), address)
        place = urllib.parse.parse_qs(urllib.parse.urlsplit(address).fragment)
        self.assertEqual((place["colour-by"], place["select"], place["sql"]), (["size"], ["7"], ["SELECT 7"]))
        self.assertEqual([float(edge) for edge in place["view"][0].replace(",", ":").split(":")], moved)
        window.dropped.append("the first file came by a link")
        window.browser.execute_script("location.hash = 'view=2000:3000&select=9'")
        window.wait("another place", lambda s: s["timeline"]["view"][:2] == [2000, 3000] and s["timeline"]["selected"]["id"] == 9)
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        self.assertNotIn("?file", self.wait_for_address(window, "/#"))

    def enter_frame(self, window, old=None):
        """Switches to the frame of the program that replaced the one in frame `old`, or the first program."""
        window.browser.switch_to.default_content()
        deadline = time.monotonic() + PATIENCE_S
        while (frames := window.browser.find_elements("css selector", "iframe")) in ([], [old]) and time.monotonic() < deadline:
            time.sleep(0.1)
        window.browser.switch_to.frame(frames[0])
        return frames[0]

    def test_a_graphics_card_that_is_taken_away(self):
        """A new program opens the file at the same place, unless the graphics card is lost again at once."""
        window = self.start()
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        window.browser.execute_script("location.hash = 'view=1000%3A5000'")
        window.wait("the view", lambda s: s["timeline"]["view"][:2] == [1000, 5000])
        lose = "canvas.getContext('webgl2').getExtension('WEBGL_lose_context').loseContext();"
        frame = None
        for _ in range(2):
            window.browser.execute_script("began = -1e6;" + lose)
            frame = self.enter_frame(window, frame)
            window.wait_drawn(SAMPLE)
            state = window.wait("the view", lambda s: s["timeline"]["view"][:2] == [1000, 5000])
            self.assertEqual((state["gl"]["errors"], state["error"]), (0, None))
        window.browser.execute_script(lose)
        self.assertIn("taken the graphics card", self.said(window))

    def said(self, window):
        """Returns the message that covers the program."""
        deadline = time.monotonic() + PATIENCE_S
        while not (said := window.browser.find_element("id", "message").text) and time.monotonic() < deadline:
            time.sleep(0.1)
        return said

    def test_a_thread_that_fails_is_told(self):
        """Simulates an error event of the thread's worker."""
        window = self.start()
        window.browser.execute_script("""
            const failed = new ErrorEvent("error", {message: "Uncaught RuntimeError: memory access out of bounds"});
            setTimeout(() => PThread.unusedWorkers[0].onerror(failed));
        """)
        self.assertRegex(self.said(window), "has ended because of an error: .*memory access out of bounds")

    def test_what_32_bits_cannot_hold_is_opened_with_64(self):
        pairs = 1_500_000
        large = self.folder / "large.pickle"
        write_large_snapshot(large, pairs)
        window = self.start()
        window.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LESS_MEMORY})
        window.browser.refresh()
        window.wait("the first frame", lambda s: s["frames"] > 0)
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        self.assertEqual(window.browser.find_elements("css selector", "iframe"), [], "what fits stays where it is")
        window.dropped.clear()
        window.drop(large)
        self.enter_frame(window)
        self.wait_for_allocations(window, large, pairs)
        self.assertTrue(window.browser.execute_script("return crossOriginIsolated && has_64_bits"))
        window.browser.execute_script(COUNT_MARKS)
        window.marks = 0
        self.assertEqual(window.answer("SELECT count(*) FROM allocations")["first_rows"], [[f"{pairs}"]])
        window.browser.switch_to.default_content()
        self.assertIn("sql=", self.wait_for_address(window, "sql="), "the address is that of what is on the screen")

    def test_serve_leads_here(self):
        """A file's page in `snapviewer serve` has a link that opens the file in the viewer."""
        runs = self.folder / "runs" / "job 1"
        runs.mkdir(parents=True)
        (runs / "a#b.pickle").write_bytes(SAMPLE.read_bytes())
        serve = subprocess.Popen([BINARY, "serve", str(runs.parent), "--page", PAGE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(serve.communicate)
        self.addCleanup(serve.kill)
        window = self.start()
        window.browser.get(serve.stdout.readline().strip() + "job%201/a%23b.pickle/?device=0&view=1000%3A5000")
        link = window.browser.find_element("link text", "Open it in the viewer").get_attribute("href")
        window.browser.get(link)
        state = window.wait("the file", lambda s: s["file"] and s["timeline"]["view"][:2] == [1000, 5000])
        self.assertTrue(state["file"].endswith("/a#b.pickle"), state["file"])
        self.assertTrue(window.browser.execute_script("return crossOriginIsolated && !navigator.serviceWorker.controller"))

    def saved(self, window, name, size):
        """Saves the picture on the screen; returns the file that the browser downloads."""
        window.click("menu_file")
        window.click("menu_file_save_picture")
        for field, text in (("save_picture_path", name), ("save_picture_size", size)):
            window.click(field)
            window.key("ctrl+a")
            window.type(text)
        window.click("save_picture_save")
        window.wait_saved(self.folder / name)
        return (self.folder / name).read_bytes()

    def test_saved_pictures_are_those_of_the_program(self):
        """Compares some colourings with the pictures of tests/golden, and checks an SVG with its caption."""
        window = self.start()
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        window.key("b")   # the pictures of tests/golden have no names in their blocks
        FAILURES.mkdir(parents=True, exist_ok=True)
        for name in COLOURED_BY:
            baseline = TESTS / "golden" / "baselines" / f"coloured_by_{name}.png"
            with self.subTest(picture=baseline.name):
                window.browser.execute_script(f"location.hash = 'colour-by={name}'")
                window.fresh()
                saved = self.saved(window, baseline.name, "640x360")
                (FAILURES / baseline.name).write_bytes(saved)
                channels, rows = png.decode(saved)
                wanted_channels, wanted = png.decode(baseline.read_bytes())
                self.assertEqual((channels, len(rows), len(rows[0])), (wanted_channels, len(wanted), len(wanted[0])))
                apart = [abs(a - b) for row, wanted_row in zip(rows, wanted) for a, b in zip(row, wanted_row)]
                self.assertLessEqual(sum(each > MAX_DIFFERENCE for each in apart), MAX_ON_EDGES * len(apart), f"it is in {FAILURES}")
                self.assertLessEqual(sum(apart) / len(apart), MAX_MEAN_DIFFERENCE)
                (FAILURES / baseline.name).unlink()
        svg = ElementTree.fromstring(self.saved(window, "picture.svg", "640x360"))
        self.assertIn("peak", "".join(svg.itertext()))

    def touch(self, window, kind, *points):
        window.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    def test_fingers_and_touchpads(self):
        window = self.start()
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        window.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
        left, top, right, bottom = window.fresh()["timeline"]["canvas"]
        x, y = (left + right) / 2, (top + bottom) / 2
        before = window.fresh()["timeline"]["view"]
        self.touch(window, "touchStart", (x - 50, y), (x + 50, y))
        for step in range(1, 11):
            self.touch(window, "touchMove", (x - 50 - 10 * step, y), (x + 50 + 10 * step, y))
        self.touch(window, "touchEnd")
        near = window.fresh()["timeline"]["view"]
        self.assertAlmostEqual((near[1] - near[0]) / (before[1] - before[0]), 1 / 3, delta=0.02, msg="fingers three times as far apart")
        self.assertAlmostEqual((near[0] + near[1]) / 2, (before[0] + before[1]) / 2, delta=(before[1] - before[0]) / 50)
        self.touch(window, "touchStart", (x, y))
        for step in range(1, 11):
            self.touch(window, "touchMove", (x - 20 * step, y))
        self.touch(window, "touchEnd")
        moved = window.fresh()["timeline"]["view"]
        self.assertAlmostEqual((moved[0] - near[0]) / (near[1] - near[0]), 200 / (right - left), delta=0.03)
        self.assertAlmostEqual(moved[1] - moved[0], near[1] - near[0], delta=1e-6 * moved[1])
        for _ in range(20):   # a touchpad sends movements of a few pixels
            window.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseWheel", "x": x, "y": y, "deltaX": 10, "deltaY": 0})
        sideways = window.fresh()["timeline"]["view"]
        self.assertAlmostEqual((sideways[0] - moved[0]) / (moved[1] - moved[0]), 0.1, delta=0.01, msg="two notches to the right")

    def test_odd_sizes(self):
        """Some GPUs process four pixels at a time, also beyond the edge of the picture, where the shader must end, too."""
        window = self.start()
        path = self.folder / "large.pickle"
        write_large_snapshot(path, pairs=200_000)
        window.drop(path)
        window.wait_drawn(path)
        for width in (901, 902, 903, 904):
            for height in (601, 602, 603, 604):
                window.xdotool("windowsize", window.window_id, width, height)
                window.wait("a frame of that size", lambda s: abs(s["rects"]["shows"][2] - width) <= 1)
                left, top, right, bottom = window.fresh()["timeline"]["canvas"]
                window.wheel((left + right) / 2, (top + bottom) / 2, 1)

    def test_sharp_screens(self):
        """On a screen with two device pixels per page pixel, the picture has device pixels."""
        window = self.start("--force-device-scale-factor=2")
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        width, wanted = window.browser.execute_script("return [canvas.width, 2 * innerWidth]")
        self.assertEqual(width, wanted)

    def test_one_file_opens_from_the_disk(self):
        """One file with program and snapshot, for which browsers provide no threads; another file is dropped on it."""
        path = self.folder / "one.html"
        subprocess.run([BINARY, "export", SAMPLE, "--out", path, "--page", PAGE, "--show", "view=1000:5000&sql=SELECT 7"], check=True,
                       stdout=subprocess.DEVNULL)
        window = self.start()
        window.browser.get(path.as_uri())
        state = window.wait("the file", lambda s: s["file"] and s["timeline"]["view"][:2] == [1000, 5000])
        self.assertTrue(state["file"].endswith("/" + SAMPLE.name), state["file"])
        self.assertFalse(window.browser.execute_script("return Module.hasThreads"))
        window.wait("the findings", lambda s: s["findings"]["state"] == "ready")
        window.browser.execute_script(COUNT_MARKS)
        window.marks = 0
        self.assertEqual(window.state()["query"]["first_rows"], [["7"]])
        count = window.state()["timeline"]["allocations"]
        self.assertEqual(window.answer("SELECT count(*) FROM allocations")["first_rows"], [[str(count)]])
        other = self.folder / "other.pickle"
        write_snapshot(other, 5)
        window.drop(other)
        self.assertEqual(window.wait("the other file", lambda s: s["file"] and s["file"] != state["file"] and s["timeline"])["timeline"]["allocations"], 5)

    def go_on_without_threads(self, window):
        window.browser.get(served_page(self.folder) + "?alone")
        window.wait("the first frame", lambda s: s["frames"] > 0)
        self.assertFalse(window.browser.execute_script("return Module.hasThreads"))
        window.browser.execute_script(COUNT_MARKS)
        window.marks = 0

    def test_without_threads(self):
        """A large file is read in slices, between which the page draws and can be stopped."""
        window = self.start()
        self.go_on_without_threads(window)
        path = self.folder / "large.pickle"
        write_large_snapshot(path)
        window.drop(path)
        window.wait("it to be loaded", lambda s: s["loading"], patience_s=PATIENCE_S)
        frames = window.state()["frames"]
        window.wait("frames meanwhile", lambda s: s["loading"] and s["frames"] > frames + 2)
        window.rect("load_cancel")
        window.click("load_cancel")
        window.wait("the end of it", lambda s: not s["loading"])
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)

    def wait_for_address(self, window, part):
        until = time.monotonic() + PATIENCE_S
        while part not in window.browser.current_url:
            self.assertLess(time.monotonic(), until, f"no {part} in {window.browser.current_url}")
            time.sleep(0.1)
        return window.browser.current_url

    def test_databases(self):
        """SQLite reads parts of a dropped database; one in a zip is read from an unnamed file."""
        names = ("ascend/level0-rank1.db", "snapviewer-zips/train-512-db.zip")
        paths = [path for path in (SHARED / "data" / name for name in names) if path.is_file()]
        if not paths:
            self.skipTest("SNAPVIEWER_SHARED has no databases")
        window = self.start()
        for path in paths:
            with self.subTest(file=path.name):
                window.drop(path)
                state = window.wait(f"{path.name} or an error", lambda s: s["error"] or s["file"] == str(path) and not s["loading"])
                if state["error"]:
                    window.click("error_ok")
                    window.wait("the error to go", lambda s: s["error"] is None)
                self.assertIsNone(state["error"])
                self.assertEqual(window.answer("SELECT count(*) > 0 FROM allocations")["first_rows"], [["1"]])

    def test_it_gets_ready_while_there_is_no_file(self):
        """The page opens its sample without showing it."""
        QuietHandler.asked.clear()
        window = self.start()
        asked = lambda path: [each for _, each, _ in QuietHandler.asked if each == path]
        window.wait("the sample to be asked for", lambda _: asked("/sample.pickle"))
        self.assertEqual(len(asked("/sample.pickle")), 1)
        path = self.folder / "large.pickle"
        write_large_snapshot(path, pairs=200_000)
        self.assertGreater(path.stat().st_size, 3 * 4 << 20, "it is copied in several pieces")
        window.drop(path)
        self.wait_for_allocations(window, path, 200_000)

    def test_files_are_read_by_their_links_where_they_cannot_be_copied(self):
        window = self.start()
        window.browser.execute_script("window.Worker = class { constructor() { throw new Error('none today'); } };")
        path = self.folder / "large.pickle"
        write_large_snapshot(path, pairs=200_000)
        window.drop(path)
        self.wait_for_allocations(window, path, 200_000)

    def test_a_file_that_was_changed_is_not_read_again_and_why(self):
        window = self.start()
        path = self.folder / "changed.pickle"
        write_snapshot(path, 5)
        window.drop(path)
        self.wait_for_allocations(window, path, 5)
        write_snapshot(path, 7)
        window.click("menu_file")
        window.click("menu_file_reload")
        state = window.wait("why not", lambda s: s["error"])
        self.assertIn("a file that was changed or deleted", state["error"]["text"])
        self.assertEqual(state["timeline"]["allocations"], 5)

    def test_a_file_that_is_gone_before_it_is_read(self):
        """The program continues and shows an error; with threads, the program itself reads the file."""
        gone = "() => Promise.reject(new Error('it is gone'))"
        window = self.start()
        window.browser.execute_script(f"Blob.prototype.text = {gone};")
        path = self.folder / "kept.pickle"
        write_snapshot(path, 5)
        window.drop(path)
        self.wait_for_allocations(window, path, 5)

        self.go_on_without_threads(window)
        window.browser.execute_script(f"Blob.prototype.arrayBuffer = {gone};")
        window.drop(path)
        window.wait("why not", lambda s: s["notice"] == "kept.pickle could not be read: it is gone")
        window.click("menu_help")
        window.rect("menu_help_about")

    def test_the_browsers_zoom_enlarges_once(self):
        window = self.start()
        before = window.fresh()["look"]   # in device pixels, which increase
        window.xdotool("key", "ctrl+plus")
        window.wait("the zoom", lambda _: window.browser.execute_script("return devicePixelRatio;") > 1)
        after = window.fresh()["look"]
        self.assertAlmostEqual(after["line_px"], before["line_px"], delta=1)
        self.assertEqual(after["scale"], before["scale"])
        window.xdotool("key", "ctrl+0")
        window.wait("it to be as before", lambda s: s["look"] == before)

    def test_what_was_set_last_is_remembered(self):
        """Even if the page is left at once, and the program does not learn of that."""
        window = self.start()
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        left, top, right, bottom = window.rect("details_splitter")
        x, y = (left + right) / 2, (top + bottom) / 2
        window.drag(x, y, x - 170, y)
        where = window.rect("details_splitter")
        self.assertLess(where[0], left - 100)
        window.browser.refresh()
        window.wait("the page again", lambda s: s["frames"] > 0 and s["file"] is None)
        window.browser.execute_script(COUNT_MARKS)
        window.marks = 0
        window.drop(SAMPLE)
        window.wait_drawn(SAMPLE)
        for now, before in zip(window.rect("details_splitter"), where):
            self.assertAlmostEqual(now, before, delta=2)

    def test_one_name_twice(self):
        """Drops the same file again, and another one with the same name."""
        window = self.start()
        first, second = self.folder / "one" / "a.pickle", self.folder / "two" / "a.pickle"
        for path, count in ((first, 3), (second, 5)):
            path.parent.mkdir()
            write_snapshot(path, count)
        for path, count in ((first, 3), (second, 5), (first, 3), (first, 3)):
            drawn_before = window.state()["drawn_pictures"]
            window.drop(path)
            self.wait_for_allocations(window, path, count)
            self.assertEqual(window.answer("SELECT count(*) FROM allocations")["first_rows"], [[str(count)]])
            self.assertGreaterEqual(window.state()["drawn_pictures"], drawn_before)
            self.assertIsNone(window.state()["error"])


def main():
    missing = [tool for tool in ("Xvfb", "xdotool") if not shutil.which(tool)] + missing_for_pages()
    missing += [name for name, path in (("SNAPVIEWER_SAMPLE", SAMPLE), ("SNAPVIEWER_XDND_SOURCE", XDND_SOURCE)) if not os.path.isfile(path)]
    if missing:
        print(f"skipped: {', '.join(missing)} not found")
        return SKIPPED
    return 0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
