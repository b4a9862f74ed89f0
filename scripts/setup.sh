#!/usr/bin/env bash
# Installs the packages that are needed to build, run and test snapviewer (Debian 12 or newer, Ubuntu 24.04 or newer). If all of them
# are installed, it ends at once. Uses sudo only if you are not root.
#   scripts/setup.sh [--port arm64|windows|web]      also the compiler and the emulator for another system, see scripts/ports.sh
set -euo pipefail

# The packages: name, then purpose.
packages=$(sed -e 's/:.*//' -e '/^$/d' <<'LIST'
cmake:               configures the build
ninja-build:         runs it
g++:                 C++20 compiler
pkg-config:          finds libraries that ship no CMake package

libimgui-dev:        panels and widgets (Dear ImGui)
libstb-dev:          fonts and text input inside Dear ImGui
libglfw3-dev:        window and input
libglm-dev:          vectors and matrices
nlohmann-json3-dev:  JSON
libzip-dev:          zip files
zipcmp:              named by libzip's CMake package, which refuses to load without it
zipmerge:            likewise
ziptool:             likewise
zlib1g-dev:          compression
liblzma-dev:         compression with xz and LZMA
libbz2-dev:          compression with bzip2
libzstd-dev:         compression with Zstandard
libsqlite3-dev:      SQL
libcli11-dev:        command line
libre2-dev:          regular expressions
libseccomp-dev:      the sandbox: which system calls are refused
libfmt-dev:          text formatting
libpng-dev:          pictures
libcpp-httplib-dev:  pages for the browsers of other machines
libfontconfig-dev:   the system's fonts for what ours lacks
libdbus-1-dev:       whether the desktop is dark or light
libegl-dev:          drawing without a display
libgl-dev:           OpenGL headers and loader
libx11-dev:          drag-and-drop source of the window tests
python3-glad:        generates the OpenGL loader
fonts-open-sans:     the font inside the program
fonts-jetbrains-mono: that of code, likewise inside

libegl1:             EGL at run time
libgl1:              OpenGL at run time, where Dear ImGui looks for it
libgl1-mesa-dri:     OpenGL at run time, in software where there is no GPU

openssh-client:      brings files from other machines
curl:                brings files from links

libgtest-dev:        unit tests
libbenchmark-dev:    benchmarks (Google Benchmark)
python3:             command-line tests, lint, the sample's generator
zstd:                packs what the tests send over ssh
procps:              who is connected, in those tests
strace:              watches what is opened and written, in the command-line tests
libjemalloc2:        another allocator, under which they run the sandbox
fonts-droid-fallback: a font with Chinese for the window tests
xvfb:                a display for the window tests
xdotool:             mouse and keyboard for them
dbus-daemon:         a desktop that says whether it is light or dark, for them
LIST
)
case "$*" in
    "") ;;
    "--port arm64") packages+=$'\ng++-aarch64-linux-gnu\nqemu-user' ;;
    "--port windows") packages+=$'\ng++-mingw-w64-x86-64-posix\nwine64\nnsis\nxauth' ;;
    "--port web") packages+=$'\nnodejs\npatchelf\nchromium\nchromium-driver\npython3-selenium' ;;
    *) echo "setup: usage: scripts/setup.sh [--port arm64|windows|web]" >&2 && exit 2 ;;
esac
# Optional packages, which Debian 12 and Ubuntu 24.04 have: clang-format 14 checks the layout of sources in lint.format, clang-tidy 16
# the label tidy; valgrind runs the tests of that label; clang 16 with its run-time libraries and llvm-symbolizer builds and runs the
# fuzzers of the preset fuzz. glslang-tools checks the shaders in lint.shaders, mesa-vulkan-drivers draws the golden pictures with a
# second driver in the label zink. patchelf is for the wheel (scripts/wheel.sh). dpkg-dev, make, tcl (for SQLite's amalgamation) and
# gperf (for libseccomp) are for the portable wheel. mypy and pytest are for the tests of the Python module. mold links debug builds
# in an eighth of the time.
wanted="clang-format-14 clang-tidy-16 valgrind clang-16 libclang-rt-16-dev llvm-16 glslang-tools mesa-vulkan-drivers patchelf dpkg-dev make tcl gperf mypy mold python3-pytest"

# For the tests of files over ssh, which are skipped without it. Not installed where systemd runs, because that would start a server.
[ -d /run/systemd/system ] || wanted+=" openssh-server"

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "setup: packages can be installed for you on Debian and Ubuntu only. Elsewhere please install CMake 3.25, Ninja, a C++20" \
         "compiler and the libraries listed in third_party/README.md; the configure step names what it cannot find." >&2
    exit 0
fi

installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' $packages 2>/dev/null | sed -n 's/^installed //p' || true)
missing=$(comm -23 <(sort -u <<<"$packages") <(sort -u <<<"$installed"))
# Prints those of the given packages that are not installed but available.
in_reach() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            ! apt-cache show "$package" >/dev/null 2>&1 || echo "$package"
    done
}
if [ -z "$missing" ] && [ -z "$(in_reach $wanted)" ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        [ -z "$missing" ] && exit 0
        echo "setup: these packages are missing, and installing them needs root:" $missing >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "setup: installing with apt-get:" $missing $(in_reach $wanted)
export DEBIAN_FRONTEND=noninteractive
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet)
"${apt[@]}" update </dev/null || echo "setup: some package lists could not be refreshed; going on with what is known." >&2
"${apt[@]}" install --yes --no-install-recommends $missing $(in_reach $wanted) </dev/null
