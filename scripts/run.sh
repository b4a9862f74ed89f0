#!/usr/bin/env bash
# Builds snapviewer and opens FILE, or the bundled sample. Without a display it draws the picture into a PNG instead. It builds
# build/release if scripts/build.sh or scripts/test.sh has created that folder, else build/quick, which takes less time.
#   scripts/run.sh [FILE]
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
file=${1:-$root/assets/sample.pickle}

if [ -f "$root/build/release/CMakeCache.txt" ]; then
    snapviewer=$root/build/release/snapviewer
    "$root/scripts/build.sh" snapviewer
else
    snapviewer=$root/build/quick/snapviewer
    "$root/scripts/build.sh" --quick
    echo "This is a quick build; what scripts/build.sh makes opens a file in half the time"
fi
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$snapviewer" "$file"
fi
picture=$root/build/$(basename -- "${file%.*}").png
"$snapviewer" render "$file" --out "$picture"
echo "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); the picture is in $picture"
