#!/usr/bin/env bash
# The long check, besides scripts/test.sh: warnings are errors; core's unit tests and the fuzz tests run under AddressSanitizer and
# UndefinedBehaviorSanitizer, core's unit tests, which use threads, also under ThreadSanitizer.
#   scripts/check.sh [--all]    --all: also the parts of the window and the command line, which takes twice as long
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
unset DISPLAY WAYLAND_DISPLAY
all=""
if [ "${1:-}" = --all ]; then
    all=-all
fi

step() {
    local began=$SECONDS
    echo "check: $*"
    "$@" </dev/null
    echo "check: $* took $((SECONDS - began)) s"
}

scripts/setup.sh
step cmake --workflow --preset "asan$all"
# ThreadSanitizer of GCC 12 and 13 aborts if the kernel randomizes more address bits than it supports.
step setarch "$(uname -m)" --addr-no-randomize cmake --workflow --preset "tsan$all"
echo "check: all passed, except those reported above as skipped"
