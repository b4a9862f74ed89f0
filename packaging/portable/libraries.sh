#!/usr/bin/env bash
# Makes the root that the portable wheel is compiled against: Debian 11's glibc, and the libraries of Debian 12 compiled for it, static but
# for GLFW. Nothing of it needs root's rights, and nothing outside of the folder is changed.
#   packaging/portable/libraries.sh FOLDER [ARCHITECTURE]      into FOLDER/root; what was begun is gone on with, so remove it after changes
# The architecture is this machine's, or arm64, for which scripts/setup.sh --arch arm64 installs the compiler.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
for tool in apt-get dpkg-source make tclsh gperf; do
    if ! command -v "$tool" >/dev/null; then
        echo "portable: $tool is missing (Debian 12: scripts/setup.sh installs it)" >&2
        exit 1
    fi
done
mkdir -p "$1"/{apt/{lists,archives}/partial,debs,licenses,root,sources,made}
folder=$(cd -- "$1" && pwd)
glibc_suite=bullseye libraries_suite=bookworm
machine=${2:-$(dpkg --print-architecture)}
arch=$(dpkg-architecture --host-arch "$machine" --query DEB_HOST_MULTIARCH 2>/dev/null)
root=$folder/root lib=$folder/root/usr/lib/$arch include=$folder/root/usr/include
tools= headers= cxx_headers= host=()
if [ "$machine" != "$(dpkg --print-architecture)" ]; then
    # A compiler for another processor has headers of a C library of its own, and looks there first unless it is told all folders.
    tools=$arch- host=(--host="$arch" --build="$(dpkg-architecture --query DEB_BUILD_GNU_TYPE)")
    own=$("${tools}gcc" -print-file-name=include) cxx=/usr/$arch/include/c++/$("${tools}gcc" -dumpversion)
    headers="-nostdinc -isystem $own -isystem $include/$arch -isystem $include"
    cxx_headers="-nostdinc++ -isystem $cxx -isystem $cxx/$arch -isystem $cxx/backward $headers"
fi
cc="${tools}gcc --sysroot=$root -B $lib -B $root/lib/$arch $headers" hardened="-fPIC -fstack-protector-strong"
export SNAPVIEWER_PORTABLE=$folder

# What the toolchain file has to know of it.
{
    printf 'set(architecture %s)\nset(c_headers "%s")\nset(cxx_headers "%s")\n' "$arch" "$headers" "$cxx_headers"
    [ -z "$tools" ] || printf 'set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR %s)\nset(CMAKE_C_COMPILER %sgcc)\nset(CMAKE_CXX_COMPILER %sg++)\n' \
        "${arch%%-*}" "$tools" "$tools"
    [ -z "$tools" ] || printf 'set(CMAKE_CROSSCOMPILING_EMULATOR qemu-%s -L %s)\n' "${arch%%-*}" "$root"
} >"$folder/compiler.cmake"

# apt with lists of its own, from the mirror that this machine uses.
apt() {
    apt-get --quiet -o "APT::Architecture=$machine" -o "APT::Architectures=$machine" \
        -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$folder/apt/lists" \
        -o "Dir::Cache=$folder/apt" -o "APT::Sandbox::User=$(id -un)" "$@"
}

download() {
    local mirror suite=$libraries_suite
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
    printf 'deb %s %s main\n' "$mirror" "$glibc_suite" "$mirror" "$suite" >"$folder/apt/sources.list"
    printf 'deb-src %s %s main\n' "$mirror" "$suite" >>"$folder/apt/sources.list"
    apt update
    cd "$folder/debs"
    apt download {libc6,libc6-dev,libgcc-s1,libx11-6}/$glibc_suite
    # Of these only headers, fonts and tables.
    apt download {linux-libc-dev,nlohmann-json3-dev,libcli11-dev,libglm-dev,libstb-dev,libgl-dev,libegl-dev,libfontconfig-dev,libdbus-1-dev,libx11-dev}/$suite \
        {x11proto-dev,libxrandr-dev,libxrender-dev,libxinerama-dev,libxcursor-dev,libxi-dev,libxext-dev,libxfixes-dev}/$suite \
        {fonts-open-sans,fonts-jetbrains-mono,unicode-data}/$suite
    cd "$folder/sources"
    apt source {zlib,xz-utils,bzip2,libzstd,libpng1.6,libzip,re2,libseccomp,fmtlib,sqlite3,imgui,glfw3,cpp-httplib}/$suite
}

# The root as the linker sees it: links stay inside, and the C++ headers are those of this machine's compiler.
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
    # What is opened late is never linked: its headers are enough, and so is a name to ask pkg-config for.
    rm "$lib"/pkgconfig/*.pc
    describe egl ""
    describe fontconfig ""
    rm -r "$lib/cmake/DBus1"
    mv "$lib"/dbus-1.0/include/dbus/*.h "$include/dbus-1.0/dbus/"
    describe dbus-1 "" dbus-1.0
}

# describe NAME LIBRARIES [FOLDER]: what pkg-config says of what CMake has no package for; headers lie in that folder of the includes
describe() {
    printf 'Name: %s\nDescription: for the portable wheel\nVersion: 1\nLibs: %s\nCflags: %s\n' "$1" "${2:+-L/usr/lib/$arch $2}" \
        "${3:+-I/usr/include/$3}" >"$lib/pkgconfig/$1.pc"
}

# cmake_build NAME FOLDER OPTION...
cmake_build() {
    local name=$1 source=$2
    shift 2
    cmake -G Ninja -S "$source" -B "$folder/made/$name" -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$arch" -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF "$@"
    cmake --build "$folder/made/$name"
    DESTDIR=$root cmake --install "$folder/made/$name"
}

# archive NAME FLAGS FILE...: a static library of the files
archive() {
    local name=$1 flags=$2 file object language objects=()
    shift 2
    mkdir -p "$folder/made/$name"
    for file in "$@"; do
        object=$folder/made/$name/$(basename "$file").o
        if [[ $file == *.c ]]; then language="c $headers"; else language="c++ $cxx_headers"; fi
        # shellcheck disable=SC2086
        "${tools}g++" -x $language --sysroot="$root" -O2 -DNDEBUG $hardened $flags -c "$file" -o "$object"
        objects+=("$object")
    done
    rm -f "$lib/lib$name.a"
    "${tools}ar" crs "$lib/lib$name.a" "${objects[@]}"
}

older_glibc() {
    archive older_glibc "-std=c++20 -fno-exceptions" "$here/../older_glibc.cpp"
}

# Its CMake files would build a shared library, too, and want sources that Debian leaves out.
zlib() {
    mkdir -p "$folder/made/zlib"
    cd "$folder/made/zlib"
    cp -r "$folder"/sources/zlib-*/. .
    CC=$cc AR="${tools}ar" RANLIB="${tools}ranlib" CFLAGS="-O3 $hardened -D_REENTRANT" ./configure --static --prefix=/usr --libdir="/usr/lib/$arch"
    make libz.a
    cp libz.a "$lib"
    cp zlib.h zconf.h "$include"
}

lzma() {
    mkdir -p "$folder/made/lzma"
    cd "$folder/made/lzma"
    CC=$cc CFLAGS="-O2 $hardened" "$folder"/sources/xz-utils-*/configure "${host[@]}" --prefix=/usr --libdir="/usr/lib/$arch" \
        --disable-{shared,xz,xzdec,lzmadec,lzmainfo,lzma-links,scripts,doc,nls}
    make
    make install DESTDIR="$root"
}

bzip2() {
    cd "$folder"/sources/bzip2-*/
    archive bz2 -D_FILE_OFFSET_BITS=64 blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c
    cp bzlib.h "$include"
}

zstd() {
    cd "$folder"/sources/libzstd-*/lib/
    archive zstd "-DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_" {common,compress,decompress}/*.c
    cp zstd.h zstd_errors.h "$include"
    describe libzstd "-lzstd"
}

png() {
    cmake_build png "$folder"/sources/libpng1.6-*/ -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_EXECUTABLES=OFF
}

fmt() {
    cmake_build fmt "$folder"/sources/fmtlib-*/ -DFMT_TEST=OFF -DFMT_DOC=OFF
}

# Debian leaves out what is made from the Unicode data, which the root has, and asks for a package of Python where its own library will do.
re2() {
    cd "$folder"/sources/re2-*/
    sed -i -e "s#/usr/share/unicode#$root/usr/share/unicode#" -e "s/^from six.moves import urllib/import urllib.request/" re2/unicode.py
    make REBUILD_TABLES=1 re2/perl_groups.cc re2/unicode_casefold.cc re2/unicode_groups.cc
    cmake_build re2 "$folder"/sources/re2-*/ -DRE2_BUILD_TESTING=OFF
}

# Without encryption, which snapshots have none of: so it needs no library for it. It would take the one function of arc4random that older_glibc
# has for all of them.
zip() {
    cmake_build zip "$folder"/sources/libzip-*/ -DHAVE_ARC4RANDOM=OFF -DENABLE_{COMMONCRYPTO,OPENSSL,GNUTLS,MBEDTLS}=OFF \
        -DBUILD_{TOOLS,REGRESS,EXAMPLES,DOC}=OFF
    rm -r "$lib/cmake/libzip"
    describe libzip "-lzip -lz -llzma -lbz2"
}

# gperf writes its table of calls anew, because Debian adds some to it.
seccomp() {
    mkdir -p "$folder/made/seccomp"
    cd "$folder/made/seccomp"
    CC=$cc CFLAGS="-O2 $hardened" "$folder"/sources/libseccomp-*/configure "${host[@]}" --prefix=/usr --libdir="/usr/lib/$arch" --disable-shared
    make -C src
    make -C src install DESTDIR="$root"
    make -C include install DESTDIR="$root"
    describe libseccomp "-lseccomp"
}

# With Debian's options. The maker of its parser runs here, whatever the library is for.
sqlite() {
    local options source
    source=$(echo "$folder"/sources/sqlite3-*/)
    options=$(grep -o '\-DSQLITE_[A-Z0-9_=]*' "$folder"/sources/sqlite3-*/debian/rules | sort -u | tr '\n' ' ')
    mkdir -p "$folder/made/sqlite"
    cd "$folder/made/sqlite"
    CC=$cc CFLAGS="-O2 $hardened -fno-strict-aliasing $options" "$folder"/sources/sqlite3-*/configure "${host[@]}" --disable-{shared,tcl,readline} \
        --enable-{fts4,fts5,load-extension}
    gcc -o lemon "$source/tool/lemon.c"
    cp "$source/tool/lempar.c" .
    make libsqlite3.la sqlite3.h
    cp .libs/libsqlite3.a "$lib"
    cp sqlite3.h "$include"
}

# All of it is its header. Without encryption and compression, for connections that do not leave the machine.
httplib() {
    cp "$folder"/sources/cpp-httplib-*/httplib.h "$include"
    describe cpp-httplib ""
}

imgui() {
    cd "$folder"/sources/imgui-*/
    archive imgui "-std=c++17 -I. -Ibackends" imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp misc/cpp/imgui_stdlib.cpp \
        backends/imgui_impl_{glfw,opengl3}.cpp
    mkdir -p "$include/imgui/backends"
    cp ./*.h misc/cpp/*.h "$include/imgui"
    cp backends/imgui_impl_{glfw,opengl3,opengl3_loader}.h "$include/imgui/backends"
    describe imgui "-limgui" imgui
}

# The one that is not static: it is opened when a window is, see third_party/late_loading.py. It names libm before what the toolchain adds.
glfw() {
    cmake_build glfw "$folder"/sources/glfw3-*/ -DBUILD_SHARED_LIBS=ON -DGLFW_BUILD_{EXAMPLES,TESTS,DOCS}=OFF \
        -DCMAKE_SHARED_LINKER_FLAGS="-Wl,-u,powf $lib/libolder_glibc.a"
}

# Who may do what with them.
licences() {
    local source package
    for source in "$folder"/sources/*/; do
        cp "$source/debian/copyright" "$folder/licenses/$(basename "$source" | sed 's/-[0-9].*//').txt"
    done
    for package in nlohmann-json3-dev libcli11-dev libglm-dev libstb-dev fonts-open-sans fonts-jetbrains-mono; do
        cp "$root/usr/share/doc/$package/copyright" "$folder/licenses/$package.txt"
    done
    for package in gcc-12-base python3-glad; do
        cp "/usr/share/doc/$package/copyright" "$folder/licenses/$package.txt"
    done
}

# Each stage in a shell of its own, where the first failure ends it; never as a condition, for there bash goes on after a failure.
for stage in download unpack older_glibc zlib lzma bzip2 zstd png fmt re2 zip seccomp sqlite httplib glfw imgui licences; do
    mark=$folder/made/$stage.done log=$folder/made/$stage.log
    [ ! -e "$mark" ] || continue
    echo "portable: $stage (what it says is in $log)" >&2
    (trap 'status=$?; [ $status = 0 ] || { tail -n 30 "$log"; echo "portable: $stage failed"; } >&2' EXIT; "$stage" >"$log" 2>&1)
    touch "$mark"
done
