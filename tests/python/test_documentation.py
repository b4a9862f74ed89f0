"""The examples of the documentation, run as they stand: what opens the bundled sample answers, and what is quoted is said."""
import contextlib
import io
import os
import re
import unittest

from module import ROOT, SAMPLE, main

import snapviewer as sv

PAGES = ("README.md", "docs/getting-started.md")


def examples(page):
    return [code for code in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL) if "sample.pickle" in code]


class Documentation(unittest.TestCase):
    def setUp(self):
        before = os.getcwd()
        os.chdir(ROOT)
        self.addCleanup(os.chdir, before)

    def output_of(self, code):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, {"sv": sv})
        return out.getvalue()

    def test_every_example_says_something(self):
        for page in PAGES:
            self.assertTrue(examples(page), page)
            for code in examples(page):
                self.assertGreater(len(self.output_of(code)), 20, code)

    def test_getting_started_quotes_the_findings(self):
        text = (ROOT / "docs/getting-started.md").read_text(encoding="utf-8")
        with sv.open(SAMPLE) as snapshot:
            said = " ".join(finding["sentence"] for finding in snapshot.findings())
        quotes = re.findall(r"^> (.+)$", text, re.MULTILINE)
        self.assertEqual(len(quotes), 2)
        for quote in quotes:
            self.assertIn(quote, said)

    def test_getting_started_names_the_largest_line(self):
        line, size = eval(self.output_of(examples("docs/getting-started.md")[-1]))[0]
        self.assertEqual(line, "GPT.forward@model.py:179")
        self.assertIn(f"`{line}` with {size / 2**30:.1f} GiB first", (ROOT / "docs/getting-started.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
