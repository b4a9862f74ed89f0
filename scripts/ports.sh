#!/usr/bin/env bash
# Builds the program for another processor, from nothing, and runs its tests by an emulator.
#   scripts/ports.sh arm64 [CTEST OPTION...]      Linux on aarch64, in build/arm64; without options the labels unit, cli, sql and golden
# What only fails because of the emulator is named, with the reason, in packaging/PORT/not_emulated.txt and left out.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
port=${1:-}
if [ "$port" != arm64 ]; then
    echo "ports: usage: scripts/ports.sh arm64 [CTEST OPTION...]" >&2
    exit 2
fi
shift
if [ $# -eq 0 ]; then
    set -- -L "^(unit|cli|sql|golden)$"
fi

"$root/scripts/setup.sh" --arch "$port"
"$root/packaging/$port/root.sh" "$root/build/$port-root"
cd "$root"
cmake --preset "$port" >/dev/null
cmake --build "build/$port" --parallel "$(nproc)"
unset DISPLAY WAYLAND_DISPLAY
# Neither emulator nor its kernel have what the sandbox is made of, and every command would say so.
export SNAPVIEWER_SANDBOX=off
left_out=$(sed -e '/^#/d' -e 's/: .*//' "packaging/$port/not_emulated.txt" | paste -sd '|')
ctest --test-dir "build/$port" --output-on-failure --no-tests=error --parallel "$(nproc)" --exclude-regex "^($left_out)$" "$@" </dev/null
