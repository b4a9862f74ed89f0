"""What the tests of packaging share: the wheel, made from the folder that SNAPVIEWER_BUILD names."""
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "assets" / "sample.pickle"
BUILD = Path(os.environ.setdefault("SNAPVIEWER_BUILD", str(ROOT / "build" / "release")))
PROGRAM = BUILD / "snapviewer"
SKIPPED = 77
SQL = "SELECT id, size, alloc_step, free_step FROM allocations ORDER BY id"
# What only drawing may load.
OF_THE_DESKTOP = ("libX11", "libxcb", "libGL", "libEGL", "libglfw", "libfontconfig", "libwayland")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def result(*command, **options):
    """What a command writes; it must succeed."""
    done = run(*command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_wheel(folder):
    return Path(result("bash", ROOT / "scripts" / "wheel.sh", folder).strip().splitlines()[-1])
