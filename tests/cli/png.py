"""A minimal PNG reader for checking pictures: 8-bit RGB and RGBA, not interlaced."""
import struct
import zlib


def size(data):
    """Returns (width, height) without decoding the pixels."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG")
    return struct.unpack(">II", data[16:24])


def decode(data):
    """Returns (channels, rows); a row has `channels` bytes per pixel. Raises ValueError for unsupported files."""
    at, compressed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]:
            raise ValueError(f"wrong checksum in {kind}")
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        if kind == b"IDAT":
            compressed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = header
    channels = {2: 3, 6: 4}.get(colour)
    if depth != 8 or channels is None or interlaced:
        raise ValueError("a kind of PNG that this does not read")
    return channels, unfilter(zlib.decompress(compressed), width * channels, height, channels)


def unfilter(raw, row_bytes, height, channels):
    rows, above = [], bytes(row_bytes)
    for y in range(height):
        start = y * (row_bytes + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + row_bytes])
        for i in range(row_bytes) if kind else ():
            left = row[i - channels] if i >= channels else 0
            up, corner = above[i], above[i - channels] if i >= channels else 0
            row[i] = (row[i] + (left, up, (left + up) // 2, paeth(left, up, corner))[kind - 1]) & 255
        rows.append(bytes(row))
        above = row
    return rows


def paeth(left, up, corner):
    estimate = left + up - corner
    return min((left, up, corner), key=lambda value: abs(estimate - value))
