"""Lists the interfaces that other programs call: names, arguments and defaults of the Python module, functions and values of
the C interface."""
import importlib
import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONSTRUCTED = {"snapviewer.record", "snapviewer.fleet.Dataset"}     # the other classes are only returned by functions
PROTOCOLS = {"__enter__", "__exit__", "__iter__", "__len__", "__getitem__", "__arrow_c_stream__"}


def without_types(function):
    signature = inspect.signature(function)
    bare = [argument.replace(annotation=inspect.Parameter.empty) for argument in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def members(name, kind):
    """Yields the members that a class of the module defines, without those inherited from Python's classes."""
    yield f"class {name}({', '.join(base.__name__ for base in kind.__bases__)})"
    for ours in (each for each in kind.__mro__ if each.__module__.startswith("snapviewer")):
        for member, value in vars(ours).items():
            if member.startswith("_") and member not in PROTOCOLS and not (member == "__init__" and name in CONSTRUCTED):
                continue
            value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            yield f"{name}.{member}{without_types(value) if inspect.isfunction(value) else ''}"
        yield from (f"{name}.{field}" for field in ours.__dict__.get("__annotations__", {}) if not field.startswith("_"))


def names_of(module, prefix):
    for name in module.__all__:
        value, full_name = getattr(module, name), f"{prefix}.{name}"
        if inspect.ismodule(value):
            yield from names_of(value, full_name)
        elif inspect.isclass(value):
            yield from members(full_name, value)
        elif inspect.isfunction(value):
            yield full_name + without_types(value)
        else:
            yield full_name


def python_names():
    sys.path.insert(0, str(ROOT / "python"))
    try:
        return list(names_of(importlib.import_module("snapviewer"), "snapviewer"))
    finally:
        sys.path.pop(0)


def c_declarations():
    text = (ROOT / "core" / "capi" / "snapviewer.h").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", re.sub(r"#ifndef ARROW_C_.*?#endif", "", text, flags=re.DOTALL))   # this part is from Arrow
    yield from re.findall(r"#define (SV_ABI_VERSION \d+)", text)
    yield from (f"{function};" for function in re.findall(r"SV_API ([^;]*?\))\s*;", text))
    yield from re.findall(r"\b(SV_\w+ = \d+)", text)
    yield from (f"{kind};" for kind in re.findall(r"(typedef [^;{]*?);", text))
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text):
        yield from (f"{name}: {member.strip()}" for member in body.split(";") if member.strip())
