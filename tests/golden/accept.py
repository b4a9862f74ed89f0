#!/usr/bin/env python3
"""Copies pictures that golden tests wrote to the build folder to the baselines. Inspect the pictures before.

python3 tests/golden/accept.py NAME [NAME ...] [--from build/release/tests/golden]
"""
import argparse
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", metavar="NAME", nargs="+")
    parser.add_argument("--from", dest="folder", type=pathlib.Path, default=HERE.parents[1] / "build/release/tests/golden",
                        help="where the tests left NAME.actual.png")
    arguments = parser.parse_args()
    baselines = HERE / "baselines"
    missing = [name for name in arguments.names if not (arguments.folder / f"{name}.actual.png").exists()]
    if missing:
        sys.exit(f"accept: no test left a picture of {', '.join(missing)} in {arguments.folder}")
    for name in arguments.names:
        shutil.move(arguments.folder / f"{name}.actual.png", baselines / f"{name}.png")
        for other in ("expected", "difference"):
            (arguments.folder / f"{name}.{other}.png").unlink(missing_ok=True)
        print(f"accept: {name}")


if __name__ == "__main__":
    main()
