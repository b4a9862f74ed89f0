#!/usr/bin/env bash
# Builds the static libraries that the preset windows links, from Debian 12's source packages.
#   packaging/windows/libraries.sh FOLDER      into FOLDER/root; continues an unfinished run, so remove FOLDER after changes
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(cd -- "$1" && pwd)
machine=amd64 arch=x86_64-w64-mingw32 toolchain=$here/toolchain.cmake
root=$folder/root lib=$folder/root/usr/lib/$arch include=$folder/root/usr/include
sysroot= tools=$arch- cc=$arch-gcc-posix hardened=-fstack-protector-strong headers="-isystem $include" cxx_headers="-isystem $include"
host=(--host="$arch" --build="$(dpkg-architecture --query DEB_BUILD_GNU_TYPE)")
# SQLite's configure uses the second one to detect the target system.
export SNAPVIEWER_WINDOWS=$folder config_TARGET_EXEEXT=.exe

. "$here/../source_libraries.sh"

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
    archive z "" {adler32,compress,crc32,deflate,gzclose,gzlib,gzread,gzwrite,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c
    cp zlib.h zconf.h "$include"
}

glfw() {
    cmake_build glfw "$folder"/sources/glfw3-*/ -DGLFW_BUILD_{EXAMPLES,TESTS,DOCS}=OFF
}

tests() {
    cmake_build googletest "$folder"/sources/googletest-*/ -DBUILD_GMOCK=OFF
    cd "$folder"/sources/benchmark-*/
    archive benchmark "-std=c++14 -Iinclude -DBENCHMARK_STATIC_DEFINE -DHAVE_STD_REGEX" src/*.cc
    cp -r include/benchmark "$include"
    describe benchmark "-lbenchmark -lshlwapi"
}

make_stages download unpack zlib lzma bzip2 zstd png fmt re2 zip sqlite httplib glfw imgui tests licences
