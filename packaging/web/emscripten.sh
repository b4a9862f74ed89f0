#!/usr/bin/env bash
# Makes the compiler for WebAssembly: Debian 13's Emscripten with all it needs, from the mirror that this machine uses, changed to run from
# the folder in which it lies. Nothing of it needs root's rights, and nothing outside of the folder is changed.
#   packaging/web/emscripten.sh      into build/web-compiler; does nothing where this script made it before
set -euo pipefail
suite=trixie
folder=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)/build/web-compiler
mkdir -p "$folder"/{apt/{lists,archives}/partial,bin}
root=$folder/debian libraries=$folder/debian/usr/lib/$(uname -m)-linux-gnu
made_by=$(sha256sum <"${BASH_SOURCE[0]}")
[ "$(cat "$folder/whole" 2>/dev/null)" != "$made_by" ] || exit 0

# apt with lists of its own, as on a machine where nothing is installed.
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

# What a thread asks of the page's own is waited for by a condition on that thread's stack. Emscripten before 5.0.5 signals it after the
# unlock with which the thread may go on, and so writes into what lies there by then (github.com/emscripten-core/emscripten/pull/26582).
# The libraries with that mistake go; they are made anew when the first program is linked.
unlock='    pthread_mutex_unlock(&ctx->sync.mutex);\n' signal='    pthread_cond_signal(&ctx->sync.cond);\n'
proxying=$root/usr/share/emscripten/system/lib/pthread/proxying.c
sed --in-place --null-data "s/\($unlock\)\($signal\)/\2\1/g" "$proxying"
if [ "$(grep --after-context=1 "${signal%??}" "$proxying" | grep -c "${unlock%??}")" != 2 ]; then
    echo "emscripten: $proxying is not as it was when its order of unlock and signal was mended" >&2
    exit 1
fi
rm "$root"/usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/libc-mt*.a

# Its programs look for their libraries, and for the loader of them, in that root.
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

# Under the names by which configure scripts know a compiler for another system.
for pair in gcc:emcc g++:em++ ar:emar ranlib:emranlib nm:emnm; do
    program=$folder/bin/wasm32-unknown-emscripten-${pair%:*}
    printf '#!/bin/sh\nexec python3 -E "%s.py" "$@"\n' "$root/usr/share/emscripten/${pair#*:}" >"$program"
    chmod +x "$program"
done
echo "$made_by" >"$folder/whole"
