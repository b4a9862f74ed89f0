#!/usr/bin/env bash
# Installs the compiler for WebAssembly: Debian 13's Emscripten with its dependencies, from the mirror that this machine uses, patched
# to run from its own folder. Needs no root privileges and changes nothing outside of the folder.
#   packaging/web/emscripten.sh      into build/web-compiler; does nothing if this script has made it already
set -euo pipefail
suite=trixie
folder=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)/build/web-compiler
mkdir -p "$folder"/{apt/{lists,archives}/partial,bin}
root=$folder/debian libraries=$folder/debian/usr/lib/$(uname -m)-linux-gnu
made_by=$(sha256sum <"${BASH_SOURCE[0]}")
[ "$(cat "$folder/whole" 2>/dev/null)" != "$made_by" ] || exit 0

# apt with package lists of its own, as on a machine with nothing installed.
touch "$folder/apt/status"
apt() {
    apt-get --quiet -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$folder/apt/lists" \
        -o "Dir::State::Status=$folder/apt/status" -o "Dir::Cache=$folder/apt" -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1 "$@"
}
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
echo "deb $mirror $suite main" >"$folder/apt/sources.list"
apt update
apt install --download-only --yes --no-install-recommends emscripten
rm -rf "$root"
mkdir "$root"
for package in "$folder"/apt/archives/*.deb; do
    dpkg-deb --extract "$package" "$root"
    rm "$package"
done

# A thread that calls a function of the main thread waits for a condition variable on its own stack. Emscripten before 5.0.5
# signals that variable after unlocking, when the thread may already have continued, and so corrupts its stack
# (github.com/emscripten-core/emscripten/pull/26582). The affected libraries are removed; they are rebuilt when the first
# program is linked.
unlock='    pthread_mutex_unlock(&ctx->sync.mutex);\n' signal='    pthread_cond_signal(&ctx->sync.cond);\n'
proxying=$root/usr/share/emscripten/system/lib/pthread/proxying.c
sed --in-place --null-data "s/\($unlock\)\($signal\)/\2\1/g" "$proxying"
if [ "$(grep --after-context=1 "${signal%??}" "$proxying" | grep -c "${unlock%??}")" != 2 ]; then
    echo "emscripten: $proxying is not as it was when its order of unlock and signal was mended" >&2
    exit 1
fi
rm "$root"/usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/libc-mt*.a

# The programs look for their libraries and their loader in that root.
for program in "$root"/usr/lib/llvm-19/bin/{clang-19,lld,llvm-ar,llvm-nm,llvm-objcopy,llvm-symbolizer} "$root"/usr/bin/{wasm-opt,wasm-emscripten-finalize,wasm-metadce,wasm-ctor-eval,wasm-split}; do
    patchelf --set-interpreter "$root"/usr/lib64/ld-linux-*.so.* --force-rpath --set-rpath "$libraries:$root/usr/lib/llvm-19/lib" "$(realpath "$program")"
done
cat >"$root/usr/share/emscripten/.emscripten" <<END
LLVM_ROOT = '$root/usr/lib/llvm-19/bin'
BINARYEN_ROOT = '$root/usr'
NODE_JS = '$(command -v node)'
CACHE = '$root/usr/share/emscripten/cache'
LLVM_ADD_VERSION = ''
CLANG_ADD_VERSION = ''
END

# Adds the program names that configure scripts expect of a cross compiler.
for pair in gcc:emcc g++:em++ ar:emar ranlib:emranlib nm:emnm; do
    program=$folder/bin/wasm32-unknown-emscripten-${pair%:*}
    printf '#!/bin/sh\nexec python3 -E "%s.py" "$@"\n' "$root/usr/share/emscripten/${pair#*:}" >"$program"
    chmod +x "$program"
done
echo "$made_by" >"$folder/whole"
