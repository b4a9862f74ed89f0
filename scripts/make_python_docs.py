#!/usr/bin/env python3
"""Writes docs/python.md, the module's reference, from its docstrings.

make_python_docs.py [--check]      with --check only checks whether the file is up to date
"""
import argparse
import ast
import inspect
import re
import sys
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
PAGE = ROOT / "docs" / "python.md"
MAX_CHARACTERS = 120

import snapviewer as sv  # noqa: E402

HEAD = """# Python

<!-- Written by scripts/make_python_docs.py from the docstrings of python/snapviewer. -->

    pip install snapviewer-*.whl        the program and the module; scripts/wheel.sh builds it
    python -m snapviewer FILE           the program, even if its command is not on the PATH

```python
import snapviewer as sv

with sv.open("snapshot.pickle") as snapshot:
    print(snapshot.peak_bytes)
    print(snapshot.query("SELECT size, alloc_step FROM allocations ORDER BY size DESC LIMIT 10").rows())
```

Importing the module needs only Python: no numpy, PyTorch or window system. Whatever needs more says what to install.
Every name is typed (`py.typed`). Sizes are bytes, times microseconds. In a notebook a snapshot shows its picture and a
result its first rows. See also [SQL](sql.md) for the tables, [check](check.md) for limits in tests, [recording](record.md)
and [fleets](fleets.md).
"""
PARTS = [("Opening and asking", sv, ["open", "Snapshot", "Result"]), ("Recording", sv, ["record", "annotate", "Annotated"]),
         ("Limits and comparisons", sv, ["check", "Check", "compare"]), ("Series", sv, ["series", "Series"]), ("Fleets", sv.fleet, ["summarize", "Dataset"]),
         ("Errors", sv, ["Error", "FileError", "QueryError", "ProgramError"]), ("Version", sv, ["version"])]


def to_markdown(text):
    """Converts a docstring to Markdown, with its examples as code blocks."""
    lines, fenced = [], False
    for line in inspect.cleandoc(text).splitlines():
        if line.startswith(">>>") and not fenced:
            lines.append("```pycon")
            fenced = True
        if fenced and not line:
            lines.append("```")
            fenced = False
        lines.append(line)
    return "\n".join(lines + ["```"] * fenced)


def signature(name, thing):
    """Returns the signature as in the source, with one line per argument if a single line is too long."""
    function = ast.parse(textwrap.dedent(inspect.getsource(thing.__init__ if inspect.isclass(thing) else thing))).body[0]
    arguments = re.sub(r"\bPath\b", "str | os.PathLike[str]", ast.unparse(function.args)).removeprefix("self").removeprefix(", ")
    ending = "" if inspect.isclass(thing) else f" -> {ast.unparse(function.returns)}"
    text = f"{name}({arguments}){ending}"
    if len(text) > MAX_CHARACTERS:
        lines = re.split(r", (?=\*|/|\w+:)", arguments)
        text = f"{name}(\n    " + ",\n    ".join(lines) + f"\n){ending}"
    return f"```python\n{text}\n```"


def fields(kind):
    """Returns the texts of `#:` comments by the name of the attribute that follows each."""
    for comment, name in re.findall(r"((?:^ *#: .*\n)+) *(?:self\.)?(\w+)", inspect.getsource(kind), re.MULTILINE):
        yield name, " ".join(line.strip()[3:] for line in comment.splitlines())


def members(kind):
    """Yields the properties and methods of a class, in the order of the source."""
    if issubclass(kind, Exception):
        return
    for name, text in fields(kind):
        yield f"#### {kind.__name__}.{name}\n\n{text}"
    for name, value in vars(kind).items():
        if name.startswith("_") and name not in ("__arrow_c_stream__", "__iter__"):
            continue
        if isinstance(value, property):
            yield f"#### {kind.__name__}.{name}\n\n{to_markdown(value.__doc__)}"
        elif inspect.isfunction(value):
            heading = name.replace("_", r"\_") if name.startswith("__") else name
            yield f"#### {kind.__name__}.{heading}()\n\n{signature(name, value)}\n\n{to_markdown(value.__doc__)}"


def described(module, name):
    thing = getattr(module, name)
    shown = f"sv.{'fleet.' if module is sv.fleet else ''}{name}"
    parts = [f"### {shown}"]
    if not inspect.isclass(thing) or name == "record":
        parts.append(signature(shown, thing))
    parts.append(to_markdown(thing.__doc__))
    if inspect.isclass(thing):
        parts += members(thing)
    return parts


def page():
    parts = [HEAD.rstrip()]
    for title, module, names in PARTS:
        parts.append(f"## {title}")
        for name in names:
            parts += described(module, name)
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page():
        sys.exit("docs/python.md is not what the docstrings say: run scripts/make_python_docs.py")


if __name__ == "__main__":
    main()
