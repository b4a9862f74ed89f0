"""Runs the examples of the documentation: those that open the bundled sample work, and quoted sentences are in the output. Examples that
need a GPU or a framework are only parsed, and their calls of this module are checked against its signatures."""
import ast
import contextlib
import inspect
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

    def test_recipes_call_what_there_is(self):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/record.md").read_text(encoding="utf-8"), re.DOTALL)
        called = [node for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Call)
                  and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in ("sv", "recorder")]
        for call in called:
            thing = getattr(sv if ast.unparse(call.func.value) == "sv" else sv.record, call.func.attr)
            given = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
            places = [None] * (len(call.args) + (call.func.attr == "step"))   # `step` needs a value for `self`
            inspect.signature(thing).bind(*places, **given)
            if thing is sv.record:
                sv.record("out/", **given)
        self.assertGreaterEqual(len(called), 13)


if __name__ == "__main__":
    main()
