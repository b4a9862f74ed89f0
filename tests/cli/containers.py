"""Writes one snapshot into every container that programs use, with Python's own modules."""
import base64
import bz2
import contextlib
import gzip
import io
import json
import lzma
import pickle
import quopri
import sqlite3
import struct
import sys
import zipfile
import zlib
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracles"))
import zstd_frames  # noqa: E402

ZIP_ZSTD, ZIP_XZ = 93, 95   # numbers of the compression methods in the zip specification


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"refused: {module}.{name}")


def load_plain(path):
    with open(path, "rb") as file:
        return PlainUnpickler(file).load()


def html_page(data, view="Active Memory Timeline"):
    """An HTML page as written by torch.cuda._memory_viz. The pickle is padded with zero bytes so that base64 needs no '='."""
    padded = data + b"\0" * (3 - len(data) % 3)
    name = json.dumps([{"name": "snapshot.pickle", "base64": base64.b64encode(padded).decode()}])
    return ("\n<!DOCTYPE html>\n<html>\n<head>\n</head>\n<body>\n<script type=\"module\">\n"
            f"const local_files = {name}\nadd_local_files(local_files, '{view}')\n</script>\n</body>\n").encode()


def zip_bytes(members, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def xz(data, check=-1):
    """Compresses with xz's fastest preset, because compression takes most of a test's time and its ratio does not matter."""
    return lzma.compress(data, check=check, preset=0)


def zip_by_hand(name, content, method, pack):
    """A zip with a compression method that Python's zipfile lacks: stores the compressed data, then changes the method in the headers."""
    packed = bytearray(zip_bytes({name: pack(content)}, zipfile.ZIP_STORED))
    for at in [0, packed.rindex(b"PK\x01\x02") + 2]:
        struct.pack_into("<H", packed, at + 8, method)
        struct.pack_into("<I", packed, at + 14, zlib.crc32(content))
        struct.pack_into("<I", packed, at + 22, len(content))
    return bytes(packed)


def gzip_members(data, count=3):
    """Several gzip members in a row, as written by `cat a.gz b.gz`."""
    step = len(data) // count + 1
    return b"".join(gzip.compress(data[at:at + step], 1) for at in range(0, len(data), step))


def bzip2_streams(data, count=3):
    """Several bzip2 streams in a row, as written by pbzip2."""
    step = len(data) // count + 1
    return b"".join(bz2.compress(data[at:at + step], 1) for at in range(0, len(data), step))


def zstd_frames_of(data):
    """Several zstd frames between skippable frames, as written by parallel compressors."""
    half = len(data) // 2
    return (zstd_frames.skippable(b"pzst") + zstd_frames.frame(data[:100]) + zstd_frames.compress(data[100:half]) +
            zstd_frames.skippable(b"", 15) + zstd_frames.compress(data[half:], 1) + zstd_frames.skippable(bytes(100), 7))


def lzma_alone(data):
    """Compresses like `xz --format=lzma`."""
    return lzma.compress(data, lzma.FORMAT_ALONE)


def old_torch_save(snapshot, protocol=2):
    """The format of torch.save before it wrote zips: a magic number, a version, facts about the system, the object, the keys
    of its storages."""
    facts = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    return b"".join(pickle.dumps(part, protocol) for part in (0x1950a86a20f9469cfc6c, 1001, facts, snapshot, []))


def mhtml(page, encoding="quoted-printable", boundary='"----Boundary--c0ffee----"'):
    """A page saved by a browser as one file, with a picture before it."""
    body = {"quoted-printable": lambda: quopri.encodestring(page), "base64": lambda: base64.encodebytes(page), "8bit": lambda: page}[encoding]()
    mark = b"--" + boundary.strip('"').encode()
    return (f"From: <Saved by Blink>\nSnapshot-Content-Location: https://example.org/trace.html\nMIME-Version: 1.0\nContent-Type: multipart/related;\n"
            f"\ttype=\"text/html\";\n\tboundary={boundary}\n\n".encode() + mark + b"\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA\n" + mark +
            f"\nContent-Type: text/html\nContent-Transfer-Encoding: {encoding}\n\n".encode() + body + b"\n" + mark + b"--\n").replace(b"\n", b"\r\n")


def cpp_pickle(value):
    """Pickles like PyTorch's C++ pickler: protocol 2, each list and dict in one batch, 8-byte integers, memoized strings."""
    out, remembered = bytearray(b"\x80\x02"), {}

    def put(text):
        number = remembered.setdefault(text, len(remembered))
        out.extend(b"q" + bytes([number]) if number < 256 else b"r" + struct.pack("<I", number))

    def write(item):
        if item is None or isinstance(item, bool):
            out.extend({None: b"N", True: b"\x88", False: b"\x89"}[item])
        elif isinstance(item, int):
            if -2**31 <= item < 2**31:
                out.extend(b"J" + struct.pack("<i", item))
            else:
                out.extend(b"\x8a\x08" + struct.pack("<Q", item & 2**64 - 1))
        elif isinstance(item, float):
            out.extend(b"G" + struct.pack(">d", item))
        elif isinstance(item, str):
            if item in remembered:
                out.extend(b"j" + struct.pack("<I", remembered[item]))
            else:
                data = item.encode()
                out.extend(b"X" + struct.pack("<I", len(data)) + data)
                put(item)
        elif isinstance(item, tuple):
            write(item[0])
            write(item[1])
            out.extend(b"\x86")
        elif isinstance(item, list):
            out.extend(b"](")
            for part in item:
                write(part)
            out.extend(b"e")
        else:
            out.extend(b"}(")
            for key, part in item.items():
                write(key)
                write(part)
            out.extend(b"u")

    write(value)
    return bytes(out + b".")


def containers_of(snapshot, turn=0, turns=1):
    """Yields (name, content, kind, container) for every way to write the snapshot. Compressed ones take turns: call number `turn` of
    `turns` gets its share of them."""
    packed = 0
    for name, make, kind, container in ways_to_write(snapshot):
        packed += container != ""
        if not container or packed % turns == turn:
            yield name, make(), kind, container


def ways_to_write(snapshot):
    """Like containers_of, but yields a function that makes the content."""
    plain = pickle.dumps(snapshot, 4)
    text = json.dumps(snapshot).encode()
    for protocol in range(6):
        yield f"protocol{protocol}.pickle", partial(pickle.dumps, snapshot, protocol), "pytorch_pickle", ""
    yield "cpp.pickle", lambda: cpp_pickle(snapshot), "pytorch_pickle", ""
    yield "behind.pickle", lambda: plain + b"\0\0 whatever follows", "pytorch_pickle", ""
    yield "old_torch_save.pt", lambda: old_torch_save(snapshot), "pytorch_pickle", ""
    yield "newer_protocol.pt", lambda: old_torch_save(snapshot, 4), "pytorch_pickle", ""
    yield "snapshot.json", lambda: text, "pytorch_json", ""
    yield "indented.json", lambda: json.dumps(snapshot, ensure_ascii=False, separators=(" ,\n ", "\t: ")).encode(), "pytorch_json", ""
    yield "marked.json", lambda: b"\xef\xbb\xbf \n" + text, "pytorch_json", ""
    yield "snapshot.pickle.gz", lambda: gzip.compress(plain), "pytorch_pickle", "gzip"
    yield "members.gz", lambda: gzip_members(plain), "pytorch_pickle", "gzip"
    yield "old.gz", lambda: gzip.compress(pickle.dumps(snapshot, 0), 1), "pytorch_pickle", "gzip"
    yield "snapshot.json.gz", lambda: gzip.compress(text), "pytorch_json", "gzip"
    yield "snapshot.pickle.bz2", lambda: bz2.compress(plain), "pytorch_pickle", "bzip2"
    yield "streams.bz2", lambda: bzip2_streams(plain), "pytorch_pickle", "bzip2"
    yield "snapshot.pickle.xz", lambda: xz(plain), "pytorch_pickle", "xz"
    yield "streams.xz", lambda: xz(plain[:5000]) + bytes(8) + xz(plain[5000:], lzma.CHECK_NONE), "pytorch_pickle", "xz"
    yield "snapshot.json.xz", lambda: xz(text), "pytorch_json", "xz"
    yield "snapshot.pickle.lzma", lambda: lzma_alone(plain), "pytorch_pickle", "lzma"
    yield "snapshot.pickle.zst", lambda: zstd_frames.compress(plain), "pytorch_pickle", "zstd"
    yield "high.zst", lambda: zstd_frames.compress(plain, 19), "pytorch_pickle", "zstd"
    yield "stored.zst", lambda: zstd_frames.frame(plain), "pytorch_pickle", "zstd"
    yield "frames.zst", lambda: zstd_frames_of(plain), "pytorch_pickle", "zstd"
    yield "snapshot.json.zst", lambda: zstd_frames.compress(text), "pytorch_json", "zstd"
    yield "joblib.pkl", lambda: zlib.compress(plain, 3), "pytorch_pickle", "zlib"
    yield "utf16.json", lambda: b"\xff\xfe" + json.dumps(snapshot, ensure_ascii=False).encode("utf-16-le"), "pytorch_json", "utf-16"
    yield "big_endian.json", lambda: text.decode().encode("utf-16-be"), "pytorch_json", "utf-16"
    yield "trace_plot.mhtml", lambda: mhtml(html_page(plain)), "pytorch_html", "mhtml"
    yield "base64.mhtml", lambda: mhtml(html_page(plain), "base64", "plain_boundary"), "pytorch_html", "mhtml"
    yield "binary.mhtml", lambda: mhtml(html_page(plain), "8bit"), "pytorch_html", "mhtml"
    yield "mhtml.zip", lambda: zip_bytes({"page.mhtml": mhtml(html_page(plain))}), "pytorch_html", "zip/mhtml"
    yield "zst.gz", lambda: gzip.compress(zstd_frames.compress(plain), 1), "pytorch_pickle", "gzip/zstd"
    yield "xz.gz", lambda: gzip.compress(xz(plain)), "pytorch_pickle", "gzip/xz"
    yield "trace_plot.html", lambda: html_page(plain), "pytorch_html", ""
    yield "trace_plot.html.gz", lambda: gzip.compress(html_page(plain)), "pytorch_html", "gzip"
    yield "trace_plot.html.xz", lambda: xz(html_page(plain)), "pytorch_html", "xz"
    yield "trace_plot.html.zst", lambda: zstd_frames.compress(html_page(plain)), "pytorch_html", "zstd"
    yield "pickle.zip", lambda: zip_bytes({"run/snapshot.pickle": plain}), "pytorch_pickle", "zip"
    yield "stored.zip", lambda: zip_bytes({"snapshot.json": text}, zipfile.ZIP_STORED), "pytorch_json", "zip"
    yield "gz.zip", lambda: zip_bytes({"snapshot.pickle.gz": gzip.compress(plain)}), "pytorch_pickle", "zip/gzip"
    yield "bzip2.zip", lambda: zip_bytes({"snapshot.pickle": plain}, zipfile.ZIP_BZIP2), "pytorch_pickle", "zip"
    yield "lzma.zip", lambda: zip_bytes({"snapshot.pickle": plain}, zipfile.ZIP_LZMA), "pytorch_pickle", "zip"
    yield "xz_method.zip", lambda: zip_by_hand("snapshot.json", text, ZIP_XZ, xz), "pytorch_json", "zip"
    yield "zstd_method.zip", lambda: zip_by_hand("snapshot.pickle", plain, ZIP_ZSTD, zstd_frames.compress), "pytorch_pickle", "zip"
    yield "zst.zip", lambda: zip_bytes({"snapshot.json.zst": zstd_frames.compress(text)}, zipfile.ZIP_STORED), "pytorch_json", "zip/zstd"
    yield "xz.zip", lambda: zip_bytes({"page.html.xz": xz(html_page(plain))}, zipfile.ZIP_STORED), "pytorch_html", "zip/xz"
    yield "bz2.zip", lambda: zip_bytes({"snapshot.pickle.bz2": bz2.compress(plain)}, zipfile.ZIP_LZMA), "pytorch_pickle", "zip/bzip2"
    yield "html.zip", lambda: zip_bytes({"page.html": html_page(plain)}), "pytorch_html", "zip"


# ------------------------------------------------------------------------------------------------ SnapViewer's layouts

def snapviewer_trace(trace):
    """Returns polygons and elements as SnapViewer's converter writes them: polygons in drawing order, elements in the order of events."""
    elements, standing, actions, at_address = [], [], [], {}
    for event in trace:
        if event["action"] == "alloc":
            at_address[event["addr"]] = len(elements)
            actions.append(len(elements))
            elements.append(event)
        elif event["action"] == "free_completed":
            if event["addr"] not in at_address:
                at_address[event["addr"]] = len(elements)
                standing.append(len(elements))
                elements.append(event)
            actions.append(at_address.pop(event["addr"]))
    polygons, live, step, total = [], [], 0, 0

    def push(element):
        nonlocal total
        polygons.append({"elem": element, "timesteps": [step], "offsets": [total], "size": elements[element]["size"], "color": element})
        live.append(polygons[-1])
        total += elements[element]["size"]

    for element in reversed(standing):
        push(element)
    for element in actions:
        place = next((i for i, polygon in enumerate(live) if polygon["elem"] == element), None)
        if place is None:
            push(element)
        else:
            gone = live.pop(place)
            gone["timesteps"].append(step)
            gone["offsets"].append(gone["offsets"][-1])
            for polygon in live[place:]:
                polygon["timesteps"] += [step, step + 3]
                polygon["offsets"] += [polygon["offsets"][-1], polygon["offsets"][-1] - gone["size"]]
            step += 3 if live[place:] else 0
            total -= gone["size"]
        step += 1
    for polygon in live:
        polygon["timesteps"].append(step)
        polygon["offsets"].append(polygon["offsets"][-1])
    return polygons, elements


def elements_database(path, polygons, elements):
    """Writes SnapViewer's elements.db: row i has the size of polygon i and the stack of element i."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE allocs (idx INTEGER PRIMARY KEY, size INTEGER, start_time INTEGER, end_time INTEGER, "
                         "callstack TEXT)")
        for i, (polygon, element) in enumerate(zip(polygons, elements)):
            lines = (f"({n}) {f['filename']}:{f['line']}:{f['name']}" for n, f in enumerate(element.get("frames", [])))
            database.execute("INSERT INTO allocs VALUES (?, ?, ?, ?, ?)", (i, polygon["size"], polygon["timesteps"][0],
                                                                          polygon["timesteps"][-1], "\n".join(lines)))
        database.commit()


def snapviewer_members(polygons, elements, shard_size=None):
    members = {"allocations.json": json.dumps(polygons)}
    if shard_size is None:
        return {**members, "elements.json": json.dumps(elements)}
    shards = [elements[at:at + shard_size] for at in range(0, len(elements), shard_size)]
    members[f"{len(shards)}.meta"] = "SnapViewer"
    return {**members, **{f"elements_{i}.json": json.dumps(shard) for i, shard in enumerate(shards)}}
