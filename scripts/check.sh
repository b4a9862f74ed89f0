#!/usr/bin/env bash
# The long check, besides scripts/test.sh: warnings are errors; the unit and fuzz tests and those of the command line that read files
# of every kind run under AddressSanitizer and UndefinedBehaviorSanitizer, the unit tests, which start the threads, under ThreadSanitizer.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
unset DISPLAY WAYLAND_DISPLAY

step() {
    local began=$SECONDS
    echo "check: $*"
    "$@" </dev/null
    echo "check: $* took $((SECONDS - began)) s"
}

scripts/setup.sh
step cmake --workflow --preset asan
# ThreadSanitizer of GCC 12 and 13 stops at once where the kernel places mappings more randomly than it expects.
step setarch "$(uname -m)" --addr-no-randomize cmake --workflow --preset tsan
echo "check: all passed, except those reported above as skipped"
