"""Summarizes many ranks at once: writes the essentials of each snapshot into a Parquet dataset, which you can query in SQL.

    import snapviewer as sv
    dataset = sv.fleet.summarize(["snapshots/"], "fleet/")
    for outlier in dataset.ask("outliers"):
        print(outlier["rank"], outlier["delta_bytes"])

Needs pyarrow to write and DuckDB to query: pip install snapviewer[fleet]. To use more than one machine, install Spark:
snapviewer[spark].
"""
from __future__ import annotations

from snapviewer.fleet._dataset import QUERIES, Dataset
from snapviewer.fleet._summarize import summarize
from snapviewer.fleet._tables import TABLES, TABLES_ON_REQUEST

__all__ = ["Dataset", "QUERIES", "TABLES", "TABLES_ON_REQUEST", "summarize"]
