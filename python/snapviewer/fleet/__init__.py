"""Many ranks at once: the essentials of each snapshot as a Parquet dataset, which you can query in SQL.

    import snapviewer as sv
    dataset = sv.fleet.summarize(["snapshots/"], "fleet/")
    for outlier in dataset.ask("outliers"):
        print(outlier["rank"], outlier["delta_bytes"])

Needs pyarrow to write and DuckDB to query: pip install snapviewer[fleet]. For more than one machine there is Spark: snapviewer[spark].
"""
from __future__ import annotations

from snapviewer.fleet._dataset import QUERIES, Dataset
from snapviewer.fleet._summarize import summarize
from snapviewer.fleet._tables import TABLES, TABLES_ON_REQUEST

__all__ = ["Dataset", "QUERIES", "TABLES", "TABLES_ON_REQUEST", "summarize"]
