"""Combines each kind of event and each field with text with each compression: one long text that all events share, long texts that are
all different, and failed requests beside many live blocks.

All files are valid. They test the cost of reading them in proportion to their size, and if compressed, to their uncompressed size.
"""
import bz2
import contextlib
import gzip
import io
import itertools
import lzma
import sqlite3
import zipfile

import zstd_frames
from hostile_databases import SCRIPTS, made
from hostile_outcome import Either, Opens
from hostile_pickles import Memo, number, snapshot, text

ACTIONS = ("alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap", "snapshot", "oom",
           "annotate", "user_defined", "workspace")
MEGABYTE = 10**6
SHARING = 6000    # number of events that share one text of a megabyte
COPIES, COPY_BYTES = 1500, 10_000
OOMS = 10_000


def zipped(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("snapshot.pickle", content)
    return packed.getvalue()


PACKERS = {
    "plain": bytes,
    "gzip": lambda content: gzip.compress(content, 1),
    "bzip2": bz2.compress,
    "xz": lambda content: lzma.compress(content, preset=0),
    "zstd": zstd_frames.compress,
    "zip": zipped,
    "xz_in_gzip": lambda content: gzip.compress(lzma.compress(content, preset=0)),
    "zstd_in_bzip2_in_zip": lambda content: zipped(bz2.compress(zstd_frames.compress(content))),
}

MEMO = Memo("action", "addr", "size", "time_us", "frames", "filename", "line", "name", "stage", "START", "END", "device", "state", "address",
            "active_allocated", "requested_size", *ACTIONS)


def dict_of(**fields):
    return b"}(" + b"".join(MEMO[key] + value for key, value in fields.items()) + b"u"


def events(count, more):
    """Returns events of all kinds in turn, each with the fields whose opcodes `more(i)` returns."""
    return b"".join(b"}(" + MEMO["action"] + MEMO[ACTIONS[i % len(ACTIONS)]] + MEMO["size"] + number(512) + MEMO["time_us"] + number(i) +
                    MEMO["addr"] + number(512 * (i + 1)) + more(i) + b"u" for i in range(count))


def frame(filename, name, line):
    return MEMO["frames"] + b"](" + dict_of(filename=filename, name=name, line=number(line)) + b"e"


def of_events(field):
    return lambda count, value: {"events": events(count, lambda i: field(i, value(i)))}


def of_annotations(count, value):
    marks = b"".join(dict_of(name=value(i // 2), stage=MEMO["START" if i % 2 == 0 else "END"], device=b"K\x00", time_us=number(i)) for i in range(count))
    return {"events": events(count, lambda i: b""), "extra": text("external_annotations") + b"](" + marks + b"e"}


def of_settings(count, value):
    return {"events": events(count, lambda i: b""),
            "extra": text("allocator_settings") + b"}(" + b"".join(text(f"setting {i}") + value(i) for i in range(count)) + b"u"}


def of_blocks(count, value):
    blocks = b"".join(dict_of(state=MEMO["active_allocated"], size=number(512), requested_size=number(500)) [:-1] + text("user_metadata") + value(i) +
                      frame(value(i), MEMO["name"], 1) + b"u" for i in range(count))
    return {"events": events(count, lambda i: b""), "segments": b"}(" + MEMO["device"] + b"K\x00" + MEMO["address"] + number(2**20) + text("total_size") +
            number(512 * count) + text("segment_type") + value(0) + text("blocks") + b"](" + blocks + b"eu"}


# Fields that can contain a text, and a function that returns the parts of a snapshot with `count` texts there.
PLACES = {
    "file_names": of_events(lambda i, value: frame(value, MEMO["name"], i)),
    "functions": of_events(lambda i, value: frame(MEMO["filename"], value, i)),
    "user_metadata": of_events(lambda i, value: text("user_metadata") + value),
    "compile_contexts": of_events(lambda i, value: text("compile_context") + value),
    "categories": of_events(lambda i, value: text("category") + value),
    "forward_frames": of_events(lambda i, value: text("forward_frames") + b"](" + value + b"e"),
    "fx": of_events(lambda i, value: MEMO["frames"] + b"](" + dict_of(filename=MEMO["filename"], name=MEMO["name"], line=number(i))[:-1] +
                    text("fx_node_op") + value + text("fx_original_trace") + value + b"ue"),
    "unknown_keys": of_events(lambda i, value: text("unknown") + value),
    "annotations": of_annotations,
    "settings": of_settings,
    "blocks": of_blocks,
}


def texts():
    packers = itertools.cycle(PACKERS.items())
    for place, parts in PLACES.items():
        packer, pack = next(packers)
        head = bytes(MEMO.head) + text("t" * MEGABYTE) + b"\x940"
        shared = b"h" + bytes([len(MEMO.index)])
        yield f"one_text_of_{place}_in_{packer}", pack(snapshot(head=head, **parts(SHARING, lambda i: shared))), Either()
        packer, pack = next(packers)
        yield f"long_{place}_in_{packer}", pack(snapshot(head=MEMO.head, **parts(COPIES, lambda i: text(f"{i} " + "t" * COPY_BYTES)))), Opens()


def ooms():
    """Each failed request is a moment at which every block is live."""
    memo = Memo("action", "alloc", "oom", "size", "addr", "device_free", "frames", "filename", "line", "name")
    stack = lambda i: memo["frames"] + b"](}(" + memo["filename"] + memo["name"] + memo["name"] + memo["name"] + memo["line"] + number(i) + b"ue"
    blocks = b"".join(b"}(" + memo["action"] + memo["alloc"] + memo["size"] + number(512) + memo["addr"] + number(512 * (i + 1)) + stack(i % 100) + b"u"
                      for i in range(OOMS))
    requests = b"".join(b"}(" + memo["action"] + memo["oom"] + memo["size"] + number(2**30) + memo["device_free"] + number(i) + stack(i) + b"u"
                        for i in range(OOMS))
    content = snapshot(blocks + requests, head=memo.head)
    for packer, pack in PACKERS.items():
        yield f"out_of_memory_beside_many_blocks_in_{packer}", pack(content), Opens()


NAMELESS = str.maketrans(" ()", "___")

# The columns with texts that are read, for each kind of database.
COLUMNS = {
    "ascend": {"STRING_IDS": ["value"], "NPU_INFO": ["name"], "ENUM_MODULE": ["name"]},
    "msprof": {"STRING_IDS": ["value"]},
    "msmemscope": {"memscope_dump": ["Name", "Attr", "Call Stack(Python)", "Call Stack(C)", "Event Type"]},
    "memory_report": {"weight_entries": ["name"], "activation_entries": ["operation_name"], "stack_frames": ["file_path"]},
    "run_time_report": {"run_time_entries": ["operation_name"], "stack_frames": ["file_path"]},
    "insight": {"trace_entry_0": ["callstack"], "dictionary": ["value"]},
    "fleet": {"ranks": ["file"], "stacks": ["text", "top_frame"]},
}


def columns_of(script, table):
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]


def databases():
    """Replaces each table with a view that repeats every row a hundred times, with a text of a megabyte, after a number, in one column."""
    for kind, tables in COLUMNS.items():
        script = (SCRIPTS / f"{kind}.sql").read_text(encoding="utf-8")
        for table, columns in tables.items():
            for column in columns:
                listed = ", ".join(f"n || long || \"{name}\" AS \"{name}\"" if name == column else f"\"{name}\"" for name in columns_of(script, table))
                view = (f"ALTER TABLE {table} RENAME TO of_{table}; CREATE TABLE longs (long); INSERT INTO longs VALUES (printf('%.*c', {MEGABYTE}, 't'));"
                        f"CREATE VIEW {table} AS WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100) "
                        f"SELECT {listed} FROM n, longs, of_{table};")
                yield f"{kind}_{table}_of_long_{column}".translate(NAMELESS), made(script + view), Either()


def files():
    for name, content, outcome in itertools.chain(texts(), ooms()):
        yield f"{name}.pickle", content, outcome
    for name, content, outcome in databases():
        yield f"{name}.db", content, outcome
