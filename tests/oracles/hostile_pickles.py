"""Pickled snapshots that are invalid, or that cause far more work than their size, each with its expected outcome.

Only the outcome is specific to a file; the limits of cost in tests/cli/test_hostile_files.py are the same for all files.
"""
import struct

from hostile_outcome import Either, Opens, Refused

WORD = 2**64
REPEATS = Refused("than any real snapshot of its")  # the message if the budget or the memory limit of a load is exceeded
COUNT = 20_000  # number of repetitions, so large that a quadratic algorithm takes seconds


# ---------------------------------------------------------------------------------------------------- opcodes

def text(value):
    raw = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
    return b"\x8c" + bytes([len(raw)]) + raw if len(raw) < 256 else b"X" + struct.pack("<I", len(raw)) + raw


def number(value):
    if 0 <= value < 256:
        return b"K" + bytes([value])
    if -2**31 <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    size = value.bit_length() // 8 + 1
    return b"\x8a" + bytes([size]) + value.to_bytes(size, "little", signed=True)


def real(value):
    return b"G" + struct.pack(">d", value)


def recall(index):
    return b"h" + bytes([index]) if index < 256 else b"j" + struct.pack("<I", index)


def of(value):
    """Returns a plain value as opcodes; bytes are opcodes already."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float):
        return real(value)
    if isinstance(value, dict):
        return b"}(" + b"".join(text(key) + of(item) for key, item in value.items()) + b"u"
    if isinstance(value, list):
        return b"](" + b"".join(map(of, value)) + b"e"
    if isinstance(value, tuple):
        return b"(" + b"".join(map(of, value)) + b"t"
    return {None: b"N", True: b"\x88", False: b"\x89"}[value] if value is None or isinstance(value, bool) else number(value)


class Memo:
    """Values that are stored once, at the beginning of a pickle, and then referred to with two or five bytes."""

    def __init__(self, *texts):
        self.head, self.index = bytearray(), {}
        for value in texts:
            self.keep(value, text(value))

    def keep(self, name, opcodes):
        self.head += opcodes + b"\x940"
        self.index[name] = len(self.index)
        return recall(self.index[name])

    def __getitem__(self, name):
        return recall(self.index[name])


def pickled(body, head=b""):
    return b"\x80\x04" + bytes(head) + body + b"."


def snapshot(events=b"", segments=b"", extra=b"", head=b"", more_traces=b""):
    """Returns a snapshot. `events` and `segments` are the opcodes of dicts in a row, `extra` those of further keys and values."""
    return pickled(b"}(" + text("device_traces") + b"](](" + events + b"e" + more_traces + b"e" + text("segments") + b"](" +
                   segments + b"e" + extra + b"u", head)


def event(**fields):
    return of({"action": "alloc", "addr": 4096, "size": 512, "stream": 0, **fields})


def segment(**fields):
    return of({"device": 0, "address": 4096, "total_size": 2**21, "stream": 0, "segment_type": "small", "blocks": [], **fields})


def one(**fields):
    return snapshot(event(**fields))


def short_events(memo, count, addresses, action="alloc"):
    """Returns events with as few bytes as possible."""
    start = b"}(" + memo["action"] + memo[action] + memo["size"] + number(64) + memo["addr"]
    return b"".join(start + number(addresses(i)) + b"u" for i in range(count))


def keys(*more):
    return Memo("action", "alloc", "free_completed", "free_requested", "addr", "size", "stream", "frames", "filename", "line", "name",
                *more)


# ---------------------------------------------------------------------------------------------------- damage and nonsense

def damage():
    whole = one()
    yield "text_beyond_the_file", b"\x80\x04X\xff\xff\xff\x7f" + b"a" * 100, Refused("cut short")
    yield "text_of_2_63_bytes", b"\x80\x04\x8d" + struct.pack("<Q", 2**63) + b"a" * 100, Refused("cut short")
    yield "text_of_2_64_bytes", b"\x80\x04\x8d" + b"\xff" * 8 + b"a" * 100, Refused("cut short")
    yield "integer_beyond_the_file", b"\x80\x04\x8b\xff\xff\xff\x7f\x01", Refused("cut short")
    yield "integer_of_4_gib", b"\x80\x04\x8b\xff\xff\xff\xff\x01", Refused("cut short")
    yield "integer_of_200_bytes", b"\x80\x04\x8a\xc8" + b"\x01" * 200 + b".", Refused("64 bits")
    yield "frame_of_2_64_bytes", whole[:2] + b"\x95" + b"\xff" * 8 + whole[2:], Opens(events=1)
    yield "remembered_beyond_the_file", b"\x80\x04}r\xff\xff\xff\x7f.", Refused("larger than the file size")
    yield "recalled_never_remembered", b"\x80\x04h\x05.", Refused("never stored")
    yield "recalled_2_32", b"\x80\x04j\xff\xff\xff\xff.", Refused("never stored")
    yield "popped_from_nothing", b"\x80\x040.", Refused("no")
    yield "group_never_opened", b"\x80\x04e.", Refused("not opened")
    yield "marks_closed_twice", b"\x80\x04](ee.", Refused("not opened")
    yield "item_without_dict", b"\x80\x04KKs.", Refused()
    yield "odd_number_of_items", b"\x80\x04}(Nu.", Refused("without a value")
    yield "appended_to_a_number", b"\x80\x04K\x01Na.", Refused("not a list")
    yield "set_on_a_number", b"\x80\x04K\x01NNs.", Refused("not a dict")
    yield "no_value_at_all", b"\x80\x04.", Refused("without a value")
    yield "no_stop", b"\x80\x04}" + b"N0" * 100, Refused("cut short")
    yield "protocol_9", b"\x80\x09N.", Refused("protocol")
    yield "root_is_text", pickled(text("device_traces")), Refused("single value")
    yield "dict_as_key", pickled(b"}(}NuN" + b"0"), Refused()
    yield "list_as_key_of_the_root", snapshot(extra=b"]N"), Refused("without devices")
    for name, opcodes in [("global", b"cos\nsystem\n"), ("stack_global", text("os") + text("system") + b"\x93"), ("reduce", b"N)R"),
                          ("inst", b"(ios\nsystem\n"), ("obj", b"(No"), ("newobj", b"N)\x81"), ("newobj_ex", b"N)}\x92"),
                          ("build", b"N}b"), ("ext1", b"\x82\x01"), ("ext4", b"\x84\x01\x00\x00\x00"), ("persid", b"Px\n"),
                          ("next_buffer", b"\x97"), ("bytearray_2_63", b"\x96" + struct.pack("<Q", 2**63))]:
        yield "calls_" + name, pickled(opcodes), Refused("it is refused, and nothing was executed")
    yield "traces_are_a_dict", pickled(of({"device_traces": {}, "segments": []})), Refused("is not a list")
    yield "segments_are_a_number", pickled(of({"device_traces": [], "segments": 7})), Refused("is not a list")
    yield "trace_of_numbers", pickled(of({"device_traces": [[1, 2, 3]]})), Refused("not an event")
    yield "action_is_a_number", one(action=7), Refused("'action' is not a string")
    yield "frames_are_numbers", one(frames=[1, 2]), Refused("not a frame")
    yield "size_is_text", one(size="512"), Refused("'size' is not an integer")
    yield "size_is_half", one(size=0.5), Refused("'size' is not an integer")
    yield "size_is_infinite", one(size=float("inf")), Refused("'size' is not an integer")
    yield "pool_of_three", one(pool_id=(1, 2, 3)), Refused("not a pair")
    yield "blocks_are_numbers", snapshot(segments=segment(blocks=[1])), Refused("not a block")


def self_reference():
    yield "list_in_itself", b"\x80\x04]\x94h\x00ah\x00.", Refused()
    yield "dict_in_itself", b"\x80\x04}\x94" + text("device_traces") + b"h\x00sh\x00.", Refused("is not a list")
    yield "traces_in_themselves", b"\x80\x04}(" + text("device_traces") + b"]\x94h\x00au.", Refused("not an event")
    yield "metadata_in_itself", one(user_metadata=b"]\x94h\x00a"), Opens(events=1)
    yield "metadata_twice_in_itself", one(user_metadata=b"}\x94(" + text("a") + b"h\x00" + text("b") + b"h\x00u"), Opens(events=1)
    yield "settings_in_themselves", snapshot(event(), extra=text("allocator_settings") + b"}\x94" + text("a") + b"h\x00s"), Opens(events=1)
    yield "frames_in_themselves", one(frames=b"]\x94h\x00a"), Refused("not a frame")
    yield "one_trace_for_two_devices", pickled(b"}" + text("device_traces") + b"](](" + event() + b"e\x94h\x00es"), Refused("share one trace")
    yield "one_list_of_blocks_for_two", pickled(
        of([{"state": "inactive", "size": 512}]) + b"\x940}(" + text("device_traces") + b"]" + text("segments") + b"](" +
        segment(blocks=recall(0)) + segment(address=2**30, blocks=recall(0)) + b"eu"), Refused("share one list")


def numbers():
    yield "size_2_63", one(size=2**63), Opens(events=1, peak=0, finds="negative_size")
    yield "size_2_64", one(size=WORD - 1), Opens(events=1, peak=0, finds="negative_size")
    yield "size_negative", one(size=-1), Opens(events=1, peak=0, finds="negative_size")
    yield "size_2_62_twice", snapshot(event(size=2**62) + event(addr=8192, size=2**62)), Opens(events=2, peak=0, finds="impossible_size")
    yield "size_2_65", one(size=2**65), Refused("64 bits")
    yield "size_is_true", one(size=True), Opens(events=1, peak=1)
    yield "size_as_a_real", one(size=512.0), Opens(events=1, peak=512)
    yield "address_2_64", one(addr=WORD - 1), Opens(events=1, peak=512)
    yield "address_negative", one(addr=-1), Opens(events=1, peak=512)
    yield "segment_wraps", snapshot(event(), segment(address=WORD - 4096, total_size=2**21)), Opens(events=1)
    yield "segment_of_2_63", snapshot(event(), segment(total_size=2**63)), Opens(events=1, finds="negative_size")
    yield "blocks_wrap", snapshot(event(), segment(address=WORD - 4096, blocks=[
        {"state": "active_allocated", "size": 2**40, "requested_size": 2**40} for _ in range(9)])), Opens(events=1)
    yield "blocks_of_2_63", snapshot(event(), segment(blocks=[{"state": "active_allocated", "size": 2**63 - 1}] * 4)), Opens(
        events=1, finds="impossible_size")
    yield "expandable_wraps", snapshot(b"".join(event(action=action, addr=WORD - 4096, size=2**40) for action in (
        "segment_map", "segment_unmap", "segment_map", "segment_free")), segment(is_expandable=True, address=WORD - 1)), Opens(events=4)
    yield "stream_2_64", one(stream=WORD - 1), Opens(events=1)
    yield "pool_2_63", one(pool_id=(-2**63, 2**63 - 1)), Opens(events=1)
    yield "line_negative", one(frames=[{"filename": "a", "line": -5, "name": "f"}]), Opens(events=1)
    yield "line_2_63", one(frames=[{"filename": "a", "line": 2**63, "name": "f"}]), Opens(events=1)
    yield "device_2_40", snapshot(event(), segment(device=2**40)), Opens(events=1, finds="bad_device")
    yield "device_negative", snapshot(event(), segment(device=-7)), Opens(events=1, finds="bad_device")
    yield "time_2_63", snapshot(event(time_us=-2**63) + event(addr=8192, time_us=2**63 - 1)), Opens(events=2, finds="impossible_time")
    yield "times_backwards", snapshot(b"".join(event(addr=4096 * i, time_us=10**15 - i * 10**9) for i in range(1, 300))), Opens(events=299)
    yield "times_to_and_fro", snapshot(b"".join(event(addr=4096 * i, time_us=(i % 2) * 2**58) for i in range(1, 300))), Opens(events=299)
    yield "annotations_backwards", snapshot(event(time_us=5), extra=text("external_annotations") + of([
        {"name": "x", "stage": stage, "device": 0, "time_us": time} for stage, time in (("END", 3), ("START", 9), ("START", 1), ("END", -2**62))])), Opens(events=1)
    yield "freed_twice", snapshot(event() + event(action="free_completed") * 3), Opens(events=4)
    yield "allocated_over_and_over", snapshot(event() * 300), Opens(events=300, finds="alloc_on_open_address")
    yield "oom_with_2_63_free", one(action="oom", device_free=2**63 - 1), Opens(events=1)


def strings():
    nasty = "a\x1b]0;owned\x07\x1b[31m\r\n\x00‮b"
    frame = {"filename": nasty, "line": 1, "name": nasty}
    yield "control_characters", snapshot(event(frames=[frame], user_metadata=nasty), extra=text("allocator_settings") + of({nasty: nasty})), Opens(events=1)
    yield "control_characters_in_an_action", one(action=nasty), Opens(events=1, finds="unknown_action")
    yield "control_characters_in_a_key", one(**{nasty: 1}), Opens(events=1, finds="unknown_event_key")
    yield "control_characters_in_a_root_key", snapshot(event(), extra=text(nasty) + b"N"), Opens(events=1, finds="unknown_root_key")
    yield "not_utf8", snapshot(event(frames=[{"filename": text(b"\xff\xfe\xc0\x80"), "line": 1, "name": text(b"\xed\xa0\x80")}],
                                     user_metadata=text(b"\xf5\x80"))), Opens(events=1)
    yield "not_utf8_in_an_action", one(action=text(b"\xff\xfe")), Opens(events=1, finds="unknown_action")
    yield "not_utf8_in_a_key", snapshot(b"}(" + text("action") + text("alloc") + text(b"\xff") + b"Nu"), Opens(events=1)
    yield "name_of_a_megabyte", one(frames=[{"filename": "x" * 10**6, "line": 1, "name": "y"}]), Opens(events=1)
    yield "key_of_a_megabyte", one(**{"k" * 10**6: 1}), Opens(events=1)
    yield "action_of_a_megabyte", one(action="z" * 10**6), Opens(events=1)


# ---------------------------------------------------------------------------------------------------- many of something

def crowds():
    m = keys()
    yield "a_million_devices", pickled(b"}" + text("device_traces") + b"](" + b"]" * 10**6 + b"es"), Refused("without devices")
    yield "a_million_devices_at_work", pickled(
        b"}" + text("device_traces") + b"](" + (b"](}(" + m["action"] + m["alloc"] + b"ue") * 10**5 + b"es", m.head), Refused("1024 devices")
    yield "a_million_segments_devices", snapshot(segments=b"".join(
        of({"device": i, "blocks": []}) for i in range(2000))), Refused("1024 devices")
    few = Memo("device", "total_size", "action", "alloc")
    yield "devices_times_segments", snapshot(event(), b"".join(
        b"}(" + few["device"] + number(i % 1024) + few["total_size"] + b"K\x01u" for i in range(120_000)), head=few.head), Either()
    a = Memo("name", "stage", "START", "device", "time_us")
    shared = a.keep("it", b"}(" + a["name"] + a["name"] + a["stage"] + a["START"] + a["device"] + b"K\x00" + a["time_us"] + b"K\x01u")
    yield "annotations_times_devices", snapshot(
        event(time_us=1), b"".join(of({"device": i, "blocks": []}) for i in range(1000)), head=a.head,
        extra=text("external_annotations") + b"](" + shared * 200_000 + b"e"), REPEATS
    t = keys("time_us", "external_annotations", "stage", "START", "END", "Optimizer.step#x")
    events = b"".join(b"}(" + t["action"] + t["alloc"] + t["size"] + b"K\x01" + t["addr"] + number(i) + t["time_us"] + b"K\x05u"
                      for i in range(50_000))
    begin, end = (t.keep(stage + "ed", b"}(" + t["name"] + t["Optimizer.step#x"] + t["stage"] + t[stage] + t["time_us"] + number(at) + b"u")
                  for stage, at in (("START", 1), ("END", 9)))
    yield "ranges_over_every_event", snapshot(events, head=t.head, extra=t["external_annotations"] + b"](" + (begin + end) * 100_000 + b"e"), Opens(events=50_000)
    yield "streams", snapshot(b"".join(b"}(" + m["action"] + m["alloc"] + m["stream"] + number(i) + b"u" for i in range(70_000)),
                              head=m.head), Refused("65535 streams")
    yield "streams_in_turn", snapshot(b"".join(b"}(" + m["action"] + m["alloc"] + m["stream"] + number(i * 7919 % 60_000) + b"u"
                                               for i in range(100_000)), head=m.head), Opens(events=100_000)
    p = keys("pool_id")
    yield "pools_in_turn", snapshot(b"".join(b"}(" + p["action"] + p["alloc"] + p["pool_id"] + b"K\x01" + number(i * 7919 % 60_000) + b"\x86u"
                                             for i in range(100_000)), head=p.head), Opens(events=100_000)
    yield "actions", snapshot(b"".join(event(action=f"a{i}") for i in range(300))), Refused("too many kinds of action")
    yield "unknown_keys", snapshot(b"".join(event(**{f"k{i}": 1}) for i in range(COUNT))), Opens(events=COUNT, finds="unknown_keys")
    yield "unknown_root_keys", snapshot(event(), extra=b"".join(text(f"k{i}") + b"N" for i in range(100_000))), Opens(events=1, finds="unknown_root_key")
    yield "root_keys_repeated", snapshot(event(), extra=(text("segments") + b"]") * 100_000), Opens(events=1)
    yield "findings_about_devices", snapshot(event(), segments=b"".join(segment(device=i, address=i * 2**30) for i in range(1000))), Opens(events=1)


# ---------------------------------------------------------------------------------------------------- a little that becomes a lot

def shared_parts():
    m = keys("user_metadata", "forward_frames")
    laughs = m.keep("0", of(["ha" * 100] * 10))
    for level in range(1, 12):
        laughs = m.keep(str(level), b"](" + laughs * 10 + b"e")
    start = b"}(" + m["action"] + m["alloc"] + m["user_metadata"]
    dict_of = lambda opcodes: b"}" + text("a") + opcodes + b"s"
    yield "billion_laughs", snapshot(start + dict_of(laughs) + b"u", head=m.head), Opens(events=1)
    shared = m.keep("shared", dict_of(laughs))
    yield "billion_laughs_shared", snapshot((start + shared + b"u") * COUNT, head=m.head), Opens(events=COUNT)
    yield "billion_laughs_apart", snapshot(b"".join(start + dict_of(b"](" + number(i) + laughs + b"e") + b"u" for i in range(COUNT)),
                                           head=m.head), REPEATS
    yield "billion_laughs_alike", snapshot((start + dict_of(laughs) + b"u") * COUNT, head=m.head), REPEATS
    yield "billion_laughs_in_settings", snapshot(event(), head=m.head, extra=text("allocator_settings") + b"}(" + b"".join(
        text(f"s{i}") + laughs for i in range(COUNT)) + b"u"), REPEATS
    yield "settings_repeated", snapshot(event(), head=m.head, extra=text("allocator_settings") + b"}(" + (
        text("s") + laughs) * COUNT + b"u"), Opens(events=1)
    yield "root_keys_of_shared_text", snapshot(event(), head=m.head, extra=b"".join(text(f"s{i}") + laughs for i in range(COUNT))), REPEATS
    big = m.keep("big", text("x" * 10**5))
    lines = b"](" + big * 20 + b"e"
    yield "lines_joined", snapshot(b"".join(b"}(" + m["action"] + m["alloc"] + m["forward_frames"] + b"](" + text(str(i)) + big * 20 + b"eu"
                                            for i in range(COUNT)), head=m.head), REPEATS
    yield "lines_joined_alike", snapshot((b"}(" + m["action"] + m["alloc"] + m["forward_frames"] + lines + b"u") * COUNT, head=m.head), Opens(events=COUNT)
    none = m.keep("none", b"](" + m.keep("empty", text("")) * 10**5 + b"e")
    yield "lines_of_nothing", snapshot((b"}(" + m["action"] + m["alloc"] + m["forward_frames"] + none + b"u") * COUNT, head=m.head), Opens(events=COUNT)
    f = keys("fx_node_op")
    op = f.keep("op", text("o" * 10**5))
    frame = b"}(" + f["filename"] + f["name"] + f["line"]
    yield "fx_repeated", snapshot(event(frames=b"](" + frame + b"K\x01" + (f["fx_node_op"] + op) * COUNT + b"ue"), head=f.head), REPEATS
    yield "fx_of_every_frame", snapshot(event(frames=b"](" + b"".join(
        frame + number(i) + f["fx_node_op"] + b"]K\x01a" + number(i) + b"a" + op + b"au" for i in range(COUNT)) + b"e"), head=f.head), REPEATS
    s = keys()
    base = s.keep("frame", b"}(" + s["filename"] + s["name"] + s["line"] + b"K\x01u")
    grown = s.keep("grown", b"](" + base * 100 + b"e")
    step = b"0}(" + s["action"] + s["alloc"] + s["frames"] + grown + b"u0"
    yield "stack_that_grows", snapshot(event(), head=bytes(s.head) + (grown + base + b"a" + step) * 40_000), REPEATS
    # The event whose stack becomes invalid is in no device's trace, so no device is damaged.
    yield "stack_opened_again", snapshot(event(), head=bytes(s.head) + (grown + b"Na0") + step.replace(b"0}", b"}")), Opens(events=1)
    long = s.keep("long", b"](" + base * 200_000 + b"e")
    again = b"}(" + s["action"] + s["alloc"] + s["frames"] + long + b"u0" + long + base + b"a0"
    yield "long_stack_opened_again", snapshot(event(), head=bytes(s.head) + again * COUNT), REPEATS


def lookups():
    h = Memo("state", "inactive", "history", "size", "device", "blocks")
    entry = h.keep("entry", b"](}(" + b"".join(number(1) + b"N" for _ in range(100_000)) + b"ue")
    blocks = (b"}(" + h["state"] + h["inactive"] + h["history"] + entry + b"u") * COUNT
    yield "keys_of_one_history", snapshot(event(), b"}(" + h["device"] + b"K\x00" + h["blocks"] + b"](" + blocks + b"eu", head=h.head), Opens(events=1)
    a = Memo("x")
    shared = a.keep("it", b"}(" + (a["x"] + b"N") * 100_000 + b"u")
    yield "keys_of_one_annotation", snapshot(event(), head=a.head, extra=text("external_annotations") + b"](" + shared * COUNT + b"e"), Opens(events=1)
    yield "keys_of_the_root", snapshot(event(), extra=b"".join(text(f"{i:x}") + b"N" for i in range(120_000))), Opens(events=1)
    o = Memo("x")
    o.head += b"]\x940}\x940"  # stored as 1 and 2: a list, and a dict whose items are added one by one
    items = b"h\x02h\x00Ns0" * 100_000
    again = b"h\x02h\x00Ns0h\x01h\x02a0" * 30_000
    yield "dict_opened_again", snapshot(event(), head=bytes(o.head) + items + again), Opens(events=1)


def amplified():
    """Input of one or two bytes that makes a reader store a row."""
    million = 10**6
    yield "open_marks", b"\x80\x04" + b"(" * 8 * million, Refused()
    yield "open_values", b"\x80\x04" + b"N" * 8 * million, Refused()
    yield "open_lists", b"\x80\x04" + b"]" * 8 * million, Refused()
    yield "open_dicts", b"\x80\x04" + b"}" * 8 * million, Refused()
    yield "dicts_with_an_item", b"\x80\x04" + b"}NNs0" * 3 * million + b".", Refused()
    yield "tuples_dropped", b"\x80\x04" + b"N\x850" * 4 * million + b".", Refused()
    yield "lists_dropped", b"\x80\x04" + b"]0" * 6 * million + b".", Refused("drops more values")
    yield "numbers_remembered", b"\x80\x04" + b"N\x940" * 4 * million + b".", Refused("without a value")
    yield "remembered_far_apart", b"\x80\x04N" + b"".join(b"r" + struct.pack("<I", 5 * i) for i in range(million // 4)), Refused()
    a = Memo("name", "stage", "START", "device", "time_us")
    shared = a.keep("it", b"}(" + a["name"] + a["name"] + a["stage"] + a["START"] + a["device"] + b"K\x00" + a["time_us"] + b"K\x01u")
    yield "one_annotation_a_million_times", snapshot(event(time_us=1), head=a.head,
                                                     extra=text("external_annotations") + b"](" + shared * 4 * million + b"e"), Refused("snapshot")


def order():
    """All fields are valid, but the order of events causes much work."""
    m = keys()
    addresses = lambda i: (i + 1) * 512
    yield "first_in_first_out", snapshot(short_events(m, 60_000, addresses) + short_events(m, 60_000, addresses, "free_completed"),
                                         head=m.head), Opens(events=120_000)
    yield "live_for_long", snapshot(short_events(m, 100_000, addresses), head=m.head), Opens(events=100_000)
    e = Memo("device", "address", "total_size", "is_expandable")
    segments = b"".join(b"}(" + e["device"] + b"K\x00" + e["address"] + b"K\x00" + e["total_size"] + number(2**45) + e["is_expandable"] + b"\x88u"
                        for _ in range(COUNT))
    maps = b"".join(event(action="segment_map", addr=2**21 * 2 * i, size=2**20) for i in range(COUNT // 2))
    yield "segments_over_each_other", snapshot(maps, segments, head=e.head), Opens(events=COUNT // 2, view="segments")


# ---------------------------------------------------------------------------------------------------- floods of one hash

UNDO = [pow(factor, -1, WORD) for factor in (0xc4ceb9fe1a85ec53, 0xff51afd7ed558ccd)]


def unmixed(value):
    """Returns the number that MurmurHash3's finaliser maps to `value`."""
    value ^= value >> 33
    value = value * UNDO[0] % WORD
    value ^= value >> 33
    value = value * UNDO[1] % WORD
    return value ^ value >> 33


def colliding_texts(count):
    """Returns texts of 16 bytes with the same value of an unkeyed hash that was used until version 0.4."""
    start = 0x9e3779b97f4a7c15 ^ 16 * 0xff51afd7ed558ccd % WORD
    for i in range(count):
        hashed = (start ^ i) * 0x9fb21c651e98df25 % WORD
        yield struct.pack("<QQ", i, hashed ^ hashed >> 32)


def floods():
    m = keys()
    yield "flood_of_names", snapshot(event(), head=b"".join(text(raw) + b"0" for raw in colliding_texts(60_000))), Opens(events=1)
    yield "flood_of_addresses", snapshot(short_events(m, 60_000, lambda i: unmixed(i << 40)), head=m.head), Opens(events=60_000)
    prime = 20753 * 42043 * 85229  # sizes of hash tables in the standard library
    yield "flood_of_requests", snapshot(short_events(m, 50_000, lambda i: i * prime % WORD) + short_events(
        m, 40_000, lambda i: i * prime % WORD, "free_requested"), head=m.head), Opens(events=90_000)
    f = keys("fx_node_op")
    frames = b"".join(b"}(" + f["filename"] + f["name"] + f["line"] + b"K\x01" + f["fx_node_op"] + number(i) + b"u" for i in range(60_000))
    yield "flood_of_frames", snapshot(event(frames=b"](" + frames + b"e"), head=f.head), Opens(events=1)


# ---------------------------------------------------------------------------------------------------- several ranks

def markers():
    """Moments with texts, or with idle memory, far larger than their events."""
    m = keys("annotate", "oom", "user_metadata", "state", "active_allocated", "blocks", "total_size", "address", "device")
    note = m.keep("note", text("x" * 60_000))
    noted = b"}(" + m["action"] + m["annotate"] + m["size"] + number(0) + m["user_metadata"] + note + b"u"
    yield "one_long_note_many_times", snapshot(noted * 200_000, head=m.head), Opens(events=200_000)
    block = b"}(" + m["state"] + m["active_allocated"] + m["size"] + number(512) + b"u"
    segments = b"}(" + m["device"] + number(0) + m["address"] + number(2**30) + m["total_size"] + number(COUNT * 1024) + m["blocks"] + b"](" + \
        block * COUNT + b"eu"
    full = short_events(m, COUNT, lambda i: 2**30 + i * 1024)
    failed = b"}(" + m["action"] + m["oom"] + m["size"] + number(2**33) + b"u"
    yield "out_of_memory_with_much_alive", snapshot(full + failed * COUNT, segments, head=m.head), Opens(events=2 * COUNT)


def ranks():
    memo = Memo("segments", "device_traces")
    memo.keep("one segment", b"](" + segment() + b"e")
    memo.keep("a rank", b"}(" + memo["segments"] + memo["one segment"] + b"u")
    many = b"](" + segment() * 50 + b"e"
    yield "ranks_sharing_segments", pickled(b"](" + (b"}(" + memo["segments"] + memo["one segment"] + b"u") * COUNT + b"e", memo.head), Refused("share one list")
    yield "ranks_that_are_one", pickled(b"](" + memo["a rank"] * COUNT + b"e", memo.head), Refused("share one list")
    yield "ranks_beyond_all_devices", pickled(b"](" + of({"segments": many}) * 2000 + b"e"), Refused("1024 devices")
    yield "ranks_of_nothing", pickled(b"](" + of({"segments": []}) * COUNT + b"e"), Either()
    yield "ranks_with_settings", pickled(b"](" + b"".join(of({"segments": [], f"setting {i}": i}) for i in range(COUNT)) + b"e"), Either()
    yield "ranks_with_huge_numbers", pickled(b"}(" + number(2**63) + of({"device_traces": [[]], "segments": b"](" + segment() + b"e"}) + b"u"), Opens()


def files():
    for group in (ranks, markers, damage, self_reference, numbers, strings, crowds, shared_parts, lookups, amplified, order, floods):
        for name, content, outcome in group():
            yield f"{name}.pickle", content, outcome
