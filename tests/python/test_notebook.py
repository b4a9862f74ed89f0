"""The output of a snapshot, a result and a picture in a real notebook, run without a screen.

SNAPVIEWER_NOTEBOOK=PAGE.html saves the outputs as a page for inspection.
"""
import base64
import importlib.util
import os
import unittest
from html.parser import HTMLParser
from pathlib import Path

from module import MODULE, SAMPLE, main

import snapviewer as sv

MISSING = [package for package in ("nbclient", "nbformat", "ipykernel") if importlib.util.find_spec(package) is None]
CELLS = ["import snapviewer as sv\nsnapshot = sv.open({sample!r})\nsnapshot",
         "snapshot.query('SELECT a.id, size, state, alloc_step, free_step, s.text AS stack FROM allocations a LEFT JOIN stacks s ON s.id = stack_id "
         "ORDER BY size DESC')",
         "snapshot.query(\"SELECT '<b>bold</b>' AS text, NULL AS none, x'00ff' AS bytes\")",
         "from IPython.display import Image\nImage(snapshot.picture(size=(640, 240)))"]
PNG = b"\x89PNG\r\n\x1a\n"


class Page(HTMLParser):
    """Collects the cells of a page's tables and the addresses of its pictures, and checks that all elements are closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.images, self.text, self.has_closed_wrongly = [], [], [], "", False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            self.images.append(dict(attributes)["src"])
            return
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.has_closed_wrongly |= self.open.pop() != tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


@unittest.skipIf(MISSING, f"needs {' and '.join(MISSING)}")
class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import nbclient
        import nbformat
        os.environ["PYTHONPATH"] = str(MODULE)
        cells = [nbformat.v4.new_code_cell(cell.replace("{sample!r}", repr(SAMPLE))) for cell in CELLS]
        notebook = nbformat.v4.new_notebook(cells=cells)
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        cls.shown = [cell.outputs[-1].data for cell in notebook.cells]
        if os.environ.get("SNAPVIEWER_NOTEBOOK"):
            Path(os.environ["SNAPVIEWER_NOTEBOOK"]).write_text("<hr>".join(
                data.get("text/html") or f'<img src="data:image/png;base64,{data["image/png"]}">' for data in cls.shown))

    def page(self, number):
        page = Page(self.shown[number]["text/html"])
        self.assertEqual((page.open, page.has_closed_wrongly), ([], False))
        return page

    def test_a_snapshot(self):
        with sv.open(SAMPLE) as snapshot:
            device, = snapshot.devices
            page = self.page(0)
            self.assertEqual(page.rows, [["device", "events", "allocations", "peak, bytes"],
                                         [f"{device[key]:,}" for key in ("device", "events", "allocations", "peak_bytes")]])
            self.assertIn("out of memory 1 time", page.text)
            try:
                picture = snapshot.picture(size=(1200, 500))
            except sv.ProgramError:
                self.assertEqual(page.images, [])
                return
        kind, data = page.images[0].split(",")
        self.assertEqual((kind, base64.b64decode(data)), ("data:image/png;base64", picture))
        self.assertEqual(base64.b64decode(self.shown[0]["image/png"]), picture)

    def test_a_result(self):
        page = self.page(1)
        with sv.open(SAMPLE) as snapshot:
            rows = snapshot.query("SELECT id, size FROM allocations ORDER BY size DESC LIMIT 20").rows()
        self.assertEqual(page.rows[0], ["id", "size", "state", "alloc_step", "free_step", "stack"])
        self.assertEqual(sorted(row[1] for row in page.rows[1:]), sorted(f"{size:,}" for _, size in rows))
        self.assertIn("the first 20 rows", page.text)
        self.assertLess(max(len(row[5]) for row in page.rows[1:]), 130)

    def test_values_are_no_markup(self):
        self.assertEqual(self.page(2).rows, [["text", "none", "bytes"], ["<b>bold</b>", "NULL", "00ff"]])

    def test_a_picture(self):
        self.assertEqual(base64.b64decode(self.shown[3]["image/png"])[:8], PNG)


if __name__ == "__main__":
    main()
