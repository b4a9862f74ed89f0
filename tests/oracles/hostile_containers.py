"""JSON, gzip, zip and HTML files that are invalid, or that unpack to far more than their size, each with its expected outcome."""
import base64
import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib

import hostile_pickles
import zstd_frames
from hostile_outcome import Either, Opens, Refused

EVENT = {"action": "alloc", "addr": 4096, "size": 512, "stream": 0}
HONEST = hostile_pickles.one()
ALLOCATION = {"timesteps": [0, 1], "offsets": [0, 0], "size": 512}
MEGABYTE = 10**6


def snapshot(*events, **more):
    return json.dumps({"device_traces": [list(events)], "segments": [], **more}).encode()


def around(value):
    """Returns JSON with `value` as an event's size."""
    return b'{"device_traces": [[{"action": "alloc", "addr": 1, "size": ' + value + b"}]]}"


def json_texts():
    yield "nested_100000", b"[" * 100_000, Refused("nested deeper")
    yield "nested_objects", b'{"a":' * 100_000, Refused("nested deeper")
    yield "number_of_a_million_digits", around(b"1" * MEGABYTE), Refused("range of a double")
    yield "number_1e999", around(b"1e999"), Refused("range of a double")
    yield "number_2_64", around(str(2**64).encode()), Refused("not an integer")
    yield "number_with_a_long_exponent", around(b"1e" + b"0" * MEGABYTE + b"1"), Opens(events=1, peak=10)
    yield "size_negative", snapshot({**EVENT, "size": -2**63}), Opens(events=1, peak=0, finds="negative_size")
    yield "size_2_63", snapshot({**EVENT, "size": 2**63}), Opens(events=1, peak=0, finds="negative_size")
    yield "not_utf8", b'{"device_traces": "\xff\xfe"}', Refused("UTF-8")
    yield "half_a_surrogate", b'{"device_traces": "\\ud800"}', Refused("surrogate")
    yield "control_characters", snapshot({**EVENT, "user_metadata": "\x1b]0;owned\x07\x00"}), Opens(events=1)
    yield "string_without_end", b'{"device_traces": "' + b"a" * MEGABYTE, Refused("cut short")
    yield "keys_twice", b'{"device_traces": [[{' + b'"action": "alloc", ' * 50_000 + b'"size": 512}]]}', Opens(events=1, peak=512, finds="duplicate_key")
    yield "keys_many", b'{"device_traces": [[' + b",".join(b'{"action":"alloc","k%d":0}' % i for i in range(40_000)) + b"]]}", Opens(events=40_000)
    yield "root_keys_many", b'{"device_traces":[[{"action":"alloc"}]]' + b"".join(b',"%x":0' % i for i in range(120_000)) + b"}", Opens(events=1)
    yield "lists_of_one", b'{"device_traces": [[]], "x": [' + b"[1]," * MEGABYTE + b"1]}", Refused()
    yield "lists_of_none", b'{"device_traces": [[]], "x": [' + b"[]," * MEGABYTE + b"1]}", Refused()
    names = b"".join(b',"' + base64.b16encode(raw) + b'":0' for raw in hostile_pickles.colliding_texts(100))
    yield "keys_like_binary", b'{"device_traces":[[{"action":"alloc"}]]' + names + b"}", Opens(events=1)
    yield "a_million_devices", b'{"device_traces":[' + b'[{"action":"alloc"}],' * 50_000 + b"[]]}", Refused("1024 devices")
    yield "bare_number", b"[1]", Refused("not a list of memory segments")


# ---------------------------------------------------------------------------------------------------- gzip

def packed_repeats(piece, count):
    """Returns a gzip file of `count` repetitions of a piece, which is compressed only once. Its checksum is wrong."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08" + bytes(7) + packed * count + b"\x03\x00" + bytes(8)


# Opcodes of a pickle without effect: each starts a frame of 0 bytes.
EMPTY_FRAMES = (b"\x95" + bytes(8)) * (MEGABYTE // 9)


def dense():
    """Very dense files: bzip2, xz and Zstandard files, whose streams can be concatenated like gzip's members."""
    head = b"\x80\x04"
    for name, pack in (("bzip2", bz2.compress), ("xz", lzma.compress), ("zstd", zstd_frames.compress)):
        yield name + "_bomb", pack(head) + pack(EMPTY_FRAMES) * 300, Refused("unpacks to")
        yield name + "_in_gzip", gzip.compress(pack(head) + pack(EMPTY_FRAMES) * 300), Refused("unpacks to")
        yield name + "_honest", pack(HONEST), Opens(events=1)


def gzips():
    yield "zeros_2_gb", packed_repeats(bytes(MEGABYTE), 2000), Refused("not a file that snapviewer can read")
    yield "padding_after_the_snapshot", gzip.compress(HONEST, 9) + packed_repeats(bytes(MEGABYTE), 1000), Opens(events=1)
    yield "nothing_popped", packed_repeats(b"N0" * (MEGABYTE // 2), 1000), Refused()
    head = b"\x80\x04"
    yield "empty_frames_1_gb", gzip.compress(head, 1) + packed_repeats(EMPTY_FRAMES, 1000), Refused("unpacks to")
    yield "pops_1_gb", gzip.compress(head, 1) + packed_repeats(b"N0" * (MEGABYTE // 2), 1000), Refused("drops more values")
    yield "groups_dropped_1_gb", gzip.compress(head, 1) + packed_repeats(b"(1" * (MEGABYTE // 2), 1000), Refused("drops more values")
    yield "opens_1_gb", gzip.compress(head, 1) + packed_repeats(b"N" * MEGABYTE, 1000), Refused()
    yield "text_1_gb", gzip.compress(head + b"\x8d" + struct.pack("<Q", 2**30), 1) + packed_repeats(b"N" * MEGABYTE, 1000), Refused()
    yield "spaces_1_gb", packed_repeats(b" " * MEGABYTE, 1000), Refused()
    yield "json_spaces_1_gb", gzip.compress(b"{", 1) + packed_repeats(b" " * MEGABYTE, 1000), Refused("unpacks to")
    nested = HONEST
    for _ in range(3):
        nested = gzip.compress(nested)
    yield "thrice", nested, Opens(events=1)
    for _ in range(3):
        nested = gzip.compress(nested)
    yield "six_times", nested, Refused("compressed more times over")
    bomb = packed_repeats(bytes(MEGABYTE), 4000)
    yield "bomb_in_a_bomb", gzip.compress(gzip.compress(head, 1) + bomb, 9), Refused()
    empties = gzip.compress(b"", 9)
    yield "empty_members", empties * 50_000 + gzip.compress(HONEST), Opens(events=1)
    yield "bomb_of_empty_members", packed_repeats(empties * 50_000, 1000), Refused()
    inner = packed_repeats(packed_repeats(empties * 50_000, 100), 300)
    yield "bomb_of_bombs_of_empty_members", packed_repeats(inner, 100), Refused()
    yield "cut", gzip.compress(HONEST * 2)[:60], Either()
    yield "wrong_check_sum", gzip.compress(HONEST)[:-8] + b"\0" * 8, Opens(events=1)
    yield "damaged", gzip.compress(HONEST)[:20] + b"\xff" * 50, Refused("damaged")
    yield "followed_by_rubbish", gzip.compress(HONEST) + b"rubbish" * 1000, Opens(events=1)
    yield "name_without_end", b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * MEGABYTE, Refused("cut short")
    yield "database_inside", gzip.compress(b"SQLite format 3\0" + bytes(4096)), Refused("inside another file")


# ---------------------------------------------------------------------------------------------------- Zstandard

def zstds():
    head = b"\x80\x04"
    first = zstd_frames.frame(head)
    gigabyte = 2**30 // zstd_frames.MAX_BLOCK_BYTES
    yield "zeros_2_gb", zstd_frames.header() + zstd_frames.repeated(b"\0", 2 * gigabyte), Refused("is not a file that snapviewer can read")
    yield "opens_8_gb", first + zstd_frames.header() + zstd_frames.repeated(b"N", 8 * gigabyte), Refused()
    yield "json_spaces_8_gb", zstd_frames.frame(b"{") + zstd_frames.header() + zstd_frames.repeated(b" ", 8 * gigabyte), Refused("unpacks to")
    yield "padding_after_the_snapshot", zstd_frames.frame(HONEST) + zstd_frames.header() + zstd_frames.repeated(b"\0", gigabyte), Opens(events=1)
    yield "window_2_gb", zstd_frames.frame(HONEST, window=21 << 3), Refused("2.0 GiB")
    yield "window_of_the_most_bytes", zstd_frames.frame(HONEST, window=31 << 3 | 7), Refused("window")
    yield "window_512_mb", zstd_frames.frame(HONEST, window=19 << 3), Opens(events=1)
    yield "window_512_mb_in_another", zstd_frames.frame(zstd_frames.frame(HONEST, window=19 << 3), window=19 << 3), Refused("to unpack")
    size = struct.pack("<Q", 2**63)
    yield "content_of_2_63_bytes", b"\x28\xb5\x2f\xfd\xe0" + size + zstd_frames.stored(HONEST), Refused("window")
    yield "content_longer_than_it_says", b"\x28\xb5\x2f\xfd\x60\0\0" + zstd_frames.repeated(b"N", 100), Refused()
    yield "dictionary", zstd_frames.frame(HONEST, dictionary=77), Refused("dictionary")
    yield "wrong_check_sum", zstd_frames.frame(HONEST)[:-4] + bytes(4), Opens(events=1)
    yield "wrong_check_sum_of_json", zstd_frames.frame(snapshot(EVENT))[:-4] + bytes(4), Opens(events=1, finds="damaged_packing")
    yield "reserved_kind_of_block", first + zstd_frames.header() + zstd_frames.block(3, 5, b"12345", True), Refused("damaged")
    yield "skippable_without_end", zstd_frames.skippable(b"", claimed=2**31 - 1) + zstd_frames.frame(HONEST), Refused("data is cut short")
    # The length with its header does not fit into a size_t of 32 bits, so the library calls the frame damaged there.
    yield "skippable_of_4_gib", zstd_frames.skippable(b"", claimed=2**32 - 1) + zstd_frames.frame(HONEST), Refused("compressed data is")
    empty = zstd_frames.frame(b"", has_sum=False)
    yield "empty_frames", empty * 50_000 + zstd_frames.skippable(b"") * 40_000 + zstd_frames.frame(HONEST), Opens(events=1)
    yield "too_many_empty_frames", empty * 110_000 + zstd_frames.frame(HONEST), Refused("empty streams")
    yield "bomb_of_empty_frames", zstd_frames.compress(empty * 200_000) * 1000, Refused("empty streams")
    blocks = zstd_frames.header() + zstd_frames.block(0, 0, b"") * 300_000
    yield "empty_blocks", blocks + zstd_frames.stored(HONEST), Opens(events=1)
    yield "bomb_of_empty_blocks", zstd_frames.compress(blocks) + zstd_frames.compress(zstd_frames.block(0, 0, b"") * 300_000) * 1000, Refused()
    yield "only_skippable", zstd_frames.skippable(b"x" * 1000), Refused("is empty")
    yield "lz4_after_a_skippable", zstd_frames.skippable(b"") + b"\x04\x22\x4d\x18" + bytes(100), Refused()
    yield "cut", zstd_frames.compress(HONEST)[:30], Either()
    yield "followed_by_rubbish", zstd_frames.frame(HONEST) + b"rubbish" * 1000, Opens(events=1)
    yield "database_inside", zstd_frames.frame(b"SQLite format 3\0" + bytes(4096)), Refused("inside another file")


# ---------------------------------------------------------------------------------------------------- zip

def entry(name, size, crc, packed, offset=0, method=8, flags=0, claimed=None):
    """Returns an entry of a zip's directory."""
    return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, flags, method, 0, 33, crc, packed, size if claimed is None else claimed,
                       len(name), 0, 0, 0, 0, 0, offset) + name


def hand_made(body, entries, count=None, offset=None):
    directory = b"".join(entries)
    count = min(len(entries), 0xFFFF) if count is None else count
    return body + directory + struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, count, count, len(directory), len(body) if offset is None else offset, 0)


def member(name, content, flags=0):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(content) + packer.flush()
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, flags, 8, 0, 33, zlib.crc32(content), len(packed), len(content), len(name), 0) + name
    return local + packed, len(content), zlib.crc32(content), len(packed)


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def sharing(names, content):
    """A zip whose members all have the same bytes of the file as their content."""
    body, size, crc, packed = member(names[0], content)
    return hand_made(body, [entry(name, size, crc, packed) for name in names])


def same_djb2(count):
    """Yields names with equal hashes under hash = 33 * hash + letter, made of the colliding pairs of letters "bB" and "aÃ"."""
    for i in range(count):
        yield "".join("bA" if i >> bit & 1 else "ab" for bit in range(17)).encode()


def zips():
    body, size, crc, packed = member(b"a.pickle", HONEST)
    fields = (size, crc, packed)
    yield "one_member", hand_made(body, [entry(b"a.pickle", *fields)]), Opens(events=1)
    padding = b"\x80\x04" + b"N0" * 2_000_000
    numbers = [b"%d.pickle" % i for i in range(1000)]
    yield "members_share_bytes", sharing(numbers, padding), Refused("unpacks to")
    bomb = packed_repeats(b"\x80\x04" + EMPTY_FRAMES, 400)[10:-8]
    claimed = 400 * (2 + len(EMPTY_FRAMES))
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 8, 0, 33, 0, len(bomb), claimed, 8, 0) + b"a.pickle"
    yield "bomb", hand_made(local + bomb, [entry(b"a.pickle", claimed, 0, len(bomb))]), Refused("unpacks to")
    shards = [b"elements_%d.json" % i for i in range(8000)]
    yield "shards_share_bytes", sharing([b"allocations.json", *shards], b"[" + b" " * 200_000 + b"]"), Refused("unpacks to")
    many = [b"m%d" % i for i in range(60_000)]
    yield "60000_members", sharing(many, HONEST), Refused("members")
    yield "names_of_one_hash", sharing(list(same_djb2(50_000)), HONEST), Refused("members")
    yield "a_folder_of_members", sharing([b"m%d" % i for i in range(5000)], HONEST), Opens(events=1)
    yield "claims_65535_members", hand_made(body, [entry(b"a.pickle", *fields)], count=0xFFFE), Refused()
    yield "claims_none", hand_made(body, [entry(b"a.pickle", *fields)], count=0), Refused()
    yield "directory_beyond_the_file", hand_made(body, [entry(b"a.pickle", *fields)], offset=2**31), Refused()
    yield "directory_in_itself", hand_made(body, [entry(b"a.pickle", *fields)], offset=0), Refused()
    yield "member_beyond_the_file", hand_made(body, [entry(b"a.pickle", *fields, offset=2**31)]), Refused()
    yield "member_in_the_directory", hand_made(body, [entry(b"a.pickle", *fields, offset=len(body))]), Refused()
    yield "claims_4_gb", hand_made(body, [entry(b"a.pickle", *fields, claimed=0xFFFFFFFE)]), Either()
    yield "packed_size_beyond_the_file", hand_made(body, [entry(b"a.pickle", size, crc, 0xFFFFFFF0)]), Either()
    yield "claims_no_bytes", hand_made(body, [entry(b"a.pickle", *fields, claimed=0)]), Either()
    yield "wrong_check_sum", hand_made(body, [entry(b"a.pickle", size, crc ^ 1, packed)]), Either()
    yield "encrypted", hand_made(body, [entry(b"a.pickle", *fields, flags=1)]), Refused("encrypted")
    yield "unknown_method", hand_made(body, [entry(b"a.pickle", *fields, method=77)]), Refused("method 77")
    for name, raw in [("upwards", b"../../../../tmp/a.pickle"), ("absolute", b"/etc/passwd"), ("control", b"\x1b[31m\x07\n.pickle"),
                      ("not_utf8", b"\xff\xfe\xc0"), ("empty", b""), ("long", b"n" * 65_000)]:
        its_body, *its = member(raw, HONEST)
        yield "name_" + name, hand_made(its_body, [entry(raw, *its)]), Opens(events=1)
    bad = member(b"\x1b[31mbad.pickle", b"\x80\x04cos\nsystem\n.")
    yield "refused_under_a_coloured_name", hand_made(bad[0], [entry(b"\x1b[31mbad.pickle", *bad[1:])]), Refused("GLOBAL")
    yield "zip_in_a_zip", zipped(**{"a.zip": zipped(**{"a.pickle": HONEST})}), Refused("without a snapshot")
    yield "bomb_in_gzip", zipped(**{"a.gz": gzip.compress(b"\x80\x04", 1) + packed_repeats(EMPTY_FRAMES, 1000)}), Refused("unpacks to")
    yield "no_members", zipped(), Refused("without a snapshot")
    yield "only_a_beginning", b"PK\x03\x04" + bytes(100), Refused("damaged or cut-off zip")


def snapviewer_zips():
    def pair(allocations, elements):
        return zipped(**{"allocations.json": json.dumps(allocations), "elements.json": json.dumps(elements)})

    def one(**fields):
        return pair([{**ALLOCATION, **fields}], [{**EVENT, "frames": []}])

    yield "steps_backwards", one(timesteps=[5, 1]), Refused("go back")
    yield "step_2_62", one(timesteps=[0, 2**62]), Opens(events=1)
    yield "offset_2_63", one(offsets=[2**63, 0]), Refused("2^63")
    yield "offset_and_size_beyond", one(offsets=[2**63 - 1, 0]), Refused("offset above")
    yield "size_2_63", one(size=2**63), Refused("2^63")
    yield "size_negative", one(size=-1), Refused("negative")
    yield "element_2_62", one(elem=2**62), Opens(finds="allocation_without_element")
    yield "one_element_for_all", pair([{**ALLOCATION, "elem": 0}] * 1000, [{**EVENT, "frames": []}]), Opens(finds="elements_out_of_step")
    yield "more_offsets_than_steps", one(offsets=[0] * 1000), Refused("timesteps")
    yield "nested_steps", one(timesteps=[[0]]), Refused("wrong types")
    count = 400_000
    long = ",".join(['{"timesteps":[0,%d],"offsets":[0,0],"size":1}' % (2 * count)] * count)
    short = ",".join('{"timesteps":[%d,%d],"offsets":[0,0],"size":1}' % (i, i + 1) for i in range(count))
    yield "paths_that_last_all_along", zipped(**{"allocations.json": f"[{long},{short}]", "elements.json": "[]"}), hostile_pickles.REPEATS


# ---------------------------------------------------------------------------------------------------- HTML

def pages():
    data = base64.b64encode(HONEST)

    def page(content, after=b"\"}]; add_local_files(local_files, 'Active Memory Timeline')"):
        return b'<html><script>local_files = [{"name": "x", "base64": "' + content + after + b"</script></html>"

    yield "honest", page(data), Opens(events=1)
    yield "without_data", b"<html>" + b"<p>" * 300_000, Refused("without the data")
    yield "almost_data", b"<html>" + b'"base64"x ' * 100_000, Refused("without the data")
    yield "not_base64", page(b"!" * 1000), Refused("damaged")
    yield "without_end", page(data, b""), Either()
    yield "view_of_control_characters", page(data, b"\"}]; add_local_files(x, '\x1b]0;owned\x07\xff')"), Opens(events=1, finds="page_view")
    yield "view_without_end", page(data, b"\"}]; add_local_files(x, '" + b"v" * MEGABYTE), Opens(events=1)
    yield "spaces", page(b" " * MEGABYTE + data), Opens(events=1)
    yield "bomb", page(base64.b64encode(gzip.compress(b"\x80\x04", 1) + packed_repeats(EMPTY_FRAMES, 1000))), Refused("unpacks to")
    pages_in_pages = HONEST
    for _ in range(6):
        pages_in_pages = page(base64.b64encode(pages_in_pages))
    yield "page_in_page", pages_in_pages, Refused("compressed more times over")


# ---------------------------------------------------------------------------------------------------- UTF-16, MHTML, pages of 2022

def texts():
    whole = snapshot(EVENT).decode()
    yield "honest", b"\xff\xfe" + whole.encode("utf-16-le"), Opens(events=1, peak=512)
    yield "half_a_character", b"\xff\xfe{\0\"\0a", Refused("cut short")
    yield "nothing_behind_the_mark", b"\xfe\xff" + b"\0 " * 1000, Refused()
    yield "surrogates_alone", b"\xff\xfe" + whole.replace("alloc", "all\ud800\udfff\ud800c").encode("utf-16-le", "surrogatepass"), Opens(events=1)
    yield "in_itself", b"\xff\xfe" + b"\xff\0\xfe\0" * 100_000, Refused()
    yield "zeros", b"{\0" + bytes(MEGABYTE), Refused()


def saved_pages():
    head = b'From: x\r\nContent-Type: multipart/related; boundary="b"\r\n'
    part = b"\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    page = b'<html>local_files =3D [{"base64": "' + base64.b64encode(HONEST).replace(b"=", b"=3D")
    yield "honest", head + part + page + b'"}]\r\n--b--\r\n', Opens(events=1)
    yield "without_a_boundary", head.replace(b"boundary", b"x") + part + page, Refused("separates")
    yield "without_a_page", head + b"\r\n--b\r\nContent-Type: image/png\r\n\r\n" + b"A" * MEGABYTE, Refused("without a page")
    yield "boundaries_alone", head + b"\r\n--b" * 100_000, Refused()
    yield "headers_without_end", head + b"X: y\r\n" * 100_000, Refused("headers")
    yield "line_without_end", head + part + b"<html>" + b"=" * MEGABYTE, Refused()
    yield "spaces_without_end", head + part + b"<html>" + b" " * MEGABYTE + b"\r\n--b--", Refused("without the data")
    yield "half_an_escape", head + part + page + b"=3", Either()
    yield "cut", head + part + page[:-20], Either()


def plot_pages():
    def page(**more):
        lists = {"actions": [0], "elements_size": [512], "elements_info": [0], "suffix_table": [[0, None]], "string_table": ["f"],
                 "initially_allocated": [], **more}
        return b"<html>\nlet alloc_data = " + json.dumps(lists).encode() + b"\ndraw()\n</html>"

    count = 20_000
    yield "honest", page(), Opens(events=1, peak=512)
    yield "element_beyond", page(actions=[2**64 - 1]), Refused("not in its list")
    yield "sizes_beyond", page(elements_size=[2**63]), Refused("larger than any device")
    yield "stack_in_itself", page(suffix_table=[[0, 0]]), Refused("leads nowhere")
    yield "stack_of_later_ones", page(suffix_table=[[0, 1], [0, None]]), Refused("leads nowhere")
    yield "stacks_of_stacks", page(actions=list(range(count)), elements_size=[1] * count, elements_info=list(range(count)),
                                   suffix_table=[[0, None if i == 0 else i - 1] for i in range(count)]), hostile_pickles.REPEATS
    yield "one_element_again_and_again", page(actions=[0] * 100_000), Opens(events=100_000, peak=512)
    yield "nested", b"<html>\nlet alloc_data = " + b"[" * 100_000, Refused("nested deeper")
    yield "without_data", b"<html>\nlet alloc_data =" + b" " * MEGABYTE, Refused()
    yield "lists_in_lists", page(actions=[[[0], 0], [0]]), Opens(events=3)


def files():
    for ending, group in ((".txt", texts), (".mhtml", saved_pages), (".html", plot_pages), (".json", json_texts), (".gz", gzips), (".xz", dense), (".zst", zstds), (".zip", zips), (".zip", snapviewer_zips), (".html", pages)):
        for name, content, outcome in group():
            yield f"{group.__name__}_{name}{ending}", content, outcome
