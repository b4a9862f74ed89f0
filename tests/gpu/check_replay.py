"""Runs the same requests under many settings of PyTorch's allocator on a real GPU, and compares its reserved memory with the
output of `replay`.

    check_replay.py SNAPVIEWER FOLDER     needs PyTorch and an NVIDIA GPU; FOLDER keeps the snapshots. Run by hand.

Each run is recorded, and each recording is replayed with the settings of every other run. "Exactly" means that the real peak is
within the range that replay prints for a rebuilt start.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KINDS = ("random", "sequences", "steps")
SETTINGS = {"default": {}, "expandable": {"expandable_segments": "true"}, "split 64": {"max_split_size_mb": "64"},
            "roundup 4": {"roundup_power2_divisions": "4"}, "split 32 roundup 8": {"max_split_size_mb": "32", "roundup_power2_divisions": "8"}}
DEFAULTS = {"expandable_segments": "false", "max_split_size_mb": None, "roundup_power2_divisions": "1"}


def real_run(kind, name, folder):
    path = folder / f"{kind} {name}.pickle".replace(" ", "_")
    words = ",".join(f"{key}:{value.capitalize() if value == 'true' else value}" for key, value in SETTINGS[name].items())
    environment = {**os.environ, "PYTORCH_ALLOC_CONF": words, "PYTORCH_CUDA_ALLOC_CONF": words}
    done = subprocess.run([sys.executable, HERE / "workload.py", kind, path], env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return path, json.loads(done.stdout)


def replayed(binary, path, settings):
    options = [option for key, value in settings.items() for option in ("--set", f"{key}={value}")]
    done = subprocess.run([binary, "replay", path, "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return json.loads(done.stdout) if done.stdout else {"refused": done.stderr}


def changes(recorded, wanted):
    """Returns the settings to change between two runs, or None if replay cannot reset a setting."""
    to_set = {key: SETTINGS[wanted].get(key, DEFAULTS[key]) for key in DEFAULTS
              if SETTINGS[wanted].get(key, DEFAULTS[key]) != SETTINGS[recorded].get(key, DEFAULTS[key])}
    return None if None in to_set.values() else to_set


def compare(binary, recorded, wanted, path, real):
    to_set = changes(recorded, wanted)
    if to_set is None:
        return
    answer = replayed(binary, path, to_set)
    agreement, what_if = answer.get("agreement") or {}, answer.get("what_if")
    if not to_set:
        print(f"    itself: usable {agreement.get('usable')}, same address {agreement.get('same_address')}/{agreement.get('segment_events')}, "
              f"placed {agreement.get('placed_share')}, curve off by {agreement.get('curve_max')}, peak {agreement.get('peak_replayed')} "
              f"recorded {agreement.get('peak_recorded')}, problems {agreement.get('problems')}, reasons {agreement.get('reasons')}")
    elif not what_if:
        print(f"    as {wanted}: refused: {answer.get('refused')} {agreement.get('reasons')}")
    else:
        least, most = what_if["rebuilt"]["peak_range"]
        off = what_if["rebuilt"]["peak_reserved"] / real["peak"] - 1
        verdict = "exactly" if least <= real["peak"] <= most else f"off by {100 * off:+.2f} %"
        print(f"    as {wanted}: replay {least}..{most}, real {real['peak']}, {verdict}")


def main():
    binary, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        runs = {name: real_run(kind, name, folder) for name in SETTINGS}
        for recorded, (path, own) in runs.items():
            print(f"{kind}, recorded with {recorded}: peak {own['peak']}, end {own['end']}, {path.stat().st_size} bytes", flush=True)
            for wanted, (_, real) in runs.items():
                compare(binary, recorded, wanted, path, real)


if __name__ == "__main__":
    main()
