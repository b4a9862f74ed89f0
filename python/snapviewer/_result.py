"""The rows of a query: an Arrow stream for libraries that accept one, plain Python values otherwise."""
from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Union

from snapviewer._errors import QueryError
from snapviewer._library import ArrowArray, ArrowSchema, ArrowStream, Library, wait_for

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Value = Union[None, int, float, str, bytes]
Row = tuple[Value, ...]

TYPE_NAMES = {b"n": "null", b"l": "integer", b"g": "real", b"u": "text", b"z": "blob"}
ROWS_SHOWN = 20
TEXT_SHOWN = 120


class Stream:
    """A stream of the C interface. Use it on one thread at a time."""

    def __init__(self, library: Library, stream: ArrowStream) -> None:
        self._library = library
        self.struct = stream
        schema = ArrowSchema()
        self._check(stream.get_schema(stream, schema))
        fields = [schema.children[i].contents for i in range(schema.n_children)]
        self.columns = tuple(field.name.decode() for field in fields)
        self.formats = tuple(bytes(field.format) for field in fields)
        schema.release(schema)

    def _check(self, status: int) -> None:
        if status != 0:
            text = self.struct.get_last_error(self.struct)
            raise QueryError(text.decode(errors="replace") if text else "the system refused memory")

    def batches(self) -> Iterator[ArrowArray]:
        """Yields the batches. Each one is released when the next one is requested."""
        while self.struct.release:
            batch = ArrowArray()
            self._check(wait_for(lambda: int(self.struct.get_next(self.struct, batch)), lambda: self._library.stop(self.struct)))
            if not batch.release:
                return
            try:
                yield batch
            finally:
                batch.release(batch)

    def close(self) -> None:
        if self.struct.release:
            self.struct.release(self.struct)

    def __del__(self) -> None:
        self.close()


def _integers_or_reals(array: ArrowArray, kind: type[Any]) -> list[Value]:
    return list((kind * array.length).from_address(array.buffers[1])) if array.length else []


def _bytes_or_texts(array: ArrowArray, decode: Callable[[bytes], Value]) -> list[Value]:
    ends = list((ctypes.c_int32 * (array.length + 1)).from_address(array.buffers[1]))
    data = ctypes.string_at(array.buffers[2], ends[-1]) if ends[-1] else b""
    return [decode(data[start:end]) for start, end in zip(ends, ends[1:])]


def _values(array: ArrowArray, format: bytes) -> list[Value]:
    """Converts the values of a column to Python's types."""
    if format == b"n":
        return [None] * array.length
    if format == b"l":
        values = _integers_or_reals(array, ctypes.c_int64)
    elif format == b"g":
        values = _integers_or_reals(array, ctypes.c_double)
    elif format == b"u":
        values = _bytes_or_texts(array, bytes.decode)
    else:
        values = _bytes_or_texts(array, bytes)
    if array.null_count:
        bits = ctypes.string_at(array.buffers[0], (array.length + 7) // 8)
        values = [value if bits[i >> 3] >> (i & 7) & 1 else None for i, value in enumerate(values)]
    return values


class Result:
    """The rows of a query.

    pyarrow, polars, duckdb and pandas accept it directly: `polars.DataFrame(result)`, `pyarrow.table(result)`,
    `duckdb.sql("SELECT ... FROM result")`. Rows come in batches and are never all in memory at once. Each use starts from the first
    row: the first use consumes the rows of the running query, later ones run the query again.

    Integers have 64 bits, numbers are doubles, texts and blobs are unchanged, NULL is None. A column that mixes integers and numbers
    becomes a column of numbers, one that mixes numbers and texts a column of texts.
    """

    def __init__(self, sql: str, library: Library, ask: Callable[[], ArrowStream]) -> None:
        self.sql = sql
        self._library = library
        self._ask = ask
        self._first: Stream | None = Stream(library, ask())
        #: Names of the columns as in the SQL; a name may occur several times.
        self.columns = self._first.columns
        #: "integer", "real", "text", "blob" or, if every value is NULL, "null"; parallel to `columns`.
        self.types = tuple(TYPE_NAMES[format] for format in self._first.formats)

    def _stream(self) -> Stream:
        stream, self._first = self._first or Stream(self._library, self._ask()), None
        return stream

    def __iter__(self) -> Iterator[Row]:
        """Yields the rows as tuples, with one batch at a time in memory. Raises QueryError if a later row does not fit
        its column's type."""
        stream = self._stream()
        try:
            for batch in stream.batches():
                columns = [_values(batch.children[i].contents, format) for i, format in enumerate(stream.formats)]
                yield from zip(*columns)
        finally:
            stream.close()

    def rows(self) -> list[Row]:
        """Returns all rows as tuples.

        >>> import snapviewer
        >>> snapviewer.open(sample).query("SELECT 1 AS one, 'two' AS two, NULL").rows()
        [(1, 'two', None)]
        """
        return list(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns the rows as an Arrow C stream in a PyCapsule, for libraries. `requested_schema` is ignored, as Arrow allows."""
        from snapviewer._capsule import stream_capsule
        return stream_capsule(self._stream())

    def to_arrow(self) -> pyarrow.Table:
        """Returns all rows as a pyarrow.Table."""
        return _imported("pyarrow").table(self)

    def to_polars(self) -> polars.DataFrame:
        """Returns all rows as a polars.DataFrame."""
        return _imported("polars").DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns all rows as a pandas.DataFrame. Integers stay integers even if some are NULL (Int64), so a size of 2**53 +
        1 bytes is exact."""
        pandas, arrow = _imported("pandas"), _imported("pyarrow")
        exact = {arrow.int64(): pandas.Int64Dtype()}
        return self.to_arrow().to_pandas(types_mapper=exact.get)

    def _head(self) -> tuple[list[Row], bool]:
        """Returns the first rows, and whether there are more."""
        rows = list(itertools.islice(self, ROWS_SHOWN + 1))
        return rows[:ROWS_SHOWN], len(rows) > ROWS_SHOWN

    def __repr__(self) -> str:
        return f"<snapviewer.Result {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """Returns the first rows as a table, for notebooks."""
        import html
        rows, has_more = self._head()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
        note = f"<p>the first {ROWS_SHOWN} rows</p>" if has_more else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def _cell(value: Value) -> str:
    import html
    if isinstance(value, (int, float)):
        return f'<td style="text-align: right">{value:,}</td>'
    text = "NULL" if value is None else value.hex() if isinstance(value, bytes) else value
    return f'<td style="text-align: left">{html.escape(text if len(text) <= TEXT_SHOWN else text[:TEXT_SHOWN] + "...")}</td>'


def _imported(name: str) -> Any:
    import importlib
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}, which is not installed: pip install {name}") from error
