"""One snapshot in every container that programs write it into, made by Python's own modules."""
import base64
import gzip
import io
import json
import pickle
import struct
import zipfile


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"refused: {module}.{name}")


def load_plain(path):
    with open(path, "rb") as file:
        return PlainUnpickler(file).load()


def html_page(data, view="Active Memory Timeline"):
    """The page of torch.cuda._memory_viz: the pickle is padded with zero bytes so that base64 needs no '='."""
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


def gzip_members(data, count=3):
    """Several gzip members one after another, as `cat a.gz b.gz` makes them."""
    step = len(data) // count + 1
    return b"".join(gzip.compress(data[at:at + step], 1) for at in range(0, len(data), step))


def cpp_pickle(value):
    """As PyTorch's C++ pickler writes: protocol 2, whole lists and dicts in one batch, integers of eight bytes, strings remembered."""
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


def containers_of(snapshot):
    """(name, content, kind, container) of every way to write the same snapshot."""
    plain = pickle.dumps(snapshot, 4)
    text = json.dumps(snapshot).encode()
    yield from ((f"protocol{protocol}.pickle", pickle.dumps(snapshot, protocol), "pytorch_pickle", "") for protocol in range(6))
    yield "cpp.pickle", cpp_pickle(snapshot), "pytorch_pickle", ""
    yield "behind.pickle", plain + b"\0\0 whatever follows", "pytorch_pickle", ""
    yield "snapshot.json", text, "pytorch_json", ""
    yield "indented.json", json.dumps(snapshot, indent=1, ensure_ascii=False).encode(), "pytorch_json", ""
    yield "marked.json", b"\xef\xbb\xbf \n" + text, "pytorch_json", ""
    yield "snapshot.pickle.gz", gzip.compress(plain), "pytorch_pickle", "gzip"
    yield "members.gz", gzip_members(plain), "pytorch_pickle", "gzip"
    yield "old.gz", gzip.compress(pickle.dumps(snapshot, 0), 1), "pytorch_pickle", "gzip"
    yield "snapshot.json.gz", gzip.compress(text), "pytorch_json", "gzip"
    yield "trace_plot.html", html_page(plain), "pytorch_html", ""
    yield "trace_plot.html.gz", gzip.compress(html_page(plain)), "pytorch_html", "gzip"
    yield "pickle.zip", zip_bytes({"run/snapshot.pickle": plain}), "pytorch_pickle", "zip"
    yield "stored.zip", zip_bytes({"snapshot.json": text}, zipfile.ZIP_STORED), "pytorch_json", "zip"
    yield "gz.zip", zip_bytes({"snapshot.pickle.gz": gzip.compress(plain)}), "pytorch_pickle", "zip/gzip"
    yield "html.zip", zip_bytes({"page.html": html_page(plain)}), "pytorch_html", "zip"
