"""python -m snapviewer.fleet summarize 'run/*.pickle' --out fleet/"""
from __future__ import annotations

import argparse
import glob
import sys

from snapviewer._errors import Error
from snapviewer.fleet import QUERIES, TABLES_ON_REQUEST, Dataset, summarize


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m snapviewer.fleet", description="Many snapshots at once")
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("summarize", help="write the essentials of each file as a Parquet dataset")
    making.add_argument("paths", nargs="+", metavar="FILE", help="snapshots, folders of them, or patterns such as 'run/*.pickle'")
    making.add_argument("--out", required=True, metavar="FOLDER", help="the output folder; an older dataset there is replaced")
    making.add_argument("--engine", choices=("local", "spark"), default="local", help="where to run: this machine, or the Spark that spark-submit names")
    making.add_argument("--max-file", metavar="SIZE", help="do not read files larger than this, such as 8GiB; they become rows with an error")
    making.add_argument("--also", action="append", default=[], choices=TABLES_ON_REQUEST, help="also keep this table of each file")
    asking = commands.add_parser("ask", help="print the answer to a question, one line per row")
    asking.add_argument("folder", metavar="FOLDER", help="the folder that summarize wrote")
    asking.add_argument("question", choices=QUERIES)
    asking.add_argument("--engine", choices=("local", "spark"), default="local", help="where to run the query: DuckDB, or Spark")
    given = parser.parse_args()
    try:
        if given.command == "summarize":
            paths = [path for pattern in given.paths for path in sorted(glob.glob(pattern)) or [pattern]]
            summarize(paths, given.out, given.engine, max_file=given.max_file, also=given.also)
        else:
            for row in Dataset(given.folder).ask(given.question, given.engine):
                print("\t".join(f"{name}={value}" for name, value in row.items()))
    except (Error, ImportError, ValueError) as error:
        print(f"snapviewer.fleet: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
