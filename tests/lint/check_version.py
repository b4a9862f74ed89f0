#!/usr/bin/env python3
"""The version is defined in CMakeLists.txt, project(VERSION). Files that cannot be generated from it are listed here and must contain
the same version.

check_version.py [ROOT]        prints what differs and exits with 1 if anything does
"""
import datetime
import re
import sys
from pathlib import Path

PLACE = ("CMakeLists.txt", r"^project\(snapviewer VERSION (\S+)")
METAINFO = "packaging/io.github.snapviewer.snapviewer.metainfo.xml"
# File, and a pattern for the version. The first match counts, which is the newest version.
COPIES = [("CHANGELOG.md", r"^## (\d\S*)"),
          ("packaging/vcpkg/vcpkg.json", r'"version": "(.*?)"'),
          ("packaging/conda/recipe.yaml", r"^  version: (\d\S*)"),
          (METAINFO, r'<release version="(.*?)"')]
# The date of the release.
DAY = (METAINFO, r'<release .*date="(.*?)"')
DEBIAN_DAY = ("packaging/debian/changelog.in", r"^ -- .*>  (.*)$")


def said(root, path, pattern):
    found = re.search(pattern, (root / path).read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else "none"


def differences(root):
    version = said(root, *PLACE)
    for path, pattern in COPIES:
        if (copy := said(root, path, pattern)) != version:
            yield f"{path}: version {copy}, while CMakeLists.txt has {version}"
    day = datetime.date.fromisoformat(said(root, *DAY))
    if (copy := said(root, *DEBIAN_DAY)) != f"{day:%a, %d %b %Y} 00:00:00 +0000":
        yield f"{DEBIAN_DAY[0]}: released on {copy}, while {METAINFO} has {day}"


def main():
    found = list(differences(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]))
    print("\n".join(found) or "the version is the same everywhere")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
