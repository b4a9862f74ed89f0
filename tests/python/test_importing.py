"""What importing and using the module costs and brings along; the examples in its documentation."""
import doctest
import importlib
import importlib.util
import pkgutil
import tempfile
import unittest

from module import SAMPLE, main, run_python

import snapviewer

BUDGET_MS = 50
NEEDS = {"_mcp": "mcp", "_pytest_plugin": "pytest"}   # what extras bring
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
        # As installed: compiled once.
        code = "import time\nt = time.perf_counter()\nimport snapviewer\nprint((time.perf_counter() - t) * 1000)"
        with tempfile.TemporaryDirectory() as folder:
            code = f"import sys\nsys.dont_write_bytecode, sys.pycache_prefix = False, {folder!r}\n" + code
            times_ms = [float(run_python(code).stdout) for _ in range(15)]
        self.assertLess(min(times_ms), BUDGET_MS)

    def test_says_what_is_missing(self):
        done = run_python("import os\nos.environ['SNAPVIEWER_LIBRARY'] = '/nowhere/libsnapviewer.so'\nimport snapviewer\n"
                          "try:\n    snapviewer.open('x')\nexcept ImportError as e:\n    print(e)")
        self.assertIn("SNAPVIEWER_LIBRARY", done.stdout)
        done = run_python(f"import sys, snapviewer\nsys.modules['polars'] = None\nr = snapviewer.open({SAMPLE!r}).query('SELECT 1')\n"
                          "try:\n    r.to_polars()\nexcept ImportError as e:\n    print(e)")
        self.assertIn("pip install polars", done.stdout)


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
