#!/usr/bin/env python3
"""Makes small inputs of every kind for the fuzz targets, with the generators of tests/oracles and tests/databases and with Python's own modules.

    make_corpus.py FOLDER [KIND]...        writes FOLDER/KIND/NAME; all kinds by default
"""
import bz2
import gzip
import io
import json
import lzma
import pathlib
import pickle
import random
import re
import sqlite3
import struct
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "cli")]
import containers  # noqa: E402
import memory_timelines  # noqa: E402
import snapshots  # noqa: E402

zstd_frames = snapshots.oracle("zstd_frames")
MAX_BYTES = 40_000
COSTLY = ("bomb", "laughs", "endless")   # names of hostile files
PICKLED = {"two_devices": ["gen_snapshot.py", "--events", 40, "--layers", 1, "--depth", 4, "--devices", 2],
           "out_of_memory": ["gen_snapshot.py", "--events", 60, "--layers", 1, "--depth", 3, "--capacity-gib", 0.001, "--cpp-frames"],
           "worst_case": ["gen_worst_case.py", "--allocations", 30, "--live", 8, "--order", "random"]}


def pickles():
    with tempfile.TemporaryDirectory() as folder:
        for name, (tool, *options) in PICKLED.items():
            path = pathlib.Path(folder, name)
            snapshots.make(tool, path, *options)
            yield name, containers.load_plain(path), path.read_bytes()


def hostile(module, *endings):
    """Returns hostile files, except those that expand to far more than their size, which another test opens."""
    for name, content, outcome in snapshots.oracle(module).files():
        if len(content) <= 2000 and name.endswith(endings) and not any(part in name for part in COSTLY):
            yield name, content


def pickle_seeds():
    for name, snapshot, content in pickles():
        yield name, content
        for protocol in (0, 2):
            yield f"{name}_{protocol}", pickle.dumps(snapshot, protocol)
        yield f"{name}_cpp", snapshots.oracle("cpp_style_pickle").dump(snapshot)
    yield from hostile("hostile_pickles", "")


def json_seeds():
    for name, snapshot, _ in pickles():
        yield name, json.dumps(snapshot).encode()
    events = memory_timelines.raw_events(40)
    yield "timeline_events", json.dumps(events).encode()
    yield "timeline_totals", json.dumps(memory_timelines.totals_of(events)).encode()
    yield from hostile("hostile_containers", ".json")


def zipped(content, method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("snapshot", content)
    return out.getvalue()


def packed_seeds():
    for name, snapshot, content in pickles():
        yield f"{name}.gz", gzip.compress(content, 0)
        yield f"{name}_small.gz", gzip.compress(content)
        yield f"{name}.bz2", bz2.compress(content)
        yield f"{name}.xz", lzma.compress(content)
        yield f"{name}.lzma", lzma.compress(content, lzma.FORMAT_ALONE)
        yield f"{name}.zst", zstd_frames.compress(content)
        yield f"{name}_stored.zst", zstd_frames.skippable(b"first") + zstd_frames.frame(content[:9000]) + zstd_frames.frame(content[9000:])
        yield f"{name}_stored.zip", zipped(json.dumps(snapshot), zipfile.ZIP_STORED)
        for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            yield f"{name}_{method}.zip", zipped(content, method)
    yield from hostile("hostile_containers", ".zip", ".gz", ".zst")


def page_seeds():
    for name, _, content in pickles():
        yield name, containers.html_page(content)
    yield from hostile("hostile_containers", ".html")


def database(*scripts):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "made")
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA page_size = 512")
        for script in scripts:
            connection.executescript(script)
        connection.close()
        return path.read_bytes()


def database_seeds():
    for path in sorted((ROOT / "tests" / "databases").glob("*.sql")):
        yield path.stem, database(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        snapshots.make("make_memscope_dbs.py", "--out", pathlib.Path(folder, "leaks.db"), "--spelling", "old", "--events", 40)
        snapshots.make("make_profiler_dbs.py", "--out", folder, "--scale", 20)
        for path in sorted(pathlib.Path(folder).glob("**/*.db")) + sorted(pathlib.Path(folder).glob("**/*.sqlite")):
            connection = sqlite3.connect(path)
            connection.executescript("PRAGMA page_size = 512; PRAGMA journal_mode = DELETE; VACUUM")
            connection.close()
            yield path.stem, path.read_bytes()
    yield from hostile("hostile_databases", "")
    for name, content, _ in snapshots.oracle("hostile_databases").far_numbers():
        yield name, content


def left_by_a_crash(mode, page_bytes):
    """Returns a database and its journals as a program leaves them if it stops in the middle of its second change."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a.db")
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(f"PRAGMA page_size = {page_bytes}; PRAGMA journal_mode = {mode}; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 1;"
                                 "PRAGMA synchronous = OFF; CREATE TABLE t (id INTEGER PRIMARY KEY, value TEXT);")
        rows = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) INSERT INTO t (value) SELECT hex(zeroblob({page_bytes} / 8)) FROM n;"
        connection.executescript(f"{rows} DELETE FROM t WHERE id % 3 = 0; BEGIN; UPDATE t SET value = 'unfinished' || id; {rows}")
        files = {ending: path.with_name(f"a.db{ending}") for ending in ("-journal", "-wal", "")}
        files = {ending: file.read_bytes() if file.exists() else b"" for ending, file in files.items()}
        connection.close()
        return files


def journal_seeds():
    """Returns the input of the target: sizes of the journals, journals, database."""
    def joined(files):
        return struct.pack("<II", len(files["-journal"]), len(files["-wal"])) + b"".join(files.values())

    left = {(mode, page_bytes): left_by_a_crash(mode, page_bytes) for mode in ("DELETE", "PERSIST", "WAL") for page_bytes in (512, 1024, 4096)}
    for (mode, page_bytes), files in left.items():
        yield f"{mode}_{page_bytes}", joined(files)
    rolled_back, logged = left["DELETE", 512], left["WAL", 512]
    yield "both", joined({**logged, "-journal": rolled_back["-journal"]})
    yield "of_another_page_size", joined({**logged, "": left["WAL", 1024][""]})
    for name in (b"/database-wal", b"/database", b"/another-mj1"):
        end = name + struct.pack(">II", len(name), sum(name)) + bytes.fromhex("d9d505f920a163d7")
        yield f"names{name.decode().replace('/', '_')}", joined({**rolled_back, "-journal": rolled_back["-journal"] + struct.pack(">I", 1 << 21) + end})


def sql_seeds():
    texts = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", *(ROOT / "tests" / "sql").glob("*.py"), *(ROOT / "tests" / "unit").glob("query*.cpp")]
    found = {query for path in texts for query in re.findall(r"(?:SELECT|WITH) [^`\"\\\n]+", path.read_text(encoding="utf-8"))}
    for number, query in enumerate(sorted(found)):
        yield f"query_{number:03}", query.encode()


def timeline_seeds():
    for seed in range(30):
        dice = random.Random(seed)
        yield f"random_{seed:02}", dice.randbytes(dice.randrange(20, 1500))


def differential_seeds():
    for name, snapshot, content in pickles():
        for container in range(5):
            yield f"{name}_{container}", bytes([container]) + content
            yield f"{name}_json_{container}", bytes([container]) + json.dumps(snapshot).encode()
    for name, content in timeline_seeds():
        yield f"twins_{name}", b"\x80" + content


def interface_seeds():
    for number, (name, query) in enumerate(sql_seeds()):
        call = bytes([0, 0, 3, 0, 192 + number % 32]) + query + b"\n" + bytes([number % 5, 5, 0, 5, 0, number % 9, 0, 8, 0, 1, 0])
        if number % 10 == 0:
            yield name, call
    for seed in range(20):
        dice = random.Random(seed)
        calls = [[0, dice.randrange(14)]] + [[dice.randrange(9), dice.randrange(192), dice.randrange(256)] for _ in range(15)]
        yield f"random_{seed:02}", bytes(byte for call in calls for byte in call)


def request_seeds():
    places = ["", "/", "/a.pickle", "/a.pickle/", "/runs/oom%20at%205/", "/a.pickle/picture.png", "/a.pickle/query", "/a.pickle/a.pickle", "/Gr%C3%B6%C3%9Fe.db/"]
    asked = ["", "?json", "?json=info&device=0", "?zstd", "?refresh=30&sort=size", "?fleet&json", "?view=0%3A100%2C0%3A5&axis=time&size=400x300&colour-by=kind",
             "?sql=SELECT+count%28*%29%0AFROM+events&csv", "?search=size+%3E+100+MiB"]
    hosts = ["127.0.0.1:8899", "localhost", "[::1]:80", "node7.example.org"]
    hostile = ["/../secret", "/%2e%2e/secret", "/..%2fsecret", "/a//b", "/a%00b", "/%", "/a%4", "/.hidden/", "/" + "a/" * 120, "/?" + "a=b&" * 120, "?a", "//"]
    for number, text in enumerate([f"/t0k3n{place}{query}" for place in places for query in asked] + [f"/t0k3n{path}" for path in hostile] + hosts):
        yield f"request_{number:03}", text.encode()


def remote_seeds():
    """The marker is the one that the target searches for."""
    greetings = ["Welcome\nto this machine\n", "", "\nm4rk", "\nm4rk \n"]
    said = ["zstd 1234", "plain 3", "gzip 18446744073709551616", "ready snapviewer", "list", "error no such file on that machine", "end 0", "end 1"]
    listing = "30187 1764201600 ./rank0.pickle\n5 -1 ./a b/rank 1.pickle\n7 8 ./../out\n7 8 ./a//b\nfind: denied\n7 8 ./100%.pickle\n"
    yield "listing", listing
    yield "listing_marked", f"noise\nm4rk list\n{listing}\nm4rk end 0\n"
    yield "long_name", f"1 2 ./{'a/' * 2000}b\n3 4 ./{'%' * 3000}\n"
    for number, text in enumerate(f"{greeting}\nm4rk {line}\nbytes\n\nm4rk end 0\n" for greeting in greetings for line in said):
        yield f"said_{number:02}", text
    answers = ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/2 302 \r\nlocation: /b\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 304\r\n\r\n",
               "HTTP/1.1 200 OK\r\nContent-Length: -1\r\nContent-Length:\r\n:\r\n\r\n", "\r\n\r\n"]
    for number, (first, second) in enumerate((first, second) for first in answers for second in answers):
        yield f"http_{number:02}", first + second


SEEDS = {"pickle": pickle_seeds, "json": json_seeds, "packed": packed_seeds, "page": page_seeds, "database": database_seeds, "sql": sql_seeds,
         "analyses": timeline_seeds, "timeline": timeline_seeds, "interface": interface_seeds, "journals": journal_seeds,
         "remote": remote_seeds, "request": request_seeds, "differential": differential_seeds}


def make(folder, kind):
    """Writes the inputs of one kind into a folder, which may exist."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in SEEDS[kind]():
        content = content if isinstance(content, bytes) else content.encode()
        if len(content) <= MAX_BYTES or kind == "database":
            (folder / name).write_bytes(content)


def main():
    folder, *kinds = sys.argv[1:]
    for kind in kinds or SEEDS:
        make(pathlib.Path(folder, kind), kind)


if __name__ == "__main__":
    main()
