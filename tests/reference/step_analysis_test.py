#!/usr/bin/env python3
"""Training steps, growth, kinds and call trees, on whole files.

    step_analysis_test.py --snapviewer BINARY --files generated|shared [--shared FOLDER]

Tests what analysis_test.py does not: the kind of every single allocation, call trees at several moments with every choice of frames,
and the SQL tables, compared with tests/oracles/reference_analysis.py. At the end of a file, the tree's sums are also compared with
the blocks of its segments. The steps, leaks and kinds that gen_planted.py planted are checked, too.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import snapshots

reference = snapshots.oracle("reference_analysis")
SKIPPED = 77
MODES = ["all", "filtered", "python", "own"]
MIN_RIGHT_KINDS = 0.98


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))[:300]}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def query(snapviewer, path, sql):
    rows = json.loads(run(snapviewer, "query", path, sql, "--format", "json", "--limit", 0, "--time-limit", 0))
    return [tuple(row.values()) for row in rows]


def expect(what, ours, theirs):
    if ours == theirs:
        return
    if isinstance(ours, list) and isinstance(theirs, list):
        place = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
        raise AssertionError(f"{what}: {len(ours)} rows, expected {len(theirs)}; row {place} is {ours[place:place + 1]!r:.400}, expected {theirs[place:place + 1]!r:.400}")
    raise AssertionError(f"{what}: {ours!r:.400}, expected {theirs!r:.400}")


def id_of(device, event):
    """Returns the value of --event for the moment after an event of the device."""
    return -1 if event < 0 else device.event_id(event)


def check_trees(snapviewer, path, device):
    last = len(device.events) - 1
    moments = [(None, device.peak_event)] + [(e, e) for e in sorted({-1, last // 2, last})]
    for asked, event in moments:
        for mode in MODES if asked is None else MODES[1:2]:
            moment = [] if asked is None else ["--event", id_of(device, asked)]
            tree = reference.analyse_tree(device, event, mode)
            ours = json.loads(run(snapviewer, "tree", path, "--device", device.index, "--frames", mode, "--json", *moment))
            theirs = [{k: n[k] for k in ("id", "parent", "depth", "frame", "inclusive", "exclusive", "count")} for n in tree["nodes"]]
            expect(f"tree of {mode} after event {event}", ours["nodes"], theirs)
    folded = [f"{text} {size}" for text, size in reference.analyse_tree(device, last, "all")["folded"]]
    ours = run(snapviewer, "tree", path, "--device", device.index, "--frames", "all", "--folded", "--event", id_of(device, last)).split("\n")[:-1]
    expect("folded stacks", ours, folded)
    check_sums_at_end(device, ours)


def check_sums_at_end(device, folded):
    """Compares the live bytes at the end with the allocated blocks of the segments, stack by stack."""
    wanted = collections.Counter()
    for segment in device.segments:
        for block in reference.blocks_of(segment):
            if block["state"] == "active_allocated" and block["frames"]:
                texts = [reference.frame_text((f["filename"], f["line"], f["name"])).replace(";", ",") for f in reversed(block["frames"])]
                wanted[";".join(texts)] += block["requested"]
    if not wanted or device.double_allocs:
        return                                          # nothing to compare: no segments, or events are missing
    live = {a.address for a in device.allocations if a.free is None and a.state == "live"}
    listed = {b["address"] for s in device.segments for b in reference.blocks_of(s) if b["state"] == "active_allocated"}
    if live != listed or any(a.stack is None for a in device.allocations if a.free is None):
        return
    ours = collections.Counter()
    for line in folded:
        text, size = line.rsplit(" ", 1)
        ours[text] += int(size)
    expect("bytes at the end", sum(ours.values()), sum(wanted.values()) + sum(a.size for a in device.allocations if a.state == "awaiting_free"))


def check_kinds(snapviewer, path, trace):
    ours = query(snapviewer, path, "SELECT allocation_id, kind FROM kinds ORDER BY allocation_id")
    theirs = [(a.id, kind) for d in trace.devices.values() for a, (kind, _) in zip(d.allocations, reference.classify(d))]
    expect("kinds", ours, theirs)


def check_tables(snapviewer, path, trace):
    steps, growth, generations = [], [], []
    for device in trace.devices.values():
        found = reference.analyse_steps(device)
        steps += [(device.index, n, s["name"], found["method"], device.event_base + s["begin_event"], device.event_base + s["end_event"],
                   int(s["complete"]), s["allocs"], s["peak_bytes"]) for n, s in enumerate(found["steps"])]
        grown = reference.analyse_growth(device)
        used = reference.consecutive(found["steps"])
        first = found["steps"].index(used[0]) if used else 0
        for row in grown["suspects"] + grown["settled"]:
            growth.append((device.index, row["stack_key"], row["source"], row["state"], row["grown"], row["rises"], row["changes"]))
            generations += [(device.index, row["stack_key"], first + n, row["held"][n + 1], left) for n, left in enumerate(row["left_by_generation"])]
    expect("steps", query(snapviewer, path, "SELECT device, id, name, method, begin_event, end_event, complete, allocs, peak_bytes FROM steps"), steps)
    expect("growth", query(snapviewer, path, "SELECT device, stack_key, source, state, grown, rises, changes FROM growth"), growth)
    expect("generations", query(snapviewer, path, "SELECT device, stack_key, step_id, held, left FROM generations"), generations)
    expect("keys", query(snapviewer, path, "SELECT count(*) FROM growth g JOIN stacks s ON s.id = g.stack_id WHERE s.key <> g.stack_key OR s.top_frame <> g.source"), [(0,)])
    peak = next(iter(trace.devices.values()))
    sums = query(snapviewer, path, f"SELECT frame, inclusive, count FROM call_tree({peak.step_at(peak.peak_event)}) WHERE device = {peak.index} AND parent IS NULL")
    expect("call_tree", sums, [("all", peak.peak, len(peak.live(peak.peak_event)))])


def check_between(snapviewer, path, device):
    last = len(device.events) - 1
    for a, b in [(-1, last // 2), (last // 3, last), (last // 2, last // 3), (last, last)]:
        first, second = ({x.id for x in device.live(event)} for event in (a, b))
        wanted = collections.defaultdict(lambda: [0] * 6)
        for allocation in device.allocations:
            alive = (allocation.id in first, allocation.id in second)
            if not any(alive):
                continue
            place = {(False, True): 0, (True, False): 2, (True, True): 4}[alive]
            key = allocation.key(device)
            wanted[f"{key:016x}" if key else ""][place] += allocation.size
            wanted[f"{key:016x}" if key else ""][place + 1] += 1
        ids = [-1 if event < 0 else device.event_base + event for event in (a, b)]
        ours = query(snapviewer, path, "SELECT coalesce(s.key, ''), sum(came), sum(came_count), sum(went), sum(went_count), sum(stayed), sum(stayed_count) "
                     f"FROM changes_between({ids[0]}, {ids[1]}) b LEFT JOIN stacks s ON s.id = b.stack_id WHERE b.device = {device.index} GROUP BY 1 ORDER BY 1")
        expect(f"between {a} and {b}", ours, sorted((key, *numbers) for key, numbers in wanted.items()))


def check_planted(snapviewer, path):
    """Checks against the generator's expected answers."""
    answers = json.loads(path.with_suffix(".json").read_text())
    report = json.loads(run(snapviewer, "report", path, "--json"))["devices"][0]
    if "method" in answers.get("steps", {}):
        expect("method", report["steps"]["method"], answers["steps"]["method"])
    if report["steps"]["complete"] < answers.get("steps", {}).get("complete_at_least", 0):
        raise AssertionError(f"{report['steps']['complete']} complete steps")
    if "complete" in answers.get("steps", {}):
        expect("complete steps", report["steps"]["complete"], answers["steps"]["complete"])
    if "growth" in answers:
        wanted = answers["growth"].get("leaks", answers["growth"].get("leaks_about"))
        leaks = {row["source"]: row["slope"] for row in report["growth"]["suspects"] if row["state"] == "leak"}
        expect("leaking lines", sorted(leaks), sorted(wanted))
        for line, size in wanted.items():
            if abs(leaks[line] - size) > 0.02 * size:
                raise AssertionError(f"{line} leaks {leaks[line]} bytes a step, expected {size}")
    if answers.get("kinds", {}).get("truth"):
        kinds = {event: (size, kind) for event, size, kind in query(
            snapviewer, path, "SELECT a.alloc_event, a.size, k.kind FROM kinds k JOIN allocations a ON a.id = k.allocation_id WHERE a.alloc_event IS NOT NULL")}
        told = [(*kinds[event], {"input": "activation"}.get(kind, kind)) for event, kind in answers["kinds"]["truth"] if event in kinds]
        right = sum(size for size, kind, truth in told if kind == truth)
        if right < MIN_RIGHT_KINDS * sum(size for size, _, _ in told):
            raise AssertionError(f"kinds are right for {right} of {sum(size for size, _, _ in told)} bytes")
    if "kinds_at_peak" in answers:
        expect("kinds at the peak", {kind: each["bytes"] for kind, each in report["kinds"]["at_peak"].items() if each["bytes"]}, answers["kinds_at_peak"])
    check_planted_findings(report["findings"], answers)


def check_planted_findings(findings, answers):
    by_code = {finding["code"]: finding for finding in findings}
    if "finding" in answers:
        finding = by_code.get(answers["finding"]["code"], {})
        expect("finding", {key: finding.get(key) for key in answers["finding"]}, answers["finding"])
    if "no_finding" in answers:
        expect("finding", by_code.get(answers["no_finding"]), None)
    for key in ("phase", "lines", "no_stack"):
        if key in answers:
            expect(key, by_code["peak_holders"][key], answers[key])
    if "peak_says" in answers:
        expect("the peak's sentence", by_code["peak_holders"]["sentence"], answers["peak_says"])


def check_comparison(snapviewer, path_a, path_b):
    """Compares two files with every option against the reference. The differences of the three boxes must add up to that of the peaks."""
    a, b = reference.Trace(str(path_a)), reference.Trace(str(path_b))
    device_a, device_b = a.devices[a.default_device()], b.devices[b.default_device()]
    for by, basis in [("stack", "all"), ("function", "all"), ("python", "recorded"), ("source", "alone")]:
        ours = json.loads(run(snapviewer, "compare", path_a, path_b, "--json", "--by", by, "--basis", basis,
                              "--device", device_a.index, "--device2", device_b.index))
        theirs = json.loads(json.dumps(reference.analyse_compare(device_a, device_b, by, basis)))
        for key, value in theirs.items():
            if key != "settings":
                expect(f"{key} by {by}, {basis}", ours[key], value)
        expect("settings", {s["key"] for s in ours["settings"]}, {s["key"] for s in theirs["settings"]})
        expect("sum of differences", sum(box["delta"] for box in ours["groups"].values()), ours["peak_b"] - ours["peak_a"])


def check_planted_comparison(snapviewer, path):
    answers = json.loads(path.with_suffix(".json").read_text())["compare"]
    ours = json.loads(run(snapviewer, "compare", path, path.with_name(answers["with_file"]), "--json"))
    for box, field in (("only_a", "bytes_a"), ("only_b", "bytes_b")):
        expect(box, {row["source"]: row[field] for row in ours["rows"][box]}, answers[box])
    expect("grown", {row["source"]: row["delta"] for row in ours["rows"]["both"] if row["delta"]}, answers["grown"])
    expect("settings", sorted(s["key"] for s in ours["settings"]), answers["settings"])


def check_file(snapviewer, path):
    trace = reference.Trace(str(path))
    for device in trace.devices.values():
        check_trees(snapviewer, path, device)
        check_between(snapviewer, path, device)
    check_kinds(snapviewer, path, trace)
    check_tables(snapviewer, path, trace)
    if path.with_suffix(".json").exists():
        check_planted(snapviewer, path)


def check_comparisons(snapviewer, files):
    """Compares the planted pair, and neighbours among the real files. Returns the number of failures."""
    planted = [path for path in files if path.name == "compare-a.pickle"]
    pairs = [(path, path.with_name("compare-b.pickle")) for path in planted] or list(zip(files, files[1:]))
    failed = 0
    for a, b in pairs:
        try:
            check_comparison(snapviewer, a, b)
            if a in planted:
                check_planted_comparison(snapviewer, a)
            print(f"ok      {a.name} and {b.name}", flush=True)
        except AssertionError as problem:
            failed += 1
            print(f"FAILED  {a.name} and {b.name}: {str(problem)[:1000]}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snapviewer", required=True, type=pathlib.Path)
    parser.add_argument("--files", choices=["generated", "shared"], required=True)
    parser.add_argument("--shared", type=pathlib.Path, default=snapshots.ROOT.parent / "shared")
    args = parser.parse_args()
    failed = 0
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
                check_file(args.snapviewer, path)
                print(f"ok      {path.name}", flush=True)
            except AssertionError as problem:
                failed += 1
                print(f"FAILED  {path.name}: {str(problem)[:1000]}", flush=True)
        failed += check_comparisons(args.snapviewer, files)
    print(f"{len(files)} files, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
