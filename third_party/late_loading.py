#!/usr/bin/env python3
"""Writes functions in C that stand in for those of a shared library, which is opened when the first of them is called.

    late_loading.py NAME LIBRARY HEADER MARKER OUTPUT FILE...

A program that is linked with them starts where the library is missing. HEADER is what an #include names; each FILE, itself or what it
includes, declares functions, each with MARKER in front. Besides them OUTPUT defines `const char* snapviewer_open_NAME(void)`, which opens LIBRARY and returns NULL, or what
the system says is wrong.
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
    """Type, name and parameters of each function, but for those of Vulkan, and of variable numbers of parameters, which cannot be passed
    on."""
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
