"""Writes files that take some time to open."""
import bz2
import pickle
import random


def write_large_snapshot(path, pairs=1_500_000):
    """A valid pickle that takes some time to read: the same alloc and free again and again, written without building them in memory."""
    with open(path, "wb") as file:
        file.write(BEGIN)
        for _ in range(pairs // 10_000):
            file.write(alloc_and_free(4096, 512) * 10_000)
        file.write(END)


def write_slow_snapshot(path, repeats=80, pack=bz2.compress):
    """The same recording as repetitions of 20,000 events, compressed so that unpacking takes seconds: bzip2 is slow, and a block
    compressed once is written many times. With `pack` bytes, it is not compressed. Returns the number of events."""
    dice = random.Random(1)
    pairs = [alloc_and_free(dice.randrange(2**30) << 9, dice.randrange(1, 2**21)) for _ in range(10_000)]
    # Appends a thousand values at a time, like Python's pickle.
    block = b"e(".join(b"".join(pairs[i:i + 500]) for i in range(0, len(pairs), 500)) + b"e("
    packed = pack(block)
    with open(path, "wb") as file:
        file.write(pack(BEGIN))
        for _ in range(repeats):
            file.write(packed)
        file.write(pack(END))
    return repeats * 20_000


def alloc_and_free(address, size):
    alloc = {"action": "alloc", "addr": address, "size": size, "stream": 0, "frames": []}
    return bare(alloc) + bare({**alloc, "action": "free_completed"})


def bare(value):
    return pickle.dumps(value, protocol=2)[2:-1]


BEGIN = b"\x80\x02}(" + bare("segments") + b"]" + bare("device_traces") + b"](]("
END = b"eeu."
