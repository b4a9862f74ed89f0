#!/usr/bin/env python3
"""Writes the software bill of materials of a release, and the licences of its parts.

    sbom.py OUT VERSION COMMIT      OUT/snapviewer-VERSION.cdx.json (CycloneDX 1.5) and OUT/snapviewer-VERSION-licences.zip

The parts are listed in the tables of third_party/README.md, without those for tests; their versions and licences come from this
machine's Debian packages. Equal inputs give equal files; their timestamp is SOURCE_DATE_EPOCH.
"""
import datetime
import json
import os
import re
import subprocess
import sys
import uuid
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMESPACE = uuid.UUID("8b3c1e9a-53d3-4b1e-9b0f-2f1f0c8d7a44")    # namespace of the serial numbers; generated once


def rows():
    """Returns name, Debian package, licence and purpose of each library that the program contains or needs."""
    text = (ROOT / "third_party" / "README.md").read_text(encoding="utf-8")
    for line in re.findall(r"^\| (.*) \|$", text, re.MULTILINE):
        cells = line.split(" | ")
        if cells[0] not in ("library", "---") and not cells[-1].startswith("tests"):
            name, package, licence, purpose = cells[:4]
            yield re.sub(r" [\d.]+( to [\d.]+)?$", "", name), package.split()[0], licence, purpose


def version_of(package):
    """Returns the version of a Debian package, or None if it is not installed."""
    done = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 and done.stdout else None


def component(name, package, licence, purpose):
    version = version_of(package)
    described = {"type": "library", "name": name, "description": purpose, "licenses": [{"expression": licence}]}
    if version is None:
        return described
    address = f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}"
    return {**described, "bom-ref": address, "version": version, "purl": address}


def bill(version, commit):
    when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    program = {"type": "application", "bom-ref": "snapviewer", "name": "snapviewer", "version": version, "licenses": [{"expression": "MIT"}],
               "properties": [{"name": "snapviewer:commit", "value": commit}]}
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, version + commit)}", "version": 1,
            "metadata": {"timestamp": f"{when:%Y-%m-%dT%H:%M:%SZ}", "component": program},
            "components": [component(*row) for row in rows()]}


def write_licences(path):
    """Writes a zip with each package's copyright file and this project's licence."""
    files = {"snapviewer.txt": ROOT / "LICENSE"}
    for _, package, _, _ in rows():
        copyright_file = Path("/usr/share/doc", package, "copyright")
        if copyright_file.exists():
            files[f"{package}.txt"] = copyright_file
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), file.read_bytes(), zipfile.ZIP_DEFLATED)


def main():
    out, version, commit = Path(sys.argv[1]), *sys.argv[2:]
    text = json.dumps(bill(version, commit), indent=2, ensure_ascii=False)
    (out / f"snapviewer-{version}.cdx.json").write_text(text + "\n", encoding="utf-8")
    write_licences(out / f"snapviewer-{version}-licences.zip")


if __name__ == "__main__":
    main()
