#!/usr/bin/env bash
# Sets up, configures and builds build/release. Arguments are the targets to build; without arguments, everything is built. With
# --quick it builds only the program, into build/quick, in a third of the time; that program takes up to twice as long to open a file.
#   scripts/build.sh [--quick | TARGET...]
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

preset=release
targets=("$@")
options=()
if [ "${1:-}" = --quick ]; then
    preset=quick
    targets=(snapviewer)
elif [ $# -eq 0 ] || [[ $1 == needed_by_* ]]; then
    options=(-DSNAPVIEWER_TESTS=ON)
elif [[ "$*" =~ ^snapviewer(\ snapviewer_bench)?$ ]] && [ ! -f "$root/build/release/CMakeCache.txt" ]; then
    # Skips configuring the tests if only the program is wanted, unless the folder already has them.
    options=(-DSNAPVIEWER_TESTS=OFF)
fi

"$root/scripts/setup.sh"
if ! output=$(cd "$root" && cmake --preset "$preset" "${options[@]}" 2>&1); then
    printf '%s\n' "$output" >&2
    exit 1
fi
cmake --build "$root/build/$preset" --parallel "$(nproc)" ${targets:+--target "${targets[@]}"}
