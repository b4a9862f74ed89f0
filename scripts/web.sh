#!/usr/bin/env bash
# Makes the page: the program for a browser, as a folder of files for any web server. To try it: scripts/web.sh --serve
#   scripts/web.sh [FOLDER]      into FOLDER, or build/page
#   scripts/web.sh --serve       builds it if necessary and serves it on this machine until Ctrl-C
#   scripts/web.sh --observed    makes the page that the window's tests drive, into build/observed-page
# The first run takes half an hour on two cores, half of it for the libraries: see packaging/web. Libraries and program are built
# twice: files that need more memory than the 32-bit program can use are opened by the 64-bit program.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
serves='' page=page tests=OFF
if [ "${1:-}" = --serve ]; then
    serves=yes
    shift
elif [ "${1:-}" = --observed ]; then
    page=observed-page tests=ON
    shift
fi
out=$(realpath -m -- "${1:-$root/build/$page}")
"$root/scripts/setup.sh" --port web
mkdir -p "$out"
# In LLVM 19 random addresses decide where some try blocks begin, so builds differ. Disabling address randomization prevents that.
# Some containers forbid it; the page is then built with it and works equally well.
fixed=(setarch "$(uname -m)" --addr-no-randomize)
"${fixed[@]}" true 2>/dev/null || fixed=()
for bits in 32 64; do
    build=$root/build/web$bits-release toolchain=$root/packaging/web/toolchain$bits.cmake
    "${fixed[@]}" "$root/packaging/web/libraries.sh" "$bits"
    cmake -S "$root" --preset web -B "$build" -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" -DSNAPVIEWER_TESTS=$tests >/dev/null
    "${fixed[@]}" cmake --build "$build" --target "${page/-/_}"
    cp -r "$build/$page"/. "$out"
done
cp -r "$root/build/web32-libraries/licenses" "$out"
cp "$root/LICENSE" "$out/LICENSE.txt"
ls -l "$out"
echo "web: the program is $(gzip -9 <"$out/snapviewer.wasm" | wc -c) bytes on the wire"
if [ -n "$serves" ]; then
    exec python3 -m http.server --bind 127.0.0.1 --directory "$out" 8080
fi
