#!/usr/bin/env bash
# Builds everything and runs every test without a display. Arguments go to ctest: for scripts/test.sh -L unit, only the programs that
# the tests of that label run are built.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

needed=()
if [ "${1:-}" = -L ] && grep -rqs "snapviewer_label_needs(${2:-} " "$root"/tests/*/CMakeLists.txt; then
    needed=("needed_by_$2")
fi
"$root/scripts/build.sh" ${needed:+"${needed[@]}"}
unset DISPLAY WAYLAND_DISPLAY
# One and a half times the number of processors, because tests of the window spend a third of their time waiting for the window.
jobs=$(($(nproc) * 3 / 2))
if ctest --test-dir "$root/build/release" --output-on-failure --no-tests=error --parallel "$jobs" "$@" </dev/null; then
    echo "test: all passed, except those reported above as skipped"
else
    echo "test: some failed; their output is above" >&2
    exit 1
fi
