"""Valid snapshots whose answers are far larger than their files: few frames shared by very many deep stacks, one long text that all
events share, lists that the pickle stores once and every device repeats.

tests/cli/test_hostile_answers.py runs every command of the program on each of them.
"""
import random

from hostile_outcome import Opens
from hostile_pickles import Memo, event, keys, number, segment, snapshot, text


def allocs(m, count, stack, action="alloc"):
    """Returns allocations at different addresses, each with the frames whose opcodes `stack(i)` returns."""
    start = b"}(" + m["action"] + m[action] + m["size"] + number(512) + m["addr"]
    return b"".join(start + number((i + 1) * 512) + m["frames"] + stack(i) + b"u" for i in range(count))


def frame_of(m, line, filename="filename", name="name"):
    return b"}(" + m["filename"] + m[filename] + m["name"] + m[name] + m["line"] + number(line) + b"u"


def of_frames(m, count, **names):
    """Stores frames in the memo; each reference takes one or two bytes."""
    return [m.keep(f"frame {i}", frame_of(m, i + 1, **names)) for i in range(count)]


def growing(m, frames, count, chance):
    """Returns events with one growing list of frames: event i has a stack of i frames. No two stacks begin or end alike."""
    grown = m.keep("grown", b"](" + frames[0] + b"e")
    return allocs(m, count, lambda i: grown + chance.choice(frames) + b"a")


def stacks():
    chance = random.Random(7)
    m = keys("a/shared/file.py", "forward")
    frames = of_frames(m, 2, filename="a/shared/file.py", name="forward")
    yield "frames_shared_by_deep_stacks", snapshot(growing(m, frames, 1700, chance), head=m.head), Opens(events=1700)
    m = keys("at::native::shared")
    frames = of_frames(m, 2, name="at::native::shared")
    yield "frames_of_c_shared_by_deep_stacks", snapshot(growing(m, frames, 1700, chance), head=m.head), Opens(events=1700)

    name, function = "model/" + "m" * 1500 + ".py", "f" * 1500
    m = keys(name, function)
    frames = of_frames(m, 2, filename=name, name=function)
    yield "deep_stacks_of_long_names", snapshot(
        allocs(m, 120, lambda i: b"](" + b"".join(chance.choices(frames, k=1500)) + b"e"), head=m.head), Opens(events=120)

    long_name = "n" * 100_000 + ".py"
    m = keys(long_name)
    [named] = of_frames(m, 1, filename=long_name)
    others = [m.keep(f"line {i}", frame_of(m, i + 2)) for i in range(6000)]
    yield "long_name_in_every_stack", snapshot(allocs(m, 6000, lambda i: b"](" + named + others[i] + b"e"), head=m.head), Opens(events=6000)
    m = keys(long_name)
    yield "long_name_of_every_frame", snapshot(
        allocs(m, 6000, lambda i: b"](" + frame_of(m, i + 1, filename=long_name) + b"e"), head=m.head), Opens(events=6000)
    m = keys(long_name)
    yield "long_function_of_every_frame", snapshot(
        allocs(m, 6000, lambda i: b"](" + frame_of(m, i + 1, name=long_name) + b"e"), head=m.head), Opens(events=6000)

    m = keys("deep.py", "recurse")
    [base] = of_frames(m, 1, filename="deep.py", name="recurse")
    deep = m.keep("deep", b"](" + base * 200_000 + b"e")
    yield "a_very_deep_stack", snapshot(allocs(m, 1, lambda i: deep), head=m.head), Opens(events=1)
    yield "allocations_of_one_deep_stack", snapshot(allocs(m, 10_000, lambda i: deep), head=m.head), Opens(events=10_000)
    m = keys("deep.py", "recurse")
    yield "a_deep_stack_of_many_lines", snapshot(
        allocs(m, 1, lambda i: b"](" + b"".join(frame_of(m, i + 1, "deep.py", "recurse") for i in range(60_000)) + b"e"),
        head=m.head), Opens(events=1)
    m = keys("wide.py", "forward")
    yield "a_stack_for_each_allocation", snapshot(
        allocs(m, 60_000, lambda i: b"](" + frame_of(m, i + 1, "wide.py", "forward") + b"e"), head=m.head), Opens(events=60_000)


def texts():
    big = "t" * 100_000
    for field in ("user_metadata", "compile_context", "forward_frames"):
        m = keys(field, big)
        value = m[big] if field != "forward_frames" else m.keep("lines", b"](" + m[big] + b"e")
        start = b"}(" + m["action"] + m["alloc"] + m["size"] + number(512) + m[field] + value + m["addr"]
        yield f"one_{field}_for_all", snapshot(b"".join(start + number((i + 1) * 512) + b"u" for i in range(10_000)),
                                              head=m.head), Opens(events=10_000)
    a = Memo("name", "stage", "START", "END", "device", "time_us", big)
    marks = b"".join(b"}(" + a["name"] + a[big] + a["stage"] + a["START" if i % 2 == 0 else "END"] + a["device"] + b"K\x00" + a["time_us"] +
                     number(i) + b"u" for i in range(6000))
    yield "one_annotation_for_all", snapshot(b"".join(event(addr=512 * (i + 1), time_us=i) for i in range(6000)), head=a.head,
                                             extra=text("external_annotations") + b"](" + marks + b"e"), Opens(events=6000)
    s = Memo("name", "stage", "START", "END", "device", "time_us", "ProfilerStep#7" + big)
    name = s["ProfilerStep#7" + big]
    long_steps = b"".join(b"}(" + s["name"] + name + s["stage"] + s["START" if i % 2 == 0 else "END"] + s["device"] + b"K\x00" + s["time_us"] +
                          number(i) + b"u" for i in range(6000))
    yield "one_long_name_of_all_steps", snapshot(b"".join(event(addr=512 * (i + 1), time_us=i) for i in range(6000)), head=s.head,
                                                 extra=text("external_annotations") + b"](" + long_steps + b"e"), Opens(events=6000)
    m = keys("annotate", "user_metadata", big)
    notes = b"".join(b"}(" + m["action"] + m["annotate"] + m["size"] + number(512) + m["user_metadata"] + m[big] + m["addr"] + number(512) + b"u"
                     for i in range(10_000))
    yield "one_note_of_all_annotations", snapshot(allocs(m, 1, lambda i: b"]") + notes, head=m.head), Opens(events=10_001)
    steps = b"".join(b"}(" + a["name"] + text(f"ProfilerStep#{i // 2}") + a["stage"] + a["START" if i % 2 == 0 else "END"] + a["device"] + b"K\x00" +
                     a["time_us"] + number(i) + b"u" for i in range(6000))
    yield "thousands_of_steps", snapshot(b"".join(event(addr=512 * (i + 1), time_us=i) for i in range(6000)), head=a.head,
                                         extra=text("external_annotations") + b"](" + steps + b"e"), Opens(events=6000)
    m = keys("oom", "device_free", big)
    [named] = of_frames(m, 1, filename=big)
    stack = m.keep("stack", b"](" + named + b"e")
    ooms = b"".join(b"}(" + m["action"] + m["oom"] + m["size"] + number(2**30) + m["device_free"] + number(i) + m["frames"] + stack + b"u"
                    for i in range(3000))
    yield "out_of_memory_thousands_of_times", snapshot(allocs(m, 3000, lambda i: stack) + ooms, head=m.head), Opens(events=6000)


def devices():
    m = keys("blocks", "device")
    traces = b"".join(b"](" + allocs(m, 4, lambda i: b"](" + frame_of(m, i + 1) + b"e") + b"e" for _ in range(1000))
    settings = text("allocator_settings") + b"}(" + b"".join(text(f"setting {i}") + text("v" * 200) for i in range(1500)) + b"u"
    yield "settings_of_a_thousand_devices", snapshot(event(), head=m.head, more_traces=traces, extra=settings), Opens()
    long_name = "n" * 100_000 + ".py"
    m = keys(long_name)
    [named] = of_frames(m, 1, filename=long_name)
    stack = m.keep("stack", b"](" + named + b"e")
    traces = b"".join(b"](" + allocs(m, 4, lambda i: stack) + b"e" for _ in range(1000))
    yield "one_line_of_a_thousand_devices", snapshot(event(), head=m.head, more_traces=traces), Opens()


def blocks():
    m = Memo("state", "active_allocated", "size", "requested_size", "address", "frames", "filename", "line", "name", "n" * 100_000)
    [named] = of_frames(m, 1, filename="n" * 100_000)
    stack = m.keep("stack", b"](" + named + b"e")
    one = b"}(" + m["state"] + m["active_allocated"] + m["size"] + number(512) + m["frames"] + stack + b"u"
    yield "blocks_of_one_long_line", snapshot(event(), segment(total_size=512 * 20_000, blocks=b"](" + one * 20_000 + b"e"),
                                              head=m.head), Opens(events=1)


def files():
    for group in (stacks, texts, devices, blocks):
        for name, content, outcome in group():
            yield f"{name}.pickle", content, outcome
