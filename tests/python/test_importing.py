"""The cost of importing and using the module, and the modules that it imports; runs the examples in its docstrings."""
import doctest
import importlib
import importlib.util
import os
import pkgutil
import subprocess
import sys
import tempfile
import unittest

from module import BINARY, MODULE, SAMPLE, main, run_python

import snapviewer

NEEDS = {"_mcp": "mcp", "_pytest_plugin": "pytest"}   # packages of the extras
HEAVY = {"numpy", "torch", "pyarrow", "pandas", "polars", "duckdb", "sqlite3", "asyncio"}


class Importing(unittest.TestCase):
    def test_brings_nothing_along(self):
        done = run_python(f"import sys, snapviewer as sv\ns = sv.open({SAMPLE!r})\ns.query('SELECT * FROM allocations').rows()\n"
                          "print(' '.join(sys.modules))\nprint(open('/proc/self/maps').read())")
        self.assertEqual(done.returncode, 0, done.stderr)
        modules, maps = done.stdout.split("\n", 1)
        self.assertEqual(HEAVY & set(modules.split()), set())
        self.assertIn("libsnapviewer.so", maps)
        for library in ("libX", "libGL", "libEGL", "libwayland", "libgallium", "libfontconfig"):
            self.assertNotIn(library, maps)

    def test_is_quick(self):
        """Importing takes at most as long as a common module of Python's library. Measured alternately, because machines are shared."""
        with tempfile.TemporaryDirectory() as folder:   # like an installed module, it is compiled once
            def import_ms(name):
                done = run_python(f"import sys, time\nsys.dont_write_bytecode, sys.pycache_prefix = False, {folder!r}\n"
                                  f"began = time.perf_counter()\nimport {name}\nprint((time.perf_counter() - began) * 1000)")
                return float(done.stdout)
            taken_ms = [(import_ms("snapviewer"), import_ms("asyncio")) for _ in range(8)]
        self.assertLess(min(ours for ours, _ in taken_ms), min(theirs for _, theirs in taken_ms))

    def test_says_what_is_missing(self):
        done = run_python("import os\nos.environ['SNAPVIEWER_LIBRARY'] = '/nowhere/libsnapviewer.so'\nimport snapviewer\n"
                          "try:\n    snapviewer.open('x')\nexcept ImportError as e:\n    print(e)")
        self.assertIn("SNAPVIEWER_LIBRARY", done.stdout)
        done = run_python(f"import sys, snapviewer\nsys.modules['polars'] = None\nr = snapviewer.open({SAMPLE!r}).query('SELECT 1')\n"
                          "try:\n    r.to_polars()\nexcept ImportError as e:\n    print(e)")
        self.assertIn("pip install polars", done.stdout)


class AsACommand(unittest.TestCase):
    """Tests python -m snapviewer."""

    def run_module(self, *arguments, **environment):
        return subprocess.run([sys.executable, "-m", "snapviewer", *arguments], env={**os.environ, "PYTHONPATH": str(MODULE), **environment},
                              capture_output=True, text=True)

    def test_it_is_the_program(self):
        for arguments in (["info", SAMPLE, "--json"], ["--version"], ["info", "nowhere.pickle"], ["colour"]):
            with self.subTest(arguments):
                ours, programs = self.run_module(*arguments), subprocess.run([BINARY, *arguments], capture_output=True, text=True)
                self.assertEqual(ours.returncode, programs.returncode)
                self.assertEqual(ours.stderr, programs.stderr)
                self.assertEqual(ours.stdout.splitlines()[:2], programs.stdout.splitlines()[:2])

    def test_it_says_that_the_program_is_missing(self):
        done = self.run_module("--version", SNAPVIEWER_BINARY="", PATH="")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"\Asnapviewer: [^\n]+\n\Z")


class Documentation(unittest.TestCase):
    def test_examples(self):
        count = 0
        for info in pkgutil.iter_modules(snapviewer.__path__):
            if importlib.util.find_spec(NEEDS.get(info.name, "sys")) is None:
                continue
            module = importlib.import_module(f"snapviewer.{info.name}")
            found = doctest.testmod(module, extraglobs={"sample": SAMPLE})
            self.assertEqual(found.failed, 0)
            count += found.attempted
        self.assertGreaterEqual(count, 6)

    def test_everything_public_is_documented(self):
        for name in snapviewer.__all__:
            thing = getattr(snapviewer, name)
            if name == "Value":
                continue
            self.assertTrue(thing.__doc__, name)
            for attribute, value in vars(thing).items() if isinstance(thing, type) else ():
                if not attribute.startswith("_") and callable(value):
                    self.assertTrue(value.__doc__, f"{name}.{attribute}")


if __name__ == "__main__":
    main()
