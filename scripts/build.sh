#!/usr/bin/env bash
# Sets up, configures and builds build/release. Arguments are the targets to build; none means everything.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

"$root/scripts/setup.sh"
if ! output=$(cd "$root" && cmake --preset release 2>&1); then
    printf '%s\n' "$output" >&2
    exit 1
fi
cmake --build "$root/build/release" --parallel "$(nproc)" ${1:+--target "$@"}
