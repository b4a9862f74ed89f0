"""Reads the content of files without the program, in a few simple lines."""
import json
import pickle
import zipfile


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"refused: {module}.{name}")


def load(path):
    with open(path, "rb") as file:
        return PlainUnpickler(file).load()


def allocations(path, device=0):
    """Returns (sizes, peak in bytes) of all allocations in the trace and in the segments."""
    snapshot = load(path)
    events = snapshot["device_traces"][device]
    sizes, live, before = [], {}, {}
    changes = []
    for event in events:
        if event["action"] == "alloc":
            live[event["addr"]] = event["size"]
            sizes.append(event["size"])
            changes.append(event["size"])
        elif event["action"] == "free_completed":
            if event["addr"] not in live:
                before[event["addr"]] = event["size"]
                sizes.append(event["size"])
            live.pop(event["addr"], None)
            changes.append(-event["size"])
    touched = {event["addr"] for event in events if event["action"] == "alloc"}
    standing = 0
    for segment in snapshot["segments"]:
        address = segment["address"]
        for block in segment["blocks"]:
            if segment["device"] == device and block["state"] == "active_allocated" and address not in touched:
                sizes.append(block["requested_size"])
                standing += block["requested_size"]
            address += block["size"]
    total = peak = standing + sum(before.values())
    for change in changes:
        total += change
        peak = max(peak, total)
    return sizes, peak


def zip_allocations(path):
    """Returns (sizes, peak in bytes) of a SnapViewer zip: the peak is the highest upper edge of all polygons."""
    with zipfile.ZipFile(path) as archive:
        drawn = json.loads(archive.read("allocations.json"))
    sizes = [allocation["size"] for allocation in drawn]
    return sizes, max(offset + allocation["size"] for allocation in drawn for offset in allocation["offsets"])
