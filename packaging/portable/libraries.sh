#!/usr/bin/env bash
# Makes the root folder against which the portable wheel is compiled: Debian 11's glibc, and the libraries of Debian 12 compiled for
# it, static except for GLFW. Needs no root privileges and changes nothing outside of the folder.
#   packaging/portable/libraries.sh FOLDER [ARCHITECTURE]      into FOLDER/root; continues an unfinished run, so remove FOLDER after changes
# ARCHITECTURE is this machine's, or arm64, for which scripts/setup.sh --port arm64 installs the compiler.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(cd -- "$1" && pwd)
glibc_suite=bullseye toolchain=$here/toolchain.cmake
machine=${2:-$(dpkg --print-architecture)}
arch=$(dpkg-architecture --host-arch "$machine" --query DEB_HOST_MULTIARCH 2>/dev/null)
root=$folder/root lib=$folder/root/usr/lib/$arch include=$folder/root/usr/include
sysroot="--sysroot=$root" tools= headers= cxx_headers= host=()
if [ "$machine" != "$(dpkg --print-architecture)" ]; then
    # A cross compiler has its own C library's headers and prefers them, unless all include folders are given explicitly.
    tools=$arch- host=(--host="$arch" --build="$(dpkg-architecture --query DEB_BUILD_GNU_TYPE)")
    own=$("${tools}gcc" -print-file-name=include) cxx=/usr/$arch/include/c++/$("${tools}gcc" -dumpversion)
    headers="-nostdinc -isystem $own -isystem $include/$arch -isystem $include"
    cxx_headers="-nostdinc++ -isystem $cxx -isystem $cxx/$arch -isystem $cxx/backward $headers"
fi
cc="${tools}gcc --sysroot=$root -B $lib -B $root/lib/$arch $headers" hardened="-fPIC -fstack-protector-strong"
export SNAPVIEWER_PORTABLE=$folder

# Settings that the toolchain file includes.
{
    printf 'set(architecture %s)\nset(c_headers "%s")\nset(cxx_headers "%s")\n' "$arch" "$headers" "$cxx_headers"
    [ -z "$tools" ] || printf 'set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR %s)\nset(CMAKE_C_COMPILER %sgcc)\nset(CMAKE_CXX_COMPILER %sg++)\n' \
        "${arch%%-*}" "$tools" "$tools"
    [ -z "$tools" ] || printf 'set(CMAKE_CROSSCOMPILING_EMULATOR qemu-%s -L %s)\n' "${arch%%-*}" "$root"
} >"$folder/compiler.cmake"

. "$here/../source_libraries.sh"

download() {
    local suite=$libraries_suite
    fetch_lists "$glibc_suite" "$suite"
    cd "$folder/debs"
    apt download {libc6,libc6-dev,libgcc-s1,libx11-6}/$glibc_suite
    # Only headers, fonts and tables of these packages are used.
    apt download {linux-libc-dev,libgl-dev,libegl-dev,libfontconfig-dev,libdbus-1-dev,libx11-dev}/$suite \
        {x11proto-dev,libxrandr-dev,libxrender-dev,libxinerama-dev,libxcursor-dev,libxi-dev,libxext-dev,libxfixes-dev}/$suite \
        $(printf "%s/$suite " $header_names)
    cd "$folder/sources"
    apt source $(printf "%s/$suite " $source_names libseccomp)
}

# Prepares the root for the linker: absolute links point into it, and the C++ headers are those of this machine's compiler.
unpack() {
    local package link
    for package in "$folder"/debs/*.deb; do
        dpkg-deb --extract "$package" "$root"
    done
    find "$root" -type l -lname '/*' | while read -r link; do
        ln -sfn "$root$(readlink "$link")" "$link"
    done
    if [ -z "$tools" ]; then
        ln -sfn /usr/include/c++ "$include/c++"
        ln -sfn "/usr/include/$arch/c++" "$include/$arch/c++"
    fi
    # Libraries that are loaded at run time are never linked. They need only their headers and a pkg-config file.
    rm "$lib"/pkgconfig/*.pc
    describe egl ""
    describe fontconfig ""
    rm -r "$lib/cmake/DBus1"
    mv "$lib"/dbus-1.0/include/dbus/*.h "$include/dbus-1.0/dbus/"
    describe dbus-1 "" dbus-1.0
}

older_glibc() {
    archive older_glibc "-std=c++20 -fno-exceptions" "$here/../older_glibc.cpp"
}

# Not cmake_build, because zlib's CMake files also build a shared library and need sources that Debian removes.
zlib() {
    mkdir -p "$folder/made/zlib"
    cd "$folder/made/zlib"
    cp -r "$folder"/sources/zlib-*/. .
    CC=$cc AR="${tools}ar" RANLIB="${tools}ranlib" CFLAGS="-O3 $hardened -D_REENTRANT" ./configure --static --prefix=/usr --libdir="/usr/lib/$arch"
    make libz.a
    cp libz.a "$lib"
    cp zlib.h zconf.h "$include"
}

# Rebuilds with gperf the table of system calls, because Debian adds some to it.
seccomp() {
    mkdir -p "$folder/made/seccomp"
    cd "$folder/made/seccomp"
    CC=$cc CFLAGS="-O2 $hardened $short_paths" "$folder"/sources/libseccomp-*/configure "${host[@]}" --prefix=/usr --libdir="/usr/lib/$arch" --disable-shared
    make -C src
    make -C src install DESTDIR="$root"
    make -C include install DESTDIR="$root"
    describe libseccomp "-lseccomp"
}

# The only shared library: it is loaded when a window opens, see third_party/late_loading.py. Its own flags refer to libm before those
# that the toolchain adds.
glfw() {
    cmake_build glfw "$folder"/sources/glfw3-*/ -DBUILD_SHARED_LIBS=ON -DGLFW_BUILD_{EXAMPLES,TESTS,DOCS}=OFF \
        -DCMAKE_SHARED_LINKER_FLAGS="-Wl,-u,powf $lib/libolder_glibc.a"
}

make_stages download unpack older_glibc zlib lzma bzip2 zstd png fmt re2 zip seccomp sqlite httplib glfw imgui licences
