#!/usr/bin/env python3
"""Writes C functions that forward to those of a shared library, which the first call loads.

    late_loading.py NAME LIBRARY HEADER MARKER OUTPUT FILE...

A program that is linked with them also starts without the library. HEADER is the name in the #include. Each FILE, or a file that it
includes, declares functions preceded by MARKER. OUTPUT also defines `const char* snapviewer_open_NAME(void)`, which loads LIBRARY and
returns NULL or the system's error message.
"""
import re
import sys
from pathlib import Path

TEMPLATE = """/* Made by late_loading.py. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <{header}>

static void* library;

const char* snapviewer_open_{name}(void) {{
    if (library == NULL) library = dlopen("{library}", RTLD_NOW | RTLD_LOCAL);
    return library != NULL ? NULL : dlerror();
}}

static void* find(const char* function) {{
    const char* trouble = snapviewer_open_{name}();
    void* found = trouble == NULL ? dlsym(library, function) : NULL;
    if (found != NULL) return found;
    fprintf(stderr, "snapviewer: {library} has no %s: %s\\n", function, trouble != NULL ? trouble : "it is another version");
    abort();
}}
"""
FUNCTION = """
{type} {name}({parameters}) {{
    static {type} (*in_library)({parameters});
    if (in_library == NULL) in_library = ({type} (*)({parameters}))find("{name}");
    {call}in_library({arguments});
}}
"""


def functions(header, marker):
    """Yields type, name and parameters of each function, except those of Vulkan, and those with variable arguments, which
    cannot be forwarded."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:\\\n|[^\n])*", "", header, flags=re.DOTALL | re.MULTILINE)
    for declaration in re.finditer(rf"\b{marker}\s+([^;()]*?)(?:\bEGLAPIENTRY\b)?\s*(\w+)\s*\(([^;]*?)\)[^;()]*(?:\([^;]*\))?;", code):
        result, name, parameters = (" ".join(part.split()) for part in declaration.groups())
        if not re.search(r"\.\.\.|[Vv]k[A-Z]", result + parameters):
            yield result, name, parameters


def passed_on(parameters):
    if parameters in ("", "void"):
        return ""
    return ", ".join(re.search(r"(\w+)\s*(?:\[[^]]*\])?$", parameter.strip()).group(1) for parameter in parameters.split(","))


def main():
    name, library, header, marker, output, *files = sys.argv[1:]
    declarations = "".join(Path(file).read_text(encoding="utf-8", errors="replace") for file in files)
    text = TEMPLATE.format(name=name, library=library, header=header)
    for result, function, parameters in functions(declarations, marker):
        text += FUNCTION.format(type=result, name=function, parameters=parameters, arguments=passed_on(parameters),
                                call="" if result == "void" else "return ")
    Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
