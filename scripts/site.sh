#!/usr/bin/env bash
# Builds the documentation's site from docs/*.md in build/site, which can be opened or served as it is.
#   scripts/site.sh [--serve]      with --serve serves it on this machine and updates it after changes
# Uses MkDocs with the theme Material: the program named by MKDOCS, or that on the PATH; else pip installs it in build/mkdocs.
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
