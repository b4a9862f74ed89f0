#!/usr/bin/env python3
"""Whether the program is built so that a mistake in memory is hard to use for an attack.

    check_hardening.py PROGRAM LIBRARY

PROGRAM is the executable, LIBRARY a static library of ours, whose functions must mark where jumps may land.
"""
import platform
import re
import subprocess
import sys


def readelf(path, *options):
    return subprocess.run(["readelf", "--wide", *options, path], capture_output=True, text=True, check=True).stdout


def problems(program, library):
    if "Type:                              DYN" not in readelf(program, "--file-header"):
        yield "the program has a fixed place in memory (PIE is off)"
    segments = readelf(program, "--segments")
    if "GNU_RELRO" not in segments:
        yield "tables of the linker stay writable (RELRO is off)"
    if not re.search(r"GNU_STACK.* RW ", segments):
        yield "the stack can be executed"
    if re.search(r"LOAD .* RWE ", segments):
        yield "memory of the program is writable and can be executed"
    dynamic = readelf(program, "--dynamic")
    if "BIND_NOW" not in dynamic and not re.search(r"FLAGS_1.*NOW", dynamic):
        yield "functions are looked up late (BIND_NOW is off), so RELRO is partial"
    symbols = readelf(program, "--dyn-syms")
    if "__stack_chk_fail" not in symbols:
        yield "no function checks its stack (-fstack-protector-strong)"
    if not re.search(r" __(mem|str|read|fd|pread|printf|fprintf|snprintf)\w*_chk", symbols):
        yield "no call of the C library is checked (_FORTIFY_SOURCE)"
    if platform.machine() == "x86_64" and "x86 feature: IBT, SHSTK" not in readelf(library, "--notes"):
        yield "functions do not mark where jumps may land (-fcf-protection)"


def main():
    found = list(problems(*sys.argv[1:3]))
    for problem in found:
        print(f"{sys.argv[1]}: {problem}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
