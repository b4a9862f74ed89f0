#!/usr/bin/env python3
"""Checks that the program is built with options that make memory errors hard to exploit.

    check_hardening.py PROGRAM LIBRARY

PROGRAM is the executable. LIBRARY is a static library of this project, whose functions must mark valid jump targets.
"""
import platform
import re
import subprocess
import sys


def readelf(path, *options):
    return subprocess.run(["readelf", "--wide", *options, path], capture_output=True, text=True, check=True).stdout


# Expected output of readelf for the program: the option, a pattern, and the error if it does not match.
EXPECTED = [
    ("--file-header", r"Type: +DYN", "the program has a fixed place in memory (PIE is off)"),
    ("--segments", r"GNU_RELRO", "tables of the linker stay writable (RELRO is off)"),
    ("--segments", r"GNU_STACK.* RW ", "the stack can be executed"),
    ("--segments", r"\A(?![\s\S]*LOAD .* RWE )", "memory of the program is writable and can be executed"),
    ("--dynamic", r"BIND_NOW|FLAGS_1.*NOW", "functions are looked up late (BIND_NOW is off), so RELRO is partial"),
    ("--dyn-syms", r"__stack_chk_fail", "no function checks its stack (-fstack-protector-strong)"),
    ("--dyn-syms", r" __(mem|str|read|fd|pread|printf|fprintf|snprintf)\w*_chk", "no call of the C library is checked (_FORTIFY_SOURCE)"),
]


def problems(program, library):
    for option, pattern, problem in EXPECTED:
        if not re.search(pattern, readelf(program, option)):
            yield problem
    if platform.machine() == "x86_64" and "x86 feature: IBT, SHSTK" not in readelf(library, "--notes"):
        yield "functions do not mark where jumps may land (-fcf-protection)"


def main():
    found = list(problems(*sys.argv[1:3]))
    for problem in found:
        print(f"{sys.argv[1]}: {problem}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
