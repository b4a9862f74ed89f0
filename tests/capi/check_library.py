#!/usr/bin/env python3
"""check_library.py LIBRARY: checks that the library exports the header's symbols, and needs neither a window system nor OpenGL."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

HEADER = Path(__file__).resolve().parents[2] / "core" / "capi" / "snapviewer.h"
UNWANTED = re.compile(r"lib(X\w*|GL\w*|EGL|wayland|glfw|imgui|fontconfig|png)[-.\w]*\.so")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main(library):
    if not shutil.which("nm") or not shutil.which("readelf"):
        print("needs nm and readelf")
        return 77
    given = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", library).splitlines()}
    declared = set(re.findall(r"^SV_API .*?\b(sv_\w+)\(", HEADER.read_text(), re.MULTILINE))
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "--dynamic", library))
    wrong = [f"gives {name}, which the header does not declare" for name in sorted(given - declared)]
    wrong += [f"does not give {name}, which the header declares" for name in sorted(declared - given)]
    wrong += [f"needs {name}" for name in needed if UNWANTED.match(name)]
    for sentence in wrong:
        print(f"{library} {sentence}")
    return 1 if wrong or not declared or not needed else 0


sys.exit(main(sys.argv[1]))
