"""Records a job on a real GPU beside another process, and compares snapviewer's figures with those of PyTorch and the driver.

check_recording.py SNAPVIEWER FOLDER     needs PyTorch and an NVIDIA GPU; FOLDER keeps the files. Run by hand.
"""
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
GIB = 1 << 30
NEIGHBOUR_BYTES = 8 * GIB
wrong = []


def check(what, holds, seen):
    print(f"{'ok   ' if holds else 'WRONG'} {what}: {seen}", flush=True)
    if not holds:
        wrong.append(what)


def answer(binary, *arguments):
    done = subprocess.run([binary, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    print(f"$ snapviewer {' '.join(map(str, arguments))}\n{done.stderr}", flush=True)
    return done.stdout


def bytes_of(bar, part):
    return sum(row["bytes"] for row in bar["rows"] if row["part"] == part)


def check_bars(device, about, truth):
    """The bar from the recorder's file is exact. PyTorch's message is rounded, and the bar says so."""
    bars = {bar["source"]: bar for bar in device["device_memory"]}
    print(json.dumps(bars, indent=1))
    check("both told of the card", sorted(bars) == ["message", "recorder"], sorted(bars))
    for source, bar in bars.items():
        check(f"{source}: the rows add up", sum(row["bytes"] for row in bar["rows"]) == bar["total"], bar["total"])
        off = bar["rounding"] or 0
        check(f"{source}: the card is as large as PyTorch says", abs(bar["total"] - truth["before"]["total"]) <= max(off, GIB // 2), bar["total"])
        allocated = bytes_of(bar, "allocated") + bytes_of(bar, "private_idle")
        check(f"{source}: allocated", 0 <= allocated - truth["before"]["allocated"] <= off + sum(pool["reserved"] - pool["allocated"] for pool in truth["pools"]
                                                                                                if pool["pool"] != [0, 0]), allocated)
        check(f"{source}: free", abs(bytes_of(bar, "free") - about["torch"]["device_free_bytes"]) <= off, bytes_of(bar, "free"))
    check("the neighbour's bytes", NEIGHBOUR_BYTES <= bytes_of(bars["recorder"], "other_processes") <= NEIGHBOUR_BYTES + GIB
          or about["nvml"]["other_processes_bytes"] is None, about["nvml"])


def check_pools(device, truth):
    ours = {pool["pool"]: (pool["at_end"]["reserved"], pool["at_end"]["used"]) for pool in device["pools"]}
    theirs = {str(tuple(pool["pool"])): (pool["reserved"], pool["allocated"]) for pool in truth["pools"]}
    check("pools at the end, reserved and used", ours == theirs, {"snapviewer": ours, "PyTorch": theirs})


def main():
    binary, folder = sys.argv[1], Path(sys.argv[2])
    neighbour = subprocess.Popen([sys.executable, HERE / "neighbour.py", str(NEIGHBOUR_BYTES)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        neighbour.stdout.readline()
        subprocess.run([sys.executable, HERE / "recorded_job.py", folder], check=True)
    finally:
        neighbour.stdin.close()
        neighbour.wait()
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    print(json.dumps(truth, indent=1))
    check("nothing failed while recording", truth["failures"] == 0, truth["problems"])
    for path in sorted(folder.rglob("*")):
        if "series" not in path.parts:
            print(path.relative_to(folder), path.stat().st_size)
    for about in sorted(folder.glob("*.about.json")):
        print(about.name, about.read_text(encoding="utf-8"))
    (snapshot,) = folder.glob("*_oom1.pickle")
    print(answer(binary, "info", snapshot))
    print(answer(binary, "report", snapshot, "--log", folder / "job.log"))
    print(answer(binary, "tree", snapshot, "--frames", "modules"))
    print(answer(binary, "series", folder))
    print(answer(binary, "query", snapshot, "SELECT * FROM pool_use"))
    print(answer(binary, "query", snapshot, "SELECT * FROM device_memory"))
    about = json.loads(next(folder.glob("*_oom1.about.json")).read_text(encoding="utf-8"))
    (device,) = json.loads(answer(binary, "report", snapshot, "--json", "--log", folder / "job.log"))["devices"]
    check_bars(device, about, truth)
    check_pools(device, truth)
    agreement = json.loads(answer(binary, "replay", snapshot, "--json"))["agreement"]
    check("the replay repeats every address, pools included", agreement["placed_share"] == 1 and agreement["curve_max"] == 0, agreement)
    series = json.loads(answer(binary, "series", folder, "--json"))
    check("the series has a sample every half second, about", sum(rank["samples"] for rank in series["ranks"]) >= 5, series["ranks"])
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
