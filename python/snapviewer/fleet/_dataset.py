"""A fleet as Parquet files, and SQL queries over them."""
from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from snapviewer._errors import Error, QueryError
from snapviewer.fleet._tables import TABLES, TABLES_ON_REQUEST, partition

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Engine = Literal["local", "spark"]
_FOLDER = Path(__file__).parent / "queries"
#: The names that `ask()` accepts; each is the name of an SQL file.
QUERIES = tuple(sorted(path.stem for path in _FOLDER.glob("*.sql")))


class Dataset:
    """A folder written by `summarize()`: Parquet files such as `ranks/run=.../*.parquet`, and `fleet.db`, which the program opens."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not (self.folder / "fleet.db").is_file():
            raise Error(f"{self.folder} was not written by summarize(): it has no fleet.db")

    @property
    def database(self) -> Path:
        """Path of the small summary, an SQLite database."""
        return self.folder / "fleet.db"

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables."""
        return tuple(table for table in (*TABLES, *TABLES_ON_REQUEST) if (self.folder / table).is_dir())

    def query(self, sql: str, engine: Engine = "local", *, spark: SparkSession | None = None) -> list[dict[str, Any]]:
        """Runs a query over the tables, in DuckDB's SQL or Spark's, and returns its rows. docs/fleets.md describes the tables.
        Bytes are integers.

        Raises QueryError for SQL that is refused, and ImportError if DuckDB or pyspark is missing.
        """
        if engine == "local":
            return self._by_duckdb(sql)
        if engine == "spark":
            return self._by_spark(sql, spark)
        raise ValueError(f"there is no engine {engine!r}; expected 'local' or 'spark'")

    def ask(self, question: str, engine: Engine = "local", *, spark: SparkSession | None = None) -> list[dict[str, Any]]:
        """Returns the answer to one of QUERIES: "outliers", "outlier_stacks", "growing", "left_by_step", "out_of_memory" or "failed"."""
        if question not in QUERIES:
            raise ValueError(f"there is no question {question!r}; expected one of {', '.join(QUERIES)}")
        return self.query((_FOLDER / f"{question}.sql").read_text(encoding="utf-8"), engine, spark=spark)

    def _by_duckdb(self, sql: str) -> list[dict[str, Any]]:
        try:
            import duckdb
        except ImportError:
            raise ImportError("querying a fleet needs DuckDB: pip install duckdb") from None
        with duckdb.connect() as connection:
            for table in self.tables:
                files = str(self.folder / table / "**" / "*.parquet").replace("'", "''")
                connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{files}', hive_partitioning = true, "
                                   "hive_types = {'run': 'VARCHAR'})")
            try:
                cursor = connection.execute(sql)
            except duckdb.Error as error:
                raise QueryError(str(error).strip()) from None
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row)) for row in cursor.fetchall()]

    def _by_spark(self, sql: str, spark: SparkSession | None) -> list[dict[str, Any]]:
        try:
            from pyspark.errors import AnalysisException
            from pyspark.sql import SparkSession
        except ImportError:
            raise ImportError("querying a fleet with Spark needs pyspark: pip install pyspark") from None
        session = (spark or SparkSession.builder.getOrCreate()).newSession()
        session.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")      # keeps a run called 7 a text
        for table in self.tables:
            rows = session.read.parquet(str(self.folder / table))
            if "rank" in partition(table):
                rows = rows.withColumn("rank", rows["rank"].cast("long"))
            rows.createOrReplaceTempView(table)
        try:
            return [row.asDict() for row in session.sql(sql).collect()]
        except AnalysisException as error:
            raise QueryError(str(error).strip()) from None
