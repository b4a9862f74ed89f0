#!/usr/bin/env bash
# Builds the program for another processor or system, from nothing, and runs its tests by an emulator.
#   scripts/ports.sh arm64|windows|web [CTEST OPTION...]      without options the labels unit, sql, ports and
# what of cli, golden, gui and reference a port can run
# arm64 is Linux on aarch64 under qemu, in build/arm64; windows is Windows on x86-64 under Wine, in build/windows; web is WebAssembly, whose
# commands run in node, in build/web. What only fails because of the emulator is named, with the reason, in packaging/PORT/not_emulated.txt
# and left out.
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
    [ "$port" != web ] || labels="unit|reference|sql|ports"  # node draws nothing, and commands there start no others
    set -- -L "^($labels)$"
fi

# This system's own program, with whose answers those of the port are compared.
native=$root/build/release/snapviewer
if [ ! -x "$native" ]; then
    native=$root/build/quick/snapviewer
    "$root/scripts/build.sh" --quick
fi
"$root/scripts/setup.sh" --port "$port"
"${libraries[@]}"
cd "$root"
unset DISPLAY WAYLAND_DISPLAY
# Wine keeps its Windows in a folder of its own, and says what it thinks of it.
export WINEPREFIX=$root/build/wine WINEDEBUG=-all
# Neither emulator nor its kernel have what the sandbox is made of, and every command would say so.
export SNAPVIEWER_SANDBOX=off
cmake --preset "$port" -DSNAPVIEWER_NATIVE="$native" >/dev/null
cmake --build "build/$port" --parallel "$(nproc)"
left_out=$(sed -e '/^#/d' -e 's/: .*//' "packaging/$port/not_emulated.txt" | paste -sd '|')
tests=(ctest --test-dir "build/$port" --output-on-failure --no-tests=error --parallel "$(nproc)" --exclude-regex "^($left_out)$" "$@")
if [ "$port" = windows ]; then
    # Wine fails to start one program in some thousand, so what fails is tried again. It makes its Windows while its first program starts,
    # for which no test should wait. The screen is open to all, because some tests take away what they would be let in by.
    tests=(xvfb-run --auto-servernum --server-args="-screen 0 1600x1000x24 -ac"
        sh -c 'export SNAPVIEWER_SCREEN=$DISPLAY; "$0" wineboot --init && exec "$@"' "$root/packaging/windows/emulator.sh"
        "${tests[@]}" --repeat until-pass:2)
fi
"${tests[@]}" </dev/null
