"""SQLite databases that are invalid, or whose schema causes far more work than their size, each with its expected outcome."""
import contextlib
import io
import os
import pathlib
import random
import sqlite3
import struct
import tempfile
import zipfile

from hostile_pickles import REPEATS
from hostile_outcome import Either, Opens, Refused

SCRIPTS = pathlib.Path(__file__).resolve().parents[1] / "databases"
ASCEND = (SCRIPTS / "ascend.sql").read_text(encoding="utf-8")
MEMSCOPE = (SCRIPTS / "msmemscope.sql").read_text(encoding="utf-8")
LARGEST = 2**63 - 1
UNSYNCED = "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;\n"
PLAIN = "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y');"
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT {} FROM c"


def made(script, *more, page_size=4096):
    """Returns the bytes of a database; `more` has pairs of a statement and its rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.db")
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.executescript(f"PRAGMA page_size = {page_size};" + UNSYNCED + "BEGIN;" + script + ";COMMIT;")
            for statement, rows in more:
                connection.executemany(statement, rows)
            connection.commit()
        return pathlib.Path(path).read_bytes()


def patched(content, offset, raw):
    return content[:offset] + raw + content[offset + len(raw):]


def schema(*rows):
    """Returns a database with arbitrary rows in its schema: (type, name, table, root page, sql)."""
    return made(PLAIN + "PRAGMA writable_schema = ON;", ("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", rows))


def chain(count, select, last=None):
    views = ["CREATE VIEW v0 AS SELECT 1 AS x;"] + [f"CREATE VIEW v{i} AS {select.format(i - 1)};" for i in range(1, count)]
    return "".join(views) + (f"CREATE VIEW {last} AS SELECT x AS idx, x AS callstack, x AS name, x AS size FROM v{count - 1};" if last else "")


def views():
    yield "views_in_a_chain", made("PRAGMA writable_schema = ON;", ("INSERT INTO sqlite_master VALUES ('view', ?, ?, 0, ?)", [
        (f"v{i}", f"v{i}", f"CREATE VIEW v{i} AS SELECT x FROM v{i - 1}" if i else "CREATE VIEW v0 AS SELECT 1 AS x") for i in range(5000)])), Opens(finds="views_left_out")
    doubled = "SELECT a.x AS x FROM v{0} a, v{0} b"
    yield "views_of_two_each", made(chain(40, doubled)), Opens(finds="views_left_out")
    yield "views_of_two_each_by_subquery", made(chain(40, "SELECT (SELECT max(x) FROM v{0}) + (SELECT min(x) FROM v{0}) AS x")), Opens(finds="views_left_out")
    yield "views_of_two_each_in_union", made(chain(40, "SELECT x FROM v{0} UNION ALL SELECT x FROM V{0}")), Opens(finds="views_left_out")
    parts = ", ".join(f"c{i} AS (SELECT a.x AS x FROM c{i - 1} a, c{i - 1} b)" for i in range(1, 40))
    yield "one_view_of_parts_of_two_each", made(f"CREATE VIEW v AS WITH c0 AS (SELECT 1 AS x), {parts} SELECT x FROM c39;"), Opens(finds="views_left_out")
    yield "memory_in_views_of_two_each", made(chain(40, doubled, last="OP_MEMORY")), Opens(finds="views_left_out")
    yield "endless_memory", made("CREATE VIEW OP_MEMORY AS " + ENDLESS.format("x AS name, x AS size, x AS allocationTime, x AS releaseTime")), REPEATS
    yield "endless_totals", made("CREATE VIEW MEMORY_RECORD AS " + ENDLESS.format("'PTA' AS component, x AS timestamp, x AS totalAllocated, 0 AS deviceId")), REPEATS
    yield "endless_and_nothing_found", made("CREATE VIEW OP_MEMORY AS " + ENDLESS.format("x AS name, x AS size") + " WHERE x < 0"), REPEATS
    huge = "printf('%.*c', 200000000, 'x')"
    names = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 500) SELECT"
    yield "memory_with_huge_names", made(f"CREATE VIEW OP_MEMORY AS {names} {huge} || x AS name, x AS size, x AS allocationTime, x AS releaseTime FROM c"), Either()
    yield "report_with_huge_names", made(f"CREATE VIEW weight_entries AS {names} {huge} || x AS weight_name, x AS size_bytes, x AS grad_size_bytes, x AS id FROM c"), Either()
    totals = "'PTA' AS component, x AS timestamp, x AS totalAllocated, 0 AS deviceId"
    wide = "hex(zeroblob(1900000)) || x"
    yield "endless_totals_sorted_by_huge_texts", made(f"CREATE VIEW MEMORY_RECORD AS {ENDLESS.format(totals)} GROUP BY {wide}"), REPEATS
    yield "endless_totals_compared_as_huge_texts", made(f"CREATE VIEW MEMORY_RECORD AS {ENDLESS.format(totals)} WHERE {wide} = 'y' || {wide}"), REPEATS
    slow = "hex(zeroblob(1900000)) LIKE '%' || hex(zeroblob(4000)) || '1%'"
    yield "totals_like_a_pattern_that_never_fits", made(f"CREATE VIEW MEMORY_RECORD AS SELECT {totals} FROM (SELECT 1 AS x) WHERE {slow}"), Either()
    yield "view_of_itself", made("CREATE VIEW v AS SELECT * FROM v;"), Opens()
    yield "views_of_each_other", made("CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a;"), Opens()
    yield "view_of_nothing", made("CREATE VIEW OP_MEMORY AS SELECT * FROM nowhere;"), Either()
    yield "view_that_loads", made("CREATE VIEW OP_MEMORY AS SELECT load_extension('/tmp/x.so') AS name, 1 AS size;"), Either()
    yield "view_of_schema", made("CREATE VIEW OP_MEMORY AS SELECT name, rootpage AS size FROM sqlite_master;"), Either()
    yield "view_of_a_file", made("CREATE VIEW v AS SELECT * FROM readfile('/etc/passwd');"), Opens()
    for name, each in (("numbers", "1"), ("names", "x"), ("brackets", "(1)"), ("comments", "1/**/"), ("texts", "'a'")):
        yield f"view_of_many_{name}", made(f"CREATE VIEW v AS SELECT 1 IN ({','.join([each] * 200_000)});"), Opens()
    yield "view_of_one_comment", made("CREATE VIEW v AS SELECT 1 --" + " x" * 300_000), Opens()
    yield "many_views_of_many_words", schema(*[("view", f"v{i}", f"v{i}", 0, f"CREATE VIEW v{i} AS SELECT 1 IN ({','.join(['a'] * 2000)})") for i in range(300)]), Either()
    parts = ",".join(f"p{i} AS (SELECT 1)" for i in range(45_000))
    yield "view_of_thousands_of_parts", made(f"CREATE VIEW v AS SELECT 1; PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE VIEW v AS WITH {parts} SELECT 1'"), Either()
    wide = ",".join(f"c{i}" for i in range(1900))
    yield "views_of_a_wide_table", schema(("table", "w", "w", 2, f"CREATE TABLE w ({wide})"),
                                          *[("view", f"v{i}", f"v{i}", 0, f"CREATE VIEW v{i} AS SELECT * FROM w") for i in range(6000)]), Either()
    deep = "(" * 900 + "1" + ")" * 900
    yield "view_nested_deep", schema(("view", "v", "v", 0, f"CREATE VIEW v AS SELECT {deep} AS x")), Either()


def schemas():
    yield "triggers", made(ASCEND + "CREATE TRIGGER x AFTER INSERT ON OP_MEMORY BEGIN DELETE FROM OP_MEMORY; END;"
                           "CREATE TRIGGER y INSTEAD OF INSERT ON v BEGIN SELECT load_extension('/tmp/x.so'); END;".replace(" ON v ", " ON OP_MEMORY ")
                           .replace("INSTEAD OF", "BEFORE")), Opens()
    yield "trigger_that_is_rubbish", schema(("trigger", "x", "t", 0, "CREATE TRIGGER x AFTER SELECT rubbish")), Either()
    yield "full_text_table", made(PLAIN + "CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('words');"), Opens()
    yield "full_text_shadow_damaged", made("CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('words'); UPDATE f_data SET block = zeroblob(9);"
                                           "DELETE FROM f_config;"), Opens()
    yield "tree_table_damaged", made("CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 2, 3); UPDATE r_node SET data = x'ffff';"), Opens()
    yield "memory_as_a_virtual_table", made("CREATE VIRTUAL TABLE OP_MEMORY USING fts5(name, size, allocationTime, releaseTime);"
                                            "INSERT INTO OP_MEMORY VALUES ('a', 1, 2, 3);"), Either()
    yield "virtual_table_of_no_module", schema(("table", "x", "x", 0, "CREATE VIRTUAL TABLE x USING nothing(1)")), Opens()
    yield "virtual_table_of_pages", schema(("table", "x", "x", 0, "CREATE VIRTUAL TABLE x USING dbstat")), Opens()
    yield "virtual_table_of_ours", schema(("table", "x", "x", 0, "CREATE VIRTUAL TABLE x USING snapviewer_table(allocations)")), Opens()
    yield "generated_columns", made("CREATE TABLE OP_MEMORY (size, allocationTime, releaseTime); INSERT INTO OP_MEMORY VALUES (1, 2, 3), (4, 5, 6);"
                                    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE OP_MEMORY (size, allocationTime, "
                                    "releaseTime, name AS (printf(''%.*c'', 200000000, ''x'')) VIRTUAL)';"), Either()
    yield "generated_of_each_other", schema(("table", "g", "g", 2, "CREATE TABLE g (a AS (b), b AS (a), c)")), Either()
    yield "default_that_calls", schema(("table", "g", "g", 2, "CREATE TABLE g (a DEFAULT (load_extension('/tmp/x.so')), b)")), Either()
    yield "index_that_calls", made(PLAIN + "CREATE INDEX i ON t (abs(a));"), Opens()
    yield "rubbish_sql", schema(("table", "x", "x", 2, "CREATE TABLE x (")), Either()
    yield "no_sql", schema(("table", "x", "x", 2, None)), Either()
    yield "unknown_type", schema(("spoon", "x", "x", 2, "CREATE TABLE x (a)")), Either()
    yield "another_name_in_its_sql", schema(("table", "x", "x", 2, "CREATE TABLE y (a)")), Either()
    yield "sql_that_drops", schema(("table", "x", "x", 2, "DROP TABLE t")), Either()
    yield "sql_that_attaches", schema(("table", "x", "x", 2, "ATTACH 'other.db' AS o")), Either()
    yield "the_same_table_twice", schema(("table", "t", "t", 2, "CREATE TABLE t (a, b)")), Either()
    yield "name_of_nothing", made('CREATE TABLE "" (a);'), Opens()
    yield "name_of_control_characters", made('CREATE TABLE "\x1b]0;owned\x07\n\x1b[31m" ("\x1b[0m\r" TEXT);'), Opens()
    yield "name_with_quotes", made('CREATE TABLE """; DROP TABLE t; --" ("""]`\'" TEXT); CREATE TABLE t (a);'), Opens()
    yield "name_of_a_megabyte", made(f'CREATE TABLE "{"n" * 10**6}" (a);'), Opens()
    yield "names_of_ours", made("".join(f"CREATE TABLE {name} (a);" for name in ("allocations", "allocs", "events", "stacks", "import_log", "segments"))), Either()
    yield "thousands_of_tables", made("".join(f"CREATE TABLE t{i} (a);" for i in range(5000)), page_size=512), Opens()
    yield "tens_of_thousands_of_tables", schema(*[("table", f"t{i}", f"t{i}", 2, f"CREATE TABLE t{i}(a)") for i in range(30_000)]), Either()
    unique = ",".join(f"c{i} UNIQUE" for i in range(2000))
    yield "unique_columns", schema(*[("table", f"t{i}", f"t{i}", 2, f"CREATE TABLE t{i}({unique})") for i in range(45)]), Either()
    yield "two_thousand_columns", made("CREATE TABLE t (" + ", ".join(f"c{i}" for i in range(2000)) + ");"), Opens()
    yield "no_table", made("CREATE TABLE t (a); DROP TABLE t;"), Opens()


def roots():
    content = made(PLAIN + "CREATE TABLE u (a, b); INSERT INTO u SELECT * FROM t;")
    for name, page in (("beyond_the_file", 10**6), ("zero", 0), ("negative", -1), ("of_the_schema", 1), ("of_another", 2)):
        yield "root_page_" + name, made(PLAIN + f"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = {page};"), Either()
    yield "page_size_0", patched(content, 16, b"\0\0"), Refused("SQLite")
    yield "page_size_3", patched(content, 16, b"\0\3"), Refused("SQLite")
    yield "page_size_64k", patched(content, 16, b"\0\1"), Either()
    yield "reserved_255", patched(content, 20, b"\xff"), Either()
    yield "written_by_version_255", patched(content, 18, b"\xff\xff"), Either()
    yield "2_32_pages", patched(content, 28, b"\xff" * 4), Either()
    yield "free_list_in_itself", patched(content, 32, struct.pack(">II", 2, 2**31)), Opens()
    yield "encoding_9", patched(content, 56, struct.pack(">I", 9)), Opens()
    yield "encoding_turned", patched(content, 56, struct.pack(">I", 2)), Either()
    yield "schema_format_99", patched(content, 44, struct.pack(">I", 99)), Refused("SQLite")
    yield "only_a_header", content[:100], Either()
    yield "half_a_header", content[:50], Refused()
    yield "only_the_magic", content[:16], Refused()
    yield "zeros_behind_the_magic", content[:16] + bytes(10**6), Refused("SQLite")


def trees():
    """Databases with pages that refer to each other, to themselves or outside of the file, in tables that are read."""
    content = made(ASCEND + "CREATE TABLE big (a); ", page_size=512)
    pages = len(content) // 512
    interior = [number for number in range(1, pages) if content[number * 512] == 5]
    leaves = [number for number in range(1, pages) if content[number * 512] == 13]
    looped, beyond, cells, sizes = (bytearray(content) for _ in range(4))
    for number in interior:
        struct.pack_into(">I", looped, number * 512 + 8, number + 1)
        struct.pack_into(">I", beyond, number * 512 + 8, 2**31 - 1)
    for number in leaves:
        struct.pack_into(">H", cells, number * 512 + 3, 0xFFFF)
        at = struct.unpack_from(">H", content, number * 512 + 8)[0]
        if 8 < at < 500:
            sizes[number * 512 + at:number * 512 + at + 9] = b"\xff" * 9
    yield "tree_in_itself", bytes(looped), Either()
    yield "tree_out_of_the_file", bytes(beyond), Either()
    yield "cells_beyond_the_page", bytes(cells), Either()
    yield "rows_of_2_63_bytes", bytes(sizes), Either()
    overflow = bytearray(made("CREATE TABLE allocs (idx, callstack);", ("INSERT INTO allocs VALUES (?, ?)", [(i, "s" * 3000) for i in range(20)]), page_size=512))
    for number in range(2, len(overflow) // 512):
        if struct.unpack_from(">I", overflow, number * 512)[0] == number + 2:
            struct.pack_into(">I", overflow, number * 512, number + 1)
    yield "overflow_in_itself", bytes(overflow), Either()
    for seed in range(10):
        damaged, chance = bytearray(content), random.Random(seed)
        for _ in range(200):
            damaged[chance.randrange(100, len(damaged))] = chance.randrange(256)
        yield f"bytes_changed_{seed}", bytes(damaged), Either()


def columns():
    record = "CREATE TABLE OP_MEMORY (name, size, allocationTime, releaseTime, deviceId);"
    rows = ("INSERT INTO OP_MEMORY VALUES (?, ?, ?, ?, ?)", )
    for name, row in (("size_2_63", (1, 2**63 - 1, 1, 2, 0)), ("size_negative", (1, -2**63, 1, 2, 0)), ("times_backwards", (1, 512, 2**62, -2**62, 0)),
                      ("device_2_63", (1, 512, 1, 2, 2**63 - 1)), ("blob_for_size", (1, b"\xff" * 100, 1, 2, 0)), ("text_not_utf8", (b"\xff\xfe", 512, 1, 2, 0)),
                      ("real_for_size", (1, 1e300, 1, 2, 0)), ("infinite_times", (1, 512, float("inf"), float("-inf"), 0))):
        yield "memory_of_" + name, made(record, (*rows, [row])), Either()
    yield "memory_of_many_devices", made(record, (*rows, [(1, 512, i, i + 1, i) for i in range(5000)])), Either()
    yield "memory_of_one_moment", made(record, (*rows, [(1, 512, 5, 5, 0)] * 50_000)), Either()
    yield "memory_first_in_first_out", made(record, (*rows, [(1, 512, i, 60_000 + i, 0) for i in range(50_000)])), Either()
    tree = "CREATE TABLE run_time_entries (operation_name, forward_ms, backward_ms, id INTEGER PRIMARY KEY, parent);"
    yield "operations_in_themselves", made(tree, ("INSERT INTO run_time_entries VALUES ('x', 1, 1, ?, ?)", [(i, i % 7) for i in range(1000)])), Either()
    correlated = "CREATE TABLE weight_entries (weight_name, size_bytes, grad_size_bytes, id); CREATE TABLE stack_correlation (correlation_id, ordering, file_name, line_number);"
    yield "one_stack_for_all", made(correlated + "CREATE TABLE stack_frames (correlation_id, ordering, file_path, line_number, entry_type);",
                                    ("INSERT INTO weight_entries VALUES ('w', 512, 512, 1)", [()] * 3000),
                                    ("INSERT INTO stack_frames VALUES (1, ?, 'f', ?, 'w')", [(i, i) for i in range(3000)])), Either()


def far_numbers():
    """Valid profiles with isolated extreme numbers. The replay of the fuzz target also requests details of these."""
    yield "processes_2_63", made(MEMSCOPE + f'UPDATE memscope_dump SET "Process Id" = {LARGEST} - "Process Id" % 2, "Thread Id" = {LARGEST};'), Opens()
    microseconds = 'UPDATE memscope_dump SET "Timestamp(ns)" = "Timestamp(ns)" / 1000; ALTER TABLE memscope_dump RENAME COLUMN "Timestamp(ns)" TO timestamp;'
    accesses = ('INSERT INTO memscope_dump SELECT memscope_dump.ID, \'ACCESS\', "Event Type", Name, value, "Process Id", "Thread Id", "Device Id", Ptr, Attr, \'\', \'\' '
                f'FROM memscope_dump, json_each(\'[1, {LARGEST}]\') WHERE "Event" = \'MALLOC\';')
    yield "accesses_2_63", made(MEMSCOPE + microseconds + accesses), Opens()
    yield "callchains_2_63", made(ASCEND + f"UPDATE PYTORCH_API SET callchainId = {LARGEST};"), Opens()
    yield "callchains_in_rows_2_63", made(ASCEND + f"UPDATE PYTORCH_CALLCHAINS SET rowid = CASE rowid WHEN 1 THEN -{LARGEST} ELSE {LARGEST} - 1000 + rowid END;"
                                          f"UPDATE PYTORCH_CALLCHAINS SET rowid = {LARGEST} WHERE rowid = (SELECT max(rowid) FROM PYTORCH_CALLCHAINS);"), Opens()
    yield "times_of_tasks_2_63", made(ASCEND + f"UPDATE TASK SET startNs = -{LARGEST}, endNs = {LARGEST} - rowid % 2 * {LARGEST};"), Opens()
    yield "releases_2_63", made(ASCEND + f"UPDATE OP_MEMORY SET releaseTime = {LARGEST} WHERE rowid % 3 = 0; UPDATE OP_MEMORY SET activeReleaseTime = {LARGEST};"), Opens()


def beside_others():
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("allocations.json", '[{"timesteps": [0, 1], "offsets": [0, 0], "size": 512}]')
        archive.writestr("elements.db", made("CREATE VIEW allocs AS " + ENDLESS.format("x - 1 AS idx, 'f:1:g' || x AS callstack")))
    yield "zip_with_endless_elements", zipped.getvalue(), REPEATS
    yield "elements_without_a_folder", made("CREATE TABLE allocs (idx, callstack);"), Opens()


def files():
    for group in (views, schemas, roots, trees, columns, far_numbers, beside_others):
        for name, content, outcome in group():
            yield f"{name}{'.zip' if content.startswith(b'PK') else '.db'}", content, outcome
