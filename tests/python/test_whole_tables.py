"""What the library reads from a table without SQLite's steps is what SQLite hands over row by row: the same Arrow buffers, batch by batch.

A LIMIT that limits nothing makes SQLite count rows, so that it takes every step itself."""
import ctypes
import sys
import tempfile
import unittest
from pathlib import Path

from module import ROOT, main

import snapviewer as sv

sys.path.insert(0, str(ROOT / "tests"))
import snapshots  # noqa: E402

UNLIMITED = " LIMIT -1"
STEPS = {"VColumn", "Rowid", "ResultRow"}
VALUE_BYTES = {b"l": 8, b"g": 8}


def buffers(array, format):
    """Of a column: bits of what is there, values, and of texts their bytes."""
    if format == b"n":
        return ()
    bits = ctypes.string_at(array.buffers[0], (array.length + 7) // 8) if array.buffers[0] else None
    if format in VALUE_BYTES:
        return bits, ctypes.string_at(array.buffers[1], array.length * VALUE_BYTES[format])
    ends = (ctypes.c_int32 * (array.length + 1)).from_address(array.buffers[1])
    return bits, list(ends), ctypes.string_at(array.buffers[2], ends[array.length])


def answer(snapshot, sql):
    stream = snapshot.query(sql)._stream()
    batches = []
    for batch in stream.batches():
        columns = [batch.children[i].contents for i in range(batch.n_children)]
        batches.append((batch.length, [(each.null_count, *buffers(each, format)) for each, format in zip(columns, stream.formats)]))
    return stream.columns, stream.formats, batches


def is_plain(snapshot, sql):
    """Whether SQLite's loop over a virtual table does no more than hand over its columns."""
    names = [row[1] for row in snapshot.query("EXPLAIN " + sql).rows()]
    return "VFilter" in names and set(names[names.index("VFilter") + 1:names.index("VNext")]) <= STEPS


class WholeTables(unittest.TestCase):
    def compare(self, snapshot, sql):
        """Returns how many rows there are."""
        ours, theirs = answer(snapshot, sql), answer(snapshot, sql + UNLIMITED)
        self.assertTrue(ours == theirs, f"{sql}: other buffers")
        self.assertFalse(is_plain(snapshot, sql + UNLIMITED), sql)
        return sum(length for length, _ in ours[2])

    def compare_file(self, path):
        rows = plain = 0
        with sv.open(path) as snapshot:
            for table in snapshot.tables():
                sql = f"SELECT * FROM {table['name']}"
                plain += is_plain(snapshot, sql)
                rows += self.compare(snapshot, sql)
                for column in table["columns"]:
                    name = f"\"{column['name']}\""
                    rows += self.compare(snapshot, f"SELECT {name} FROM {table['name']}")
                    self.compare(snapshot, f"SELECT {name}, {name} AS again FROM {table['name']} WHERE {name} IS NOT NULL ORDER BY {name} DESC")
        return rows, plain

    def test_every_table_and_column(self):
        rows = 0
        with tempfile.TemporaryDirectory() as folder:
            for path in snapshots.generated(Path(folder)):
                with self.subTest(path.name):
                    of_file, plain = self.compare_file(path)
                    self.assertGreater(plain, 15)
                    rows += of_file
        self.assertGreater(rows, 1_000_000)

    def test_conditions_orders_and_parameters(self):
        sample = sv.open(snapshots.SAMPLE)
        for sql in ("SELECT rowid, size FROM allocations WHERE size > 1000000 ORDER BY size",
                    "SELECT text, id FROM stacks WHERE text LIKE '%forward%'",
                    "SELECT id AS a, id AS b, stack_id FROM events WHERE action = 'alloc' AND id BETWEEN 1000 AND 90000",
                    "SELECT id FROM allocations WHERE size = (SELECT max(size) FROM allocs)",
                    "SELECT id FROM allocations WHERE 0",
                    "SELECT v.s FROM (SELECT size AS s, id FROM allocations) v WHERE v.id > 7"):
            with self.subTest(sql):
                self.assertEqual(bool(self.compare(sample, sql)), "WHERE 0" not in sql)
        asked = "SELECT id, size FROM allocations WHERE size >= :least"
        self.assertEqual(sample.query(asked, least=10**6).rows(), sample.query(asked + UNLIMITED, least=10**6).rows())

    def test_what_does_more_is_left_to_sqlite(self):
        sample = sv.open(snapshots.SAMPLE)
        (last,), = sample.query("SELECT max(id) FROM allocations").rows()
        self.assertEqual(sample.query("SELECT id FROM allocations UNION ALL SELECT -1").rows()[-2:], [(last,), (-1,)])
        self.assertEqual(len(sample.query("SELECT id, 7, size + 1 FROM allocations LIMIT 3 OFFSET 2").rows()), 3)
        self.assertEqual(sample.query("SELECT DISTINCT device FROM allocations").rows(), [(0,)])
        self.assertEqual(len(sample.query("SELECT a.id FROM allocations a, allocations b WHERE a.id = b.id").rows()), last + 1)
        self.assertEqual(sample.query("SELECT max(id), count(*) FROM allocations").rows(), [(last, last + 1)])


if __name__ == "__main__":
    main()
