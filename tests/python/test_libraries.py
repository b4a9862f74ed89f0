"""Results in pyarrow, polars, duckdb and pandas. Each test is skipped if its library is not installed."""
import importlib.util
import unittest

from module import SAMPLE, main

import snapviewer as sv

# 150,000 rows, so several batches; sizes that no double can represent; NULL in every column but the first.
SQL = ("WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 150000) "
       "SELECT i, nullif(9007199254740992 + i, 9007199254740999) AS size, nullif(i * 0.5, 2.0) AS half, nullif('row ' || i, 'row 3') AS text, "
       "nullif(CAST(i AS BLOB), x'34') AS bytes FROM n")


def expected_row(i):
    return (i, None if i == 7 else 2**53 + i, None if i == 4 else i * 0.5, None if i == 3 else f"row {i}",
            None if i == 4 else str(i).encode())


EXPECTED = [expected_row(i) for i in range(1, 150001)]


def needs(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"needs {' and '.join(missing)}")


class Libraries(unittest.TestCase):
    def setUp(self):
        self.result = sv.open(SAMPLE).query(SQL)

    def test_plain_python(self):
        self.assertTrue(self.result.rows() == EXPECTED, "other rows")

    @needs("pyarrow")
    def test_pyarrow(self):
        import pyarrow
        table = pyarrow.table(self.result)
        table.validate(full=True)
        self.assertEqual([str(field.type) for field in table.schema], ["int64", "int64", "double", "string", "binary"])
        self.assertTrue(list(zip(*(column.to_pylist() for column in table.columns))) == EXPECTED, "other rows")
        self.assertTrue(self.result.to_arrow().equals(table))
        batches = [batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(self.result)]
        self.assertEqual(batches, [65536, 65536, 150000 - 2 * 65536])

    @needs("pyarrow")
    def test_a_reader_that_is_dropped_and_errors_of_the_stream(self):
        import pyarrow
        for _ in range(20):
            pyarrow.RecordBatchReader.from_stream(self.result).read_next_batch()
        mixed = sv.open(SAMPLE).query("WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 99999) "
                                      "SELECT CASE i WHEN 99999 THEN 'late' ELSE i END AS mixed FROM n")
        with self.assertRaisesRegex(Exception, "mixed holds integers before row 99999"):
            pyarrow.table(mixed)
        for sql, kinds in (("SELECT NULL AS a, 1 AS a", ["null", "int64"]), ("SELECT size, category FROM allocations WHERE 0", ["int64", "string"])):
            table = pyarrow.table(sv.open(SAMPLE).query(sql))
            table.validate(full=True)
            self.assertEqual([str(field.type) for field in table.schema], kinds)

    @needs("polars")
    def test_polars(self):
        import polars
        frame = polars.DataFrame(self.result)
        self.assertEqual(frame.dtypes, [polars.Int64, polars.Int64, polars.Float64, polars.String, polars.Binary])
        self.assertTrue(frame.rows() == EXPECTED, "other rows")
        self.assertTrue(self.result.to_polars().equals(frame))

    @needs("duckdb")
    def test_duckdb(self):
        import duckdb
        result = self.result
        self.assertTrue(duckdb.sql("SELECT * FROM result ORDER BY i").fetchall() == EXPECTED, "other rows")
        del result

    @needs("pandas", "pyarrow")
    def test_pandas(self):
        import pandas
        frame = self.result.to_pandas()
        self.assertEqual([str(kind) for kind in frame.dtypes][:3], ["Int64", "Int64", "float64"])
        rows = [tuple(None if value is pandas.NA or value is None or value != value else value for value in row)
                for row in frame.itertuples(index=False)]
        self.assertTrue(rows == EXPECTED, "other rows")


if __name__ == "__main__":
    main()
