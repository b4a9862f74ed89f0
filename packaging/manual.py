#!/usr/bin/env python3
"""Writes the man page from the program's --help texts.

manual.py PROGRAM OUTPUT      OUTPUT ends in .1.gz
"""
import gzip
import re
import subprocess
import sys
from pathlib import Path

TEXT_AT = 30   # column at which the descriptions in --help begin
STATUSES = [("0", "Done."), ("1", "The file or the query is wrong, or the output cannot be written."), ("2", "Wrong usage."),
            ("3", "Something is missing in the environment, such as a display or OpenGL."),
            ("4, 5", "Only check: a limit is broken, or a limit is unknown.")]
EXAMPLES = [("snapviewer snapshot.pickle", "Opens the window."), ("snapviewer report snapshot.pickle", "Shows why memory ran out and what grows."),
            ('snapviewer query snapshot.pickle "SELECT size FROM allocations ORDER BY size DESC LIMIT 10"', "The largest allocations.")]


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def said(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def sections(help_text):
    """Parses the text of --help: returns the description, the usage, and for each title its (name, text) entries, in their order."""
    what, usage, lists = "", "", {}
    for line in help_text.splitlines():
        if line.startswith("Usage: "):
            usage = line.removeprefix("Usage: ")
        elif re.fullmatch(r"\S.*:", line):
            entries = lists.setdefault(line[:-1], [])
        elif line.startswith(" " * TEXT_AT):
            entries[-1] = (entries[-1][0], f"{entries[-1][1]} {line.strip()}".strip())
        elif line.startswith("  "):
            is_split = line[TEXT_AT - 1:TEXT_AT] == " "
            name, text = (line[:TEXT_AT], line[TEXT_AT:]) if is_split else (line, "")
            entries.append((name.strip(), text.strip()))
        elif line.strip() and not usage:
            what = line.strip()
    return what, usage, lists


def shown(name):
    name = name.removesuffix(" REQUIRED")
    return name if name.startswith("-") else name.removesuffix(" TEXT")


def listed(entries):
    return "".join(f".TP\n.B {escaped(shown(name))}\n{escaped(text)}\n" for name, text in entries)


def page(program):
    version = said(program, "--version").split()[1]
    what, _, lists = sections(said(program, "--help"))
    text = f'.TH SNAPVIEWER 1 "" "snapviewer {version}" "User Commands"\n'
    text += ".SH NAME\nsnapviewer \\- viewer for GPU\\-memory snapshots\n"
    text += ".SH SYNOPSIS\n.B snapviewer\n[\\fIOPTIONS\\fR] [\\fIFILE\\fR...]\n.br\n.B snapviewer\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n"
    text += f".SH DESCRIPTION\n{escaped(what)}\n.SH OPTIONS\n{listed(lists['Positionals'] + lists['Options'])}"
    text += ".SH COMMANDS\n"
    for name, _ in lists["Subcommands"]:
        what, usage, of_command = sections(said(program, name, "--help"))
        text += f".SS {escaped(usage or name)}\n{escaped(what)}\n"
        text += listed([entry for entries in of_command.values() for entry in entries if not entry[0].startswith("-h,")])
    text += f".SH EXIT STATUS\n{listed(STATUSES)}.SH EXAMPLES\n{listed(EXAMPLES)}"
    return text


def main():
    program, output = sys.argv[1:]
    Path(output).write_bytes(gzip.compress(page(program).encode(), compresslevel=9, mtime=0))


if __name__ == "__main__":
    main()
