#!/usr/bin/env python3
"""Shows that check_links.py finds broken links and accepts the others."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import check_links


class Links(unittest.TestCase):
    def findings(self, text, index="[a](a.md)", nav="  - A: a.md\n  - Index: index.md\n"):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name).resolve()
            (root / "docs").mkdir()
            (root / "docs" / "a.md").write_text(text, encoding="utf-8")
            (root / "docs" / "index.md").write_text(index, encoding="utf-8")
            (root / "mkdocs.yml").write_text(nav, encoding="utf-8")
            (root / "README.md").write_text("# Why `x` is: so\n\n## Twice\n\n## Twice\n", encoding="utf-8")
            return [line.split(": ", 1)[1] for line in check_links.broken_links(root)]

    def test_what_is_there(self):
        for text in ("[up](../README.md)", "[up](../README.md#why-x-is-so)", "# Here\n[self](#here)", "[second](../README.md#twice-1)",
                     "[site](https://example.org/#x)", "`[no](link.md)`", "```\n[no](link.md)\n# no heading\n```", "docs/index.md"):
            with self.subTest(text):
                self.assertEqual(self.findings(text), [])

    def test_what_is_not(self):
        for text in ("[gone](b.md)", "![gone](images/b.png)", "[gone](../README.md#how)", "# Here\n[gone](#there)", "```\n# Here\n```\n[gone](#here)",
                     "[third](../README.md#twice-2)", "[out](../../elsewhere)", '<img src="b.png">', "as docs/gone.md says"):
            with self.subTest(text):
                self.assertEqual(len(self.findings(text)), 1)

    def test_pages_that_nobody_finds(self):
        self.assertEqual(self.findings("", index=""), ["has no link to a.md"])
        self.assertEqual(self.findings("", nav="  - Index: index.md\n"), ["nav lacks a.md"])


if __name__ == "__main__":
    unittest.main()
