#!/usr/bin/env python3
"""Compares `snapviewer report --json` and layouts with the reference analyses, on whole files.

    analysis_test.py --snapviewer BINARY --files generated|shared [--shared FOLDER]

"generated" are newly made planted scenes and the bundled sample; "shared" are the real snapshots of a folder, skipped (exit status
77) if there are none. The reference is tests/oracles/reference_analysis.py. Every key of its JSON must be equal, numbers to a
millionth, except for wording. Layouts are compared through SQL, with many events per query: in one file per run as the rows of
`layout`, in the others as sums over addresses, sizes, states and allocations.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import snapshots

reference = snapshots.oracle("reference_analysis")
SKIPPED = 77
WORDING = {"file", "sentence", "hint", "because", "unknown_because", "reason", "notes", "needs", "sql"}
# Findings whose sentences must equal those of the reference.
SAME_WORDS = {"peak_holders", "late_zero_grad", "first_step_state", "previous_graph", "kinds"}
OWN_NUMBERS = {"stack_id"}            # values that each program may choose
SECTIONS = ["peak_bytes", "peak_event", "findings", "oom", "steps", "growth", "kinds", "holes"]
EVENTS, BLOCKS = 1000, 400_000       # per device: number of moments, and number of blocks in all of them together
MODULUS = 1_000_003


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))[:300]}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def differences(theirs, ours, place=""):
    """Yields the differences between our answer and the reference's."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key, value in theirs.items():
            if key in WORDING or key in OWN_NUMBERS:
                continue
            if key not in ours:
                yield f"{place}/{key} is missing"
            else:
                yield from differences(value, ours[key], f"{place}/{key}")
    elif isinstance(theirs, (list, tuple)) and isinstance(ours, list):
        if len(theirs) != len(ours):
            yield f"{place}: {len(ours)} entries, expected {len(theirs)}"
        for index, (a, b) in enumerate(zip(theirs, ours)):
            yield from differences(a, b, f"{place}[{index}]")
    elif is_number(theirs) and is_number(ours):
        if abs(theirs - ours) > 1e-6 * max(abs(theirs), abs(ours)):
            yield f"{place} is {ours}, expected {theirs}"
    elif theirs != ours:
        yield f"{place} is {ours!r}, expected {theirs!r}"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_report(snapviewer, path, trace):
    ours = json.loads(run(snapviewer, "report", path, "--json"))
    # Converts keys that are numbers to texts, as in JSON.
    theirs = json.loads(json.dumps(reference.report(trace), default=str))
    found = list(differences(theirs["version"], ours["version"], "version"))
    if len(ours["devices"]) != len(theirs["devices"]):
        raise AssertionError(f"{len(ours['devices'])} devices, expected {len(theirs['devices'])}")
    for index, (a, b) in enumerate(zip(theirs["devices"], ours["devices"])):
        if a.get("annotated", []) != b.get("annotated", []):
            found.append(f"device {index}: annotated {b.get('annotated')}, expected {a.get('annotated')}")
        for key in ["device", *SECTIONS]:
            found += differences(a[key], b.get(key), f"device {index}: {key}")
        found += other_words(a["findings"], b["findings"])
    if found:
        raise AssertionError("; ".join(found[:5]))
    check_sql(snapviewer, path, [finding for device in ours["devices"] for finding in device["findings"]])


def other_words(theirs, ours):
    for a, b in zip(theirs, ours):
        if a["code"] in SAME_WORDS and a["sentence"] != b["sentence"]:
            yield f"{b['sentence']!r}, expected {a['sentence']!r}"


def check_sql(snapviewer, path, findings):
    """The rows of each finding's query add up to its bytes, and the table of findings equals the report."""
    if bare := {finding["code"] for finding in findings if not finding["sql"]}:
        raise AssertionError(f"findings without a query: {bare}")
    asked = findings
    columns = ", ".join(f"(SELECT sum(bytes) FROM ({finding['sql']})) AS f{index}" for index, finding in enumerate(asked))
    row = query(snapviewer, path, f"SELECT {columns}")[0] if asked else {}
    for index, finding in enumerate(asked):
        if (row[f"f{index}"] or 0) != finding["bytes"]:
            raise AssertionError(f"{finding['code']}: {finding['sql']} gives {row[f'f{index}']}, not {finding['bytes']}")
    rows = query(snapviewer, path, "SELECT code, severity, bytes, event_id, step, allocations FROM findings ORDER BY id")
    told = [tuple(f[key] for key in ("code", "severity", "bytes", "event", "step", "allocations")) for f in findings]
    listed = [(r["code"], r["severity"], r["bytes"], r["event_id"], r["step"], json.loads(r["allocations"])) for r in rows]
    if told != listed:
        raise AssertionError(f"table findings: {listed}, expected {told}")


def signed(address):
    return address - (1 << 64) if address >= 1 << 63 else address


def sums_of(space):
    """Returns the content of a space as a few sums that differ if anything differs."""
    rows = [(a, size, x.id if x else -1, int(p)) for a, (size, x, p) in space.blocks.items()]
    return (len(rows), sum(size for _, size, _, _ in rows), sum(signed(a) % MODULUS * (size // 512 % MODULUS) for a, size, _, _ in rows),
            sum((i + 2) * (a // 512 % 1009) for a, _, i, _ in rows), sum(size for _, size, _, p in rows if p),
            sum(signed(a) % MODULUS for a in space.ranges), sum(r.size for r in space.ranges.values()))


def ask_sums(snapviewer, path, ids):
    """Computes the same sums in our database."""
    events = ", ".join(f"({i})" for i in ids)
    sql = (f"WITH asked(event) AS (VALUES {events}), block AS (SELECT asked.event AS event, l.* FROM asked, layout(asked.event) l) "
           "SELECT event, sum(state <> 'hole'), sum(CASE WHEN state <> 'hole' THEN size ELSE 0 END), "
           f"sum(CASE WHEN state <> 'hole' THEN address % {MODULUS} * (size / 512 % {MODULUS}) ELSE 0 END), "
           "sum(CASE WHEN state <> 'hole' THEN (ifnull(allocation_id, -1) + 2) * (address / 512 % 1009) ELSE 0 END), "
           "sum(CASE WHEN state = 'awaiting_free' THEN size ELSE 0 END) FROM block GROUP BY event")
    blocks = {row[0]: row[1:] for row in map(lambda r: tuple(r.values()), query(snapviewer, path, sql))}
    sql = (f"WITH asked(event) AS (VALUES {events}), segment AS (SELECT DISTINCT asked.event AS event, l.segment AS at, l.segment_size AS size "
           "FROM asked, layout(asked.event) l WHERE l.segment IS NOT NULL) "
           f"SELECT event, sum(at % {MODULUS}), sum(size) FROM segment GROUP BY event")
    segments = {row[0]: row[1:] for row in map(lambda r: tuple(r.values()), query(snapviewer, path, sql))}
    return {i: (*blocks.get(i, (0,) * 5), *segments.get(i, (0, 0))) for i in ids}


def query(snapviewer, path, sql):
    return json.loads(run(snapviewer, "query", path, sql, "--format", "json", "--limit", 0, "--time-limit", 0))


def check_layouts(snapviewer, path, device):
    """Layouts after random events equal the reference's forward computation, which must agree with the file and with its
    backward computation."""
    layout = reference.Layout(device)
    live = max(1, sum(len(s["blocks"]) for s in device.segments))
    count = min(EVENTS, len(device.events), max(20, BLOCKS // live))
    chosen = set(random.Random(len(device.events)).sample(range(len(device.events)), count))
    expected = {device.event_id(number): sums_of(space) for number, space in layout.forward() if number in chosen}
    ours = ask_sums(snapviewer, path, sorted(expected)) if expected else {}
    for event, sums in expected.items():
        if ours[event] != sums:
            raise AssertionError(f"layout after event {event}: {ours[event]}, expected {sums}")
    return len(expected)


def check_whole_layout(snapviewer, path, device):
    """Compares one layout block by block, and checks both computations."""
    event = len(device.events) // 2 if device.events else -1
    ours = json.loads(run(snapviewer, "layout", path, "--device", device.index, "--event", -1 if event < 0 else device.event_id(event), "--json"))
    theirs = json.loads(json.dumps(reference.analyse_layout(device, event), default=str))
    found = list(differences(theirs, ours))
    if found:
        raise AssertionError(f"layout after event {event}: " + "; ".join(found[:5]))


def check_block_bytes(snapviewer, path, devices):
    expected = {a.id: a.block for device in devices for a in device.allocations}
    ours = {row["id"]: row["block_bytes"] for row in query(snapviewer, path, "SELECT id, block_bytes FROM allocations")}
    wrong = [f"{i}: {ours.get(i)}, expected {b}" for i, b in expected.items() if ours.get(i) != b]
    if wrong:
        raise AssertionError(f"block_bytes of {len(wrong)} allocations: {', '.join(wrong[:3])}")


def check_file(snapviewer, path):
    # The reference stores sizes of blocks with the allocations while it determines them, so only a fresh trace counts them correctly.
    for device in reference.Trace(str(path)).devices.values():
        check_whole_layout(snapviewer, path, device)
    trace = reference.Trace(str(path))
    check_report(snapviewer, path, trace)
    moments = sum(check_layouts(snapviewer, path, device) for device in trace.devices.values())
    check_block_bytes(snapviewer, path, trace.devices.values())
    return f"{len(trace.devices)} devices, {moments} layouts"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snapviewer", required=True, type=pathlib.Path)
    parser.add_argument("--files", choices=["generated", "shared"], required=True)
    parser.add_argument("--shared", type=pathlib.Path, default=snapshots.ROOT.parent / "shared")
    args = parser.parse_args()
    failed = passed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if args.files == "generated":
            snapshots.make("gen_planted.py", folder)
            files = [*sorted(folder.glob("*.pickle")), snapshots.SAMPLE]
        else:
            files = snapshots.real(args.shared)
        if not files:
            print(f"skipped: no snapshots under {args.shared}")
            return SKIPPED
        for path in files:
            try:
                print(f"ok      {path.name}: {check_file(args.snapviewer, path)}", flush=True)
                passed += 1
            except AssertionError as problem:
                print(f"FAILED  {path.name}: {str(problem)[:1000]}", flush=True)
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
