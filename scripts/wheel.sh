#!/usr/bin/env bash
# Builds the wheel for `pip install` and prints its path: the program, its library and the Python module in one file.
#   scripts/wheel.sh [--portable [--arch aarch64]] [FOLDER]      into FOLDER, or build/wheel
# The wheel needs a glibc about as new as this machine's. With --portable, which needs Debian 12, it also runs on much older systems:
# it is compiled against libraries that packaging/portable/libraries.sh first builds in build/portable (or in
# SNAPVIEWER_PORTABLE=FOLDER). With --arch aarch64 it is for another processor, in build/portable-aarch64. Without --portable,
# SNAPVIEWER_BUILD=FOLDER takes the program from a finished build folder.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
if ! command -v patchelf >/dev/null; then
    echo "wheel: patchelf is missing, which lets the program find the libraries in the wheel (Debian and Ubuntu: patchelf)" >&2
    exit 1
fi
if [ "${1:-}" = --portable ]; then
    shift
    place=$root/build/portable architecture=()
    if [ "${1:-} ${2:-}" = "--arch aarch64" ]; then
        shift 2
        "$root/scripts/setup.sh" --port arm64 >&2
        place=$root/build/portable-aarch64 architecture=(arm64)
    fi
    SNAPVIEWER_PORTABLE=$(realpath -m -- "${SNAPVIEWER_PORTABLE:-$place}")
    export SNAPVIEWER_PORTABLE SNAPVIEWER_BUILD=$SNAPVIEWER_PORTABLE/program
    "$root/packaging/portable/libraries.sh" "$SNAPVIEWER_PORTABLE" "${architecture[@]}"
    cmake -S "$root" --preset release -B "$SNAPVIEWER_BUILD" -DCMAKE_TOOLCHAIN_FILE="$root/packaging/portable/toolchain.cmake" \
        -DSNAPVIEWER_TESTS=OFF >&2
    cmake --build "$SNAPVIEWER_BUILD" --target wheel_files >&2
else
    unset SNAPVIEWER_PORTABLE
fi
exec python3 -B "$root/python/backend/wheel_backend.py" "${1:-$root/build/wheel}"
