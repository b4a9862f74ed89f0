"""show() in a notebook returns pages of `snapviewer serve`."""
import os
import shutil
import sys
import tempfile
import types
import unittest
import urllib.error
import urllib.request
from unittest import mock

from module import SAMPLE, main

import snapviewer as sv
from snapviewer import _serve


def text_at(link):
    with urllib.request.urlopen(link, timeout=20) as answer:
        return answer.read().decode()


class Kernel:
    kernel = object()


class Show(unittest.TestCase):
    def setUp(self):
        shell = types.SimpleNamespace(get_ipython=Kernel)
        self.enterContext(mock.patch.dict(sys.modules, {"IPython": shell}))

    def pages(self):
        with sv.open(SAMPLE) as snapshot:
            pages = snapshot.show()
        self.addCleanup(pages.stop)
        return pages

    def test_gives_pages_until_they_are_stopped(self):
        pages = self.pages()
        self.assertRegex(pages.link, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{40}/")
        self.assertIn("sample.pickle", text_at(pages.link))
        pages.stop()
        with self.assertRaises(urllib.error.URLError):
            text_at(pages.link)

    def test_links_to_them_from_elsewhere(self):
        pages = self.pages()
        port = pages.link.split(":")[2].split("/")[0]
        self.assertIsNone(pages.path_behind_proxy)
        self.assertIn(f'href="{pages.link}"', pages._repr_html_())
        self.assertIn(f"ssh -L {port}:127.0.0.1:{port} ", pages._repr_html_())
        with mock.patch("importlib.util.find_spec", lambda name: name == "jupyter_server_proxy" or None), \
                mock.patch.dict(os.environ, {"JUPYTERHUB_SERVICE_PREFIX": "/user/me/"}):
            behind = pages.path_behind_proxy
            self.assertEqual(behind, "/user/me/proxy/" + pages.link.removeprefix("http://127.0.0.1:"))
            self.assertIn(f'href="{behind}"', pages._repr_html_())

    def test_says_why_there_are_none(self):
        with self.assertRaisesRegex(sv.ProgramError, "cannot be served"):
            _serve.Pages("/nowhere/a.pickle")

    def test_says_what_to_install(self):
        """The plain wheel lacks the library for `serve`."""
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(os.environ["SNAPVIEWER_BINARY"], folder)
            with mock.patch.dict(os.environ, {"SNAPVIEWER_BINARY": alone}), sv.open(SAMPLE) as snapshot, \
                    self.assertRaisesRegex(sv.ProgramError, "serving needs a library that is missing .* portable wheel bring it"):
                snapshot.show()

    def test_is_the_window_elsewhere(self):
        with mock.patch.dict(sys.modules), mock.patch("snapviewer._program.show") as window, sv.open(SAMPLE) as snapshot:
            del sys.modules["IPython"]
            self.assertIsNone(snapshot.show())
            window.assert_called_once_with(snapshot.path)


if __name__ == "__main__":
    main()
