#!/usr/bin/env bash
# Builds the program for another processor or system, with all its libraries, and runs its tests in an emulator.
#   scripts/ports.sh arm64|windows|web [CTEST OPTION...]
# Without options it runs the labels unit, sql and ports, and those tests of cli, golden, gui and reference that a port can run.
# arm64 is Linux on aarch64 under qemu, in build/arm64; windows is Windows on x86-64 under Wine, in build/windows; web is WebAssembly,
# whose commands run in node, in build/web. Tests that fail only because of the emulator are listed, with the reason, in
# packaging/PORT/not_emulated.txt and left out.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
port=${1:-}
case $port in
    arm64) libraries=("$root/packaging/arm64/root.sh" "$root/build/arm64-root") ;;
    windows) libraries=("$root/packaging/windows/libraries.sh" "$root/build/windows-libraries") ;;
    web) libraries=("$root/packaging/web/libraries.sh") ;;
    *)
        echo "ports: usage: scripts/ports.sh arm64|windows|web [CTEST OPTION...]" >&2
        exit 2
        ;;
esac
shift
if [ $# -eq 0 ]; then
    labels="unit|cli|sql|golden|ports"
    [ "$port" != windows ] || labels+="|gui"
    [ "$port" != web ] || labels="unit|reference|sql|ports"  # in node, nothing can be drawn, and commands cannot start other programs
    set -- -L "^($labels)$"
fi

# The program for this system, whose answers are compared with those of the port.
native=$root/build/release/snapviewer
if [ ! -x "$native" ]; then
    native=$root/build/quick/snapviewer
    "$root/scripts/build.sh" --quick
fi
"$root/scripts/setup.sh" --port "$port"
"${libraries[@]}"
cd "$root"
unset DISPLAY WAYLAND_DISPLAY
# Gives Wine a data folder of its own and turns off its messages.
export WINEPREFIX=$root/build/wine WINEDEBUG=-all
# Neither emulators nor their kernels have the system calls of the sandbox, and every command would warn about that.
export SNAPVIEWER_SANDBOX=off
cmake --preset "$port" -DSNAPVIEWER_NATIVE="$native" >/dev/null
cmake --build "build/$port" --parallel "$(nproc)"
left_out=$(sed -e '/^#/d' -e 's/: .*//' "packaging/$port/not_emulated.txt" | paste -sd '|')
tests=(ctest --test-dir "build/$port" --output-on-failure --no-tests=error --parallel "$(nproc)" --exclude-regex "^($left_out)$" "$@")
if [ "$port" = windows ]; then
    # Wine fails to start a program about once in a thousand times, so failed tests are repeated. Wine is initialized first, because
    # it would take time from the first test. The screen needs no authorization, because some tests remove the variables for it.
    tests=(xvfb-run --auto-servernum --server-args="-screen 0 1600x1000x24 -ac"
        sh -c 'export SNAPVIEWER_SCREEN=$DISPLAY; "$0" wineboot --init && exec "$@"' "$root/packaging/windows/emulator.sh"
        "${tests[@]}" --repeat until-pass:2)
fi
"${tests[@]}" </dev/null
