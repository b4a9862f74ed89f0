"""The snapshots that tests compare with the oracles: made anew, of every kind the generators know and small enough for a quadratic
reference, and besides them the real ones of a folder beside the repository, where there is one."""
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
    """Runs a generator of the oracles' folder."""
    subprocess.run([sys.executable, str(ORACLES / tool), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def make_run(name, path):
    tool, *options = TRAINING_RUNS[name]
    make(tool, path, *options)


def generated(folder):
    """Paths of newly made snapshots in a folder, and that of the bundled sample."""
    for name in TRAINING_RUNS:
        make_run(name, folder / f"{name}.pickle")
    make("gen_planted.py", folder, *SCENES)
    return [*sorted(folder.glob("*.pickle")), SAMPLE]


def real(shared):
    """Paths of the real snapshots in the folder `shared`; none where it is absent."""
    return sorted(path for path in (shared / "data").glob("*") if path.suffix in (".pickle", ".pkl"))


def oracle(name):
    """An oracle or a generator as a module."""
    sys.path.insert(0, str(ORACLES))
    return importlib.import_module(name)


def with_paths_of_this_system(value):
    """What a program of Windows says under Wine, where drive Z is this system's /."""
    if isinstance(value, dict):
        return {key: with_paths_of_this_system(each) for key, each in value.items()}
    if isinstance(value, list):
        return [with_paths_of_this_system(each) for each in value]
    if isinstance(value, str) and value.startswith("Z:\\"):
        return value[2:].replace("\\", "/")
    return value
