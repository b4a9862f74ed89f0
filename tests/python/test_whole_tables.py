"""`table()`, which reads in place, returns the same Arrow buffers, batch by batch, as SQLite does row by row."""
import ctypes
import sys
import tempfile
import unittest
from pathlib import Path

from module import ROOT, main

import snapviewer as sv

sys.path.insert(0, str(ROOT / "tests"))
import snapshots  # noqa: E402

VALUE_BYTES = {b"l": 8, b"g": 8}


def buffers(array, format):
    """Returns the buffers of a column: validity bits, values, and the bytes of texts."""
    if format == b"n":
        return ()
    bits = ctypes.string_at(array.buffers[0], (array.length + 7) // 8) if array.buffers[0] else None
    if format in VALUE_BYTES:
        return bits, ctypes.string_at(array.buffers[1], array.length * VALUE_BYTES[format])
    ends = (ctypes.c_int32 * (array.length + 1)).from_address(array.buffers[1])
    return bits, list(ends), ctypes.string_at(array.buffers[2], ends[array.length])


def answer(result):
    stream = result._stream()
    batches = []
    for batch in stream.batches():
        columns = [batch.children[i].contents for i in range(batch.n_children)]
        batches.append((batch.length, [(each.null_count, *buffers(each, format)) for each, format in zip(columns, stream.formats)]))
    return stream.columns, stream.formats, batches


class WholeTables(unittest.TestCase):
    def compare_file(self, path):
        """Compares all tables that can be read in place; returns the numbers of rows and tables."""
        rows = tables = 0
        with sv.open(path) as snapshot:
            for name in [table["name"] for table in snapshot.tables()]:
                try:
                    scanned = answer(snapshot.table(name))
                except sv.QueryError as refused:
                    self.assertIn(name, str(refused))
                    continue
                self.assertTrue(scanned == answer(snapshot.query(f"SELECT * FROM {name}")), f"{name}: other buffers")
                rows += sum(length for length, _ in scanned[2])
                tables += 1
        return rows, tables

    def test_every_table(self):
        rows = 0
        with tempfile.TemporaryDirectory() as folder:
            for path in snapshots.generated(Path(folder)):
                with self.subTest(path.name):
                    of_file, tables = self.compare_file(path)
                    self.assertGreater(tables, 15)
                    rows += of_file
        self.assertGreater(rows, 90_000)

    def test_what_is_no_table_is_refused(self):
        sample = sv.open(snapshots.SAMPLE)
        for name in ("", "nowhere", "layout", "findings", "events; SELECT 1", "e\0vents"):
            with self.subTest(name), self.assertRaises(sv.QueryError):
                sample.table(name).rows()

    def test_a_table_is_a_result_like_others(self):
        sample = sv.open(snapshots.SAMPLE)
        self.assertEqual(sample.table("allocations").rows(), sample.query("SELECT * FROM allocations").rows())
        names = [table["columns"] for table in sample.tables() if table["name"] == "stacks"][0]
        self.assertEqual(sample.table("stacks")._stream().columns, tuple(column["name"] for column in names))


if __name__ == "__main__":
    main()
