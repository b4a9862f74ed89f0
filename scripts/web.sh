#!/usr/bin/env bash
# Makes the page: the program for a browser, a folder of files for any web server. Tried out: scripts/web.sh --serve
#   scripts/web.sh [FOLDER]      into FOLDER, or build/page
#   scripts/web.sh --serve       builds it if need be and serves it on this machine until Ctrl-C
# From nothing it takes some twenty minutes on two cores, half of them for the libraries: see packaging/web.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
serves=
if [ "${1:-}" = --serve ]; then
    serves=yes
    shift
fi
out=$(realpath -m -- "${1:-$root/build/page}")
"$root/scripts/setup.sh" --port web
"$root/packaging/web/libraries.sh"
cmake -S "$root" --preset web -B "$root/build/web-release" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -DSNAPVIEWER_TESTS=OFF >/dev/null
cmake --build "$root/build/web-release" --target page
mkdir -p "$out"
cp -r "$root"/build/web-release/page/. "$root/build/web-libraries/licenses" "$out"
cp "$root/LICENSE" "$out/LICENSE.txt"
ls -l "$out"
echo "web: the program is $(gzip -9 <"$out/snapviewer.wasm" | wc -c) bytes on the wire"
if [ -n "$serves" ]; then
    exec python3 -m http.server --bind 127.0.0.1 --directory "$out" 8080
fi
