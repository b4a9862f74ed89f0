#!/usr/bin/env python3
"""Compares `snapviewer replay --json` with the reference allocator, on whole files and under many settings.

    replay_test.py --snapviewer BINARY --files generated|shared [--shared FOLDER]

Every number must be equal, floats to a millionth. The reference is tests/oracles/reference_allocator.py.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import snapshots

reference, allocators = snapshots.oracle("reference_allocator"), snapshots.oracle("gen_allocator")
SKIPPED = 77
# Recordings of gen_allocator.py that lack facts for an exact replay; the others must be replayed exactly.
INEXACT_RECORDINGS = {"pools-gone-untold", "skipped-waiting"}
MORE_SCENES = ["leak-steps", "kinds", "oom-fragmentation", "oom-fragmentation-expandable-on", "oom-mixed", "oom-other-stream"]
QUESTIONS = [
    {}, {"expandable_segments": "true"}, {"expandable_segments": "false"}, {"max_split_size_mb": "64"}, {"roundup_power2_divisions": "4"},
    {"roundup_power2_divisions": "[4:1,64:8,>:2]"}, {"garbage_collection_threshold": "0.5", "capacity_bytes": "1G"}, {"capacity_bytes": "300M"},
    {"expandable_segments": "true", "capacity_bytes": "2G", "max_split_size_mb": "128"}, {"large_segment_size_mb": "40"}]


def different(ours, theirs, place=""):
    """Yields the differences of two JSON values."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted({*ours, *theirs}):
            if key in ours and key in theirs:
                yield from different(ours[key], theirs[key], f"{place}.{key}")
            else:
                yield f"{place}.{key} is missing"
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, pair in enumerate(zip(ours, theirs)):
            yield from different(*pair, f"{place}[{i}]")
    elif isinstance(ours, float) and isinstance(theirs, (int, float)):
        if abs(ours - theirs) > 1e-6 * max(1, abs(theirs)):
            yield f"{place}: {ours}, expected {theirs}"
    elif ours != theirs:
        yield f"{place}: {str(ours)[:200]}, expected {str(theirs)[:200]}"


def ask(snapviewer, path, device, settings, *more):
    chosen = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    command = [snapviewer, "replay", path, "--json", "--device", device, *chosen, *more]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def check(snapviewer, path, questions):
    """Returns the number of questions with an answer. Recordings of the allocator generator must be replayed exactly."""
    traces = reference.load(path).get("device_traces") or []
    answers = asked = 0
    for device, trace in enumerate(traces):
        if not trace:
            continue
        for settings in questions:
            ours = ask(snapviewer, path, device, settings)
            theirs = json.loads(json.dumps(reference.replay(path, device, settings), default=str))
            found = list(different(ours, theirs))
            if path.stem in allocators.NAMES:
                found += list(why_not_exact(ours["agreement"], path.stem))
            if found:
                raise AssertionError(f"device {device}, {settings}: " + "; ".join(found[:5]))
            asked, answers = asked + 1, answers + ("what_if" in ours)
    return answers, asked


def why_not_exact(agreement, name):
    """Yields why an unchanged replay does not reproduce the file's own segments; nothing if it does."""
    exact = agreement["event_agreement"] == agreement["placed_share"] == 1 and agreement["first_difference"] is None
    if name in INEXACT_RECORDINGS:
        if exact or agreement["usable"] or not agreement["untold"]:
            yield "a recording that does not tell enough is not refused, or not with the reason"
    elif not exact or agreement["untold"]:
        yield f"is not repeated exactly: {agreement['first_difference']}"


def check_smallest(snapviewer, path):
    ours = ask(snapviewer, path, 0, {}, "--smallest")["smallest_capacity"]
    theirs = reference.replay(path, 0, {}, find_smallest=True)["smallest_capacity"]
    if ours != theirs:
        raise AssertionError(f"the smallest capacity is {ours}, expected {theirs}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snapviewer", required=True)
    parser.add_argument("--files", choices=["generated", "shared"], required=True)
    parser.add_argument("--shared", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.files == "generated":
            snapshots.make("gen_planted.py", folder, *MORE_SCENES)
            turns = [(path, QUESTIONS) for path in snapshots.generated(pathlib.Path(folder))]
            # Every question includes the unchanged replay, which is the main test of these recordings; every third recording gets a
            # further question.
            turns += [(allocators.make(folder, name), [QUESTIONS[0 if number % 3 else number // 3 % 9 + 1]]) for number, name in enumerate(allocators.NAMES)]
        else:  # larger recordings, for which the reference takes seconds each
            turns = [(path, QUESTIONS[:4]) for path in snapshots.real(args.shared)] if args.shared else []
        if not turns:
            print("no files: skipped")
            return SKIPPED
        failures = all_answers = 0
        for path, questions in turns:
            try:
                answers, asked = check(args.snapviewer, path, questions)
                if path.name in ("leak-steps.pickle", "one-step.pickle", "sample.pickle"):
                    check_smallest(args.snapviewer, path)
                all_answers += answers
                print(f"ok    {path.name}: {answers} of {asked} questions had an answer", flush=True)
            except AssertionError as error:
                failures += 1
                print(f"FAIL  {path.name}: {error}", flush=True)
        if all_answers == 0:
            raise SystemExit("no question had an answer, so nothing was compared")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
