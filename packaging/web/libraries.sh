#!/usr/bin/env bash
# Builds the libraries that the page links, from Debian 12's source packages, with the compiler of packaging/web/emscripten.sh.
#   packaging/web/libraries.sh [64]      into build/web32-libraries/root, or web64-libraries
# Continues an unfinished run, so remove the folder after changes.
set -euo pipefail
bits=${1:-32}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
"$here/emscripten.sh"
build=$(cd -- "$here/../.." && pwd)/build
folder=$build/web$bits-libraries compiler=$build/web-compiler
machine=$(dpkg --print-architecture) arch=wasm$bits-emscripten
root=$folder/root lib=$folder/root/usr/lib/$arch include=$folder/root/usr/include
hardened="-pthread -fwasm-exceptions" toolchain=$here/toolchain$bits.cmake headers="-isystem $include" cxx_headers="-isystem $include"
sysroot= tools=wasm32-unknown-emscripten- cc="wasm32-unknown-emscripten-gcc -pthread"
host=(--host=wasm32-unknown-emscripten --build="$(dpkg-architecture --query DEB_BUILD_GNU_TYPE)")
PATH=$compiler/bin:$PATH
if [ "$bits" = 64 ]; then
    hardened+=" -sMEMORY64 -Wno-experimental" cc+=" -sMEMORY64 -Wno-experimental"
fi

. "$here/../source_libraries.sh"
imgui_options="-DImDrawIdx=unsigned -DIMGUI_IMPL_OPENGL_ES3"
source_names=${source_names/cpp-httplib /}
source_names=${source_names/ glfw3/}

download() {
    fetch_lists "$libraries_suite"
    cd "$folder/debs"
    apt download $header_names
    cd "$folder/sources"
    apt source $source_names googletest benchmark
}

unpack() {
    local package
    for package in "$folder"/debs/*.deb; do
        dpkg-deb --extract "$package" "$root"
    done
    mkdir -p "$lib/pkgconfig"
}

zlib() {
    cd "$folder"/sources/zlib-*/
    archive z -DHAVE_UNISTD_H {adler32,compress,crc32,deflate,gzclose,gzlib,gzread,gzwrite,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c
    cp zlib.h zconf.h "$include"
}

# libpng's CMake files treat the compiler's options as one word.
png() {
    cd "$folder"/sources/libpng1.6-*/
    cp scripts/pnglibconf.h.prebuilt pnglibconf.h
    archive png "" png{,error,get,mem,pread,read,rio,rtran,rutil,set,trans,wio,write,wtran,wutil}.c
    cp png.h pngconf.h pnglibconf.h "$include"
    describe libpng "-lpng -lz"
}

tests() {
    cmake_build googletest "$folder"/sources/googletest-*/ -DBUILD_GMOCK=OFF
    cd "$folder"/sources/benchmark-*/
    archive benchmark "-std=c++14 -Iinclude -DBENCHMARK_STATIC_DEFINE -DHAVE_STD_REGEX" src/*.cc
    cp -r include/benchmark "$include"
    describe benchmark "-lbenchmark"
}

make_stages download unpack zlib lzma bzip2 zstd png fmt re2 zip sqlite imgui tests licences
