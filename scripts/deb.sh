#!/usr/bin/env bash
# Builds the Debian package and prints its path.
#   scripts/deb.sh [--arch arm64] [FOLDER]      into FOLDER, or build/deb
# --arch compiles for another processor, against the root that packaging/arm64/root.sh makes.
# SNAPVIEWER_BUILD=FOLDER takes the program from a finished build folder.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
build=${SNAPVIEWER_BUILD:-$root/build/release}
if [ "${1:-} ${2:-}" = "--arch arm64" ]; then
    shift 2
    "$root/scripts/setup.sh" --port arm64 >&2
    "$root/packaging/arm64/root.sh" "$root/build/arm64-root" >&2
    # Makes dpkg look up in that root which package contains a library.
    export DPKG_ADMINDIR=$root/build/arm64-root/root/var/lib/dpkg
    if [ -z "${SNAPVIEWER_BUILD:-}" ]; then
        build=$root/build/arm64-release
        cmake -S "$root" --preset release -B "$build" -DCMAKE_TOOLCHAIN_FILE="$root/packaging/arm64/toolchain.cmake" -DSNAPVIEWER_TESTS=OFF >&2
        cmake --build "$build" --target snapviewer >&2
    fi
elif [ -z "${SNAPVIEWER_BUILD:-}" ]; then
    "$root/scripts/build.sh" snapviewer >&2
fi
folder=$(realpath -m -- "${1:-$root/build/deb}")
cmake --build "$build" --target debian_files >/dev/null
mkdir -p "$folder"
# The files' timestamp is that of the commit, as in an archive of the sources.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat --format %Y "$root/CMakeLists.txt")}
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$folder" >"$folder/cpack.log" || { cat "$folder/cpack.log" >&2; exit 1; }
rm -rf "$folder/_CPack_Packages" "$folder/cpack.log"
ls "$folder"/snapviewer_*.deb
