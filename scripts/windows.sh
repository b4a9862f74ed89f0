#!/usr/bin/env bash
# Builds the packages for Windows, on Linux: a zip to unpack, an installer and a wheel.
#   scripts/windows.sh [FOLDER]      into FOLDER, or build/windows-packages
# The first run takes ten minutes on two cores, because it builds the libraries first: see packaging/windows/libraries.sh.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
out=$(realpath -m -- "${1:-$root/build/windows-packages}")
export SNAPVIEWER_WINDOWS=$root/build/windows-libraries SNAPVIEWER_BUILD=$root/build/windows-release
"$root/scripts/setup.sh" --port windows
"$root/packaging/windows/libraries.sh" "$SNAPVIEWER_WINDOWS"
cmake -S "$root" --preset windows -B "$SNAPVIEWER_BUILD" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD_BATCH_SIZE=40 -DSNAPVIEWER_TESTS=OFF >/dev/null
cmake --build "$SNAPVIEWER_BUILD"

version=$(sed -n 's/^project(snapviewer VERSION \(\S*\).*/\1/p' "$root/CMakeLists.txt")
name=snapviewer-$version-windows-x86_64
mkdir -p "$out"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
folder=$stage/$name
cmake --install "$SNAPVIEWER_BUILD" --strip --component folder --prefix "$folder" >/dev/null
cp "$root/assets/sample.pickle" "$folder"
cp "$root/LICENSE" "$folder/LICENSE.txt"
cp -r "$SNAPVIEWER_WINDOWS/licenses" "$folder/licenses"
find "$stage" -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH:-$(date +%s)}" {} +
rm -f "$out/$name.zip"
(cd "$stage" && python3 -m zipfile --create "$out/$name.zip" "$name")
makensis -V2 -NOCD "-DVERSION=$version" "-DFOLDER=$folder" "-DOUT=$out/$name-setup.exe" "$root/packaging/windows/installer.nsi"
python3 -B "$root/python/backend/wheel_backend.py" "$out" >/dev/null
ls -l "$out"
