#!/usr/bin/env bash
# Builds the Debian package and says where it is.
#   scripts/deb.sh [FOLDER]      into FOLDER, or build/deb
# SNAPVIEWER_BUILD=FOLDER takes the program from a folder that is built already.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(realpath -m -- "${1:-$root/build/deb}")
build=${SNAPVIEWER_BUILD:-$root/build/release}
if [ -z "${SNAPVIEWER_BUILD:-}" ]; then
    "$root/scripts/build.sh" snapviewer >&2
fi
cmake --build "$build" --target debian_files >/dev/null
mkdir -p "$folder"
# The time of its files: that of the commit, which an archive of the sources gives to all of them.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat --format %Y "$root/CMakeLists.txt")}
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$folder" >"$folder/cpack.log" || { cat "$folder/cpack.log" >&2; exit 1; }
rm -rf "$folder/_CPack_Packages" "$folder/cpack.log"
ls "$folder"/snapviewer_*.deb
