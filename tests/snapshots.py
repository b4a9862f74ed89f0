"""The snapshots that tests compare with the oracles: generated ones of every kind, small enough for a quadratic reference, and the real
ones in a folder beside the repository, if it exists."""
import importlib
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ORACLES = ROOT / "tests" / "oracles"
SAMPLE = ROOT / "assets" / "sample.pickle"

# name: generator and its options
TRAINING_RUNS = {
    "training": ["gen_snapshot.py", "--events", 2500, "--layers", 4],
    "two-devices": ["gen_snapshot.py", "--events", 1500, "--layers", 4, "--devices", 2, "--seed", 3],
    "wrapped": ["gen_snapshot.py", "--events", 4000, "--layers", 3, "--keep-last", 2000, "--cpp-frames", "--seed", 5],
    "out-of-memory": ["gen_snapshot.py", "--events", 3000, "--layers", 4, "--capacity-gib", 0.2, "--seed", 7],
    "fifo": ["gen_worst_case.py", "--allocations", 400, "--live", 60],
    "random-order": ["gen_worst_case.py", "--allocations", 400, "--live", 60, "--order", "random"],
}
SCENES = ["oom-capacity", "oom-private-pool", "oom-pending", "oom-unreleased", "pending-without-events", "pending-from-before", "leak-wrapped", "kinds-wrapped", "inference-once", "one-step"]


def make(tool, *arguments):
    """Runs a generator in the oracles' folder."""
    subprocess.run([sys.executable, str(ORACLES / tool), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def make_run(name, path):
    tool, *options = TRAINING_RUNS[name]
    make(tool, path, *options)


def generated(folder):
    """Generates snapshots in a folder; yields their paths and that of the bundled sample."""
    for name in TRAINING_RUNS:
        make_run(name, folder / f"{name}.pickle")
    make("gen_planted.py", folder, *SCENES)
    return [*sorted(folder.glob("*.pickle")), SAMPLE]


def real(shared):
    """Returns the paths of the real snapshots in the folder `shared`; empty if it is absent."""
    return sorted(path for path in (shared / "data").glob("*") if path.suffix in (".pickle", ".pkl"))


def oracle(name):
    """Imports an oracle or a generator as a module."""
    sys.path.insert(0, str(ORACLES))
    return importlib.import_module(name)


def with_paths_of_this_system(value):
    """Converts the output of a Windows program under Wine, where this system's / is drive Z."""
    if isinstance(value, dict):
        return {key: with_paths_of_this_system(each) for key, each in value.items()}
    if isinstance(value, list):
        return [with_paths_of_this_system(each) for each in value]
    if isinstance(value, str) and value.startswith("Z:\\"):
        return value[2:].replace("\\", "/")
    return value
