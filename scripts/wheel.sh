#!/usr/bin/env bash
# Builds the wheel, what `pip install` takes, and says where it is: the program, its library and the Python module in one file.
#   scripts/wheel.sh [FOLDER]      into FOLDER, or build/wheel
# SNAPVIEWER_BUILD=FOLDER takes the program from a folder that is built already.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
if ! command -v patchelf >/dev/null; then
    echo "wheel: patchelf is missing, which lets the program find the libraries in the wheel (Debian and Ubuntu: patchelf)" >&2
    exit 1
fi
exec python3 -B "$root/python/backend/wheel_backend.py" "${1:-$root/build/wheel}"
