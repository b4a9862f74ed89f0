"""Fleet databases that are invalid, damaged, or cause far more work than their size. Each is derived from a database of
`snapviewer fleet --write`. Yields (name, bytes, outcome); in an outcome, the number of readable ranks takes the place of events."""
import contextlib
import pathlib
import random
import sqlite3
import tempfile

from hostile_outcome import Either, Opens, Refused

COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
TRUNCATED, FLIPPED = 20, 60


def up_to(count):
    return f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"


def changed(whole, script):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "changed.db")
        path.write_bytes(whole)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.executescript(script)
        return path.read_bytes()


def columns_of(whole, table):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "asked.db")
        path.write_bytes(whole)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            return [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]


def view_of_ranks(whole, source, **instead):
    """Replaces `ranks` with a view of it, in which some columns are replaced by expressions."""
    cells = ", ".join(f"{instead.get(name, f'r.{name}')} AS {name}" for name in columns_of(whole, "ranks"))
    return changed(whole, f"ALTER TABLE ranks RENAME TO kept; CREATE VIEW ranks AS {source.format(cells)}")


def lies(whole, ranks):
    yield "largest_numbers", changed(whole, "UPDATE ranks SET peak_bytes = 9223372036854775807, reserved_peak_bytes = 9223372036854775807, events = 9223372036854775807;"
                                     "UPDATE peak_stacks SET bytes = 9223372036854775807, count = 9223372036854775807;"
                                     "UPDATE growth SET slope = 1e308, grown_bytes = 9223372036854775807"), Opens(events=ranks)
    yield "smallest_numbers", changed(whole, "UPDATE ranks SET peak_bytes = -9223372036854775808, reserved_peak_bytes = -1, rank = -9223372036854775808 + rank, device = -1;"
                                      "UPDATE peak_stacks SET bytes = -9223372036854775808; UPDATE growth SET slope = -1e308, grown_bytes = -9223372036854775808"), Opens(events=ranks)
    yield "no_numbers", changed(whole, "UPDATE growth SET slope = 9e999; UPDATE peak_stacks SET bytes = 'x', stack_key = 'zz';"
                                "UPDATE ranks SET capacity_bytes = 1e300, settings_json = '{{{', wrapped = 'yes'"), Opens(events=ranks)
    yield "keys_of_bytes", changed(whole, "UPDATE peak_stacks SET stack_key = x'00ff1b'; UPDATE stacks SET stack_key = x'00ff1b', text = x'80', top_frame = x'c0af'"), Opens(events=ranks)
    yield "one_rank_many_times", changed(whole, "UPDATE ranks SET run = 'a', rank = 1, device = 0"), Opens(events=ranks)
    yield "control_characters", changed(whole, "UPDATE ranks SET file = char(27) || '[31m', host = char(0) || 'a', oom_cause = char(10), run = char(7);"
                                        "UPDATE growth SET source = char(27) || ']0;x'; UPDATE stacks SET text = char(27), top_frame = char(27, 7, 13, 10) || 'x'"), Opens(events=ranks)
    yield "no_peaks", changed(whole, "UPDATE ranks SET peak_bytes = NULL"), Refused("peak")
    yield "no_ranks", changed(whole, "DELETE FROM ranks"), Refused("holds no ranks")
    yield "no_stacks", changed(whole, "DROP TABLE stacks"), Refused("stacks")
    yield "no_column", changed(whole, "ALTER TABLE peak_stacks RENAME COLUMN bytes TO moved"), Refused("bytes")


def far_ranks_of_long_lines(whole):
    """Hundreds of ranks far from the median, with five stacks of long lines."""
    added = ", ".join({"rank": "1000 + n.i", "peak_bytes": "CASE WHEN n.i % 5 < 2 THEN 1 << 40 ELSE 1 << 30 END"}.get(name, f"r.{name}") + f" AS {name}"
                      for name in columns_of(whole, "ranks"))
    return changed(whole, f"""
        CREATE TABLE added AS {up_to(400)} SELECT {added} FROM (SELECT * FROM ranks WHERE peak_bytes > 0 LIMIT 1) r, n;
        INSERT INTO ranks SELECT * FROM added;
        CREATE TABLE keys AS {up_to(5)} SELECT printf('%016x', i) AS stack_key FROM n;
        INSERT INTO peak_stacks (run, rank, device, stack_key, bytes, count)
            SELECT run, rank, device, stack_key, peak_bytes / 5, 1 FROM added, keys;
        INSERT INTO stacks (run, stack_key, text, top_frame) SELECT 'x', stack_key, 't', hex(zeroblob(100000)) FROM keys;
        DROP TABLE added; DROP TABLE keys;""")


def costs(whole, ranks):
    yield "far_ranks_of_long_lines", far_ranks_of_long_lines(whole), Opens(events=ranks + 400)
    yield "endless_ranks", view_of_ranks(whole, COUNT + " SELECT {} FROM kept r, n", rank="n.i"), Refused("any real snapshot of its")
    yield "every_rank_with_every_other", view_of_ranks(whole, "SELECT {} FROM kept r, kept a, kept b, kept c, kept d"), Refused("than any real snapshot of its")
    yield "text_of_a_gigabyte", view_of_ranks(whole, "SELECT {} FROM kept r", settings_json="hex(zeroblob(400000000))"), Refused()
    yield "endless_stacks", changed(whole, "DROP TABLE stacks; CREATE VIEW stacks AS " + COUNT +
                                    " SELECT 'a' AS run, printf('%016x', i) AS stack_key, 'x' AS text, 'y' AS top_frame FROM n"), Refused("any real snapshot of its")


def damages(whole):
    dice = random.Random(20)
    for number in range(TRUNCATED):
        yield f"cut_{number:02}", whole[:dice.randrange(100, len(whole))], Either()
    for number in range(FLIPPED):
        content = bytearray(whole)
        for _ in range(dice.choice([1, 3, 20, 200])):
            content[dice.randrange(len(content))] = dice.randrange(256)
        content[:16], content[68:72] = whole[:16], whole[68:72]  # keeps the identification of the file
        yield f"flipped_{number:02}", bytes(content), Either()


def files(whole, ranks):
    """Yields all files. `whole` is a fleet database with `ranks` readable ranks, at least one of which has a stack."""
    yield from lies(whole, ranks)
    yield from costs(whole, ranks)
    yield from damages(whole)
