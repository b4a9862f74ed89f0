"""Summarizes each table of a fleet with several Parquet readers: the number of rows, each column's kind, and the sums of the numbers, or
the maximum if the sum exceeds 64 bits, as for times."""
KINDS = {"INTEGER": "integer", "TEXT": "text", "REAL": "real"}


def by_sqlite(connection, table):
    """Returns the same summary of the program's own database, for comparison."""
    columns = {name: KINDS[kind] for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")}
    return _facts(columns, lambda sql: connection.execute(sql).fetchone(), table)


def by_duckdb(dataset, table):
    kinds = {"BIGINT": "integer", "VARCHAR": "text", "DOUBLE": "real"}
    columns = {row["column_name"]: kinds[row["column_type"]] for row in dataset.query(f"DESCRIBE {table}")}
    return _facts(columns, lambda sql: tuple(dataset.query(sql)[0].values()), table)


def by_polars(dataset, table):
    import polars
    kinds = {polars.Int64: "integer", polars.String: "text", polars.Float64: "real"}
    frame = polars.scan_parquet(dataset.folder / table / "**" / "*.parquet", hive_partitioning=True)
    columns = {name: kinds[kind] for name, kind in frame.collect_schema().items()}
    return _facts(columns, lambda sql: polars.SQLContext({table: frame}).execute(sql, eager=True).row(0), table)


def by_chdb(dataset, table):
    import chdb
    kinds = {"Nullable(Int64)": "integer", "Nullable(String)": "text", "Nullable(Float64)": "real"}
    source = f"file('{dataset.folder / table}/**/*.parquet', Parquet)"

    def ask(sql):
        return [line.split("\t") for line in str(chdb.query(sql + " SETTINGS use_hive_partitioning = 0", "TabSeparated")).splitlines()]
    columns = {name: kinds[kind] for name, kind, *_ in ask(f"DESCRIBE TABLE {source}")}

    def row(sql):
        return tuple(None if value == "\\N" else float(value) if "." in value else int(value) for value in ask(sql)[0])
    return _facts(columns, row, source)


def by_spark(dataset, table, spark):
    kinds = {"bigint": "integer", "string": "text", "double": "real"}
    columns = {row["col_name"]: kinds[row["data_type"]] for row in dataset.query(f"DESCRIBE {table}", "spark", spark=spark) if row["data_type"] in kinds}
    return _facts(columns, lambda sql: tuple(dataset.query(sql, "spark", spark=spark)[0].values()), table)


def _facts(columns, row, table):
    """Leaves out columns that are encoded only in folder names, because not every reader evaluates these."""
    columns = {name: kind for name, kind in columns.items() if name != "run"}
    numbers = sorted(name for name, kind in columns.items() if kind != "text" and name != "rank")
    asked = [f"{'max' if name.endswith('_us') or name == 'address' else 'sum'}({name}) AS of_{name}" for name in numbers]
    sums = row(f"SELECT {', '.join(['count(*) AS n', *asked])} FROM {table}")
    return {"rows": sums[0], "kinds": {name: kind for name, kind in columns.items() if name != "rank"}, "sums": dict(zip(numbers, sums[1:]))}
