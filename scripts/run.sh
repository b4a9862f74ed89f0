#!/usr/bin/env bash
# Builds snapviewer and opens FILE, or the bundled sample. Without a display it draws the picture into a PNG instead.
#   scripts/run.sh [FILE]
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
file=${1:-$root/assets/sample.pickle}
snapviewer=$root/build/release/snapviewer

"$root/scripts/build.sh" snapviewer
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$snapviewer" "$file"
fi
picture=$root/build/$(basename -- "${file%.*}").png
"$snapviewer" render "$file" --out "$picture"
echo "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); the picture is in $picture"
