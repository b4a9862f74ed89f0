"""A file that takes a while to open."""
import pickle


def write_large_snapshot(path, pairs=1_500_000):
    """A proper pickle that takes a while to read: the same alloc and free over and over, written without building them."""
    def bare(value):
        return pickle.dumps(value, protocol=2)[2:-1]
    alloc = {"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": []}
    pair = bare(alloc) + bare({**alloc, "action": "free_completed"})
    with open(path, "wb") as file:
        file.write(b"\x80\x02}(" + bare("segments") + b"]" + bare("device_traces") + b"](](")
        for _ in range(pairs // 10_000):
            file.write(pair * 10_000)
        file.write(b"eeu.")
