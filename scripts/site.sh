#!/usr/bin/env bash
# Builds the site of the documentation from docs/*.md and says where it is: build/site, to be opened or served as it is.
#   scripts/site.sh [--serve]      with --serve keeps it up to date on this machine, for who writes
# MkDocs with its theme Material is what MKDOCS names, or on the PATH, or is fetched by pip into build/mkdocs.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
packages=$root/build/mkdocs
mkdocs=(${MKDOCS:-mkdocs})
if ! command -v "${mkdocs[0]}" >/dev/null; then
    if [ ! -e "$packages/whole" ]; then
        rm -rf "$packages"
        mkdir -p "$packages"
        if ! python3 -m pip install --target "$packages" "mkdocs-material>=9.5,<10" >"$packages/pip.log" 2>&1; then
            echo "site: MkDocs is missing, and pip could not fetch it (what it says is in $packages/pip.log): pip install mkdocs-material" >&2
            exit 1
        fi
        touch "$packages/whole"
    fi
    export PYTHONPATH=$packages
    mkdocs=(python3 -m mkdocs)
fi
python3 -B "$root/scripts/make_python_docs.py" --check
if [ "${1:-}" = --serve ]; then
    NO_MKDOCS_2_WARNING=1 exec "${mkdocs[@]}" serve --config-file "$root/mkdocs.yml"
fi
NO_MKDOCS_2_WARNING=1 "${mkdocs[@]}" build --strict --quiet --clean --config-file "$root/mkdocs.yml"
echo "$root/build/site/index.html"
