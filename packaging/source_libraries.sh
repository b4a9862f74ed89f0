# Builds the libraries that snapviewer links statically in programs for other machines, from Debian's source packages. The including
# script sets: toolchain, a CMake file; folder, the working folder; root, the folder with lib and include; arch, the subfolder of lib;
# tools, the prefix of the compiler's programs; cc, the C compiler with its options; hardened, further options; sysroot, headers and
# cxx_headers, include options of g++; host, options of configure; machine, Debian's name of the processor.
libraries_suite=bookworm
for tool in apt-get dpkg-source make tclsh gperf; do
    if ! command -v "$tool" >/dev/null; then
        echo "libraries: $tool is missing (Debian 12: scripts/setup.sh installs it)" >&2
        exit 1
    fi
done
mkdir -p "$folder"/{apt/{lists,archives}/partial,debs,licenses,root,sources,made}

# apt with package lists of its own, from the mirror that this machine uses.
apt() {
    apt-get --quiet -o "APT::Architecture=$machine" -o "APT::Architectures=$machine" \
        -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$folder/apt/lists" \
        -o "Dir::Cache=$folder/apt" -o "APT::Sandbox::User=$(id -un)" "$@"
}

# fetch_lists SUITE...: downloads the package lists that apt() then uses
fetch_lists() {
    local mirror suite
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
    printf "deb $mirror %s main\n" "$@" >"$folder/apt/sources.list"
    printf "deb-src $mirror $libraries_suite main\n" >>"$folder/apt/sources.list"
    apt update
}

imgui_options=

# Libraries that are compiled for every system, and packages that hold only headers, fonts and tables.
source_names="zlib xz-utils bzip2 libzstd libpng1.6 libzip re2 fmtlib sqlite3 cpp-httplib imgui glfw3"
header_names="nlohmann-json3-dev libcli11-dev libglm-dev libstb-dev fonts-open-sans fonts-jetbrains-mono unicode-data"

# describe NAME LIBRARIES [FOLDER]: writes a pkg-config file for a library without a CMake package; FOLDER is the
# subfolder of its headers
describe() {
    printf 'Name: %s\nDescription: made for snapviewer\nVersion: 1\nLibs: %s\nCflags: %s\n' "$1" "${2:+-L/usr/lib/$arch $2}" \
        "${3:+-I/usr/include/$3}" >"$lib/pkgconfig/$1.pc"
}

# Shortens source paths in assertion texts, which would otherwise depend on the working folder.
short_paths=-ffile-prefix-map=$folder=.

# cmake_build NAME FOLDER OPTION...
cmake_build() {
    local name=$1 source=$2
    shift 2
    CFLAGS=$short_paths CXXFLAGS=$short_paths cmake -G Ninja -S "$source" -B "$folder/made/$name" \
        -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$arch" \
        -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF "$@"
    cmake --build "$folder/made/$name"
    DESTDIR=$root cmake --install "$folder/made/$name"
}

# archive NAME FLAGS FILE...: compiles the files into a static library
archive() {
    local name=$1 flags=$2 file object language objects=()
    shift 2
    mkdir -p "$folder/made/$name"
    for file in "$@"; do
        object=$folder/made/$name/$(basename "$file").o
        if [[ $file == *.c ]]; then language="c $headers"; else language="c++ $cxx_headers"; fi
        # shellcheck disable=SC2086
        "${tools}g++" -x $language $sysroot -O2 -DNDEBUG $hardened $flags -c "$file" -o "$object"
        objects+=("$object")
    done
    rm -f "$lib/lib$name.a"
    "${tools}ar" crs "$lib/lib$name.a" "${objects[@]}"
}

lzma() {
    mkdir -p "$folder/made/lzma"
    cd "$folder/made/lzma"
    CC=$cc CFLAGS="-O2 $hardened" "$folder"/sources/xz-utils-*/configure "${host[@]}" --prefix=/usr --libdir="/usr/lib/$arch" \
        --disable-{shared,xz,xzdec,lzmadec,lzmainfo,lzma-links,scripts,doc,nls}
    make
    make install DESTDIR="$root"
}

# Renames _WIN32, because for a DLL the header would include all of Windows' headers.
bzip2() {
    cd "$folder"/sources/bzip2-*/
    sed -i "s/_WIN32/BZ_IN_A_DLL/" bzlib.h
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

# Debian removes the files that are generated from Unicode data. The data is in the root; the script's dependency "six" is replaced
# with the standard library.
re2() {
    cd "$folder"/sources/re2-*/
    sed -i -e "s#^_UNICODE_DIR = .*#_UNICODE_DIR = '$root/usr/share/unicode'#" -e "s/^from six.moves import urllib/import urllib.request/" re2/unicode.py
    make REBUILD_TABLES=1 re2/perl_groups.cc re2/unicode_casefold.cc re2/unicode_groups.cc
    cmake_build re2 "$folder"/sources/re2-*/ -DRE2_BUILD_TESTING=OFF
}

# Without encryption, which snapshots do not use, so that no library for it is needed. Without arc4random, because libzip would
# otherwise think that all of its functions exist, but older_glibc has only one.
zip() {
    cmake_build zip "$folder"/sources/libzip-*/ -DHAVE_ARC4RANDOM=OFF -DENABLE_{COMMONCRYPTO,OPENSSL,GNUTLS,MBEDTLS}=OFF \
        -DBUILD_{TOOLS,REGRESS,EXAMPLES,DOC}=OFF
    rm -r "$lib/cmake/libzip"
    describe libzip "-lzip -lz -llzma -lbz2"
}

# Uses Debian's options. The parser generator runs on this machine, so it is compiled for it.
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
    make BEXE= TEXE= libsqlite3.la sqlite3.h
    cp .libs/libsqlite3.a "$lib"
    cp sqlite3.h "$include"
}

# Header-only. Without encryption and compression, because connections do not leave the machine.
httplib() {
    cp "$folder"/sources/cpp-httplib-*/httplib.h "$include"
    describe cpp-httplib ""
}

imgui() {
    cd "$folder"/sources/imgui-*/
    archive imgui "-std=c++17 -I. -Ibackends $imgui_options" imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp misc/cpp/imgui_stdlib.cpp \
        backends/imgui_impl_{glfw,opengl3}.cpp
    mkdir -p "$include/imgui/backends"
    cp ./*.h misc/cpp/*.h "$include/imgui"
    cp backends/imgui_impl_{glfw,opengl3,opengl3_loader}.h "$include/imgui/backends"
    describe imgui "-limgui" imgui
}

# Collects the licences of the libraries.
licences() {
    local source package
    for source in "$folder"/sources/*/; do
        cp "$source/debian/copyright" "$folder/licenses/$(basename "$source" | sed 's/-[0-9].*//').txt"
    done
    for package in ${header_names/unicode-data/}; do
        cp "$root/usr/share/doc/$package/copyright" "$folder/licenses/$package.txt"
    done
    for package in gcc-12-base python3-glad; do
        cp "/usr/share/doc/$package/copyright" "$folder/licenses/$package.txt"
    done
}

# make_stages NAME...: runs each function in a subshell, where the first failure ends it. Never call it as a condition, because bash
# would then continue after failures.
make_stages() {
    local stage mark log
    for stage in "$@"; do
        mark=$folder/made/$stage.done log=$folder/made/$stage.log
        [ ! -e "$mark" ] || continue
        echo "libraries: $stage (what it says is in $log)" >&2
        (trap 'status=$?; [ $status = 0 ] || { tail -n 30 "$log"; echo "libraries: $stage failed"; } >&2' EXIT; "$stage" >"$log" 2>&1)
        touch "$mark"
    done
}
