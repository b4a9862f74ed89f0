#!/usr/bin/env python3
"""Compiles each pair of shaders that render/ links with Khronos's reference compiler, in each dialect. That compiler is stricter
than the drivers.

check_shaders.py [ROOT]
"""
import itertools
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VALIDATOR = "glslangValidator"
PRELUDES = [("desktop", "buffer_tables"), ("desktop", "picture_tables"), ("embedded", "picture_tables")]    # as in gl::Program::link()
LINKED = re.compile(r"Program::link\(\s*\{([\w, \n]+)\},\s*\{([\w, \n]+)\}\)")


def linked_programs(root):
    """Yields for each program the names of the parts of its vertex shader and of its fragment shader."""
    for path in sorted((root / "render").rglob("*.cpp")):
        for parts in LINKED.findall(path.read_text(encoding="utf-8")):
            yield tuple(tuple(name.strip() for name in names.split(",")) for names in parts)


def shader_text(root, prelude, parts):
    """Returns the text of a shader. Parts are named as in C++: stack_tables_glsl is shaders/stack_tables.glsl."""
    parts = [f"{name}_glsl" for name in prelude] + list(parts)
    return "".join((root / "shaders" / ".".join(name.rsplit("_", 1))).read_text(encoding="utf-8") for name in parts)


def refusal(vertex_text, fragment_text):
    """Returns the compiler's errors for the two shaders; empty if there are none."""
    with tempfile.TemporaryDirectory() as folder:
        vertex, fragment = Path(folder, "program.vert"), Path(folder, "program.frag")
        vertex.write_text(vertex_text, encoding="utf-8")
        fragment.write_text(fragment_text, encoding="utf-8")
        done = subprocess.run([VALIDATOR, "-l", vertex, fragment], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout


def main():
    if not shutil.which(VALIDATOR):
        print(f"skipped: {VALIDATOR} is not there (Debian and Ubuntu: glslang-tools)")
        return 77
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    programs = list(linked_programs(root))
    refusals = 0 if programs else 1
    for prelude, (vertex, fragment) in itertools.product(PRELUDES, programs):
        text = shader_text(root, prelude, fragment)
        if said := refusal(shader_text(root, prelude, vertex), text):
            refusals += 1
            print(f"{' + '.join(prelude + vertex)} with {' + '.join(fragment)}:\n{said}")
        if not refusal(shader_text(root, prelude, vertex), text + "float unused_name() { return missing_name; }\n"):
            refusals += 1
            print(f"{fragment[-1]}: a name that is nowhere was accepted, so this check says nothing")
    print(f"{len(programs)} programs in {len(PRELUDES)} dialects, {refusals} refused")
    return 1 if refusals else 0


if __name__ == "__main__":
    sys.exit(main())
