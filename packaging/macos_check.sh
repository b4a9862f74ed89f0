#!/usr/bin/env bash
# Compiles core and the commands for macOS on Apple's processors, with the compiler of Zig (the Python package ziglang) and its libc++ and headers.
# Nothing is linked or run; the check finds code that macOS cannot compile.
#   packaging/macos_check.sh      in build/macos; takes some minutes
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
made=$root/build/macos headers=$root/build/windows-libraries/root/usr/include
"$root/packaging/windows/libraries.sh" "$root/build/windows-libraries"  # the headers are the same on all systems
mkdir -p "$made"
[ -x "$made/venv/bin/python" ] || python3 -m venv "$made/venv"
# The first release whose libc++ can parse doubles with std::from_chars.
"$made/venv/bin/python" -c "import ziglang" 2>/dev/null || "$made/venv/bin/pip" install --quiet ziglang==0.15.1
[ -e "$made/glad/include/glad/gl.h" ] || glad --api gl:core=4.1 --extensions "" --reproducible --quiet --out-path "$made/glad" c

# Forty files at a time, as in a unity build.
cd "$root"
rm -f "$made"/*.cpp "$made"/*.o
find core app/cli -name '*.cpp' | grep -v -E '/system/(linux|windows|web)/' | sort | split --lines=40 --filter="sed 's|.*|#include \"$root/&\"|' >\$FILE.cpp" - "$made/part"
printf '%s\n' "$made"/*.cpp | xargs -P "$(nproc)" -I{} "$made/venv/bin/python" -m ziglang c++ -target aarch64-macos -std=c++20 -fexperimental-library -O0 -c {} -o {}.o \
    -I"$root" -isystem "$headers" -isystem "$headers/imgui" -isystem "$made/glad/include" '-DSNAPVIEWER_VERSION="check"'
echo "macos: $(ls "$made"/*.o | wc -l) parts compile"
