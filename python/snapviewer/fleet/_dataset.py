"""A fleet as Parquet files, and SQL over them."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from snapviewer._errors import Error, QueryError

#: What a dataset holds, a folder each, with a part for each run.
TABLES = ("ranks", "peak_stacks", "step_stacks", "stacks", "growth", "totals")
_FOLDER = Path(__file__).parent / "queries"
#: The questions that `ask()` knows; each is a file of SQL.
QUERIES = tuple(sorted(path.stem for path in _FOLDER.glob("*.sql")))


class Dataset:
    """What `summarize()` wrote, in one folder: `ranks/run=.../*.parquet` and so on, and `fleet.db`, which the program opens."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not (self.folder / "fleet.db").is_file():
            raise Error(f"{self.folder} is no folder that summarize() wrote: it has no fleet.db")

    @property
    def database(self) -> Path:
        """The small summary as an SQLite database."""
        return self.folder / "fleet.db"

    def query(self, sql: str) -> list[dict[str, Any]]:
        """The rows of a query over the tables, in DuckDB's SQL; docs/fleets.md describes them. Bytes are whole numbers.

        QueryError for SQL that DuckDB refuses, ImportError where DuckDB is missing.
        """
        try:
            import duckdb
        except ImportError:
            raise ImportError("asking a fleet needs DuckDB: pip install duckdb") from None
        with duckdb.connect() as connection:
            for table in TABLES:
                files = str(self.folder / table / "*" / "*.parquet").replace("'", "''")
                connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{files}', hive_partitioning = true, "
                                   "hive_types = {'run': 'VARCHAR'})")
            try:
                cursor = connection.execute(sql)
            except duckdb.Error as error:
                raise QueryError(str(error).strip()) from None
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row)) for row in cursor.fetchall()]

    def ask(self, question: str) -> list[dict[str, Any]]:
        """The answer to one of QUERIES: "outliers", "outlier_stacks", "growing", "left_by_step", "out_of_memory" or "failed"."""
        if question not in QUERIES:
            raise ValueError(f"there is no question {question!r}, only {', '.join(QUERIES)}")
        return self.query((_FOLDER / f"{question}.sql").read_text(encoding="utf-8"))
