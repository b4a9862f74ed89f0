#!/usr/bin/env bash
# Sets up, configures and builds build/release. Arguments are the targets to build; none means everything.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

# Whoever only wants the program does not wait for the tests to be configured; a folder that has them keeps them.
options=()
if [ $# -eq 0 ]; then
    options=(-DSNAPVIEWER_TESTS=ON)
elif [ "$*" = snapviewer ] && [ ! -f "$root/build/release/CMakeCache.txt" ]; then
    options=(-DSNAPVIEWER_TESTS=OFF)
fi

"$root/scripts/setup.sh"
if ! output=$(cd "$root" && cmake --preset release "${options[@]}" 2>&1); then
    printf '%s\n' "$output" >&2
    exit 1
fi
cmake --build "$root/build/release" --parallel "$(nproc)" ${1:+--target "$@"}
