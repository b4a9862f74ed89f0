#!/usr/bin/env bash
# Builds the site of the documentation from docs/*.md and says where it is: build/site, to be opened or served as it is.
#   scripts/site.sh [--serve]      with --serve keeps it up to date on this machine, for who writes
# Needs MkDocs with its theme Material: pip install mkdocs-material. MKDOCS names the command, if it is not on the PATH.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
mkdocs=${MKDOCS:-mkdocs}
if ! command -v "$mkdocs" >/dev/null; then
    echo "site: MkDocs is missing: pip install mkdocs-material" >&2
    exit 1
fi
python3 -B "$root/scripts/make_python_docs.py" --check
if [ "${1:-}" = --serve ]; then
    NO_MKDOCS_2_WARNING=1 exec "$mkdocs" serve --config-file "$root/mkdocs.yml"
fi
NO_MKDOCS_2_WARNING=1 "$mkdocs" build --strict --quiet --clean --config-file "$root/mkdocs.yml"
echo "$root/build/site/index.html"
