"""Makes Zstandard files by hand, following RFC 8878, and small ones with the library.

Frames made by hand have blocks that are stored or repeat one byte; their checksums are computed here.
"""
import ctypes
import struct

MASK = 2**64 - 1
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
MAX_BLOCK_BYTES = 128 << 10
LEVEL, CHECK_SUM = 100, 201   # numbers of parameters, in zstd.h
WINDOW = 13 << 3   # 8 MiB, as encoded in a frame's header


def rotated(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def xxh64(data):
    """Computes XXH64 with seed 0; a frame ends with its lower half."""
    p1, p2, p3, p4, p5 = PRIMES
    at = 0
    if len(data) >= 32:
        lanes = [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
        while at + 32 <= len(data):
            words = struct.unpack_from("<4Q", data, at)
            lanes = [rotated((lane + word * p2) & MASK, 31) * p1 & MASK for lane, word in zip(lanes, words)]
            at += 32
        total = sum(rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            total = ((total ^ rotated(lane * p2 & MASK, 31) * p1 & MASK) * p1 + p4) & MASK
    else:
        total = p5
    total = (total + len(data)) & MASK
    while at + 8 <= len(data):
        word, = struct.unpack_from("<Q", data, at)
        total = (rotated(total ^ rotated(word * p2 & MASK, 31) * p1 & MASK, 27) * p1 + p4) & MASK
        at += 8
    if at + 4 <= len(data):
        word, = struct.unpack_from("<I", data, at)
        total = (rotated(total ^ word * p1 & MASK, 23) * p2 + p3) & MASK
        at += 4
    for byte in data[at:]:
        total = rotated(total ^ byte * p5 & MASK, 11) * p1 & MASK
    total = (total ^ total >> 33) * p2 & MASK
    total = (total ^ total >> 29) * p3 & MASK
    return total ^ total >> 32


def header(window=WINDOW, has_sum=False, dictionary=None):
    """Returns the header of a frame without a content size. `window` is the encoded window size, `dictionary` a dictionary id."""
    descriptor = (4 if has_sum else 0) | (3 if dictionary is not None else 0)
    return b"\x28\xb5\x2f\xfd" + bytes([descriptor, window]) + (struct.pack("<I", dictionary) if dictionary is not None else b"")


def block(kind, size, content, is_last=False):
    """Returns a block; `kind` is 0 for stored data and 1 for one repeated byte."""
    return struct.pack("<I", size << 3 | kind << 1 | is_last)[:3] + content


def stored(data, is_last=True):
    """Returns stored blocks with the data."""
    parts = [data[at:at + MAX_BLOCK_BYTES] for at in range(0, len(data), MAX_BLOCK_BYTES)] or [b""]
    return b"".join(block(0, len(part), part, is_last and i == len(parts) - 1) for i, part in enumerate(parts))


def repeated(byte, count, is_last=True):
    """Returns blocks that repeat one byte, `count` times the maximum size of a block."""
    return block(1, MAX_BLOCK_BYTES, byte) * (count - 1) + block(1, MAX_BLOCK_BYTES, byte, is_last)


def frame(data, has_sum=True, **of_header):
    return header(has_sum=has_sum, **of_header) + stored(data) + (struct.pack("<I", xxh64(data) & 0xFFFFFFFF) if has_sum else b"")


def skippable(content, number=0, claimed=None):
    """Returns a skippable frame."""
    return struct.pack("<II", 0x184D2A50 + number, len(content) if claimed is None else claimed) + content


def library():
    return ctypes.CDLL("libzstd.so.1")


def compress(data, level=3):
    """Compresses with the library into one frame with a checksum, like the program zstd."""
    zstd = library()
    zstd.ZSTD_createCCtx.restype = ctypes.c_void_p
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress2.restype = ctypes.c_size_t
    context = ctypes.c_void_p(zstd.ZSTD_createCCtx())
    for parameter, value in ((LEVEL, level), (CHECK_SUM, 1)):
        zstd.ZSTD_CCtx_setParameter(context, parameter, value)
    room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = zstd.ZSTD_compress2(context, room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)))
    zstd.ZSTD_freeCCtx(context)
    assert not zstd.ZSTD_isError(ctypes.c_size_t(size)), "libzstd refuses to pack"
    return room.raw[:size]


def decompress(data, content_bytes):
    """Returns the content of one or several frames; `content_bytes` is its length."""
    zstd = library()
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(content_bytes + 1)
    size = zstd.ZSTD_decompress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)))
    assert not zstd.ZSTD_isError(ctypes.c_size_t(size)), "libzstd refuses to unpack"
    return room.raw[:size]
