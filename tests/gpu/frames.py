"""Measures frames of the window with this machine's driver, as a table: runs `snapviewer_bench` on the files of docs/performance.md.

    frames.py SNAPVIEWER SCRATCH [--quick] [--make-only]     makes inputs in SCRATCH and keeps them

Run by hand on a machine with a GPU. snapviewer_bench must be beside the program SNAPVIEWER.
"""
import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from benchmark.frames import FILES
from benchmark.inputs import Inputs
from benchmark.meter import Meter

SIZES = ("1600x900", "3840x2160")
PICTURES = [file for file in FILES if "icicle" not in file[0]]


def line(figures, size):
    frame = figures["frame_ms"]
    return (f"{size:<9} moving median {frame['median']:7.3f} p95 {frame['p95']:7.3f} max {frame['max']:8.3f}  still {figures['still_frame_ms']['median']:6.3f}  "
            f"empty {figures['empty_frame_ms']['median']:6.3f}  vertices {figures['vertices_per_frame']:>11,}  calls {figures['draw_calls_per_frame']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary"), parser.add_argument("scratch", type=Path)
    parser.add_argument("--quick", action="store_true"), parser.add_argument("--make-only", action="store_true")
    options = parser.parse_args()
    inputs, meter = Inputs(options.scratch, options.binary, options.quick), Meter(options.binary, 1)
    with ThreadPoolExecutor(6) as threads:
        # A row named "the same" uses the file of another row.
        list(threads.map(lambda file: file[1](inputs), (file for file in PICTURES if "the same" not in file[0])))
    if options.make_only:
        return
    for what, make, *more in PICTURES:
        print(f"== {what}")
        for size in SIZES:
            figures = meter.bench(make(inputs), "--only", "frames", "--size", size, *(more[0] if more else ()))[0]
            print(line(figures, size), flush=True)
    print(meter.driver)


if __name__ == "__main__":
    main()
