"""Writes a pickle piece by piece, for snapshots larger than memory: events are not kept after they are written."""
import struct


class StreamedPickle:
    """Writes the opcodes that Python's pickle would write (protocol 4, without frames). Shared objects must stay alive."""

    def __init__(self, file):
        self.file, self.remembered, self.recalls, self.kept = file, 0, {}, []
        file.write(b"\x80\x04")

    def remember(self, key=None, value=None):
        """Stores the newest value in the memo; with a key, it can be referred to later."""
        number = self.remembered
        self.remembered += 1
        if key is not None:
            self.recalls[key] = b"h" + bytes([number]) if number < 256 else b"j" + struct.pack("<I", number)
            self.kept.append(value)    # keeps the value's id unique
        return b"\x94"

    def string(self, text):
        recall = self.recalls.get(text)
        if recall is not None:
            return recall
        raw = text.encode()
        head = b"\x8c" + bytes([len(raw)]) if len(raw) < 256 else b"X" + struct.pack("<I", len(raw))
        return head + raw + self.remember(text)

    @staticmethod
    def integer(value):
        if -(1 << 31) <= value < 1 << 31:
            if 0 <= value < 65536:
                return b"K%c" % value if value < 256 else b"M" + value.to_bytes(2, "little")
            return b"J" + value.to_bytes(4, "little", signed=True)
        size = value.bit_length() // 8 + 1
        return b"\x8a%c" % size + value.to_bytes(size, "little", signed=True)

    def value(self, value):
        if isinstance(value, bool):
            return b"\x88" if value else b"\x89"
        if isinstance(value, int):
            return self.integer(value)
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, float):
            return b"G" + struct.pack(">d", value)
        recall = self.recalls.get(id(value))
        if recall is not None:
            return recall
        if isinstance(value, tuple):
            return b"".join(map(self.value, value)) + {2: b"\x86", 3: b"\x87"}[len(value)] + self.remember(id(value), value)
        if isinstance(value, list):
            return b"]" + self.remember(id(value), value) + self.items(b"e", map(self.value, value))
        return b"}" + self.remember(id(value), value) + self.items(b"u", self.pairs(value))

    @staticmethod
    def items(end, written):
        joined = b"".join(written)
        return b"(" + joined + end if joined else b""

    def pairs(self, mapping):
        for key, value in mapping.items():
            yield self.string(key)
            yield self.value(value)

    def write(self, raw):
        self.file.write(raw)

    def write_event(self, event):
        """Writes a dict to which nothing else refers."""
        self.remembered += 1
        parts, recalls, integer = [b"}\x94("], self.recalls, self.integer
        for key, value in event.items():
            parts.append(recalls.get(key) or self.string(key))
            parts.append(integer(value) if type(value) is int else recalls.get(id(value)) or self.value(value))
        parts.append(b"u")
        self.file.write(b"".join(parts))


class StreamedList:
    """A list whose appended dicts are written to the file at once."""

    batch = 1000    # batch size of Python's pickle

    def __init__(self, pickle):
        self.pickle, self.count = pickle, 0
        pickle.write(b"]" + pickle.remember())

    def append(self, event):
        if self.count % self.batch == 0:
            self.pickle.write(b"(" if self.count == 0 else b"e(")
        self.pickle.write_event(event)
        self.count += 1

    def __len__(self):
        return self.count

    def end(self):
        if self.count > 0:
            self.pickle.write(b"e")
