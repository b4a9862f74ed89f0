#!/usr/bin/env python3
"""run.py MODULE[.CLASS[.TEST]]...: runs window tests. Exits with 77, which ctest shows as "skipped", if a tool is missing or all
tests were skipped."""
import os
import shutil
import sys
import unittest

import xdo

SKIPPED = 77


def main():
    missing = [tool for tool in ("Xvfb", "xdotool") if not shutil.which(tool)] + [xdo.LIBRARY] * (not xdo.is_installed())
    if os.environ.get("SNAPVIEWER_PAGE"):
        from page_window import missing_for_pages
        missing += missing_for_pages()
    if missing:
        print(f"skipped: {', '.join(missing)} not found")
        return SKIPPED
    suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if not result.wasSuccessful():
        return 1
    return SKIPPED if result.testsRun == len(result.skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
